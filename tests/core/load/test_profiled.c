/* test_profiled.c - the profile of a run is the same to the bit, however many processes have its rows. */
#include "core/load/profiled.h"
#include "core/load/share.h"
#include "core/model/focus.h"
#include "reader/reader.h"
#include "tests/support/crew/crew.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[] = {1, 2, 3, 4, 7};

struct run {
        const char *path;
        uint32_t n_bins;
        ps_focus_how how;
        ps_clock_mode clock;
        ps_profile *alone, *fine; /* of a page: with queues over time */
        uint64_t n_messages;
};

static ps_trace *load(const struct run *r, ps_exchange *x)
{
        const ps_focus_wish wish = {.how = r->how};
        const ps_load_options options = {
                .n_threads = 1, .exchange = x, .focus = &wish, .clock = r->clock, .rows_may_stay = true};
        ps_error err = {0};
        ps_trace *trace = NULL;
        assert_int_equal(ps_trace_load(&trace, r->path, &options, &err), PS_OK);
        return trace;
}

static void expect_peak(const ps_peak *a, const ps_peak *b)
{
        assert_int_equal(a->value, b->value);
        assert_int_equal(a->at, b->at);
}

static void expect_rows(const ps_profile *a, const ps_profile *b)
{
        assert_int_equal(a->n_rows, b->n_rows);
        for (uint32_t i = 0; i < a->n_rows; i++) {
                const ps_profile_row *x = &a->rows[i], *y = &b->rows[i];
                assert_memory_equal(x->state, y->state, sizeof(x->state));
                assert_int_equal(x->sent, y->sent);
                assert_int_equal(x->sent_bytes, y->sent_bytes);
                assert_int_equal(x->received, y->received);
                assert_int_equal(x->received_bytes, y->received_bytes);
                expect_peak(&x->queue, &y->queue);
                expect_peak(&x->queue_bytes, &y->queue_bytes);
        }
        for (int state = 0; state < PS_STATE_COUNT; state++)
                assert_memory_equal(a->concurrency[state], b->concurrency[state],
                                    (a->n_rows + 1) * sizeof(ps_time));
}

static void expect_same(const ps_profile *a, const ps_profile *b)
{
        assert_int_equal(a->duration, b->duration);
        expect_rows(a, b);
        assert_int_equal(a->n_bins, b->n_bins);
        assert_memory_equal(a->bins, b->bins, a->n_bins * sizeof(*a->bins));
        assert_int_equal(a->n_pairs, b->n_pairs);
        for (size_t i = 0; i < a->n_pairs; i++) {
                assert_int_equal(a->pairs[i].from, b->pairs[i].from);
                assert_int_equal(a->pairs[i].to, b->pairs[i].to);
                assert_int_equal(a->pairs[i].messages, b->pairs[i].messages);
                assert_int_equal(a->pairs[i].bytes, b->pairs[i].bytes);
        }
        assert_int_equal(a->n_queue_bins, b->n_queue_bins);
        const size_t n_cells = a->n_queue_bins * (size_t)a->n_rows;
        if (n_cells) {
                assert_memory_equal(a->queue, b->queue, n_cells * sizeof(*a->queue));
                assert_memory_equal(a->queue_bytes, b->queue_bytes, n_cells * sizeof(*a->queue_bytes));
        }
        assert_int_equal(a->n_messages, b->n_messages);
        assert_int_equal(a->n_bytes, b->n_bytes);
        expect_peak(&a->messages, &b->messages);
        expect_peak(&a->bytes, &b->bytes);
}

static void profile_by_all(ps_exchange *x, void *ctx)
{
        struct run *r = ctx;
        ps_error err = {0};
        ps_profile *profile = NULL;
        if (x->rank) {
                ps_share_serve(x, ps_reader_named, NULL);
                return;
        }
        ps_trace *trace = load(r, x);
        assert_int_equal(trace->spread && trace->spread->rows_are_away, x->size > 1);
        for (unsigned again = 0; again < 2; again++) { /* nothing is left of the first one */
                assert_int_equal(ps_profile_make_all(&profile, trace, &trace->measured, r->n_bins, &err),
                                 PS_OK);
                expect_same(profile, r->alone);
                ps_profile_free(profile);
        }
        assert_int_equal(ps_profile_make_fine_all(&profile, trace, &trace->measured, &err), PS_OK);
        expect_same(profile, r->fine);
        ps_profile_free(profile);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

static uint64_t check(ps_gen *g, uint32_t n_bins, ps_focus_how how, ps_clock_mode clock)
{
        struct run r = {.path = ps_gen_anchor(g), .n_bins = n_bins, .how = how, .clock = clock};
        ps_error err = {0};
        ps_trace *whole = load(&r, NULL);
        assert_int_equal(ps_profile_make(&r.alone, whole, &whole->measured, n_bins, &err), PS_OK);
        assert_int_equal(ps_profile_make_fine(&r.fine, whole, &whole->measured, &err), PS_OK);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                crew_run(sizes[i], profile_by_all, &r);
        ps_profile_free(r.fine);
        uint64_t n_messages = r.alone->n_messages;
        ps_profile_free(r.alone);
        ps_trace_close(whole);
        return n_messages;
}

TEST(profiles_of_random_programs_are_the_same_for_any_number_of_processes)
{
        for (uint64_t seed = 1; seed <= (SANITIZED ? 4 : 16); seed++) {
                uint64_t random = seed;
                int64_t skew[RANDOM_MAX_RANKS];
                uint32_t n_messages, n_colls;
                for (uint32_t r = 0; r < RANDOM_MAX_RANKS; r++)
                        skew[r] = (int64_t)maker_random(&random, 20000);
                const random_program p = {.seed = seed,
                                          .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1),
                                          .steps = 200,
                                          .options = {.style = seed % 2 ? PS_GEN_SCOREP : PS_GEN_EZTRACE,
                                                      .start = 100000,
                                                      .skew = skew}};
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                assert_int_equal(check(g, (uint32_t)seed * 7, PS_FOCUS_WHOLE_RUN, PS_CLOCK_AUTO), n_messages);
                check(g, 0, PS_FOCUS_PROGRAM, PS_CLOCK_AUTO);
                ps_gen_free(g);
        }
}

/* Threads, windows, operations of groups and of lower ranks, and members that do not make the same calls. */
TEST(profiles_of_odd_programs_are_the_same_for_any_number_of_processes)
{
        for (uint64_t seed = 1; seed <= (SANITIZED ? 6 : 24); seed++) {
                ps_gen *g = random_program_odd(seed, 150);
                check(g, 10, PS_FOCUS_WHOLE_RUN, PS_CLOCK_AS_IS);
                ps_gen_free(g);
        }
}
