/* states.c - see states.h.
 *
 * A change is a few additions. For how long the count was k is the sum of the times at which it ceased to be
 * k less those at which it became k - of few locations in one number for all three states, since the counts
 * add up - and the sum of a count over a bin is that of the times at which it fell less those at which it
 * rose, beginning and end aside. What such sums are in between does not matter, since unsigned numbers come
 * round, as long as what they are in the end has room in 64 bits: stops that are near enough see to that. */
#include "core/sums/states.h"

#include "core/order/newer.h"

#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

const uint8_t ps_state_changes[PS_STATE_COUNT][PS_STATE_COUNT] = {
        {PS_STATE_STAYS, PS_BUSY_TO_OVERHEAD, PS_BUSY_TO_IDLE},
        {PS_OVERHEAD_TO_BUSY, PS_STATE_STAYS, PS_OVERHEAD_TO_IDLE},
        {PS_IDLE_TO_BUSY, PS_IDLE_TO_OVERHEAD, PS_STATE_STAYS}};

/* By change: what it adds to the count of each state. */
static const ptrdiff_t steps[PS_STATE_CHANGES][PS_STATE_COUNT] = {
        [PS_BUSY_TO_OVERHEAD] = {-1, 1, 0}, [PS_BUSY_TO_IDLE] = {-1, 0, 1},
        [PS_OVERHEAD_TO_BUSY] = {1, -1, 0}, [PS_OVERHEAD_TO_IDLE] = {0, -1, 1},
        [PS_IDLE_TO_BUSY] = {1, 0, -1},     [PS_IDLE_TO_OVERHEAD] = {0, 1, -1}};

enum { FEW = 100 };

/* How far apart stops may be where there are so many of something. Of more there is no memory, whatever a
 * kept load says. */
static ps_time farthest(uint64_t n)
{
        static const uint64_t most = UINT64_C(1) << 40;
        return PS_TIME_MAX / (ps_time)((n < most ? n : most) + 1);
}

ps_status ps_states_begin(ps_states *s, ps_profile *profile, const ps_timing *timing, uint64_t n_messages,
                          ps_levels *levels, ps_error *err)
{
        *s = (ps_states){.out = profile, .levels = levels, .count[PS_STATE_BUSY] = profile->n_rows};
        ps_stops_begin(&s->stops, profile, timing);
        s->stops.most = farthest(profile->n_rows > n_messages ? profile->n_rows : n_messages);
        s->aside = ps_memory_zeroed(profile->n_rows + (size_t)1, sizeof(*s->aside));
        const size_t n = profile->n_rows + (size_t)1;
        if (profile->n_rows <= FEW)
                s->both = ps_memory_zeroed(n * n, sizeof(*s->both));
        for (unsigned change = 0; change < PS_STATE_CHANGES; change++)
                for (unsigned state = 0; state < PS_STATE_COUNT; state++)
                        s->steps[state][change] = (ptrdiff_t)sizeof(*s->both) * steps[change][state];
        for (unsigned change = 0; change < PS_STATE_CHANGES && s->both; change++)
                s->steps[0][change] =
                        s->steps[PS_STATE_OVERHEAD][change] * (ptrdiff_t)n + s->steps[PS_STATE_IDLE][change];
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

void ps_states_pass(ps_states *s)
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

/* Where times are told while counts are what they are: see both_of, of which there is one, and time_of. */
typedef struct counting {
        uint64_t *cell[PS_STATE_COUNT];
} counting;

INLINE unsigned cells_of(bool of_few)
{
        return of_few ? 1 : PS_STATE_COUNT;
}

/* Where it goes on behind such a change. */
INLINE uint64_t *after(const ps_states *s, const counting *k, unsigned i, uint64_t what)
{
        return (uint64_t *)((char *)k->cell[i] + s->steps[i][what]);
}

/* The counts are other ones from now on; a count that is the same is told nothing in all. */
INLINE void change(ps_states *s, counting *k, uint64_t what, uint64_t now, bool of_few)
{
#pragma GCC unroll 3
        for (unsigned i = 0; i < cells_of(of_few); i++) {
                *k->cell[i] += now;
                k->cell[i] = after(s, k, i, what);
                *k->cell[i] -= now;
        }
}

INLINE void count_change(ps_states *s, counting *k, uint64_t what, uint64_t now, bool of_few)
{
        change(s, k, what, now, of_few);
        s->moved[what] += now;
}

/* How far one is in a window. */
typedef struct way {
        uint64_t *row;
        uint64_t *message; /* behind those that begin or end before that */
} way;

/* In place of what has been counted, and before what comes later. */
INLINE void put_in_order(uint64_t *row, uint64_t number)
{
        for (; row[1] < number; row++)
                row[0] = row[1];
        row[0] = number;
}

/* Nothing else happens from its begin to its end. */
INLINE void pass_short(ps_states *s, counting *k, uint64_t length, bool of_few)
{
        s->moved[PS_OVERHEAD_TO_BUSY] += length;
#pragma GCC unroll 3
        for (unsigned i = 0; i < cells_of(of_few); i++) {
                *k->cell[i] -= length;
                *after(s, k, i, PS_BUSY_TO_OVERHEAD) += length;
        }
}

/* Mostly nothing else happens from its begin to its end; else this takes its place. Returns where it goes on.
 */
INLINE uint64_t *count_short(ps_states *s, counting *k, const ps_changes *c, uint64_t *row, uint64_t limit,
                             bool of_few)
{
        const uint64_t place_bits = ps_changes_place_bits(c), now = *row >> c->bits;
        const uint64_t length = ps_change_told(c->told, *row, place_bits)->n;
        const uint64_t end = (now + length) << c->bits | (*row & place_bits) | PS_OVERHEAD_TO_BUSY;
        if (end < (row[1] < limit ? row[1] : limit)) {
                pass_short(s, k, length, of_few);
                return row + 1;
        }
        count_change(s, k, PS_BUSY_TO_OVERHEAD, now, of_few);
        put_in_order(row, end);
        return row;
}

/* All that comes before `limit`. Times count from the begin of the window. */
INLINE way go_through(ps_states *s, counting *k, const ps_changes *c, way at, uint64_t limit, bool of_few)
{
        const unsigned bits = c->bits;
        counting here = *k; /* a copy, in registers */
        for (uint64_t number; (number = *at.row) < limit;) {
                const uint64_t what = number & PS_CHANGE_STATES, now = number >> bits;
                *at.message = number;
                at.message += ps_change_is_told(number);
                if (__builtin_expect(what != PS_CHANGE_SHORT, 1)) {
                        count_change(s, &here, what, now, of_few);
                        at.row++;
                } else {
                        at.row = count_short(s, &here, c, at.row, limit, of_few);
                }
        }
        *k = here;
        return at;
}

static void count_cell(const ps_states *s, const uint64_t *both, uint64_t is[PS_STATE_COUNT])
{
        const uint64_t n = s->out->n_rows + UINT64_C(1), cell = (uint64_t)(both - (uint64_t *)s->both);
        is[PS_STATE_OVERHEAD] = cell / n;
        is[PS_STATE_IDLE] = cell % n;
        is[PS_STATE_BUSY] = n - 1 - is[PS_STATE_OVERHEAD] - is[PS_STATE_IDLE];
}

INLINE way go_on_with_few(ps_states *s, const ps_changes *c, way at, ps_span time, uint64_t limit,
                          uint64_t is[PS_STATE_COUNT])
{
        counting k = {.cell = {(uint64_t *)both_of(s)}};
        *k.cell[0] -= (uint64_t)time.begin;
        at = go_through(s, &k, c, at, limit, true);
        *k.cell[0] += (uint64_t)time.end;
        count_cell(s, k.cell[0], is);
        return at;
}

INLINE way go_on_with_many(ps_states *s, const ps_changes *c, way at, ps_span time, uint64_t limit,
                           uint64_t is[PS_STATE_COUNT])
{
        counting k;
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                k.cell[state] = (uint64_t *)time_of(s, state);
                *k.cell[state] -= (uint64_t)time.begin;
        }
        const counting first = k;
        at = go_through(s, &k, c, at, limit, false);
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                *k.cell[state] += (uint64_t)time.end;
                is[state] = s->count[state] + (uint64_t)(k.cell[state] - first.cell[state]);
        }
        return at;
}

