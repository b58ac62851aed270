/* test_fit.c - lines and breakpoints that were planted come back, and none that were not. */
#include "core/base/search.h"
#include "tests/simulator/calibrate/lab.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

enum { SIZES = 10, REPEATS = 20, TRIALS = 200, POINTS_MAX = 1000 };

static const double fixed = 20e-6, per_byte = 1e-9;

static ps_fit fit_of(ps_sample_point *points, size_t n)
{
        ps_fit fit;
        assert_int_equal(ps_fit_make(&fit, points, n, NULL), PS_OK);
        return fit;
}

static int by_value(const void *a, const void *b)
{
        double p = *(const double *)a, q = *(const double *)b;
        return PS_ORDER(p, q);
}

static double quantile(double *values, double share)
{
        qsort(values, TRIALS, sizeof(*values), by_value);
        return ps_quantile(values, TRIALS, share);
}

/* 10 sizes of 20 samples, a jitter of 2 %, and 8 % that something delays by 2 ms in the mean. */
TEST(a_planted_line_is_found_under_noise)
{
        static double a[TRIALS], b[TRIALS], typical[TRIALS];
        uint64_t random = 1;
        int n_inside = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
                ps_sample_point points[SIZES * REPEATS];
                for (int i = 0; i < SIZES * REPEATS; i++) {
                        double bytes = (double)(8 << 2 * (i % SIZES)), t = fixed + bytes * per_byte;
                        t += calib_exponential(&random, 0.02 * t);
                        if (calib_uniform(&random) < 0.08)
                                t += calib_exponential(&random, 2e-3);
                        points[i] = (ps_sample_point){bytes, t};
                }
                ps_fit fit = fit_of(points, SIZES * REPEATS);
                assert_int_equal(fit.n_sizes, SIZES);
                assert_int_equal(fit.n_samples, SIZES * REPEATS);
                assert_int_equal(fit.n_segments, 1);
                assert_true(fit.r_squared > 0.999 && fit.spread > 1 && fit.spread < 1.1);
                a[trial] = fabs(fit.fast.fixed_s / fixed - 1);
                b[trial] = fabs(fit.fast.per_byte_s / per_byte - 1);
                typical[trial] = fit.typical.fixed_s / fixed - 1;
                n_inside += fit.fixed_low <= fit.fast.fixed_s && fit.fast.fixed_s <= fit.fixed_high;
                assert_true(fit.typical.fixed_s > fit.fast.fixed_s);
        }
        assert_int_equal(n_inside, TRIALS);
        assert_true(quantile(a, 0.5) < 0.002);
        assert_true(quantile(a, 0.9) < 0.003);
        assert_true(quantile(b, 0.5) < 0.002);
        assert_true(quantile(b, 0.9) < 0.003);
        assert_true(quantile(typical, 0.5) > 0.005 && quantile(typical, 0.5) < 0.03);
}

/* With scatter by chance the limits hold the truth as often as they say. */
TEST(limits_hold_the_truth_as_often_as_they_say)
{
        uint64_t random = 7;
        int n_fixed = 0, n_per_byte = 0;
        for (int trial = 0; trial < 1000; trial++) {
                ps_sample_point points[SIZES];
                for (int i = 0; i < SIZES; i++) {
                        double bytes = 1000.0 * (1 << i);
                        points[i] = (ps_sample_point){bytes, (fixed + bytes * per_byte) *
                                                                     (1 + 0.01 * calib_normal(&random))};
                }
                ps_fit fit = fit_of(points, SIZES);
                n_fixed += fit.fixed_low <= fixed && fixed <= fit.fixed_high;
                n_per_byte += fit.per_byte_low <= per_byte && per_byte <= fit.per_byte_high;
        }
        assert_in_range(n_fixed, 925, 975);
        assert_in_range(n_per_byte, 925, 975);
}

/* Below ten samples of a size the tenth percentile: of 1..5 it is 1.4, of 1..10 the least. */
TEST(a_size_counts_by_its_tenth_percentile)
{
        ps_sample_point points[] = {{8, 5}, {8, 4}, {8, 3}, {8, 2}, {8, 1}, {0, 7}, {9, 10}, {9, 9},
                                    {9, 8}, {9, 7}, {9, 6}, {9, 5}, {9, 4}, {9, 3}, {9, 2},  {9, 1}};
        ps_fit_cell cells[16];
        assert_int_equal(ps_fit_cells(cells, points, 16), 3);
        NEAR(cells[0].fast_s, 7, 0);
        NEAR(cells[0].typical_s, 7, 0);
        NEAR(cells[1].bytes, 8, 0);
        NEAR(cells[1].fast_s, 1.4, 1e-12);
        NEAR(cells[1].typical_s, 3, 0);
        NEAR(cells[2].fast_s, 1, 0);
        NEAR(cells[2].typical_s, 5.5, 1e-12);
        assert_int_equal(cells[2].n, 10);
        assert_int_equal(ps_fit_cells(cells, NULL, 0), 0);
}

