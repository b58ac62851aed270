/* states.c - see states.h.
 *
 * A change is a few additions: for how long the count was k is added up from one change to the next one - of
 * few locations in one number for all three states, since the counts add up - and the sum of a count over a
 * bin is, beginning and end aside, that of the times at which it fell less those at which it rose. The
 * changes of a burst are looked at one after the other as long as nothing else changes; what is left of it
 * then waits for its turn in a heap, which mostly is empty or small. What such sums are in between does not
 * matter, since unsigned numbers come round, as long as what they are in the end has room in 64 bits: stops
 * that are near enough see to that. */
#include "core/sums/states.h"

#include "core/base/heap.h"

#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

static inline bool is_earlier(const ps_state_open *a, const ps_state_open *b)
{
        return a->number < b->number;
}

PS_HEAP(open, ps_state_open, is_earlier)

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
        free(states->open);
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

/* Up to a stop. It stands in registers: nobody gets its address. */
typedef struct counting {
        ps_time *both;                   /* see both_of; NULL: there are too many locations */
        ps_time *busy, *overhead, *idle; /* else see time_of */
        uint64_t since;                  /* up to then all is told */
        uint64_t first;                  /* of what is open, or the stop */
} counting;

/* What happens in one moment has another order than in its location. So the counts are wrong until all of it
 * that ends is over, and may be of fewer locations than none. */
INLINE void change(ps_states *s, counting *k, unsigned what, uint64_t now, bool of_few)
{
        ps_time length = (ps_time)(now - k->since);
        if (of_few) {
                if (length)
                        *k->both += length;
                k->both += s->steps[what];
        } else {
                if (length) {
                        *k->busy += length;
                        *k->overhead += length;
                        *k->idle += length;
                }
                k->busy += steps[what][PS_STATE_BUSY];
                k->overhead += steps[what][PS_STATE_OVERHEAD];
                k->idle += steps[what][PS_STATE_IDLE];
        }
        s->moved[what] += now;
        k->since = now;
}

/* The changes of a burst from this one on that come before `limit`. Returns where it goes on behind that:
 * with PS_CHANGE_NONE when it is over. */
INLINE const uint64_t *go_through(ps_states *s, counting *k, const ps_changes *c, const uint64_t *row,
                                  uint64_t limit, bool of_few)
{
        uint64_t number = *row;
        do {
                change(s, k, number & PS_CHANGE_STATES, number >> PS_CHANGE_BITS, of_few);
                if (number & (PS_CHANGE_SENDS | PS_CHANGE_RECEIVES)) {
                        ps_time now = c->window.begin + (ps_time)(number >> PS_CHANGE_BITS);
                        if (number & PS_CHANGE_SENDS)
                                ps_levels_send(s->levels, ps_change_told(row), now);
                        else
                                ps_levels_receive(s->levels, ps_change_told(row), now);
                        row += PS_CHANGE_TOLD;
                }
                number = *++row;
        } while (number < limit);
        return row;
}

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
        return a < b ? a : b;
}

/* Of what is open, what comes behind the first. */
static inline uint64_t second(const ps_states *s)
{
        uint64_t number = s->n_open > 1 ? s->open[1].number : PS_CHANGE_NONE;
        return s->n_open > 2 ? earlier(number, s->open[2].number) : number;
}

static inline uint64_t first_of(const ps_states *s, uint64_t stop)
{
        return s->n_open ? earlier(stop, s->open->number) : stop;
}

INLINE counting go_through_open(ps_states *s, counting k, const ps_changes *c, uint64_t limit, uint64_t stop,
                                bool of_few)
{
        const uint64_t *row = go_through(s, &k, c, s->open->row, earlier(limit, second(s)), of_few);
        ps_state_open what = {*row, row};
        if (what.number == PS_CHANGE_NONE)
                what = s->open[--s->n_open];
        open_sink(s->open, s->n_open, 0, what);
        k.first = first_of(s, stop);
        return k;
}

