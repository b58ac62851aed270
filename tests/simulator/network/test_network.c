/* test_network.c - networks: what a graph file may say, what is wrong with it and where, and the presets. */
#include "simulator/network/network.h"
#include "tests/simulator/network/lab.h"
#include "tests/support/test.h"
#include <stdlib.h>
#include <string.h>

static void expect_link(const ps_network *network, uint32_t from, uint32_t to, double weight)
{
        uint32_t found = ps_network_find(network, from, to);
        assert_true(found < ps_network_links(network));
        ps_network_link link = ps_network_link_at(network, found);
        assert_int_equal(link.from, from);
        assert_int_equal(link.to, to);
        assert_true(link.weight == weight);
}

TEST(reads_the_graph_of_the_thesis)
{
        ps_network *network = lab_parse(lab_tree4);
        assert_int_equal(ps_network_nodes(network), 7);
        assert_int_equal(ps_network_links(network), 12);
        expect_link(network, 0, 4, 1);
        expect_link(network, 6, 5, 3);
        assert_int_equal(ps_network_find(network, 0, 1), PS_NONE);
        assert_int_equal(ps_network_find(network, 6, 6), PS_NONE);
        assert_int_equal(ps_network_find(network, 7, 0), PS_NONE);
        assert_int_equal(ps_network_check(network, 4, NULL), PS_OK);
        char *text = lab_write(network);
        assert_string_equal(text, lab_tree4);
        free(text);
        ps_network_free(network);
}

/* Neither lines nor the order of nodes and neighbours mean anything. */
TEST(reads_tokens_in_any_order)
{
        ps_network *network = lab_parse(" 3 2 -1\r\n1\t0 2.5 2 1e-3 -1 0 -1");
        char *text = lab_write(network);
        assert_string_equal(text, "3\n0 -1\n1 0 2.5 2 0.001 -1\n2 -1\n");
        free(text);
        ps_network_free(network);
}

TEST(weights_are_read_to_the_last_digit)
{
        ps_network *network = lab_parse("2 0 1 0.1 -1 1 0 0.30000000000000004 -1");
        expect_link(network, 0, 1, 0.1);
        expect_link(network, 1, 0, 0.30000000000000004);
        ps_network_free(network);
}

TEST(reads_the_given_files)
{
        ps_network *tree4 = lab_given("net_tree4.txt"), *tree = lab_given("net_tree16.txt");
        ps_network *mesh = lab_given("net_mesh4x4.txt");
        if (!tree4 || !tree || !mesh)
                skip();
        const struct {
                ps_network *given, *own;
        } pairs[] = {{tree4, lab_parse(lab_tree4)},
                     {tree, lab_preset("tree", 16)},
                     {mesh, lab_preset("mesh", 16)}};
        for (int i = 0; i < 3; i++) {
                char *given = lab_write(pairs[i].given), *own = lab_write(pairs[i].own);
                assert_string_equal(given, own);
                free(given);
                free(own);
                ps_network_free(pairs[i].given);
                ps_network_free(pairs[i].own);
        }
}

/* -- what is wrong -- */

static void expect_error(const char *text, size_t len, const char *message)
{
        ps_network *network = NULL;
        ps_error err = {0};
        char *copy = malloc(len ? len : 1); /* of the exact size, so that sanitizers see its end */
        memcpy(copy, text, len);
        assert_int_equal(ps_network_parse(&network, "net.txt", copy, len, &err), PS_E_INPUT);
        free(copy);
        assert_null(network);
        assert_int_equal(err.n_causes, 2);
        assert_string_equal(err.cause[0].text, message);
        assert_string_equal(err.cause[1].text, "cannot read the network: path=\"net.txt\"");
}

#define COUNT  "count of nodes must be a number from 1 to 1048576: "
#define FEWER  "there are fewer nodes than the first number says: "
#define NODE   "node must be a number below the count of nodes: "
#define PEER   "neighbour must be a node or -1: "
#define WEIGHT "weight must be a positive number (1e-100 to 1e100): "

