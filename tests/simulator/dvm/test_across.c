/* test_across.c - loops with dependences: a wave over the processors, worked out by hand. 8 x 8 doubles,
 * a loop over all of them that takes 8 ms on one processor; a message of n bytes takes 75 us and 0.2 us * n.
 */
#include "tests/simulator/dvm/runs.h"
#include "tests/support/test.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct across {
        int n_axes, step, type, with_old;
        const char *stages;
        int by_hand; /* recvsh_ and sendsh_ instead of across_ */
};

static void map_backwards(dvm_text *t)
{
        dvm_call(t, "crtpl_", 0, 0, 40, "Rank=2;\n", "LoopRef=cc;\n");
        dvm_call(t, "mappl_", 0, 0, 40,
                 "LoopRefPtr=3; LoopRef=cc; PatternRefPtr=a1; PatternRef=a10 (DisArray);\n"
                 "AxisArray[0]=1; AxisArray[1]=2;\nCoeffArray[0]=1; CoeffArray[1]=1;\n"
                 "ConstArray[0]=0; ConstArray[1]=0;\nInInitIndexArray[0]=7; InInitIndexArray[1]=7;\n"
                 "InLastIndexArray[0]=0; InLastIndexArray[1]=0;\nInStepArray[0]=-1; InStepArray[1]=-1;\n",
                 "IsLocal=1;\n");
}

static void shadow_group(dvm_text *t, const char *id)
{
        char text[512];
        snprintf(text, sizeof(text), "ShadowGroupRef=%s;\n", id);
        dvm_call(t, "crtshg_", 0, 0, 40, "StaticSign=0;\n", text);
        snprintf(
                text, sizeof(text),
                "ShadowGroupRefPtr=4; ShadowGroupRef=%s; ArrayHeader=a1; ArrayHandlePtr=a10; FullShdSign=0;\n"
                "LowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\nHiShdWidthArray[0]=1; "
                "HiShdWidthArray[1]=1;\n",
                id);
        dvm_call(t, "inssh_", 0, 0, 40, text, "");
}