/* Without memory the burst goes on at once, so that all locations are in one state still. */
INLINE counting leave_open(ps_states *s, counting k, const ps_changes *c, const uint64_t *row, bool of_few)
{
        if (PS_ROOM(s->open, s->n_open, s->cap_open)) {
                s->lacks_memory = true;
                (void)go_through(s, &k, c, row, PS_CHANGE_NONE, of_few);
                return k;
        }
        open_rise(s->open, s->n_open++, (ps_state_open){*row, row});
        k.first = earlier(k.first, *row);
        return k;
}

/* Bursts `i` up to before `end`, which begin before the stop, and what of them comes before it. */
INLINE counting go_on(ps_states *s, counting k, const ps_changes *c, uint32_t i, uint32_t end, uint64_t stop,
                      bool of_few)
{
        const uint64_t *order = c->order.row, places = (UINT64_C(1) << c->bits) - 1;
        const uint64_t *next = &c->row[order[i] & places];

        while (i < end) {
                if (k.first < *next) {
                        k = go_through_open(s, k, c, *next, stop, of_few);
                        continue;
                }
                const uint64_t *row = next;
                next = &c->row[order[++i] & places];
                row = go_through(s, &k, c, row, earlier(*next, k.first), of_few);
                if (*row != PS_CHANGE_NONE)
                        k = leave_open(s, k, c, row, of_few);
        }
        while (k.first < stop)
                k = go_through_open(s, k, c, stop, stop, of_few);
        return k;
}

static counting go_on_with_few(ps_states *s, counting k, const ps_changes *c, uint32_t i, uint32_t end,
                               uint64_t stop)
{
        return go_on(s, k, c, i, end, stop, true);
}

static counting go_on_with_many(ps_states *s, counting k, const ps_changes *c, uint32_t i, uint32_t end,
                                uint64_t stop)
{
        return go_on(s, k, c, i, end, stop, false);
}

/* Times count from the begin of the window meanwhile. */
static void go_to(ps_states *s, const ps_changes *c, uint32_t i, uint32_t end, ps_time stop)
{
        const uint64_t begin = (uint64_t)c->window.begin, n = s->out->n_rows + UINT64_C(1);
        const uint64_t number = ((uint64_t)stop - begin) << PS_CHANGE_BITS | PS_CHANGE_SENDS;
        const uint64_t *was = s->count;
        uint64_t is[PS_STATE_COUNT];
        counting k = {.since = (uint64_t)s->since - begin, .first = first_of(s, number)};
        if (s->both) {
                k.both = both_of(s);
                k = go_on_with_few(s, k, c, i, end, number);
                is[PS_STATE_OVERHEAD] = (uint64_t)(k.both - s->both) / n;
                is[PS_STATE_IDLE] = (uint64_t)(k.both - s->both) % n;
                is[PS_STATE_BUSY] = n - 1 - is[PS_STATE_OVERHEAD] - is[PS_STATE_IDLE];
        } else {
                k.busy = time_of(s, PS_STATE_BUSY);
                k.overhead = time_of(s, PS_STATE_OVERHEAD);
                k.idle = time_of(s, PS_STATE_IDLE);
                k = go_on_with_many(s, k, c, i, end, number);
                is[PS_STATE_BUSY] = was[PS_STATE_BUSY] + (uint64_t)(k.busy - time_of(s, PS_STATE_BUSY));
                is[PS_STATE_OVERHEAD] =
                        was[PS_STATE_OVERHEAD] + (uint64_t)(k.overhead - time_of(s, PS_STATE_OVERHEAD));
                is[PS_STATE_IDLE] = was[PS_STATE_IDLE] + (uint64_t)(k.idle - time_of(s, PS_STATE_IDLE));
        }
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                s->begun[state] += (is[state] - was[state]) * begin;
                s->count[state] = is[state];
        }
        s->since = (ps_time)(k.since + begin);
}

/* How many bursts begin before a stop: what ends then does. */
static uint32_t before(const ps_changes *c, uint32_t i, ps_time stop)
{
        uint32_t end = c->order.n;
        if (stop >= c->window.end)
                return end;
        if (stop < c->window.begin)
                return i;
        uint64_t number = (uint64_t)(stop - c->window.begin) << 1 | 1;
        PS_BISECT(i, end, at, c->order.row[at] >> c->bits < number);
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
        tell_both(s);
        ps_levels_hold(s->levels, end);
}
