/* test_states.c - for how long how many locations were in which state. */
#include "core/sums/states.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"
#include <stdlib.h>

typedef struct told {
        ps_profile profile;
        ps_profile_bin bins[2];
        ps_changes changes;
        ps_levels levels;
        ps_states states;
} told;

static void begin(told *t, uint32_t n_rows, ps_time duration, ps_time middle, const ps_focus *focus)
{
        ps_timing timing = {.duration = duration, .focus = (ps_focus *)(uintptr_t)focus};
        ps_error err = {0};
        *t = (told){.bins = {{.begin = 0, .end = middle}, {.begin = middle, .end = duration}}};
        t->profile = (ps_profile){.n_rows = n_rows, .bins = t->bins, .n_bins = 2};
        t->levels.out = &t->profile;
        for (int state = 0; state < PS_STATE_COUNT; state++)
                t->profile.concurrency[state] = calloc(n_rows + (size_t)1, sizeof(ps_time));
        assert_int_equal(ps_states_begin(&t->states, &t->profile, &timing, 0, &t->levels, &err), PS_OK);
}

static void open(told *t, ps_time end)
{
        assert_int_equal(ps_changes_open(&t->changes, end), 0);
}

static void add(told *t, ps_time time, ps_state was, ps_state is)
{
        assert_int_equal(ps_changes_room(&t->changes), 0);
        ps_changes_add(&t->changes, time, ps_state_changes[was][is]);
}

static void add_call(told *t, ps_time begin, ps_time ready, ps_time done)
{
        add(t, begin, PS_STATE_BUSY, PS_STATE_IDLE);
        add(t, ready, PS_STATE_IDLE, PS_STATE_OVERHEAD);
        add(t, done, PS_STATE_OVERHEAD, PS_STATE_BUSY);
}

/* The same, told as one if it does not wait. */
static void add_short_call(told *t, ps_time begin, ps_time ready, ps_time done)
{
        if (ready > begin) {
                add_call(t, begin, ready, done);
                return;
        }
        assert_int_equal(ps_changes_room(&t->changes), 0);
        ps_changes_pen pen = ps_changes_take_pen(&t->changes);
        ps_changes_write_short(&pen, (ps_span){begin, done}, 0);
        ps_changes_put_back(&t->changes, pen);
}

static void go(told *t)
{
        assert_int_equal(ps_changes_sort(&t->changes), 0);
        ps_states_go(&t->states, &t->changes);
}

static void end(told *t)
{
        ps_states_end(&t->states);
        ps_states_free(&t->states);
        ps_changes_free(&t->changes);
}

static void discard(told *t)
{
        for (int state = 0; state < PS_STATE_COUNT; state++)
                free(t->profile.concurrency[state]);
}

/* Of three locations one is in communication from 1 to 3, another one waits from 2 to 6; the windows end at 4
 * and 10, the bins at 5 and 10. So 3 are busy up to 1, 2 up to 2, 1 up to 3, 2 up to 6, and 3. */
static void run_three(told *t, const ps_focus *focus)
{
        begin(t, 3, 10, 5, focus);
        open(t, 4);
        add(t, 2, PS_STATE_BUSY, PS_STATE_IDLE);
        add(t, 1, PS_STATE_BUSY, PS_STATE_OVERHEAD);
        add(t, 3, PS_STATE_OVERHEAD, PS_STATE_BUSY);
        go(t);
        open(t, 10);
        add(t, 6, PS_STATE_IDLE, PS_STATE_BUSY);
        go(t);
        end(t);
}

static void expect_times(const told *t, ps_state state, const ps_time *expected)
{
        for (uint32_t k = 0; k <= t->profile.n_rows; k++)
                assert_int_equal(t->profile.concurrency[state][k], expected[k]);
}

static void expect_bins(const told *t, ps_state state, double first, double second)
{
        assert_true(t->bins[0].state[state] == first && t->bins[1].state[state] == second);
}

TEST(counts_are_told_over_time)
{
        told t;
        run_three(&t, NULL);
        expect_times(&t, PS_STATE_BUSY, (const ps_time[]){0, 1, 1 + 3, 1 + 4});
        expect_times(&t, PS_STATE_OVERHEAD, (const ps_time[]){8, 2, 0, 0});
        expect_times(&t, PS_STATE_IDLE, (const ps_time[]){6, 4, 0, 0});
        expect_bins(&t, PS_STATE_BUSY, 3 + 2 + 1 + 2 * 2, 2 + 3 * 4);
        expect_bins(&t, PS_STATE_OVERHEAD, 2, 0);
        expect_bins(&t, PS_STATE_IDLE, 3, 1);
        discard(&t);
}

