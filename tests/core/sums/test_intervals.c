/* test_intervals.c - what follows from the shares of processors, against examples worked out by hand. */
#include "core/sums/intervals.h"
#include "tests/support/test.h"
#include <math.h>

static const ps_time ms = PS_PS_PER_S / 1000;

static void near(double value, double expected)
{
        if (fabs(value - expected) > 1e-12)
                fail_msg("%.15g is not %.15g", value, expected);
}

static ps_intervals *tree_with(uint32_t n_processors, unsigned known)
{
        ps_intervals *tree;
        ps_error err = {0};
        assert_int_equal(ps_intervals_new(&tree, n_processors, known, 0, &err), PS_OK);
        return tree;
}

static ps_intervals *tree_of(uint32_t n_processors)
{
        return tree_with(n_processors, 0);
}

static void finish(ps_intervals *tree)
{
        ps_error err = {0};
        assert_int_equal(ps_intervals_finish(tree, &err), PS_OK);
        for (uint32_t i = 0; i < tree->n; i++)
                near(tree->row[i].sums.total_s, tree->row[i].sums.productive_s + tree->row[i].sums.lost_s);
}

static ps_share *shares(ps_intervals *tree, uint32_t interval)
{
        ps_share *share;
        ps_error err = {0};
        assert_int_equal(ps_intervals_shares(tree, interval, &share, &err), PS_OK);
        return share;
}

static uint32_t enter(ps_intervals *tree, uint32_t parent, uint32_t line, int64_t index)
{
        uint32_t id;
        ps_error err = {0};
        ps_interval_key key = {
                .type = PS_INTERVAL_USER, .line = line, .index = index, .has_index = index >= 0};
        assert_int_equal(ps_intervals_enter(tree, parent, &key, &id, &err), PS_OK);
        return id;
}

/* Four processors do the same 0.1 s of calculation and 0.02 s of system calls. */
TEST(replicated_work_is_insufficient_parallelism)
{
        ps_intervals *tree = tree_of(4);
        ps_share *share = shares(tree, 0);
        for (int p = 0; p < 4; p++)
                share[p] = (ps_share){.cpu = 100 * ms,
                                      .system = 20 * ms,
                                      .insufficient_cpu = 75 * ms,
                                      .insufficient_system = 15 * ms};
        finish(tree);
        const ps_interval_sums *s = &tree->row[0].sums;
        near(s->insufficient_cpu_s, .3);
        near(s->insufficient_system_s, .06);
        near(s->execution_s, .12);
        near(s->total_s, .48);
        near(s->efficiency, .25);
        ps_intervals_free(tree);
}

/* A loop of ten iterations of 0.1 s on four processors, and 0.5 s of system time on each. */
TEST(uneven_shares_make_processors_idle)
{
        static const int iterations[] = {2, 3, 2, 3};
        ps_intervals *tree = tree_of(4);
        ps_share *share = shares(tree, 0);
        for (int p = 0; p < 4; p++)
                share[p] = (ps_share){
                        .cpu = 100 * ms * iterations[p], .system = 500 * ms, .insufficient_system = 375 * ms};
        finish(tree);
        const ps_interval_sums *s = &tree->row[0].sums;
        near(s->execution_s, .8);
        near(s->idle_s, .2);
        near(s->imbalance_s, .2);
        near(s->productive_s, 1.5);
        near(s->lost_s, 1.7);
        near(s->efficiency, .46875);
        ps_interval_sums one;
        ps_interval_processor(tree, 0, 0, &one);
        near(one.idle_s, .1);
        near(one.execution_s, .7);
        near(one.total_s, .8);
        ps_interval_processor(tree, 0, 1, &one);
        near(one.idle_s, 0);
        ps_intervals_free(tree);
}

/* Processor 0 calculates 5 ms outside, then communicates for 3 ms in a and calculates for 2 ms in b, which is
 * in a; processor 1 communicates for 1 ms and calculates for 6 ms. */
