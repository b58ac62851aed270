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

/* Neighbouring paths that say the same are looked for side by side; and room is only what there is at first.
 */
TEST(calls_of_neighbouring_paths_are_told_apart_in_whatever_room)
{
        enum { PATHS = 3000, PEERS = 3 };
        static const uint32_t rooms[] = {0, 1, 100, 2 * PATHS * PEERS};
        for (size_t r = 0; r < sizeof(rooms) / sizeof(*rooms); r++) {
                struct ps_calls calls = ps_calls_new(rooms[r]);
                for (int round = 0; round < 2; round++)
                        for (uint32_t i = 0; i < PATHS * PEERS; i++) {
                                const struct ps_call call = {
                                        .path = i / PEERS, .peer = i % PEERS, .bytes = 8};
                                assert_int_equal(ps_calls_number(&calls, &call), i);
                        }
                assert_int_equal(calls.list.n, PATHS * PEERS);
                ps_calls_free(&calls);
        }
}

/* More than any table has at first, and of paths that share what is kept of the last one. */
TEST(calls_that_say_ever_new_things_are_kept_as_they_are)
{
        enum { CALLS = 20000, PATHS = 40 };
        struct ps_calls calls = {0};
        for (int round = 0; round < 2; round++)
                for (uint32_t i = 0; i < CALLS; i++) {
                        const struct ps_call call = {.path = i % PATHS, .bytes = i};
                        assert_int_equal(ps_calls_number(&calls, &call), i);
                        assert_memory_equal(&calls.list.row[i], &call, sizeof(call));
                }
        assert_int_equal(calls.list.n, CALLS);
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
        assert_in_range(n_near, FEW * ROUNDS / 2, FEW * ROUNDS);
        ps_calls_free(&calls);
}
