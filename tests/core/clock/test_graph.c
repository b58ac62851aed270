/* test_graph.c - difference constraints against the textbook: all shortest paths, by Floyd and
 * Warshall. */
#include "core/clock/graph.h"
#include "tests/support/draw.h"
#include "tests/support/test.h"
#include <stdlib.h>

enum { NODES = 9 };
#define FAR (PS_TIME_MAX / 4)

/* d[a][b]: the shortest path from a to b when each constraint is eased; 0 when there is a negative cycle. */
static int all_paths(const ps_graph *g, ps_time eased, ps_time d[NODES][NODES])
{
        for (int a = 0; a < NODES; a++)
                for (int b = 0; b < NODES; b++)
                        d[a][b] = a == b ? 0 : FAR;
        for (size_t i = 0; i < g->n; i++) {
                ps_time *to = &d[g->limit[i].later][g->limit[i].earlier];
                ps_time slack = g->limit[i].slack + eased;
                *to = slack < *to ? slack : *to;
        }
        for (int k = 0; k < NODES; k++)
                for (int a = 0; a < NODES; a++)
                        for (int b = 0; b < NODES; b++)
                                if (d[a][k] < FAR && d[k][b] < FAR && d[a][k] + d[k][b] < d[a][b])
                                        d[a][b] = d[a][k] + d[k][b];
        for (int a = 0; a < NODES; a++)
                if (d[a][a] < 0)
                        return 0;
        return 1;
}

static int hangs_together(ps_time d[NODES][NODES], uint32_t group[NODES])
{
        for (uint32_t v = 0; v < NODES; v++)
                group[v] = v;
        for (int round = 0; round < NODES; round++)
                for (int a = 0; a < NODES; a++)
                        for (int b = 0; b < NODES; b++)
                                if (d[a][b] < FAR && group[b] > group[a])
                                        group[b] = group[a];
                                else if (d[a][b] < FAR)
                                        group[a] = group[b];
        return 1;
}

static void check(ps_graph *g)
{
        ps_time offset[NODES], width[NODES], d[NODES][NODES];
        uint32_t group[NODES];
        ps_offsets found = {.offset = offset, .width = width};
        assert_int_equal(ps_graph_solve(g, NULL, 0, &found, NULL), PS_OK);
        assert_false(found.unknown);
        assert_true(found.eased % 2 == 0);
        if (found.eased > 0)
                assert_false(all_paths(g, found.eased - 2, d));
        assert_true(all_paths(g, found.eased, d) && hangs_together(d, group));
        for (size_t i = 0; i < g->n; i++)
                assert_true(offset[g->limit[i].earlier] - offset[g->limit[i].later] <=
                            g->limit[i].slack + found.eased);
        for (uint32_t v = 0; v < NODES; v++) {
                uint32_t r = group[v];
                ps_time high = d[r][v], low = -d[v][r];
                if (v == r) {
                        assert_true(offset[v] == 0 && width[v] == 0);
                } else if (d[r][v] < FAR && d[v][r] < FAR) {
                        assert_int_equal(width[v], high - low + found.eased);
                        assert_int_equal(offset[v], low + (high - low) / 2);
                } else {
                        assert_int_equal(width[v], PS_TIME_MAX);
                }
        }
}

static void random_graph(ps_graph *g, uint64_t *seed, size_t n, int possible)
{
        ps_time truth[NODES];
        *g = (ps_graph){.n_nodes = NODES};
        for (int v = 0; v < NODES; v++)
                truth[v] = (ps_time)draw(seed, 1000);
        for (size_t i = 0; i < n; i++) {
                uint32_t a = (uint32_t)draw(seed, NODES),
                         b = (a + 1 + (uint32_t)draw(seed, NODES - 1)) % NODES;
                ps_time slack = truth[a] - truth[b] + (ps_time)draw(seed, 100) - (possible ? 0 : 20);
                assert_int_equal(ps_graph_add(g, (ps_limit){a, b, 2, slack}, NULL), PS_OK);
        }
}

TEST(random_graphs_are_solved_within_their_limits)
{
        uint64_t seed = 1;
        for (size_t round = 0; round < 2000; round++) {
                ps_graph g;
                random_graph(&g, &seed, round % 40, (int)(round & 1));
                check(&g);
                ps_graph_free(&g);
        }
}

/* A cycle of three that lacks 10: each half of six is given 2, the ten sixths rounded up. */
TEST(a_cycle_that_lacks_slack_is_eased_in_equal_parts)
{
        ps_graph g = {.n_nodes = NODES};
        for (uint32_t v = 0; v < 3; v++)
                assert_int_equal(ps_graph_add(&g, (ps_limit){v, (v + 1) % 3, 2, v == 0 ? -10 : 0}, NULL),
                                 PS_OK);
        ps_time offset[NODES], width[NODES];
        ps_offsets found = {.offset = offset, .width = width};
        assert_int_equal(ps_graph_solve(&g, NULL, 0, &found, NULL), PS_OK);
        assert_int_equal(found.eased, 4);
        ps_graph_free(&g);
}

/* A long chain in the order that suits a sweep least, and one that suits it best. */
TEST(a_long_chain_is_solved_in_either_order)
{
        enum { LONG = 100000 };
        ps_time *offset = calloc(LONG, sizeof *offset), *width = calloc(LONG, sizeof *width);
        assert_true(offset && width);
        for (int turn = 0; turn < 2; turn++) {
                ps_graph g = {.n_nodes = LONG};
                for (uint32_t v = 1; v < LONG; v++) {
                        assert_int_equal(ps_graph_add(&g, (ps_limit){v, v - 1, 2, turn ? -3 : 7}, NULL),
                                         PS_OK);
                        assert_int_equal(ps_graph_add(&g, (ps_limit){v - 1, v, 2, turn ? 7 : -3}, NULL),
                                         PS_OK);
                }
                ps_offsets found = {.offset = offset, .width = width};
                assert_int_equal(ps_graph_solve(&g, NULL, 0, &found, NULL), PS_OK);
                assert_int_equal(offset[LONG - 1], (turn ? -5 : 5) * (ps_time)(LONG - 1));
                assert_int_equal(width[LONG - 1], 4 * (ps_time)(LONG - 1));
                ps_graph_free(&g);
        }
        free(offset);
        free(width);
}

TEST(extreme_limits_do_not_overflow)
{
        static const ps_time slacks[] = {INT64_MIN, INT64_MAX, 0, INT64_MIN / 2, INT64_MAX - 1};
        uint64_t seed = 1;
        for (int round = 0; round < 200; round++) {
                ps_time offset[NODES], width[NODES];
                ps_graph g = {.n_nodes = NODES};
                for (int i = 0; i < 30; i++)
                        assert_int_equal(ps_graph_add(&g,
                                                      (ps_limit){(uint32_t)draw(&seed, NODES),
                                                                 (uint32_t)draw(&seed, NODES), 2,
                                                                 slacks[draw(&seed, 5)]},
                                                      NULL),
                                         PS_OK);
                ps_offsets found = {.offset = offset, .width = width};
                assert_int_equal(ps_graph_solve(&g, NULL, 0, &found, NULL), PS_OK); /* whatever it finds */
                ps_graph_free(&g);
        }
}
