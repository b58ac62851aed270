/* test_intervals.c - intervals of a measured run, against sums done by hand.
 *
 * Two processes, times in ms. Process 0: main 0..20, solve 2..12 with a send 8..9, solve 14..16. Process 1:
 * main 0..18, solve 2..11 with a receive 3..10, and a barrier 12..17 outside; process 0 has it 17..18. */
#include "core/load/recording.h"
#include "patterns/engine/intervals.h"
#include "patterns/engine/measure.h"
#include "tests/support/analysed.h"
#include "tests/support/made_up.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include <math.h>
#include <string.h>

static const ps_time ms = PS_PS_PER_S / 1000;

enum { MAIN, SOLVE, SEND, RECV, BARRIER, ISEND, WAIT, REGIONS };

static ps_recording *new_recording(void)
{
        static const char *const regions[] = {"main",        "solve",     "MPI_Send", "MPI_Recv",
                                              "MPI_Barrier", "MPI_Isend", "MPI_Wait"};
        ps_recording *r = made_up_recording(2);
        made_up_regions(r, regions, REGIONS, PS_PARADIGM_USER);
        return r;
}

static void add(ps_recording *r, ps_loc location, int64_t at, ps_event event)
{
        event.time = at * ms;
        made_up_event(r, location, event);
}

static void enter(ps_recording *r, ps_loc location, int64_t at, ps_region region)
{
        add(r, location, at, (ps_event){.kind = PS_EV_ENTER, .ref = region});
}

static void leave(ps_recording *r, ps_loc location, int64_t at, ps_region region)
{
        add(r, location, at, (ps_event){.kind = PS_EV_LEAVE, .ref = region});
}

static void barrier(ps_recording *r, ps_loc location, int64_t from, int64_t to)
{
        enter(r, location, from, BARRIER);
        add(r, location, from, (ps_event){.kind = PS_EV_COLL_BEGIN});
        add(r, location, to, (ps_event){.kind = PS_EV_COLL_END, .op = PS_K_BARRIER, .peer = PS_NONE});
        leave(r, location, to, BARRIER);
}

static ps_trace *run(void)
{
        ps_recording *r = new_recording();
        ps_trace *trace;
        ps_error err = {0};
        enter(r, 0, 0, MAIN);
        enter(r, 0, 2, SOLVE);
        enter(r, 0, 8, SEND);
        add(r, 0, 8, (ps_event){.kind = PS_EV_SEND, .peer = 1, .bytes = 8});
        leave(r, 0, 9, SEND);
        leave(r, 0, 12, SOLVE);
        enter(r, 0, 14, SOLVE);
        leave(r, 0, 16, SOLVE);
        barrier(r, 0, 17, 18);
        leave(r, 0, 20, MAIN);
        enter(r, 1, 0, MAIN);
        enter(r, 1, 2, SOLVE);
        enter(r, 1, 3, RECV);
        add(r, 1, 10, (ps_event){.kind = PS_EV_RECV, .peer = 0, .bytes = 8});
        leave(r, 1, 10, RECV);
        leave(r, 1, 11, SOLVE);
        barrier(r, 1, 12, 18);
        leave(r, 1, 18, MAIN);
        assert_int_equal(ps_recording_load(&trace, r, NULL, &err), PS_OK);
        ps_recording_free(r);
        return trace;
}

static void near(double value, double expected, const char *what)
{
        if (fabs(value - expected) > 1e-12)
                fail_msg("%s is %.12g, not %.12g", what, value, expected);
}
#define NEAR(value, expected) near((value), (expected), #value)

static void start(ps_recording *r, int64_t from, int64_t to, uint64_t request)
{
        enter(r, 0, from, ISEND);
        add(r, 0, from, (ps_event){.kind = PS_EV_ISEND, .peer = 1, .bytes = 8, .request = request});
        leave(r, 0, to, ISEND);
}

static void complete(ps_recording *r, int64_t from, int64_t to, uint64_t request)
{
        enter(r, 0, from, WAIT);
        add(r, 0, to, (ps_event){.kind = PS_EV_ISEND_DONE, .request = request});
        leave(r, 0, to, WAIT);
}

/* Process 0: messages go on from 2 to 9 and from 7 to 13, the second one until it is waited for in solve; of
 * that it is in calls from 6 to 7 and 9 to 10. Process 1 leaves the barrier 1 ms before process 0. */
