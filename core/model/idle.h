/* idle.h - when a location has nothing to do although no operation of it waits: the trace says so, its thread
 * has no team, or it does not run yet or any more. */
#ifndef PS_CORE_MODEL_IDLE_H
#define PS_CORE_MODEL_IDLE_H

#include "core/model/trace.h"

/* Sorted by begin; they may overlap. The caller's to free, also after a failure. */
ps_status ps_idle_times(ps_span **out, uint32_t *n, const ps_trace *trace, const ps_timing *timing,
                        ps_loc loc, ps_error *err);

#endif
