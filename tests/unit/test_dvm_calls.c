/* test_dvm_calls.c - what each function of Lib-DVM is given, as it is printed and as it is understood. */
#include "tests/support/dvm_lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A program with template bb (4 x 6) and arrays a1, b1 of doubles, that the test's own calls follow. */
static dvm_text text;

static int begin(void **state)
{
        (void)state;
        text = (dvm_text){0};
        dvm_begin(&text);
        dvm_setup(&text, 4, 6, 1, 2, 8);
        return 0;
}

static int end(void **state)
{
        (void)state;
        free(text.text);
        return 0;
}

static void call(const char *name, const char *params, const char *results)
{
        dvm_call(&text, name, 0.25, 0.5, 7, params, results);
}

static ps_dvm *read_it(void)
{
        dvm_end(&text);
        return dvm_read_text(text.text);
}

static void expect(const int64_t *array, uint32_t n, ...)
{
        va_list args;
        va_start(args, n);
        for (uint32_t i = 0; i < n; i++)
                assert_int_equal(array[i], va_arg(args, int));
        va_end(args);
}

static void a_program_sets_up_template_and_arrays(void **state)
{
        (void)state;
        ps_dvm *d = read_it();
        assert_int_equal(d->rts_version, 2884);
        assert_int_equal(d->n_processors, 1);
        assert_int_equal(d->virtual_rank, 0);
        assert_int_equal(d->views.n, 1);
        assert_int_equal(d->views.row[0].am, 0);
        assert_int_equal(d->views.row[0].rank, 2);
        expect(d->views.row[0].size, 2, 4, 6);
        assert_int_equal(dvm_nth(d, "crtamv_", 0)->object, 0);
        const ps_dvm_distr *distr = dvm_nth(d, "distr_", 0)->of.distr;
        assert_int_equal(distr->view, 0);
        assert_int_equal(distr->array, PS_NONE);
        assert_int_equal(distr->ps, PS_NONE);
        assert_int_equal(distr->n, 1);
        expect(distr->axis, 1, 1);
        expect(distr->param, 1, 0);
        assert_int_equal(d->arrays.n, 2);
        assert_int_equal(d->arrays.row[1].element_bytes, 8);
        expect(d->arrays.row[1].size, 2, 4, 6);
        expect(d->arrays.row[1].low, 2, 1, 1);
        expect(d->arrays.row[1].high, 2, 1, 1);
        assert_int_equal(dvm_nth(d, "crtda_", 1)->object, 1);
        const ps_dvm_align *align = dvm_nth(d, "align_", 1)->of.align;
        assert_int_equal(align->array, 1);
        assert_int_equal(align->view, 0);
        assert_int_equal(align->pattern, PS_NONE);
        assert_int_equal(align->map.n, 2);
        expect(align->map.axis, 2, 1, 2);
        expect(align->map.coeff, 2, 1, 1);
        expect(align->map.constant, 2, 0, 0);
        ps_dvm_free(d);
}

static void calls_have_their_times_and_places(void **state)
{
        (void)state;
        call("getlen_", "ArrayHeader=a1; ArrayHandlePtr=a10;\n", "Res=4;\n");
        ps_dvm *d = read_it();
        const ps_dvm_call *c = dvm_nth(d, "getlen_", 0);
        assert_int_equal(c->call_time, PS_PS_PER_S / 4);
        assert_int_equal(c->ret_time, PS_PS_PER_S / 2);
        assert_int_equal(c->line, 7);
        assert_string_equal(ps_dvm_str(d, c->file), "t.cdv");
        assert_int_equal(c->cls, PS_DVM_C_ORDINARY);
        assert_int_equal(c->depth, 0);
        assert_int_equal(d->exit_time, PS_PS_PER_S / 1000000);
        assert_int_equal(d->exit_line, 99);
        ps_dvm_free(d);
}

