/* test_cursor.c - the merged view against a plain sort of all events by (time, location, index). */
#include "core/base/search.h"
#include "core/views/cursor.h"
#include "tests/support/test.h"
#include <stdlib.h>
#include <string.h>

typedef struct item {
        ps_time time;
        ps_loc location;
        uint64_t index; /* in its location */
} item;

/* A source of locations that it makes up: one row of items for each. */
typedef struct world {
        item **items;
        uint32_t *n, *given;
        uint32_t n_locations, batch; /* events in a batch at most */
        ps_loc fails;                /* this location's second batch cannot be read */
        uint64_t seed;
} world;

static uint32_t draw(world *w, uint32_t below)
{
        w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
        return (uint32_t)((w->seed >> 33) % below);
}

static ps_status next_batch(void *ctx, ps_loc location, ps_batch *out, ps_error *err)
{
        world *w = ctx;
        uint32_t left = w->n[location] - w->given[location];
        if (location == w->fails && w->given[location] > 0)
                return PS_FAIL(err, PS_E_INPUT, "cannot read event: location=%u", location);
        out->location = location;
        out->n = left < w->batch ? left : 1 + draw(w, w->batch);
        for (uint32_t i = 0; i < out->n; i++) {
                const item *from = &w->items[location][w->given[location]++];
                out->event[i] = (ps_event){.time = from->time, .offset = from->index};
        }
        return PS_OK;
}

static world world_make(uint32_t n_locations, uint32_t batch, uint64_t seed)
{
        world w = {.n_locations = n_locations, .batch = batch, .fails = PS_NONE, .seed = seed};
        w.items = calloc(n_locations, sizeof *w.items);
        w.n = calloc(n_locations, sizeof *w.n);
        w.given = calloc(n_locations, sizeof *w.given);
        assert_true(w.items && w.n && w.given);
        return w;
}

/* n events from `start` on, each up to `step` later than the one before; often at the same time. */
static void world_fill(world *w, ps_loc loc, uint32_t n, ps_time start, uint32_t step)
{
        w->n[loc] = n;
        w->items[loc] = calloc(n ? n : 1, sizeof(item));
        assert_non_null(w->items[loc]);
        for (uint32_t i = 0; i < n; i++) {
                w->items[loc][i] = (item){start, loc, i};
                start += draw(w, step + 1);
        }
}

static void world_free(world *w)
{
        for (ps_loc loc = 0; loc < w->n_locations; loc++)
                free(w->items[loc]);
        free(w->items);
        free(w->n);
        free(w->given);
}

static int compare_items(const void *a, const void *b)
{
        const item *x = a, *y = b;
        PS_ORDER_BY(x->time, y->time);
        PS_ORDER_BY(x->location, y->location);
        return PS_ORDER(x->index, y->index);
}

static item *world_sorted(const world *w, size_t *n)
{
        *n = 0;
        for (ps_loc loc = 0; loc < w->n_locations; loc++)
                *n += w->n[loc];
        item *all = calloc(*n + 1, sizeof *all);
        assert_non_null(all);
        size_t at = 0;
        for (ps_loc loc = 0; loc < w->n_locations; loc++) {
                memcpy(all + at, w->items[loc], w->n[loc] * sizeof *all);
                at += w->n[loc];
        }
        qsort(all, *n, sizeof *all, compare_items);
        return all;
}

static void world_check(world *w)
{
        size_t n;
        item *expected = world_sorted(w, &n);
        ps_cursor *cursor;
        const ps_cursor_event *e;
        assert_int_equal(ps_cursor_new(&cursor, (ps_source){w, w->n_locations, next_batch}, NULL), PS_OK);
        for (size_t i = 0; i < n; i++) {
                assert_int_equal(ps_cursor_next(cursor, &e, NULL), PS_OK);
                assert_non_null(e);
                item got = {e->event.time, e->location, e->event.offset};
                assert_int_equal(compare_items(&got, &expected[i]), 0);
        }
        for (int again = 0; again < 2; again++) {
                assert_int_equal(ps_cursor_next(cursor, &e, NULL), PS_OK);
                assert_null(e);
        }
        ps_cursor_free(cursor);
        free(expected);
        world_free(w);
}

