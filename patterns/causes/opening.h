/* opening.h - where two locations last waited for each other. */
#ifndef PS_PATTERNS_CAUSES_OPENING_H
#define PS_PATTERNS_CAUSES_OPENING_H

#include "patterns/causes/waits.h"

/* Of each wait both openings and, in `first` and `behind`, the waits of the causer from its opening on. The
 * waits that each location ended are listed. */
ps_status ps_openings_find(struct delaying *d, ps_error *err);

/* `via` of a meeting that is no wait: the begin of a thread's part of a team, or no call at all. */
#define NO_WAIT PS_NONE

#endif
