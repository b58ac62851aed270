/* test_calls.c - what each function of Lib-DVM is given, as it is printed and as it is understood. */
#include "tests/reader/dvm/calls.h"
#include "tests/reader/dvm/lab.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

DVM_TEST(a_program_sets_up_template_and_arrays)
{
        ps_dvm *d = dvm_calls_read();
        assert_int_equal(d->rts_version, 2884);
        assert_int_equal(d->n_processors, 1);
        assert_int_equal(d->virtual_rank, 0);
        assert_int_equal(d->views.n, 1);
        assert_int_equal(d->views.row[0].am, 0);
        assert_int_equal(d->views.row[0].rank, 2);
        dvm_calls_expect(d->views.row[0].size, 2, 4, 6);
        assert_int_equal(dvm_nth(d, "crtamv_", 0)->object, 0);
        const ps_dvm_distr *distr = dvm_nth(d, "distr_", 0)->of.distr;
        assert_int_equal(distr->view, 0);
        assert_int_equal(distr->array, PS_NONE);
        assert_int_equal(distr->ps, PS_NONE);
        assert_int_equal(distr->n, 1);
        dvm_calls_expect(distr->axis, 1, 1);
        dvm_calls_expect(distr->param, 1, 0);
        assert_int_equal(d->arrays.n, 2);
        assert_int_equal(d->arrays.row[1].element_bytes, 8);
        dvm_calls_expect(d->arrays.row[1].size, 2, 4, 6);
        dvm_calls_expect(d->arrays.row[1].low, 2, 1, 1);
        dvm_calls_expect(d->arrays.row[1].high, 2, 1, 1);
        assert_int_equal(dvm_nth(d, "crtda_", 1)->object, 1);
        const ps_dvm_align *align = dvm_nth(d, "align_", 1)->of.align;
        assert_int_equal(align->array, 1);
        assert_int_equal(align->view, 0);
        assert_int_equal(align->pattern, PS_NONE);
        assert_int_equal(align->map.n, 2);
        dvm_calls_expect(align->map.axis, 2, 1, 2);
        dvm_calls_expect(align->map.coeff, 2, 1, 1);
        dvm_calls_expect(align->map.constant, 2, 0, 0);
        ps_dvm_free(d);
}

