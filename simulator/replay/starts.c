/* starts.c - processes that begin with the others instead of later. What they do is the same; only what was
 * before their first event, which the trace does not know, is shorter. */
#include "simulator/replay/changes.h"

#include "core/base/memory.h"

#include <stdlib.h>

static ps_time first_of(const ps_trace *trace, ps_loc loc)
{
        const ps_location_info *info = &trace->info[loc];
        return info->first <= info->last ? info->first : 0;
}

/* False: it has no events. */
static bool find_first(ps_time *first, const ps_trace *trace, ps_proc process)
{
        const ps_process_def *def = &trace->defs.processes.row[process];
        bool is_there = false;
        for (uint32_t i = 0; i < def->n_locs; i++) {
                ps_loc loc = trace->defs.by_process[def->first + i];
                if (trace->defs.locations.row[loc].type != PS_LOCATION_CPU || !trace->info[loc].n_events)
                        continue;
                *first = is_there ? ps_time_earlier(*first, first_of(trace, loc)) : first_of(trace, loc);
                is_there = true;
        }
        return is_there;
}

static void find_late(ps_time *late, const ps_trace *trace, ps_time *sorted)
{
        static const ps_work_edit even = {.change = PS_WORK_EVEN};
        uint32_t n = 0;
        ps_time first;
        for (ps_proc p = 0; p < trace->defs.processes.n; p++)
                if (find_first(&first, trace, p))
                        sorted[n++] = first;
        compared_times all = ps_replay_compare_times(sorted, n);
        for (ps_proc p = 0; p < trace->defs.processes.n; p++)
                late[p] = find_first(&first, trace, p) ? first - (ps_time)ps_replay_goal(&even, &all, first)
                                                       : 0;
}

ps_status ps_replay_starts_new(run *r, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        bool is_asked = false;
        for (uint32_t w = 0; w < r->n_lanes; w++)
                is_asked |= r->lane[w]->starts != NULL;
        if (!is_asked)
                return PS_OK;
        size_t n = trace->defs.processes.n + (size_t)1;
        ps_time *sorted = ps_memory_new(n * sizeof(*sorted));
        r->late = ps_memory_new(n * sizeof(*r->late));
        ps_status status = sorted && r->late ? PS_OK : PS_NOMEM(err, "processes", n);
        if (status == PS_OK)
                find_late(r->late, trace, sorted);
        free(sorted);
        return status;
}

ps_time ps_replay_first(const run *r, ps_loc loc, uint32_t lane)
{
        const ps_trace *trace = r->replay->trace;
        const uint8_t *starts = lane_of(r, lane)->starts;
        ps_proc process = trace->defs.locations.row[loc].process;
        ps_time first = first_of(trace, loc);
        return starts && starts[process] ? ps_time_later(0, first - r->late[process]) : first;
}