TEST(says_what_is_wrong_and_where)
{
        static const struct {
                const char *text, *message;
        } cases[] = {
                {"", COUNT "line=1, column=1, found=end of file"},
                {" \n\n", COUNT "line=3, column=1, found=end of file"},
                {"0", COUNT "line=1, column=1, found=\"0\""},
                {"-2 0 -1", COUNT "line=1, column=1, found=\"-2\""},
                {"1048577 0 -1", COUNT "line=1, column=1, found=\"1048577\""},
                {"18446744073709551617 0 -1", COUNT "line=1, column=1, found=\"18446744073709551617\""},
                {"seven\"\x01\xff", COUNT "line=1, column=1, found=\"seven???\""},
                {"1000000 0 -1", FEWER "line=1, column=1, found=\"1000000\""},
                {"2\n0 1 1 -1    \n  ", FEWER "line=3, column=3, found=end of file"},
                {"2\n0 -1\n2 -1", NODE "line=3, column=1, found=\"2\""},
                {"2\n0 -1\n-1", NODE "line=3, column=1, found=\"-1\""},
                {"2\n0 -1\n0 -1", "a node is described twice: line=3, column=1, found=\"0\""},
                {"2\n0 2 1 -1\n1 -1", PEER "line=2, column=3, found=\"2\""},
                {"2\n0 -7 1 -1\n1 -1", PEER "line=2, column=3, found=\"-7\""},
                {"2\n0 1. 1 -1\n1 -1", PEER "line=2, column=3, found=\"1.\""},
                {"2\n0 0 1 -1\n1 -1", "a node has a link to itself: line=2, column=3, found=\"0\""},
                {"2\n0 1 1 1 2 -1\n1 -1", "a node has two links to the same neighbour (or a -1 is missing "
                                          "before): line=2, column=7, found=\"1\""},
                {"2\n0 1 -1\n1 -1",
                 "a neighbour has no weight (or a -1 is missing before): line=2, column=5, found=\"-1\""},
                {"2\n0 1 0 -1\n1 -1", WEIGHT "line=2, column=5, found=\"0\""},
                {"2\n0 1 -0.5 -1\n1 -1", WEIGHT "line=2, column=5, found=\"-0.5\""},
                {"2\n0 1 nan -1\n1 -1", WEIGHT "line=2, column=5, found=\"nan\""},
                {"2\n0 1 inf -1\n1 -1", WEIGHT "line=2, column=5, found=\"inf\""},
                {"2\n0 1 0x10 -1\n1 -1", WEIGHT "line=2, column=5, found=\"0x10\""},
                {"2\n0 1 1e400 -1\n1 -1", WEIGHT "line=2, column=5, found=\"1e400\""},
                {"2\n0 1 1e-400 -1\n1 -1", WEIGHT "line=2, column=5, found=\"1e-400\""},
                {"2\n0 1 1,5 -1\n1 -1", WEIGHT "line=2, column=5, found=\"1,5\""},
                {"2\n0 1 1e -1\n1 -1", WEIGHT "line=2, column=5, found=\"1e\""},
                {"2\n0 1 11111111111111111111111111111111111111111111111 -1\n1 -1",
                 WEIGHT "line=2, column=5, found=\"111111111111111111111111\""},
                {"2\n1 -1\n0 1", WEIGHT "line=3, column=4, found=end of file"},
                {"2\n0 -1\n1 0 1", "the -1 after a node is missing: line=3, column=6, found=end of file"},
                {"1\n0 -1\n1 -1", "there is something behind the last node: line=3, column=1, found=\"1\""},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
                expect_error(cases[i].text, strlen(cases[i].text), cases[i].message);
        expect_error("1\n0 \0-1", 7, PEER "line=2, column=3, found=\"?-1\"");
}

TEST(every_beginning_of_a_file_is_an_error)
{
        for (size_t len = 0; len + 1 < strlen(lab_tree4);
             len++) { /* without the last line feed it is whole */
                ps_network *network = NULL;
                assert_int_equal(ps_network_parse(&network, "net.txt", lab_tree4, len, NULL), PS_E_INPUT);
        }
}

TEST(files_that_are_none)
{
        ps_network *network = NULL;
        ps_error err = {0};
        assert_int_equal(ps_network_open(&network, "/nonexistent/net", 4, &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "cannot open the network: path=\"/nonexistent/net\""));
        assert_non_null(strstr(err.cause[1].text, "presets=\"crossbar, fattree, hypercube, mesh"));
        assert_int_equal(ps_network_read(&network, "/", &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "cannot read the network: path=\"/\""));
        assert_null(network);
}

static void expect_no_way(const char *text, uint32_t n_processors, const char *message)
{
        ps_network *network = lab_parse(text);
        ps_error err = {0};
        assert_int_equal(ps_network_check(network, n_processors, &err), message ? PS_E_INPUT : PS_OK);
        if (message)
                assert_string_equal(err.cause[0].text, message);
        ps_network_free(network);
}

TEST(processors_must_reach_each_other)
{
        /* 0 -> 1 -> 0, and 2 -> 0: nobody reaches 2. */
        static const char two[] = "3 0 1 1 -1 1 0 1 -1 2 0 1 -1";
        expect_no_way(two, 2, NULL);
        expect_no_way(two, 3, "the network has no path between two processors: from=0, to=2");
        expect_no_way("3 0 1 1 2 1 -1 1 0 1 -1 2 -1", 3,
                      "the network has no path between two processors: from=2, to=0");
        expect_no_way(two, 4, "the network is too small: nodes=3, processors=4");
        expect_no_way("4 0 1 1 -1 1 2 1 -1 2 3 1 -1 3 0 1 -1", 4, NULL);
}

/* -- presets -- */

static void expect_same_after_writing(const char *spec, uint32_t n_processors, uint32_t nodes, uint32_t links)
{
        ps_network *network = lab_preset(spec, n_processors);
        assert_int_equal(ps_network_nodes(network), nodes);
        assert_int_equal(ps_network_links(network), links);
        char *text = lab_write(network);
        ps_network *again = lab_parse(text);
        char *written = lab_write(again);
        assert_string_equal(text, written);
        assert_int_equal(ps_network_check(again, n_processors, NULL), PS_OK);
        for (uint32_t i = 0; i < links; i++) {
                ps_network_link a = ps_network_link_at(network, i), b = ps_network_link_at(again, i);
                assert_true(a.from == b.from && a.to == b.to && a.weight == b.weight);
                assert_int_equal(ps_network_find(network, a.from, a.to), i);
        }
        free(text);
        free(written);
        ps_network_free(network);
        ps_network_free(again);
}

TEST(presets_have_the_right_size)
{
        expect_same_after_writing("ring", 5, 5, 10);
        expect_same_after_writing("ring", 2, 2, 2);
        expect_same_after_writing("ring", 1, 1, 0);
        expect_same_after_writing("mesh", 12, 12, 34);       /* 3x4: 2*4 + 3*3 pairs */
        expect_same_after_writing("mesh", 7, 7, 12);         /* 1x7 */
        expect_same_after_writing("mesh:3x3", 7, 9, 24);     /* two are switches */
        expect_same_after_writing("mesh:4x3x2", 24, 24, 92); /* 3*6 + 2*8 + 12 pairs */
        expect_same_after_writing("torus:4x4", 16, 16, 64);  /* four neighbours each */
        expect_same_after_writing("torus:2x3", 6, 6, 18);    /* 1 + 2 */
        expect_same_after_writing("hypercube", 16, 16, 64);  /* four each */
        expect_same_after_writing("hypercube", 1, 1, 0);
        expect_same_after_writing("tree", 16, 31, 60);
        expect_same_after_writing("tree:4", 16, 21, 40); /* 16 + 4 + 1 */
        expect_same_after_writing("tree", 5, 11, 20);    /* 5 + 3 + 2 + 1 */
        expect_same_after_writing("tree", 1, 1, 0);
        expect_same_after_writing("star", 6, 7, 12);
        expect_same_after_writing("star", 1, 1, 0);
        expect_same_after_writing("fattree:3@0.1", 9, 13, 24);
        expect_same_after_writing("crossbar", 9, 9, 72);
        expect_same_after_writing("crossbar@2.5", 1, 1, 0);
}

TEST(presets_link_the_right_nodes)
{
        ps_network *ring = lab_preset("ring@2.5", 5), *torus = lab_preset("torus:3x4", 12);
        expect_link(ring, 4, 0, 2.5);
        expect_link(ring, 0, 4, 2.5);
        assert_int_equal(ps_network_find(ring, 0, 2), PS_NONE);
        expect_link(torus, 1, 9, 1); /* column 1 from row 0 to 2 */
        expect_link(torus, 4, 7, 1); /* row 1 from column 0 to 3 */
        assert_int_equal(ps_network_find(torus, 3, 4), PS_NONE);
        ps_network_free(ring);
        ps_network_free(torus);
        /* The links from leaves to the root: 2, 4, 8; all eight leaves could send through it at once. */
        ps_network *fat = lab_preset("fattree@2", 16);
        expect_link(fat, 15, 23, 2);
        expect_link(fat, 23, 27, 4);
        expect_link(fat, 27, 29, 8);
        expect_link(fat, 29, 30, 16);
        expect_link(fat, 30, 28, 16);
        ps_network_free(fat);
        ps_network *crossbar = lab_preset("crossbar@3", 65536);
        assert_int_equal(ps_network_links(crossbar), UINT32_C(65536) * 65535);
        expect_link(crossbar, 65535, 65534, 3);
        expect_link(crossbar, 0, 65535, 3);
        ps_network_free(crossbar);
}

TEST(presets_that_cannot_be)
{
        static const struct {
                const char *spec;
                uint32_t n_processors;
                const char *why;
        } cases[] = {
                {"rings", 4, "there is no network of this name"},
                {"", 4, "there is no network of this name"},
                {"ring", 0, "a network needs 1 to 1048576 processors"},
                {"ring", 1048577, "a network needs 1 to 1048576 processors"},
                {"ring:4", 4, "network takes fewer sizes"},
                {"tree:2x2", 4, "network takes fewer sizes"},
                {"mesh:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", 4, "network takes fewer sizes"},
                {"mesh:", 4, "sizes of a network are whole numbers, as in 4x4"},
                {"mesh:2x", 4, "sizes of a network are whole numbers, as in 4x4"},
                {"mesh:0x4", 4, "sizes of a network are whole numbers, as in 4x4"},
                {"mesh:-2x4", 4, "sizes of a network are whole numbers, as in 4x4"},
                {"mesh:2 x2", 4, "sizes of a network are whole numbers, as in 4x4"},
                {"mesh:3x5", 16, "network is too small"},
                {"mesh:1048576x1048576", 16, "network has too many nodes"},
                {"tree", 1048576, "network has too many nodes"},
                {"crossbar", 65537, "network has too many links"},
                {"hypercube", 6, "a hypercube needs a power of two processors"},
                {"tree:1", 4, "a switch of a tree needs two branches or more"},
                {"ring@", 4, "weight of a network's links is a positive number, as in ring@2.5"},
                {"ring@0", 4, "weight of a network's links is a positive number, as in ring@2.5"},
                {"mesh@2:2x2", 4, "weight of a network's links is a positive number, as in ring@2.5"},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                ps_network *network = NULL;
                ps_error err = {0};
                assert_int_equal(ps_network_preset(&network, cases[i].spec, cases[i].n_processors, &err),
                                 PS_E_USAGE);
                assert_null(network);
                assert_memory_equal(err.cause[0].text, cases[i].why, strlen(cases[i].why));
        }
}

TEST(the_table_lists_what_can_be_opened)
{
        const ps_network_preset_info *row;
        uint32_t n = 0;
        for (; (row = ps_network_preset_row(n)) != NULL; n++)
                ps_network_free(lab_preset(row->name, 8));
        assert_int_equal(n, 8);
}