DVM_TEST(calls_have_their_times_and_places)
{
        dvm_calls_add("getlen_", "ArrayHeader=a1; ArrayHandlePtr=a10;\n", "Res=4;\n");
        ps_dvm *d = dvm_calls_read();
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

DVM_TEST(machines_and_processor_systems)
{
        dvm_calls_add("getps_", "AMRefPtr=1; AMRef=aa;\n", "PSRef=50;\n");
        dvm_calls_add("getps_", "AMRefPtr=1; AMRef=aa;\n", "PSRef=50;\n");
        dvm_calls_add("crtps_",
                      "PSRefPtr=1; PSRef=50; StaticSign=0;\nInitIndexArray[0]=0; InitIndexArray[1]=2; \n"
                      "LastIndexArray[0]=3; LastIndexArray[1]=3; \n",
                      "PSRef=51;\n");
        dvm_calls_add("psview_",
                      "PSRefPtr=NULL; PSRef=0; Rank=3; StaticSign=0;\nSizeArray[0]=2; SizeArray[1]=1; "
                      "SizeArray[2]=8;\n",
                      "PSRef=52;\n");
        dvm_calls_add("getamr_", "AMViewRefPtr=2; AMViewRef=bb;\nIndexArray[0]=3; IndexArray[1]=5;\n",
                      "AMRef=ab;\n");
        dvm_calls_add("getamr_", "AMViewRefPtr=2; AMViewRef=bb;\nIndexArray[0]=3; IndexArray[1]=5;\n",
                      "AMRef=ab;\n");
        dvm_calls_add("mapam_", "AMRefPtr=1; AMRef=ab; PSRefPtr=1; PSRef=51;\n", "");
        dvm_calls_add("runam_", "AMRefPtr=1; AMRef=ab;\n", "Run=0;\n");
        dvm_calls_add("stopam_", "", "");
        dvm_calls_add("delps_", "PSRefPtr=1; PSRef=52;\n", "");
        ps_dvm *d = dvm_calls_read();
        assert_int_equal(d->pss.n, 3);
        assert_int_equal(d->pss.row[0].kind, PS_DVM_PS_OF_AM);
        assert_int_equal(d->pss.row[0].am, 0);
        assert_int_equal(dvm_nth(d, "getps_", 1)->object, 0);
        assert_int_equal(d->pss.row[1].kind, PS_DVM_PS_PART);
        assert_int_equal(d->pss.row[1].parent, 0);
        dvm_calls_expect(d->pss.row[1].first, 2, 0, 2);
        dvm_calls_expect(d->pss.row[1].last, 2, 3, 3);
        assert_int_equal(d->pss.row[2].kind, PS_DVM_PS_SHAPE);
        assert_int_equal(d->pss.row[2].parent, PS_NONE);
        dvm_calls_expect(d->pss.row[2].size, 3, 2, 1, 8);
        assert_int_equal(dvm_nth(d, "crtps_", 0)->object, 1);
        assert_int_equal(dvm_nth(d, "delps_", 0)->object, 2);
        assert_int_equal(d->ams.n, 2);
        assert_int_equal(d->ams.row[1].view, 0);
        dvm_calls_expect(d->ams.row[1].index, 2, 3, 5);
        assert_int_equal(dvm_nth(d, "getamr_", 1)->object, 1);
        assert_int_equal(dvm_nth(d, "mapam_", 0)->object, 1);
        assert_int_equal(dvm_nth(d, "mapam_", 0)->other, 1);
        assert_int_equal(dvm_nth(d, "runam_", 0)->object, 1);
        assert_int_equal(dvm_nth(d, "runam_", 0)->value, 0);
        assert_int_equal(dvm_nth(d, "stopam_", 0)->form, PS_DVM_F_NONE);
        ps_dvm_free(d);
}

DVM_TEST(weights_and_blocks)
{
        dvm_calls_add(
                "setelw_",
                "PSRefPtr=NULL; PSRef=0; AMViewRefPtr=2; AMViewRef=bb;\nAddrNumber=2;\nWeightNumber[0]=1; "
                "WeightNumber[1]=2; \nLoadWeight[0]=1.50; LoadWeight[1]=0.25; LoadWeight[2]=3.00; \n",
                "");
        dvm_calls_add("blkdiv_",
                      "AMViewRefPtr=2; AMViewRef=bb; AMVAxisCount=2\nAMVAxisDiv[0]=1 AMVAxisDiv[1]=3  \n",
                      "");
        ps_dvm *d = dvm_calls_read();
        const ps_dvm_call *c = dvm_nth(d, "setelw_", 0);
        assert_int_equal(c->object, 0);
        assert_int_equal(c->other, PS_NONE);
        assert_int_equal(c->of.weights->n, 2);
        dvm_calls_expect(c->of.weights->count, 2, 1, 2);
        assert_int_equal(c->of.weights->n_weights, 3);
        assert_true(c->of.weights->weight[0] == 1.5 && c->of.weights->weight[1] == 0.25 &&
                    c->of.weights->weight[2] == 3);
        c = dvm_nth(d, "blkdiv_", 0);
        assert_int_equal(c->object, 0);
        assert_int_equal(c->of.blocks->n, 2);
        dvm_calls_expect(c->of.blocks->divisor, 2, 1, 3);
        ps_dvm_free(d);
}

DVM_TEST(data_are_laid_out_anew)
{
        dvm_calls_add(
                "redis_",
                "ArrayHeader=b1; ArrayHandlePtr=b10; PSRefPtr=NULL; PSRef=0; ParamCount=2; NewSign=1f;\n"
                "      AxisArray[0]=0;       AxisArray[1]=2;  \nDistrParamArray[0]=0; DistrParamArray[1]=0;  "
                "\n",
                "IsLocal=1;\n");
        dvm_calls_add("redis_",
                      "AMViewRefPtr=2; AMViewRef=bb; PSRefPtr=NULL; PSRef=0; ParamCount=1; NewSign=0;\n"
                      "AxisArray[0]=2;\nDistrParamArray[0]=0;\n",
                      "IsLocal=1;\n");
        dvm_calls_add("realn_",
                      "ArrayHeader=b1; ArrayHandlePtr=b10; PatternRefPtr=a1; PatternRef=a10 (DisArray); "
                      "NewSign=0;\n"
                      " AxisArray[0]=-1;  AxisArray[1]=1;  \nCoeffArray[0]=0; CoeffArray[1]=-2;  \n"
                      "ConstArray[0]=0; ConstArray[1]=9;  \n",
                      "IsLocal=1\n");
        ps_dvm *d = dvm_calls_read();
        const ps_dvm_distr *distr = dvm_nth(d, "redis_", 0)->of.distr;
        assert_int_equal(distr->array, 1);
        assert_int_equal(distr->view, 0);
        assert_int_equal(distr->fresh, 1);
        dvm_calls_expect(distr->axis, 2, 0, 2);
        distr = dvm_nth(d, "redis_", 1)->of.distr;
        assert_int_equal(distr->array, PS_NONE);
        assert_int_equal(distr->view, 0);
        assert_int_equal(distr->fresh, 0);
        const ps_dvm_align *align = dvm_nth(d, "realn_", 0)->of.align;
        assert_int_equal(align->array, 1);
        assert_int_equal(align->view, PS_NONE);
        assert_int_equal(align->pattern, 0);
        assert_int_equal(align->fresh, 0);
        dvm_calls_expect(align->map.axis, 2, -1, 1);
        dvm_calls_expect(align->map.coeff, 2, 0, -2);
        dvm_calls_expect(align->map.constant, 2, 0, 9);
        ps_dvm_free(d);
}

DVM_TEST(copies_between_arrays_and_buffers)
{
        dvm_calls_add("arrcpy_",
                      "FromArrayHeader=a1; FromArrayHandlePtr=a10; ToArrayHeader=b1; ToArrayHandlePtr=b10; "
                      "CopyRegim=0;\n"
                      "FromInitIndexArray[0]=0; FromInitIndexArray[1]=-1;  \nFromLastIndexArray[0]=3; "
                      "FromLastIndexArray[1]=0;\n"
                      "     FromStepArray[0]=3;      FromStepArray[1]=1;  \n"
                      "  ToInitIndexArray[0]=1;   ToInitIndexArray[1]=0;  \n  ToLastIndexArray[0]=2;   "
                      "ToLastIndexArray[1]=5;  \n"
                      "       ToStepArray[0]=1;        ToStepArray[1]=1;  \n",
                      "Res=12;\n");
        dvm_calls_add(
                "aarrcp_",
                "FromBufferPtr=7fff; ToArrayHeader=b1; ToArrayHandlePtr=b10; CopyRegim=2; CopyFlagPtr=9;\n"
                "ToInitIndexArray[0]=0; ToInitIndexArray[1]=0;\nToLastIndexArray[0]=0; "
                "ToLastIndexArray[1]=0;\n"
                "ToStepArray[0]=1; ToStepArray[1]=1;\n",
                "");
        dvm_calls_add("waitcp_", "CopyFlagPtr=9;\n", "");
        ps_dvm *d = dvm_calls_read();
        const ps_dvm_call *c = dvm_nth(d, "arrcpy_", 0);
        assert_int_equal(c->value, 12);
        assert_int_equal(c->of.copy->from.array, 0);
        dvm_calls_expect(c->of.copy->from.first, 2, 0, -1);
        dvm_calls_expect(c->of.copy->from.last, 2, 3, 0);
        dvm_calls_expect(c->of.copy->from.step, 2, 3, 1);
        assert_int_equal(c->of.copy->to.array, 1);
        dvm_calls_expect(c->of.copy->to.first, 2, 1, 0);
        dvm_calls_expect(c->of.copy->to.last, 2, 2, 5);
        c = dvm_nth(d, "aarrcp_", 0);
        assert_int_equal(c->value, -1);
        assert_int_equal(c->of.copy->regime, 2);
        assert_int_equal(c->of.copy->from.array, PS_NONE);
        assert_int_equal(c->of.copy->from.rank, 0);
        assert_ptr_equal(dvm_nth(d, "waitcp_", 0)->of.copy, c->of.copy);
        ps_dvm_free(d);
}

DVM_TEST(intervals_are_a_tree)
{
        for (int i = 0; i < 3; i++) {
                dvm_text params = {0};
                dvm_put(&params, "nfrag=4; index=%d UserInter=0;\n", i / 2);
                dvm_calls_add_at(20, "binter_", params.text, "");
                dvm_calls_add_at(21, "bploop_", "nfrag=1\n", "");
                dvm_calls_add_at(22, i ? "enloop_" : "eloop_", "nfrag=1; nline=21\n", "");
                dvm_calls_add_at(21, "bsloop_", "nfrag=1\n", "");
                dvm_calls_add_at(22, "enloop_", "nfrag=1; nline=21\n", "");
                dvm_calls_add_at(23, "einter_", "nfrag=4; nline=20\n", "");
                free(params.text);
        }
        dvm_calls_add_at(30, "binter_", "nfrag=1; UserInter=0;\n", "");
        dvm_calls_add_at(31, "einter_", "nfrag=1; nline=30\n", "");
        ps_dvm *d = dvm_calls_read();
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

DVM_TEST(input_and_output)
{
        dvm_calls_add("biof_", "", "");
        dvm_calls_add("srmem_",
                      "MemoryCount=2;\nStartAddrArray[0]=7ffc; StartAddrArray[1]=8ffc;\nLengthArray[0]=10; "
                      "LengthArray[1]=8;\n",
                      "");
        dvm_calls_add("eiof_", "", "");
        dvm_calls_add("dvm_fopen", "Filename=a b.dat; Type=wb;\n", "Res=106d7d8;\n");
        dvm_calls_add("dvm_fwrite", "ArrayHeader=a1; ArrayHandlePtr=a10; Size=8; Count=24; Stream=106d7d8;\n",
                      "Res=24;\n");
        dvm_calls_add("dvm_void_printf", "Format=JAC1 STARTED\n", "");
        ps_dvm *d = dvm_calls_read();
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
DVM_TEST(ordinary_functions_take_time)
{
        for (int f = 0; f < PS_DVM_UNKNOWN; f++)
                if (ps_dvm_infos[f].cls == PS_DVM_C_ORDINARY)
                        dvm_calls_add(ps_dvm_infos[f].name, "ArrayHeader=77; ObjectRef=88; Anything=[1];\n",
                                      "Res=1; Rank=2;\n");
        ps_dvm *d = dvm_calls_read();
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

DVM_TEST(what_is_not_known_is_counted)
{
        for (int i = 0; i < 3; i++)
                dvm_calls_add("dvmh_new_", "Some=1;\n", "");
        dvm_calls_add("recvla_", "ShadowGroupRefPtr=4; ShadowGroupRef=dd;\n", "");
        dvm_calls_add("other_", "", "");
        ps_dvm *d = dvm_calls_read();
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
