/* test_focus_apart.c - the focus is the same however many processes have read the trace, wherever its rows
 * are, and each reads again only what it has read. */
#include "core/load/share.h"
#include "core/model/focus.h"
#include "reader/reader.h"
#include "tests/support/crew/crew.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[] = {2, 3, 4, 7};

/* A ring whose ranks begin and end at times of their own, with steps that are one after the other or overlap
 * with those of others. */
static ps_gen *ring_of_steps(uint32_t n)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = n});
        for (uint32_t rank = 0; rank < n; rank++) {
                ps_gen_enter(g, rank, rank, "main");
                ps_gen_visit(g, rank, 10 + rank, 100 + 10 * ((rank + 2) % n), "MPI_Init");
                for (uint32_t i = 0; i < 20; i++) {
                        uint64_t t = 1000 + 100 * i;
                        ps_gen_enter(g, rank, t + 3 * (rank % 3), "step");
                        ps_gen_isend(g, rank, t + 10, t + 20, (rank + 1) % n, PS_GEN_WORLD, 4, 300, i);
                        ps_gen_visit(g, rank, t + 21 + rank, t + 35, "work");
                        ps_gen_recv(g, rank, t + 36 + rank, t + 60 + rank, (rank + n - 1) % n, PS_GEN_WORLD,
                                    4, 300);
                        ps_gen_wait(g, rank, t + 70, t + 72, PS_GEN_SENT(i));
                        ps_gen_leave(g, rank, t + 80 + (i % 4 ? 0 : 15 * (rank % 2)), "step");
                }
                ps_gen_visit(g, rank, 6000 + 7 * ((rank + 1) % n), 7000, "MPI_Finalize");
                ps_gen_leave(g, rank, 7010, "main");
        }
        ps_gen_close(g);
        return g;
}

static void expect_same_part(const ps_focus_part *a, const ps_focus_part *b)
{
        assert_int_equal(a->off, b->off);
        assert_int_equal(a->n_uses, b->n_uses);
        for (uint32_t i = 0; i < a->n_uses; i++) {
                assert_int_equal(a->uses[i].path, b->uses[i].path);
                assert_int_equal(a->uses[i].visits, b->uses[i].visits);
                assert_int_equal(a->uses[i].inclusive, b->uses[i].inclusive);
                assert_int_equal(a->uses[i].exclusive, b->uses[i].exclusive);
        }
}

static void expect_same_focus(const ps_trace *one, const ps_trace *many)
{
        const ps_focus *a = one->measured.focus, *b = many->measured.focus;
        assert_int_equal(a->n_spans, b->n_spans);
        assert_int_equal(a->length, b->length);
        assert_memory_equal(a->span, b->span, a->n_spans * sizeof(*a->span));
        assert_true(!a->part == !b->part && !a->moments == !b->moments);
        for (ps_loc l = 0; a->part && l < one->n_locs; l++)
                expect_same_part(&a->part[l], &b->part[l]);
        for (uint32_t i = 0; a->moments && i < 2 * a->n_spans; i++) {
                assert_int_equal(ps_refs_compare(&a->moments[i].after, &b->moments[i].after), 0);
                assert_int_equal(a->moments[i].inside, b->moments[i].inside);
                assert_int_equal(a->moments[i].distance, b->moments[i].distance);
        }
}

struct focused {
        const char *path;
        const ps_focus_wish *wish;
        const ps_trace *one;
        ps_clock_mode clock;
        bool rows_may_stay, are_away;
};

static void load_focused(ps_exchange *x, void *ctx)
{
        struct focused *f = ctx;
        const ps_load_options options = {.n_threads = 1 + x->size % 2,
                                         .exchange = x,
                                         .focus = f->wish,
                                         .clock = f->clock,
                                         .rows_may_stay = f->rows_may_stay};
        ps_error err = {0};
        ps_trace *many = NULL;
        if (x->rank) {
                ps_share_serve(x, ps_reader_named, NULL);
                return;
        }
        assert_int_equal(ps_trace_load(&many, f->path, &options, &err), PS_OK);
        f->are_away = many->spread && many->spread->rows_are_away;
        expect_same_focus(f->one, many);
        ps_trace_close(many);
        ps_share_dismiss(x);
}