static ps_trace *overlapping(void)
{
        ps_recording *r = new_recording();
        ps_trace *trace;
        ps_error err = {0};
        enter(r, 0, 0, MAIN);
        start(r, 1, 2, 1);
        start(r, 6, 7, 2);
        complete(r, 9, 10, 1);
        enter(r, 0, 10, SOLVE);
        complete(r, 13, 14, 2);
        leave(r, 0, 14, SOLVE);
        barrier(r, 0, 15, 18);
        leave(r, 0, 20, MAIN);
        enter(r, 1, 0, MAIN);
        for (int64_t at = 3; at <= 8; at += 5) {
                enter(r, 1, at, RECV);
                add(r, 1, at + 4, (ps_event){.kind = PS_EV_RECV, .peer = 0, .bytes = 8});
                leave(r, 1, at + 4, RECV);
        }
        barrier(r, 1, 16, 17);
        leave(r, 1, 20, MAIN);
        assert_int_equal(ps_recording_load(&trace, r, NULL, &err), PS_OK);
        ps_recording_free(r);
        return trace;
}

TEST(what_goes_on_behind_computation_is_overlap)
{
        static const char *const names[] = {"solve"};
        ps_trace *trace = overlapping();
        ps_intervals *tree;
        assert_int_equal(ps_intervals_of(&tree, trace, &trace->measured, NULL, names, 1, 1, NULL), PS_OK);
        assert_true(tree->known & PS_KNOWS_OVERLAP && tree->known & PS_KNOWS_VARIATION);
        NEAR(tree->row[0].sums.overlap_s[PS_IC_POINT_TO_POINT], 0.004 + 0.002 + 0.003);
        NEAR(tree->row[1].sums.overlap_s[PS_IC_POINT_TO_POINT], 0.003);
        NEAR(tree->row[0].sums.overlap_s[PS_IC_COLLECTIVE], 0);
        NEAR(tree->row[0].sums.variation_s[PS_IC_COLLECTIVE], 0.001);
        NEAR(tree->row[1].sums.variation_s[PS_IC_COLLECTIVE], 0);
        ps_interval_sums sums;
        ps_interval_processor(tree, 0, 1, &sums);
        NEAR(sums.variation_s[PS_IC_COLLECTIVE], 0.001);
        NEAR(sums.overlap_all_s, 0);
        ps_intervals_free(tree);
        ps_trace_close(trace);
}

static ps_intervals *in_ranges(const ps_trace *trace, uint32_t range_ops, unsigned n_threads)
{
        static const char *const names[] = {"main"};
        struct measure m = {.trace = trace, .timing = &trace->measured, .range_ops = range_ops};
        ps_intervals *tree;
        ps_error err = {0};
        assert_int_equal(ps_intervals_measure(&tree, &m, NULL, names, 1, n_threads, &err), PS_OK);
        return tree;
}

/* Returns the overlap in all. */
static ps_time expect_same(const ps_intervals *whole, const ps_intervals *ranges)
{
        ps_time overlap = 0;
        assert_int_equal(whole->n, ranges->n);
        for (uint32_t i = 0; i < whole->n; i++) {
                const ps_interval *a = &whole->row[i], *b = &ranges->row[i];
                assert_memory_equal(a->operations, b->operations, sizeof(a->operations));
                assert_int_equal(!a->share, !b->share);
                for (uint32_t p = 0; a->share && p < whole->n_processors; p++) {
                        assert_memory_equal(&a->share[p], &b->share[p], sizeof(*a->share));
                        overlap += a->share[p].overlap[PS_IC_POINT_TO_POINT];
                }
        }
        return overlap;
}

/* Where few rows are looked at before a range, it does not know of all that goes on. */
TEST(locations_in_ranges_have_the_intervals_of_whole_ones)
{
        static const uint32_t range_ops[] = {1, 5, 100};
        ps_time overlap = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
                uint32_t n_messages, n_colls;
                ps_gen *g = random_program_write(&(random_program){.seed = seed, .ranks = 4, .steps = 300},
                                                 &n_messages, &n_colls);
                const ps_load_options options = {.n_threads = 1};
                ps_trace *trace;
                ps_error err = {0};
                assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, &err), PS_OK);
                ps_intervals *whole = in_ranges(trace, 0, 1);
                for (unsigned i = 0; i < 3; i++) {
                        ps_intervals *ranges = in_ranges(trace, range_ops[i], i + 1);
                        overlap += expect_same(whole, ranges);
                        ps_intervals_free(ranges);
                }
                ps_intervals_free(whole);
                ps_trace_close(trace);
                ps_gen_free(g);
        }
        assert_true(overlap > 0);
}

