/* test_exchange.c - the time of transfer matrices and reductions: the worked examples of DVM's Predictor with
 * TS = 75 us and TB = 0.2 us for a byte, and models that share channels. */
#include "simulator/cost/exchange.h"
#include "simulator/cost/trees.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const ps_grid line4 = {1, {4}}, square2 = {2, {2, 2}}, square4 = {2, {4, 4}};

static ps_machine *preset(const char *name)
{
        ps_machine *m;
        assert_int_equal(ps_machine_open(&m, name, NULL), PS_OK);
        return m;
}

static ps_time exchange_by(const ps_machine *m, const ps_grid *grid, ps_pipelining pipelining,
                           const ps_transfer *list, size_t n, ps_time *done)
{
        ps_time time;
        ps_error err = {0};
        ps_transfer *copy = malloc((n + 1) * sizeof(*copy));
        assert_non_null(copy);
        if (n)
                memcpy(copy, list, n * sizeof(*copy));
        n = ps_transfers_merge(copy, n);
        if (ps_exchange_time(&time, done, m, grid, pipelining, copy, n, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        free(copy);
        return time;
}

static ps_time exchange(const char *name, const ps_grid *grid, const ps_transfer *list, size_t n)
{
        ps_machine *m = preset(name);
        ps_time time = exchange_by(m, grid, PS_PIPELINING_CODE, list, n, NULL);
        ps_machine_free(m);
        return time;
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

TEST(a_bus_takes_one_after_the_other)
{
        const ps_transfer list[] = {{2, 3, 40}, {0, 1, 100}, {1, 0, 100}};
        const ps_transfer one[] = {{0, 1, 1000}};
        assert_int_equal(exchange("bus", &line4, one, 1), PS_US(275));
        assert_int_equal(exchange("bus", &line4, list, COUNT(list)), PS_US(273));
        assert_int_equal(exchange("bus", &line4, NULL, 0), 0);
}

/* Remote access in Gauss: the owner sends 44 bytes to the three others, one after the other. */
TEST(bus_tells_when_each_is_done)
{
        const ps_transfer from0[] = {{0, 1, 44}, {0, 2, 44}, {0, 3, 44}};
        const ps_transfer from1[] = {{1, 2, 44}, {1, 3, 44}};
        ps_machine *m = preset("bus");
        ps_time done[4];
        exchange_by(m, &line4, PS_PIPELINING_EXACT, from0, 3, done);
        assert_int_equal(done[0], PS_US(251.4));
        assert_int_equal(done[1], PS_US(83.8));
        assert_int_equal(done[2], PS_US(167.6));
        assert_int_equal(done[3], PS_US(251.4));
        exchange_by(m, &line4, PS_PIPELINING_EXACT, from1, 2, done);
        assert_int_equal(done[0], 0);
        assert_int_equal(done[1], PS_US(167.6));
        assert_int_equal(done[2], PS_US(83.8));
        ps_machine_free(m);
}

TEST(transfers_of_one_pair_are_merged)
{
        ps_transfer list[] = {{1, 0, 5}, {0, 1, 7},          {1, 1, 9}, {1, 0, 6},
                              {0, 2, 0}, {3, 2, UINT64_MAX}, {3, 2, 1}};
        assert_int_equal(ps_transfers_merge(list, COUNT(list)), 3);
        assert_true(list[0].source == 0 && list[0].destination == 1 && list[0].bytes == 7);
        assert_true(list[1].source == 1 && list[1].destination == 0 && list[1].bytes == 11);
        assert_true(list[2].source == 3 && list[2].bytes == UINT64_MAX);
        assert_int_equal(ps_transfers_merge(NULL, 0), 0);
}

/* In order, the wrong way round, and every pair twice in a muddle. */
TEST(merging_in_any_order)
{
        enum { N = 200 };
        for (uint32_t step = 1; step < N; step += 2) { /* no divisor of N but 5 and 25 */
                ps_transfer list[2 * N];
                uint32_t n = 0;
                if (step % 5 == 0)
                        continue;
                for (uint32_t i = 0; i < 2 * N; i++) {
                        uint32_t k = i * step % N;
                        list[n++] = (ps_transfer){k / 10, 100 + k % 10, 1};
                }
                assert_int_equal(ps_transfers_merge(list, n), N);
                for (uint32_t i = 0; i < N; i++)
                        assert_true(list[i].source == i / 10 && list[i].destination == 100 + i % 10 &&
                                    list[i].bytes == 2);
        }
}

/* -- pipelining -- */

static const ps_link wire = {75e-6, 5e6};

TEST(portions_are_pipelined_over_hops)
{
        static const struct {
                uint32_t hops;
                uint64_t bytes;
                double code, document, exact;
        } cases[] = {
                {0, 1000, 0, 0, 0},
                {1, 1000, 275, 275, 275},
                {2, 1000, 547.4, -1, 525},
                {2, 7, 152.8, 152.8, 152.8},
                {3, 128, 301.8, 301.8, 301.8},
                {3, 1000, 748.2, 708.6, 700},
                {3, 10000, 3297.6, -1, 3246.6},
        };
        for (size_t i = 0; i < COUNT(cases); i++) {
                uint32_t l = cases[i].hops;
                uint64_t b = cases[i].bytes;
                assert_int_equal(ps_pipeline_time(&wire, l, b, PS_PIPELINING_CODE), PS_US(cases[i].code));
                assert_int_equal(ps_pipeline_time(&wire, l, b, PS_PIPELINING_EXACT), PS_US(cases[i].exact));
                if (cases[i].document >= 0)
                        assert_int_equal(ps_pipeline_time(&wire, l, b, PS_PIPELINING_DOCUMENT),
                                         PS_US(cases[i].document));
        }
}

/* The formula as it is printed, with floor and remainder. */
static double printed(double ts, double tb, uint64_t l, uint64_t bytes, uint64_t s)
{
        uint64_t rest = bytes % s;
        return (ts + tb * (double)s) * (double)(l + bytes / s - 1) + (rest ? ts + tb * (double)rest : 0);
}

TEST(exact_is_the_best_of_all_sizes)
{
        static const ps_link links[] = {{75e-6, 5e6}, {1e-6, 1e9}, {0, 1e6}, {1e-3, 1e9}, {2e-6, 1e4}};
        for (size_t k = 0; k < COUNT(links); k++)
                for (uint32_t l = 2; l < 8; l++)
                        for (uint64_t bytes = 1; bytes < 3000; bytes += bytes < 40 ? 1 : 97) {
                                double ts = links[k].latency_s, tb = 1 / links[k].bandwidth_bytes_per_s;
                                double best = printed(ts, tb, l, bytes, bytes);
                                for (uint64_t s = 1; s <= bytes; s++) {
                                        double time = printed(ts, tb, l, bytes, s);
                                        best = time < best ? time : best;
                                }
                                ps_time exact = ps_pipeline_time(&links[k], l, bytes, PS_PIPELINING_EXACT);
                                ps_time document =
                                        ps_pipeline_time(&links[k], l, bytes, PS_PIPELINING_DOCUMENT);
                                ps_time code = ps_pipeline_time(&links[k], l, bytes, PS_PIPELINING_CODE);
                                ps_time expected = ps_time_of_seconds(best);
                                assert_in_range(exact, expected - 1, expected + 1);
                                assert_true(exact <= document && document <= code);
                        }
}

TEST(huge_messages_are_quick)
{
        static const ps_link links[] = {{75e-6, 5e6}, {1e6, 1e18},       {1e-6, 1},     {0, 1},
                                        {0, 1e18},    {1e-3, 1.0 / 0.0}, {0, 1.0 / 0.0}};
        for (size_t k = 0; k < COUNT(links); k++)
                for (int bits = 10; bits <= 64; bits += 6)
                        for (uint32_t l = 2; l < 2000000; l *= 30) {
                                uint64_t bytes = bits == 64 ? UINT64_MAX : UINT64_C(1) << bits;
                                ps_time exact = ps_pipeline_time(&links[k], l, bytes, PS_PIPELINING_EXACT);
                                ps_time document =
                                        ps_pipeline_time(&links[k], l, bytes, PS_PIPELINING_DOCUMENT);
                                assert_true(exact <= document);
                        }
}

/* -- a grid -- */

/* Shadow edges of 8 x 8 doubles on 2 x 2, one wide: four neighbours' rows of 4, perhaps four corners of 1. */
static const ps_transfer shadow[] = {{0, 1, 32}, {1, 0, 32}, {2, 3, 32}, {3, 2, 32}, {0, 2, 32}, {2, 0, 32},
                                     {1, 3, 32}, {3, 1, 32}, {0, 3, 8},  {3, 0, 8},  {1, 2, 8},  {2, 1, 8}};

TEST(shadow_edges_cost_as_worked_out)
{
        assert_int_equal(exchange("bus", &square2, shadow, 8), PS_US(651.2));
        assert_int_equal(exchange("bus", &square2, shadow, 12), PS_US(957.6));
        assert_int_equal(exchange("transputer", &square2, shadow, 8), PS_US(81.4));
        assert_int_equal(exchange("transputer", &square2, shadow, 12), PS_US(153.2));
}

/* Everybody to everybody. */
static size_t all_pairs(ps_transfer *out, uint32_t n, uint64_t bytes)
{
        size_t count = 0;
        for (uint32_t p = 0; p < n; p++)
                for (uint32_t q = 0; q < n; q++)
                        if (p != q)
                                out[count++] = (ps_transfer){p, q, bytes};
        return count;
}

TEST(redistributions_cost_as_worked_out)
{
        static const uint64_t uneven[4][4] = {{6, 6, 6, 0}, {6, 6, 0, 6}, {4, 0, 4, 4}, {0, 4, 4, 4}};
        const ps_transfer shift[] = {{0, 1, 16}, {1, 2, 16}, {2, 3, 16}};
        ps_transfer list[16];
        size_t n = all_pairs(list, 4, 128); /* rows to columns, 16 x 16 doubles */
        assert_int_equal(exchange("bus", &line4, list, n), PS_US(1207.2));
        assert_int_equal(exchange("transputer", &line4, list, n), PS_US(301.8));
        n = all_pairs(list, 4, 16); /* 8 doubles, to all */
        assert_int_equal(exchange("bus", &line4, list, n), PS_US(938.4));
        assert_int_equal(exchange("transputer", &line4, list, n), PS_US(234.6));
        assert_int_equal(exchange("bus", &line4, shift, 3), PS_US(234.6));
        assert_int_equal(exchange("transputer", &line4, shift, 3), PS_US(78.2));
        n = all_pairs(list, 4, 32); /* cyclic(10) to cyclic(2), 80 elements */
        assert_int_equal(exchange("bus", &line4, list, n), PS_US(976.8));
        assert_int_equal(exchange("transputer", &line4, list, n), PS_US(244.2));
        n = 0; /* cyclic(6) to cyclic(2), 60 elements */
        for (uint32_t p = 0; p < 4; p++)
                for (uint32_t q = 0; q < 4; q++)
                        list[n++] = (ps_transfer){p, q, 8 * uneven[p][q]};
        assert_int_equal(exchange("bus", &line4, list, n), PS_US(664));
}

TEST(distances_on_a_grid_are_counted)
{
        const ps_grid box = {3, {2, 3, 4}};
        assert_int_equal(ps_grid_count(&box), 24);
        assert_int_equal(ps_grid_distance(&box, 0, 23), 1 + 2 + 3);
        assert_int_equal(ps_grid_distance(&box, 23, 0), 6);
        assert_int_equal(ps_grid_distance(&box, 5, 6), 1);
        assert_int_equal(ps_grid_distance(&square4, 3, 4), 4);
        assert_int_equal(ps_grid_distance(&box, 7, 7), 0);
}

static ps_time reduction(const char *name, const ps_grid *grid, uint32_t dimensions, uint64_t bytes)
{
        ps_machine *m = preset(name);
        ps_time time;
        assert_int_equal(ps_reduction_time(&time, m, grid, dimensions, bytes, NULL), PS_OK);
        ps_machine_free(m);
        return time;
}

TEST(reductions_cost_as_worked_out)
{
        const ps_grid one = {1, {1}};
        assert_int_equal(reduction("bus", &square2, 3, 8), PS_US(459.6));
        assert_int_equal(reduction("bus", &square2, 1, 8), PS_US(306.4));
        assert_int_equal(reduction("bus", &square4, 3, 8), PS_US(2298));
        assert_int_equal(reduction("bus", &square4, 1, 8), PS_US(1378.8));
        assert_int_equal(reduction("transputer", &square2, 3, 8), PS_US(306.4));
        assert_int_equal(reduction("transputer", &square2, 1, 8), PS_US(229.8));
        assert_int_equal(reduction("transputer", &square4, 3, 8), PS_US(612.8));
        assert_int_equal(reduction("transputer", &square4, 2, 8), PS_US(459.6));
        assert_int_equal(reduction("bus", &square4, 0, 8), 0);
        assert_int_equal(reduction("bus", &one, 1, 8), 0);
        /* 3 messages to processor 0, 3 back, over one channel between nodes; the message to 1 is within. */
        assert_int_equal(reduction("cluster", &line4, 1, 1000), 2 * 2 * PS_US(7 + 4));
        /* allreduce of the machine: two stages of 1 us + 8 ns. */
        ps_machine *m =
                machine_of("{ \"model\": \"hockney\", \"latency_s\": 1e-6, \"bandwidth_bytes_per_s\": 1e9 }");
        ps_time time;
        assert_int_equal(ps_reduction_time(&time, m, &square2, 1, 8, NULL), PS_OK);
        assert_int_equal(time, 2 * PS_US(1.008));
        ps_machine_free(m);
}

/* -- channels -- */

TEST(channels_carry_side_by_side)
{
        const ps_transfer list[] = {{0, 1, 1000}, {1, 0, 600}, {2, 3, 400}, {3, 2, 400}, {1, 3, 200}};
        ps_machine *m = machine_of("{ \"model\": \"myrinet\", \"latency_s\": 75e-6,"
                                   " \"bandwidth_bytes_per_s\": 5e6, \"channels\": 2 }");
        /* 1000, 400 and 200 bytes: the larger one of each pair. */
        assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, list, COUNT(list), NULL),
                         PS_US((3 * 75 + 1600 * 0.2) / 2));
        ps_time time; /* 3 + 3 messages of 100 us over two channels */
        assert_int_equal(ps_reduction_time(&time, m, &line4, 1, 125, NULL), PS_OK);
        assert_int_equal(time, PS_US(6 * 100 / 2));
        m->channels = 100; /* no more than processors */
        assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, list, COUNT(list), NULL),
                         PS_US((3 * 75 + 1600 * 0.2) / 4));
        ps_machine_free(m);
}

