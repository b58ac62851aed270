/* test_links.c - congestion: the worked examples of the thesis, and many packets against a scan of
 * lists.
 *
 * A unit of time is a second, and a byte takes one on a link of weight 1. */
#include "core/base/gaps.h"
#include "simulator/network/links.h"
#include "simulator/network/routes.h"
#include "tests/simulator/network/lab.h"
#include "tests/support/test.h"
#include <stdlib.h>

#define UNIT PS_PS_PER_S

static ps_links *new_links(const ps_network *network, double ps_per_byte)
{
        ps_links *links = NULL;
        assert_int_equal(ps_links_new(&links, network, ps_per_byte, NULL), PS_OK);
        return links;
}

/* When the packet arrives, in units. */
static double send(ps_links *links, uint32_t from, uint32_t to, uint64_t bytes, double injected)
{
        ps_time arrival = -1;
        assert_int_equal(
                ps_links_send(links, from, to, bytes, (ps_time)(injected * (double)UNIT), &arrival, NULL),
                PS_OK);
        return (double)arrival / (double)UNIT;
}

static void expect_send(ps_links *links, uint32_t from, uint32_t to, uint64_t bytes, double injected,
                        double arrival)
{
        double found = send(links, from, to, bytes, injected);
        if (found != arrival)
                fail_msg("%u -> %u at %g: arrival %g, expected %g", from, to, injected, found, arrival);
}

TEST(packets_through_the_tree_of_the_thesis)
{
        ps_network *network = lab_parse(lab_tree4);
        ps_links *links = new_links(network, UNIT);
        expect_send(links, 0, 3, 6, 0, 16); /* 6 + 2 + 2 + 6 */
        expect_send(links, 0, 3, 6, 0, 22);
        expect_send(links, 1, 3, 6, 0, 28);
        expect_send(links, 2, 2, 6, 3, 3);
        ps_links_free(links);
        ps_network_free(network);
}

/* Figure 6-2: one link, busy in (0,1), (1.5,3), (6,8), (9,10). A byte takes half a unit. */
static ps_links *figure_6_2(const ps_network *network)
{
        ps_links *links = new_links(network, UNIT / 2);
        expect_send(links, 0, 1, 2, 9, 10);
        expect_send(links, 0, 1, 4, 6, 8);
        expect_send(links, 0, 1, 3, 1.5, 3);
        expect_send(links, 0, 1, 2, 0, 1);
        return links;
}

TEST(first_gap_that_is_long_enough)
{
        static const struct {
                double injected;
                uint64_t halves;
                double end;
        } cases[] = {
                {2, 6, 6},                /* figure 6-3: (3,6) */
                {2, 4, 5},                /* (3,5) */
                {2, 8, 14},               /* (10,14) */
                {8, 2, 9},                /* fits exactly */
                {0, 1, 1.5},              /* fits exactly */
                {0, 2, 4},                /* (3,4) */
                {4, 4, 6},                /* (4,6) */
                {4.5, 4, 12},             /* (10,12): half a unit short */
                {20, 1, 20.5}, {2, 0, 3}, /* nothing passes, but not before the link is free */
                {1, 0, 1},     {6, 0, 6}, {7, 0, 8},
        };
        ps_network *network = lab_parse("2 0 1 1 -1 1 0 1 -1");
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                ps_links *links = figure_6_2(network);
                expect_send(links, 0, 1, cases[i].halves, cases[i].injected, cases[i].end);
                ps_links_free(links);
        }
        ps_links *links = figure_6_2(network);
        expect_send(links, 0, 1, 6, 2, 6); /* busy until 8 without a gap */
        expect_send(links, 0, 1, 0, 4, 8);
        expect_send(links, 0, 1, 1, 1.5, 8.5);
        expect_send(links, 1, 0, 1, 1.5, 2); /* the other direction is another link */
        ps_links_free(links);
        ps_network_free(network);
}

