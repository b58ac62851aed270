/* test_levels.c - messages under way, and what waits for a location, over time. */
#include "core/sums/states.h"
#include "tests/support/test.h"

/* Location 1 is sent 10 bytes at 1 and 20 at 2, and receives the first of them at 4; at this moment it is
 * sent 5 more, which it receives at 8. The run ends at 10, as the second bin does; the first one ends at 5.
 */
static const struct {
        ps_time time;
        uint64_t bytes;
        bool is_sent;
} traffic[] = {{1, 10, true}, {2, 20, true}, {4, 5, true}, {4, 10, false}, {8, 5, false}};

typedef struct told {
        ps_profile profile;
        ps_profile_row rows[2];
        ps_profile_bin bins[2];
        ps_time time[PS_STATE_COUNT][3];
} told;

static void add(ps_changes *c, unsigned i)
{
        ps_told_change change = {.bytes = traffic[i].bytes, .to = 1, .n = 1};
        assert_int_equal(ps_changes_room(c), 0);
        if (!traffic[i].is_sent) {
                assert_int_equal(ps_changes_receive(c, traffic[i].time, change), 0);
        } else if (traffic[i].time >= c->window.begin && traffic[i].time < c->window.end) {
                ps_changes_send(c, traffic[i].time, change);
        }
}

/* In windows that end at `middle` and at the end of the run. */
static void tell(told *t, const ps_focus *focus, ps_time middle)
{
        ps_timing timing = {.duration = 10, .focus = (ps_focus *)(uintptr_t)focus};
        ps_queue queue[2] = {{.row = 0}, {.row = 1}};
        ps_changes changes = {0};
        ps_error err = {0};
        *t = (told){.bins = {{.begin = 0, .end = 5}, {.begin = 5, .end = 10}}};
        t->profile =
                (ps_profile){.span = {0, 10}, .rows = t->rows, .n_rows = 2, .bins = t->bins, .n_bins = 2};
        for (int state = 0; state < PS_STATE_COUNT; state++)
                t->profile.concurrency[state] = t->time[state];
        if (focus)
                t->profile.span = (ps_span){focus->span->begin, focus->span->end};
        ps_levels levels = {.out = &t->profile, .queue = queue};
        ps_states states;
        assert_int_equal(ps_states_begin(&states, &t->profile, &timing, &levels, &err), PS_OK);
        for (ps_time end = middle; end <= 10; end += 10 - middle) {
                assert_int_equal(ps_changes_open(&changes, end), 0);
                for (unsigned i = 0; i < 5; i++)
                        if (end == middle || traffic[i].is_sent)
                                add(&changes, i);
                assert_int_equal(ps_changes_sort(&changes), 0);
                ps_states_go(&states, &changes);
        }
        ps_states_end(&states);
        ps_levels_end(&levels, 10, 2);
        ps_states_free(&states);
        ps_changes_free(&changes);
}

static void expect_bin(const ps_profile_bin *bin, double messages, double bytes, uint64_t most,
                       uint64_t most_bytes)
{
        assert_true(bin->messages == messages && bin->bytes == bytes);
        assert_int_equal(bin->most_messages, most);
        assert_int_equal(bin->most_bytes, most_bytes);
}

static void expect_peak(ps_peak peak, uint64_t value, ps_time at)
{
        assert_int_equal(peak.value, value);
        assert_int_equal(peak.at, at);
}

TEST(messages_are_added_up_for_as_long_as_they_are_under_way)
{
        for (ps_time middle = 1; middle < 10; middle++) {
                told t;
                tell(&t, NULL, middle);
                /* 1 from 1 to 2, 2 to 8 and 1 to 10; 10 bytes, 30 to 4, 25 to 8 and 20 */
                expect_bin(&t.bins[0], 1 + 2 * 3, 10 + 30 * 2 + 25, 2, 30);
                expect_bin(&t.bins[1], 2 * 3 + 1 * 2, 25 * 3 + 20 * 2, 2, 25);
                expect_peak(t.profile.messages, 2, 2);
                expect_peak(t.profile.bytes, 30, 2);
                expect_peak(t.rows[1].queue, 2, 2);
                expect_peak(t.rows[1].queue_bytes, 30, 2);
                expect_peak(t.rows[0].queue, 0, 0);
        }
}

TEST(what_is_outside_of_the_focus_is_not_added_up)
{
        ps_span span = {3, 9};
        ps_focus focus = {.span = &span, .n_spans = 1, .length = 6};
        told t;
        tell(&t, &focus, 6);
        expect_bin(&t.bins[0], 2 * 2, 30 + 25, 2, 30);
        expect_bin(&t.bins[1], 2 * 3 + 1, 25 * 3 + 20, 2, 25);
        expect_peak(t.profile.messages, 2, 4); /* as the first is sent that is sent inside */
        expect_peak(t.profile.bytes, 25, 4);
}