/* Nodes {0,1} {2,3}, two channels between them: 11 us a message of 1000 bytes, 2 us within a node. */
TEST(clusters_share_their_channels)
{
        ps_transfer list[12];
        ps_time done[4];
        ps_machine *m = preset("cluster");
        size_t n = all_pairs(list, 4, 1000);
        /* 8 messages between nodes, one at a time; those within do not wait for them. */
        assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, list, n, NULL), 8 * PS_US(11));
        m->clusters[m->n_clusters - 1].channels = 2;
        assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, list, n, NULL), 4 * PS_US(11));
        m->clusters[m->n_clusters - 1].channels = 0;
        assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, list, n, NULL), PS_US(11));
        /* Two nodes have a channel each. */
        const ps_transfer within[] = {{0, 1, 1000}, {1, 0, 1000}, {2, 3, 1000}};
        assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, within, 3, done), 2 * PS_US(2));
        assert_int_equal(done[2], PS_US(2));
        assert_int_equal(done[0], PS_US(4));
        ps_machine_free(m);
}

static ps_machine *dimemas(unsigned buses, unsigned in, unsigned out)
{
        ps_machine *m = machine_of("{ \"model\": \"dimemas\", \"latency_s\": 5e-6,"
                                   " \"bandwidth_bytes_per_s\": 1048576000 }");
        m->buses = buses;
        m->links_in = in;
        m->links_out = out;
        return m;
}

