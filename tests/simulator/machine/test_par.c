/* test_par.c - the parameter files of DVM's Predictor of both generations, and LMO as text. */
#include "simulator/cost/models.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFUSED(text, ...)                                                                                   \
        do {                                                                                                 \
                const char *const words[] = {__VA_ARGS__};                                                   \
                expect_refused(text, words, (int)(sizeof(words) / sizeof(words[0])));                        \
        } while (0)

TEST(the_documents_example)
{
        ps_machine *m = machine_of("// System type = network | transputer\r\n"
                                   "type = network;\r\n"
                                   "   // Communication characteristics (mks)\n"
                                   "start time = 75;\n"
                                   "send byte time = 0.2;\n"
                                   "// Comparative processors performance\n"
                                   "power = 1.00;\n"
                                   "topology = {2, 2};");
        assert_int_equal(m->model, PS_MODEL_BUS);
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), PS_US(275));
        assert_true(m->grid_rank == 2 && m->grid[0] == 2 && m->grid[1] == 2);
        assert_true(m->cpu_ratio == 1);
        ps_machine_free(m);
}

TEST(words_and_order_are_free)
{
        ps_machine *m = machine_of("SEND=0.2;POWER = 2.5 ; Topology={3,2:5};\nStart = 7.5e1; scale=2;\n"
                                   "TYPE=Myrinet ( 3 );weight = { 1.5, 2(3), 0.5 };search=5;");
        assert_int_equal(m->model, PS_MODEL_MYRINET);
        assert_int_equal(m->channels, 3);
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), PS_US(550));
        assert_true(m->cpu_ratio == 2.5);
        assert_true(m->grid_rank == 2 && m->grid[0] == 3 && m->grid[1] == 4);
        assert_int_equal(m->block_weights.n, 5);
        assert_true(m->block_weights.row[0] == 1.5 && m->block_weights.row[3] == 2 &&
                    m->block_weights.row[4] == 0.5);
        ps_machine_free(m);
        m = machine_of("type=transputer; start time=0; send=0;");
        assert_int_equal(m->model, PS_MODEL_TRANSPUTER);
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), 0);
        ps_machine_free(m);
}

#define TIMES "type = ethernet; start = 75; send = 0.2; "

TEST(powers_and_mapping)
{
        ps_machine *m = machine_of(TIMES "procpowers = { 1 { 0 0 : 1.5 , 1 2 : 2.5 , 3 4 : 3.5 }};");
        assert_int_equal(m->cpu_ratios.n, 5);
        assert_true(m->cpu_ratios.row[0] == 1.5 && m->cpu_ratios.row[2] == 2.5 &&
                    m->cpu_ratios.row[4] == 3.5);
        ps_machine_free(m);
        m = machine_of(TIMES "procpowers = {1 {0 3 : 2, 4 5 : 3}}; procpowers = {7 {0 1 : 4}};"
                             " mapping = {1 : 1 5 : 2, 7 : 0 0 : 1};");
        assert_int_equal(m->cpu_ratios.n, 4); /* 1, 3, 5 of cluster 1, 0 of cluster 7 */
        assert_true(m->cpu_ratios.row[0] == 2 && m->cpu_ratios.row[2] == 3 && m->cpu_ratios.row[3] == 4);
        ps_machine_free(m);
}

TEST(slips_are_told_with_line_and_column)
{
        REFUSED("type = netwrk;", "line=1, column=8", "network");
        REFUSED("type = network;\nstrat = 3;", "line=2, column=1", "did you mean start?");
        REFUSED("type = network;\nstart = 3\nsend = 4;", "line=3, column=1", "';'");
        REFUSED("type = network; start = 3;", "send is missing");
        REFUSED("type = network; type = network;", "twice");
        REFUSED(TIMES "topology = {2, 2, 2, 2, 2};", "more than 4 dimensions");
        REFUSED(TIMES "topology = {0};", "1 to 1048576");
        REFUSED(TIMES "topology = {1048576, 2};", "1 to 1048576");
        REFUSED(TIMES "topology = {4:2};", "column=56", "less than 4");
        REFUSED(TIMES "topology = {2", "column=55", "'}'");
        REFUSED(TIMES "power = 0;", "0 is not between");
        REFUSED(TIMES "power = -1;", "-1 is not between");
        REFUSED(TIMES "power = 1e999;", "1e999 is not between");
        REFUSED(TIMES "power = x;", "number");
        REFUSED("type = ethernet; start = 1e12; send = 0.2; scale = 2;", "scale makes");
        REFUSED(TIMES "search = 4;", "search is");
        REFUSED(TIMES "weight = {1(0)};", "less than 1");
        REFUSED(TIMES "weight = {1(1048576), 1};", "more than 1048576");
        REFUSED(TIMES "mapping = {1 : 0 1 : 1};", "no cluster 1");
        REFUSED(TIMES "procpowers = {1 {0 1 : 2}}; mapping = {1 : 0 2 : 1};", "has 2 processors");
        REFUSED(TIMES "procpowers = {1 {1 2 : 2}};", "next processor of this cluster is 0");
        REFUSED(TIMES "procpowers = {1 {0 1 : 2}}; procpowers = {1 {0 1 : 2}};", "twice");
        REFUSED("type = myrinet; start = 1; send = 1;", "'('");
        REFUSED("type = myrinet(0);", "less than 1");
        REFUSED("start = 1e13;", "not between");
        REFUSED("send = 1e-13;", "too small");
        REFUSED("hello", "hello is not known");
        REFUSED("= 3;", "keyword");
        REFUSED("type = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;",
                "longer than 63");
}

