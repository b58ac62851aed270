/* test_samples.c - several runs a side: the rank test against counts by hand and against all orders, medians,
 * and what a tolerance says of them. */
#include "report/comparison/words.h"
#include "tests/compare/lab.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST(the_test_counts_orders)
{
        const double low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10};
        /* Values of the second side: 3, 6, 7, 8, 9 among 1 to 9. Of 126 choices 4 lie as far behind: those in
         * which it is passed by two of the first side at most, 1 + 1 + 2. */
        const double four[] = {1, 2, 4, 5}, five[] = {3, 6, 7, 8, 9};

        lab_near(ps_rank_test(low, 3, high, 3), 1. / 20);
        assert_true(ps_rank_test(low, 3, high, 3) <= ps_run_samples_level);
        lab_near(ps_rank_test(high, 3, low, 3), 1);
        lab_near(ps_rank_test(low, 5, high, 5), 1. / 252);
        lab_near(ps_rank_test(low, 2, high, 2), 1. / 6);
        lab_near(ps_rank_test(four, 4, five, 5), 4. / 126);
}

/* Of 1, 2, 2, 2, 3, 4 the places are 1, 3, 3, 3, 5, 6; those of 2, 3, 4 sum up to 14, as in three choices of
 * 20 and in no larger one. Of 1, 1, 2, 2, 3, 3 they are 1.5, 3.5, 5.5, twice each: 2 * 2 * 2 choices have one
 * of each, which is the mean of all sums, and of the 12 others half are above it. */
TEST(equal_lengths_share_their_places)
{
        const double a[] = {1, 2, 2}, b[] = {2, 3, 4}, same[] = {7, 7, 7}, twice[] = {1, 2, 3};

        lab_near(ps_rank_test(a, 3, b, 3), 3. / 20);
        lab_near(ps_rank_test(twice, 3, twice, 3), 14. / 20);
        lab_near(ps_rank_test(same, 3, same, 3), 1);
}

/* All choices of places, one after the other. */
static double by_all_orders(const double *a, uint32_t n_a, const double *b, uint32_t n_b)
{
        double all[16], seen = 0;
        uint32_t n = n_a + n_b, as_far = 0, count = 0;

        memcpy(all, a, n_a * sizeof(*a));
        memcpy(all + n_a, b, n_b * sizeof(*b));
        for (int pass = 0; pass < 2; pass++)
                for (uint32_t set = pass ? 0 : ((1U << n_b) - 1) << n_a; set < 1U << n; set++) {
                        double sum = 0;
                        uint32_t chosen = 0;
                        for (uint32_t i = 0; i < n; i++)
                                for (uint32_t k = 0; set >> i & 1 && k < n; k++)
                                        sum += all[k] < all[i] ? 1 : all[k] > all[i] ? 0 : 0.5;
                        for (uint32_t i = 0; i < n; i++)
                                chosen += set >> i & 1;
                        if (!pass) {
                                seen = sum;
                                break;
                        }
                        count += chosen == n_b;
                        as_far += chosen == n_b && sum >= seen - 1e-9;
                }
        return (double)as_far / count;
}

TEST(the_test_agrees_with_all_orders)
{
        uint32_t random = 1;

        for (int round = 0; round < 300; round++) {
                double a[6], b[6];
                uint32_t n[2];
                for (int side = 0; side < 2; side++) {
                        random = random * 1664525 + 1013904223;
                        n[side] = 1 + (random >> 16) % 6;
                        for (uint32_t i = 0; i < n[side]; i++) {
                                random = random * 1664525 + 1013904223;
                                (side ? b : a)[i] = (random >> 20) % (round % 2 ? 5 : 1000);
                        }
                }
                lab_near(ps_rank_test(a, n[0], b, n[1]), by_all_orders(a, n[0], b, n[1]));
        }
}

/* -- runs -- */

static void add(ps_run_samples *samples, ps_run_role side, const ps_run *like, double duration_s,
                double execution_s)
{
        ps_run_interval row = {.id = 7, .execution_s = execution_s};
        ps_run run = *like;

        run.duration_s = run.whole_s = duration_s;
        run.intervals.row = &row;
        run.intervals.n = 1;
        assert_int_equal(ps_run_samples_add(samples, side, &run, NULL), PS_OK);
}

