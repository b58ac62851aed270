/* test_growth.c - laws that were planted are found, as far as so few points allow. */
#include "compare/growth.h"
#include "tests/support/test.h"

#include <math.h>

enum { POINTS = 6 };
static const double p[POINTS] = {2, 4, 8, 16, 32, 64};

static void expect_near(double value, double expected)
{
        if (fabs(value - expected) > 1e-6 * fabs(expected))
                fail_msg("%.9g instead of %.9g", value, expected);
}

/* 3 + 0.5 f(p) for each law. */
TEST(each_law_is_found)
{
        for (unsigned law = PS_GROWTH_LOG; law < PS_GROWTH_LAWS; law++) {
                double cost[POINTS];
                for (unsigned i = 0; i < POINTS; i++) {
                        const double f[] = {0, log2(p[i]), p[i], p[i] * log2(p[i])};
                        cost[i] = 3 + 0.5 * f[law];
                }
                ps_growth g = ps_growth_fit(p, cost, POINTS);
                assert_int_equal(g.law, law);
                assert_int_equal(g.trust, PS_GROWTH_HIGH);
                expect_near(g.a, 3);
                expect_near(g.b, 0.5);
                expect_near(g.r_squared, 1);
        }
}

TEST(what_hardly_differs_is_constant)
{
        const double cost[POINTS] = {1, 1.01, 0.99, 1.02, 1, 0.98};
        ps_growth g = ps_growth_fit(p, cost, POINTS);
        assert_int_equal(g.law, PS_GROWTH_CONSTANT);
        assert_true(fabs(ps_growth_at(&g, 1024) - 1) < 0.01);
}

TEST(few_runs_tell_little)
{
        const double cost[] = {1, 2, 4};
        assert_int_equal(ps_growth_fit(p, cost, 2).trust, PS_GROWTH_UNKNOWN);
        assert_int_equal(ps_growth_fit(p, cost, 3).trust, PS_GROWTH_LOW);
}

TEST(a_cost_that_falls_or_is_nothing_grows_by_no_law)
{
        const double falling[POINTS] = {64, 32, 16, 8, 4, 2}, nothing[POINTS] = {0};
        ps_growth g = ps_growth_fit(p, falling, POINTS);
        assert_true(g.b == 0 && g.a > 0);
        g = ps_growth_fit(p, nothing, POINTS);
        assert_true(ps_growth_at(&g, 1000) == 0);
}

/* A call that the smallest runs do not have: the fit follows the others, and is never negative. */
TEST(a_run_without_it_does_not_decide)
{
        const double cost[POINTS] = {0, 0, 8, 16, 32, 64};
        ps_growth g = ps_growth_fit(p, cost, POINTS);
        double ahead = ps_growth_at(&g, 128);
        assert_true(ahead > 64 && ahead < 256);
        assert_true(ps_growth_at(&g, 2) >= 0);
}

/* A small run that was lucky does not make nothing of what grows. */
TEST(what_is_large_is_not_forgotten)
{
        const double cost[] = {0.14, 0.035, 1.75};
        ps_growth g = ps_growth_fit(p, cost, 3);
        assert_true(g.b > 0 && ps_growth_at(&g, p[2]) > 0.25 * cost[2]);
}
