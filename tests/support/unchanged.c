/* unchanged.c - see unchanged.h. */
#include "tests/support/unchanged.h"

#include "tests/support/damage.h"

#include <inttypes.h>

static void same(ps_time is, ps_time was, const char *what, ps_loc loc, ps_op op)
{
        if (is != was)
                ps_test_die(
                        "the replay of the recording moves the %s of operation %u of location %u: %" PRId64
                        ", recorded %" PRId64,
                        what, op, loc, is, was);
}

void unchanged_check(const ps_trace *trace, const ps_replayed *run)
{
        if (run->stuck)
                return;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                for (ps_op op = 0; op < trace->ops[loc].n; op++) {
                        same(run->timing->enter[loc][op], trace->measured.enter[loc][op], "begin", loc, op);
                        same(run->timing->leave[loc][op], trace->measured.leave[loc][op], "end", loc, op);
                }
                if (trace->info[loc].n_events)
                        same(run->end[loc], trace->info[loc].last, "last event, behind the last", loc,
                             trace->ops[loc].n);
        }
        same(run->total, trace->measured.duration, "end of all, behind the last", 0, 0);
}

void unchanged_expect(const ps_trace *trace)
{
        ps_replay *replay;
        ps_replayed run;
        ps_error err = {0};
        ps_scenario nothing;
        ps_replay_options options = {.wants_timing = 1, .n_threads = 1};
        ps_scenario_init(&nothing);
        if (ps_replay_new(&replay, trace, &trace->measured, 1, &err) ||
            ps_replay_run(&run, replay, &nothing, 1, &options, &err))
                ps_test_die("%s", err.cause[0].text);
        if (run.stuck)
                ps_test_die("the replay of the recording is stuck");
        unchanged_check(trace, &run);
        ps_replayed_clear(&run);
        ps_replay_free(replay);
}
