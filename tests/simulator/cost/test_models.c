/* test_models.c - what messages cost under each model, and collective operations by closed formulas. */
#include "simulator/cost/collectives.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static const ps_group eight = {.n = 8};

TEST(hockney_costs_latency_and_bytes)
{
        ps_machine *m = machine_of("{ \"model\": \"hockney\", \"latency_s\": 70e-6,"
                                   " \"bandwidth_bytes_per_s\": 83333333.333333333 }");
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), PS_US(82));
        assert_int_equal(ps_scatter_flat(m, &eight, 1000), PS_US(574));
        assert_int_equal(ps_scatter_parallel(m, &eight, 1000), PS_US(82));
        assert_int_equal(ps_scatter_binomial(m, &eight, 1000), PS_US(294));
        assert_int_equal(ps_gather_flat(m, &eight, 1000).low, PS_US(574));
        assert_int_equal(ps_gather_binomial(m, &eight, 1000), PS_US(294));
        assert_int_equal(ps_machine_send_overhead(m, 0, 1, 1000), 0);
        assert_int_equal(ps_machine_receive_overhead(m, 0, 1, 1000), 0);
        ps_machine_free(m);
}

TEST(the_smallest_file_is_a_machine)
{
        ps_machine *m = machine_of("{ \"model\": \"hockney\", \"latency_s\": 5e-6,"
                                   " \"bandwidth_bytes_per_s\": 1e9, \"eager_bytes\": 65536 }");
        assert_int_equal(ps_machine_flight(m, 0, 1, 1000), PS_US(6));
        assert_int_equal(ps_machine_p2p(m, 3, 2, 0), PS_US(5));
        assert_int_equal(ps_machine_gap(m, 0, 1, 1000), 0);
        assert_int_equal(ps_machine_handshake(m, 0, 1), 0);
        assert_int_equal(m->eager_bytes, 65536);
        assert_int_equal(m->send_mode, PS_SEND_BY_SIZE);
        ps_machine_free(m);
}

TEST(logp_and_loggp)
{
        ps_machine *logp =
                machine_of("{ \"model\": \"logp\", \"latency_s\": 20e-6, \"send_overhead_s\": 5e-6,"
                           " \"receive_overhead_s\": 5e-6, \"gap_s\": 15e-6 }");
        ps_machine *loggp =
                machine_of("{ \"model\": \"loggp\", \"latency_s\": 20e-6, \"send_overhead_s\": 5e-6,"
                           " \"receive_overhead_s\": 5e-6, \"gap_s\": 15e-6,"
                           " \"bandwidth_bytes_per_s\": 1e8 }");
        assert_int_equal(ps_machine_p2p(logp, 0, 1, 1000), PS_US(30));
        assert_int_equal(ps_machine_p2p(loggp, 0, 1, 1000), PS_US(39.99));
        assert_int_equal(ps_machine_p2p(loggp, 0, 1, 0), PS_US(30));
        assert_int_equal(ps_scatter_flat(loggp, &eight, 1000), PS_US(189.93));
        assert_int_equal(ps_machine_gap(logp, 0, 1, 8), PS_US(15));
        assert_int_equal(ps_machine_gap(loggp, 0, 1, 1000), PS_US(24.99));
        ps_machine_free(logp);
        ps_machine_free(loggp);
}

static const char plogp[] =
        "{ \"model\": \"plogp\", \"latency_s\": 30e-6,"
        " \"gap_table\": [[0, 15e-6], [1, 15.01e-6], [100000, 1015e-6]],"
        " \"send_overhead_table\": [[0, 4e-6]], \"receive_overhead_table\": [[0, 6e-6]] }";

TEST(plogp_looks_up_sizes)
{
        ps_machine *m = machine_of(plogp);
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), PS_US(55));
        assert_int_equal(ps_scatter_flat(m, &eight, 1000), PS_US(205));
        assert_int_equal(ps_machine_send_overhead(m, 0, 1, 77), PS_US(4));
        assert_int_equal(ps_machine_receive_overhead(m, 0, 1, 77), PS_US(6));
        /* On past the last point: 15 us + 10 ns * 200000. */
        assert_int_equal(ps_machine_gap(m, 0, 1, 200000), PS_US(2015));
        ps_machine_free(m);
}