TEST(order_of_calls_decides)
{
        ps_network *network = lab_parse("2 0 1 1 -1 1 0 1 -1");
        ps_links *links = new_links(network, UNIT);
        expect_send(links, 0, 1, 5, 3, 8);
        expect_send(links, 0, 1, 4, 0, 12); /* though it was there first */
        ps_links_free(links);
        links = new_links(network, UNIT);
        expect_send(links, 0, 1, 4, 0, 4);
        expect_send(links, 0, 1, 5, 3, 9);
        ps_links_free(links);
        ps_network_free(network);
}

TEST(times_are_rounded_once)
{
        ps_network *network = lab_parse("2 0 1 3 -1 1 0 0.1 -1");
        ps_links *links = new_links(network, 1000);
        ps_time arrival;
        assert_int_equal(ps_links_send(links, 0, 1, 1, 0, &arrival, NULL), PS_OK);
        assert_int_equal(arrival, 333);
        assert_int_equal(ps_links_send(links, 0, 1, 2, 333, &arrival, NULL), PS_OK);
        assert_int_equal(arrival, 1000); /* 333 + 667 */
        assert_int_equal(ps_links_send(links, 1, 0, 7, 0, &arrival, NULL), PS_OK);
        assert_int_equal(arrival, 70000);
        ps_links_free(links);
        links = new_links(network, 0);
        assert_int_equal(ps_links_send(links, 0, 1, UINT64_MAX, -5, &arrival, NULL), PS_OK);
        assert_int_equal(arrival, -5);
        ps_links_free(links);
        ps_network_free(network);
}

static void expect_refused(double ps_per_byte, uint64_t bytes, ps_time injected)
{
        ps_network *network = lab_parse("2 0 1 1 -1 1 0 1 -1");
        ps_links *links = new_links(network, ps_per_byte);
        ps_time arrival = 7;
        ps_error err = {0};
        assert_int_equal(ps_links_send(links, 0, 1, bytes, injected, &arrival, &err), PS_E_INPUT);
        assert_memory_equal(err.cause[0].text, "a packet takes too long: ", 23);
        assert_int_equal(arrival, 7);
        ps_links_free(links);
        ps_network_free(network);
}

TEST(times_that_are_too_large)
{
        expect_refused(UNIT, UINT64_MAX, 0);
        expect_refused(1e308, UINT64_MAX, 0);
        expect_refused(1, 1000, PS_TIME_MAX - 10);
        ps_network *network = lab_parse("2 0 1 1 -1 1 0 1 -1");
        ps_links *links = NULL;
        assert_int_equal(ps_links_new(&links, network, -1, NULL), PS_E_USAGE);
        assert_int_equal(ps_links_new(&links, network, 0.0 / 0.0, NULL), PS_E_USAGE);
        assert_int_equal(ps_links_new(&links, network, 1.0 / 0.0, NULL), PS_E_USAGE);
        assert_null(links);
        links = new_links(network, 1);
        ps_time arrival;
        assert_int_equal(ps_links_send(links, 0, 1, 10, PS_TIME_MAX - 10, &arrival, NULL), PS_OK);
        assert_true(arrival == PS_TIME_MAX); /* the link is never free again */
        assert_int_equal(ps_links_send(links, 0, 1, 11, PS_TIME_MAX - 20, &arrival, NULL), PS_E_INPUT);
        assert_int_equal(ps_links_send(links, 0, 1, 10, PS_TIME_MAX - 20, &arrival, NULL), PS_OK);
        assert_int_equal(ps_links_send(links, 0, 1, 10, INT64_MIN, &arrival, NULL), PS_OK);
        assert_true(arrival == INT64_MIN + 10);
        assert_int_equal(ps_links_send(links, 0, 2, 1, 0, &arrival, NULL), PS_E_USAGE);
        ps_links_free(links);
        ps_network_free(network);
}

