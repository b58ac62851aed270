/* excess.h - what the causer of a wait did longer than the waiter. */
#ifndef PS_PATTERNS_CAUSES_EXCESS_H
#define PS_PATTERNS_CAUSES_EXCESS_H

#include "patterns/causes/waits.h"

/* Fills excess, waited, first, behind, is_cut and parts of all waits, and the direct costs. */
ps_status ps_excess_charge(struct delaying *d, ps_error *err);
/* Of what heirs passed on to a wait, the part that its excess is charged with. */
void ps_excess_charge_inherited(struct delaying *d, const struct waiting *w, ps_time passed);
/* When all is charged. */
ps_status ps_excess_order_costs(struct delaying *d, ps_error *err);

#endif
