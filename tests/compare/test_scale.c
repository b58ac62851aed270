/* test_scale.c - runs on 2, 4 and 8 processes with one planted culprit each, worked out by hand. */
#include "compare/scale.h"
#include "core/base/vector.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 3 };
static const uint64_t sizes[RUNS] = {8, 2, 4}; /* in no order */

/* What one process of `p` spends in a function: the first of them, and each of the others. */
typedef struct cost {
        const char *name;
        bool is_call;
        double (*of)(double p, bool is_first);
        double (*waiting)(double p, bool is_first);
} cost;

static double shared(double p, bool is_first)
{
        (void)is_first;
        return 8 / p;
}

static double copied(double p, bool is_first)
{
        (void)p;
        (void)is_first;
        return 0.5;
}

static double alone(double p, bool is_first)
{
        (void)p;
        return is_first ? 0.5 : 0;
}

static double uneven(double p, bool is_first)
{
        return is_first ? 0.1 * p : 0.1;
}

static double growing(double p, bool is_first)
{
        (void)is_first;
        return 0.05 * p;
}

static double nothing(double p, bool is_first)
{
        (void)p;
        (void)is_first;
        return 0;
}

static void add_function(ps_scale_run *run, const cost *c)
{
        double p = (double)run->processes;
        ps_scale_function f = {
                .key = strdup(c->name), .file = strdup("a.c"), .line = 7, .is_call = c->is_call};
        assert_true(f.key && f.file);
        f.name = f.key;
        f.part = (ps_scale_part){c->of(p, true) + (p - 1) * c->of(p, false),
                                 c->waiting(p, true) + (p - 1) * c->waiting(p, false),
                                 fmax(c->of(p, true), c->of(p, false)), 1};
        assert_int_equal(PS_PUSH(run->functions, f), 0);
}

/* All wait for the longest in MPI_Barrier, which costs nothing else. */
static ps_scaling scaled(const cost *costs, size_t n, bool is_weak)
{
        ps_scaling s = {.is_weak = is_weak, .n = RUNS};
        for (int i = 0; i < RUNS; i++) {
                ps_scale_run *run = &s.run[i];
                double p = (double)sizes[i], own = 0, first = 0, useful = 0;
                *run = (ps_scale_run){.path = "run", .processes = sizes[i], .locations = sizes[i]};
                for (size_t k = 0; k < n; k++) {
                        add_function(run, &costs[k]);
                        first += costs[k].of(p, true);
                        own += costs[k].of(p, false);
                        useful +=
                                costs[k].is_call ? 0 : costs[k].of(p, true) + (p - 1) * costs[k].of(p, false);
                }
                double longest = fmax(first, own), wait = longest * p - first - (p - 1) * own;
                ps_scale_function barrier = {
                        .key = strdup("MPI_Barrier"), .file = strdup(""), .is_call = true};
                barrier.name = barrier.key;
                barrier.part = (ps_scale_part){wait, wait, longest - fmin(first, own), 1};
                assert_int_equal(PS_PUSH(run->functions, barrier), 0);
                run->duration_s = longest;
                run->computing_s = useful;
                run->factors.parallel = useful / (p * longest);
        }
        assert_int_equal(ps_scale(&s, NULL), PS_OK);
        return s;
}

static void expect_near(double value, double expected)
{
        if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
                fail_msg("%.12g instead of %.12g", value, expected);
}

static void expect_first(const ps_scaling *s, ps_scale_what what, const char *name, double lost)
{
        assert_true(s->limits.n > 0);
        assert_int_equal(s->limits.row[0].what, what);
        assert_string_equal(s->rows.row[s->limits.row[0].row].name, name);
        expect_near(s->limits.row[0].lost_s, lost);
        char room[PS_SCALE_TEXT_ROOM];
        assert_non_null(strstr(ps_scale_say(room, s, &s->limits.row[0]), name));
}

static void test_a_perfect_program_has_no_limit(void **state)
{
        const cost costs[] = {{"solve", false, shared, nothing}};
        ps_scaling s = scaled(costs, 1, false);
        (void)state;
        assert_int_equal(s.limits.n, 0);
        assert_int_equal(s.run[0].locations, 2);
        expect_near(s.run[2].speedup, 4);
        expect_near(s.run[2].factors.computation_scalability, 1);
        expect_near(s.run[2].factors.global, 1);
        expect_near(s.ahead[2].duration_s, 8.0 / 128);
        ps_scaling_clear(&s);
}

/* 0.5 s on each process: 1 s of CPU time on 2, 4 s on 8. */
static void test_work_that_all_repeat_is_named(void **state)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"setup", false, copied, nothing}};
        ps_scaling s = scaled(costs, 2, false);
        (void)state;
        expect_first(&s, PS_SCALE_COMPUTATION, "setup", 3);
        assert_int_equal(s.rows.row[0].growth.law, PS_GROWTH_LINEAR);
        expect_near(s.run[2].duration_s, 1.5);
        expect_near(s.run[2].speedup, 4.5 / 1.5);
        expect_near(s.run[2].factors.computation_scalability, 9.0 / 12);
        ps_scaling_clear(&s);
}

