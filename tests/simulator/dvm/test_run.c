/* test_run.c - simulated runs of three small programs, against results worked out by hand and printed by
 * the Predictor of the DVM system (start time 75 us, 0.2 us a byte). */
#include "tests/reader/dvm/lab.h"
#include "tests/simulator/dvm/runs.h"
#include "tests/support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(jacobi_on_2x2)
{
        ps_dvm *dvm = dvm_program(dvm_sample_jacobi());
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {2, 2}});
        DVM_NEAR(s->execution_s, .0076216);
        DVM_NEAR(s->total_s, .0304864);
        DVM_NEAR(s->productive_s, .02184);
        DVM_NEAR(s->productive_cpu_s, .0218);
        DVM_NEAR(s->productive_system_s, .00004);
        DVM_NEAR(s->insufficient_s, .00072);
        DVM_NEAR(s->communication_all_s, .0079264);
        DVM_NEAR(s->communication_s[PS_IC_REDUCTION], .0027168);
        DVM_NEAR(s->communication_s[PS_IC_SHADOW], .0052096);
        DVM_NEAR(s->overlap_all_s, .00096);
        DVM_NEAR(s->idle_s, 0);
        DVM_NEAR(s->efficiency, .716385011);
        const ps_interval *interval = &run.intervals->row[1];
        assert_int_equal(run.intervals->n, 2);
        assert_int_equal(interval->count, 2);
        assert_int_equal(interval->level, 1);
        assert_int_equal(interval->key.line, 20);
        assert_int_equal(interval->key.index, 1);
        ps_dvm_run_clear(&run);

        s = dvm_simulate(&run, dvm, PS_MODEL_TRANSPUTER, (ps_grid){2, {2, 2}});
        DVM_NEAR(s->execution_s, .0061756);
        DVM_NEAR(s->communication_s[PS_IC_REDUCTION], .0014912);
        DVM_NEAR(s->communication_s[PS_IC_SHADOW], .0006512);
        DVM_NEAR(s->efficiency, .884124619);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

TEST(jacobi_on_4x1)
{
        ps_dvm *dvm = dvm_program(dvm_sample_jacobi());
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {4, 1}});
        DVM_NEAR(s->execution_s, .0091728);
        DVM_NEAR(s->synchronization_all_s, .0048);
        DVM_NEAR(s->idle_s, .0024);
        DVM_NEAR(s->imbalance_s, .0072);
        DVM_NEAR(s->communication_s[PS_IC_REDUCTION], .0075168);
        DVM_NEAR(s->communication_s[PS_IC_SHADOW], .0042144);
        DVM_NEAR(s->efficiency, .595238095);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

TEST(gauss_on_4)
{
        ps_dvm *dvm = dvm_program(dvm_sample_gauss());
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {4}});
        DVM_NEAR(s->communication_s[PS_IC_REMOTE_ACCESS], .0019274);
        DVM_NEAR(s->execution_s, .0087704);
        DVM_NEAR(s->efficiency, .621408374);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

TEST(realign_on_4)
{
        ps_dvm *dvm = dvm_program(dvm_sample_realign());
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {4}});
        DVM_NEAR(s->execution_s, .0042072);
        DVM_NEAR(s->communication_s[PS_IC_REDISTRIBUTION], .0048288);
        DVM_NEAR(s->idle_s, .004);
        DVM_NEAR(s->efficiency, .475375547);
        ps_dvm_run_clear(&run);
        s = dvm_simulate(&run, dvm, PS_MODEL_TRANSPUTER, (ps_grid){1, {4}});
        DVM_NEAR(s->execution_s, .0033018);
        DVM_NEAR(s->efficiency, .605730208);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

/* -- single calls -- */

static void call_getlen(dvm_text *t)
{
        dvm_call(t, "getlen_", .1, .02, 31, "ArrayHeader=a1; ArrayHandlePtr=a10;\n", "Res=4;\n");
}

TEST(ordinary_calls_are_done_by_all)
{
        ps_dvm *dvm = dvm_program_with(8, 8, 2, 1, call_getlen);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {4}});
        DVM_NEAR(s->productive_cpu_s, .1);
        DVM_NEAR(s->productive_system_s, .02);
        DVM_NEAR(s->insufficient_cpu_s, .3);
        DVM_NEAR(s->insufficient_system_s, .06);
        DVM_NEAR(s->execution_s, .12);
        DVM_NEAR(s->total_s, .48);
        DVM_NEAR(s->efficiency, .25);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

