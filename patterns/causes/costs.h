/* costs.h - what becomes of costs once each wait has its parts: no rows are asked any more. */
#ifndef PS_PATTERNS_CAUSES_COSTS_H
#define PS_PATTERNS_CAUSES_COSTS_H

#include "patterns/causes/waits.h"

/* Of what heirs passed on to a wait, the part that its excess is charged with. */
static inline void ps_costs_add_inherited(const struct delaying *d, const struct waiting *w, ps_time passed)
{
        ps_delay_cost *cost = d->out->cost + d->costs[w->by.loc];
        const struct part *const largest = d->parts[w->by.loc].row + w->part, *part = largest;
        ps_time left = passed;
        const ps_time excess = w->excess;
        if (!excess)
                return;
        while (!part->is_last) {
                part++;
                ps_time time = share_of_part(excess, passed, part, false); /* few have many parts */
                left -= time;
                cost[part->cost].indirect += time;
        }
        cost[largest->cost].indirect += left;
}

#endif