static ps_dvm *program(const struct across *a)
{
        dvm_text t = {0};
        char text[256];
        dvm_begin(&t);
        dvm_setup(&t, 8, 8, a->n_axes, 1, 8);
        if (a->step > 0)
                dvm_map_loop(&t, 'a', 40, (int[]){0, 0}, (int[]){7, 7});
        else
                map_backwards(&t);
        shadow_group(&t, "dd");
        shadow_group(&t, "de");
        snprintf(text, sizeof(text),
                 "AcrossType=%d; OldShadowGroupRef=%s NewShadowGroupRefPtr=5; NewShadowGroupRef=de; "
                 "PipeLinePar=%s;\n",
                 a->type, a->with_old ? "dd;" : "0;", a->stages);
        if (a->by_hand)
                dvm_call(&t, "recvsh_", 0, 0, 40, "ShadowGroupRefPtr=5; ShadowGroupRef=de;\n", "");
        else
                dvm_call(&t, "across_", 0, 0, 40, text, "ErrPipeLine=9\n");
        if (a->by_hand)
                dvm_call(&t, "waitsh_", 0, 0, 40, "ShadowGroupRefPtr=5; ShadowGroupRef=de;\n", "");
        dvm_call(&t, "dopl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        dvm_call(&t, "dopl_", .008, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
        if (a->by_hand)
                dvm_call(&t, "sendsh_", 0, 0, 40, "ShadowGroupRefPtr=5; ShadowGroupRef=de;\n", "");
        if (a->by_hand)
                dvm_call(&t, "waitsh_", 0, 0, 40, "ShadowGroupRefPtr=5; ShadowGroupRef=de;\n", "");
        dvm_call(&t, "endpl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "");
        dvm_end(&t);
        return dvm_program(t.text);
}

static ps_interval_sums of_processor(const ps_dvm_run *run, uint32_t p)
{
        ps_interval_sums one;
        ps_interval_processor(run->intervals, 0, p, &one);
        return one;
}

static void check_trace(ps_dvm_run *run, uint64_t n_messages)
{
        ps_trace *trace;
        ps_error err = {0};
        assert_int_equal(ps_recording_load(&trace, run->recording, NULL, &err), PS_OK);
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (trace->issues.row[kind].count)
                        fail_msg("%s", ps_issue_infos[kind].name);
        assert_int_equal(trace->clock.violations, 0);
        assert_int_equal(trace->n_messages, n_messages);
        dvm_check_trace_intervals(run, trace);
        ps_trace_close(trace);
}

/* P0 calculates 4 ms and sends 64 bytes, 87.8 us; then P1 calculates. */
TEST(one_stage_is_one_after_the_other)
{
        static const struct across cases[] = {{1, 1, 0, 0, "1.000000", 0}, {1, 1, 0, 0, "", 1}};
        for (int i = 0; i < 2; i++) {
                ps_dvm *dvm = program(&cases[i]);
                ps_dvm_run run;
                const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {2}});
                DVM_NEAR(s->execution_s, .0080878);
                DVM_NEAR(s->productive_cpu_s, .008);
                DVM_NEAR(s->communication_s[PS_IC_SHADOW], 87.8e-6 + .0040878);
                DVM_NEAR(s->synchronization_s[PS_IC_SHADOW], .004);
                DVM_NEAR(s->variation_s[PS_IC_SHADOW], .004);
                DVM_NEAR(of_processor(&run, 0).communication_all_s, 87.8e-6);
                DVM_NEAR(of_processor(&run, 0).idle_s, .004);
                assert_int_equal(s->count[PS_IC_SHADOW], 1);
                assert_int_equal(run.messages, 1);
                assert_int_equal(run.bytes, 64);
                assert_int_equal(run.note[PS_DVM_NOTE_UNSTARTED].count, 0);
                check_trace(&run, 1);
                ps_dvm_run_clear(&run);
                ps_dvm_free(dvm);
        }
}

/* Two stages of 2 ms, 32 bytes in 81.4 us each: P0 is through at 4.1628 ms, which P1 waits for before its
 * second stage. On four processors stages of 1 ms: (4 + 2 - 2) * 1.0814 + 1. */
TEST(stages_overlap)
{
        static const struct across two = {1, 1, 0, 0, "2.000000", 0};
        ps_dvm *dvm = program(&two);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {2}});
        DVM_NEAR(s->execution_s, .0061628);
        DVM_NEAR(of_processor(&run, 1).communication_all_s, .0021628);
        DVM_NEAR(of_processor(&run, 1).synchronization_all_s, .002);
        DVM_NEAR(of_processor(&run, 0).variation_all_s, .002);
        check_trace(&run, 2);
        ps_dvm_run_clear(&run);
        s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {4}});
        DVM_NEAR(s->execution_s, .0053256);
        check_trace(&run, 6);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

/* An axis with one processor cuts nothing. */
TEST(an_axis_of_one_leaves_stages)
{
        static const struct across a = {2, 1, 0, 0, "2.000000", 0};
        ps_dvm *dvm = program(&a);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {2, 1}});
        DVM_NEAR(s->execution_s, .0061628);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

/* With w = 4 ms on two processors 4000 / S + 75 S is least at sqrt(4000 / 75) = 7.3: 1096.4 us for 7, 1100
 * for 8. P0: 4 ms, 7 starts and 64 bytes; then a seventh of 4 ms on P1. Where messages cost nothing: as many
 * stages as there are columns. */
