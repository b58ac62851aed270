/* test_quote.c - what operations take by closed formulas, in each way: the numbers that docs/MACHINES.md
 * works out for LMO, and those of test_models.c for Hockney. */
#include "simulator/cost/quote.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"

#include <string.h>

static void expect_way(const ps_quote *q, const char *way, bool is_own, double us)
{
        assert_string_equal(q->way, way);
        assert_null(q->way_out);
        assert_int_equal(q->is_machines_own, is_own);
        assert_int_equal(q->most, PS_US(us));
        assert_int_equal(q->least, PS_US(us));
}

TEST(a_message_has_one_way)
{
        ps_quote q[PS_QUOTE_WAYS];
        ps_machine *m = machine_of(lmo_example);
        assert_int_equal(ps_machine_quote(q, m, PS_K_SEND, 4, 1000), 1);
        expect_way(&q[0], "message", true, 147);
        ps_machine_free(m);
}

/* Down a binomial tree: C0 + 2 M t0 = 58 us of the root, then the way to rank 2 and from there to rank 3. */
TEST(a_scatter_is_told_in_both_ways)
{
        ps_quote q[PS_QUOTE_WAYS];
        ps_machine *m = machine_of(lmo_example);
        assert_int_equal(ps_machine_quote(q, m, PS_K_SCATTER, 4, 1000), 2);
        expect_way(&q[0], "binomial", true, 315.5);
        expect_way(&q[1], "flat", false, 290);
        ps_machine_free(m);
}

/* M1 = 4096 and M2 = 65536: between them there is a range. */
TEST(a_gather_of_medium_size_has_a_range)
{
        ps_quote q[PS_QUOTE_WAYS];
        ps_machine *m = machine_of(lmo_example);
        assert_int_equal(ps_machine_quote(q, m, PS_K_GATHER, 4, 1000), 2);
        expect_way(&q[1], "flat", false, 290);
        assert_int_equal(ps_machine_quote(q, m, PS_K_GATHER, 4, 100000), 2);
        expect_way(&q[1], "flat", false, 5905);
        assert_int_equal(ps_machine_quote(q, m, PS_K_GATHER, 4, 20000), 2);
        assert_int_equal(q[1].least, PS_US(860));
        assert_int_equal(q[1].most, PS_US(1505));
        ps_machine_free(m);
}

TEST(a_whole_vector_has_no_second_binomial_tree)
{
        ps_quote q[PS_QUOTE_WAYS];
        ps_machine *m = machine_of("{ \"model\": \"hockney\", \"latency_s\": 70e-6,"
                                   " \"bandwidth_bytes_per_s\": 83333333.333333333 }");
        assert_int_equal(ps_machine_quote(q, m, PS_K_BCAST, 8, 1000), 2);
        expect_way(&q[0], "logarithmic", true, 3 * 82);
        expect_way(&q[1], "flat", false, 574);
        assert_int_equal(ps_machine_quote(q, m, PS_K_ALLREDUCE, 8, 1000), 1);
        expect_way(&q[0], "logarithmic", true, 3 * 82);
        ps_machine_free(m);
}

TEST(a_way_in_and_a_way_out_are_both_told)
{
        ps_quote q[PS_QUOTE_WAYS];
        ps_machine *m = machine_of("{ \"model\": \"hockney\", \"latency_s\": 5e-6,"
                                   " \"bandwidth_bytes_per_s\": 1e9,"
                                   " \"collectives\": { \"bcast\": [\"flat\", \"constant\"] } }");
        assert_int_equal(ps_machine_quote(q, m, PS_K_BCAST, 4, 1000), 3);
        assert_string_equal(q[0].way, "flat");
        assert_string_equal(q[0].way_out, "constant");
        assert_int_equal(q[0].most, PS_US(4 * 6));
        expect_way(&q[1], "flat", false, 3 * 6);
        expect_way(&q[2], "binomial", false, 2 * 6);
        ps_machine_free(m);
}
