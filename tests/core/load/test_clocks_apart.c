/* test_clocks_apart.c - clocks are repaired where rows were read, to the same bits for any number of
 * processes.
 */
#include "core/load/share.h"
#include "core/model/focus.h"
#include "reader/reader.h"
#include "tests/support/clocks/wrong_clocks.h"
#include "tests/support/crew/crew.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[] = {1, 2, 3, 4, 7};

struct clocks {
        const char *path;
        ps_clock_mode mode;
        const ps_trace *whole;
        bool are_away;
};

static void expect_matrix(const ps_time *a, const ps_time *b, size_t n)
{
        assert_int_equal(a != NULL, b != NULL);
        if (a)
                assert_memory_equal(a, b, n * sizeof(*a));
}

static void expect_clock(const ps_trace *trace, const ps_trace *whole)
{
        const ps_clock_info *a = &trace->clock, *b = &whole->clock;
        size_t n = whole->defs.processes.n;
        assert_int_equal(a->trust, b->trust);
        assert_int_equal(a->message_violations, b->message_violations);
        assert_int_equal(a->collective_violations, b->collective_violations);
        assert_int_equal(a->worst, b->worst);
        assert_int_equal(a->repaired, b->repaired);
        assert_int_equal(a->infeasible, b->infeasible);
        assert_int_equal(a->moved, b->moved);
        assert_int_equal(a->left, b->left);
        assert_int_equal(a->uncertainty, b->uncertainty);
        assert_int_equal(a->likely, b->likely);
        assert_int_equal(a->wander_most, b->wander_most);
        expect_matrix(a->offset, b->offset, n);
        expect_matrix(a->width, b->width, n);
        expect_matrix(a->room, b->room, n * n);
        expect_matrix(a->error, b->error, n * n);
        expect_matrix(a->wander, b->wander, n * n);
        assert_int_equal(a->drift != NULL, b->drift != NULL);
        if (a->drift)
                assert_memory_equal(a->drift, b->drift, n * sizeof(*a->drift));
}

static void expect_times(const ps_trace *trace, const ps_trace *whole)
{
        ps_error err = {0};
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                const ps_op n = whole->ops[l].n;
                ps_ref *rows = calloc(n + (size_t)1, sizeof(*rows));
                assert_non_null(rows);
                for (ps_op op = 0; op < n; op++)
                        rows[op] = (ps_ref){l, op};
                assert_int_equal(n ? ps_share_bring(trace, rows, n, &err) : PS_OK, PS_OK);
                assert_memory_equal(trace->measured.enter[l], whole->measured.enter[l], n * sizeof(ps_time));
                assert_memory_equal(trace->measured.leave[l], whole->measured.leave[l], n * sizeof(ps_time));
                assert_int_equal(trace->info[l].first, whole->info[l].first);
                assert_int_equal(trace->info[l].last, whole->info[l].last);
                free(rows);
        }
}

static void load_by_all(ps_exchange *x, void *ctx)
{
        struct clocks *c = ctx;
        const ps_focus_wish wish = {.how = PS_FOCUS_WHOLE_RUN};
        const ps_load_options options = {
                .n_threads = 1, .exchange = x, .clock = c->mode, .focus = &wish, .rows_may_stay = true};
        ps_error err = {0};
        ps_trace *trace = NULL;
        if (x->rank) {
                ps_share_serve(x, ps_reader_named, NULL);
                return;
        }
        assert_int_equal(ps_trace_load(&trace, c->path, &options, &err), PS_OK);
        c->are_away = trace->spread && trace->spread->rows_are_away;
        expect_clock(trace, c->whole);
        expect_times(trace, c->whole);
        assert_memory_equal(&trace->issues, &c->whole->issues, sizeof(trace->issues));
        assert_int_equal(trace->measured.duration, c->whole->measured.duration);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

/* What it says of the clocks. Rows stay where they were read. */
static ps_clock_info expect_same(ps_gen *g, ps_clock_mode mode)
{
        ps_trace *whole = loaded_by(ps_gen_anchor(g), 1, mode);
        const ps_clock_info clock = whole->clock;
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                struct clocks c = {ps_gen_anchor(g), mode, whole, false};
                crew_run(sizes[i], load_by_all, &c);
                assert_int_equal(c.are_away, sizes[i] > 1);
        }
        ps_trace_close(whole);
        return clock;
}