TEST(the_best_number_of_stages)
{
        static const char *const open[] = {"0.000000", "-0.000125", "-0.000000"};
        for (size_t i = 0; i < 3; i++) {
                const struct across a = {1, 1, 0, 0, open[i], 0};
                ps_dvm *dvm = program(&a);
                ps_dvm_run run;
                const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {2}});
                DVM_NEAR(s->execution_s, .004 + 7 * 75e-6 + 12.8e-6 + .004 / 7);
                check_trace(&run, 7);
                ps_dvm_run_clear(&run);
                ps_machine ideal;
                ps_machine_init(&ideal, PS_MODEL_HOCKNEY);
                ideal.link = (ps_link){0, INFINITY};
                const ps_dvm_options options = {.grid = {1, {2}}};
                s = dvm_simulate_on(&run, dvm, &ideal, &options);
                DVM_NEAR(s->execution_s, .004 + .0005);
                assert_int_equal(run.messages, 8);
                ps_dvm_run_clear(&run);
                ps_machine_clear(&ideal);
                ps_dvm_free(dvm);
        }
}

/* The formula at the head of simulator/dvm/across.c, for all S and P that divide evenly. */
TEST(the_formula_holds)
{
        for (uint32_t p = 2; p <= 8; p *= 2)
                for (int stages = 2; stages <= 8; stages *= 2) {
                        char text[32];
                        snprintf(text, sizeof(text), "%d.000000", stages);
                        const struct across a = {1, 1, 0, 0, text, 0};
                        ps_dvm *dvm = program(&a);
                        ps_dvm_run run;
                        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {p}});
                        double w = .008 / p / stages, m = 75e-6 + .2e-6 * 64 / stages;
                        DVM_NEAR(s->execution_s, (p + (uint32_t)stages - 2) * (w + m) + w);
                        ps_dvm_run_clear(&run);
                        ps_dvm_free(dvm);
                }
}

/* On 2 x 2 nothing is left to cut into stages. Edges of 32 bytes, 81.4 us; (0, 0) sends to (0, 1) first. */
TEST(a_wave_over_two_axes)
{
        static const struct across a = {2, 1, 0, 0, "4.000000", 0};
        ps_dvm *dvm = program(&a);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {2, 2}});
        DVM_NEAR(s->execution_s, .0062442);
        DVM_NEAR(of_processor(&run, 0).communication_all_s, .0001628);
        DVM_NEAR(of_processor(&run, 1).communication_all_s, .0020814 + 81.4e-6);
        DVM_NEAR(of_processor(&run, 2).communication_all_s, .0021628 + 81.4e-6);
        DVM_NEAR(of_processor(&run, 3).communication_all_s, .0042442);
        check_trace(&run, 4);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

/* Backwards P1 begins; iterations that write elements of others go the same way. The other edges change
 * places before the loop: two messages of 64 bytes on the bus. */
TEST(ways_of_the_wave)
{
        static const struct {
                struct across across;
                uint32_t first;
                double execution_s;
        } cases[] = {{{1, -1, 0, 0, "1.0", 0}, 1, .0080878},
                     {{1, 1, 1, 0, "1.0", 0}, 0, .0080878},
                     {{1, -1, 1, 0, "1.0", 0}, 1, .0080878},
                     {{1, 1, 0, 1, "1.0", 0}, 0, .0080878 + 175.6e-6}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_dvm *dvm = program(&cases[i].across);
                ps_dvm_run run;
                const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {2}});
                DVM_NEAR(s->execution_s, cases[i].execution_s);
                DVM_NEAR(of_processor(&run, cases[i].first).idle_s, .004);
                DVM_NEAR(of_processor(&run, 1 - cases[i].first).idle_s, 0);
                assert_int_equal(s->count[PS_IC_SHADOW], 1 + cases[i].across.with_old);
                ps_dvm_run_clear(&run);
                ps_dvm_free(dvm);
        }
}

/* On one processor, or where the dimension of the dependence is not cut, it is a loop like any other. */
TEST(nobody_to_wait_for)
{
        static const struct across a = {1, 1, 0, 0, "2.000000", 0};
        ps_dvm *dvm = program(&a);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {1}});
        DVM_NEAR(s->execution_s, .008);
        assert_int_equal(s->count[PS_IC_SHADOW], 0);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}
