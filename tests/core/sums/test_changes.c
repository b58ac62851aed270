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
        ps_changes_add_told(c, time, PS_CHANGE_SENDS, (ps_told_change){.bytes = bytes});
}

/* Each change is a burst, but for those of one moment that are added in their order. */
static void open(ps_changes *c, ps_time end, uint32_t n)
{
        assert_int_equal(ps_changes_open(c, end, 0), 0);
        assert_int_equal(c->order.n, n);
}

static const uint64_t *burst(const ps_changes *c, uint32_t i)
{
        return &c->row[c->order.row[i] & ((UINT64_C(1) << c->bits) - 1)];
}

/* The i-th change of all. */
static const uint64_t *change(const ps_changes *c, uint32_t i)
{
        for (uint32_t at = 0; at < c->order.n; at++)
                for (const uint64_t *row = burst(c, at); *row != PS_CHANGE_NONE; i--) {
                        if (!i)
                                return row;
                        row += ps_change_is_told(*row) ? 1 + PS_CHANGE_TOLD : 1;
                }
        fail();
        return NULL;
}

static void expect(const ps_changes *c, uint32_t i, ps_time time, uint64_t bytes)
{
        const uint64_t *row = change(c, i);
        assert_int_equal(c->window.begin + (ps_time)(*row >> PS_CHANGE_BITS), time);
        assert_int_equal(ps_change_told(row).bytes, bytes);
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
        assert_true(*burst(&c, 1) == PS_CHANGE_NONE);
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

/* The longest window has room for what 1,000 operations change, with each of them in two: with 14 bits for
 * where it is told, it is more than a minute long. */
TEST(of_one_moment_what_ends_comes_first)
{
        ps_changes c = {0};
        const ps_time longest = ps_changes_longest(&c, 1000), ends[] = {100, longest};
        assert_true(longest >= (ps_time)1 << 46);
        for (unsigned i = 0; i < 2; i++) {
                c.window.end = 0;
                open(&c, ends[i], 0);
                for (unsigned n = 0; n < 2000 - 4; n++)
                        send(&c, 50, n);
                send(&c, ends[i] - 1, 1);
                send(&c, 7, 2);
                receive(&c, ends[i] - 1, 3);
                receive(&c, 7, 4);
                assert_int_equal(ps_changes_sort(&c), 0);
                expect(&c, 0, 7, 4);
                expect(&c, 1, 7, 2);
                expect(&c, 2, 50, 0);
                expect(&c, 2000 - 2, ends[i] - 1, 3);
                expect(&c, 2000 - 1, ends[i] - 1, 1);
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

/* 3 and 5 are no more than 2 apart, 8 is farther behind, and 7 comes before that. */
TEST(what_is_near_the_change_before_it_is_of_the_same_burst)
{
        static const ps_time times[] = {3, 5, 8, 7}, order[] = {3, 5, 7, 8};
        ps_changes c = {0};
        assert_int_equal(ps_changes_open(&c, 10, 2), 0);
        for (unsigned i = 0; i < 4; i++)
                send(&c, times[i], (uint64_t)times[i]);
        assert_int_equal(ps_changes_sort(&c), 0);
        assert_int_equal(c.order.n, 3);
        for (unsigned i = 0; i < 4; i++)
                expect(&c, i, order[i], (uint64_t)order[i]);
        ps_changes_free(&c);
}

/* A change that is told takes three numbers: behind 2^k of them, a window of all times has no room for one
 * more. */
TEST(far_more_than_was_thought_is_no_memory)
{
        ps_changes c = {0};
        open(&c, ps_changes_longest(&c, 1), 0);
        for (uint32_t n = 0; n < UINT32_C(1) << c.bits; n += 1 + PS_CHANGE_TOLD)
                send(&c, 1, 0);
        assert_int_equal(ps_changes_sort(&c), -1);
        ps_changes_free(&c);
}