/* The others wait for 0.5 s: 0.5 s of CPU time on 2, 3.5 s on 8. */
static void test_work_of_one_process_is_named(void **state)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"report", false, alone, nothing}};
        ps_scaling s = scaled(costs, 2, false);
        (void)state;
        expect_first(&s, PS_SCALE_ALONE, "report", 3);
        ps_scaling_clear(&s);
}

/* The first one takes 0.1 p, the others 0.1: the longest less the mean is 7 * 0.7 s on 8, 0.1 s on 2. */
static void test_growing_imbalance_is_named(void **state)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"relax", false, uneven, nothing}};
        ps_scaling s = scaled(costs, 2, false);
        (void)state;
        expect_first(&s, PS_SCALE_IMBALANCE, "relax", 7 * 0.7 - 0.1);
        ps_scaling_clear(&s);
}

/* 0.05 p on each of p processes: 0.2 s on 2, 3.2 s on 8. */
static void test_a_call_that_grows_is_named(void **state)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"MPI_Alltoall", true, growing, nothing}};
        ps_scaling s = scaled(costs, 2, false);
        (void)state;
        expect_first(&s, PS_SCALE_TRANSFER, "MPI_Alltoall", 3);
        ps_scaling_clear(&s);
}

/* With as much work for each, work that all repeat is what scales. */
static void test_weak_scaling_compares_what_each_process_does(void **state)
{
        const cost costs[] = {{"setup", false, copied, nothing}};
        ps_scaling s = scaled(costs, 1, true);
        (void)state;
        assert_int_equal(s.limits.n, 0);
        expect_near(s.run[2].speedup, 4);
        expect_near(s.run[2].factors.computation_scalability, 1);
        ps_scaling_clear(&s);
}

/* What the CPU time grows by is what its functions grow by; the speed-up is that of the efficiencies. */
static void test_what_is_lost_adds_up(void **state)
{
        const cost costs[] = {{"solve", false, shared, nothing},
                              {"setup", false, copied, nothing},
                              {"report", false, alone, nothing},
                              {"relax", false, uneven, nothing}};
        ps_scaling s = scaled(costs, 4, false);
        double lost = 0;
        (void)state;
        for (uint32_t i = 0; i < s.rows.n; i++)
                lost += s.rows.row[i].lost_s;
        expect_near(lost, s.run[2].duration_s * 8 - s.run[0].duration_s * 2);
        for (unsigned i = 0; i < s.n; i++)
                expect_near(s.run[i].speedup, s.run[i].factors.global * (double)s.run[i].locations /
                                                      (s.run[0].factors.global * (double)s.run[0].locations));
        ps_scaling_clear(&s);
}

/* 8 / 8 s on each of 8 in solve, which both have, and 0.5 s on each in what only the larger one has. */
static void test_runs_of_other_programs_have_little_in_common(void **state)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"setup", false, copied, nothing}};
        ps_scaling s = {.n = 2};
        (void)state;
        for (unsigned i = 0; i < 2; i++) {
                uint64_t n = i ? 8 : 2;
                s.run[i] = (ps_scale_run){.path = "run", .processes = n, .locations = n, .duration_s = 2};
                for (unsigned k = 0; k <= i; k++)
                        add_function(&s.run[i], &costs[k]);
        }
        assert_int_equal(ps_scale(&s, NULL), PS_OK);
        expect_near(s.common_share, 8.0 / 12);
        ps_scaling_clear(&s);
}

static void test_runs_of_one_size_do_not_scale(void **state)
{
        ps_scaling s = {.n = 2};
        (void)state;
        for (int i = 0; i < 2; i++)
                s.run[i] = (ps_scale_run){.path = "run", .processes = 4, .locations = 4, .duration_s = 1};
        assert_int_equal(ps_scale(&s, NULL), PS_E_USAGE);
        ps_scaling_clear(&s);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_a_perfect_program_has_no_limit),
                cmocka_unit_test(test_work_that_all_repeat_is_named),
                cmocka_unit_test(test_work_of_one_process_is_named),
                cmocka_unit_test(test_growing_imbalance_is_named),
                cmocka_unit_test(test_a_call_that_grows_is_named),
                cmocka_unit_test(test_weak_scaling_compares_what_each_process_does),
                cmocka_unit_test(test_what_is_lost_adds_up),
                cmocka_unit_test(test_runs_of_other_programs_have_little_in_common),
                cmocka_unit_test(test_runs_of_one_size_do_not_scale),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