static void machines_and_processor_systems(void **state)
{
        (void)state;
        call("getps_", "AMRefPtr=1; AMRef=aa;\n", "PSRef=50;\n");
        call("getps_", "AMRefPtr=1; AMRef=aa;\n", "PSRef=50;\n");
        call("crtps_",
             "PSRefPtr=1; PSRef=50; StaticSign=0;\nInitIndexArray[0]=0; InitIndexArray[1]=2; \n"
             "LastIndexArray[0]=3; LastIndexArray[1]=3; \n",
             "PSRef=51;\n");
        call("psview_",
             "PSRefPtr=NULL; PSRef=0; Rank=3; StaticSign=0;\nSizeArray[0]=2; SizeArray[1]=1; "
             "SizeArray[2]=8;\n",
             "PSRef=52;\n");
        call("getamr_", "AMViewRefPtr=2; AMViewRef=bb;\nIndexArray[0]=3; IndexArray[1]=5;\n", "AMRef=ab;\n");
        call("getamr_", "AMViewRefPtr=2; AMViewRef=bb;\nIndexArray[0]=3; IndexArray[1]=5;\n", "AMRef=ab;\n");
        call("mapam_", "AMRefPtr=1; AMRef=ab; PSRefPtr=1; PSRef=51;\n", "");
        call("runam_", "AMRefPtr=1; AMRef=ab;\n", "Run=0;\n");
        call("stopam_", "", "");
        call("delps_", "PSRefPtr=1; PSRef=52;\n", "");
        ps_dvm *d = read_it();
        assert_int_equal(d->pss.n, 3);
        assert_int_equal(d->pss.row[0].kind, PS_DVM_PS_OF_AM);
        assert_int_equal(d->pss.row[0].am, 0);
        assert_int_equal(dvm_nth(d, "getps_", 1)->object, 0);
        assert_int_equal(d->pss.row[1].kind, PS_DVM_PS_PART);
        assert_int_equal(d->pss.row[1].parent, 0);
        expect(d->pss.row[1].first, 2, 0, 2);
        expect(d->pss.row[1].last, 2, 3, 3);
        assert_int_equal(d->pss.row[2].kind, PS_DVM_PS_SHAPE);
        assert_int_equal(d->pss.row[2].parent, PS_NONE);
        expect(d->pss.row[2].size, 3, 2, 1, 8);
        assert_int_equal(dvm_nth(d, "crtps_", 0)->object, 1);
        assert_int_equal(dvm_nth(d, "delps_", 0)->object, 2);
        assert_int_equal(d->ams.n, 2);
        assert_int_equal(d->ams.row[1].view, 0);
        expect(d->ams.row[1].index, 2, 3, 5);
        assert_int_equal(dvm_nth(d, "getamr_", 1)->object, 1);
        assert_int_equal(dvm_nth(d, "mapam_", 0)->object, 1);
        assert_int_equal(dvm_nth(d, "mapam_", 0)->other, 1);
        assert_int_equal(dvm_nth(d, "runam_", 0)->object, 1);
        assert_int_equal(dvm_nth(d, "runam_", 0)->value, 0);
        assert_int_equal(dvm_nth(d, "stopam_", 0)->form, PS_DVM_F_NONE);
        ps_dvm_free(d);
}

static void weights_and_blocks(void **state)
{
        (void)state;
        call("setelw_",
             "PSRefPtr=NULL; PSRef=0; AMViewRefPtr=2; AMViewRef=bb;\nAddrNumber=2;\nWeightNumber[0]=1; "
             "WeightNumber[1]=2; \nLoadWeight[0]=1.50; LoadWeight[1]=0.25; LoadWeight[2]=3.00; \n",
             "");
        call("blkdiv_", "AMViewRefPtr=2; AMViewRef=bb; AMVAxisCount=2\nAMVAxisDiv[0]=1 AMVAxisDiv[1]=3  \n",
             "");
        ps_dvm *d = read_it();
        const ps_dvm_call *c = dvm_nth(d, "setelw_", 0);
        assert_int_equal(c->object, 0);
        assert_int_equal(c->other, PS_NONE);
        assert_int_equal(c->of.weights->n, 2);
        expect(c->of.weights->count, 2, 1, 2);
        assert_int_equal(c->of.weights->n_weights, 3);
        assert_true(c->of.weights->weight[0] == 1.5 && c->of.weights->weight[1] == 0.25 &&
                    c->of.weights->weight[2] == 3);
        c = dvm_nth(d, "blkdiv_", 0);
        assert_int_equal(c->object, 0);
        assert_int_equal(c->of.blocks->n, 2);
        expect(c->of.blocks->divisor, 2, 1, 3);
        ps_dvm_free(d);
}

