/* between.h - what locations compute outside of all regions, by the calls around it, where several processes
 * may have rows. */
#ifndef PS_CORE_LOAD_BETWEEN_H
#define PS_CORE_LOAD_BETWEEN_H

#include "core/sums/functions.h"

/* To be cleared, also after a failure. By process 0: with all who have rows at these times. */
ps_status ps_between_find(ps_between *out, const ps_trace *trace, const ps_timing *timing, ps_error *err);

/* What the others do then. */
void ps_between_apart(const ps_trace *near, unsigned n_threads, uint8_t *asked, size_t n);

#endif