static void loop(dvm_text *t, const int first[2], const int last[2], double in)
{
        dvm_map_loop(t, 'a', 40, first, last);
        dvm_call(t, "dopl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        dvm_call(t, "dopl_", 1, in, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
        dvm_call(t, "endpl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "");
}

static void loop_of_ten(dvm_text *t)
{
        loop(t, (int[]){0, 0}, (int[]){9, 0}, .5);
}

TEST(iterations_go_where_their_elements_are)
{
        ps_dvm *dvm = dvm_program_with(10, 1, 1, 1, loop_of_ten);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {4}});
        static const double cpu[] = {.2, .3, .2, .3};
        DVM_NEAR(s->execution_s, .8);
        DVM_NEAR(s->idle_s, .2);
        DVM_NEAR(s->imbalance_s, .2);
        DVM_NEAR(s->productive_s, 1.5);
        DVM_NEAR(s->lost_s, 1.7);
        DVM_NEAR(s->efficiency, .46875);
        for (uint32_t p = 0; p < 4; p++) {
                ps_interval_sums one;
                ps_interval_processor(run.intervals, 0, p, &one);
                DVM_NEAR(one.cpu_s, cpu[p]);
        }
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

static void loop_of_eight(dvm_text *t)
{
        loop(t, (int[]){0, 0}, (int[]){7, 0}, 0);
}

TEST(copies_of_iterations_are_lost)
{
        ps_dvm *dvm = dvm_program_with(8, 1, 1, 1, loop_of_eight);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {2, 2}});
        DVM_NEAR(s->execution_s, .5);
        DVM_NEAR(s->insufficient_cpu_s, 1.0);
        DVM_NEAR(s->efficiency, .5);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

static void inner_loop(dvm_text *t)
{
        loop(t, (int[]){1, 1}, (int[]){6, 6}, 0);
}

/* Blocks of 2, 3 and 3 rows; the loop leaves out the first and the last. */
TEST(a_loop_over_the_inside)
{
        ps_dvm *dvm = dvm_program_with(8, 8, 2, 1, inner_loop);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {3, 1}});
        DVM_NEAR(s->execution_s, .5);
        DVM_NEAR(s->idle_s, .5);
        DVM_NEAR(s->efficiency, 2.0 / 3);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

static void copy(dvm_text *t, const char *to, int from_first, int from_last, int to_first, int to_last)
{
        char params[1024];
        int n = snprintf(params, sizeof(params),
                         "FromArrayHeader=a1; FromArrayHandlePtr=a10; %s; CopyRegim=0;\n"
                         "FromInitIndexArray[0]=%d; FromInitIndexArray[1]=0;\n"
                         "FromLastIndexArray[0]=%d; FromLastIndexArray[1]=0;\n"
                         "FromStepArray[0]=1; FromStepArray[1]=1;\n",
                         to, from_first, from_last);
        if (to_first >= 0)
                snprintf(params + n, sizeof(params) - (size_t)n,
                         "ToInitIndexArray[0]=%d; ToInitIndexArray[1]=0;\n"
                         "ToLastIndexArray[0]=%d; ToLastIndexArray[1]=0;\n"
                         "ToStepArray[0]=1; ToStepArray[1]=1;\n",
                         to_first, to_last);
        dvm_call(t, "arrcpy_", 0, 0, 50, params, "Res=8;\n");
}

static void copy_to_buffer(dvm_text *t)
{
        copy(t, "ToBufferPtr=7ff0", 0, 7, -1, -1);
}

static void copy_along(dvm_text *t)
{
        copy(t, "ToArrayHeader=b1; ToArrayHandlePtr=b10", 0, 5, 2, 7);
}

/* Eight doubles on four: everybody sends 16 bytes to the three others; six of them two further up: from each
 * to the next one. */
TEST(copies_cost_what_processors_lack)
{
        static const struct {
                void (*calls)(dvm_text *t);
                ps_model model;
                double each_s;
        } cases[] = {{copy_to_buffer, PS_MODEL_BUS, 938.4e-6},
                     {copy_to_buffer, PS_MODEL_TRANSPUTER, 234.6e-6},
                     {copy_along, PS_MODEL_BUS, 234.6e-6},
                     {copy_along, PS_MODEL_TRANSPUTER, 78.2e-6}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_dvm *dvm = dvm_program_with(8, 1, 1, 2, cases[i].calls);
                ps_dvm_run run;
                const ps_interval_sums *s = dvm_simulate(&run, dvm, cases[i].model, (ps_grid){1, {4}});
                DVM_NEAR(s->execution_s, cases[i].each_s);
                DVM_NEAR(s->communication_s[PS_IC_REMOTE_ACCESS], 4 * cases[i].each_s);
                assert_int_equal(s->count[PS_IC_REMOTE_ACCESS], 1);
                ps_dvm_run_clear(&run);
                ps_dvm_free(dvm);
        }
}

