/* excess.h - what the causer of a wait did longer than the waiter. */
#ifndef PS_PATTERNS_CAUSES_EXCESS_H
#define PS_PATTERNS_CAUSES_EXCESS_H

#include "patterns/causes/waits.h"

/* Fills excess, waited, first, behind, is_cut and parts of all waits, d->heirs, and the direct costs. */
ps_status ps_excess_charge(struct delaying *d, ps_error *err);

#endif
