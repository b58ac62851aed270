/* test_operations.c - what single calls of a DVM program do in a simulation, worked out by hand (start
 * time 75 us, 0.2 us a byte).
 *
 * The worked examples that the model was made after: the costs of messages, transfer matrices, portions over
 * several hops, reductions and block-cyclic redistributions (1 to 9, 18, 19) are in test_exchange.c,
 * transfers of the latter in test_redistribute.c; shadow edges, reductions and realignment as programs (6 to
 * 8) here; copies (9), ordinary calls (10), loops (11 to 13), whole programs (14 to 17) and parts of a
 * processor system (20) in test_run.c.
 */
#include "tests/simulator/dvm/runs.h"
#include "tests/support/test.h"
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- data that move -- */

/* Rows to columns on two: of both arrays 4 x 4 doubles each way, 256 bytes a message. */
static void rows_to_columns(dvm_text *t)
{
        dvm_redistribute(t, "PSRefPtr=NULL; PSRef=0;", 2, 0);
}

static void check_rows_to_columns(const ps_dvm_run *run, const ps_interval_sums *s)
{
        DVM_NEAR(s->execution_s, 2 * (75e-6 + 256 * .2e-6));
        DVM_NEAR(s->communication_s[PS_IC_REDISTRIBUTION], 2 * s->execution_s);
        assert_int_equal(s->count[PS_IC_REDISTRIBUTION], 1);
        assert_int_equal(run->messages, 2);
        assert_int_equal(run->bytes, 512);
}

static void fresh_columns(dvm_text *t)
{
        dvm_redistribute(t, "PSRefPtr=NULL; PSRef=0;", 2, 1);
}

static void check_nothing(const ps_dvm_run *run, const ps_interval_sums *s)
{
        DVM_NEAR(s->execution_s, 0);
        assert_int_equal(run->messages, 0);
}

TEST(a_template_takes_its_arrays_along)
{
        dvm_on_bus(rows_to_columns, 8, 8, 1, 2, (ps_grid){1, {2}}, check_rows_to_columns);
        dvm_on_bus(fresh_columns, 8, 8, 1, 2, (ps_grid){1, {2}}, check_nothing);
}

/* Both get the other's half, 256 bytes; then both do the whole loop. */
static void made_copies(dvm_text *t)
{
        dvm_call(t, "realn_", 0, 0, 41,
                 "ArrayHeader=b1; ArrayHandlePtr=b10; PatternRefPtr=2; PatternRef=bb (AMView); NewSign=0;\n"
                 "AxisArray[0]=-1; AxisArray[1]=2;\nCoeffArray[0]=0; CoeffArray[1]=1;\n"
                 "ConstArray[0]=0; ConstArray[1]=0;\n",
                 "IsLocal=1\n");
        dvm_loop_over(t, 'b', 1, 8, .008);
}

static void check_made_copies(const ps_dvm_run *run, const ps_interval_sums *s)
{
        (void)run;
        DVM_NEAR(s->communication_s[PS_IC_REDISTRIBUTION], 4 * (75e-6 + 256 * .2e-6));
        DVM_NEAR(s->execution_s, 252.4e-6 + .008);
        DVM_NEAR(s->insufficient_cpu_s, .008);
        DVM_NEAR(s->productive_cpu_s, .008);
}

TEST(what_lies_everywhere_is_done_everywhere)
{
        dvm_on_bus(made_copies, 8, 8, 1, 2, (ps_grid){1, {2}}, check_made_copies);
}

