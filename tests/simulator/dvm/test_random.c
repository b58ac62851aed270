/* test_random.c - random programs on random grids and machines: what holds of every run. */
#include "tests/reader/dvm/lab.h"
#include "tests/simulator/dvm/random.h"
#include "tests/simulator/dvm/runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = SANITIZED ? 150 : 600, STEPS = 30, MANY = PROGRAMS * 5 / 6 };

static ps_grid random_grid(uint64_t *state)
{
        ps_grid grid = {.rank = 1 + (uint32_t)random_below(state, 3)};
        for (uint32_t v = 0; v < grid.rank; v++)
                grid.size[v] = 1 + (uint32_t)random_below(state, grid.rank == 3 ? 3 : 6);
        return grid;
}

static ps_machine random_machine(uint64_t *state)
{
        static const ps_model models[] = {PS_MODEL_BUS, PS_MODEL_TRANSPUTER, PS_MODEL_MYRINET,
                                          PS_MODEL_HOCKNEY, PS_MODEL_LOGGP};
        ps_machine machine = dvm_machine(models[random_below(state, 5)]);
        machine.channels = 1 + (uint32_t)random_below(state, 4);
        machine.cpu_ratio = random_below(state, 2) ? 1 : 4;
        return machine;
}

/* Nothing is done that the program did not do, and nothing is left out: rounding is a picosecond at a time.
 */
static void check_work(const ps_dvm_run *run, double cpu_s, double system_s, double ratio)
{
        const ps_interval_sums *s = &run->intervals->row[0].sums;
        if (fabs(s->productive_cpu_s - cpu_s / ratio) > 1e-7)
                fail_msg("calculated %.12g s instead of %.12g s", s->productive_cpu_s, cpu_s / ratio);
        if (fabs(s->productive_system_s + s->io_s - system_s / ratio) > 1e-7)
                fail_msg("in the run-time system for %.12g s instead of %.12g s",
                         s->productive_system_s + s->io_s, system_s / ratio);
        assert_true(s->execution_s >= (double)run->duration * 1e-12 - 1e-9);
        assert_true(s->efficiency <= 1 + 1e-9);
}

static void check_same(const ps_dvm_run *a, const ps_dvm_run *b)
{
        assert_int_equal(a->duration, b->duration);
        assert_int_equal(a->messages, b->messages);
        assert_int_equal(a->bytes, b->bytes);
        assert_int_equal(a->intervals->n, b->intervals->n);
        for (uint32_t i = 0; i < a->intervals->n; i++)
                assert_memory_equal(&a->intervals->row[i].sums, &b->intervals->row[i].sums,
                                    sizeof(ps_interval_sums));
}

static void check_recording(ps_dvm_run *run)
{
        ps_trace *trace;
        ps_error err = {0};
        if (ps_recording_load(&trace, run->recording, NULL, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (trace->issues.row[kind].count)
                        fail_msg("%s", ps_issue_infos[kind].name);
        assert_int_equal(trace->clock.violations, 0);
        assert_int_equal(trace->measured.duration, run->duration);
        dvm_check_trace_intervals(run, trace);
        ps_trace_close(trace);
}

/* What the programs of a whole test did: one that does nothing proves nothing. */
struct coverage {
        uint64_t operations[PS_IC_COUNT], messages, notes[PS_DVM_NOTES];
        double communication_s[PS_IC_COUNT], overlap_s, variation_s, imbalance_s;
        uint32_t n_intervals;
};

static void add_to(struct coverage *c, const ps_dvm_run *run)
{
        const ps_interval_sums *s = &run->intervals->row[0].sums;
        for (int k = 0; k < PS_IC_COUNT; k++) {
                c->operations[k] += s->count[k];
                c->communication_s[k] += s->communication_s[k];
        }
        for (int k = 0; k < PS_DVM_NOTES; k++)
                c->notes[k] += run->note[k].count;
        c->messages += run->messages;
        c->overlap_s += s->overlap_all_s;
        c->variation_s += s->variation_all_s;
        c->imbalance_s += s->imbalance_s;
        c->n_intervals += run->intervals->n;
}

static void check_coverage(const struct coverage *c)
{
        static const ps_interval_class moving[] = {PS_IC_REDUCTION, PS_IC_SHADOW, PS_IC_REMOTE_ACCESS,
                                                   PS_IC_REDISTRIBUTION};
        static const double much_s = PROGRAMS / 6000.0;
        for (size_t i = 0; i < sizeof(moving) / sizeof(*moving); i++) {
                assert_true(c->operations[moving[i]] > MANY);
                assert_true(c->communication_s[moving[i]] > much_s);
        }
        assert_true(c->operations[PS_IC_IO] > MANY && c->messages > 40 * MANY && c->n_intervals > MANY);
        assert_true(c->overlap_s > much_s && c->variation_s > much_s / 5 && c->imbalance_s > much_s);
        assert_true(c->notes[PS_DVM_NOTE_SHAPE] > 0);
        assert_int_equal(c->notes[PS_DVM_NOTE_WEIGHTS], 0);
        assert_int_equal(c->notes[PS_DVM_NOTE_UNMAPPED], 0);
        assert_int_equal(c->notes[PS_DVM_NOTE_UNSTARTED], 0);
}

static void run_program(uint64_t seed, struct coverage *coverage)
{
        uint64_t state = seed;
        random_dvm program = {.seed = seed, .steps = STEPS, .grid = random_grid(&state), .fixed_grid = 1};
        ps_machine machine = random_machine(&state);
        double cpu_s, system_s;
        char *text = random_dvm_text(&program, &cpu_s, &system_s);
        ps_dvm *dvm = dvm_read_text(text);
        ps_dvm_options options = {.grid = program.grid,
                                  .pipelining = (ps_pipelining)random_below(&state, 3),
                                  .loops = (ps_dvm_loops)random_below(&state, 3)};
        ps_dvm_run quiet, recorded;
        dvm_simulate_on(&quiet, dvm, &machine, &options);
        options.record = 1;
        dvm_simulate_on(&recorded, dvm, &machine, &options);
        check_work(&quiet, cpu_s, system_s, machine.cpu_ratio);
        check_same(&quiet, &recorded);
        check_recording(&recorded);
        add_to(coverage, &quiet);
        ps_dvm_run_clear(&quiet);
        ps_dvm_run_clear(&recorded);
        ps_dvm_free(dvm);
        ps_machine_clear(&machine);
        free(text);
}

TEST(what_holds_of_every_run)
{
        const char *only = getenv("PATSCAN_TEST_SEED");
        struct coverage coverage = {0};
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                if (!only || strtoull(only, NULL, 10) == seed)
                        run_program(seed, &coverage);
        }
        if (!only)
                check_coverage(&coverage);
}

/* On one processor nobody waits: the run takes as long as the sequential one. */
TEST(one_processor_is_the_sequential_run)
{
        for (uint64_t seed = 1; seed <= 100; seed++) {
                random_dvm program = {.seed = seed, .steps = STEPS, .grid = {2, {2, 3}}, .fixed_grid = 0};
                double cpu_s, system_s;
                char *text = random_dvm_text(&program, &cpu_s, &system_s);
                ps_dvm *dvm = dvm_read_text(text);
                ps_dvm_run run;
                const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {1}});
                DVM_NEAR(s->execution_s, cpu_s + system_s);
                DVM_NEAR(s->lost_s, 0);
                assert_int_equal(run.messages, 0);
                ps_dvm_run_clear(&run);
                ps_dvm_free(dvm);
                free(text);
        }
}
