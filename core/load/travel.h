/* travel.h - all rows of a trace go to process 0, which does alone then what needs them. */
#ifndef PS_CORE_LOAD_TRAVEL_H
#define PS_CORE_LOAD_TRAVEL_H

#include "core/load/folding.h"

/* By process 0. */
ps_status ps_travel_take(struct ps_folding *f, ps_exchange *x, ps_error *err);
/* By the others, at the same time. */
ps_status ps_travel_give(const struct ps_folding *f, ps_exchange *x, ps_error *err);

#endif