TEST(hlmo_predicts_scatter_and_gather)
{
        ps_machine *m = machine_of("{ \"model\": \"hlmo\", \"processing_s\": 50e-6,"
                                   " \"processing_s_per_byte\": 4e-9, \"latency_s\": 20e-6,"
                                   " \"bandwidth_bytes_per_s\": 125000000 }");
        const ps_group twenty = {.n = 20}, eighteen = {.n = 18};
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), PS_US(120 + 16));
        assert_int_equal(ps_scatter_flat(m, &twenty, 0), PS_US(1020));
        assert_int_equal(ps_scatter_flat(m, &eighteen, 0), PS_US(920));
        assert_int_equal(ps_scatter_flat(m, &twenty, 100000), PS_US(9820));
        assert_int_equal(ps_scatter_flat(m, &eighteen, 100000), PS_US(8920));
        ps_machine_free(m);
}

TEST(lmo_predicts_as_worked_out)
{
        ps_machine *m = machine_of(lmo_example);
        const ps_group four = {.n = 4};
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), PS_US(147));
        assert_int_equal(ps_machine_p2p(m, 2, 3, 65536), PS_US(1491.488));
        assert_int_equal(ps_scatter_flat(m, &four, 1000), PS_US(290));
        assert_int_equal(ps_scatter_binomial(m, &four, 1000), PS_US(315.5));
        ps_band small = ps_gather_flat(m, &four, 1000), large = ps_gather_flat(m, &four, 100000);
        ps_band medium = ps_gather_flat(m, &four, 20000);
        assert_int_equal(small.low, PS_US(290));
        assert_int_equal(small.high, PS_US(290));
        assert_int_equal(large.low, PS_US(5905));
        assert_int_equal(large.high, PS_US(5905));
        assert_int_equal(medium.low, PS_US(860));
        assert_int_equal(medium.high, PS_US(1505));
        m->lmo.escalation_s = 0.2;
        m->lmo.escalation_probability = 0.1;
        assert_int_equal(ps_gather_flat(m, &four, 20000).high, PS_US(1505 + 20000));
        assert_int_equal(ps_gather_flat(m, &four, 4095).high, ps_gather_flat(m, &four, 4095).low);
        assert_true(ps_gather_flat(m, &four, 4096).high > ps_gather_flat(m, &four, 4096).low);
        assert_true(ps_gather_flat(m, &four, 65536).high > ps_gather_flat(m, &four, 65536).low);
        assert_int_equal(ps_gather_flat(m, &four, 65537).high, ps_gather_flat(m, &four, 65537).low);
        ps_machine_free(m);
}

/* Groups name members, and the root is a place among them: {2, 3} from 3 is the message 3 -> 2. */
TEST(groups_name_members_and_their_root)
{
        ps_machine *m = machine_of(lmo_example);
        const uint32_t members[] = {2, 3};
        const ps_group pair = {members, 2, 1};
        assert_int_equal(ps_scatter_flat(m, &pair, 65536), PS_US(1491.488));
        assert_int_equal(ps_scatter_binomial(m, &pair, 65536), PS_US(1491.488));
        assert_int_equal(ps_gather_binomial(m, &pair, 1000), ps_machine_p2p(m, 2, 3, 1000));
        ps_machine_free(m);
}

/* Flat and binomial trees agree with their sums, for any model that has equal processors. */
TEST(trees_agree_with_sums)
{
        ps_machine *m =
                machine_of("{ \"model\": \"hockney\", \"latency_s\": 3e-6, \"bandwidth_bytes_per_s\": 1e9 }");
        for (uint32_t n = 1; n < 70; n++) {
                ps_group group = {.n = n, .root = n / 3};
                uint32_t levels = 0;
                while (UINT32_C(1) << levels < n)
                        levels++;
                assert_int_equal(ps_scatter_flat(m, &group, 500), (n - 1) * PS_US(3.5));
                ps_time least = levels * PS_US(3); /* and each byte leaves the root once */
                assert_true(ps_scatter_binomial(m, &group, 500) >= least + (n - 1) * PS_US(0.5));
                if ((n & (n - 1)) == 0)
                        assert_int_equal(ps_scatter_binomial(m, &group, 500), least + (n - 1) * PS_US(0.5));
        }
        ps_machine_free(m);
}

static const char dimemas[] = "{ \"model\": \"dimemas\", \"latency_s\": 5e-6,"
                              " \"bandwidth_bytes_per_s\": 1048576000, \"collectives\": { \"allreduce\": "
                              "[\"%s\", \"%s\"] }, \"buses\": %d }";

static ps_time dimemas_allreduce(const char *shape, int buses)
{
        char text[512];
        snprintf(text, sizeof(text), dimemas, shape, shape, buses);
        ps_machine *m = machine_of(text);
        ps_time time = ps_machine_collective(m, PS_K_ALLREDUCE, &eight, 1024);
        ps_machine_free(m);
        return time;
}