TEST(regions_are_intervals)
{
        static const char *const names[] = {"solve"};
        ps_trace *trace = run();
        ps_analysis *analysis = analysed(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        ps_intervals *tree;
        ps_interval_sums one;
        ps_error err = {0};
        assert_int_equal(ps_intervals_of(&tree, trace, &trace->measured, analysis, names, 1, 1, &err), PS_OK);
        assert_int_equal(tree->n, 2);
        const ps_interval_sums *solve = &tree->row[1].sums, *all = &tree->row[0].sums;
        assert_int_equal(tree->row[1].count, 2);
        assert_int_equal(tree->row[1].key.line, 10);
        assert_string_equal(ps_intervals_str(tree, tree->row[1].key.name), "solve");
        NEAR(solve->execution_s, .012); /* 10 + 2 against 9 */
        NEAR(solve->idle_s, .003);
        NEAR(solve->cpu_s, .011 + .002);
        NEAR(solve->imbalance_s, .009); /* 11 against 2 */
        NEAR(solve->communication_s[PS_IC_POINT_TO_POINT], .001 + .007);
        NEAR(solve->synchronization_s[PS_IC_POINT_TO_POINT], .005); /* 3 to 8 */
        assert_int_equal(solve->count[PS_IC_POINT_TO_POINT], 2);
        NEAR(all->execution_s, .020);
        NEAR(all->idle_s, .002);
        NEAR(all->communication_s[PS_IC_COLLECTIVE], .001 + .006);
        NEAR(all->synchronization_s[PS_IC_COLLECTIVE], .005); /* 12 to 17 */
        NEAR(all->cpu_s, .038 - .008 - .007);
        for (int i = 0; i < 2; i++)
                NEAR(tree->row[i].sums.total_s, tree->row[i].sums.productive_s + tree->row[i].sums.lost_s);
        ps_interval_processor(tree, 1, 1, &one);
        NEAR(one.execution_s, .009);
        NEAR(one.idle_s, .003);
        NEAR(one.cpu_s, .002);
        ps_intervals_free(tree);
        ps_analysis_free(analysis);
        ps_trace_close(trace);
}

TEST(without_names_there_is_the_whole_run)
{
        ps_trace *trace = run();
        ps_analysis *analysis = analysed(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        ps_intervals *tree;
        ps_error err = {0};
        assert_int_equal(ps_intervals_of(&tree, trace, &trace->measured, analysis, NULL, 0, 1, &err), PS_OK);
        assert_int_equal(tree->n, 1);
        NEAR(tree->row[0].sums.execution_s, .020);
        NEAR(tree->row[0].sums.communication_all_s, .015);
        ps_intervals_free(tree);
        ps_analysis_free(analysis);
        ps_trace_close(trace);
}

TEST(unknown_names_are_refused)
{
        static const char *const names[] = {"main,solve", "solve,slove"};
        ps_trace *trace = run();
        ps_analysis *analysis = analysed(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        ps_intervals *tree;
        ps_error err = {0};
        assert_int_equal(ps_intervals_of(&tree, trace, &trace->measured, analysis, names, 2, 1, &err),
                         PS_E_USAGE);
        assert_non_null(strstr(err.cause[0].text, "did you mean \"solve\"?"));
        assert_non_null(strstr(err.cause[1].text, "\"slove\""));
        assert_null(tree);
        assert_int_equal(ps_intervals_of(&tree, trace, &trace->measured, analysis, names, 1, 1, &err), PS_OK);
        assert_int_equal(tree->n, 3);
        ps_intervals_free(tree);
        ps_analysis_free(analysis);
        ps_trace_close(trace);
}

/* Of one process, from a trace that marks waiting: 0..10 ms in a receive that begins with 6 ms of it, then 4
 * ms outside of all operations, then 2 ms of main. */
TEST(what_the_trace_calls_idle_is_waiting)
{
        ps_recording *r = new_recording();
        ps_defs *defs = ps_recording_defs(r);
        ps_region_def region = {.name = ps_strings_addz(defs->strings, "idle"),
                                .paradigm = PS_PARADIGM_RECORDER};
        ps_region idle;
        ps_trace *trace;
        ps_intervals *tree;
        ps_error err = {0};
        assert_int_equal(ps_defs_add_region(defs, &region, &idle, &err), PS_OK);
        enter(r, 0, 0, MAIN);
        enter(r, 0, 0, RECV);
        enter(r, 0, 0, idle);
        leave(r, 0, 6, idle);
        leave(r, 0, 10, RECV);
        enter(r, 0, 10, idle);
        leave(r, 0, 14, idle);
        leave(r, 0, 16, MAIN);
        assert_int_equal(ps_recording_load(&trace, r, NULL, &err), PS_OK);
        ps_recording_free(r);
        ps_analysis *analysis = analysed(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        assert_int_equal(ps_intervals_of(&tree, trace, &trace->measured, analysis, NULL, 0, 1, &err), PS_OK);
        const ps_interval_sums *all = &tree->row[0].sums;
        NEAR(all->execution_s, .016);
        NEAR(all->cpu_s, .002);
        NEAR(all->system_s, 0);
        NEAR(all->communication_s[PS_IC_POINT_TO_POINT], .010);
        NEAR(all->communication_s[PS_IC_COLLECTIVE], .004);
        NEAR(all->synchronization_s[PS_IC_COLLECTIVE], .004);
        ps_intervals_free(tree);
        ps_analysis_free(analysis);
        ps_trace_close(trace);
}
