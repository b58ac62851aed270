/* forward.h - who waits because of the largest causes.
 *
 * So far costs went backward, from the waits to those who caused them. Those with the largest costs now go
 * forward once more. */
#ifndef PS_PATTERNS_CAUSES_FORWARD_H
#define PS_PATTERNS_CAUSES_FORWARD_H

#include "patterns/causes/waits.h"

/* Tells it of the first PS_CAUSES_TOLD rows. */
ps_status ps_forward_tell(ps_causes *out, const struct delaying *d, const ps_analysis *analysis,
                          ps_error *err);

#endif