TEST(few_sizes_give_no_line)
{
        ps_sample_point small[] = {{400, 12e-6}, {400, 10e-6}},
                        large[] = {{7214400, 12.65e-3}, {7238448, 12.8e-3}};
        ps_sample_point two[] = {{0, 10e-6}, {1000, 12e-6}}, falling[] = {{10, 5}, {100, 4}, {1000, 3}};
        ps_sample_point negative[] = {{1000, 1}, {2000, 3}, {3000, 5}};
        ps_fit fit = fit_of(small, 2);
        assert_true(fit.has_fixed && !fit.has_per_byte);
        NEAR(fit.fast.fixed_s, 10.2e-6, 1e-9);
        fit = fit_of(large, 2);
        assert_true(!fit.has_fixed && fit.has_per_byte);
        NEAR(1 / fit.fast.per_byte_s, 0.568e9, 0.005);
        fit = fit_of(two, 2);
        NEAR(fit.fast.fixed_s, 10e-6, 1e-9);
        NEAR(fit.fast.per_byte_s, 2e-9, 1e-9);
        assert_true(isnan(fit.fixed_low) && isnan(fit.r_squared));
        fit = fit_of(falling, 3);
        assert_true(fit.fast.per_byte_s == 0 && fit.fast.fixed_s > 3 && fit.fast.n_clamped == 1);
        fit = fit_of(negative, 3);
        assert_true(fit.fast.fixed_s == 0 && fit.fast.per_byte_s > 0 && fit.fast.n_clamped == 1);
        assert_int_equal(fit_of(NULL, 0).n_sizes, 0);
}

/* Two or three lines, one behind the other. */
static size_t broken(ps_sample_point *points, const double *breaks, int n_breaks, double noise,
                     uint64_t *random)
{
        size_t n = 0;
        for (double bytes = 16; bytes <= (1 << 22); bytes *= 2) {
                double t = fixed + bytes * per_byte;
                for (int i = 0; i < n_breaks; i++)
                        if (bytes > breaks[i])
                                t = (i + 2) * 3 * fixed + bytes * per_byte * (i % 2 ? 1 : 0.5);
                for (int k = 0; k < REPEATS; k++)
                        points[n++] = (ps_sample_point){bytes, t * (1 + noise * calib_uniform(random))};
        }
        return n;
}

TEST(breakpoints_are_found)
{
        static ps_sample_point points[POINTS_MAX];
        const double breaks[] = {1024, 65536};
        uint64_t random = 3;
        for (int trial = 0; trial < 50; trial++) {
                double noise = trial % 2 ? 0.1 : 0;
                ps_fit fit = fit_of(points, broken(points, breaks, 0, noise, &random));
                assert_int_equal(fit.n_segments, 1);
                fit = fit_of(points, broken(points, breaks, 1, noise, &random));
                assert_int_equal(fit.n_segments, 2);
                NEAR(fit.segment[0].most_bytes, 1024, 0);
                NEAR(fit.segment[1].least_bytes, 2048, 0);
                NEAR(fit.segment[0].line.fixed_s, fixed, 0.05);
                NEAR(fit.segment[1].line.per_byte_s, per_byte / 2, 0.05);
                fit = fit_of(points, broken(points, breaks, 2, noise, &random));
                assert_int_equal(fit.n_segments, 3);
                NEAR(fit.segment[1].most_bytes, 65536, 0);
                NEAR(fit.segment[2].most_bytes, 1 << 22, 0);
        }
}

/* Noise alone is no break, however many sizes there are. */
TEST(no_break_in_noise)
{
        ps_sample_point points[40];
        uint64_t random = 5;
        int found = 0;
        for (int trial = 0; trial < 2000; trial++) {
                size_t n = 6 + (size_t)trial % 35;
                for (size_t i = 0; i < n; i++) {
                        double bytes = 100 + 1000 * (double)(i * i);
                        points[i] = (ps_sample_point){
                                bytes, (fixed + bytes * per_byte) * (1 + 0.05 * fabs(calib_normal(&random)))};
                }
                found += fit_of(points, n).n_segments > 1;
        }
        assert_true(found < 20);
}
