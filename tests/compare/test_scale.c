/* test_scale.c - runs on 2, 4 and 8 processes with one planted culprit each, worked out by hand. */
#include "compare/scale.h"
#include "core/base/vector.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

TEST(a_perfect_program_has_no_limit)
{
        const cost costs[] = {{"solve", false, shared, nothing}};
        ps_scaling s = scaled(costs, 1, false);
        assert_int_equal(s.limits.n, 0);
        assert_int_equal(s.run[0].locations, 2);
        expect_near(s.run[2].speedup, 4);
        expect_near(s.run[2].factors.computation_scalability, 1);
        expect_near(s.run[2].factors.global, 1);
        expect_near(s.ahead[2].duration_s, 8.0 / 128);
        expect_near(s.missed_by, 0);
        ps_scaling_clear(&s);
}

/* 0.5 s on each process: 1 s of CPU time on 2, 4 s on 8. */
TEST(work_that_all_repeat_is_named)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"setup", false, copied, nothing}};
        ps_scaling s = scaled(costs, 2, false);
        expect_first(&s, PS_SCALE_COMPUTATION, "setup", 3);
        assert_int_equal(s.rows.row[0].growth.law, PS_GROWTH_LINEAR);
        expect_near(s.run[2].duration_s, 1.5);
        expect_near(s.run[2].speedup, 4.5 / 1.5);
        expect_near(s.run[2].factors.computation_scalability, 9.0 / 12);
        ps_scaling_clear(&s);
}

/* The others wait for 0.5 s: 0.5 s of CPU time on 2, 3.5 s on 8. */
TEST(work_of_one_process_is_named)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"report", false, alone, nothing}};
        ps_scaling s = scaled(costs, 2, false);
        expect_first(&s, PS_SCALE_ALONE, "report", 3);
        ps_scaling_clear(&s);
}

/* The first one takes 0.1 p, the others 0.1: the longest less the mean is 7 * 0.7 s on 8, 0.1 s on 2. */
TEST(growing_imbalance_is_named)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"relax", false, uneven, nothing}};
        ps_scaling s = scaled(costs, 2, false);
        expect_first(&s, PS_SCALE_IMBALANCE, "relax", 7 * 0.7 - 0.1);
        ps_scaling_clear(&s);
}

/* 0.05 p on each of p processes: 0.2 s on 2, 3.2 s on 8. */
TEST(a_call_that_grows_is_named)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"MPI_Alltoall", true, growing, nothing}};
        ps_scaling s = scaled(costs, 2, false);
        expect_first(&s, PS_SCALE_TRANSFER, "MPI_Alltoall", 3);
        ps_scaling_clear(&s);
}

/* With as much work for each, work that all repeat is what scales. */
TEST(weak_scaling_compares_what_each_process_does)
{
        const cost costs[] = {{"setup", false, copied, nothing}};
        ps_scaling s = scaled(costs, 1, true);
        assert_int_equal(s.limits.n, 0);
        expect_near(s.run[2].speedup, 4);
        expect_near(s.run[2].factors.computation_scalability, 1);
        ps_scaling_clear(&s);
}

/* What the CPU time grows by is what its functions grow by; the speed-up is that of the efficiencies. */
TEST(what_is_lost_adds_up)
{
        const cost costs[] = {{"solve", false, shared, nothing},
                              {"setup", false, copied, nothing},
                              {"report", false, alone, nothing},
                              {"relax", false, uneven, nothing}};
        ps_scaling s = scaled(costs, 4, false);
        double lost = 0;
        for (uint32_t i = 0; i < s.rows.n; i++)
                lost += s.rows.row[i].lost_s;
        expect_near(lost, s.run[2].duration_s * 8 - s.run[0].duration_s * 2);
        for (unsigned i = 0; i < s.n; i++)
                expect_near(s.run[i].speedup, s.run[i].factors.global * (double)s.run[i].locations /
                                                      (s.run[0].factors.global * (double)s.run[0].locations));
        ps_scaling_clear(&s);
}

