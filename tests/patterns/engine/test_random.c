/* test_random.c - what holds for the analysis of every program, tried on made-up ones: it depends
 * neither on the number of threads, nor on the names of ranks, nor on when the run began; a larger epsilon
 * finds less; and rows that are switched off leave the others alone. */
#include "tests/support/analysed.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"
#include <stdlib.h>
#include <string.h>

enum { N_SEEDS = THREAD_SANITIZED ? 5 : 20, N_STEPS = 120 };

static random_program program(uint64_t seed)
{
        return (random_program){.seed = seed + 77,
                                .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1),
                                .steps = N_STEPS,
                                .options = {.mapped = seed % 2 == 1}};
}

static ps_trace *load(const random_program *p, ps_clock_mode clock)
{
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(p, &n_messages, &n_colls);
        ps_trace *t = loaded(g, clock);
        ps_gen_free(g);
        assert_true(t->measured.duration < PS_READER_TIME_LIMIT / 2); /* waits double with each step */
        return t;
}

TEST(threads_change_nothing)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                random_program p = program(seed);
                ps_trace *t = load(&p, PS_CLOCK_AUTO);
                for (int d = 0; d < PS_N_DEFINITIONS; d++) {
                        static const unsigned n_threads[] = {2, 7};
                        ps_analysis *one = analysed(t, (ps_definitions)d, 0, 1);
                        analysed_check(t, one);
                        assert_true(one->n_findings > 0);
                        for (int k = 0; k < 2; k++) {
                                ps_analysis *more = analysed(t, (ps_definitions)d, 0, n_threads[k]);
                                assert_null(analysed_difference(t, one, t, more, NULL));
                                for (uint32_t i = 0; i < one->n_findings; i++) {
                                        assert_int_equal(one->findings[i].path, more->findings[i].path);
                                        assert_int_equal(one->findings[i].lost, more->findings[i].lost);
                                }
                                ps_analysis_free(more);
                        }
                        ps_analysis_free(one);
                }
                ps_trace_close(t);
        }
}

static void expect_same(const random_program *p, const random_program *q, ps_clock_mode clock,
                        const ps_loc *rename)
{
        ps_trace *t = load(p, clock), *u = load(q, clock);
        for (int d = 0; d < PS_N_DEFINITIONS; d++) {
                ps_analysis *a = analysed(t, (ps_definitions)d, 0, 1);
                ps_analysis *b = analysed(u, (ps_definitions)d, 0, 1);
                const char *difference = analysed_difference(t, a, u, b, rename);
                if (difference)
                        fail_msg("seed %llu, definitions %d: %s differ", (unsigned long long)p->seed, d,
                                 difference);
                ps_analysis_free(a);
                ps_analysis_free(b);
        }
        ps_trace_close(t);
        ps_trace_close(u);
}

/* Once where the recorder tells the offset of its clock, once where it does not. */
TEST(when_a_run_began_changes_nothing)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                int64_t skew[RANDOM_MAX_RANKS];
                for (int r = 0; r < RANDOM_MAX_RANKS; r++)
                        skew[r] = INT64_C(123456789012);
                for (int k = 0; k < 2; k++) {
                        random_program p = program(seed);
                        if (k)
                                p.options = (ps_gen_options){.style = PS_GEN_EZTRACE};
                        random_program q = p;
                        q.options.skew = skew;
                        expect_same(&p, &q, PS_CLOCK_AS_IS, NULL);
                }
        }
}

TEST(names_of_ranks_rename_findings)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                random_program p = program(seed), q = p;
                uint32_t rename[RANDOM_MAX_RANKS];
                uint64_t random = seed + 1000;
                for (uint32_t r = 0; r < p.ranks; r++) { /* Fisher and Yates */
                        uint32_t k = maker_random(&random, r + 1);
                        rename[r] = rename[k];
                        rename[k] = r;
                }
                q.rename = rename;
                expect_same(&p, &q, PS_CLOCK_AUTO, rename);
        }
}

