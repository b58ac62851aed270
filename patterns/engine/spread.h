/* spread.h - the walk of several processes, each over the locations that it has (core/load/share.h). */
#ifndef PS_PATTERNS_ENGINE_SPREAD_H
#define PS_PATTERNS_ENGINE_SPREAD_H

#include "patterns/engine/walk.h"

/* By process 0, when all is prepared: who walk with it, or NULL: it walks alone. */
ps_exchange *ps_spread_walk_to(const struct engine *e);
/* ps_walk_all() of all: afterwards the engine knows what each of the others has found, too. */
ps_status ps_spread_walk(struct engine *e, ps_error *err);

#endif
