/* states.c - see states.h.
 *
 * A change is a few additions. For how long the count was k is the sum of the times at which it ceased to be
 * k less those at which it became k - of few locations in one number for all three states, since the counts
 * add up - and the sum of a count over a bin is that of the times at which it fell less those at which it
 * rose, beginning and end aside. What such sums are in between does not matter, since unsigned numbers come
 * round, as long as what they are in the end has room in 64 bits: stops that are near enough see to that. */
#include "core/sums/states.h"

#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

const uint8_t ps_state_changes[PS_STATE_COUNT][PS_STATE_COUNT] = {
        {0, PS_BUSY_TO_OVERHEAD, PS_BUSY_TO_IDLE},
        {PS_OVERHEAD_TO_BUSY, 0, PS_OVERHEAD_TO_IDLE},
        {PS_IDLE_TO_BUSY, PS_IDLE_TO_OVERHEAD, 0}};

/* By change: what it adds to the count of each state. */
static const ptrdiff_t steps[PS_STATE_CHANGES][PS_STATE_COUNT] = {
        {0, 0, 0}, {-1, 1, 0}, {-1, 0, 1}, {1, -1, 0}, {0, -1, 1}, {1, 0, -1}, {0, 1, -1}};

enum { FEW = 100 };

ps_status ps_states_begin(ps_states *s, ps_profile *profile, const ps_timing *timing, ps_levels *levels,
                          ps_error *err)
{
        *s = (ps_states){.out = profile, .levels = levels, .count[PS_STATE_BUSY] = profile->n_rows};
        ps_stops_begin(&s->stops, profile, timing);
        s->stops.most = PS_TIME_MAX / ((ps_time)profile->n_rows + 1);
        s->aside = ps_memory_zeroed(profile->n_rows + (size_t)1, sizeof(*s->aside));
        const size_t n = profile->n_rows + (size_t)1;
        if (profile->n_rows <= FEW)
                s->both = ps_memory_zeroed(n * n, sizeof(*s->both));
        for (unsigned change = 0; change < PS_STATE_CHANGES; change++)
                s->steps[change] =
                        steps[change][PS_STATE_OVERHEAD] * (ptrdiff_t)n + steps[change][PS_STATE_IDLE];
        return s->aside && (s->both || profile->n_rows > FEW) ? PS_OK
                                                              : PS_NOMEM(err, "locations", profile->n_rows);
}

void ps_states_free(ps_states *states)
{
        free(states->aside);
        free(states->both);
}

/* For how long the count of a state was what it is now. */
static ps_time *time_of(const ps_states *s, ps_state state)
{
        return (s->stops.is_inside ? s->out->concurrency[state] : s->aside) + s->count[state];
}

static ps_time *both_of(const ps_states *s)
{
        size_t n = s->out->n_rows + (size_t)1;
        return s->both + s->count[PS_STATE_OVERHEAD] * n + s->count[PS_STATE_IDLE];
}

/* Up to now all was in the focus, or nothing was. */
static void tell_both(ps_states *s)
{
        const uint32_t n = s->out->n_rows;
        ps_time *time = s->both;
        for (uint32_t overhead = 0; time && overhead <= n; overhead++)
                for (uint32_t idle = 0; idle <= n; idle++, time++) {
                        if (s->stops.is_inside && *time) {
                                s->out->concurrency[PS_STATE_BUSY][n - overhead - idle] += *time;
                                s->out->concurrency[PS_STATE_OVERHEAD][overhead] += *time;
                                s->out->concurrency[PS_STATE_IDLE][idle] += *time;
                        }
                        *time = 0;
                }
}

/* What began at the last stop is over. */
static void hold(ps_states *s, ps_time now)
{
        ps_time length = now - s->since;
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                uint64_t sum = s->count[state] * (uint64_t)now - s->begun[state];
                for (unsigned change = 1; change < PS_STATE_CHANGES; change++)
                        sum -= (uint64_t)steps[change][state] * s->moved[change];
                if (!s->both)
                        *time_of(s, state) += length;
                if (s->stops.is_inside)
                        s->stops.bin->state[state] += (double)sum;
        }
        if (s->both)
                *both_of(s) += length;
        s->since = now;
}

static void pass_stop(ps_states *s)
{
        ps_time now = s->stops.next;

        hold(s, now);
        ps_levels_hold(s->levels, now);
        ps_stops next = s->stops;
        ps_stops_pass(&next);
        if (next.is_inside != s->stops.is_inside)
                tell_both(s);
        s->stops = next;
        for (unsigned change = 0; change < PS_STATE_CHANGES; change++)
                s->moved[change] = 0;
        for (unsigned state = 0; state < PS_STATE_COUNT; state++)
                s->begun[state] = s->count[state] * (uint64_t)now;
        ps_levels_begin(s->levels, now, s->stops.is_inside ? s->stops.bin : NULL);
}

/* Where times are told while counts are what they are: see both_of and time_of. */
typedef struct counting {
        uint64_t *both;
        ptrdiff_t cell;
        uint64_t *busy, *overhead, *idle;
} counting;

