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
static void sort(ps_moments *m, uint32_t n, unsigned bits, unsigned crowd)
{
        static uint64_t seed = UINT64_C(88172645463325252);
        uint64_t *sorted = calloc(n + (size_t)1, sizeof(*sorted));
        assert_int_equal(ps_moments_room(m, n), 0);
        m->n = 0;
        for (uint32_t i = 0; i < n; i++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                sorted[i] = seed >> (i % 8 ? 64 - crowd : 64 - bits);
                ps_moments_put(m, sorted[i]);
        }
        if (n)
                qsort(sorted, n, sizeof(*sorted), by_number);
        assert_int_equal(ps_moments_sort(m, UINT64_MAX >> (64 - bits)), 0);
        assert_int_equal(m->n, n);
        assert_true(!n || !memcmp(m->row + 1, sorted, n * sizeof(*sorted)));
        assert_true(m->row[n + 1] == UINT64_MAX);
        free(sorted);
}

static void check(uint32_t n, unsigned bits, unsigned crowd)
{
        ps_moments m = {0};
        for (int again = 0; again < 3; again++)
                sort(&m, n, bits, crowd);
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
        for (unsigned crowd = 1; crowd <= 64; crowd += 9) {
                check(5003, 64, crowd);
                check(40001, 64, crowd);
        }
}

/* Whatever was sorted before: more or less, and crowded or not. */
TEST(room_is_used_again_for_other_numbers)
{
        ps_moments m = {0};
        for (uint32_t i = 0; i < 300; i++)
                sort(&m, i * 7919 % 3001, i % 3 ? 40 : 64, i % 5 ? 40 : 4);
        ps_moments_free(&m);
}

/* Each number within one that crowds is so much smaller that it crowds again, time and again. */
TEST(crowds_within_crowds_are_sorted)
{
        ps_moments m = {0};
        assert_int_equal(ps_moments_room(&m, 64 * 100), 0);
        for (unsigned bits = 64; bits > 0; bits--)
                for (uint64_t i = 0; i < 100; i++)
                        ps_moments_put(&m, (UINT64_MAX >> (64 - bits)) - i % (UINT64_C(1) << (bits - 1)));
        assert_int_equal(ps_moments_sort(&m, UINT64_MAX), 0);
        for (uint32_t i = 1; i < m.n; i++)
                assert_true(m.row[i] <= m.row[i + 1]);
        ps_moments_free(&m);
}
