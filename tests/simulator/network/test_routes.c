/* test_routes.c - routes: by hand, against Floyd and Warshall, and regular networks against the same
 * ones as plain graphs. */
#include "simulator/network/routes.h"
#include "tests/simulator/network/lab.h"
#include "tests/support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 24 };

static void expect_route(const ps_network *network, uint32_t from, uint32_t to, const char *expected)
{
        ps_routes *routes;
        const uint32_t *link;
        uint32_t n;
        char text[256];
        assert_int_equal(ps_routes_new(&routes, network, NULL), PS_OK);
        assert_int_equal(ps_routes_find(routes, from, to, &link, &n, NULL), PS_OK);
        size_t len = (size_t)snprintf(text, sizeof text, "%u", from);
        for (uint32_t i = 0; i < n; i++)
                len += (size_t)snprintf(text + len, sizeof text - len, "-%u",
                                        ps_network_link_at(network, link[i]).to);
        assert_string_equal(text, expected);
        ps_routes_free(routes);
}

static void expect_routed(const char *text, uint32_t from, uint32_t to, const char *expected)
{
        ps_network *network = lab_parse(text);
        expect_route(network, from, to, expected);
        ps_network_free(network);
}

TEST(routes_of_the_thesis)
{
        expect_routed(lab_tree4, 0, 1, "0-4-1");
        expect_routed(lab_tree4, 0, 3, "0-4-6-5-3");
        expect_routed(lab_tree4, 3, 0, "3-5-6-4-0");
        expect_routed(lab_tree4, 2, 2, "2");
}

TEST(wide_links_are_near)
{
        /* Directly 1/1; over node 2 1/3 + 1/3. */
        expect_routed("3 0 1 1 2 3 -1 1 0 1 -1 2 1 3 -1", 0, 1, "0-2-1");
        /* Over node 2 1/2 + 1/2 is the same: 1 comes before 2. */
        expect_routed("3 0 1 1 2 2 -1 1 0 1 -1 2 1 2 -1", 0, 1, "0-1");
        /* The way back is the only one. */
        expect_routed("3 0 1 1 2 2 -1 1 0 1 -1 2 1 2 -1", 1, 2, "1-0-2");
}

/* Sums of 1/3 or 1/10 in floating point are not 1: what costs the same has to be known all the same. */
TEST(equal_costs_are_seen_as_equal)
{
        /* 0-1-2-4 costs 3 * 1/3, 0-3-4 costs 1/2 + 1/2. */
        expect_routed("5 0 1 3 3 2 -1 1 2 3 -1 2 4 3 -1 3 4 2 -1 4 -1", 0, 4, "0-1-2-4");
        /* The other way round: 0-1-4 costs 1/2 + 1/2, 0-2-3-4 3 * 1/3. */
        expect_routed("5 0 1 2 2 3 -1 1 4 2 -1 2 3 3 -1 3 4 3 -1 4 -1", 0, 4, "0-1-4");
        /* Weights 0.1 and 0.3 cost 10 and 10/3. */
        expect_routed("5 0 1 0.3 4 0.1 -1 1 2 0.3 -1 2 4 0.3 -1 3 -1 4 -1", 0, 4, "0-1-2-4");
        expect_routed("5 0 1 0.1 2 0.3 -1 1 -1 2 3 0.3 -1 3 1 0.3 -1 4 -1", 0, 1, "0-1");
        /* Weights that are no simple fractions: the same links in another order. */
        expect_routed("4 0 1 0.1234567890123 2 1e-30 -1 1 3 1e-30 -1 2 3 0.1234567890123 -1 3 -1", 0, 3,
                      "0-1-3");
        expect_routed("4 0 2 0.1234567890123 1 1e-30 -1 2 3 1e-30 -1 1 3 0.1234567890123 -1 3 -1", 0, 3,
                      "0-1-3");
        /* Nearer by a little only. */
        expect_routed("4 0 1 0.1234567890123 2 0.1234567890124 -1 1 3 1 -1 2 3 1 -1 3 -1", 0, 3, "0-2-3");
}