/* -- operators of chapter 5 on the tree and the mesh: a byte each, overheads of 1 -- */

/* Parallel scan, one level: source -> source + distance. Send 1, network, receive 1. */
static void expect_scan(uint32_t distance, const double *received)
{
        ps_network *tree = lab_preset("tree", 16);
        ps_links *links = new_links(tree, UNIT);
        for (uint32_t source = 0; source + distance < 16; source++)
                expect_send(links, source, source + distance, 1, 1, received[source] - 1);
        ps_links_free(links);
        ps_network_free(tree);
}

TEST(scan_on_a_tree)
{
        /* To 1, 2, ... 15: 3 -> 4, 7 -> 8 and 11 -> 12 are late. */
        expect_scan(1, (const double[]){4, 6, 4, 8, 4, 6, 4, 10, 4, 6, 4, 8, 4, 6, 4});
        /* To 8 .. 15: eight links each, all through the root. */
        expect_scan(8, (const double[]){10, 11, 12, 13, 14, 15, 16, 17});
}

/* Reversal of a list: processor 15 - i sends item i; when the packets arrive. */
static void reverse(const char *spec, double arrival[16])
{
        ps_network *network = lab_preset(spec, 16);
        ps_links *links = new_links(network, UNIT);
        for (uint32_t i = 0; i < 16; i++)
                arrival[i] = send(links, 15 - i, i, 1, 1);
        ps_links_free(links);
        ps_network_free(network);
}

TEST(reversal_on_tree_and_mesh)
{
        double arrival[16], first = 99, last = 0;
        reverse("tree", arrival);
        for (int i = 0; i < 16; i++) /* each half crosses the root one after the other */
                assert_true(arrival[i] == 9 + i % 8);
        reverse("mesh", arrival);
        for (int i = 0; i < 16; i++) {
                first = arrival[i] < first ? arrival[i] : first;
                last = arrival[i] > last ? arrival[i] : last;
        }
        assert_true(first == 3 && last == 7);
        assert_true(arrival[0] == 7 && arrival[15] == 7); /* corner to corner, six links */
        reverse("crossbar", arrival);
        for (int i = 0; i < 16; i++)
                assert_true(arrival[i] == 2);
}

TEST(reduction_shares_no_link)
{
        static const char *const spec[] = {"tree", "mesh"};
        static const double hops[2][4] = {{2, 4, 6, 8}, {1, 2, 1, 2}};
        for (int k = 0; k < 2; k++)
                for (uint32_t level = 0; level < 4; level++) {
                        ps_network *network = lab_preset(spec[k], 16);
                        ps_links *links = new_links(network, UNIT);
                        for (uint32_t to = 0; to < 16; to += 2u << level)
                                expect_send(links, to + (1u << level), to, 1, 0, hops[k][level]);
                        ps_links_free(links);
                        ps_network_free(network);
                }
}

/* A full fat tree: shifting by half of the processors meets no congestion, other than in a tree. */
TEST(a_fat_tree_has_no_bottleneck)
{
        ps_network *fat = lab_preset("fattree", 16);
        ps_links *links = new_links(fat, UNIT);
        double last = 0;
        for (uint32_t i = 0; i < 16; i++) {
                double arrival = send(links, i, (i + 8) % 16, 8, 0);
                last = arrival > last ? arrival : last;
        }
        /* Up, each level's links are busy for 8: from 8, 12 and 14 on, so that the last packet has passed the
         * third level at 22. Down it takes 1 + 2 + 4 + 8. In a tree it takes 8 links * 8 + 7 packets * 8. */
        assert_true(last <= 22 + 15);
        ps_links_free(links);
        ps_network_free(fat);
}

/* -- against lists -- */

enum { LIST = 4096 };

typedef struct list {
        uint32_t n;
        struct {
                ps_time begin, end;
        } busy[LIST];
} list;