/* Of 4 x 4 the processors from (0, 2) to (3, 3), as a subtask: only they have the time of the call in it. */
static void subtask(dvm_text *t)
{
        dvm_call(t, "crtps_", 0, 0, 60,
                 "PSRefPtr=NULL; PSRef=0; StaticSign=0;\nInitIndexArray[0]=0; InitIndexArray[1]=2;\n"
                 "LastIndexArray[0]=3; LastIndexArray[1]=3;\n",
                 "PSRef=dd;\n");
        dvm_call(t, "getamr_", 0, 0, 61, "AMViewRefPtr=2; AMViewRef=bb;\nIndexArray[0]=0; IndexArray[1]=0;\n",
                 "AMRef=ab;\n");
        dvm_call(t, "mapam_", 0, 0, 62, "AMRefPtr=4; AMRef=ab; PSRefPtr=5; PSRef=dd;\n", "");
        dvm_call(t, "runam_", 0, 0, 63, "AMRefPtr=4; AMRef=ab;\n", "Run=1;\n");
        dvm_call(t, "getlen_", .1, 0, 64, "ArrayHeader=a1; ArrayHandlePtr=a10;\n", "Res=4;\n");
        dvm_call(t, "stopam_", 0, 0, 65, "", "");
}

TEST(subtasks_run_on_a_part)
{
        static const unsigned members =
                1u << 2 | 1u << 3 | 1u << 6 | 1u << 7 | 1u << 10 | 1u << 11 | 1u << 14 | 1u << 15;
        ps_dvm *dvm = dvm_program_with(8, 8, 2, 1, subtask);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {4, 4}});
        for (uint32_t p = 0; p < 16; p++) {
                ps_interval_sums one;
                ps_interval_processor(run.intervals, 0, p, &one);
                DVM_NEAR(one.cpu_s, members >> p & 1 ? .1 : 0);
                DVM_NEAR(one.insufficient_cpu_s, members >> p & 1 ? .1 * 7 / 8 : 0);
                DVM_NEAR(one.idle_s, members >> p & 1 ? 0 : .1);
        }
        DVM_NEAR(s->execution_s, .1);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

/* -- the run as a trace -- */

TEST(the_trace_is_the_run)
{
        char *(*const samples[])(void) = {dvm_sample_gauss, dvm_sample_jacobi, dvm_sample_realign};
        static const uint64_t messages[] = {0, 2 * 8, 0},
                              collectives[] = {1, 2 * 3 + 1, 1 + 1}; /* the end is one */
        for (int i = 0; i < 3; i++) {
                ps_dvm *dvm = dvm_program(samples[i]());
                ps_dvm_run run;
                ps_trace *trace;
                ps_error err = {0};
                dvm_simulate(&run, dvm, PS_MODEL_BUS, i == 1 ? (ps_grid){2, {2, 2}} : (ps_grid){1, {4}});
                assert_int_equal(ps_recording_load(&trace, run.recording, NULL, &err), PS_OK);
                for (int kind = 0; kind < PS_I_COUNT; kind++)
                        if (trace->issues.row[kind].count)
                                fail_msg("sample %d: %s", i, ps_issue_infos[kind].name);
                assert_int_equal(trace->clock.violations, 0);
                assert_int_equal(trace->n_locs, 4);
                assert_int_equal(trace->measured.duration, run.duration);
                assert_int_equal(trace->n_messages, messages[i]);
                assert_int_equal(trace->n_colls, collectives[i]);
                ps_trace_close(trace);
                ps_dvm_run_clear(&run);
                ps_dvm_free(dvm);
        }
}

/* Wherever the program ends, what it had begun ends with it. */
TEST(a_run_that_breaks_off_is_closed)
{
        char *text = dvm_sample_jacobi();
        const char *begin = strstr(text, "call_binter_");
        assert_non_null(begin);
        for (size_t n = (size_t)(begin - text); n < strlen(text); n += 211) {
                ps_dvm *dvm = dvm_read_bytes(text, n, 0, 1);
                ps_dvm_run run;
                ps_trace *trace;
                ps_error err = {0};
                dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {2, 2}});
                assert_int_equal(ps_recording_load(&trace, run.recording, NULL, &err), PS_OK);
                assert_int_equal(trace->issues.row[PS_I_NEST_STRAY_LEAVE].count, 0);
                assert_int_equal(trace->issues.row[PS_I_NEST_LEAVE].count, 0);
                assert_int_equal(trace->issues.row[PS_I_NEST_OPEN].count, 0);
                ps_trace_close(trace);
                ps_dvm_run_clear(&run);
                ps_dvm_free(dvm);
        }
        free(text);
}