/* The counts are other ones from now on. */
INLINE void change(ps_states *s, counting *k, uint64_t what, uint64_t now, bool of_few)
{
        if (of_few) {
                k->both[k->cell] += now;
                k->cell += s->steps[what];
                k->both[k->cell] -= now;
        } else {
                *k->busy += now;
                *k->overhead += now;
                *k->idle += now;
                k->busy += steps[what][PS_STATE_BUSY];
                k->overhead += steps[what][PS_STATE_OVERHEAD];
                k->idle += steps[what][PS_STATE_IDLE];
                *k->busy -= now;
                *k->overhead -= now;
                *k->idle -= now;
        }
}

/* Some begin or end. `told`: the first that is told of any. */
INLINE void tell_messages(ps_levels *levels, const ps_told_change *told, uint64_t number, uint64_t told_bits,
                          ps_time now)
{
        told += (number & told_bits) >> PS_CHANGE_BITS;
        if (number & PS_CHANGE_SENDS)
                ps_levels_send(levels, told, now);
        else
                ps_levels_receive(levels, told, now);
}

/* All that comes before `limit`. Times count from the begin of the window. Returns where it goes on. */
INLINE const uint64_t *go_through(ps_states *s, counting *k, const ps_changes *c, const uint64_t *row,
                                  uint64_t limit, bool of_few)
{
        const unsigned bits = c->bits;
        const ps_time begin = c->window.begin;
        const uint64_t told_bits = ps_changes_begin_bit(c) - 1;
        const ps_told_change *told = c->told;
        ps_levels *levels = s->levels;
        for (uint64_t number; (number = *row) < limit; row++) {
                const uint64_t now = number >> bits, what = number & PS_CHANGE_STATES;
                change(s, k, what, now, of_few);
                s->moved[what] += now;
                if (ps_change_is_told(number))
                        tell_messages(levels, told, number, told_bits, begin + (ps_time)now);
        }
        return row;
}

static const uint64_t *go_on_with_few(ps_states *s, const ps_changes *c, const uint64_t *row, ps_span time,
                                      uint64_t limit, uint64_t is[PS_STATE_COUNT])
{
        const uint64_t n = s->out->n_rows + UINT64_C(1);
        counting k = {.both = (uint64_t *)s->both, .cell = both_of(s) - s->both};
        k.both[k.cell] -= (uint64_t)time.begin;
        row = go_through(s, &k, c, row, limit, true);
        k.both[k.cell] += (uint64_t)time.end;
        const uint64_t cell = (uint64_t)k.cell;
        is[PS_STATE_OVERHEAD] = cell / n;
        is[PS_STATE_IDLE] = cell % n;
        is[PS_STATE_BUSY] = n - 1 - is[PS_STATE_OVERHEAD] - is[PS_STATE_IDLE];
        return row;
}

static const uint64_t *go_on_with_many(ps_states *s, const ps_changes *c, const uint64_t *row, ps_span time,
                                       uint64_t limit, uint64_t is[PS_STATE_COUNT])
{
        uint64_t *at[PS_STATE_COUNT];
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                at[state] = (uint64_t *)time_of(s, state);
                *at[state] -= (uint64_t)time.begin;
        }
        counting k = {
                .busy = at[PS_STATE_BUSY], .overhead = at[PS_STATE_OVERHEAD], .idle = at[PS_STATE_IDLE]};
        row = go_through(s, &k, c, row, limit, false);
        uint64_t *const to[PS_STATE_COUNT] = {k.busy, k.overhead, k.idle};
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                *to[state] += (uint64_t)time.end;
                is[state] = s->count[state] + (uint64_t)(to[state] - at[state]);
        }
        return row;
}

/* Up to a stop or the end of the window: of that moment what ends. Returns where it goes on. */
static const uint64_t *go_to(ps_states *s, const ps_changes *c, const uint64_t *row, ps_time until)
{
        const uint64_t begin = (uint64_t)c->window.begin;
        const ps_span time = {s->since - c->window.begin, until - c->window.begin};
        const uint64_t limit = (uint64_t)time.end << c->bits | ps_changes_begin_bit(c);
        uint64_t is[PS_STATE_COUNT];
        row = (s->both ? go_on_with_few : go_on_with_many)(s, c, row, time, limit, is);
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                s->begun[state] += (is[state] - s->count[state]) * begin;
                s->count[state] = is[state];
        }
        s->since = until;
        return row;
}

void ps_states_go(ps_states *s, const ps_changes *c)
{
        const uint64_t *row = go_to(s, c, c->order.row + 1, ps_time_earlier(s->stops.next, c->window.end));
        while (s->stops.next < c->window.end) {
                pass_stop(s);
                row = go_to(s, c, row, ps_time_earlier(s->stops.next, c->window.end));
        }
}

void ps_states_end(ps_states *s)
{
        ps_time end = s->stops.run.end;
        while (s->stops.next < end)
                pass_stop(s);
        hold(s, end);
        tell_both(s);
        ps_levels_hold(s->levels, end);
}
