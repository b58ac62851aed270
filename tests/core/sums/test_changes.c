/* test_changes.c - windows of time get the changes that are in them, in order. */
#include "core/sums/changes.h"
#include "tests/support/test.h"

static void receive(ps_changes *c, ps_time time, uint64_t bytes)
{
        assert_int_equal(ps_changes_room(c), 0);
        assert_int_equal(ps_changes_receive(c, time, (ps_told_change){.bytes = bytes, .n = 1}), 0);
}

static void send(ps_changes *c, ps_time time, uint64_t bytes)
{
        assert_int_equal(ps_changes_room(c), 0);
        ps_changes_send(c, time, (ps_told_change){.bytes = bytes});
}

static void open(ps_changes *c, ps_time end, uint32_t n)
{
        assert_int_equal(ps_changes_open(c, end), 0);
        assert_int_equal(c->order.n, n);
}

/* The i-th change of all. */
static void expect(const ps_changes *c, uint32_t i, ps_time time, uint64_t bytes)
{
        uint64_t number = c->order.row[1 + i];
        assert_int_equal(c->window.begin + (ps_time)(number >> c->bits), time);
        assert_true(ps_change_is_told(number));
        assert_int_equal(ps_change_told(c->told, number, ps_changes_place_bits(c))->bytes, bytes);
}

TEST(what_comes_later_is_kept_for_its_window)
{
        ps_changes c = {0};
        open(&c, 10, 0);
        receive(&c, 25, 1);
        receive(&c, 10, 2);
        send(&c, 9, 3);
        receive(&c, 19, 4);
        assert_int_equal(ps_changes_sort(&c), 0);
        assert_int_equal(c.order.n, 1);
        expect(&c, 0, 9, 3);
        assert_true(c.order.row[2] == UINT64_MAX);
        open(&c, 20, 2);
        send(&c, 15, 5);
        assert_int_equal(ps_changes_sort(&c), 0);
        expect(&c, 0, 10, 2);
        expect(&c, 1, 15, 5);
        expect(&c, 2, 19, 4);
        open(&c, 30, 1);
        assert_int_equal(ps_changes_sort(&c), 0);
        expect(&c, 0, 25, 1);
        ps_changes_free(&c);
}

/* 1,000 operations, of which each changes something four times at most, have room in a window of a minute. */
TEST(of_one_moment_what_ends_comes_first)
{
        const ps_time minute = 60 * PS_PS_PER_S, ends[] = {100, minute};
        ps_changes c = {0};
        assert_true(ps_changes_most(minute) >= 1000);
        for (unsigned i = 0; i < 2; i++) {
                c.window.end = 0;
                open(&c, ends[i], 0);
                for (unsigned n = 0; n < 4000 - 4; n++)
                        send(&c, 50, n);
                send(&c, ends[i] - 1, 1);
                send(&c, 7, 2);
                receive(&c, ends[i] - 1, 3);
                receive(&c, 7, 4);
                assert_int_equal(ps_changes_sort(&c), 0);
                expect(&c, 0, 7, 4);
                expect(&c, 1, 7, 2);
                for (unsigned n = 0; n < 4000 - 4; n++)
                        expect(&c, 2 + n, 50, n);
                expect(&c, 4000 - 2, ends[i] - 1, 3);
                expect(&c, 4000 - 1, ends[i] - 1, 1);
        }
        ps_changes_free(&c);
}

TEST(there_is_room_after_sorting)
{
        ps_changes c = {0};
        for (ps_time window = 1; window <= 6; window++) {
                open(&c, window * 100000, 0);
                for (ps_time i = 0; i < window * 100; i++)
                        send(&c, window * 100000 - 1 - i, (uint64_t)i);
                assert_int_equal(ps_changes_sort(&c), 0);
                for (ps_time i = 0; i < window * 100; i++)
                        expect(&c, (uint32_t)(window * 100 - 1 - i), window * 100000 - 1 - i, (uint64_t)i);
        }
        ps_changes_free(&c);
}

/* What a location does in one moment comes in its own order, whatever its states are numbered. */
TEST(changes_of_one_moment_stay_in_the_order_in_which_they_were_added)
{
        static const uint64_t states[] = {5, 1, 3, 2, 6};
        ps_changes c = {0};
        open(&c, 10, 0);
        assert_int_equal(ps_changes_grow(&c, 6), 0);
        for (unsigned i = 0; i < 5; i++)
                ps_changes_add(&c, 4, states[i]);
        ps_changes_add(&c, 3, 4);
        assert_int_equal(ps_changes_sort(&c), 0);
        assert_int_equal(c.order.n, 6);
        assert_int_equal(c.order.row[1] & PS_CHANGE_STATES, 4);
        for (unsigned i = 0; i < 5; i++)
                assert_int_equal(c.order.row[2 + i] & PS_CHANGE_STATES, states[i]);
        ps_changes_free(&c);
}

/* In the longest window that there is 32 changes have room, of which one number is kept for none. */
TEST(far_more_than_was_thought_is_no_memory)
{
        const ps_time long_window = ((ps_time)1 << 54) - 1;
        ps_changes c = {0};
        assert_int_equal(ps_changes_most(long_window), 8);
        open(&c, long_window, 0);
        for (unsigned n = 0; n < 31; n++)
                send(&c, 1, n);
        assert_int_equal(ps_changes_sort(&c), 0);
        expect(&c, 30, 1, 30);
        open(&c, 2 * long_window, 0);
        for (unsigned n = 0; n < 32; n++)
                send(&c, long_window, n);
        assert_int_equal(ps_changes_sort(&c), -1);
        ps_changes_free(&c);
}

TEST(a_window_of_more_than_all_bits_has_room_for_nothing)
{
        assert_int_equal(ps_changes_most(INT64_MAX), 0);
        assert_true(ps_changes_most(1) > UINT32_MAX);
}