TEST(medians_and_the_runs_in_the_middle)
{
        const ps_run like = {.path = "x", .processes = 4};
        ps_run_samples s = {0};

        add(&s, PS_MEASURED, &like, 3, 1);
        add(&s, PS_MEASURED, &like, 1, 5);
        add(&s, PS_MEASURED, &like, 9, 2);
        add(&s, PS_PREDICTED, &like, 4, 1);
        assert_false(ps_run_samples_tell_noise(&s));
        assert_true(isnan(ps_run_samples_duration(&s).p_longer));
        add(&s, PS_PREDICTED, &like, 8, 1);
        add(&s, PS_PREDICTED, &like, 6, 1);
        add(&s, PS_PREDICTED, &like, 5, 1);
        assert_true(ps_run_samples_tell_noise(&s));
        lab_near(ps_run_samples_duration(&s).median.measured, 3);
        lab_near(ps_run_samples_duration(&s).median.predicted, 5.5);
        assert_int_equal(ps_run_samples_middle(&s, PS_MEASURED), 0);
        assert_int_equal(ps_run_samples_middle(&s, PS_PREDICTED), 3);
        lab_near(ps_run_samples_interval(&s, (uint64_t[]){7, 7}).median.measured, 2);
        lab_near(ps_run_samples_interval(&s, (uint64_t[]){8, 7}).median.measured, 0);
        const ps_run other = {.path = "y", .processes = 5};
        ps_error err = {0};
        assert_int_equal(ps_run_samples_add(&s, PS_PREDICTED, &other, &err), PS_E_USAGE);
        ps_run_samples_clear(&s);
}

/* What a tolerance says of runs of such lengths, in units of 456 us, that of the run that is made up. */
static const char *verdict(const double *a, const double *b, uint32_t n, bool is_one_sided)
{
        static char room[PS_COMPARE_VERDICT_ROOM];
        ps_run_samples s = {0};
        const ps_compare_options how = {.tolerance = 0.05, .is_one_sided = is_one_sided, .samples = &s};
        lab_run run;

        lab_run_make(&run, &(lab_shape){0}, 1);
        for (uint32_t i = 0; i < n; i++) {
                add(&s, PS_MEASURED, &run.run, a[i], 0);
                add(&s, PS_PREDICTED, &run.run, b[i], 0);
        }
        ps_compare *c = lab_compared(&run.run, &run.run, &how);
        ps_compare_verdict(room, c);
        ps_compare_free(c);
        lab_run_clear(&run);
        ps_run_samples_clear(&s);
        return room;
}

TEST(a_tolerance_of_several_runs)
{
        const double quiet[] = {100, 101, 102, 103, 104}, noisy[] = {100, 101, 109, 120, 130};
        const double slow[] = {110, 111, 112, 113, 114}, near[] = {103, 104, 105, 106, 107};

        for (int one_sided = 0; one_sided < 2; one_sided++) {
                assert_non_null(strstr(verdict(quiet, slow, 5, one_sided), "is exceeded: by the run times."));
                assert_non_null(strstr(verdict(quiet, slow, 3, one_sided), "is exceeded: by the run times."));
                assert_non_null(strstr(verdict(quiet, quiet, 5, one_sided), "Within"));
                assert_non_null(strstr(verdict(quiet, near, 5, one_sided), "Within"));
        }
        /* The median is 7 % more, but the runs are that far apart themselves. */
        assert_non_null(strstr(verdict(quiet, noisy, 5, 0), "No difference that these runs can tell"));
        assert_non_null(strstr(verdict(quiet, slow, 2, 0), "is exceeded: by the run times."));
        /* Faster: only a tolerance in both directions minds. */
        assert_non_null(strstr(verdict(slow, quiet, 5, 0), "is exceeded: by the run times."));
        assert_non_null(strstr(verdict(slow, quiet, 5, 1), "Within"));
}
