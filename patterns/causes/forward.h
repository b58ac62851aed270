/* forward.h - who waits because of the largest causes.
 *
 * So far costs went backward, from the waits to those who caused them. Those with the largest costs now go
 * forward once more. */
#ifndef PS_PATTERNS_CAUSES_FORWARD_H
#define PS_PATTERNS_CAUSES_FORWARD_H

#include "patterns/causes/waits.h"

/* Tells it of the first PS_CAUSES_TOLD rows. */
ps_status ps_forward_tell(ps_causes *out, struct delaying *d, const ps_analysis *analysis, ps_error *err);

/* So many asks, or more: then what was passed on is kept to the end. Since no wait asks more than three
 * times, that takes less than two bytes a wait. */
enum { MANY_ASKS = UINT8_MAX };

static inline void count_ask(uint8_t *asks)
{
        *asks = (uint8_t)(*asks + (*asks != MANY_ASKS));
}

/* Of one that inherits, how often is read later what the location of its causer has passed on with a wait. It
 * is kept only where the range begins and ends. `own` and `base`: where the waits of that location begin, and
 * what its numbers of them are less. */
static inline void count_asks_of(uint8_t *asks, const struct waiting *w, uint32_t own, uint32_t base)
{
        const uint32_t first = base + w->first;
        count_ask(&asks[base + w->behind - 1]);
        if (first > own)
                count_ask(&asks[first - 1]);
        if (w->is_cut)
                count_ask(&asks[first]);
}

/* Where a wait belongs: a finding of its location has the same. */
static inline uint32_t place_key(uint32_t pattern, ps_path path)
{
        return path * PS_MAX_PATTERNS + pattern;
}

/* Those of a wait's parts, the largest of which comes first, that belong to causes that go forward. `row`: by
 * cost of the causer, number of its cause + 1, or 0. */
__attribute__((always_inline)) static inline void
add_direct(const struct part *const largest, const uint8_t *row, ps_time excess, ps_time direct,
           void (*add)(void *to, uint32_t cause, ps_time time), void *to)
{
        const struct part *part = largest;
        const bool is_whole = direct == excess;
        if (!excess)
                return;
        ps_time left = is_whole ? largest->time : direct;
        const uint32_t of_largest = row[largest->cost];
        while (!part->is_last) {
                part++;
                const uint32_t cause = row[part->cost];
                if (!cause && (is_whole || !of_largest))
                        continue;
                const ps_time time = is_whole ? part->time : share_of(direct, part->time, excess);
                left -= is_whole ? 0 : time;
                if (cause)
                        add(to, cause - 1, time);
        }
        if (of_largest)
                add(to, of_largest - 1, left);
}

#endif
