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
        struct ps_call *list = ps_calls_list(&calls);
        assert_int_equal(calls.list.n, CALLS);
        assert_memory_equal(list, said, sizeof(said));
        free(list);
        ps_calls_free(&calls);
}

/* More than any table has at first, and of paths that share what is kept of the last one. */
TEST(calls_that_say_ever_new_things_are_found_again)
{
        enum { CALLS = 20000, PATHS = 40 };
        struct ps_calls calls = {0};
        for (int round = 0; round < 2; round++)
                for (uint32_t i = 0; i < CALLS; i++) {
                        const struct ps_call call = {.path = i % PATHS, .bytes = i};
                        assert_int_equal(ps_calls_number(&calls, &call), i);
                }
        ps_calls_free(&calls);
}