static void data_are_laid_out_anew(void **state)
{
        (void)state;
        call("redis_",
             "ArrayHeader=b1; ArrayHandlePtr=b10; PSRefPtr=NULL; PSRef=0; ParamCount=2; NewSign=1f;\n"
             "      AxisArray[0]=0;       AxisArray[1]=2;  \nDistrParamArray[0]=0; DistrParamArray[1]=0;  \n",
             "IsLocal=1;\n");
        call("redis_",
             "AMViewRefPtr=2; AMViewRef=bb; PSRefPtr=NULL; PSRef=0; ParamCount=1; NewSign=0;\n"
             "AxisArray[0]=2;\nDistrParamArray[0]=0;\n",
             "IsLocal=1;\n");
        call("realn_",
             "ArrayHeader=b1; ArrayHandlePtr=b10; PatternRefPtr=a1; PatternRef=a10 (DisArray); NewSign=0;\n"
             " AxisArray[0]=-1;  AxisArray[1]=1;  \nCoeffArray[0]=0; CoeffArray[1]=-2;  \n"
             "ConstArray[0]=0; ConstArray[1]=9;  \n",
             "IsLocal=1\n");
        ps_dvm *d = read_it();
        const ps_dvm_distr *distr = dvm_nth(d, "redis_", 0)->of.distr;
        assert_int_equal(distr->array, 1);
        assert_int_equal(distr->view, 0);
        assert_int_equal(distr->fresh, 1);
        expect(distr->axis, 2, 0, 2);
        distr = dvm_nth(d, "redis_", 1)->of.distr;
        assert_int_equal(distr->array, PS_NONE);
        assert_int_equal(distr->view, 0);
        assert_int_equal(distr->fresh, 0);
        const ps_dvm_align *align = dvm_nth(d, "realn_", 0)->of.align;
        assert_int_equal(align->array, 1);
        assert_int_equal(align->view, PS_NONE);
        assert_int_equal(align->pattern, 0);
        assert_int_equal(align->fresh, 0);
        expect(align->map.axis, 2, -1, 1);
        expect(align->map.coeff, 2, 0, -2);
        expect(align->map.constant, 2, 0, 9);
        ps_dvm_free(d);
}

static void copies_between_arrays_and_buffers(void **state)
{
        (void)state;
        call("arrcpy_",
             "FromArrayHeader=a1; FromArrayHandlePtr=a10; ToArrayHeader=b1; ToArrayHandlePtr=b10; "
             "CopyRegim=0;\n"
             "FromInitIndexArray[0]=0; FromInitIndexArray[1]=-1;  \nFromLastIndexArray[0]=3; "
             "FromLastIndexArray[1]=0;\n"
             "     FromStepArray[0]=3;      FromStepArray[1]=1;  \n"
             "  ToInitIndexArray[0]=1;   ToInitIndexArray[1]=0;  \n  ToLastIndexArray[0]=2;   "
             "ToLastIndexArray[1]=5;  \n"
             "       ToStepArray[0]=1;        ToStepArray[1]=1;  \n",
             "Res=12;\n");
        call("aarrcp_",
             "FromBufferPtr=7fff; ToArrayHeader=b1; ToArrayHandlePtr=b10; CopyRegim=2; CopyFlagPtr=9;\n"
             "ToInitIndexArray[0]=0; ToInitIndexArray[1]=0;\nToLastIndexArray[0]=0; ToLastIndexArray[1]=0;\n"
             "ToStepArray[0]=1; ToStepArray[1]=1;\n",
             "");
        call("waitcp_", "CopyFlagPtr=9;\n", "");
        ps_dvm *d = read_it();
        const ps_dvm_call *c = dvm_nth(d, "arrcpy_", 0);
        assert_int_equal(c->value, 12);
        assert_int_equal(c->of.copy->from.array, 0);
        expect(c->of.copy->from.first, 2, 0, -1);
        expect(c->of.copy->from.last, 2, 3, 0);
        expect(c->of.copy->from.step, 2, 3, 1);
        assert_int_equal(c->of.copy->to.array, 1);
        expect(c->of.copy->to.first, 2, 1, 0);
        expect(c->of.copy->to.last, 2, 2, 5);
        c = dvm_nth(d, "aarrcp_", 0);
        assert_int_equal(c->value, -1);
        assert_int_equal(c->of.copy->regime, 2);
        assert_int_equal(c->of.copy->from.array, PS_NONE);
        assert_int_equal(c->of.copy->from.rank, 0);
        assert_ptr_equal(dvm_nth(d, "waitcp_", 0)->of.copy, c->of.copy);
        ps_dvm_free(d);
}

