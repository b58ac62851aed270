/* test_loops.c - what the functions of Lib-DVM about loops, reductions, shadow edges and remote elements
 * are given, as it is printed and as it is understood. */
#include "tests/reader/dvm/calls.h"
#include "tests/reader/dvm/lab.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

DVM_TEST(loops)
{
        dvm_calls_add("crtpl_", "Rank=2;\n", "LoopRef=cc;\n");
        dvm_calls_add("mappl_",
                      "LoopRefPtr=3; LoopRef=cc; PatternRefPtr=b1; PatternRef=b10 (DisArray);\n"
                      "       AxisArray[0]=2;        AxisArray[1]=0;  \n      CoeffArray[0]=1;       "
                      "CoeffArray[1]=0; "
                      " \n"
                      "      ConstArray[0]=-1;       ConstArray[1]=3;  \nLoopVarAddrArray[0]=0; "
                      "LoopVarAddrArray[1]=0;  \n"
                      "LoopVarTypeArray[0]=1; LoopVarTypeArray[1]=1;  \nInInitIndexArray[0]=1; "
                      "InInitIndexArray[1]=9; "
                      " \n"
                      "InLastIndexArray[0]=6; InLastIndexArray[1]=1;  \n     InStepArray[0]=2;      "
                      "InStepArray[1]=-3;  \n",
                      "IsLocal=1;\n");
        dvm_calls_add("dopl_", "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        dvm_calls_add("dopl_", "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
        dvm_calls_add("endpl_", "LoopRefPtr=3; LoopRef=cc;\n", "");
        ps_dvm *d = dvm_calls_read();
        const ps_dvm_map *map = dvm_nth(d, "mappl_", 0)->of.map;
        assert_int_equal(d->loops.row[0].rank, 2);
        assert_int_equal(map->loop, 0);
        assert_int_equal(map->pattern, 1);
        assert_int_equal(map->view, PS_NONE);
        dvm_calls_expect(map->map.axis, 2, 2, 0);
        dvm_calls_expect(map->map.constant, 2, -1, 3);
        dvm_calls_expect(map->init, 2, 1, 9);
        dvm_calls_expect(map->last, 2, 6, 1);
        dvm_calls_expect(map->step, 2, 2, -3);
        assert_int_equal(map->iterations, 9); /* 1 3 5, and 9 6 3 */
        assert_int_equal(dvm_nth(d, "dopl_", 0)->value, 1);
        assert_int_equal(dvm_nth(d, "dopl_", 1)->value, 0);
        assert_int_equal(dvm_nth(d, "endpl_", 0)->object, 0);
        ps_dvm_free(d);
}

DVM_TEST(a_loop_may_lie_on_no_pattern)
{
        dvm_calls_add("crtpl_", "Rank=1;\n", "LoopRef=cc;\n");
        dvm_calls_add("mappl_",
                      "LoopRefPtr=3; LoopRef=cc; PatternRefPtr=NULL; PatternRef=0;\nInInitIndexArray[0]=5;\n"
                      "InLastIndexArray[0]=4;\nInStepArray[0]=1;\n",
                      "IsLocal=1;\n");
        ps_dvm *d = dvm_calls_read();
        const ps_dvm_map *map = dvm_nth(d, "mappl_", 0)->of.map;
        assert_int_equal(map->view, PS_NONE);
        assert_int_equal(map->pattern, PS_NONE);
        assert_int_equal(map->map.n, 0);
        assert_int_equal(map->iterations, 0);
        ps_dvm_free(d);
}

DVM_TEST(a_reduction_has_a_size)
{
        static const struct {
                int type, length, location, bytes;
        } rows[] = {{1, 3, 0, 12}, {2, 1, 0, 8},  {3, 2, 4, 16}, {4, 1, 8, 16},
                    {5, 1, 0, 8},  {6, 2, 0, 32}, {7, 2, 0, 0},  {-1, 2, 0, 0}};
        enum { N = sizeof(rows) / sizeof(rows[0]) };
        for (int i = 0; i < N; i++) {
                dvm_text params = {0};
                dvm_put(&params,
                        "RedFuncNumb=%d; RedArrayPtr=5; RedArrayType=%d; RedArrayLength=%d; LocArrayPtr=6; "
                        "LocElmLength=%d; StaticSign=1;\n",
                        i + 1, rows[i].type, rows[i].length, rows[i].location);
                dvm_calls_add("crtred_", params.text, "RedRef=ff;\n");
                free(params.text);
        }
        dvm_calls_add("delred_", "RedRefPtr=8; RedRef=ff;\n", "");
        ps_dvm *d = dvm_calls_read();
        assert_int_equal(d->reds.n, N);
        for (int i = 0; i < N; i++) {
                assert_int_equal(d->reds.row[i].bytes, rows[i].bytes);
                assert_int_equal(d->reds.row[i].function, i + 1);
        }
        assert_int_equal(dvm_nth(d, "delred_", 0)->object, N - 1);
        ps_dvm_free(d);
}

DVM_TEST(reductions_are_of_groups)
{
        static const struct {
                const char *params;
                ps_dvm_target is;
        } target[] = {{"LoopRefPtr=3; LoopRef=cc;", {PS_DVM_T_LOOP, 0}},
                      {"AMViewRefPtr=2; AMViewRef=bb;", {PS_DVM_T_VIEW, 0}},
                      {"ArrayHeader=b1; ArrayHandlePtr=b10;", {PS_DVM_T_ARRAY, 1}},
                      {"PSRefPtr=NULL; PSRef=0;", {PS_DVM_T_PS, PS_NONE}}};
        enum { N = sizeof(target) / sizeof(target[0]) };
        dvm_calls_add("crtpl_", "Rank=2;\n", "LoopRef=cc;\n");
        dvm_calls_add("crtrg_", "StaticSign=1; DelRedSign=1;\n", "RedGroupRef=ee;\n");
        for (int i = 0; i < 2; i++)
                dvm_calls_add(
                        "crtred_",
                        "RedFuncNumb=1; RedArrayPtr=5; RedArrayType=1; RedArrayLength=1; LocArrayPtr=6; "
                        "LocElmLength=0; StaticSign=1;\n",
                        "RedRef=ff;\n");
        for (int i = 0; i < N; i++) {
                dvm_text params = {0};
                dvm_put(&params,
                        "RedGroupRefPtr=7; RedGroupRef=ee; RedRefPtr=8; RedRef=ff; %s RenewSign=%d;\n",
                        target[i].params, i % 2);
                dvm_calls_add("insred_", params.text, "");
                free(params.text);
        }
        dvm_calls_add("strtrd_",
                      "RedGroupRefPtr=7; RedGroupRef=ee;\n*** MPI_Comm Information ***\nMPI_Group:    0\n",
                      "");
        dvm_calls_add("waitrd_", "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
        dvm_calls_add("delrg_", "RedGroupRefPtr=7; RedGroupRef=ee;\n", "");
        ps_dvm *d = dvm_calls_read();
        assert_int_equal(d->red_groups.n, 1);
        for (unsigned i = 0; i < N; i++) {
                const ps_dvm_call *c = dvm_nth(d, "insred_", i);
                assert_int_equal(c->object, 0);
                assert_int_equal(c->other, 1);
                assert_int_equal(c->value, i % 2);
                assert_int_equal(c->of.target->kind, target[i].is.kind);
                assert_int_equal(c->of.target->index, target[i].is.index);
        }
        assert_int_equal(dvm_nth(d, "strtrd_", 0)->object, 0);
        assert_int_equal(dvm_nth(d, "waitrd_", 0)->object, 0);
        assert_int_equal(dvm_nth(d, "delrg_", 0)->object, 0);
        ps_dvm_free(d);
}

#define OF_GROUP "ShadowGroupRefPtr=4; ShadowGroupRef=dd; ArrayHeader=a1; ArrayHandlePtr=a10; "

/* A loop and a group with four members, one by each of the calls that insert. */
static void add_shadow_group(void)
{
        dvm_calls_add("crtpl_", "Rank=2;\n", "LoopRef=cc;\n");
        dvm_calls_add("crtshg_", "StaticSign=0;\n", "ShadowGroupRef=dd;\n");
        dvm_calls_add("inssh_",
                      OF_GROUP "FullShdSign=1;\nLowShdWidthArray[0]=-1; LowShdWidthArray[1]=0;\n"
                               "HiShdWidthArray[0]=0; HiShdWidthArray[1]=-1;\n",
                      "");
        dvm_calls_add("insshd_",
                      OF_GROUP
                      "MaxShdCount=1;\nLowShdWidthArray[0]=1; LowShdWidthArray[1]=1;\n"
                      "HiShdWidthArray[0]=1; HiShdWidthArray[1]=0;\nShdSignArray[0]=7; ShdSignArray[1]=5;\n",
                      "");
        dvm_calls_add(
                "incsh_",
                OF_GROUP
                "FullShdSign=0;\nInitDimIndex[0]=-1; InitDimIndex[1]=-1;\nLastDimIndex[0]=-1; "
                "LastDimIndex[1]=-1;\n"
                "InitLowShdIndex[0]=-1; InitLowShdIndex[1]=-1;\nLastLowShdIndex[0]=-1; "
                "LastLowShdIndex[1]=3;\n"
                "InitHiShdIndex[0]=0; InitHiShdIndex[1]=2;\nLastHiShdIndex[0]=4; LastHiShdIndex[1]=1;\n",
                "");
        dvm_calls_add("incshd_",
                      OF_GROUP
                      "MaxShdCount=2;\nInitLowShdIndex[0]=0; InitLowShdIndex[1]=0;\nLastLowShdIndex[0]=0; "
                      "LastLowShdIndex[1]=0;\n"
                      "InitHiShdIndex[0]=0; InitHiShdIndex[1]=0;\nLastHiShdIndex[0]=0; LastHiShdIndex[1]=0;\n"
                      "ShdSignArray[0]=3; ShdSignArray[1]=1;\n",
                      "");
}

DVM_TEST(shadow_widths)
{
        add_shadow_group();
        ps_dvm *d = dvm_calls_read();
        const ps_dvm_shadow *s = dvm_nth(d, "inssh_", 0)->of.shadow;
        assert_int_equal(s->array, 0);
        assert_int_equal(s->corners, 1);
        assert_int_equal(s->max_count, -1);
        assert_null(s->sign);
        dvm_calls_expect(s->low, 2, 1, 0);
        dvm_calls_expect(s->high, 2, 0, 1);
        s = dvm_nth(d, "insshd_", 0)->of.shadow;
        assert_int_equal(s->corners, 0);
        assert_int_equal(s->max_count, 1);
        dvm_calls_expect(s->sign, 2, 7, 5);
        dvm_calls_expect(s->high, 2, 1, 0);
        s = dvm_nth(d, "incsh_", 0)->of.shadow;
        assert_int_equal(s->corners, 0);
        dvm_calls_expect(s->low, 2, 1, 3);
        dvm_calls_expect(s->high, 2, 5, 0);
        s = dvm_nth(d, "incshd_", 0)->of.shadow;
        assert_int_equal(s->corners, 1);
        dvm_calls_expect(s->low, 2, 1, 1);
        ps_dvm_free(d);
}

DVM_TEST(shadow_exchanges)
{
        add_shadow_group();
        dvm_calls_add("exfrst_", "LoopRefPtr=3; LoopRef=cc; ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        dvm_calls_add("imlast_", "LoopRefPtr=3; LoopRef=cc; ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        dvm_calls_add("strtsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        dvm_calls_add("waitsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        dvm_calls_add("delshg_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        ps_dvm *d = dvm_calls_read();
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
DVM_TEST(loops_with_dependences)
{
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
        dvm_calls_add("crtshg_", "StaticSign=0;\n", "ShadowGroupRef=dd;\n");
        dvm_calls_add("crtshg_", "StaticSign=0;\n", "ShadowGroupRef=de;\n");
        for (size_t i = 0; i < 4; i++)
                dvm_calls_add("across_", cases[i].params, "ErrPipeLine=9\n");
        dvm_calls_add("recvsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        dvm_calls_add("sendsh_", "ShadowGroupRefPtr=4; ShadowGroupRef=de;\n", "");
        ps_dvm *d = dvm_calls_read();
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

DVM_TEST(buffers_of_remote_elements)
{
        dvm_calls_add("crtpl_", "Rank=1;\n", "LoopRef=cc;\n");
        dvm_calls_add(
                "crtrbl_",
                "RemArrayHeader=a1; RemArrayHandlePtr=a10; BufferHeader=b9; BasePtr=0; StaticSign=0; "
                "LoopRefPtr=3; "
                "LoopRef=cc;\n AxisArray[0]=1;  AxisArray[1]=-1;  \nCoeffArray[0]=2; CoeffArray[1]=0;  \n"
                "ConstArray[0]=1; ConstArray[1]=0;  \n",
                "BufferHandlePtr=b90; IsLocal=1\n");
        dvm_calls_add("loadrb_", "BufferHeader=b9; BufferHandlePtr=b90; RenewSign=0;\n", "");
        dvm_calls_add("waitrb_", "BufferHeader=b9; BufferHandlePtr=b90;\n", "");
        dvm_calls_add("crtrbp_",
                      "RemArrayHeader=b1; RemArrayHandlePtr=b10; BufferHeader=b9; BasePtr=0; StaticSign=0; "
                      "PSRefPtr=NULL; "
                      "PSRef=0;\nCoordArray[0]=-1; CoordArray[1]=5;\n",
                      "BufferHandlePtr=b90; IsLocal=1\n");
        dvm_calls_add("waitrb_", "BufferHeader=b9; BufferHandlePtr=b90;\n", "");
        ps_dvm *d = dvm_calls_read();
        const ps_dvm_buffer *b = &d->buffers.row[0];
        assert_int_equal(b->array, 0);
        assert_int_equal(b->loop, 0);
        dvm_calls_expect(b->section.axis, 2, 1, -1);
        dvm_calls_expect(b->section.coeff, 2, 2, 0);
        dvm_calls_expect(b->section.constant, 2, 1, 0);
        assert_int_equal(dvm_nth(d, "loadrb_", 0)->object, 0);
        assert_int_equal(dvm_nth(d, "loadrb_", 0)->value, 0);
        assert_int_equal(dvm_nth(d, "waitrb_", 0)->object, 0);
        b = &d->buffers.row[1];
        assert_int_equal(b->array, 1);
        assert_int_equal(b->loop, PS_NONE);
        assert_int_equal(b->ps, PS_NONE);
        dvm_calls_expect(b->coord, 2, -1, 5);
        assert_int_equal(dvm_nth(d, "waitrb_", 1)->object, 1);
        ps_dvm_free(d);
}
