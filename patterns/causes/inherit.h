/* inherit.h - what waits pass on to those that they inherit from. */
#ifndef PS_PATTERNS_CAUSES_INHERIT_H
#define PS_PATTERNS_CAUSES_INHERIT_H

#include "patterns/causes/waits.h"

/* turns.c: puts all waits in an order in which each comes after its heirs, d->order; fills the sums of what
 * is inherited, and the indirect costs. Heirs for which there is no such order,
 * because clocks contradict each other, inherit nothing: their ranges become empty. */
ps_status ps_turns_take(struct delaying *d, ps_error *err);
/* inherit.c, after that: the sums of what the waits of each location are by themselves; of locations whose
 * rows are here. */
ps_status ps_inherit_add_up(struct delaying *d, ps_error *err);

#endif
