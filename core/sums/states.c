/* states.c - see states.h.
 *
 * A change is a few additions: for how long the count was k is added up from one change to the next one, and
 * the sum of a count over a bin is, beginning and end aside, that of the times at which it fell less those at
 * which it rose. A call of which nothing else comes between begin and end is looked at once. What such sums
 * are in between does not matter, since unsigned numbers come round, as long as what they are in the end has
 * room in 64 bits: stops that are near enough see to that. */
#include "core/sums/states.h"

#include "core/base/heap.h"

#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

static inline bool is_over_earlier(const ps_state_open *a, const ps_state_open *b)
{
        return a->until < b->until;
}

PS_HEAP(open, ps_state_open, is_over_earlier)

enum {
        NO_CHANGE,
        BUSY_TO_OVERHEAD,
        BUSY_TO_IDLE,
        OVERHEAD_TO_BUSY,
        OVERHEAD_TO_IDLE,
        IDLE_TO_BUSY,
        IDLE_TO_OVERHEAD
};

const uint8_t ps_state_changes[PS_STATE_COUNT][PS_STATE_COUNT] = {
        {NO_CHANGE, BUSY_TO_OVERHEAD, BUSY_TO_IDLE},
        {OVERHEAD_TO_BUSY, NO_CHANGE, OVERHEAD_TO_IDLE},
        {IDLE_TO_BUSY, IDLE_TO_OVERHEAD, NO_CHANGE}};

/* By change: what it adds to the count of each state. */
static const int8_t steps[PS_STATE_CHANGES][PS_STATE_COUNT] = {{0, 0, 0},  {-1, 1, 0}, {-1, 0, 1}, {1, -1, 0},
                                                               {0, -1, 1}, {1, 0, -1}, {0, 1, -1}};

ps_status ps_states_begin(ps_states *s, ps_profile *profile, const ps_timing *timing, ps_levels *levels,
                          ps_error *err)
{
        *s = (ps_states){.out = profile, .levels = levels, .count[PS_STATE_BUSY] = profile->n_rows};
        ps_stops_begin(&s->stops, profile, timing);
        s->stops.most = PS_TIME_MAX / ((ps_time)profile->n_rows + 1);
        s->aside = ps_memory_zeroed(profile->n_rows + (size_t)1, sizeof(*s->aside));
        return s->aside ? PS_OK : PS_NOMEM(err, "locations", profile->n_rows);
}

void ps_states_free(ps_states *states)
{
        free(states->aside);
        free(states->open);
}

/* For how long the count of a state was what it is now. */
static ps_time *time_of(const ps_states *s, ps_state state)
{
        return (s->stops.is_inside ? s->out->concurrency[state] : s->aside) + s->count[state];
}

/* What began at the last stop is over. */
static void hold(ps_states *s, ps_time now)
{
        ps_time length = now - s->since;
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                uint64_t sum = s->count[state] * (uint64_t)now - s->begun[state];
                for (unsigned change = 1; change < PS_STATE_CHANGES; change++)
                        sum -= (uint64_t)steps[change][state] * s->moved[change];
                *time_of(s, state) += length;
                if (s->stops.is_inside)
                        s->stops.bin->state[state] += (double)sum;
        }
        s->since = now;
}

static void pass_stop(ps_states *s)
{
        ps_time now = s->stops.next;

        hold(s, now);
        ps_levels_hold(s->levels, now);
        ps_stops_pass(&s->stops);
        for (unsigned change = 0; change < PS_STATE_CHANGES; change++)
                s->moved[change] = 0;
        for (unsigned state = 0; state < PS_STATE_COUNT; state++)
                s->begun[state] = s->count[state] * (uint64_t)now;
        ps_levels_begin(s->levels, now, s->stops.is_inside ? s->stops.bin : NULL);
}

/* Up to a stop. It stands in registers: nobody gets its address. */
typedef struct counting {
        ps_time *busy, *overhead, *idle; /* see time_of */
        uint64_t since;                  /* up to then all is told */
        uint64_t first;                  /* of what is open */
} counting;

/* What happens in one moment has another order than in its location: a call that begins and ends then comes
 * behind another one that begins, if it sends. So the counts are wrong until the moment is over, and may be
 * of fewer locations than none. */
INLINE void change(ps_states *s, counting *k, unsigned what, uint64_t now)
{
        ps_time length = (ps_time)(now - k->since);
        if (length) {
                *k->busy += length;
                *k->overhead += length;
                *k->idle += length;
        }
        k->busy += steps[what][PS_STATE_BUSY];
        k->overhead += steps[what][PS_STATE_OVERHEAD];
        k->idle += steps[what][PS_STATE_IDLE];
        s->moved[what] += now;
        k->since = now;
}

INLINE void end_call(ps_states *s, counting *k, const ps_told_change *call, uint64_t now)
{
        change(s, k, OVERHEAD_TO_BUSY, now);
        if (call->n)
                ps_levels_receive(s->levels, call, (ps_time)now);
}