static void loops(void **state)
{
        (void)state;
        call("crtpl_", "Rank=2;\n", "LoopRef=cc;\n");
        call("mappl_",
             "LoopRefPtr=3; LoopRef=cc; PatternRefPtr=b1; PatternRef=b10 (DisArray);\n"
             "       AxisArray[0]=2;        AxisArray[1]=0;  \n      CoeffArray[0]=1;       CoeffArray[1]=0; "
             " \n"
             "      ConstArray[0]=-1;       ConstArray[1]=3;  \nLoopVarAddrArray[0]=0; "
             "LoopVarAddrArray[1]=0;  \n"
             "LoopVarTypeArray[0]=1; LoopVarTypeArray[1]=1;  \nInInitIndexArray[0]=1; InInitIndexArray[1]=9; "
             " \n"
             "InLastIndexArray[0]=6; InLastIndexArray[1]=1;  \n     InStepArray[0]=2;      "
             "InStepArray[1]=-3;  \n",
             "IsLocal=1;\n");
        call("dopl_", "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        call("dopl_", "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
        call("endpl_", "LoopRefPtr=3; LoopRef=cc;\n", "");
        ps_dvm *d = read_it();
        const ps_dvm_map *map = dvm_nth(d, "mappl_", 0)->of.map;
        assert_int_equal(d->loops.row[0].rank, 2);
        assert_int_equal(map->loop, 0);
        assert_int_equal(map->pattern, 1);
        assert_int_equal(map->view, PS_NONE);
        expect(map->map.axis, 2, 2, 0);
        expect(map->map.constant, 2, -1, 3);
        expect(map->init, 2, 1, 9);
        expect(map->last, 2, 6, 1);
        expect(map->step, 2, 2, -3);
        assert_int_equal(map->iterations, 9); /* 1 3 5, and 9 6 3 */
        assert_int_equal(dvm_nth(d, "dopl_", 0)->value, 1);
        assert_int_equal(dvm_nth(d, "dopl_", 1)->value, 0);
        assert_int_equal(dvm_nth(d, "endpl_", 0)->object, 0);
        ps_dvm_free(d);
}

static void a_loop_may_lie_on_no_pattern(void **state)
{
        (void)state;
        call("crtpl_", "Rank=1;\n", "LoopRef=cc;\n");
        call("mappl_",
             "LoopRefPtr=3; LoopRef=cc; PatternRefPtr=NULL; PatternRef=0;\nInInitIndexArray[0]=5;\n"
             "InLastIndexArray[0]=4;\nInStepArray[0]=1;\n",
             "IsLocal=1;\n");
        ps_dvm *d = read_it();
        const ps_dvm_map *map = dvm_nth(d, "mappl_", 0)->of.map;
        assert_int_equal(map->view, PS_NONE);
        assert_int_equal(map->pattern, PS_NONE);
        assert_int_equal(map->map.n, 0);
        assert_int_equal(map->iterations, 0);
        ps_dvm_free(d);
}

static void reductions(void **state)
{
        (void)state;
        static const struct {
                int type, length, location, bytes;
        } rows[] = {{1, 3, 0, 12}, {2, 1, 0, 8},  {3, 2, 4, 16}, {4, 1, 8, 16},
                    {5, 1, 0, 8},  {6, 2, 0, 32}, {7, 2, 0, 0},  {-1, 2, 0, 0}};
        enum { N = sizeof(rows) / sizeof(rows[0]) };
        call("crtpl_", "Rank=2;\n", "LoopRef=cc;\n");
        call("crtrg_", "StaticSign=1; DelRedSign=1;\n", "RedGroupRef=ee;\n");
        for (int i = 0; i < N; i++) {
                dvm_text params = {0};
                dvm_put(&params,
                        "RedFuncNumb=%d; RedArrayPtr=5; RedArrayType=%d; RedArrayLength=%d; LocArrayPtr=6; "
                        "LocElmLength=%d; StaticSign=1;\n",
                        i + 1, rows[i].type, rows[i].length, rows[i].location);
                call("crtred_", params.text, "RedRef=ff;\n");
                free(params.text);
        }
        static const char *const targets[] = {"LoopRefPtr=3; LoopRef=cc;", "AMViewRefPtr=2; AMViewRef=bb;",
                                              "ArrayHeader=b1; ArrayHandlePtr=b10;",
                                              "PSRefPtr=NULL; PSRef=0;"};
        for (int i = 0; i < 4; i++) {
                dvm_text params = {0};
                dvm_put(&params,
                        "RedGroupRefPtr=7; RedGroupRef=ee; RedRefPtr=8; RedRef=ff; %s RenewSign=%d;\n",
                        targets[i], i % 2);
                call("insred_", params.text, "");
                free(params.text);
        }
        call("strtrd_", "RedGroupRefPtr=7; RedGroupRef=ee;\n*** MPI_Comm Information ***\nMPI_Group:    0\n",
             "");
        call("waitrd_", "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
        call("delred_", "RedRefPtr=8; RedRef=ff;\n", "");
        call("delrg_", "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
        ps_dvm *d = read_it();
        assert_int_equal(d->red_groups.n, 1);
        assert_int_equal(d->reds.n, N);
        for (int i = 0; i < N; i++) {
                assert_int_equal(d->reds.row[i].bytes, rows[i].bytes);
                assert_int_equal(d->reds.row[i].function, i + 1);
        }
        static const ps_dvm_target want[] = {
                {PS_DVM_T_LOOP, 0}, {PS_DVM_T_VIEW, 0}, {PS_DVM_T_ARRAY, 1}, {PS_DVM_T_PS, PS_NONE}};
        for (unsigned i = 0; i < 4; i++) {
                const ps_dvm_call *c = dvm_nth(d, "insred_", i);
                assert_int_equal(c->object, 0);
                assert_int_equal(c->other, N - 1);
                assert_int_equal(c->value, i % 2);
                assert_int_equal(c->of.target->kind, want[i].kind);
                assert_int_equal(c->of.target->index, want[i].index);
        }
        assert_int_equal(dvm_nth(d, "strtrd_", 0)->object, 0);
        assert_int_equal(dvm_nth(d, "waitrd_", 0)->object, 0);
        assert_int_equal(dvm_nth(d, "delrg_", 0)->object, 0);
        assert_int_equal(dvm_nth(d, "delred_", 0)->object, N - 1);
        ps_dvm_free(d);
}

#define OF_GROUP "ShadowGroupRefPtr=4; ShadowGroupRef=dd; ArrayHeader=a1; ArrayHandlePtr=a10; "

static void shadow_edges(void **state)
{
        (void)state;
        call("crtpl_", "Rank=2;\n", "LoopRef=cc;\n");
        call("crtshg_", "StaticSign=0;\n", "ShadowGroupRef=dd;\n");
        call("inssh_",
             OF_GROUP "FullShdSign=1;\nLowShdWidthArray[0]=-1; LowShdWidthArray[1]=0;\n"
                      "HiShdWidthArray[0]=0; HiShdWidthArray[1]=-1;\n",
             "");
        call("insshd_",
             OF_GROUP "MaxShdCount=1;\nLowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\n"
                      "HiShdWidthArray[0]=1; HiShdWidthArray[1]=0;\nShdSignArray[0]=7; ShdSignArray[1]=5;\n",
             "");
        call("incsh_",
             OF_GROUP
             "FullShdSign=0;\nInitDimIndex[0]=-1; InitDimIndex[1]=-1;\nLastDimIndex[0]=-1; "
             "LastDimIndex[1]=-1;\n"
             "InitLowShdIndex[0]=-1; InitLowShdIndex[1]=-1;\nLastLowShdIndex[0]=-1; LastLowShdIndex[1]=3;\n"
             "InitHiShdIndex[0]=0; InitHiShdIndex[1]=2;\nLastHiShdIndex[0]=4; LastHiShdIndex[1]=1;\n",
             "");
        call("incshd_",
             OF_GROUP "MaxShdCount=2;\nInitLowShdIndex[0]=0; InitLowShdIndex[1]=0;\nLastLowShdIndex[0]=0; "
                      "LastLowShdIndex[1]=0;\n"
                      "InitHiShdIndex[0]=0; InitHiShdIndex[1]=0;\nLastHiShdIndex[0]=0; LastHiShdIndex[1]=0;\n"
                      "ShdSignArray[0]=3; ShdSignArray[1]=1;\n",
             "");
        call("exfrst_", "LoopRefPtr=3; LoopRef=cc; ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        call("imlast_", "LoopRefPtr=3; LoopRef=cc; ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        call("strtsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        call("waitsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        call("delshg_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        ps_dvm *d = read_it();
        const ps_dvm_shadow *s = dvm_nth(d, "inssh_", 0)->of.shadow;
        assert_int_equal(s->array, 0);
        assert_int_equal(s->corners, 1);
        assert_int_equal(s->max_count, -1);
        assert_null(s->sign);
        expect(s->low, 2, 1, 0);
        expect(s->high, 2, 0, 1);
        s = dvm_nth(d, "insshd_", 0)->of.shadow;
        assert_int_equal(s->corners, 0);
        assert_int_equal(s->max_count, 1);
        expect(s->sign, 2, 7, 5);
        expect(s->high, 2, 1, 0);
        s = dvm_nth(d, "incsh_", 0)->of.shadow;
        assert_int_equal(s->corners, 0);
        expect(s->low, 2, 1, 3);
        expect(s->high, 2, 5, 0);
        s = dvm_nth(d, "incshd_", 0)->of.shadow;
        assert_int_equal(s->corners, 1);
        expect(s->low, 2, 1, 1);
        static const char *const edges[] = {"exfrst_", "imlast_"};
        for (int i = 0; i < 2; i++) {
                assert_int_equal(dvm_nth(d, edges[i], 0)->object, 0);
                assert_int_equal(dvm_nth(d, edges[i], 0)->other, 0);
        }
        assert_int_equal(dvm_nth(d, "strtsh_", 0)->object, 0);
        assert_int_equal(dvm_nth(d, "delshg_", 0)->object, 0);
        ps_dvm_free(d);
}

/* Both groups may be missing, and so may the number of stages; -0 is 0. */
static void loops_with_dependences(void **state)
{
        (void)state;
        static const struct {
                const char *params;
                uint32_t old_group, new_group;
                int writes;
                double stages;
        } cases[] = {{"AcrossType=0; OldShadowGroupRefPtr=4; OldShadowGroupRef=dd; NewShadowGroupRefPtr=5; "
                      "NewShadowGroupRef=de; PipeLinePar=4.000000; CondPipeLine=0;\n",
                      0, 1, 0, 4},
                     {"AcrossType=1; OldShadowGroupRef=0; NewShadowGroupRefPtr=5; NewShadowGroupRef=de; "
                      "PipeLinePar=-0.000125;\n",
                      PS_NONE, 1, 1, -.000125},
                     {"OldShadowGroupRefPtr=4; OldShadowGroupRef=dd; NewShadowGroupRef=0; "
                      "PipeLinePar=-0.000000;\n",
                      0, PS_NONE, 0, 0},
                     {"", PS_NONE, PS_NONE, 0, 0}};
        call("crtshg_", "StaticSign=0;\n", "ShadowGroupRef=dd;\n");
        call("crtshg_", "StaticSign=0;\n", "ShadowGroupRef=de;\n");
        for (size_t i = 0; i < 4; i++)
                call("across_", cases[i].params, "ErrPipeLine=9\n");
        call("recvsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        call("sendsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=de;\n", "");
        ps_dvm *d = read_it();
        for (unsigned i = 0; i < 4; i++) {
                const ps_dvm_across *a = dvm_nth(d, "across_", i)->of.across;
                assert_int_equal(a->old_group, cases[i].old_group);
                assert_int_equal(a->new_group, cases[i].new_group);
                assert_int_equal(a->writes, cases[i].writes);
                assert_memory_equal(&a->stages, &cases[i].stages, sizeof(double));
        }
        assert_int_equal(dvm_nth(d, "recvsh_", 0)->object, 0);
        assert_int_equal(dvm_nth(d, "sendsh_", 0)->object, 1);
        assert_int_equal(d->strangers.n, 0);
        ps_dvm_free(d);
}

static void buffers_of_remote_elements(void **state)
{
        (void)state;
        call("crtpl_", "Rank=1;\n", "LoopRef=cc;\n");
        call("crtrbl_",
             "RemArrayHeader=a1; RemArrayHandlePtr=a10; BufferHeader=b9; BasePtr=0; StaticSign=0; "
             "LoopRefPtr=3; "
             "LoopRef=cc;\n AxisArray[0]=1;  AxisArray[1]=-1;  \nCoeffArray[0]=2; CoeffArray[1]=0;  \n"
             "ConstArray[0]=1; ConstArray[1]=0;  \n",
             "BufferHandlePtr=b90; IsLocal=1\n");
        call("loadrb_", "BufferHeader=b9; BufferHandlePtr=b90; RenewSign=0;\n", "");
        call("waitrb_", "BufferHeader=b9; BufferHandlePtr=b90;\n", "");
        call("crtrbp_",
             "RemArrayHeader=b1; RemArrayHandlePtr=b10; BufferHeader=b9; BasePtr=0; StaticSign=0; "
             "PSRefPtr=NULL; "
             "PSRef=0;\nCoordArray[0]=-1; CoordArray[1]=5;\n",
             "BufferHandlePtr=b90; IsLocal=1\n");
        call("waitrb_", "BufferHeader=b9; BufferHandlePtr=b90;\n", "");
        ps_dvm *d = read_it();
        const ps_dvm_buffer *b = &d->buffers.row[0];
        assert_int_equal(b->array, 0);
        assert_int_equal(b->loop, 0);
        expect(b->section.axis, 2, 1, -1);
        expect(b->section.coeff, 2, 2, 0);
        expect(b->section.constant, 2, 1, 0);
        assert_int_equal(dvm_nth(d, "loadrb_", 0)->object, 0);
        assert_int_equal(dvm_nth(d, "loadrb_", 0)->value, 0);
        assert_int_equal(dvm_nth(d, "waitrb_", 0)->object, 0);
        b = &d->buffers.row[1];
        assert_int_equal(b->array, 1);
        assert_int_equal(b->loop, PS_NONE);
        assert_int_equal(b->ps, PS_NONE);
        expect(b->coord, 2, -1, 5);
        assert_int_equal(dvm_nth(d, "waitrb_", 1)->object, 1);
        ps_dvm_free(d);
}

static void intervals_are_a_tree(void **state)
{
        (void)state;
        for (int i = 0; i < 3; i++) {
                dvm_text params = {0};
                dvm_put(&params, "nfrag=4; index=%d UserInter=0;\n", i / 2);
                dvm_call(&text, "binter_", 0, 0, 20, params.text, "");
                dvm_call(&text, "bploop_", 0, 0, 21, "nfrag=1\n", "");
                dvm_call(&text, i ? "enloop_" : "eloop_", 0, 0, 22, "nfrag=1; nline=21\n", "");
                dvm_call(&text, "bsloop_", 0, 0, 21, "nfrag=1\n", "");
                dvm_call(&text, "enloop_", 0, 0, 22, "nfrag=1; nline=21\n", "");
                dvm_call(&text, "einter_", 0, 0, 23, "nfrag=4; nline=20\n", "");
                free(params.text);
        }
        dvm_call(&text, "binter_", 0, 0, 30, "nfrag=1; UserInter=0;\n", "");
        dvm_call(&text, "einter_", 0, 0, 31, "nfrag=1; nline=30\n", "");
        ps_dvm *d = read_it();
        static const struct {
                uint32_t parent, level;
                int type, line, expr, count;
        } want[] = {{PS_NONE, 0, PS_DVM_I_MAIN, 0, 2000000000, 1},
                    {0, 1, PS_DVM_I_USER, 20, 0, 2},
                    {1, 2, PS_DVM_I_PAR, 21, 2000000000, 2},
                    {1, 2, PS_DVM_I_SEQ, 21, 2000000000, 2},
                    {0, 1, PS_DVM_I_USER, 20, 1, 1},
                    {4, 2, PS_DVM_I_PAR, 21, 2000000000, 1},
                    {4, 2, PS_DVM_I_SEQ, 21, 2000000000, 1},
                    {0, 1, PS_DVM_I_USER, 30, 2000000000, 1}};
        enum { N = sizeof(want) / sizeof(want[0]) };
        assert_int_equal(d->intervals.n, N);
        for (int i = 0; i < N; i++) {
                const ps_dvm_interval *v = &d->intervals.row[i];
                assert_int_equal(v->parent, want[i].parent);
                assert_int_equal(v->level, want[i].level);
                assert_int_equal(v->type, want[i].type);
                assert_int_equal(v->line, want[i].line);
                assert_int_equal(v->expr, want[i].expr);
                assert_int_equal(v->count, want[i].count);
        }
        assert_int_equal(dvm_nth(d, "binter_", 2)->object, 4);
        assert_int_equal(dvm_nth(d, "einter_", 1)->object, 1);
        assert_int_equal(dvm_nth(d, "enloop_", 4)->object, 6);
        assert_int_equal(ps_issues_total(&d->issues), 0);
        ps_dvm_free(d);
}

static void input_and_output(void **state)
{
        (void)state;
        call("biof_", "", "");
        call("srmem_",
             "MemoryCount=2;\nStartAddrArray[0]=7ffc; StartAddrArray[1]=8ffc;\nLengthArray[0]=10; "
             "LengthArray[1]=8;\n",
             "");
        call("eiof_", "", "");
        call("dvm_fopen", "Filename=a b.dat; Type=wb;\n", "Res=106d7d8;\n");
        call("dvm_fwrite", "ArrayHeader=a1; ArrayHandlePtr=a10; Size=8; Count=24; Stream=106d7d8;\n",
             "Res=24;\n");
        call("dvm_void_printf", "Format=JAC1 STARTED\n", "");
        ps_dvm *d = read_it();
        static const struct {
                const char *name;
                int64_t bytes;
        } want[] = {{"biof_", 0},     {"srmem_", 24},      {"eiof_", 0},
                    {"dvm_fopen", 0}, {"dvm_fwrite", 192}, {"dvm_void_printf", 0}};
        for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
                assert_int_equal(dvm_nth(d, want[i].name, 0)->cls, PS_DVM_C_IO);
                assert_int_equal(dvm_nth(d, want[i].name, 0)->value, want[i].bytes);
        }
        ps_dvm_free(d);
}

/* Lib-DVM's own words, in each of the functions that only take time. */
static void ordinary_functions_take_time(void **state)
{
        (void)state;
        for (int f = 0; f < PS_DVM_UNKNOWN; f++)
                if (ps_dvm_infos[f].cls == PS_DVM_C_ORDINARY)
                        call(ps_dvm_infos[f].name, "ArrayHeader=77; ObjectRef=88; Anything=[1];\n",
                             "Res=1; Rank=2;\n");
        ps_dvm *d = read_it();
        for (int f = 0; f < PS_DVM_UNKNOWN; f++) {
                if (ps_dvm_infos[f].cls != PS_DVM_C_ORDINARY)
                        continue;
                const ps_dvm_call *c = dvm_nth(d, ps_dvm_infos[f].name, 0);
                assert_int_equal(c->function, f);
                assert_int_equal(c->cls, PS_DVM_C_ORDINARY);
                assert_int_equal(c->ret_time, PS_PS_PER_S / 2);
        }
        assert_int_equal(ps_issues_total(&d->issues), 0);
        assert_int_equal(d->strangers.n, 0);
        ps_dvm_free(d);
}

static void what_is_not_known_is_counted(void **state)
{
        (void)state;
        for (int i = 0; i < 3; i++)
                call("dvmh_new_", "Some=1;\n", "");
        call("recvla_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        call("other_", "", "");
        ps_dvm *d = read_it();
        assert_int_equal(d->strangers.n, 3);
        assert_string_equal(ps_dvm_str(d, d->strangers.row[0].name), "dvmh_new_");
        assert_int_equal(d->strangers.row[0].count, 3);
        assert_int_equal(d->strangers.row[0].known, 0);
        assert_string_equal(ps_dvm_str(d, d->strangers.row[1].name), "recvla_");
        assert_int_equal(d->strangers.row[1].known, 1);
        assert_int_equal(d->strangers.row[2].count, 1);
        assert_int_equal(d->issues.row[PS_I_CALL_UNKNOWN].count, 4);
        assert_int_equal(d->issues.row[PS_I_CALL_UNKNOWN].offset, d->strangers.row[0].at);
        assert_int_equal(d->issues.row[PS_I_CALL_UNSUPPORTED].count, 1);
        assert_int_equal(dvm_nth(d, "recvla_", 0)->cls, PS_DVM_C_ORDINARY);
        ps_dvm_free(d);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
        const struct CMUnitTest tests[] = {TEST(a_program_sets_up_template_and_arrays),
                                           TEST(calls_have_their_times_and_places),
                                           TEST(machines_and_processor_systems),
                                           TEST(weights_and_blocks),
                                           TEST(data_are_laid_out_anew),
                                           TEST(copies_between_arrays_and_buffers),
                                           TEST(loops),
                                           TEST(a_loop_may_lie_on_no_pattern),
                                           TEST(reductions),
                                           TEST(shadow_edges),
                                           TEST(loops_with_dependences),
                                           TEST(buffers_of_remote_elements),
                                           TEST(intervals_are_a_tree),
                                           TEST(input_and_output),
                                           TEST(ordinary_functions_take_time),
                                           TEST(what_is_not_known_is_counted)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