/* 8 / 8 s on each of 8 in solve, which both have, and 0.5 s on each in what only the larger one has. */
TEST(runs_of_other_programs_have_little_in_common)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"setup", false, copied, nothing}};
        ps_scaling s = {.n = 2};
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

/* In the larger run setup takes 0.5 s on each of 8. If that is known from the calls in it alone, which the
 * smaller run does not make, it may have been in the time between other calls there. */
TEST(what_is_known_from_new_calls_is_not_new)
{
        const cost costs[] = {{"solve", false, shared, nothing}, {"setup", false, copied, nothing}};
        for (unsigned visits = 0; visits < 2; visits++) {
                ps_scaling s = {.n = 2};
                for (unsigned i = 0; i < 2; i++) {
                        uint64_t n = i ? 8 : 1;
                        s.run[i] = (ps_scale_run){
                                .path = "run", .processes = n, .locations = n, .duration_s = 2};
                        for (unsigned k = 0; k <= i; k++)
                                add_function(&s.run[i], &costs[k]);
                }
                s.run[1].functions.row[1].part.visits = visits;
                assert_int_equal(ps_scale(&s, NULL), PS_OK);
                if (visits) {
                        char room[PS_SCALE_TEXT_ROOM];
                        expect_first(&s, PS_SCALE_COMPUTATION, "setup", 4);
                        assert_non_null(strstr(ps_scale_say(room, &s, &s.limits.row[0]), " on 1 process, "));
                } else {
                        assert_int_equal(s.limits.n, 0);
                }
                ps_scaling_clear(&s);
        }
}

/* -- intervals -- */

/* Two intervals below the whole run, of which each takes as long as its longest process. */
static void add_intervals(ps_scale_run *out, const cost *solve, const cost *other)
{
        uint32_t n = (uint32_t)out->processes;
        ps_run run = {.n_processors = n, .has_shares = true};
        const cost *const costs[] = {NULL, solve, other};
        for (uint32_t i = 0; i < 3; i++) {
                ps_run_interval row = {.type = i ? "user" : "main",
                                       .name = i ? costs[i]->name : "",
                                       .file = i == 1 ? "/build/a.c" : "b.c",
                                       .line = 10 * n, /* another version */
                                       .parent = i ? 0 : PS_NONE,
                                       .level = i > 0,
                                       .share = calloc(n, sizeof(*row.share))};
                for (uint32_t p = 0; i && p < n; p++) {
                        double waiting = costs[i]->waiting(n, p == 0);
                        row.share[p].execution_s = costs[i]->of(n, p == 0) + waiting;
                        row.share[p].communication_s = waiting;
                        row.share[p].synchronization_s[PS_IC_COLLECTIVE] = waiting;
                        row.execution_s = fmax(row.execution_s, row.share[p].execution_s);
                }
                assert_int_equal(ps_run_add_interval(&run, &row, NULL), PS_OK);
        }
        assert_int_equal(ps_scale_run_add_intervals(out, &run, NULL), PS_OK);
        ps_run_clear(&run);
}

static double the_rest(double p, bool is_first)
{
        return uneven(p, true) - uneven(p, is_first);
}

/* relax: 0.1 p on the first, 0.1 on the others, who wait for it: of p x 0.1 p s all compute (2 p - 1) x 0.1.
 */