TEST(only_what_is_in_the_focus_is_told)
{
        ps_span span[] = {{1, 3}, {4, 7}};
        ps_focus focus = {.span = span, .n_spans = 2, .length = 5};
        told t;
        run_three(&t, &focus);
        expect_times(&t, PS_STATE_BUSY, (const ps_time[]){0, 1, 1 + 2, 1});
        expect_times(&t, PS_STATE_OVERHEAD, (const ps_time[]){3, 2, 0, 0});
        expect_bins(&t, PS_STATE_BUSY, 2 + 1 + 2, 2 + 3);
        expect_bins(&t, PS_STATE_IDLE, 1 + 1, 1);
        discard(&t);
}

TEST(changes_of_one_moment_are_told_as_one)
{
        told t;
        begin(&t, 2, 8, 4, NULL);
        open(&t, 8);
        for (unsigned location = 0; location < 2; location++) {
                add(&t, 4, PS_STATE_BUSY, PS_STATE_IDLE);
                add(&t, 4, PS_STATE_IDLE, PS_STATE_OVERHEAD);
        }
        go(&t);
        end(&t);
        expect_times(&t, PS_STATE_BUSY, (const ps_time[]){4, 0, 4});
        expect_times(&t, PS_STATE_OVERHEAD, (const ps_time[]){4, 0, 4});
        expect_times(&t, PS_STATE_IDLE, (const ps_time[]){8, 0, 0});
        expect_bins(&t, PS_STATE_BUSY, 8, 0);
        expect_bins(&t, PS_STATE_OVERHEAD, 0, 8);
        discard(&t);
}

/* 200 locations begin to wait one after the other, each a picosecond after the one before it, and all end at
 * 100: the k-th waits for k. */
TEST(changes_of_many_locations_are_told)
{
        told t;
        begin(&t, 200, 400, 200, NULL);
        open(&t, 400);
        for (ps_time location = 1; location <= 200; location++) {
                add(&t, 200 - location, PS_STATE_BUSY, PS_STATE_IDLE);
                add(&t, 200, PS_STATE_IDLE, PS_STATE_BUSY);
        }
        go(&t);
        end(&t);
        assert_int_equal(t.profile.concurrency[PS_STATE_IDLE][0], 200);
        for (uint32_t k = 1; k <= 200; k++)
                assert_int_equal(t.profile.concurrency[PS_STATE_IDLE][k], 1);
        expect_bins(&t, PS_STATE_IDLE, 200 * 201 / 2, 0);
        expect_bins(&t, PS_STATE_BUSY, 200 * 200 - 200 * 201 / 2, 200 * 200);
        discard(&t);
}

/* 2^20 locations for 2^50 ps, 19 minutes: together 2^70 ps, which 64 bits have no room for. One of them
 * begins to wait in the middle of the second half. */
TEST(sums_of_many_locations_do_not_overflow)
{
        const ps_time quarter = (ps_time)1 << 48;
        told t;
        begin(&t, 1 << 20, 4 * quarter, 2 * quarter, NULL);
        for (ps_time now = 0; now < 4 * quarter; now += quarter) {
                open(&t, now + quarter);
                if (now == 3 * quarter)
                        add(&t, now, PS_STATE_BUSY, PS_STATE_IDLE);
                go(&t);
        }
        end(&t);
        expect_bins(&t, PS_STATE_BUSY, 0x1p69, 0x1p69 - 0x1p48);
        expect_bins(&t, PS_STATE_IDLE, 0, 0x1p48);
        assert_int_equal(t.profile.concurrency[PS_STATE_BUSY][1 << 20], 3 * quarter);
        assert_int_equal(t.profile.concurrency[PS_STATE_BUSY][(1 << 20) - 1], quarter);
        discard(&t);
}

/* A call from 1 to 6 that waits up to 4, another one from 2 to 3, and one from 5, where a bin ends, to 9. */
TEST(calls_are_told_from_their_begin_to_their_end)
{
        told t;
        begin(&t, 2, 10, 5, NULL);
        open(&t, 10);
        add_call(&t, 1, 4, 6);
        add_call(&t, 2, 2, 3);
        add_call(&t, 5, 5, 9);
        go(&t);
        end(&t);
        expect_times(&t, PS_STATE_BUSY, (const ps_time[]){1 + 1, 1 + 2 + 3, 1 + 1});
        expect_times(&t, PS_STATE_OVERHEAD, (const ps_time[]){2 + 1 + 1, 1 + 1 + 3, 1});
        expect_times(&t, PS_STATE_IDLE, (const ps_time[]){7, 3, 0});
        expect_bins(&t, PS_STATE_IDLE, 3, 0);
        expect_bins(&t, PS_STATE_OVERHEAD, 1 + 1, 1 + 4);
        discard(&t);
}