/* Also where clocks differ, so that waits are in doubt, and where calls lie across the ends of the focus. */
TEST(columns_say_what_rows_say)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++)
                for (int differ = 0; differ < 2; differ++) {
                        int64_t skew[RANDOM_MAX_RANKS];
                        random_program p = program(seed);
                        for (int r = 0; r < RANDOM_MAX_RANKS; r++)
                                skew[r] = r * INT64_C(700000);
                        p.noise = (int64_t)seed * 100;
                        p.neighbours = p.groups = p.nonblocking = p.windows = p.prefixes = seed % 2 == 1;
                        p.pgas = seed % 3 == 0;
                        if (differ)
                                p.options = (ps_gen_options){.style = PS_GEN_EZTRACE, .skew = skew};
                        ps_trace *t = load(&p, differ ? PS_CLOCK_REPAIR : PS_CLOCK_AUTO);
                        ps_time third = t->measured.duration / 3;
                        ps_span part = {third, 2 * third};
                        ps_focus cut = {.how = PS_FOCUS_RANGE, .span = &part, .n_spans = 1, .length = third};
                        ps_timing inside = t->measured;
                        inside.focus = &cut;
                        for (ps_time epsilon = -1; epsilon < 2; epsilon++) {
                                analysed_in_full(t, &t->measured, epsilon);
                                analysed_in_full(t, &inside, epsilon);
                                analysed_in_ranges(t, &t->measured, epsilon, 1, 2);
                                analysed_in_ranges(t, &inside, epsilon, 100, 3);
                        }
                        ps_trace_close(t);
                }
}

/* -- epsilon -- */

static int is_root(uint32_t p)
{
        return ps_pattern_parent(p) == PS_NONE;
}

static ps_time total_of_all(const ps_analysis *a, ps_loc loc)
{
        ps_time sum = 0;
        for (uint32_t p = 0; p < ps_pattern_count(); p++)
                if (is_root(p) && !ps_pattern_at(p)->is_view)
                        sum += analysed_lost(a, p, loc, 1);
        return sum;
}

/* Below a root, a wait may be charged to another child. What is left of a call when all else was charged
 * grows by what is no longer charged, but the sum of all does not. Scalasca asks for late receivers only
 * where no late sender is found, and thus finds more of them where it finds fewer late senders. */
static void expect_less(const ps_analysis *more, const ps_analysis *less)
{
        int scalasca = more->definitions == PS_DEFINITIONS_SCALASCA;
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                ps_subject subject = ps_pattern_at(p)->subject;
                if (!is_root(p) || subject == PS_ON_COMPLETION || (scalasca && subject == PS_ON_SENDER))
                        continue;
                assert_true(analysed_count(less, p, 1) <= analysed_count(more, p, 1));
                for (ps_loc l = 0; l < more->n_locs; l++)
                        assert_true(analysed_lost(less, p, l, 1) <= analysed_lost(more, p, l, 1));
        }
        for (ps_loc l = 0; !scalasca && l < more->n_locs; l++)
                assert_true(total_of_all(less, l) <= total_of_all(more, l));
}

TEST(a_larger_epsilon_finds_less)
{
        static const ps_time ns[] = {1, 50, 200, 400, 1000, 5000, 1000000};
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                random_program p = program(seed);
                ps_trace *t = load(&p, PS_CLOCK_AUTO);
                for (int d = 0; d < PS_N_DEFINITIONS; d++) {
                        ps_analysis *last = analysed(t, (ps_definitions)d, 0, 1);
                        for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
                                ps_analysis *next = analysed(t, (ps_definitions)d, ns[i] * PS_PS_PER_NS, 1);
                                analysed_check(t, next);
                                expect_less(last, next);
                                ps_analysis_free(last);
                                last = next;
                        }
                        ps_analysis_free(last);
                }
                ps_trace_close(t);
        }
}

/* -- rows that are switched off -- */

static uint32_t root_of(uint32_t p)
{
        while (!is_root(p))
                p = ps_pattern_parent(p);
        return p;
}

static ps_analysis *analysed_with(const ps_trace *t, const uint8_t *off)
{
        ps_analysis_options options = {.definitions = PS_DEFINITIONS_PATSCAN, .n_threads = 1};
        ps_analysis *a;
        memcpy(options.off, off, sizeof(options.off));
        assert_int_equal(ps_analyse(&a, t, &t->measured, &options, NULL), PS_OK);
        analysed_check(t, a);
        return a;
}

