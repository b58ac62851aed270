/* offset.h - one constant offset for the clock of each process. */
#ifndef PS_CORE_CLOCK_OFFSET_H
#define PS_CORE_CLOCK_OFFSET_H

#include "core/clock/flow.h"

/* Estimates the offsets from all flows, adds them to all times, shifts all so that the first event is at 0,
 * and fills offset, width, uncertainty, infeasible and repaired of trace->clock. Nothing is changed when
 * there are no offsets that leave less than `hopeless` of a contradiction. `gently`: the smallest part of
 * those offsets that removes the contradictions; the widths then are the moves themselves. *fits: they are
 * added, and no message contradicts them, for certain. */
ps_status ps_clock_offset(ps_trace *trace, ps_flows *flows, ps_time hopeless, int gently, bool *fits,
                          ps_error *err);

#endif
