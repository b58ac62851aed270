/* test_levels.c - messages under way, and what waits for a location, over time. */
#include "core/sums/states.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"
#include <math.h>
#include <stdlib.h>

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
        assert_int_equal(ps_states_begin(&states, &t->profile, &timing, 5, &levels, &err), PS_OK);
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

enum { RUN = 2000, MESSAGES = 45, RECEIVERS = 3, BIN_ENDS = 700 };

/* Each is sent by a location of its own and received by another one; a call that sends or receives takes up
 * to 9. One that only sends may be short. */
typedef struct message {
        ps_time sent, sending, receiving, received;
        ps_loc to;
        uint64_t bytes;
} message;

static void add_send(ps_changes *c, const message *m, bool is_short)
{
        assert_int_equal(ps_changes_room(c), 0);
        ps_changes_pen pen = ps_changes_take_pen(c);
        *pen.told = (ps_told_change){.bytes = m->bytes, .to = m->to};
        if (is_short) {
                ps_changes_write_short(&pen, (ps_span){m->sent, m->sending}, pen.sends);
        } else {
                ps_changes_write(&pen, m->sent, PS_BUSY_TO_OVERHEAD + pen.sends);
                ps_changes_write(&pen, m->sending, PS_OVERHEAD_TO_BUSY);
        }
        ps_changes_put_back(c, pen);
}

static void add_receive(ps_changes *c, const message *m)
{
        assert_int_equal(ps_changes_room(c), 0);
        ps_changes_add(c, m->receiving, PS_BUSY_TO_OVERHEAD);
        c->told[c->order.n] = (ps_told_change){.bytes = m->bytes, .to = m->to, .n = 1};
        ps_changes_add(c, m->received, PS_OVERHEAD_TO_BUSY | PS_CHANGE_TOLD);
}

static message make_up_message(uint64_t *random)
{
        message m = {.sent = maker_random(random, RUN - 200), .to = (ps_loc)maker_random(random, RECEIVERS)};
        m.bytes = maker_random(random, 4) ? 1 + maker_random(random, 1000) : 0;
        m.sending = m.sent + 1 + maker_random(random, 9);
        m.receiving = m.sent + maker_random(random, 150);
        m.received = m.receiving + 1 + maker_random(random, 9);
        return m;
}

/* Of the messages to one location, or to all: RECEIVERS. */
static void expect_most(const message *m, unsigned to, ps_peak messages, ps_peak bytes)
{
        ps_peak most = {0, 0}, most_bytes = {0, 0};
        for (ps_time now = 0; now < RUN; now++) {
                uint64_t n = 0, n_bytes = 0;
                for (unsigned i = 0; i < MESSAGES; i++)
                        if ((to == RECEIVERS || m[i].to == to) && m[i].sent <= now && now < m[i].received) {
                                n++;
                                n_bytes += m[i].bytes;
                        }
                if (n > most.value)
                        most = (ps_peak){n, now};
                if (n_bytes > most_bytes.value)
                        most_bytes = (ps_peak){n_bytes, now};
        }
        expect_peak(messages, most.value, most.at);
        expect_peak(bytes, most_bytes.value, most_bytes.at);
}

static void expect_means(const message *m, const ps_profile_bin *bins)
{
        double sum[2] = {0, 0}, bytes[2] = {0, 0};
        for (unsigned i = 0; i < MESSAGES; i++)
                for (ps_time now = m[i].sent; now < m[i].received; now++) {
                        sum[now >= BIN_ENDS]++;
                        bytes[now >= BIN_ENDS] += (double)m[i].bytes;
                }
        for (unsigned bin = 0; bin < 2; bin++)
                assert_true(bins[bin].messages == sum[bin] && bins[bin].bytes == bytes[bin]);
}

static void count_messages(uint64_t *random, uint32_t n_rows)
{
        ps_profile_row rows[2 * MESSAGES] = {{.location = 0}};
        ps_profile_bin bins[] = {{.begin = 0, .end = BIN_ENDS}, {.begin = BIN_ENDS, .end = RUN}};
        ps_profile p = {.span = {0, RUN}, .rows = rows, .n_rows = n_rows, .bins = bins, .n_bins = 2};
        ps_timing timing = {.duration = RUN};
        ps_queue queue[RECEIVERS] = {{.row = 0}, {.row = 1}, {.row = 2}};
        ps_levels levels = {.out = &p, .queue = queue};
        ps_changes changes = {0};
        ps_states states;
        ps_error err = {0};
        message m[MESSAGES];
        for (int state = 0; state < PS_STATE_COUNT; state++)
                p.concurrency[state] = calloc(n_rows + (size_t)1, sizeof(ps_time));
        assert_int_equal(ps_states_begin(&states, &p, &timing, MESSAGES, &levels, &err), PS_OK);
        assert_int_equal(ps_changes_open(&changes, RUN), 0);
        for (unsigned i = 0; i < MESSAGES; i++) {
                m[i] = make_up_message(random);
                add_send(&changes, &m[i], maker_random(random, 2));
                add_receive(&changes, &m[i]);
        }
        assert_int_equal(ps_changes_sort(&changes), 0);
        ps_states_go(&states, &changes);
        ps_states_end(&states);
        ps_levels_end(&levels, RUN, RECEIVERS);
        for (unsigned to = 0; to < RECEIVERS; to++)
                expect_most(m, to, rows[to].queue, rows[to].queue_bytes);
        expect_most(m, RECEIVERS, p.messages, p.bytes);
        expect_means(m, bins);
        for (int state = 0; state < PS_STATE_COUNT; state++)
                free(p.concurrency[state]);
        ps_states_free(&states);
        ps_changes_free(&changes);
}

TEST(messages_are_counted_as_moment_by_moment)
{
        uint64_t random = 815;
        for (unsigned i = 0; i < 50; i++) {
                count_messages(&random, 2 * MESSAGES);
                count_messages(&random, 4 * MESSAGES); /* too many locations for one sum of all states */
        }
}

/* A thousand messages are under way for a hundredth of all time there is, in one bin: times and messages have
 * no room in 64 bits, but where it is stopped between. */
TEST(many_messages_are_under_way_for_long)
{
        enum { MANY = 1000 };
        const ps_time end = PS_TIME_MAX / 100;
        ps_time time[PS_STATE_COUNT][2] = {{0}};
        ps_profile_bin bin = {.begin = 0, .end = end};
        ps_profile_row row = {0};
        ps_profile p = {.span = {0, end}, .rows = &row, .n_rows = 1, .bins = &bin, .n_bins = 1};
        ps_timing timing = {.duration = end};
        ps_queue queue = {.row = 0};
        ps_levels levels = {.out = &p, .queue = &queue};
        ps_states states;
        ps_error err = {0};
        for (int is = 0; is < PS_STATE_COUNT; is++)
                p.concurrency[is] = time[is];
        assert_int_equal(ps_states_begin(&states, &p, &timing, MANY, &levels, &err), PS_OK);
        ps_states_pass(&states);
        for (unsigned i = 0; i < MANY; i++)
                ps_levels_rise(&levels, 0, 1, 0, true);
        ps_states_end(&states);
        ps_states_free(&states);
        assert_true(fabs(bin.messages / ((double)MANY * (double)end) - 1) < 1e-9);
        assert_int_equal(p.messages.value, MANY);
}