TEST(offsets_of_random_programs_are_the_same_bits_for_any_number_of_processes)
{
        unsigned n_repaired = 0;
        for (uint64_t seed = 1; seed <= (SANITIZED ? 5 : 25); seed++) {
                ps_gen *g = wrong_clocks_skewed(seed);
                const ps_clock_info clock = expect_same(g, PS_CLOCK_AUTO);
                n_repaired += clock.repaired;
                expect_same(g, PS_CLOCK_REPAIR);
                expect_same(g, PS_CLOCK_AS_IS);
                ps_gen_free(g);
        }
        assert_true(n_repaired > 4);
}

/* Threads, nonblocking operations, those in which members wait for lower ranks, and what is lost. */
TEST(clocks_of_odd_programs_are_the_same_bits_for_any_number_of_processes)
{
        static const ps_clock_mode modes[] = {PS_CLOCK_AUTO, PS_CLOCK_REPAIR};
        for (uint64_t seed = 1; seed <= (SANITIZED ? 8 : 24); seed++) {
                const random_program p = random_program_rare(seed, 120);
                uint32_t n_messages, n_colls;
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                for (size_t m = 0; m < 2; m++) {
                        ps_trace *whole = loaded_by(ps_gen_anchor(g), 1, modes[m]);
                        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                                struct clocks c = {ps_gen_anchor(g), modes[m], whole, false};
                                crew_run(sizes[i], load_by_all, &c);
                                assert_int_equal(c.are_away, sizes[i] > 1);
                        }
                        ps_trace_close(whole);
                }
                ps_gen_free(g);
        }
}

/* On communicators whose ranks go up, down, or leave some out. */
TEST(who_waits_for_lower_ranks_tells_of_clocks_wherever_its_rows_are)
{
        const unsigned n = SANITIZED ? 4 : 8;
        unsigned n_repaired = 0;
        for (uint64_t seed = 1; seed <= n; seed++) {
                uint32_t n_messages, n_colls;
                int64_t skew[RANDOM_MAX_RANKS];
                for (int64_t r = 0; r < RANDOM_MAX_RANKS; r++)
                        skew[r] = 1000 * (((int64_t)seed * 7919 + r * 104729) % 700 - 350);
                const random_program p = {.seed = seed,
                                          .ranks = 3 + (uint32_t)seed % (RANDOM_MAX_RANKS - 2),
                                          .steps = 150,
                                          .prefixes = true,
                                          .nonblocking = seed % 2,
                                          .loses_calls = seed % 3 ? 0 : 60,
                                          .options = {.skew = skew, .style = PS_GEN_EZTRACE}};
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                n_repaired += expect_same(g, PS_CLOCK_AUTO).repaired;
                expect_same(g, PS_CLOCK_REPAIR);
                ps_gen_free(g);
        }
        assert_true(n_repaired > n / 2);
}

/* Each may leave up to half a microsecond before somebody of a lower rank comes. */
TEST(single_times_are_moved_of_those_that_wait_for_lower_ranks)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 6});
        for (uint32_t r = 0; r < 6; r++)
                for (uint32_t i = 0; i < 60; i++) {
                        uint64_t t = 1000 + 3000 * i + (r * 7919 + i * 104729) % 600;
                        ps_gen_collective(g, i % 2 ? "MPI_Scan" : "MPI_Exscan", r, t,
                                          t + 60 + (r * 31 + i * 17) % 400, PS_GEN_WORLD,
                                          OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
                }
        ps_gen_close(g);
        const ps_clock_info clock = expect_same(g, PS_CLOCK_AUTO);
        assert_true(clock.corrected && !clock.repaired);
        assert_true(clock.moved > 20);
        ps_gen_free(g);
}

