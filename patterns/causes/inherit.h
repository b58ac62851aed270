/* inherit.h - what waits pass on to those that they inherit from. */
#ifndef PS_PATTERNS_CAUSES_INHERIT_H
#define PS_PATTERNS_CAUSES_INHERIT_H

#include "patterns/causes/waits.h"

/* All waits in an order in which each comes after its heirs, and the heirs of each where their ranges begin
 * and end. Waits are visited from a location's last to its first, so that a range begins with its last wait.
 * The ranges that begin, or end, with the same wait are a list. Numbers are + 1; 0 ends a list. */
struct heirs {
        const struct delaying *d;
        uint32_t *order;                  /* all waits */
        uint32_t *begin, *begins_as_well; /* by wait: the first heir whose range begins with it; by heir:
                                             the next one */
        uint32_t *end, *ends_as_well;     /* likewise, whose range ends with it */
};

/* Heirs for which there is no such order, because clocks contradict each other, inherit nothing: their ranges
 * become empty. */
ps_status ps_heirs_find(struct heirs *h, struct delaying *d, ps_error *err);
void ps_heirs_free(struct heirs *h);

/* Fills the sums by family and location, and the indirect costs. */
ps_status ps_inherit_all(struct delaying *d, const struct heirs *h, ps_error *err);

#endif