/* What is over up to now. */
INLINE void close_until(ps_states *s, counting *k, const ps_told_change *told, uint64_t now)
{
        while (k->first <= now) {
                ps_state_open first = *s->open;
                if (first.waits) {
                        change(s, k, IDLE_TO_OVERHEAD, first.until);
                        first = (ps_state_open){(uint64_t)told[first.told].done, first.told, false};
                } else {
                        end_call(s, k, &told[first.told], first.until);
                        first = s->open[--s->n_open];
                }
                open_sink(s->open, s->n_open, 0, first);
                k->first = s->n_open ? s->open->until : UINT64_MAX;
        }
}

/* False: there is no memory. Then the call ends at once, so that all locations are in one state still. */
static bool leave_open(ps_states *s, counting *k, ps_state_open call)
{
        if (PS_ROOM(s->open, s->n_open, s->cap_open)) {
                s->lacks_memory = true;
                return false;
        }
        open_rise(s->open, s->n_open++, call);
        k->first = s->open->until;
        return true;
}

/* Up to `limit` nothing else changes. */
INLINE void begin_call(ps_states *s, counting *k, const ps_told_change *call, uint32_t told, uint64_t now,
                       uint64_t limit)
{
        uint64_t ready = (uint64_t)call->ready, done = (uint64_t)call->done;

        if (ready > now) {
                change(s, k, BUSY_TO_IDLE, now);
                if (ready > limit && leave_open(s, k, (ps_state_open){ready, told, true}))
                        return;
                change(s, k, IDLE_TO_OVERHEAD, ready);
        } else {
                change(s, k, BUSY_TO_OVERHEAD, now);
        }
        if (done <= limit || !leave_open(s, k, (ps_state_open){done, told, false}))
                end_call(s, k, call, done);
}

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
        return a < b ? a : b;
}

/* Of changes `i` up to before `end`, which come before the stop. */
static counting go_on(ps_states *s, counting k, const ps_changes *c, uint32_t i, uint32_t end, uint64_t stop)
{
        const uint64_t *row = c->order.row, begin = (uint64_t)c->window.begin, sent = c->sent;
        const ps_told_change *all = c->told;
        const unsigned bits = c->bits;

        for (uint64_t next = begin + (row[i] >> bits); i < end;) {
                uint64_t number = row[i], now = next;
                unsigned what = number & ((1U << PS_CHANGE_STATE_BITS) - 1);
                uint32_t at = (uint32_t)((number & (sent - 1)) >> PS_CHANGE_STATE_BITS);
                const ps_told_change *told = &all[at];
                next = begin + (row[++i] >> bits);
                close_until(s, &k, all, now);
                if (number & sent)
                        ps_levels_send(s->levels, told, (ps_time)now);
                if (what == PS_STATE_CALL) {
                        begin_call(s, &k, told, at, now, earlier(earlier(stop, next), k.first));
                        continue;
                }
                change(s, &k, what, now);
                if (told->n)
                        ps_levels_receive(s->levels, told, (ps_time)now);
        }
        close_until(s, &k, all, stop);
        return k;
}

static void go_to(ps_states *s, const ps_changes *c, uint32_t i, uint32_t end, ps_time stop)
{
        counting was = {time_of(s, PS_STATE_BUSY), time_of(s, PS_STATE_OVERHEAD), time_of(s, PS_STATE_IDLE),
                        (uint64_t)s->since, s->n_open ? s->open->until : UINT64_MAX};
        counting is = go_on(s, was, c, i, end, (uint64_t)stop);
        s->count[PS_STATE_BUSY] += (uint64_t)(is.busy - was.busy);
        s->count[PS_STATE_OVERHEAD] += (uint64_t)(is.overhead - was.overhead);
        s->count[PS_STATE_IDLE] += (uint64_t)(is.idle - was.idle);
        s->since = (ps_time)is.since;
}

/* How many changes come before a stop: what ends then does. */
static uint32_t before(const ps_changes *c, uint32_t i, ps_time stop)
{
        uint32_t end = c->order.n;
        if (stop >= c->window.end)
                return end;
        if (stop < c->window.begin)
                return i;
        uint64_t number = (uint64_t)(stop - c->window.begin) << 1 | 1;
        PS_BISECT(i, end, at, c->order.row[at] >> (c->bits - 1) < number);
        return i;
}

int ps_states_go(ps_states *s, const ps_changes *c)
{
        for (uint32_t i = 0; !s->lacks_memory;) {
                uint32_t end = before(c, i, s->stops.next);
                go_to(s, c, i, end, ps_time_earlier(s->stops.next, c->window.end));
                i = end;
                if (i == c->order.n && !s->n_open)
                        return 0;
                pass_stop(s);
        }
        return -1;
}

void ps_states_end(ps_states *s)
{
        ps_time end = s->stops.run.end;
        while (s->stops.next < end)
                pass_stop(s);
        hold(s, end);
        ps_levels_hold(s->levels, end);
}