static ps_intervals *nested(unsigned known, uint32_t *a_out, uint32_t *b_out)
{
        ps_intervals *tree = tree_with(2, known);
        uint32_t a = enter(tree, 0, 10, -1), b = enter(tree, a, 20, -1);
        shares(tree, 0)[0].cpu = 5 * ms;
        shares(tree, a)[0].communication[PS_IC_SHADOW] = 3 * ms;
        shares(tree, a)[1].communication[PS_IC_SHADOW] = 1 * ms;
        shares(tree, b)[0].cpu = 2 * ms;
        shares(tree, b)[1].cpu = 6 * ms;
        tree->row[a].operations[PS_IC_SHADOW] = 7;
        finish(tree);
        *a_out = a;
        *b_out = b;
        return tree;
}

TEST(intervals_are_laid_end_to_end)
{
        uint32_t a, b;
        ps_intervals *tree = nested(0, &a, &b);
        ps_interval_sums one;
        near(tree->row[b].sums.execution_s, .006);
        near(tree->row[a].sums.execution_s, .009);
        near(tree->row[0].sums.execution_s, .014);
        near(tree->row[0].sums.idle_s, .005 + .002 + .004);
        near(tree->row[0].sums.communication_all_s, .004);
        assert_int_equal(tree->row[0].sums.count[PS_IC_SHADOW], 7);
        assert_int_equal(tree->row[b].level, 2);
        ps_interval_processor(tree, a, 1, &one);
        near(one.idle_s, .002);
        near(one.cpu_s, .006);
        near(one.execution_s, .007);
        ps_intervals_free(tree);
}

TEST(clocks_tell_how_long_an_interval_took)
{
        uint32_t a, b;
        ps_intervals *tree = nested(PS_KNOWS_CLOCKS, &a, &b);
        ps_interval_sums one;
        near(tree->row[b].sums.execution_s, .006);
        near(tree->row[b].sums.idle_s, .004);
        near(tree->row[a].sums.execution_s, .007); /* 3 + 2 and 1 + 6 */
        near(tree->row[a].sums.idle_s, .002);
        near(tree->row[0].sums.execution_s, .010);
        near(tree->row[0].sums.idle_s, .003);
        near(tree->row[0].sums.imbalance_s, .001); /* 7 against 6 */
        ps_interval_processor(tree, 0, 1, &one);
        near(one.execution_s, .007);
        near(one.idle_s, .003);
        near(one.cpu_s, .006);
        ps_intervals_free(tree);
}

TEST(the_same_interval_is_found_again)
{
        ps_intervals *tree = tree_of(1);
        uint32_t first = enter(tree, 0, 10, 1);
        assert_int_equal(enter(tree, 0, 10, 1), first);
        assert_int_equal(tree->row[first].count, 2);
        assert_int_not_equal(enter(tree, 0, 10, 2), first);
        assert_int_not_equal(enter(tree, 0, 10, -1), first);
        assert_int_not_equal(enter(tree, first, 10, 1), first);
        uint32_t last = 0;
        for (uint32_t line = 100; line < 1100; line++) /* past the first tables */
                last = enter(tree, 0, line, -1);
        assert_int_equal(enter(tree, 0, 1099, -1), last);
        assert_int_equal(enter(tree, 0, 10, 1), first);
        ps_intervals_free(tree);
}

TEST(a_run_of_nothing_is_efficient)
{
        ps_intervals *tree = tree_of(3);
        finish(tree);
        near(tree->row[0].sums.efficiency, 1);
        near(tree->row[0].sums.total_s, 0);
        ps_intervals_free(tree);
}

/* More processor time than 64 bits of picoseconds hold. */
TEST(sums_go_beyond_one_clock)
{
        ps_intervals *tree = tree_of(10000);
        ps_share *share = shares(tree, 0);
        for (int p = 0; p < 10000; p++)
                share[p].cpu = 100000 * PS_PS_PER_S;
        finish(tree);
        near(tree->row[0].sums.total_s / 1e9, 1);
        near(tree->row[0].sums.efficiency, 1);
        ps_intervals_free(tree);
}
