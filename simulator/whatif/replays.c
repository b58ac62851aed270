/* replays.c - a trace replayed as it was, edited, and on an ideal network. */
#include "simulator/whatif/whatif.h"

#include <math.h>

/* Communication costs nothing; which sends wait for their receivers, and how fast processors are, stays. The
 * parts of `costless` are the machine's. */
static ps_scenario ideal_of(const ps_replays *r, ps_machine *costless)
{
        const ps_machine *machine = r->scenario.machine;
        ps_scenario ideal = r->scenario;
        ps_machine_init(costless, PS_MODEL_HOCKNEY);
        costless->link = (ps_link){0, INFINITY};
        if (machine) {
                costless->send_mode = machine->send_mode;
                costless->eager_bytes = machine->eager_bytes;
                costless->cpu_ratio = machine->cpu_ratio;
                costless->cpu_ratios = machine->cpu_ratios;
                costless->region_ratios = machine->region_ratios;
                costless->n_region_ratios = machine->n_region_ratios;
        } else {
                uint64_t from = ps_replay_info_of(r->replay)->waits_from;
                costless->send_mode = from ? PS_SEND_BY_SIZE : PS_SEND_SYNCHRONOUS;
                costless->eager_bytes = from && from < UINT64_MAX ? from - 1 : from;
        }
        ideal.machine = costless;
        return ideal;
}

/* How long a location computes at a call path when it is edited. */
static double edited_time(void *ctx, ps_loc loc, uint32_t use, ps_time time)
{
        const ps_replays *r = ctx;
        double edited = (double)time + r->times.longer[r->times.first[loc] + use];
        return edited > 0 ? edited : 0;
}

static ps_status retime(ps_replays *r, ps_replays_row row, unsigned n_threads, ps_error *err)
{
        ps_replayed *run = &r->run[row];
        bool is_changed = row != PS_REPLAYED_RECORDED && r->what_if;
        if (run->stuck || !run->timing)
                return PS_OK;
        const ps_trace *trace = row == PS_REPLAYED_RECORDED ? r->recorded : r->trace;
        ps_status status = ps_retime(&r->tree[row], trace, run->timing, run->begin, run->end,
                                     is_changed ? edited_time : NULL, r, n_threads, err);
        run->timing->info = r->tree[row].info;
        run->timing->focus = r->tree[row].focus;
        return status;
}

/* What was not edited, where the edited run has another structure. */
static ps_status replay_recorded(ps_replays *out, const ps_trace *trace, const ps_replay_options *options,
                                 ps_error *err)
{
        ps_replay *recorded;
        ps_scenario nothing;
        ps_scenario_init(&nothing);
        PS_TRY(ps_replay_new(&recorded, trace, &trace->measured, options->n_threads, err));
        ps_replayed_clear(&out->run[PS_REPLAYED_RECORDED]);
        ps_status status =
                ps_replay_run(&out->run[PS_REPLAYED_RECORDED], recorded, &nothing, 1, options, err);
        ps_replay_free(recorded);
        return status;
}

static ps_status prepare_replays(ps_replays *out, const ps_trace *trace, const ps_reordered *reordered,
                                 unsigned n_threads, ps_error *err)
{
        if (!reordered)
                return ps_replay_new(&out->replay, trace, &trace->measured, n_threads, err);
        out->trace = &reordered->trace;
        return ps_replay_new_reordered(&out->replay, reordered, n_threads, err);
}

ps_status ps_replays_make(ps_replays *out, const ps_trace *trace, const ps_what_if *what_if,
                          unsigned n_threads, ps_error *err)
{
        ps_scenario scenarios[PS_N_REPLAYED];
        ps_replay_options options = {.wants_timing = 1, .n_threads = n_threads};
        *out = (ps_replays){
                .trace = trace, .recorded = trace, .scenario = what_if->scenario, .what_if = what_if};
        ps_scenario_init(&scenarios[PS_REPLAYED_RECORDED]);
        scenarios[PS_REPLAYED_EDITED] = out->scenario;
        ps_machine costless;
        PS_TRY(prepare_replays(out, trace, what_if->reordered, n_threads, err));
        scenarios[PS_REPLAYED_IDEAL] = ideal_of(out, &costless);
        PS_TRY(ps_replay_run(out->run, out->replay, scenarios, PS_N_REPLAYED, &options, err));
        if (what_if->reordered)
                PS_TRY(replay_recorded(out, trace, &options, err));
        PS_TRY(ps_replay_path_times(&out->times, out->replay, &what_if->scenario, err));
        for (ps_replays_row i = 0; i < PS_N_REPLAYED; i++)
                PS_TRY(retime(out, i, n_threads, err));
        return PS_OK;
}

ps_status ps_replays_make_ideal(ps_replays *out, const ps_trace *trace, bool wants_timing, unsigned n_threads,
                                ps_error *err)
{
        ps_replay_options options = {.wants_timing = wants_timing != 0, .n_threads = n_threads};
        *out = (ps_replays){.trace = trace, .recorded = trace};
        ps_scenario_init(&out->scenario);
        ps_machine costless;
        PS_TRY(ps_replay_new(&out->replay, trace, &trace->measured, n_threads, err));
        ps_scenario ideal = ideal_of(out, &costless);
        PS_TRY(ps_replay_run(&out->run[PS_REPLAYED_IDEAL], out->replay, &ideal, 1, &options, err));
        return retime(out, PS_REPLAYED_IDEAL, n_threads, err);
}

/* All of each transfer is due to its size, or as much of it to latency as the shortest one leaves room for;
 * with more of the one each transfer is longer, or each is shorter. */
ps_status ps_replays_range(ps_time *least, ps_time *most, const ps_replays *replays, ps_error *err)
{
        double latency = ps_time_seconds(ps_replay_info_of(replays->replay)->latency_most);
        ps_machine ends[2];
        ps_scenario scenarios[2];
        ps_replayed runs[2];
        for (int i = 0; i < 2; i++) {
                ps_machine_init(&ends[i], PS_MODEL_HOCKNEY);
                ends[i].link = i ? (ps_link){latency, INFINITY} : (ps_link){0, 1};
                scenarios[i] = replays->scenario;
                scenarios[i].divider = &ends[i];
        }
        PS_TRY(ps_replay_run(runs, replays->replay, scenarios, 2, NULL, err));
        ps_time first = runs[0].total, second = runs[1].total;
        *least = first < second ? first : second;
        *most = first < second ? second : first;
        for (int i = 0; i < 2; i++)
                ps_replayed_clear(&runs[i]);
        return PS_OK;
}

void ps_replays_clear_runs(ps_replays *r)
{
        for (int i = 0; i < PS_N_REPLAYED; i++) {
                ps_replayed_clear(&r->run[i]);
                ps_retimed_clear(&r->tree[i]);
        }
}

void ps_replays_clear(ps_replays *r)
{
        ps_replays_clear_runs(r);
        ps_path_times_clear(&r->times);
        ps_replay_free(r->replay);
        *r = (ps_replays){0};
}
