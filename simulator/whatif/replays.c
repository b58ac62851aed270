/* replays.c - a trace replayed as it was, edited, and on an ideal network. */
#include "simulator/whatif/whatif.h"

static ps_scenario ideal_of(const ps_scenario *scenario)
{
        ps_scenario ideal = *scenario;
        ideal.latency = ideal.per_byte = 0;
        ideal.no_contention = 1;
        return ideal;
}

/* How long a location computes at a call path when it is edited. */
static double edited_time(void *ctx, ps_loc loc, uint32_t use, ps_time time)
{
        const ps_replays *r = ctx;
        double edited = (double)time + r->times.longer[r->times.first[loc] + use];
        return edited > 0 ? edited : 0;
}

static ps_status retime(ps_replays *r, ps_replays_row row, ps_error *err)
{
        ps_replayed *run = &r->run[row];
        int is_changed = row != PS_REPLAYED_RECORDED && r->what_if;
        if (run->stuck || !run->timing)
                return PS_OK;
        ps_status status = ps_retime(&r->tree[row], r->trace, run->timing, run->end,
                                     is_changed ? edited_time : NULL, r, err);
        run->timing->info = r->tree[row].info;
        run->timing->focus = r->tree[row].focus;
        return status;
}

ps_status ps_replays_make(ps_replays *out, const ps_trace *trace, const ps_what_if *what_if,
                          unsigned n_threads, ps_error *err)
{
        ps_scenario scenarios[PS_N_REPLAYED];
        ps_replay_options options = {.wants_timing = 1, .n_threads = n_threads};
        *out = (ps_replays){.trace = trace, .scenario = what_if->scenario, .what_if = what_if};
        ps_scenario_init(&scenarios[PS_REPLAYED_RECORDED]);
        scenarios[PS_REPLAYED_EDITED] = out->scenario;
        scenarios[PS_REPLAYED_IDEAL] = ideal_of(&out->scenario);
        ps_status status = ps_replay_new(&out->replay, trace, &trace->measured, n_threads, err);
        if (status == PS_OK)
                status = ps_replay_run(out->run, out->replay, scenarios, PS_N_REPLAYED, &options, err);
        if (status == PS_OK)
                status = ps_replay_path_times(&out->times, out->replay, &what_if->scenario, err);
        for (ps_replays_row i = 0; i < PS_N_REPLAYED && status == PS_OK; i++)
                status = retime(out, i, err);
        return status;
}

ps_status ps_replays_make_ideal(ps_replays *out, const ps_trace *trace, int wants_timing, unsigned n_threads,
                                ps_error *err)
{
        ps_replay_options options = {.wants_timing = wants_timing != 0, .n_threads = n_threads};
        *out = (ps_replays){.trace = trace};
        ps_scenario_init(&out->scenario);
        ps_scenario ideal = ideal_of(&out->scenario);
        ps_status status = ps_replay_new(&out->replay, trace, &trace->measured, n_threads, err);
        if (status == PS_OK)
                status = ps_replay_run(&out->run[PS_REPLAYED_IDEAL], out->replay, &ideal, 1, &options, err);
        return status == PS_OK ? retime(out, PS_REPLAYED_IDEAL, err) : status;
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
