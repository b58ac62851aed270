/* apply.c - offsets become part of all times. */
#include "core/clock/offset.h"
#include "core/clock/orders.h"

/* What readers tell and offsets that are sane stay far from times that overflow; others may be anything. */
static void repair_times(const ps_clock_info *clock, ps_proc process, ps_time *time, ps_op n)
{
        const bool drift = clock->drift != NULL;
        const ps_time offset = clock->offset[process];
        for (ps_op op = 0; drift && op < n; op++)
                time[op] = ps_clock_repaired(clock, process, time[op]);
        for (ps_op op = 0; !drift && op < n; op++)
                time[op] = (ps_time)((uint64_t)time[op] + (uint64_t)offset);
}

static void move_rows(const ps_trace *trace, const ps_clock_info *clock)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                ps_proc process = trace->defs.locations.row[loc].process;
                repair_times(clock, process, trace->measured.enter[loc], trace->ops[loc].n);
                repair_times(clock, process, trace->measured.leave[loc], trace->ops[loc].n);
        }
}

void ps_clock_move_rest(ps_trace *trace)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                ps_location_info *info = &trace->info[loc];
                ps_proc process = trace->defs.locations.row[loc].process;
                if (info->first > info->last)
                        continue;
                info->first = ps_clock_repaired(&trace->clock, process, info->first);
                info->last = ps_clock_repaired(&trace->clock, process, info->last);
        }
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                ps_issue *issue = &trace->issues.row[kind];
                if (issue->count && issue->time != INT64_MIN && issue->location < trace->n_locs)
                        issue->time = ps_clock_repaired(&trace->clock,
                                                        trace->defs.locations.row[issue->location].process,
                                                        issue->time);
        }
}

/* So that the first event is at 0. */
static void shift_offsets(const ps_trace *trace, ps_time *offset)
{
        ps_time first = PS_TIME_MAX;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_location_info *info = &trace->info[loc];
                ps_time here =
                        ps_clock_repaired(&trace->clock, trace->defs.locations.row[loc].process, info->first);
                if (info->first <= info->last && here < first)
                        first = here;
        }
        for (ps_proc p = 0; p < trace->defs.processes.n && first != PS_TIME_MAX; p++)
                offset[p] = ps_time_sub(offset[p], first);
}

ps_status ps_clock_apply(ps_trace *trace, const ps_flows *flows, ps_time *offset, ps_error *err)
{
        shift_offsets(trace, offset);
        const ps_clock_order order = {.kind = PS_CLOCK_APPLY, .drift = trace->clock.drift, .offset = offset};
        PS_TRY(ps_clock_ask(flows, &order, err));
        move_rows(trace, &trace->clock);
        ps_clock_move_rest(trace);
        return PS_OK;
}

ps_status ps_apply_serve(ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        const ps_clock_info clock = {.offset = order->offset, .drift = order->drift};
        (void)err;
        move_rows(flows->trace, &clock);
        return PS_OK;
}