static const char nci[] = "//     cluster = string\n"
                          "cluster = NCI;\n"
                          "search=0;\n"
                          "NCI = {512 x NCIP1};\n"
                          "NCI.CommType = myrinet (1);\n"
                          "NCI.TStart = 9;\n"
                          "NCI.TByte = 0.0125;\n"
                          "NCIP1 = 1.00;\n";

TEST(clusters_may_be_like_another)
{
        ps_machine *m = machine_of(nci);
        assert_int_equal(m->model, PS_MODEL_CLUSTER);
        assert_int_equal(ps_machine_ranks(m), 512);
        assert_int_equal(ps_machine_p2p(m, 0, 511, 1000), PS_US(9 + 12.5));
        ps_machine_free(m);
        m = machine_of("cluster = top; node = {2 x cpu, fast}; top = {3 x node, cpu};\n"
                       "node.commtype = ethernet; node.tstart = 1; node.tbyte = 0.001;\n"
                       "top.CommType = myrinet(4); top.TStart = 7; top.TByte = 0.004; cpu = 1; fast = 3.5;");
        assert_int_equal(ps_machine_ranks(m), 10);
        assert_int_equal(m->clusters[m->n_clusters - 1].channels, 4);
        assert_int_equal(ps_machine_p2p(m, 3, 5, 1000), PS_US(2));
        assert_int_equal(ps_machine_p2p(m, 2, 3, 1000), PS_US(11));
        assert_int_equal(ps_machine_p2p(m, 8, 9, 1000), PS_US(11));
        assert_true(ps_machine_cpu_ratio(m, 8) == 3.5 && ps_machine_cpu_ratio(m, 9) == 1);
        ps_machine_free(m);
        m = machine_of("cluster = a; a = {2 x b}; a.CommType = b.CommType; b = {2 x c}; c = 1;\n"
                       "b.CommType = myrinet(2); b.TStart = 1; b.TByte = 0.001;");
        assert_int_equal(ps_machine_p2p(m, 0, 3, 1000), PS_US(2));
        assert_int_equal(m->clusters[m->n_clusters - 1].channels, 2);
        ps_machine_free(m);
}

#define COMM(name) #name ".CommType = ethernet; " #name ".TStart = 1; " #name ".TByte = 1; "

TEST(slips_of_clusters)
{
        REFUSED("cluster = a; a = {2 x b}; " COMM(a) "b = {2 x a}; " COMM(b), "part of itself");
        REFUSED("cluster = a;\na = {2 x b}; " COMM(a), "line=2, column=10", "b: it is not defined");
        REFUSED("cluster = a; a = {2 x b}; b = 1;", "needs CommType");
        REFUSED("cluster = a; a = {2 x b}; " COMM(a) "b = 1; b = 1;", "defined twice");
        REFUSED("cluster = a; a = 1;", "must be a cluster");
        REFUSED("cluster = a; a = {2 y b};", "there must be x");
        REFUSED("cluster = a; a = {0 x b};", "less than 1");
        REFUSED("cluster = a; cluster = b;", "twice");
        REFUSED("cluster = a; a.tstop = 1;", "tstop is not");
        REFUSED("cluster = a; a.tstart = 1; a.tstart = 1;", "tstart is there twice");
        REFUSED("cluster = a; a.CommType = b.TStart;", "CommType");
        REFUSED("cluster = a; a = {b}; b = 1; a.CommType = a.CommType; ", "leads to none");
        REFUSED("cluster = a; a = {1000000 x b}; " COMM(a) "b = {1000 x c}; " COMM(b) "c = 1;", "too many");
}

TEST(an_lmo_machine_prints_and_reads_back)
{
        ps_machine *m = machine_of(lmo_example), *copy;
        char *json;
        assert_int_equal(ps_machine_print(&json, m, NULL), PS_OK);
        copy = machine_of(json);
        assert_int_equal(ps_machine_p2p(copy, 2, 3, 65536), PS_US(1491.488));
        ps_machine_free(copy);
        ps_machine_free(m);
        m = machine_of("lmo n 2 c 0 0 t 0 0 l - 1 1 - beta - inf inf -");
        assert_true(isinf(m->lmo.bandwidth_bytes_per_s[1]) && isinf(m->lmo.gather_low_bytes));
        ps_machine_free(m);
        free(json);
        REFUSED("LMO\nn 2 c 0 0 t 0 0 l - 1 1 -", "beta is missing");
        REFUSED("LMO\nc 0", "line=2, column=1", "n must come first");
        REFUSED("LMO n 2 c 0 0 0", "is not n, S, M1");
        REFUSED("LMO n 0", "less than 1");
        REFUSED("LMO n 1025", "more than 1024");
        REFUSED("LMO n 2 n 2", "twice");
        REFUSED("LMO n 2 c 0 -1", "-1 is not between");
        REFUSED("LMO n 2 c 0 inf", "number");
        REFUSED("LMO n 2 beta - 0 0 -", "0 is not between");
}
