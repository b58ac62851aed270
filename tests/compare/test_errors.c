/* test_errors.c - measures of errors against numbers worked out by hand, and the alignment of
 * sequences against the table of the longest common subsequence. */
#include "compare/align.h"
#include "compare/errors.h"
#include "tests/support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void near_to(double value, double expected, double within)
{
        if (!(fabs(value - expected) <= within))
                fail_msg("%.12g is not %.12g", value, expected);
}

static double spearman(const ps_two *pair, uint32_t n)
{
        double out;
        assert_int_equal(ps_errors_spearman(&out, pair, n, NULL), PS_OK);
        return out;
}

/* -- errors -- */

TEST(three_pairs)
{
        static const ps_two pair[] = {{10, 12}, {20, 18}, {40, 44}};
        ps_errors e = ps_errors_of(pair, 3, 0);

        assert_int_equal(e.n, 3);
        assert_int_equal(e.n_below, 0);
        near_to(ps_errors_signed(pair[0]), .2, 1e-12);
        near_to(ps_errors_signed(pair[1]), -.1, 1e-12);
        near_to(ps_errors_signed(pair[2]), .1, 1e-12);
        near_to(e.mape, .4 / 3, 1e-12);
        near_to(e.wape, 8. / 70, 1e-12);
        near_to(e.total, 4. / 70, 1e-12);
        near_to(e.smape, (2. / 11 + 2. / 19 + 4. / 42) / 3, 1e-12);
        near_to(e.smape, .1274, 5e-5);
        near_to(log1p(e.mean_log), .12766, 5e-6);
        near_to(e.mean_log, .1362, 5e-5);
        near_to(e.max_log, .2, 1e-12);
        near_to(e.ratio, 1.0591, 5e-5);
        near_to(e.rmse_s, sqrt(8), 1e-12);
        near_to(e.cancellation, .5, 1e-12); /* differences 2, -2, 4 */
}

TEST(swapping_turns_signs)
{
        static const ps_two pair[] = {{10, 12}, {20, 18}, {40, 44}};
        static const ps_two swapped[] = {{12, 10}, {18, 20}, {44, 40}};
        ps_errors e = ps_errors_of(pair, 3, 0), f = ps_errors_of(swapped, 3, 0);

        near_to(f.mean_log, e.mean_log, 1e-12);
        near_to(f.max_log, e.max_log, 1e-12);
        near_to(f.smape, e.smape, 1e-12);
        near_to(f.ratio * e.ratio, 1, 1e-12);
        near_to(f.total, -4. / 74, 1e-12);
        near_to(f.cancellation, e.cancellation, 1e-12);
}

/* 0 has no percentage, 0.5 is below the resolution of 1, NAN is not there: only {10, 5} counts as a share. */
TEST(what_is_too_short_has_no_percentage)
{
        static const ps_two pair[] = {{0, 3}, {.5, 2}, {NAN, 7}, {10, 5}};
        ps_errors e = ps_errors_of(pair, 4, 1);

        assert_int_equal(e.n, 3);
        assert_int_equal(e.n_below, 2);
        near_to(e.mape, .5, 1e-12);
        near_to(e.mean_log, 1, 1e-12);
        near_to(e.total, -.5 / 10.5, 1e-12);
        near_to(e.wape, 9.5 / 10.5, 1e-12);
}

TEST(nothing_has_no_errors)
{
        static const ps_two zero = {0, 0};
        ps_errors e = ps_errors_of(NULL, 0, 0);

        assert_true(isnan(e.total) && isnan(e.mape) && isnan(e.wape) && isnan(e.smape) && isnan(e.mean_log) &&
                    isnan(e.max_log) && isnan(e.ratio) && isnan(e.rmse_s) && isnan(e.cancellation));
        e = ps_errors_of(&zero, 1, 0);
        assert_true(isnan(e.total) && isnan(e.mape));
        near_to(e.rmse_s, 0, 0);
        near_to(e.cancellation, 0, 0);
        assert_true(isnan(ps_errors_log(zero)) && isnan(ps_errors_signed(zero)));
}

/* Places 0 1 2 3 against 1 0 3 2: sum of d^2 = 4, 1 - 6 * 4 / (4 * 15) = 0.6. With places 0 1.5 1.5 3 on one
 * side: covariance 4.5, variances 4.5 and 5. */
TEST(order_of_ranks)
{
        static const ps_two pairs[] = {{1, 20}, {2, 10}, {3, 40}, {4, 30}};
        static const ps_two tied[] = {{1, 10}, {2, 20}, {2, 30}, {4, 40}};
        static const ps_two constant[] = {{1, 5}, {2, 5}};

        near_to(spearman(pairs, 4), .6, 1e-12);
        near_to(spearman(tied, 4), 4.5 / sqrt(22.5), 1e-12);
        assert_true(isnan(spearman(constant, 2)));
        assert_true(isnan(spearman(pairs, 1)));
        assert_true(isnan(spearman(pairs, 0)));
}

/* -- sequences -- */

enum { LONGEST = 48 };

static uint32_t longest_common(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m)
{
        uint32_t table[LONGEST + 1][LONGEST + 1] = {{0}};

        for (uint32_t i = 1; i <= n; i++)
                for (uint32_t j = 1; j <= m; j++) {
                        uint32_t best = table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1];
                        table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : best;
                }
        return table[n][m];
}

