/* opening.h - where two locations last waited for each other. */
#ifndef PS_PATTERNS_CAUSES_OPENING_H
#define PS_PATTERNS_CAUSES_OPENING_H

#include "patterns/causes/waits.h"

/* Fills d->ended and d->ending, and of each wait `mine`, `his`, `first` and `behind`: the waits of the one
 * who ended it from his opening on. */
ps_status ps_openings_find(struct delaying *d, ps_error *err);

/* `via` of an opening that is the begin of a thread's part of a team, or none. */
#define NO_WAIT PS_NONE

#endif