static int is_of_messages(uint32_t p)
{
        ps_subject subject = ps_pattern_at(p)->subject;
        return subject == PS_ON_RECEIVER || subject == PS_ON_SENDER || subject == PS_ON_NONBLOCKING ||
               subject == PS_ON_COMPLETION;
}

/* What a child would have been charged with goes to its kin. Without a root, those that share calls with it
 * may be charged more, and all others the same. */
static void check_without(const ps_trace *t, const ps_analysis *all, uint32_t p)
{
        uint8_t off[PS_MAX_PATTERNS] = {0};
        off[p] = 1;
        ps_analysis *a = analysed_with(t, off);
        assert_int_equal(analysed_count(a, p, 0), 0);
        if (is_root(p))
                assert_int_equal(analysed_count(a, p, 1), 0);
        for (uint32_t r = 0; r < ps_pattern_count(); r++) {
                if (!is_root(r) || (r == p && is_root(p)))
                        continue;
                if (is_root(p) && is_of_messages(p) && is_of_messages(r)) {
                        assert_true(analysed_lost(a, r, PS_NONE, 1) >= analysed_lost(all, r, PS_NONE, 1));
                        continue;
                }
                assert_int_equal(analysed_lost(a, r, PS_NONE, 1), analysed_lost(all, r, PS_NONE, 1));
                assert_int_equal(analysed_count(a, r, 1), analysed_count(all, r, 1));
        }
        ps_analysis_free(a);
}

/* Alone with what is below it, a root finds all that it found, and what others were charged with. */
static void check_only(const ps_trace *t, const ps_analysis *all, uint32_t root)
{
        uint8_t off[PS_MAX_PATTERNS];
        for (uint32_t p = 0; p < PS_MAX_PATTERNS; p++)
                off[p] = p >= ps_pattern_count() || root_of(p) != root;
        ps_analysis *a = analysed_with(t, off);
        for (uint32_t i = 0; i < a->n_findings; i++)
                assert_int_equal(root_of(a->findings[i].pattern), root);
        ps_time before = analysed_lost(all, root, PS_NONE, 1), now = analysed_lost(a, root, PS_NONE, 1);
        assert_true(is_of_messages(root) ? now >= before : now == before);
        ps_analysis_free(a);
}

TEST(rows_off_leave_others_alone)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed += 3) {
                static const uint8_t none[PS_MAX_PATTERNS];
                random_program p = program(seed);
                ps_trace *t = load(&p, PS_CLOCK_AUTO);
                ps_analysis *all = analysed_with(t, none);
                for (uint32_t i = 0; i < ps_pattern_count(); i++) {
                        check_without(t, all, i);
                        if (is_root(i))
                                check_only(t, all, i);
                }
                ps_analysis_free(all);
                ps_trace_close(t);
        }
}

/* -- totals -- */

struct totals {
        ps_time lost[PS_MAX_PATTERNS];
};

static void add_instance(void *ctx, const ps_instance *instance, ps_path at)
{
        (void)at;
        struct totals *totals = ctx;
        totals->lost[root_of(instance->pattern)] += instance->lost;
}

/* What is handed out one by one is what the sums say; but places with too few of them are dropped. */
TEST(totals_are_sums_of_subtrees)
{
        uint32_t late = ps_pattern_find("late-sender");
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                random_program p = program(seed);
                ps_trace *t = load(&p, PS_CLOCK_AUTO);
                struct totals totals = {{0}};
                ps_analysis_options options = {.definitions = PS_DEFINITIONS_SCALASCA,
                                               .n_threads = 1,
                                               .sink = add_instance,
                                               .sink_ctx = &totals};
                ps_analysis *a;
                assert_int_equal(ps_analyse(&a, t, &t->measured, &options, NULL), PS_OK);
                for (uint32_t r = 0; r < ps_pattern_count(); r++)
                        if (is_root(r) && ps_pattern_at(r)->least <= 1)
                                assert_int_equal(analysed_lost(a, r, PS_NONE, 1), totals.lost[r]);
                assert_true(totals.lost[late] > 0);
                ps_analysis_free(a);
                ps_trace_close(t);
        }
}
