/* test_states.c - for how long how many locations were in which state. */
#include "core/sums/states.h"
#include "tests/support/test.h"
#include <stdlib.h>

typedef struct told {
        ps_profile profile;
        ps_profile_bin bins[2];
        ps_states states;
} told;

static void begin(told *t, uint32_t n_rows, ps_time duration, ps_time middle, const ps_focus *focus)
{
        ps_timing timing = {.duration = duration, .focus = (ps_focus *)(uintptr_t)focus};
        ps_error err = {0};
        *t = (told){.bins = {{.begin = 0, .end = middle}, {.begin = middle, .end = duration}}};
        t->profile = (ps_profile){.n_rows = n_rows, .bins = t->bins, .n_bins = 2};
        for (int state = 0; state < PS_STATE_COUNT; state++)
                t->profile.concurrency[state] = calloc(n_rows + (size_t)1, sizeof(ps_time));
        assert_int_equal(ps_states_begin(&t->states, &t->profile, &timing, &err), PS_OK);
}

static void add(told *t, ps_time time, ps_state was, ps_state is)
{
        assert_int_equal(ps_states_room(&t->states), 0);
        ps_states_add(&t->states, time, was, is);
}

static void close(told *t, uint32_t first)
{
        assert_int_equal(ps_states_room(&t->states), 0);
        assert_int_equal(ps_states_close(&t->states, first), 0);
}

static void end(told *t)
{
        ps_states_end(&t->states);
        ps_states_free(&t->states);
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
        add(t, 2, PS_STATE_BUSY, PS_STATE_IDLE);
        close(t, 0);
        uint32_t first = t->states.changes.n;
        add(t, 1, PS_STATE_BUSY, PS_STATE_OVERHEAD);
        add(t, 3, PS_STATE_OVERHEAD, PS_STATE_BUSY);
        close(t, first);
        close(t, t->states.changes.n); /* of the third one nothing changes */
        assert_int_equal(ps_states_go(&t->states, (ps_span){0, 4}), 0);
        add(t, 6 - 4, PS_STATE_IDLE, PS_STATE_BUSY);
        close(t, 0);
        assert_int_equal(ps_states_go(&t->states, (ps_span){4, 10}), 0);
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
        for (unsigned location = 0; location < 2; location++) {
                uint32_t first = t.states.changes.n;
                add(&t, 4, PS_STATE_BUSY, PS_STATE_IDLE);
                add(&t, 4, PS_STATE_IDLE, PS_STATE_OVERHEAD);
                close(&t, first);
        }
        assert_int_equal(ps_states_go(&t.states, (ps_span){0, 8}), 0);
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
        for (ps_time location = 1; location <= 200; location++) {
                uint32_t first = t.states.changes.n;
                add(&t, 200 - location, PS_STATE_BUSY, PS_STATE_IDLE);
                add(&t, 200, PS_STATE_IDLE, PS_STATE_BUSY);
                close(&t, first);
        }
        assert_int_equal(ps_states_go(&t.states, (ps_span){0, 400}), 0);
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
                if (now == 3 * quarter) {
                        add(&t, 0, PS_STATE_BUSY, PS_STATE_IDLE);
                        close(&t, 0);
                }
                assert_int_equal(ps_states_go(&t.states, (ps_span){now, now + quarter}), 0);
        }
        end(&t);
        expect_bins(&t, PS_STATE_BUSY, 0x1p69, 0x1p69 - 0x1p48);
        expect_bins(&t, PS_STATE_IDLE, 0, 0x1p48);
        assert_int_equal(t.profile.concurrency[PS_STATE_BUSY][1 << 20], 3 * quarter);
        assert_int_equal(t.profile.concurrency[PS_STATE_BUSY][(1 << 20) - 1], quarter);
        discard(&t);
}