static int is_inside(const list *l, ps_time t)
{
        int begins = 0, ends = 0;
        for (uint32_t i = 0; i < l->n; i++) {
                begins |= l->busy[i].begin <= t && t < l->busy[i].end;
                ends |= l->busy[i].begin < t && t <= l->busy[i].end;
        }
        return begins && ends;
}

/* As in 6.3.1: scan for the earliest interval that is wide enough. */
static ps_time scan(list *l, ps_time from, ps_time duration)
{
        ps_time at = from;
        uint32_t i = 0;
        while (i < l->n && (l->busy[i].end <= at || l->busy[i].begin - at < duration)) {
                at = l->busy[i].end > at ? l->busy[i].end : at;
                i++;
        }
        if (duration == 0) {
                for (at = from; is_inside(l, at);)
                        at++;
                return at;
        }
        for (uint32_t k = l->n++; k > i; k--)
                l->busy[k] = l->busy[k - 1];
        l->busy[i].begin = at;
        l->busy[i].end = at + duration;
        return at + duration;
}

static ps_time naive_send(list *lists, const ps_network *network, ps_routes *routes, const uint32_t pair[2],
                          uint64_t bytes, ps_time at)
{
        const uint32_t *link;
        uint32_t n;
        assert_int_equal(ps_routes_find(routes, pair[0], pair[1], &link, &n, NULL), PS_OK);
        for (uint32_t i = 0; i < n; i++) {
                double weight = ps_network_link_at(network, link[i]).weight;
                at = scan(&lists[link[i]], at, (ps_time)((double)bytes * 12 / weight));
        }
        return at;
}

/* `slope`: how fast the times of injection grow, `spread`: how far they are from being in order. */
static void compare_with_lists(const char *spec, uint64_t seed, uint64_t slope, uint64_t spread, int retire)
{
        ps_network *network = lab_preset(spec, 8);
        ps_links *links = new_links(network, 12);
        list *lists = calloc(ps_network_links(network), sizeof *lists);
        ps_routes *routes;
        assert_int_equal(ps_routes_new(&routes, network, NULL), PS_OK);
        for (uint64_t i = 0; i < 3000; i++) {
                uint32_t pair[2] = {(uint32_t)draw(&seed, 8), (uint32_t)draw(&seed, 8)};
                uint64_t bytes = draw(&seed, 10);
                ps_time at = (ps_time)(i * slope + draw(&seed, spread)), arrival;
                if (retire && i % 7 == 0)
                        ps_links_retire(links, (ps_time)(i * slope));
                assert_int_equal(ps_links_send(links, pair[0], pair[1], bytes, at, &arrival, NULL), PS_OK);
                assert_int_equal(arrival, naive_send(lists, network, routes, pair, bytes, at));
        }
        ps_routes_free(routes);
        free(lists);
        ps_links_free(links);
        ps_network_free(network);
}

TEST(trees_of_gaps_equal_lists)
{
        static const char *const specs[] = {"ring@2", "tree", "fattree", "mesh:2x4", "star@3", "crossbar"};
        for (uint64_t i = 0; i < sizeof specs / sizeof *specs; i++) {
                compare_with_lists(specs[i], i + 1, 0, 40000, 0); /* in any order */
                compare_with_lists(specs[i], i + 2, 0, 400000, 0);
                compare_with_lists(specs[i], i + 3, 20, 300, 0); /* nearly in order */
                compare_with_lists(specs[i], i + 3, 20, 300, 1);
                compare_with_lists(specs[i], i + 4, 100, 2000, 1);
        }
}

TEST(what_is_retired_is_over)
{
        ps_network *network = lab_parse("2 0 1 1 -1 1 0 1 -1");
        ps_links *links = figure_6_2(network);
        ps_time arrival;
        ps_links_retire(links, 6 * UNIT);
        ps_links_retire(links, 2 * UNIT); /* no way back */
        assert_int_equal(ps_links_send(links, 0, 1, 1, 6 * UNIT - 1, &arrival, NULL), PS_E_INTERNAL);
        expect_send(links, 0, 1, 0, 6, 6); /* between the gap that ended and the packet that began */
        expect_send(links, 0, 1, 2, 6, 9);
        expect_send(links, 0, 1, 2, 6, 11);
        ps_links_free(links);
        ps_network_free(network);
}

