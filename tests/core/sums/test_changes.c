/* test_changes.c - windows of time get the changes that are in them, in order. */
#include "core/sums/changes.h"
#include "tests/support/test.h"

static void add(ps_changes *c, ps_time time, ps_change_kind kind, uint64_t bytes)
{
        assert_int_equal(ps_changes_add(c, (ps_change){time, bytes, 0, (uint8_t)kind}), 0);
}

static void open(ps_changes *c, ps_time end, uint32_t n)
{
        assert_int_equal(ps_changes_open(c, end), 0);
        assert_int_equal(c->n, n);
}

static void expect(const ps_changes *c, uint32_t i, ps_time time, uint64_t bytes)
{
        assert_int_equal(ps_changes_at(c, i)->time, time);
        assert_int_equal(ps_changes_at(c, i)->bytes, bytes);
}

TEST(what_comes_later_is_kept_for_its_window)
{
        ps_changes c = {0};
        open(&c, 10, 0);
        add(&c, 25, PS_CHANGE_RECEIVED, 1);
        add(&c, 10, PS_CHANGE_RECEIVED, 2);
        add(&c, 9, PS_CHANGE_SENT, 3);
        add(&c, 19, PS_CHANGE_RECEIVED, 4);
        assert_int_equal(ps_changes_sort(&c), 0);
        assert_int_equal(c.n, 1);
        expect(&c, 0, 9, 3);
        open(&c, 20, 2);
        add(&c, 15, PS_CHANGE_SENT, 5);
        assert_int_equal(ps_changes_sort(&c), 0);
        expect(&c, 0, 10, 2);
        expect(&c, 1, 15, 5);
        expect(&c, 2, 19, 4);
        open(&c, 30, 1);
        assert_int_equal(ps_changes_sort(&c), 0);
        expect(&c, 0, 25, 1);
        ps_changes_free(&c);
}

/* 2^62 ps: 53 days; a number has no room for such a time and for a row. */
TEST(of_one_moment_what_ends_comes_first)
{
        const ps_time ends[] = {100, (ps_time)1 << 62};
        for (unsigned i = 0; i < 2; i++) {
                ps_changes c = {0};
                open(&c, ends[i], 0);
                add(&c, ends[i] - 1, PS_CHANGE_SENT, 1);
                add(&c, 7, PS_CHANGE_SENT, 2);
                add(&c, ends[i] - 1, PS_CHANGE_RECEIVED, 3);
                add(&c, 7, PS_CHANGE_RECEIVED, 4);
                assert_int_equal(ps_changes_sort(&c), 0);
                expect(&c, 0, 7, 4);
                expect(&c, 1, 7, 2);
                expect(&c, 2, ends[i] - 1, 3);
                expect(&c, 3, ends[i] - 1, 1);
                ps_changes_free(&c);
        }
}