/* A loop that is mapped to nothing. */
static void unmapped(dvm_text *t)
{
        dvm_call(t, "crtpl_", 0, 0, 40, "Rank=1;\n", "LoopRef=cc;\n");
        dvm_call(t, "mappl_", 0, 0, 40,
                 "LoopRefPtr=3; LoopRef=cc; PatternRefPtr=NULL; PatternRef=0;\nInInitIndexArray[0]=0;\n"
                 "InLastIndexArray[0]=7;\nInStepArray[0]=1;\n",
                 "IsLocal=1;\n");
        dvm_call(t, "dopl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        dvm_call(t, "dopl_", .008, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
        dvm_call(t, "endpl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "");
}

static void check_unmapped(const ps_dvm_run *run, const ps_interval_sums *s)
{
        DVM_NEAR(s->execution_s, .008);
        DVM_NEAR(s->insufficient_cpu_s, .008);
        assert_int_equal(run->note[PS_DVM_NOTE_UNMAPPED].count, 0);
}

TEST(loops_may_lie_on_nothing)
{
        dvm_on_bus(unmapped, 8, 8, 1, 1, (ps_grid){1, {2}}, check_unmapped);
}

static void shadow_group(dvm_text *t)
{
        dvm_call(t, "crtshg_", 0, 0, 40, "StaticSign=0;\n", "ShadowGroupRef=dd;\n");
        dvm_call(
                t, "inssh_", 0, 0, 40,
                "ShadowGroupRefPtr=4; ShadowGroupRef=dd; ArrayHeader=a1; ArrayHandlePtr=a10; FullShdSign=0;\n"
                "LowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\nHiShdWidthArray[0]=1; "
                "HiShdWidthArray[1]=1;\n",
                "");
}

/* Edges are under way (2 x 87.8 us) while the loop runs for 0.1 ms; its end waits for the rest. */
static void edges_of_a_loop(dvm_text *t)
{
        static const char edge[] = "LoopRefPtr=3; LoopRef=cc; ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n";
        shadow_group(t);
        dvm_map_loop(t, 'a', 40, (int[]){0, 0}, (int[]){7, 7});
        dvm_call(t, "exfrst_", 0, 0, 40, edge, "");
        dvm_call(t, "imlast_", 0, 0, 40, edge, "");
        dvm_call(t, "dopl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        dvm_call(t, "dopl_", .0002, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
        dvm_call(t, "endpl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "");
}

static void check_edges_of_a_loop(const ps_dvm_run *run, const ps_interval_sums *s)
{
        (void)run;
        DVM_NEAR(s->execution_s, 175.6e-6);
        DVM_NEAR(s->overlap_s[PS_IC_SHADOW], .0002);
        DVM_NEAR(s->communication_s[PS_IC_SHADOW], 2 * 75.6e-6);
        assert_int_equal(s->count[PS_IC_SHADOW], 1);
}

TEST(loops_overlap_with_their_edges)
{
        dvm_on_bus(edges_of_a_loop, 8, 8, 1, 1, (ps_grid){1, {2}}, check_edges_of_a_loop);
}

/* Twelve messages of 78.2 us, one after the other; processors are through after the 10th, 11th, 12th and
 * 12th. */
static void copy_apart(dvm_text *t)
{
        dvm_call(
                t, "aarrcp_", 0, 0, 50,
                "FromArrayHeader=a1; FromArrayHandlePtr=a10; ToBufferPtr=7ff0; CopyRegim=0; CopyFlagPtr=f1;\n"
                "FromInitIndexArray[0]=0; FromInitIndexArray[1]=0;\nFromLastIndexArray[0]=7; "
                "FromLastIndexArray[1]=0;\nFromStepArray[0]=1; FromStepArray[1]=1;\n",
                "");
        dvm_call(t, "getlen_", .0001, 0, 51, "", "Res=4;\n");
        dvm_call(t, "waitcp_", 0, 0, 52, "CopyFlagPtr=f1;\n", "");
}

static void check_copy_apart(const ps_dvm_run *run, const ps_interval_sums *s)
{
        static const double end[] = {782e-6, 860.2e-6, 938.4e-6, 938.4e-6};
        for (uint32_t p = 0; p < 4; p++)
                DVM_NEAR(dvm_of_processor(run, p).communication_s[PS_IC_REMOTE_ACCESS], end[p] - .0001);
        DVM_NEAR(s->execution_s, 938.4e-6);
        DVM_NEAR(s->overlap_s[PS_IC_REMOTE_ACCESS], .0004);
        DVM_NEAR(s->idle_s, 156.4e-6 + 78.2e-6);
        assert_int_equal(s->count[PS_IC_REMOTE_ACCESS], 1);
}

TEST(copies_go_on_by_themselves)
{
        dvm_on_bus(copy_apart, 8, 1, 1, 1, (ps_grid){1, {4}}, check_copy_apart);
}

/* -- whole operations of the worked examples -- */

static void exchange_edges(dvm_text *t, int corners)
{
        char text[512];
        dvm_call(t, "crtshg_", 0, 0, 40, "StaticSign=0;\n", "ShadowGroupRef=dd;\n");
        snprintf(text, sizeof(text),
                 "ShadowGroupRefPtr=4; ShadowGroupRef=dd; ArrayHeader=a1; ArrayHandlePtr=a10; "
                 "FullShdSign=%d;\n"
                 "LowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\nHiShdWidthArray[0]=1; "
                 "HiShdWidthArray[1]=1;\n",
                 corners);
        dvm_call(t, "inssh_", 0, 0, 40, text, "");
        dvm_call(t, "strtsh_", 0, 0, 40, "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        dvm_call(t, "waitsh_", 0, 0, 40, "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
}

static void edges(dvm_text *t)
{
        exchange_edges(t, 0);
}

static void edges_and_corners(dvm_text *t)
{
        exchange_edges(t, 1);
}

static void reduction(dvm_text *t)
{
        dvm_map_loop(t, 'a', 40, (int[]){0, 0}, (int[]){7, 7});
        dvm_call(t, "crtrg_", 0, 0, 40, "StaticSign=1; DelRedSign=1;\n", "RedGroupRef=ee;\n");
        dvm_call(t, "crtred_", 0, 0, 40, "RedFuncNumb=1; RedArrayType=4; RedArrayLength=1; LocElmLength=0;\n",
                 "RedRef=ff;\n");
        dvm_call(t, "insred_", 0, 0, 40,
                 "RedGroupRefPtr=7; RedGroupRef=ee; RedRefPtr=8; RedRef=ff; LoopRefPtr=3; LoopRef=cc; "
                 "RenewSign=1;\n",
                 "");
        dvm_call(t, "strtrd_", 0, 0, 40, "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
        dvm_call(t, "waitrd_", 0, 0, 40, "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
        dvm_call(t, "endpl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "");
}

static void transpose(dvm_text *t)
{
        dvm_call(t, "realn_", 0, 0, 41,
                 "ArrayHeader=b1; ArrayHandlePtr=b10; PatternRefPtr=a1; PatternRef=a10 (DisArray); "
                 "NewSign=0;\n"
                 "AxisArray[0]=2; AxisArray[1]=1;\nCoeffArray[0]=1; CoeffArray[1]=1;\n"
                 "ConstArray[0]=0; ConstArray[1]=0;\n",
                 "IsLocal=1\n");
}

TEST(operations_cost_what_was_worked_out)
{
        static const struct {
                dvm_more_calls *calls;
                int size, n_axes, n_arrays;
                ps_grid grid;
                double bus_us, grid_us;
        } cases[] = {{edges, 8, 2, 1, {2, {2, 2}}, 651.2, 81.4},
                     {edges_and_corners, 8, 2, 1, {2, {2, 2}}, 957.6, 153.2},
                     {reduction, 8, 2, 1, {2, {2, 2}}, 459.6, 306.4},
                     {reduction, 8, 1, 1, {2, {2, 2}}, 306.4, 229.8},
                     {reduction, 8, 2, 1, {2, {4, 4}}, 2298, 612.8},
                     {reduction, 8, 1, 1, {2, {4, 4}}, 1378.8, 459.6},
                     {transpose, 16, 1, 2, {1, {4}}, 1207.2, 301.8}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_dvm *dvm = dvm_program_with(cases[i].size, cases[i].size, cases[i].n_axes,
                                               cases[i].n_arrays, cases[i].calls);
                ps_dvm_run run;
                DVM_NEAR(dvm_simulate(&run, dvm, PS_MODEL_BUS, cases[i].grid)->execution_s,
                         cases[i].bus_us * 1e-6);
                ps_dvm_run_clear(&run);
                DVM_NEAR(dvm_simulate(&run, dvm, PS_MODEL_TRANSPUTER, cases[i].grid)->execution_s,
                         cases[i].grid_us * 1e-6);
                ps_dvm_run_clear(&run);
                ps_dvm_free(dvm);
        }
}

/* -- input and output, intervals -- */

static void print_it(dvm_text *t)
{
        dvm_call(t, "dvm_void_printf", .001, .002, 60, "Format=%d\n", "");
}

static void check_printed(const ps_dvm_run *run, const ps_interval_sums *s)
{
        DVM_NEAR(s->execution_s, .003);
        DVM_NEAR(s->io_s, .002);
        DVM_NEAR(dvm_of_processor(run, 0).io_s, .002);
        DVM_NEAR(s->insufficient_cpu_s, .003);
        DVM_NEAR(s->idle_s, .006);
        DVM_NEAR(s->productive_s, .003);
        assert_int_equal(s->count[PS_IC_IO], 1);
}

TEST(one_processor_prints)
{
        dvm_on_bus(print_it, 8, 8, 2, 1, (ps_grid){2, {2, 2}}, check_printed);
}

/* Twice around: a parallel loop's interval, entered twice in each. */
static void nested(dvm_text *t)
{
        for (int i = 0; i < 2; i++) {
                dvm_call(t, "binter_", .01, 0, 70, "nfrag=1; index=5 UserInter=0;\n", "");
                for (int j = 0; j < 2; j++) {
                        dvm_call(t, "bploop_", .001, .0005, 71, "nfrag=2\n", "");
                        print_it(t);
                        dvm_call(t, "enloop_", .0001, 0, 72, "nfrag=2; nline=72\n", "");
                }
                dvm_call(t, "einter_", 0, .00002, 73, "nfrag=1; nline=73\n", "");
        }
}

static void check_nested(const ps_dvm_run *run, const ps_interval_sums *s)
{
        const ps_interval *row = run->intervals->row;
        assert_int_equal(run->intervals->n, 3);
        assert_int_equal(row[1].key.type, PS_INTERVAL_USER);
        assert_int_equal(row[1].count, 2);
        assert_int_equal(row[2].key.type, PS_INTERVAL_PARALLEL);
        assert_int_equal(row[2].parent, 1);
        assert_int_equal(row[2].count, 4);
        DVM_NEAR(row[2].sums.execution_s, 4 * (.001 + .002 + .0001));
        DVM_NEAR(row[1].sums.execution_s, row[2].sums.execution_s + 4 * .0015 + 2 * .00002);
        DVM_NEAR(s->execution_s, row[1].sums.execution_s + 2 * .01);
        DVM_NEAR(row[2].sums.io_s, .008);
        DVM_NEAR(s->io_s, .008);
        DVM_NEAR(row[2].sums.idle_s, .008);
        assert_int_equal(row[2].sums.count[PS_IC_IO], 4);
        assert_int_equal(s->count[PS_IC_IO], 4);
}

TEST(intervals_contain_intervals)
{
        dvm_on_bus(nested, 8, 8, 1, 1, (ps_grid){1, {2}}, check_nested);
}

/* -- real traces -- */

/* What the Predictor of 2005 prints on 2 x 2. It counts the time of input and output twice and leaves out
 * that of align_, realn_ and arrcpy_; of redis_ it knows nothing. */
static const struct {
        const char *name;
        double bus_s, grid_s;
} predicted[] = {{"real_jac1d_repo.ptr", .020325343, .012372343}, {"real_redis.ptr", .013161795, .010915795}};

static double twice_counted(const ps_dvm *dvm)
{
        ps_time sum = 0;
        for (uint32_t i = 0; i < dvm->calls.n; i++)
                sum += dvm->calls.row[i].cls == PS_DVM_C_IO ? dvm->calls.row[i].ret_time : 0;
        return (double)sum * 1e-12;
}

static void check_real(const char *path, const ps_dvm *dvm, const ps_interval_sums *s, int is_grid)
{
        const char *name = strrchr(path, '/') + 1;
        for (size_t i = 0; i < sizeof(predicted) / sizeof(*predicted); i++) {
                double theirs = is_grid ? predicted[i].grid_s : predicted[i].bus_s;
                if (strcmp(name, predicted[i].name) == 0 &&
                    fabs(s->execution_s + twice_counted(dvm) - theirs) > .06 * theirs)
                        fail_msg("%s takes %g s, not about %g s", name, s->execution_s, theirs);
        }
}

TEST(real_traces_can_be_simulated)
{
        static const ps_grid grids[] = {{2, {2, 2}}, {1, {1}}, {2, {4, 1}}, {1, {3}}, {3, {2, 1, 2}}};
        const char *given = getenv("PATSCAN_TRACES");
        char pattern[512];
        glob_t found;
        snprintf(pattern, sizeof(pattern), "%s/dvm/*.ptr", given ? given : "../*/traces");
        if (glob(pattern, 0, NULL, &found) != 0)
                skip();
        for (size_t f = 0; f < found.gl_pathc; f++) {
                ps_dvm *dvm;
                ps_error err = {0};
                assert_int_equal(ps_dvm_read(&dvm, found.gl_pathv[f], &err), PS_OK);
                assert_int_equal(dvm->strangers.n, 0);
                for (size_t g = 0; g < 2 * sizeof(grids) / sizeof(*grids); g++) {
                        ps_dvm_run run;
                        int is_grid = (int)(g % 2);
                        const ps_interval_sums *s = dvm_simulate(
                                &run, dvm, is_grid ? PS_MODEL_TRANSPUTER : PS_MODEL_BUS, grids[g / 2]);
                        for (int k = 0; k < PS_DVM_NOTES; k++)
                                assert_int_equal(run.note[k].count, 0);
                        if (g < 2)
                                check_real(found.gl_pathv[f], dvm, s, is_grid);
                        ps_dvm_run_clear(&run);
                }
                ps_dvm_free(dvm);
        }
        globfree(&found);
}
