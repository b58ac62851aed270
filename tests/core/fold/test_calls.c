/* test_calls.c - what calls say is numbered once. */
#include "core/fold/calls.h"

#include "tests/support/test.h"

#include <stdlib.h>

TEST(calls_that_say_the_same_have_one_number)
{
        static const struct ps_call said[] = {
                {.path = 3, .peer = 1, .comm = 2, .bytes = 8},
                {.path = 4, .peer = 1, .comm = 2, .bytes = 8},
                {.path = 3, .peer = 0, .comm = 2, .bytes = 8},
                {.path = 3, .peer = 1, .comm = PS_NONE, .bytes = 8},
                {.path = 3, .peer = 1, .comm = 2, .bytes = UINT64_C(8) << 32},
        };
        enum { CALLS = sizeof(said) / sizeof(said[0]) };
        struct ps_calls calls = {0};
        for (int round = 0; round < 3; round++)
                for (uint32_t i = 0; i < CALLS; i++)
                        assert_int_equal(ps_calls_number(&calls, &said[i]), i);
        assert_int_equal(calls.list.n, CALLS);
        struct ps_call *list = ps_calls_take(&calls);
        assert_memory_equal(list, said, sizeof(said));
        free(list);
        ps_calls_free(&calls);
}

/* More than any table has at first, and of paths that share what is kept of the last one. Few are looked for
 * where all are new, so that some of the second round have another number, which says the same. */
TEST(calls_that_say_ever_new_things_are_kept_as_they_are)
{
        enum { CALLS = 20000, PATHS = 40 };
        struct ps_calls calls = {0};
        for (int round = 0; round < 2; round++)
                for (uint32_t i = 0; i < CALLS; i++) {
                        const struct ps_call call = {.path = i % PATHS, .bytes = i};
                        uint32_t number = ps_calls_number(&calls, &call);
                        assert_in_range(number, 0, calls.list.n - 1);
                        assert_memory_equal(&calls.list.row[number], &call, sizeof(call));
                }
        ps_calls_free(&calls);
}

/* As long as not all are new, each is looked for: one in a thousand is enough. */
TEST(calls_of_which_some_repeat_have_one_number)
{
        enum { CALLS = 20000, NEW_ONES = 1000 };
        static const struct ps_call same = {.path = 1, .bytes = 8};
        struct ps_calls calls = {0};
        for (int round = 0; round < 2; round++)
                for (uint32_t i = 0; i < CALLS; i++) {
                        const struct ps_call call = {.path = 1, .bytes = 8 + i};
                        assert_int_equal(ps_calls_number(&calls, &call), i);
                        if (i % NEW_ONES == 0)
                                assert_int_equal(ps_calls_number(&calls, &same), 0);
                }
        assert_int_equal(calls.list.n, CALLS);
        ps_calls_free(&calls);
}

/* One of 64 is looked for, which is each second of ten in turn: found is the first that comes a second time.
 * Of those that were not looked for until then there are less than 64 behind each, and each of ten is new
 * once more. */
TEST(calls_that_repeat_after_many_new_ones_are_found_again)
{
        enum { CALLS = 20000, REPEATED = 10, ROUNDS = 1000, LOOKED_FOR = 64 };
        struct ps_calls calls = {0};
        for (uint32_t i = 0; i < CALLS; i++)
                ps_calls_number(&calls, &(struct ps_call){.path = 1, .bytes = i});
        for (int round = 0; round < ROUNDS; round++)
                for (uint32_t i = 0; i < REPEATED; i++)
                        ps_calls_number(&calls, &(struct ps_call){.path = 2, .bytes = i});
        assert_in_range(calls.list.n, CALLS + REPEATED, CALLS + (REPEATED + 1) * LOOKED_FOR + REPEATED);
        ps_calls_free(&calls);
}

/* What is said near has the number of what says the same, or none: whoever asks goes the long way then. */
TEST(a_number_that_is_near_is_that_of_the_same_call)
{
        enum { NEW_ONES = 5000, FEW = 100, ROUNDS = 50 };
        struct ps_calls calls = {0};
        uint32_t n_near = 0;
        assert_int_equal(ps_calls_number_near(&calls, &(struct ps_call){.path = 1}), PS_NONE);
        for (uint32_t i = 0; i < NEW_ONES + FEW * ROUNDS; i++) {
                const struct ps_call call = {.path = 1, .peer = 2, .bytes = i < NEW_ONES ? FEW + i : i % FEW};
                uint32_t number = ps_calls_number_near(&calls, &call);
                n_near += number != PS_NONE;
                if (number == PS_NONE)
                        number = ps_calls_number(&calls, &call);
                assert_in_range(number, 0, calls.list.n - 1);
                assert_memory_equal(&calls.list.row[number], &call, sizeof(call));
        }
        assert_in_range(n_near, (NEW_ONES + FEW * ROUNDS) / 2, UINT32_MAX);
        ps_calls_free(&calls);
}