TEST(random_streams_are_merged_in_order)
{
        static const uint32_t steps[] = {0, 1, 3, 1000, 2000000000};
        for (uint32_t round = 0; round < 60; round++) {
                world w = world_make(1 + round % 9, 1 + round * 7 % 50, round + 1);
                for (ps_loc loc = 0; loc < w.n_locations; loc++)
                        world_fill(&w, loc, draw(&w, 400), draw(&w, 20), steps[round % 5]);
                world_check(&w);
        }
}

TEST(full_batches_are_read_on)
{
        world w = world_make(3, PS_BATCH_EVENTS, 7);
        for (ps_loc loc = 0; loc < 3; loc++)
                world_fill(&w, loc, 20000, -5000, 4);
        world_check(&w);
}

/* The same time goes on over many batches of each location. */
TEST(ties_across_batches)
{
        world w = world_make(6, 3, 11);
        for (ps_loc loc = 0; loc < 6; loc++)
                world_fill(&w, loc, 50, 42, loc % 2);
        world_check(&w);
}

TEST(one_location_far_behind)
{
        world w = world_make(4, 16, 3);
        for (ps_loc loc = 0; loc < 3; loc++)
                world_fill(&w, loc, 3000, 0, 10);
        world_fill(&w, 3, 500, INT64_C(1) << 60, 1000);
        world_check(&w);
}

TEST(extreme_times_are_merged)
{
        world w = world_make(2, 8, 5);
        world_fill(&w, 0, 40, INT64_MIN, 0);
        world_fill(&w, 1, 40, INT64_MAX - 1000, 3);
        world_check(&w);
}

/* Up to 2^62 ps apart, so that times have no room beside places in 64 bits; every other time is that of
 * both locations. */
TEST(windows_as_long_as_times_can_be_are_merged)
{
        world w = world_make(2, 8, 13);
        for (ps_loc loc = 0; loc < 2; loc++) {
                world_fill(&w, loc, 32, 0, 0);
                for (int64_t i = 0; i < 32; i++)
                        w.items[loc][i].time = (i << 57) + (loc && i % 2 ? 1 << 20 : 0);
        }
        world_check(&w);
}

TEST(many_locations_are_merged)
{
        world w = world_make(5000, 4, 9);
        for (ps_loc loc = 0; loc < w.n_locations; loc++)
                world_fill(&w, loc, loc % 11, draw(&w, 100), 50);
        world_check(&w);
}

TEST(empty_streams_end_at_once)
{
        world w = world_make(3, 4, 1);
        for (ps_loc loc = 0; loc < 3; loc++)
                world_fill(&w, loc, 0, 0, 0);
        world_check(&w);
        ps_cursor *cursor;
        const ps_cursor_event *e;
        assert_int_equal(ps_cursor_new(&cursor, (ps_source){NULL, 0, next_batch}, NULL), PS_OK);
        assert_int_equal(ps_cursor_next(cursor, &e, NULL), PS_OK);
        assert_null(e);
        ps_cursor_free(cursor);
        ps_cursor_free(NULL);
}

/* Reads until something is wrong; returns the status and how many events came before. */
static ps_status drain(world *w, size_t *n, ps_error *err)
{
        ps_cursor *cursor;
        const ps_cursor_event *e = NULL;
        ps_status st = ps_cursor_new(&cursor, (ps_source){w, w->n_locations, next_batch}, err);
        for (*n = 0; st == PS_OK; ++*n)
                if ((st = ps_cursor_next(cursor, &e, err)) < 0 || !e)
                        break;
        ps_cursor_free(cursor);
        return st;
}

TEST(a_failing_source_ends_the_merge)
{
        size_t n;
        ps_error err = {0};
        world w = world_make(2, 1, 1);
        world_fill(&w, 0, 5, 0, 0);
        world_fill(&w, 1, 5, 10, 0);
        w.fails = 1;
        assert_int_equal(drain(&w, &n, &err), PS_E_INPUT);
        assert_int_equal(n, 6); /* all of location 0, and the one batch of location 1 */
        world_free(&w);
}

TEST(times_that_decrease_are_an_error)
{
        size_t n;
        for (uint32_t batch = 1; batch <= 4; batch += 3) {
                world w = world_make(1, batch, 1);
                world_fill(&w, 0, 3, 10, 0);
                w.items[0][2].time = 9;
                assert_int_equal(drain(&w, &n, NULL), PS_E_INTERNAL);
                world_free(&w);
        }
}