TEST(ties_go_to_the_lowest_node)
{
        static const struct {
                const char *preset;
                uint32_t n, from, to;
                const char *route;
        } cases[] = {
                {"mesh:4x4", 16, 0, 15, "0-1-2-3-7-11-15"},
                {"mesh:4x4", 16, 15, 0, "15-11-7-3-2-1-0"},
                {"mesh:4x4", 16, 3, 12, "3-2-1-0-4-8-12"},
                {"mesh:4x4", 16, 12, 3, "12-8-4-0-1-2-3"},
                {"ring", 6, 0, 3, "0-1-2-3"},
                {"ring", 6, 1, 4, "1-0-5-4"},
                {"ring", 6, 4, 0, "4-5-0"},
                {"hypercube", 8, 0, 7, "0-1-3-7"},
                {"hypercube", 8, 7, 0, "7-3-1-0"},
                {"hypercube", 8, 5, 2, "5-1-0-2"},
                {"torus:4x4", 16, 0, 10, "0-1-2-6-10"},
                {"torus:4x4", 16, 5, 15, "5-1-0-3-15"},
                {"tree:3", 9, 1, 2, "1-9-2"},
                {"tree:3", 9, 0, 8, "0-9-12-11-8"},
                {"star", 4, 3, 0, "3-4-0"},
                {"crossbar", 100, 99, 3, "99-3"},
                {"crossbar", 100, 3, 3, "3"},
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_network *network = lab_preset(cases[i].preset, cases[i].n);
                expect_route(network, cases[i].from, cases[i].to, cases[i].route);
                ps_network_free(network);
        }
}

TEST(asking_for_what_is_not)
{
        ps_network *network = lab_parse("3 0 1 1 -1 1 -1 2 0 1 -1");
        ps_routes *routes;
        const uint32_t *link;
        uint32_t n;
        ps_error err = {0};
        assert_int_equal(ps_routes_new(&routes, network, &err), PS_OK);
        assert_int_equal(ps_routes_find(routes, 1, 2, &link, &n, &err), PS_E_INPUT);
        assert_string_equal(err.cause[0].text, "the network has no path between two nodes: from=1, to=2");
        assert_int_equal(ps_routes_find(routes, 0, 3, &link, &n, &err), PS_E_USAGE);
        assert_string_equal(err.cause[0].text, "the network has no such node: from=0, to=3, nodes=3");
        assert_int_equal(ps_routes_find(routes, 2, 1, &link, &n, &err), PS_OK);
        assert_int_equal(n, 2);
        ps_routes_free(routes);
        ps_network_free(network);
}

/* -- against Floyd and Warshall -- */

/* Costs times 60, which 1 .. 6, 0.5 and 2.5 divide. */
static uint64_t sixtieths(double weight)
{
        return (uint64_t)(60 / weight + 0.5);
}

enum { FAR = 1000000 };

static void all_distances(const ps_network *network, uint64_t d[NODES][NODES])
{
        for (uint32_t a = 0; a < NODES; a++)
                for (uint32_t b = 0; b < NODES; b++) {
                        uint32_t link = ps_network_find(network, a, b);
                        d[a][b] = a == b ? 0
                                         : (link == PS_NONE
                                                    ? FAR
                                                    : sixtieths(ps_network_link_at(network, link).weight));
                }
        for (uint32_t k = 0; k < NODES; k++)
                for (uint32_t a = 0; a < NODES; a++)
                        for (uint32_t b = 0; b < NODES; b++)
                                if (d[a][k] + d[k][b] < d[a][b])
                                        d[a][b] = d[a][k] + d[k][b];
}

/* The lowest neighbour of `at` on a cheapest way. */
static uint32_t lowest_next(const ps_network *network, uint64_t d[NODES][NODES], uint32_t at, uint32_t to)
{
        for (uint32_t v = 0; v < NODES; v++) {
                uint32_t link = ps_network_find(network, at, v);
                if (link != PS_NONE &&
                    sixtieths(ps_network_link_at(network, link).weight) + d[v][to] == d[at][to])
                        return v;
        }
        fail();
        return PS_NONE;
}

