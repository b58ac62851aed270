/* test_losses.c - what was lost where in a simulated run, by hand: findings by place, and loops as intervals.
 */
#include "patterns/engine/engine.h"
#include "tests/simulator/dvm/runs.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

typedef struct lost_run {
        ps_dvm *dvm;
        ps_dvm_run run;
        ps_trace *trace;
        ps_analysis *analysis;
} lost_run;

static void lost_run_make(lost_run *r, char *text, ps_grid grid)
{
        ps_machine machine = dvm_machine(PS_MODEL_BUS);
        ps_dvm_options options = {.grid = grid, .loops = PS_DVM_LOOPS_ALONE, .record = 1};
        const ps_analysis_options how = {.epsilon = 0};
        ps_error err = {0};
        r->dvm = dvm_program(text);
        dvm_simulate_on(&r->run, r->dvm, &machine, &options);
        ps_machine_clear(&machine);
        assert_int_equal(ps_recording_load(&r->trace, r->run.recording, NULL, &err), PS_OK);
        assert_int_equal(ps_analyse(&r->analysis, r->trace, &r->trace->measured, &how, &err), PS_OK);
}

static void lost_run_clear(lost_run *r)
{
        ps_analysis_free(r->analysis);
        ps_trace_close(r->trace);
        ps_dvm_run_clear(&r->run);
        ps_dvm_free(r->dvm);
}

/* In all findings of the pattern whose call stands in this line. */
static double lost_at(const lost_run *r, const char *pattern, uint32_t line)
{
        uint32_t id = ps_pattern_find(pattern);
        ps_time sum = 0;
        assert_true(id != PS_NONE);
        for (uint32_t i = 0; i < r->analysis->n_findings; i++) {
                const ps_finding *f = &r->analysis->findings[i];
                if (f->pattern == id && r->trace->paths[f->path].site_line == line)
                        sum += f->lost;
        }
        return (double)sum * 1e-12;
}

static void check_interval(const ps_intervals *tree, uint32_t line, double execution, double productive,
                           double insufficient, double communication, double idle)
{
        for (uint32_t i = 1; i < tree->n; i++) {
                const ps_interval_sums *s = &tree->row[i].sums;
                if (tree->row[i].key.line != line)
                        continue;
                assert_int_equal(tree->row[i].key.type, PS_INTERVAL_PARALLEL);
                DVM_NEAR(s->execution_s, execution);
                DVM_NEAR(s->productive_s, productive);
                DVM_NEAR(s->insufficient_s, insufficient);
                DVM_NEAR(s->communication_all_s, communication);
                DVM_NEAR(s->idle_s, idle);
                return;
        }
        fail_msg("no interval in line %u", line);
}

/* 16 x 16 on 2 x 2, rows cut in two, each half on two processors. The loop in line 20 (4 ms over half of the
 * columns) takes each of them 2 ms, of which one of two is useful. After the arrays lie by columns, all
 * iterations of the loop in line 28 are on two processors, 4 ms each; the others have none. Between, each
 * processor gets 64 of its 128 elements from the one above or below: 4 messages of 512 bytes, 177.4 us each.
 */
TEST(every_loss_has_a_place)
{
        lost_run r;
        lost_run_make(&r, dvm_sample_realign(), (ps_grid){2, {2, 2}});
        DVM_NEAR(lost_at(&r, "dvm-insufficient-parallelism", 20), 4e-3);
        DVM_NEAR(lost_at(&r, "dvm-insufficient-parallelism", 28), 4e-3);
        DVM_NEAR(lost_at(&r, "dvm-redistribution", 24), 4 * 4 * 177.4e-6);
        DVM_NEAR(lost_at(&r, "region-imbalance", 28), 2 * 2e-3); /* 4 ms, and 2 on average */
        DVM_NEAR(lost_at(&r, "finalize-wait", 99), 2 * 4e-3);
        lost_run_clear(&r);
}

/* The whole run is what it is without them; a loop is as long as its longest processor. */
TEST(loops_are_intervals_where_there_are_none)
{
        lost_run r;
        lost_run_make(&r, dvm_sample_realign(), (ps_grid){2, {2, 2}});
        const ps_intervals *tree = r.run.intervals;
        assert_int_equal(tree->n, 3);
        check_interval(tree, 20, 2e-3, 4e-3, 4e-3, 0, 0);
        check_interval(tree, 28, 4e-3, 4e-3, 4e-3, 0, 8e-3);
        DVM_NEAR(tree->row[0].sums.execution_s, 6e-3 + 4 * 177.4e-6);
        DVM_NEAR(tree->row[0].sums.lost_s, 8e-3 + 16 * 177.4e-6 + 8e-3);
        dvm_check_trace_intervals(&r.run, r.trace);
        lost_run_clear(&r);
}

/* What the documents' worked examples say of the whole run holds with and without loops as intervals. */
TEST(loops_change_nothing_of_the_whole_run)
{
        lost_run r;
        lost_run_make(&r, dvm_sample_gauss(), (ps_grid){1, {4}});
        DVM_NEAR(r.run.intervals->row[0].sums.execution_s, .0087704);
        DVM_NEAR(r.run.intervals->row[0].sums.communication_s[PS_IC_REMOTE_ACCESS], .0019274);
        DVM_NEAR(lost_at(&r, "dvm-remote-access", 20), .0019274);
        assert_int_equal(r.run.intervals->n, 2);
        assert_int_equal(r.run.intervals->row[1].count, 3);
        lost_run_clear(&r);
}

/* A program with intervals of its own keeps them. 0.1 ms before and 0.02 ms in getlen_, twice, on four: three
 * quarters are lost. Two reductions of 339.6 us and two exchanges of 651.2 us on each; the former are under
 * way for 120 us longer, so that only what is left is waited. */
TEST(sequential_code_and_exchanges_have_places)
{
        lost_run r;
        lost_run_make(&r, dvm_sample_jacobi(), (ps_grid){2, {2, 2}});
        assert_int_equal(r.run.intervals->n, 2);
        assert_int_equal(r.run.intervals->row[1].key.type, PS_INTERVAL_USER);
        DVM_NEAR(lost_at(&r, "dvm-insufficient-parallelism", 25), 2 * 4 * .12e-3 * 3 / 4);
        DVM_NEAR(lost_at(&r, "dvm-reduction", 25), .0027168);
        DVM_NEAR(lost_at(&r, "dvm-shadow", 29), .0052096);
        dvm_check_trace_intervals(&r.run, r.trace);
        lost_run_clear(&r);
}

/* All time of all processors, in the words of all reports. */
TEST(all_time_adds_up)
{
        char *(*const samples[])(void) = {dvm_sample_gauss, dvm_sample_jacobi, dvm_sample_realign};
        for (int i = 0; i < 3; i++) {
                lost_run r;
                ps_times *times;
                ps_error err = {0};
                lost_run_make(&r, samples[i](), (ps_grid){2, {2, 2}});
                assert_int_equal(ps_times_make(&times, r.trace, &r.trace->measured, r.analysis->moves, &err),
                                 PS_OK);
                assert_int_equal(times->all, 4 * r.run.duration);
                assert_int_equal(times->sum[PS_TIME_UNEXPLAINED], 0);
                assert_int_equal(times->sum[PS_TIME_NOT_RUNNING], 0);
                ps_times_free(times);
                lost_run_clear(&r);
        }
}