TEST(dimemas_buses_and_links)
{
        enum { MIB = 1 << 20 };
        const ps_transfer disjoint[] = {{0, 1, MIB}, {2, 3, MIB}}, to_one[] = {{0, 2, MIB}, {1, 2, MIB}};
        static const struct {
                unsigned buses, in;
                int is_disjoint;
                double us;
        } cases[] = {{1, 0, 1, 2005}, {2, 0, 1, 1005}, {0, 0, 1, 1005},
                     {0, 1, 0, 2005}, {0, 2, 0, 1005}, {0, 0, 0, 1005}};
        for (size_t i = 0; i < COUNT(cases); i++) {
                ps_machine *m = dimemas(cases[i].buses, cases[i].in, 0);
                assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT,
                                             cases[i].is_disjoint ? disjoint : to_one, 2, NULL),
                                 PS_US(cases[i].us));
                ps_machine_free(m);
        }
        const ps_transfer from_one[] = {{0, 1, MIB}, {0, 2, MIB}};
        ps_machine *m = dimemas(0, 0, 1);
        assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, from_one, 2, NULL), PS_US(2005));
        m->links_out = 0; /* the second one is ready after 2 L */
        assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, from_one, 2, NULL), PS_US(1010));
        m->ranks_per_node = 4; /* memory has neither buses nor links */
        m->buses = m->links_out = 1;
        assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, from_one, 2, NULL), PS_US(1010));
        ps_machine_free(m);
}