/* 1 KiB takes 976562.5 ps, and each of up to 14 messages is rounded. */
static void assert_near(ps_time time, ps_time expected)
{
        assert_in_range(time, expected - 14, expected + 14);
}

TEST(dimemas_costs_as_its_program)
{
        ps_machine *m = machine_of(
                "{ \"model\": \"dimemas\", \"latency_s\": 5e-6, \"bandwidth_bytes_per_s\": 1048576000 }");
        assert_near(dimemas_allreduce("constant", 0), PS_US(11.953125));
        assert_near(dimemas_allreduce("linear", 0), PS_US(83.671875));
        assert_near(dimemas_allreduce("logarithmic", 1), PS_US(83.671875));
        assert_near(dimemas_allreduce("logarithmic", 2), PS_US(47.8125));
        assert_near(dimemas_allreduce("logarithmic", 4), PS_US(35.859375));
        assert_near(dimemas_allreduce("logarithmic", 0), PS_US(35.859375));
        /* Without a word it is logarithmic both ways, too. */
        assert_near(ps_machine_collective(m, PS_K_ALLREDUCE, &eight, 1024), PS_US(35.859375));
        /* L at the sender, L at the receiver before it waits, 1 MiB on the way. */
        assert_int_equal(ps_machine_send_overhead(m, 0, 1, 1 << 20), PS_US(5));
        assert_int_equal(ps_machine_receive_overhead(m, 0, 1, 1 << 20), PS_US(5));
        assert_int_equal(ps_machine_flight(m, 0, 1, 1 << 20), PS_US(1000));
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1 << 20), PS_US(1005));
        assert_true(ps_machine_receives_early(m));
        assert_false(m->sender_free_at_end);
        ps_machine_free(m);
}

TEST(collectives_have_shapes)
{
        ps_machine *m =
                machine_of("{ \"model\": \"hockney\", \"latency_s\": 4e-6, \"bandwidth_bytes_per_s\": 1e9,"
                           " \"collectives\": { \"default\": \"linear\", \"bcast\": \"binomial\","
                           " \"allreduce\": \"ring\", \"allgather\": \"ring\", \"gather\": \"flat\","
                           " \"scatter\": \"binomial\", \"scan\": \"free\", \"barrier\": \"p2p\" } }");
        const ps_group alone = {.n = 1}, five = {.n = 5};
        assert_int_equal(ps_machine_collective(m, PS_K_ALLTOALL, &eight, 1000), 7 * PS_US(5));
        assert_int_equal(ps_machine_collective(m, PS_K_BCAST, &eight, 1000), 3 * PS_US(5));
        assert_int_equal(ps_machine_collective(m, PS_K_BCAST, &five, 1000), 3 * PS_US(5));
        assert_int_equal(ps_machine_collective(m, PS_K_ALLREDUCE, &eight, 8000), 14 * PS_US(5));
        assert_int_equal(ps_machine_collective(m, PS_K_ALLGATHER, &eight, 1000), 7 * PS_US(5));
        assert_int_equal(ps_machine_collective(m, PS_K_GATHER, &eight, 1000), 7 * PS_US(5));
        assert_int_equal(ps_machine_collective(m, PS_K_SCATTER, &eight, 1000), PS_US(3 * 4 + 7));
        assert_int_equal(ps_machine_collective(m, PS_K_SCAN, &eight, 1000), 0);
        assert_int_equal(ps_machine_collective(m, PS_K_BARRIER, &eight, 0), 3 * PS_US(4));
        assert_int_equal(ps_machine_collective(m, PS_K_BCAST, &alone, 1000), 0);
        ps_machine_free(m);
}

TEST(ranks_live_on_nodes)
{
        ps_machine *m =
                machine_of("{ \"model\": \"hockney\", \"latency_s\": 5e-6, \"bandwidth_bytes_per_s\": 1e9,"
                           " \"ranks_per_node\": 2, \"node_of_rank\": [7, 8, 7],"
                           " \"intra_node\": { \"latency_s\": 1e-6, \"bandwidth_bytes_per_s\": null },"
                           " \"cpu_ratio\": 2, \"cpu_ratios\": [1, 4],"
                           " \"region_ratios\": { \"solve\": 0.5, \"init\": 3 } }");
        assert_int_equal(ps_machine_p2p(m, 0, 2, 1000), PS_US(1)); /* both on 7 */
        assert_int_equal(ps_machine_p2p(m, 0, 1, 1000), PS_US(6));
        assert_int_equal(ps_machine_node(m, 8), 4);
        assert_int_equal(ps_machine_p2p(m, 8, 9, 1000), PS_US(1));
        assert_int_equal(ps_machine_p2p(m, 9, 10, 1000), PS_US(6));
        assert_true(ps_machine_cpu_ratio(m, 1) == 4 && ps_machine_cpu_ratio(m, 2) == 2);
        assert_true(ps_machine_region_ratio(m, "solve") == 0.5 && ps_machine_region_ratio(m, "x") == 1);
        ps_machine_free(m);
}