TEST(intervals_have_the_same_factors)
{
        const cost solve = {"solve", false, shared, nothing}, relax = {"relax", false, uneven, the_rest};
        ps_scaling s = {.n = RUNS};
        for (int i = 0; i < RUNS; i++) {
                double p = (double)sizes[i];
                s.run[i] = (ps_scale_run){.path = "run",
                                          .processes = sizes[i],
                                          .locations = sizes[i],
                                          .duration_s = 8 / p + 0.1 * p};
                add_function(&s.run[i], &solve);
                add_function(&s.run[i], &relax);
                add_intervals(&s.run[i], &solve, &relax);
        }
        assert_int_equal(ps_scale(&s, NULL), PS_OK);
        assert_int_equal(s.intervals.n, 2);
        const ps_scale_interval *first = &s.intervals.row[0], *second = &s.intervals.row[1];
        assert_string_equal(first->lap->name, "relax"); /* it loses most */
        expect_near(first->lost_s, 8 * 0.8 - 2 * 0.2);
        assert_int_equal(first->what, PS_SCALE_IMBALANCE);
        expect_near(first->reason_s, 7 * 0.7 - 0.1);
        assert_string_equal(s.rows.row[s.limits.row[first->limit].row].name, "relax");
        expect_near(first->stay[2].speedup, 0.2 / 0.8);
        expect_near(first->stay[2].factors.load_balance, 1.5 / 8 / 0.8);
        expect_near(first->stay[2].factors.communication, 1);
        expect_near(first->stay[2].factors.computation_scalability, 0.3 / 1.5);
        assert_string_equal(second->lap->name, "solve");
        assert_int_equal(second->what, PS_SCALE_WHATS);
        expect_near(second->lost_s, 0);
        expect_near(second->stay[2].speedup, 4);
        expect_near(second->stay[2].factors.global, 1);
        assert_int_equal(second->growth.law, PS_GROWTH_CONSTANT);
        ps_scaling_clear(&s);
}

/* A run that does not have an interval: nothing is made up of it. */
TEST(an_interval_of_one_run_has_no_speed_up)
{
        const cost solve = {"solve", false, shared, nothing}, setup = {"setup", false, copied, nothing};
        ps_scaling s = {.n = 2};
        for (unsigned i = 0; i < 2; i++) {
                uint64_t n = i ? 8 : 2;
                s.run[i] = (ps_scale_run){.path = "run", .processes = n, .locations = n, .duration_s = 2};
                add_intervals(&s.run[i], &solve, i ? &setup : &solve);
        }
        assert_int_equal(ps_scale(&s, NULL), PS_OK);
        assert_int_equal(s.intervals.n, 3); /* the second solve of the small run, too */
        for (uint32_t i = 0; i < s.intervals.n; i++) {
                const ps_scale_interval *row = &s.intervals.row[i];
                if (strcmp(row->lap->name, "setup") == 0) {
                        assert_false(row->stay[0].is_there);
                        assert_true(isnan(row->stay[1].speedup));
                        expect_near(row->lost_s, 8 * 0.5);
                        assert_int_equal(row->what, PS_SCALE_COMPUTATION);
                }
        }
        ps_scaling_clear(&s);
}

TEST(a_call_is_named_with_who_makes_it)
{
        static const char key[] = "main > relax > MPI_Barrier";
        char room[PS_SCALE_NAME_ROOM];
        ps_scale_row row = {.key = key, .name = key + 15, .is_call = true};
        assert_string_equal(ps_scale_name(room, &row), "MPI_Barrier in relax");
        row.is_call = false;
        assert_string_equal(ps_scale_name(room, &row), "MPI_Barrier");
        row = (ps_scale_row){.key = key + 7, .name = key + 15, .is_call = true};
        assert_string_equal(ps_scale_name(room, &row), "MPI_Barrier in relax");
        row = (ps_scale_row){.key = key + 15, .name = key + 15, .is_call = true};
        assert_string_equal(ps_scale_name(room, &row), "MPI_Barrier");
}

TEST(runs_of_one_size_do_not_scale)
{
        ps_scaling s = {.n = 2};
        for (int i = 0; i < 2; i++)
                s.run[i] = (ps_scale_run){.path = "run", .processes = 4, .locations = 4, .duration_s = 1};
        assert_int_equal(ps_scale(&s, NULL), PS_E_USAGE);
        ps_scaling_clear(&s);
}
