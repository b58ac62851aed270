/* costs.h - what becomes of costs once each wait has its parts: no rows are asked any more. */
#ifndef PS_PATTERNS_CAUSES_COSTS_H
#define PS_PATTERNS_CAUSES_COSTS_H

#include "patterns/causes/waits.h"

/* Of what heirs passed on to a wait, the part that its excess is charged with. */
void ps_costs_add_inherited(struct delaying *d, const struct waiting *w, ps_time passed);
/* When all is charged: by location, then path. */
ps_status ps_costs_order(struct delaying *d, ps_error *err);

#endif
