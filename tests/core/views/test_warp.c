/* test_warp.c - times of one timing in another one: a location computes from 0 to 100, is in an operation to
 * 200, in one inside of another to 260 and 300, and computes to 400. In the other timing it computes twice as
 * long, and the first operation takes no time. */
#include "core/views/warp.h"
#include "tests/support/test.h"

static ps_time enter_a[] = {100, 220, 230}, leave_a[] = {200, 300, 260};
static ps_time enter_b[] = {200, 240, 250}, leave_b[] = {200, 320, 280};
static ps_time *enters_a[] = {enter_a}, *leaves_a[] = {leave_a}, *enters_b[] = {enter_b},
               *leaves_b[] = {leave_b};
static const ps_location_info info_a = {.first = 0, .last = 400}, info_b = {.first = 0, .last = 520};
static const ps_timing timing_a = {.enter = enters_a, .leave = leaves_a, .info = &info_a},
                       timing_b = {.enter = enters_b, .leave = leaves_b, .info = &info_b};

TEST(what_lies_between_two_moments_is_stretched)
{
        static const ps_time times[][2] = {{0, 0},     {50, 100},  {99, 198},  {200, 200},
                                           {210, 220}, {220, 240}, {225, 245}, {230, 250},
                                           {245, 265}, {260, 280}, {330, 400}, {400, 520}};
        ps_ops ops = {.n = 3};
        const ps_trace trace = {.n_locs = 1, .ops = &ops};
        for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
                assert_int_equal(ps_time_warped(&trace, &timing_a, &timing_b, 0, times[i][0]), times[i][1]);
                assert_int_equal(ps_time_warped(&trace, &timing_b, &timing_a, 0, times[i][1]), times[i][0]);
        }
        assert_int_equal(ps_time_warped(&trace, &timing_a, &timing_b, 0, 150), 200); /* took no time */
}

TEST(what_lies_outside_is_at_the_ends)
{
        ps_ops ops = {.n = 3};
        const ps_trace trace = {.n_locs = 1, .ops = &ops};
        assert_int_equal(ps_time_warped(&trace, &timing_a, &timing_b, 0, -5), 0);
        assert_int_equal(ps_time_warped(&trace, &timing_a, &timing_b, 0, 1000), 520);
}