/* The same where what is short begins and ends as others do, one in the other, and where a bin ends. */
TEST(what_is_short_is_told_as_what_is_not)
{
        for (unsigned shorts = 0; shorts < 8; shorts++) {
                told t;
                begin(&t, 2, 10, 5, NULL);
                open(&t, 10);
                (shorts & 1 ? add_short_call : add_call)(&t, 1, 4, 6);
                (shorts & 2 ? add_short_call : add_call)(&t, 2, 2, 3);
                (shorts & 4 ? add_short_call : add_call)(&t, 5, 5, 9);
                go(&t);
                end(&t);
                expect_times(&t, PS_STATE_BUSY, (const ps_time[]){1 + 1, 1 + 2 + 3, 1 + 1});
                expect_times(&t, PS_STATE_OVERHEAD, (const ps_time[]){2 + 1 + 1, 1 + 1 + 3, 1});
                expect_times(&t, PS_STATE_IDLE, (const ps_time[]){7, 3, 0});
                expect_bins(&t, PS_STATE_OVERHEAD, 1 + 1, 1 + 4);
                discard(&t);
        }
}

/* The first bin ends at 5 and the first window at 8; what changes next does so at 9. */
TEST(a_bin_ends_where_nothing_changes)
{
        told t;
        begin(&t, 1, 10, 5, NULL);
        open(&t, 8);
        add_call(&t, 1, 1, 2);
        go(&t);
        open(&t, 10);
        add_call(&t, 9, 9, 9);
        go(&t);
        end(&t);
        expect_times(&t, PS_STATE_OVERHEAD, (const ps_time[]){9, 1});
        expect_bins(&t, PS_STATE_OVERHEAD, 1, 0);
        expect_bins(&t, PS_STATE_BUSY, 4, 5);
        discard(&t);
}

enum { RUN = 10000, CALLERS = 20 };

/* How many locations are in communication and how many wait, at each moment. */
typedef struct counted {
        unsigned overhead[RUN], idle[RUN];
} counted;

/* Calls of 20 of `n` locations, each behind the last one of its location, in windows of 500. */
static void make_up_calls(told *t, counted *c, uint32_t n)
{
        uint64_t random = 4711;
        ps_time behind[CALLERS] = {0};
        begin(t, n, RUN, 3333, NULL);
        *c = (counted){{0}, {0}};
        for (ps_time window = 500; window <= RUN; window += 500) {
                open(t, window);
                for (unsigned i = 0; i < 400; i++) {
                        ps_time *now = &behind[(i / 4 + maker_random(&random, 2)) % CALLERS];
                        ps_time from = ps_time_later(*now, window - 500) + maker_random(&random, 30);
                        ps_time ready = from + maker_random(&random, 2) * maker_random(&random, 60);
                        ps_time done = ready + maker_random(&random, 2) * maker_random(&random, 60);
                        if (done >= window)
                                continue;
                        *now = done;
                        (maker_random(&random, 2) ? add_short_call : add_call)(t, from, ready, done);
                        for (; from < done; from++)
                                (*(from < ready ? &c->idle : &c->overhead))[from]++;
                }
                go(t);
        }
        end(t);
}

TEST(calls_are_counted_as_moment_by_moment)
{
        static counted c;
        for (uint32_t n = CALLERS; n <= 300; n += 280) { /* in one sum of all states, and in one for each */
                ps_time expected[PS_STATE_COUNT][301] = {{0}};
                uint64_t bins[2][PS_STATE_COUNT] = {{0}};
                told t;
                make_up_calls(&t, &c, n);
                for (unsigned now = 0; now < RUN; now++) {
                        const unsigned count[] = {n - c.overhead[now] - c.idle[now], c.overhead[now],
                                                  c.idle[now]};
                        for (unsigned k = 0; k < PS_STATE_COUNT; k++) {
                                expected[k][count[k]]++;
                                bins[now >= 3333][k] += count[k];
                        }
                }
                for (unsigned k = 0; k < PS_STATE_COUNT; k++) {
                        expect_times(&t, k, expected[k]);
                        expect_bins(&t, k, (double)bins[0][k], (double)bins[1][k]);
                }
                assert_true(expected[PS_STATE_IDLE][3] > 0);
                discard(&t);
        }
}