/* One rank to all others is a flat scatter, all to one a flat gather, whatever the model. */
TEST(ports_agree_with_trees)
{
        static const char *const texts[] = {
                "{ \"model\": \"hockney\", \"latency_s\": 70e-6, \"bandwidth_bytes_per_s\": 8e7 }",
                "{ \"model\": \"loggp\", \"latency_s\": 20e-6, \"send_overhead_s\": 5e-6,"
                " \"receive_overhead_s\": 6e-6, \"gap_s\": 15e-6, \"bandwidth_bytes_per_s\": 1e8 }",
                "{ \"model\": \"hlmo\", \"processing_s\": 50e-6, \"processing_s_per_byte\": 4e-9,"
                " \"latency_s\": 20e-6, \"bandwidth_bytes_per_s\": 125000000 }",
                lmo_example,
        };
        const ps_group four = {.n = 4};
        const ps_transfer scatter[] = {{0, 1, 1000}, {0, 2, 1000}, {0, 3, 1000}};
        const ps_transfer gather[] = {{1, 0, 1000}, {2, 0, 1000}, {3, 0, 1000}};
        for (size_t i = 0; i < COUNT(texts); i++) {
                ps_machine *m = machine_of(texts[i]);
                assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, scatter, 3, NULL),
                                 ps_scatter_flat(m, &four, 1000));
                assert_int_equal(exchange_by(m, &line4, PS_PIPELINING_EXACT, gather, 3, NULL),
                                 ps_gather_flat(m, &four, 1000).low);
                ps_machine_free(m);
        }
}

