/* test_pairs.c - who sends to whom, told a little at a time. */
#include "core/sums/pairs.h"
#include "tests/support/test.h"
#include <stdlib.h>

/* Of 200,000 messages of 10 bytes the i-th goes from i mod 3 to i mod 2: six pairs of 33,333 each, and one
 * more of the first two. */
TEST(pairs_that_are_told_again_and_again_take_little_room)
{
        enum { MESSAGES = 200000, PAIRS = 6 };
        ps_profile profile = {0};
        ps_pairs pairs = {.out = &profile};
        for (uint32_t i = 0; i < MESSAGES; i++) {
                ps_pairs_add(&pairs, &(ps_profile_pair){i % 3, i % 2, 1, 10});
                assert_true(profile.n_pairs < MESSAGES / 2);
        }
        assert_false(pairs.lacks_memory);
        assert_int_equal(ps_pairs_sort(&pairs), 0);
        assert_int_equal(profile.n_pairs, PAIRS);
        for (uint32_t i = 0; i < PAIRS; i++) {
                const ps_profile_pair *pair = &profile.pairs[i];
                assert_int_equal(pair->from, i / 2);
                assert_int_equal(pair->to, i % 2);
                const uint64_t messages = i == 0 || i == 3 ? 33334 : 33333; /* 0 to 0 and 1 to 1 */
                assert_int_equal(pair->messages, messages);
                assert_int_equal(pair->bytes, 10 * messages);
        }
        assert_int_equal(profile.n_messages, MESSAGES);
        assert_int_equal(profile.n_bytes, 10 * MESSAGES);
        free(profile.pairs);
        ps_pairs_free(&pairs);
}