/* -- operations that are too large for a look at each pair, and clocks that run wrong -- */

enum { MANY = WRONG_CLOCKS_MOST };

TEST(large_operations_are_put_together_in_one_process)
{
        ps_gen *g = wrong_clocks_crowd(
                &(struct wrong_crowd){.ranks = MANY, .rounds = 40, .apart = PS_GEN_MS(3)}, 5);
        assert_true(expect_same(g, PS_CLOCK_AUTO).repaired);
        ps_gen_free(g);
}

TEST(drifts_are_the_same_bits_for_any_number_of_processes)
{
        ps_gen *g = wrong_clocks_crowd(
                &(struct wrong_crowd){.ranks = 6, .rounds = 200, .apart = PS_GEN_MS(50), .ppm = 80}, 7);
        assert_non_null(expect_same(g, PS_CLOCK_AUTO).drift);
        ps_gen_free(g);
        g = wrong_clocks_crowd(
                &(struct wrong_crowd){.ranks = MANY, .rounds = 60, .apart = PS_GEN_MS(100), .ppm = 80}, 9);
        assert_true(expect_same(g, PS_CLOCK_REPAIR).repaired);
        ps_gen_free(g);
}

/* Clocks that were compared, one of them badly. */
TEST(synchronised_clocks_move_the_same_way_for_any_number_of_processes)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 5});
        for (uint32_t r = 0; r < 5; r++)
                for (uint32_t i = 0; i < 40; i++) {
                        uint64_t t = PS_GEN_US(10) + PS_GEN_US(100) * i + (r == 3 ? PS_GEN_US(25) : 0);
                        ps_gen_send(g, r, t, t + 500, (r + 1) % 5, PS_GEN_WORLD, 4, 300);
                        ps_gen_recv(g, r, t + 600, t + PS_GEN_US(20), (r + 4) % 5, PS_GEN_WORLD, 4, 300);
                        ps_gen_barrier(g, r, t + PS_GEN_US(30), t + PS_GEN_US(40), PS_GEN_WORLD);
                }
        ps_gen_close(g);
        const ps_clock_info clock = expect_same(g, PS_CLOCK_AUTO);
        assert_true(clock.violations && clock.repaired);
        ps_gen_free(g);
}

/* A receive that ends 300 ns too early. */
TEST(single_times_are_moved_where_rows_are)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 4});
        for (uint32_t r = 0; r < 4; r++)
                for (uint32_t i = 0; i < 20; i++) {
                        uint64_t t = 1000 + 2000 * i, late = i == 7 && r == 1 ? 500 : 0;
                        ps_gen_send(g, r, t + 400 + late, t + 440 + late, (r + 1) % 4, PS_GEN_WORLD, 4, 300);
                        ps_gen_recv(g, r, t + 450 + late, t + (i == 7 && r == 2 ? 600 : 1300), (r + 3) % 4,
                                    PS_GEN_WORLD, 4, 300);
                }
        ps_gen_close(g);
        assert_true(expect_same(g, PS_CLOCK_AUTO).corrected);
        ps_gen_free(g);
}

TEST(noise_is_shifted_away_the_same_way_for_any_number_of_processes)
{
        for (uint64_t seed = 1; seed <= (SANITIZED ? 3 : 12); seed++) {
                ps_gen *g = wrong_clocks_noisy(3 + (uint32_t)seed % 6, seed);
                const ps_clock_info clock = expect_same(g, PS_CLOCK_AUTO);
                assert_true(clock.corrected && !clock.repaired);
                assert_true(clock.moved > 20);
                ps_gen_free(g);
        }
}