/* Forgetting changes nothing but memory: 64 nodes, so that there is enough to forget. */
TEST(retiring_changes_no_time)
{
        ps_network *network = lab_preset("torus", 64);
        ps_links *whole = new_links(network, 100), *retired = new_links(network, 100);
        uint64_t seed = 7;
        for (uint64_t i = 0; i < 60000; i++) {
                uint32_t from = (uint32_t)draw(&seed, 64), to = (uint32_t)draw(&seed, 64);
                uint64_t bytes = draw(&seed, 40);
                ps_time at = (ps_time)(i * 400 + draw(&seed, 1000000)), a, b;
                if (i % 500 == 0)
                        ps_links_retire(retired, (ps_time)(i * 400));
                assert_int_equal(ps_links_send(whole, from, to, bytes, at, &a, NULL), PS_OK);
                assert_int_equal(ps_links_send(retired, from, to, bytes, at, &b, NULL), PS_OK);
                assert_int_equal(a, b);
        }
        ps_links_free(whole);
        ps_links_free(retired);
        ps_network_free(network);
}

TEST(what_is_forgotten_takes_no_room)
{
        ps_gaps gaps = PS_GAPS_NEW;
        ps_gaps_tree tree = PS_GAPS_ALL_FREE;
        ps_time begin;
        uint32_t most = 0;
        for (ps_time i = 0; i < 100000; i++) { /* each leaves a gap of 1 behind */
                if (i % 1000 == 0) {
                        ps_gaps_retire(&gaps, 10 * i);
                        ps_gaps_forget(&gaps, &tree);
                }
                assert_int_equal(ps_gaps_take(&gaps, &tree, 10 * i, 9, &begin), PS_OK);
                assert_int_equal(begin, 10 * i);
                most = ps_gaps_used(&gaps) > most ? ps_gaps_used(&gaps) : most;
        }
        assert_in_range(most, 1000 / PS_GAPS_WIDTH, 1000 / (PS_GAPS_WIDTH - 2));
        ps_gaps_retire(&gaps, PS_TIME_MAX);
        ps_gaps_forget(&gaps, &tree);
        assert_int_equal(ps_gaps_used(&gaps), 0);
        ps_gaps_free(&gaps);
}

/* Filling the gaps in another order than they were made leaves two, and at most a branch for each. */
TEST(filled_gaps_are_gone)
{
        enum { GAPS = 5000 };
        ps_gaps gaps = PS_GAPS_NEW;
        ps_gaps_tree tree = PS_GAPS_ALL_FREE;
        ps_time begin;
        for (ps_time i = 0; i < GAPS; i++) /* 1237 and 5000 have no common divisor */
                assert_int_equal(ps_gaps_take(&gaps, &tree, i * 1237 % GAPS * 10, 6, &begin), PS_OK);
        for (ps_time i = 0; i < GAPS; i++) {
                ps_time from = i * 1999 % GAPS * 10;
                assert_int_equal(ps_gaps_take(&gaps, &tree, from, 4, &begin), PS_OK);
                assert_int_equal(begin, from + 6);
        }
        assert_in_range(ps_gaps_used(&gaps), 1, 1 + 2 * tree.height);
        assert_int_equal(ps_gaps_take(&gaps, &tree, 0, 1, &begin), PS_OK);
        assert_int_equal(begin, GAPS * 10);
        assert_int_equal(ps_gaps_take(&gaps, &tree, -7, 7, &begin), PS_OK);
        assert_int_equal(begin, -7);
        ps_gaps_free(&gaps);
}