TEST(impossible_exchanges_are_refused)
{
        const ps_transfer unsorted[] = {{1, 0, 1}, {0, 1, 1}}, outside[] = {{0, 4, 1}}, self[] = {{1, 1, 1}};
        const ps_grid huge = {4, {1 << 20, 1 << 20, 2, 2}}, none = {1, {0}}, five = {1, {5}};
        ps_machine *bus = preset("bus"), *lmo = machine_of(lmo_example);
        ps_time time;
        ps_error err = {0};
#define EXCHANGE(m, grid, list, n) ps_exchange_time(&time, NULL, m, grid, PS_PIPELINING_EXACT, list, n, &err)
        assert_int_equal(EXCHANGE(bus, &line4, unsorted, 2), PS_E_USAGE);
        assert_int_equal(EXCHANGE(bus, &line4, outside, 1), PS_E_USAGE);
        assert_int_equal(EXCHANGE(bus, &line4, self, 1), PS_E_USAGE);
        assert_int_equal(EXCHANGE(bus, &huge, NULL, 0), PS_E_USAGE);
        assert_int_equal(EXCHANGE(bus, &none, NULL, 0), PS_E_USAGE);
        assert_int_equal(EXCHANGE(lmo, &five, NULL, 0), PS_E_USAGE);
        assert_non_null(strstr(err.cause[0].text, "processors=4, needed=5"));
        assert_int_equal(ps_reduction_time(&time, lmo, &five, 1, 8, &err), PS_E_USAGE);
        ps_machine_free(bus);
        ps_machine_free(lmo);
}