/* As newer processors do it, and of few locations. */
#define GO_ON(target, name, go_on)                                                                           \
        target static way name(ps_states *s, const ps_changes *c, way at, ps_span time, uint64_t limit,      \
                               uint64_t is[PS_STATE_COUNT])                                                  \
        {                                                                                                    \
                return go_on(s, c, at, time, limit, is);                                                     \
        }
GO_ON(, few, go_on_with_few)
GO_ON(, many, go_on_with_many)
GO_ON(PS_NEWER, few_newer, go_on_with_few)
GO_ON(PS_NEWER, many_newer, go_on_with_many)
#undef GO_ON

static way (*const go_on[2][2])(ps_states *s, const ps_changes *c, way at, ps_span time, uint64_t limit,
                                uint64_t is[PS_STATE_COUNT]) = {{many, few}, {many_newer, few_newer}};

/* Up to a stop or the end of the window: of that moment what ends. Returns where it goes on. */
static uint64_t *go_to(ps_states *s, const ps_changes *c, uint64_t *row, ps_time until)
{
        const uint64_t begin = (uint64_t)c->window.begin;
        const ps_span time = {s->since - c->window.begin, until - c->window.begin};
        const uint64_t limit = (uint64_t)time.end << c->bits | ps_changes_begin_bit(c);
        uint64_t is[PS_STATE_COUNT];
        way at = {row, c->message};
        at = go_on[ps_newer_can()][s->both != NULL](s, c, at, time, limit, is);
        ps_levels_go(s->levels, c, c->message, at.message);
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                s->begun[state] += (is[state] - s->count[state]) * begin;
                s->count[state] = is[state];
        }
        s->since = until;
        return at.row;
}

void ps_states_go(ps_states *s, const ps_changes *c)
{
        uint64_t *row = go_to(s, c, c->order.row + 1, ps_time_earlier(s->stops.next, c->window.end));
        while (s->stops.next < c->window.end) {
                ps_states_pass(s);
                row = go_to(s, c, row, ps_time_earlier(s->stops.next, c->window.end));
        }
}

ps_states_count ps_states_open(const ps_states *s)
{
        ps_states_count count = {.cell = (uint64_t *)both_of(s)};
        *count.cell -= (uint64_t)s->since;
        return count;
}

void ps_states_close(ps_states *s, const ps_states_count *count, ps_time now)
{
        *count->cell += (uint64_t)now;
        count_cell(s, count->cell, s->count);
        s->moved[PS_OVERHEAD_TO_BUSY] += count->in_overhead;
        s->moved[PS_IDLE_TO_BUSY] += count->idle;
        s->since = now;
}

void ps_states_end(ps_states *s)
{
        ps_time end = s->stops.run.end;
        while (s->stops.next < end)
                ps_states_pass(s);
        hold(s, end);
        tell_both(s);
        ps_levels_hold(s->levels, end);
}