TEST(extreme_machines_do_not_overflow)
{
        ps_machine *m =
                machine_of("{ \"model\": \"hockney\", \"latency_s\": 1e6, \"bandwidth_bytes_per_s\": 1 }");
        ps_machine *ideal;
        assert_int_equal(ps_machine_p2p(m, 0, 1, UINT64_MAX), PS_TIME_MAX);
        assert_int_equal(ps_scatter_flat(m, &eight, UINT64_MAX), PS_TIME_MAX);
        assert_int_equal(ps_scatter_binomial(m, &eight, UINT64_MAX), PS_TIME_MAX);
        assert_int_equal(ps_machine_open(&ideal, "ideal", NULL), PS_OK);
        assert_int_equal(ps_machine_p2p(ideal, 0, 1, UINT64_MAX), 0);
        assert_int_equal(ps_time_of_seconds(-1), 0);
        assert_int_equal(ps_time_of_seconds(0.4999e-12), 0);
        assert_int_equal(ps_time_of_seconds(0.5e-12), 1);
        assert_int_equal(ps_time_of_seconds(1.0 / 0.0), PS_TIME_MAX);
        assert_int_equal(ps_time_of_seconds(0.0 / 0.0), 0);
        ps_machine_free(ideal);
        ps_machine_free(m);
}

TEST(a_machine_tells_its_formula)
{
        char room[PS_FORMULA_ROOM];
        ps_machine *m = machine_of("{ \"model\": \"hockney\", \"latency_s\": 5e-6,"
                                   " \"bandwidth_bytes_per_s\": 1e9, \"eager_bytes\": 65536 }");
        ps_machine *lmo = machine_of(lmo_example);
        assert_string_equal(ps_machine_formula(m, room),
                            "send-to-receive = L + bytes/B, L=5 us, B=1 GB/s, eager=65536 B");
        assert_string_equal(
                ps_machine_formula(lmo, room),
                "send-to-receive = C[i] + t[i]*bytes + L[i,j] + bytes/B[i,j] + C[j] + t[j]*bytes, "
                "processors=4, M1=4096 B, M2=65536 B");
        m->send_overhead_s = 1.5e-9;
        m->handshakes = 2;
        assert_string_equal(ps_machine_formula(m, room),
                            "send-to-receive = os + L + bytes/B, L=5 us, B=1 GB/s, os=1.5 ns, eager=65536 B, "
                            "handshakes=2");
        ps_machine_free(m);
        ps_machine_free(lmo);
}

TEST(formulas_tell_what_is_unusual)
{
        static const char start[] = "{ \"model\": \"hockney\", \"latency_s\": 5e-6,"
                                    " \"bandwidth_bytes_per_s\": 1e9, ";
        static const struct {
                const char *rest, *tells;
        } cases[] = {
                {"\"send_mode\": \"buffered\" }", "B=1 GB/s, sends=buffered"},
                {"\"cpu_ratios\": [1, 4], \"region_ratios\": { \"solve\": 0.5 } }",
                 "B=1 GB/s, ranks with a ratio of their own=2, regions with a ratio of their own=1"},
                {"\"collectives\": { \"allreduce\": \"ring\", \"barrier\": [\"linear\", \"constant\"] } }",
                 "B=1 GB/s, barrier=linear,constant, allreduce=ring"},
                {"\"collectives\": { \"default\": \"linear\" } }", "B=1 GB/s, collectives=linear"},
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                char text[512], expected[512], room[PS_FORMULA_ROOM];
                snprintf(text, sizeof(text), "%s%s", start, cases[i].rest);
                snprintf(expected, sizeof(expected), "send-to-receive = L + bytes/B, L=5 us, %s",
                         cases[i].tells);
                ps_machine *m = machine_of(text);
                assert_string_equal(ps_machine_formula(m, room), expected);
                ps_machine_free(m);
        }
}
