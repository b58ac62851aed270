/* shift.h - small contradictions of synchronised clocks, moved away where they are. */
#ifndef PS_CORE_CLOCK_SHIFT_H
#define PS_CORE_CLOCK_SHIFT_H

#include "core/clock/flow.h"

/* Moves ends of receives and collective operations up to where they are possible, none by more than `most`.
 * *moved is the number of times (an operation's begin or end) that were changed. */
ps_status ps_clock_shift(ps_trace *trace, ps_flows *flows, ps_time most, uint64_t *moved, ps_error *err);

#endif
