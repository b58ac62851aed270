/* cells.h - the time of a location in pieces, as its operations and waits cut it. */
#ifndef PS_PATTERNS_CAUSES_CELLS_H
#define PS_PATTERNS_CAUSES_CELLS_H

#include "patterns/causes/own.h"

/* A gap of which the first part belongs to a wait of the call around it. */
struct cut {
        ps_op gap;
        ps_time time;
};

/* -- cells: the gap before operation k is cell 2k, the operation is cell 2k + 1 -- */

static inline ps_time op_end(const struct timeline *l, ps_op op)
{
        return op + 1 < l->ops->n ? later(l->enter[op], earlier(l->leave[op], l->enter[op + 1]))
                                  : l->leave[op];
}

static inline ps_time gap_begin(const struct timeline *l, ps_op gap)
{
        return gap ? op_end(l, gap - 1) : l->first;
}

static inline ps_time gap_end(const struct timeline *l, ps_op gap)
{
        return gap < l->ops->n ? l->enter[gap] : later(l->last, gap_begin(l, gap));
}

/* -- waits -- */

static inline ps_time waits_between(const struct delaying *d, ps_time begin, ps_time end, uint32_t *next,
                                    uint32_t behind)
{
        ps_time sum = 0;
        while (*next < behind && d->wait[*next].end <= begin)
                ++*next;
        for (uint32_t i = *next; i < behind && begin_of(&d->wait[i]) < end; i++)
                sum += earlier(end, d->wait[i].end) - later(begin, begin_of(&d->wait[i]));
        return earlier(sum, end - begin);
}

/* How much of the time from `begin` to `end` the location waits: mostly not at all. The search starts at wait
 * number *next, which moves on to the first one that ends after `begin`. */
static inline ps_time waited_in(const struct delaying *d, const struct timeline *l, ps_time begin,
                                ps_time end, uint32_t *next)
{
        uint32_t behind = l->wait + l->n_waits;
        return *next < behind && begin_of(&d->wait[*next]) < end ? waits_between(d, begin, end, next, behind)
                                                                 : 0;
}

#endif
