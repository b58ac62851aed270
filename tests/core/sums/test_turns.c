/* test_turns.c - whose turn it is among eight numbers. */
#include "core/sums/turns.h"
#include "tests/support/test.h"
#include <string.h>

/* Whose number comes, and the next one, when each is replaced by one that is 5 more. */
PS_TURNS_TARGET static void take_turns(ps_turns turns)
{
        static const int64_t first[] = {1, 2, 4, 6, 7, 9, 9, 11, 12},
                             second[] = {2, 4, 6, 7, 9, 9, 11, 12, 14};
        for (unsigned i = 0; i < sizeof(first) / sizeof(*first); i++) {
                assert_int_equal(ps_turns_first(&turns), first[i]);
                assert_int_equal(ps_turns_second(&turns), second[i]);
                ps_turns_replace_first(&turns, first[i] + 5);
        }
}

/* The longest time is a number of almost 2^63; what has no more turns comes last. */
PS_TURNS_TARGET static void end_turns(ps_turns turns)
{
        ps_turns_replace_first(&turns, PS_TURNS_NEVER - 1);
        assert_int_equal(ps_turns_first(&turns), 2);
        ps_turns_replace_first(&turns, PS_TURNS_NEVER);
        assert_int_equal(ps_turns_first(&turns), 4);
        ps_turns_replace_first(&turns, PS_TURNS_NEVER);
        assert_int_equal(ps_turns_first(&turns), 9);
        ps_turns_replace_first(&turns, PS_TURNS_NEVER);
        assert_int_equal(ps_turns_first(&turns), PS_TURNS_NEVER - 1);
        assert_int_equal(ps_turns_second(&turns), PS_TURNS_NEVER);
}

TEST(the_least_number_comes_first)
{
        static const int64_t never = PS_TURNS_NEVER,
                             number[PS_TURNS] = {1, 2, 4, 9, never, never, never, never};
        ps_turns turns;
        if (!ps_turns_can())
                skip();
        memcpy(&turns, number, sizeof(number));
        take_turns(turns);
        end_turns(turns);
}

#if defined(__x86_64__)
/* As a program does that is made for fast arithmetic: 1 and 2 would be the same number then. */
TEST(nobody_takes_turns_where_small_doubles_count_as_zero)
{
        const unsigned before = _mm_getcsr();
        _mm_setcsr(before | _MM_DENORMALS_ZERO_MASK);
        const bool can = ps_turns_can();
        _mm_setcsr(before);
        assert_false(can);
}
#endif