static void check_pair(const ps_network *network, ps_routes *routes, uint64_t d[NODES][NODES], uint32_t from,
                       uint32_t to)
{
        const uint32_t *link;
        uint32_t n, at = from;
        ps_status status = ps_routes_find(routes, from, to, &link, &n, NULL);
        assert_int_equal(status, d[from][to] < FAR ? PS_OK : PS_E_INPUT);
        for (uint32_t i = 0; status == PS_OK && i < n; i++) {
                ps_network_link hop = ps_network_link_at(network, link[i]);
                assert_int_equal(hop.from, at);
                assert_int_equal(hop.to, lowest_next(network, d, at, to));
                at = hop.to;
        }
        assert_true(status < 0 || at == to);
}

TEST(routes_are_cheapest)
{
        static const double weights[] = {1, 2, 3, 4, 5, 6, 0.5, 2.5};
        uint64_t seed = 1998, d[NODES][NODES];
        for (int round = 0; round < 200; round++) {
                uint32_t n_weights = round % 2 ? 8 : 1 + (uint32_t)round % 8;
                ps_network *network = lab_random(&seed, NODES, weights, n_weights);
                ps_routes *routes;
                assert_int_equal(ps_routes_new(&routes, network, NULL), PS_OK);
                all_distances(network, d);
                for (uint32_t i = 0; i < NODES * NODES; i++) /* destinations change with each question */
                        check_pair(network, routes, d, i / NODES, i % NODES);
                ps_routes_free(routes);
                ps_network_free(network);
        }
}

/* -- shapes -- */

/* Of each `skip`th node to each `step`th one. */
static void expect_same_routes(const ps_network *a, const ps_network *b, uint32_t skip, uint32_t step)
{
        ps_routes *ra, *rb;
        const uint32_t *la, *lb;
        uint32_t na, nb, nodes = ps_network_nodes(a);
        assert_int_equal(ps_routes_new(&ra, a, NULL), PS_OK);
        assert_int_equal(ps_routes_new(&rb, b, NULL), PS_OK);
        for (uint32_t from = 0; from < nodes; from += skip)
                for (uint32_t to = from % step; to < nodes; to += step) {
                        assert_int_equal(ps_routes_find(ra, from, to, &la, &na, NULL), PS_OK);
                        assert_int_equal(ps_routes_find(rb, from, to, &lb, &nb, NULL), PS_OK);
                        assert_int_equal(na, nb);
                        assert_true(na == 0 || !memcmp(la, lb, na * sizeof *la));
                }
        ps_routes_free(ra);
        ps_routes_free(rb);
}

TEST(shapes_route_like_graphs)
{
        static const struct {
                const char *spec;
                uint32_t n_processors;
        } cases[] = {
                {"ring", 2},          {"ring", 7},         {"ring@0.3", 8},   {"mesh", 16},
                {"mesh:3x5", 11},     {"mesh:3x4x5", 7},   {"torus:4x4", 16}, {"torus:5x2", 3},
                {"torus:3x4x2x5", 2}, {"hypercube@7", 64}, {"tree", 16},      {"tree", 13},
                {"tree:3", 20},       {"fattree", 32},     {"fattree:4", 50}, {"star", 9},
                {"crossbar@3", 20},   {"torus", 1},        {"mesh:1x1x6", 6},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                ps_network *shape = lab_preset(cases[i].spec, cases[i].n_processors);
                char *text = lab_write(shape);
                ps_network *graph = lab_parse(text);
                expect_same_routes(shape, graph, 1, 1);
                free(text);
                ps_network_free(shape);
                ps_network_free(graph);
        }
}

/* With 8,191 nodes, not all destinations' tables are kept: 4,096 stand in the same place as 0. */
TEST(tables_that_make_room_for_each_other)
{
        ps_network *shape = lab_preset("fattree", 4096);
        char *text = lab_write(shape);
        ps_network *graph = lab_parse(text);
        expect_same_routes(shape, graph, 100, 4096);
        free(text);
        ps_network_free(shape);
        ps_network_free(graph);
}
