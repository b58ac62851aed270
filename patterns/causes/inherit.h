/* inherit.h - what waits that delayed others inherit from them. */
#ifndef PS_PATTERNS_CAUSES_INHERIT_H
#define PS_PATTERNS_CAUSES_INHERIT_H

#include "patterns/causes/waits.h"

/* The waits in an order in which each comes behind all that inherit to it, and by wait how they hang
 * together. */
struct heirs {
        const struct delaying *d;
        uint32_t *order;                  /* all waits */
        uint32_t *begin, *begins_as_well; /* + 1: by wait, the first one whose window ends with it; the next
                                             of these */
        uint32_t *end, *ends_as_well;     /* likewise, whose window begins with it */
};

/* Waits that cannot be put into an order, because clocks contradict, inherit nothing: their windows become
 * empty. */
ps_status ps_heirs_find(struct heirs *h, struct delaying *d, ps_error *err);
void ps_heirs_free(struct heirs *h);

/* Fills the sums by family and location, and `passed` of all waits. */
ps_status ps_inherit_all(struct delaying *d, const struct heirs *h, ps_error *err);

#endif
