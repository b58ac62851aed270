/* test_fit.c - what ends that were released together tell of clocks: how far they may be wrong, and drifts.
 */
#include "tests/core/clock/lab.h"
#include "tests/support/test.h"
#include <stdlib.h>

static void expect_near(ps_time found, ps_time truth, ps_time most)
{
        if (llabs(found - truth) > most)
                fail_msg("%lld ns, not %lld +- %lld", (long long)found / 1000, (long long)truth / 1000,
                         (long long)most / 1000);
}

/* Process 0 waits in four barriers for process 1 and leaves them 20, 30, 50 and 40 us late. Next to the
 * soonest that is 10, 30 and 20, 15 us in the mean of all; the soonest of four is later than
 * 15 us * (0.01^(-1/3) - 1) in one case of a hundred: 54.6 us. And some microseconds that a library takes
 * anyway. */
TEST(more_barriers_tell_more)
{
        static const ps_time late[] = {20 * US, 30 * US, 50 * US, 40 * US};
        lab *l = lab_new(2, 4, 4, 8);
        for (int i = 0; i < 4; i++) {
                ps_time end = (i + 1) * 1000 * US;
                lab_all(l, PS_K_BARRIER, PS_NONE, (ps_time[]){end - 500 * US, end - US},
                        (ps_time[]){end + late[i], end + 80 * US});
        }
        lab_check(l, PS_CLOCK_AUTO);
        expect_near(ps_clock_pair_uncertainty(&l->trace, 0, 1), 54600 * US / 1000 + 5 * US, 5 * US);
        lab_free(l);
}

/* Process 1's clock gains `ppm`; in all of 200 barriers, one each 50 ms, one of the two waits for 2 ms, in
 * turns, and leaves 5 to 25 us late. */
static lab *drifting(ps_time ppm)
{
        uint64_t seed = 7;
        lab *l = lab_new(2, 200, 200, 400);
        for (int i = 0; i < 200; i++) {
                ps_time met = (i + 1) * 50000 * US, enter[2], leave[2];
                for (int p = 0; p < 2; p++) {
                        seed = seed * 6364136223846793005u + 1442695040888963407u;
                        enter[p] = met - (p == i % 2 ? 2000 * US : 0);
                        leave[p] = met + 5 * US + (ps_time)(seed >> 33) % (20 * US);
                }
                enter[1] += enter[1] / 1000000 * ppm + 70000 * US;
                leave[1] += leave[1] / 1000000 * ppm + 70000 * US;
                lab_all(l, PS_K_BARRIER, PS_NONE, enter, leave);
        }
        return l;
}

TEST(drift_is_found)
{
        lab *l = drifting(80);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->trust, PS_CLOCK_BOUNDED);
        assert_non_null(c->drift);
        double apart = 1e6 * (c->drift[1].rate - c->drift[0].rate);
        if (apart < -82 || apart > -78)
                fail_msg("%.2f ppm, not -80", apart);
        for (ps_op i = 0; i < 200; i++) /* whoever came last did so at the same true time */
                expect_near(lab_enter(l, (ps_ref){1, i}) - lab_enter(l, (ps_ref){0, i}),
                            i % 2 ? -2000 * US : 2000 * US, 30 * US);
        assert_true(ps_clock_pair_uncertainty(&l->trace, 0, 1) < 60 * US);
        lab_free(l);
}

TEST(no_drift_is_made_up)
{
        lab *l = drifting(0);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_null(c->drift);
        assert_int_equal(c->trust, PS_CLOCK_BOUNDED);
        lab_free(l);
}
