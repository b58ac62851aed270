/* test_moments.c - numbers are sorted as qsort() sorts them, however they crowd. */
#include "core/base/search.h"
#include "core/order/moments.h"
#include "tests/support/test.h"
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
        return PS_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* n numbers up to 2^bits; of each eight all but one are among the least 2^crowd. */
static void check(uint32_t n, unsigned bits, unsigned crowd)
{
        ps_moments m = {0};
        uint64_t seed = UINT64_C(88172645463325252), most = UINT64_MAX >> (64 - bits);
        uint64_t *sorted = calloc(n + (size_t)1, sizeof(*sorted));
        for (int again = 0; again < 2; again++) { /* its room is used again */
                m.n = 0;
                for (uint32_t i = 0; i < n; i++) {
                        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                        sorted[i] = seed >> (i % 8 ? 64 - crowd : 64 - bits);
                        assert_int_equal(ps_moments_add(&m, sorted[i]), 0);
                }
                qsort(sorted, n, sizeof(*sorted), by_number);
                assert_int_equal(ps_moments_sort(&m, most), 0);
                assert_int_equal(m.n, n);
                assert_true(!n || !memcmp(m.row, sorted, n * sizeof(*sorted)));
        }
        free(sorted);
        ps_moments_free(&m);
}

TEST(numbers_are_sorted)
{
        check(0, 10, 10);
        check(1, 10, 10);
        check(16, 40, 40);
        check(17, 40, 40);
        check(1000, 40, 40);
        check(100000, 64, 64);
        check(5000, 5, 5); /* each many times */
}

TEST(numbers_that_crowd_are_sorted)
{
        check(1000, 60, 20);
        check(100000, 64, 1);
        check(70, 64, 3);
}
