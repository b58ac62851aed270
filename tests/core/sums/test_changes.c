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
        *ps_changes_next(c) = (ps_told_change){.bytes = bytes};
        ps_changes_add(c, time, c->sent);
}

static void open(ps_changes *c, ps_time end, uint32_t n)
{
        assert_int_equal(ps_changes_open(c, end), 0);
        assert_int_equal(c->order.n, n);
}

static void expect(const ps_changes *c, uint32_t i, ps_time time, uint64_t bytes)
{
        uint64_t number = c->order.row[i];
        assert_int_equal(c->window.begin + (ps_time)(number >> c->bits), time);
        assert_int_equal(c->told[(number & (c->sent - 1)) >> PS_CHANGE_STATE_BITS].bytes, bytes);
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
        assert_true(c.order.row[1] == UINT64_MAX);
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

/* The longest window has room for what 1,000 operations change: with 16 bits for which change it is, it is
 * nearly a day long. */
TEST(of_one_moment_what_ends_comes_first)
{
        ps_changes c = {0};
        const ps_time longest = ps_changes_longest(&c, 1000), ends[] = {100, longest};
        assert_true(longest >= (ps_time)1 << 40);
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
                expect(&c, 2, 50, 0);
                expect(&c, 4000 - 2, ends[i] - 1, 3);
                expect(&c, 4000 - 1, ends[i] - 1, 1);
        }
        ps_changes_free(&c);
}

/* Sorting takes the place of one block by another one. */
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