static uint32_t count_pairs(const uint32_t *out, const uint64_t *a, uint32_t n, const uint64_t *b,
                            int in_order)
{
        uint8_t taken[LONGEST] = {0};
        uint32_t count = 0, next = 0;

        for (uint32_t i = 0; i < n; i++) {
                if (out[i] == PS_NONE)
                        continue;
                assert_true(a[i] == b[out[i]]);
                assert_false(taken[out[i]]);
                assert_true(!in_order || out[i] >= next);
                taken[out[i]] = 1;
                next = out[i] + 1;
                count++;
        }
        return count;
}

/* Of each key as many as both have. */
static uint32_t common_counts(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m)
{
        uint32_t counts[2][8] = {{0}}, sum = 0;

        for (uint32_t i = 0; i < n; i++)
                counts[0][a[i]]++;
        for (uint32_t j = 0; j < m; j++)
                counts[1][b[j]]++;
        for (int k = 0; k < 8; k++)
                sum += counts[0][k] < counts[1][k] ? counts[0][k] : counts[1][k];
        return sum;
}

TEST(random_sequences_are_aligned_best)
{
        srand(7);
        for (int round = 0; round < 4000; round++) {
                uint64_t a[LONGEST], b[LONGEST];
                uint32_t out[LONGEST], n = (uint32_t)rand() % LONGEST, m = (uint32_t)rand() % LONGEST;
                unsigned keys = 1 + (unsigned)rand() % 7;
                ps_alignment how;
                for (uint32_t i = 0; i < n; i++)
                        a[i] = (unsigned)rand() % keys;
                for (uint32_t i = 0; i < m; i++)
                        b[i] = (unsigned)rand() % keys;
                assert_int_equal(ps_align(out, &how, a, n, b, m, 0, NULL), PS_OK);
                assert_int_equal(count_pairs(out, a, n, b, 1), longest_common(a, n, b, m));
                assert_int_equal(ps_align(out, &how, a, n, b, m, 1, NULL), PS_OK);
                if (how == PS_ALIGNED_COUNTS)
                        assert_int_equal(count_pairs(out, a, n, b, 0), common_counts(a, n, b, m));
        }
}

TEST(one_is_left_out)
{
        static const uint64_t a[] = {1, 2, 3, 4, 5}, b[] = {1, 2, 4, 5};
        uint32_t out[5];
        ps_alignment how;

        assert_int_equal(ps_align(out, &how, a, 5, b, 4, 0, NULL), PS_OK);
        assert_int_equal(how, PS_ALIGNED_DIFFERENCES);
        assert_memory_equal(out, ((uint32_t[]){0, 1, PS_NONE, 2, 3}), sizeof(out));
        assert_int_equal(ps_align(out, &how, a, 5, a, 5, 0, NULL), PS_OK);
        assert_int_equal(how, PS_ALIGNED_EQUAL);
        assert_memory_equal(out, ((uint32_t[]){0, 1, 2, 3, 4}), sizeof(out));
        assert_int_equal(ps_align(out, &how, a, 5, NULL, 0, 0, NULL), PS_OK);
        assert_int_equal(out[2], PS_NONE);
}

/* Half a million in reverse order: too many differences, so each is found by its key, and soon. */
TEST(long_sequences_fall_back_to_counts)
{
        enum { N = 500000 };
        uint64_t *a = malloc(N * sizeof(*a)), *b = malloc(N * sizeof(*b));
        uint32_t *out = malloc(N * sizeof(*out));
        ps_alignment how;

        assert_true(a && b && out);
        for (uint32_t i = 0; i < N; i++) {
                a[i] = i;
                b[N - 1 - i] = i;
        }
        assert_int_equal(ps_align(out, &how, a, N, b, N, 0, NULL), PS_OK);
        assert_int_equal(how, PS_ALIGNED_COUNTS);
        for (uint32_t i = 0; i < N; i++)
                assert_int_equal(out[i], N - 1 - i);
        free(a);
        free(b);
        free(out);
}

/* Pairs in rows of three numbers, in two parts: each part has its own errors, and both together have those of
 * all. */
TEST(errors_of_parts_add_up_to_those_of_all)
{
        static const double rows[][3] = {{10, 12, 7}, {20, 18, 7}, {40, 44, 7}};
        static const ps_two pair[] = {{10, 12}, {20, 18}, {40, 44}};
        ps_errors_sums all = {0};
        ps_errors one = ps_errors_of_rows((const ps_two *)(const void *)rows[0], sizeof(*rows), 1, 0, &all);
        ps_errors two = ps_errors_of_rows((const ps_two *)(const void *)rows[1], sizeof(*rows), 2, 0, &all);
        ps_errors expected = ps_errors_of(pair, 3, 0), sum = ps_errors_of_sums(&all);
        assert_true(one.total == 0.2 && one.n == 1);
        assert_true(two.mape == (0.1 + 0.1) / 2 && two.n == 2);
        assert_true(sum.total == expected.total && sum.mape == expected.mape && sum.ratio == expected.ratio);
        assert_true(sum.rmse_s == expected.rmse_s && sum.n == 3);
}
