/* test_drift.c - a replay that is not what was measured is told, whole, by rank or by interval.
 *
 * Both ranks, in us: `solve` 0..40 with a barrier 10..30, `output` 40..100 with one 50..60. No replay of this
 * engine is off, so that the times of a right one are put off by hand. */
#include "library/run/drift.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#define AT(t) PS_GEN_US(t)
#define US    (PS_PS_PER_S / 1000000)

static ps_trace *two_phases(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_enter(g, r, 0, "solve");
                ps_gen_barrier(g, r, AT(10), AT(30), PS_GEN_WORLD);
                ps_gen_leave(g, r, AT(40), "solve");
                ps_gen_enter(g, r, AT(40), "output");
                ps_gen_barrier(g, r, AT(50), AT(60), PS_GEN_WORLD);
                ps_gen_leave(g, r, AT(100), "output");
                ps_gen_leave(g, r, AT(100), "main");
        }
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        ps_gen_free(g);
        return trace;
}

/* The drift of a replay in which the first barrier ends `first` us and all ends `last` us late. */
static ps_drift_told drift_with(const ps_trace *trace, ps_options *options, int first, int last)
{
        ps_replays replays;
        ps_what_if nothing = {.trace = trace};
        ps_drift_told told = {0};
        ps_error err = {0};
        options->reports.intervals.row[0] = "solve,output";
        options->reports.intervals.n = 1;
        assert_int_equal(ps_drift_limit(&told.drift.limit, options->predict.max_drift, "1%", &err), PS_OK);
        ps_scenario_init(&nothing.scenario);
        assert_int_equal(ps_replays_make(&replays, trace, &nothing, 1, &err), PS_OK);
        ps_replayed *run = &replays.run[PS_REPLAYED_RECORDED];
        for (ps_loc r = 0; r < 2; r++) {
                run->timing->leave[r][0] += first * US;
                run->timing->enter[r][1] += first * US;
                run->end[r] += last * US;
        }
        run->total += last * US;
        ps_retimed_clear(&replays.tree[PS_REPLAYED_RECORDED]);
        assert_int_equal(ps_retime(&replays.tree[PS_REPLAYED_RECORDED], trace, run->timing, NULL, run->end,
                                   NULL, NULL, 1, &err),
                         PS_OK);
        run->timing->info = replays.tree[PS_REPLAYED_RECORDED].info;
        assert_int_equal(ps_drift_measure(&told, options, &replays, &err), PS_OK);
        ps_replays_clear(&replays);
        return told;
}

static ps_exit judged(const ps_drift_told *told, ps_options *options, ps_exit code)
{
        options->terminal.quiet = 1;
        ps_drift_judge(told, options, &code);
        return code;
}

TEST(an_exact_replay_has_no_drift)
{
        ps_trace *trace = two_phases();
        ps_options options = {.predict.max_drift = "0%"};
        ps_drift_told told = drift_with(trace, &options, 0, 0);
        assert_true(told.drift.total == 0 && told.drift.rank == 0 && told.drift.interval == 0);
        assert_int_equal(judged(&told, &options, PS_EXIT_OK), PS_EXIT_OK);
        ps_trace_close(trace);
}

/* 5 us of 100 are taken from the first barrier and given to the second: neither the run nor a rank is longer,
 * but `solve` is 35 instead of 40. */
TEST(an_interval_drifts_although_the_run_does_not)
{
        ps_trace *trace = two_phases();
        ps_options options = {0};
        ps_drift_told told = drift_with(trace, &options, -5, 0);
        assert_true(told.drift.total == 0 && told.drift.rank == 0);
        assert_true(fabs(told.drift.interval + 0.05) < 1e-9);
        assert_non_null(strstr(told.worst_interval, "solve"));
        assert_int_equal(judged(&told, &options, PS_EXIT_OK), PS_EXIT_PARTIAL);
        assert_int_equal(judged(&told, &options, PS_EXIT_GATE), PS_EXIT_GATE);
        options.limits.allow_partial = 1;
        assert_int_equal(judged(&told, &options, PS_EXIT_OK), PS_EXIT_OK);
        options = (ps_options){.predict.max_drift = "5.1%"};
        told = drift_with(trace, &options, -5, 0);
        assert_int_equal(judged(&told, &options, PS_EXIT_OK), PS_EXIT_OK);
        ps_trace_close(trace);
}

/* All end 2 us late: 2 %. */
TEST(a_late_end_is_the_drift_of_the_run)
{
        ps_trace *trace = two_phases();
        ps_options options = {0};
        ps_drift_told told = drift_with(trace, &options, 0, 2);
        assert_true(fabs(told.drift.total - 0.02) < 1e-9 && fabs(told.drift.rank - 0.02) < 1e-9);
        assert_int_equal(judged(&told, &options, PS_EXIT_OK), PS_EXIT_PARTIAL);
        options.predict.max_drift = "2.1%";
        told = drift_with(trace, &options, 0, 2);
        assert_int_equal(judged(&told, &options, PS_EXIT_OK), PS_EXIT_OK);
        ps_trace_close(trace);
}