/* Rows that may stay where they are stay there if `stay`. */
static void expect_same(const char *path, const ps_focus_wish *wish, ps_clock_mode clock, bool stay)
{
        const ps_load_options options = {.n_threads = 1, .focus = wish, .clock = clock};
        ps_error err = {0};
        ps_trace *one = NULL;
        assert_int_equal(ps_trace_load(&one, path, &options, &err), PS_OK);
        for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
                struct focused f = {path, wish, one, clock, i % 2, false};
                crew_run(sizes[i / 2], load_focused, &f);
                assert_true(f.are_away == (stay && i % 2));
        }
        ps_trace_close(one);
}

static const ps_focus_wish program = {.how = PS_FOCUS_PROGRAM};
static const ps_focus_wish regions[] = {{.how = PS_FOCUS_REGION, .region = "main"},
                                        {.how = PS_FOCUS_REGION, .region = "step"},
                                        {.how = PS_FOCUS_REGION, .region = "work"}};

#define NS(n) ((ps_time)(n)*PS_PS_PER_NS)

TEST(any_focus_is_the_same_wherever_rows_are)
{
        ps_gen *g = ring_of_steps(8);
        expect_same(ps_gen_anchor(g), &program, PS_CLOCK_AUTO, true);
        for (size_t i = 0; i < sizeof(regions) / sizeof(*regions); i++)
                expect_same(ps_gen_anchor(g), &regions[i], PS_CLOCK_AUTO, true);
        for (ps_time from = 0; from < 7000; from += 611)
                expect_same(ps_gen_anchor(g),
                            &(ps_focus_wish){.how = PS_FOCUS_RANGE, .from = NS(from), .to = NS(from + 913)},
                            PS_CLOCK_AUTO, true);
        expect_same(ps_gen_anchor(g),
                    &(ps_focus_wish){.how = PS_FOCUS_RANGE, .from = NS(1), .to = PS_TIME_MAX}, PS_CLOCK_AUTO,
                    true);
        ps_gen_free(g);
}

TEST(any_focus_is_the_same_of_random_programs_whose_clocks_are_repaired)
{
        for (uint64_t seed = 1; seed <= (SANITIZED ? 2 : 6); seed++) {
                ps_gen *g = random_program_of(seed);
                expect_same(ps_gen_anchor(g), &program, PS_CLOCK_REPAIR, true);
                expect_same(ps_gen_anchor(g), &regions[0], PS_CLOCK_REPAIR, true);
                expect_same(ps_gen_anchor(g),
                            &(ps_focus_wish){.how = PS_FOCUS_RANGE, .from = NS(seed * 100), .to = NS(4000)},
                            PS_CLOCK_REPAIR, true);
                ps_gen_free(g);
        }
}

static ps_reader_class opening;
static atomic_uint n_opened;

static ps_status open_counted(ps_stream **out, ps_reader *reader, ps_loc location, ps_error *err)
{
        n_opened++;
        return ps_reader_named("otf2")->stream_open(out, reader, location, err);
}

static const ps_reader_class *find_opening(const char *name)
{
        (void)name;
        return &opening;
}

static void load_opened(ps_exchange *x, void *ctx)
{
        const ps_load_options options = {
                .n_threads = 1, .exchange = x, .focus = &program, .rows_may_stay = true};
        ps_error err = {0};
        ps_trace *trace = NULL;
        if (x->rank) {
                ps_share_serve(x, find_opening, NULL);
                return;
        }
        assert_int_equal(ps_trace_load(&trace, ctx, &options, &err), PS_OK);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

/* Of eight files those behind process 0 read six; up to where the last Init ends they read them again. */
TEST(what_lies_before_the_focus_is_read_again_by_whoever_has_read_it)
{
        ps_gen *g = ring_of_steps(8);
        char *path = strdup(ps_gen_anchor(g));
        opening = *ps_reader_named("otf2");
        opening.stream_open = open_counted;
        crew_run(4, load_opened, path);
        assert_int_equal(n_opened, 2 * 6);
        free(path);
        ps_gen_free(g);
}
