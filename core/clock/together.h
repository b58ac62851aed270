/* together.h - calls of several processes that end at one moment, and what they tell of the clocks.
 *
 * What must have begun before something else ended confines the clocks to intervals, which are wide where
 * messages go in one direction only. But a library lets all members of a barrier go at nearly the same time,
 * and a receive that had to wait for its message ends when that arrives: there the clocks may be compared. A
 * machine with too few cores keeps some of those who are free waiting, so no single moment is trusted: the
 * offsets are those that most of them agree upon. */
#ifndef PS_CORE_CLOCK_TOGETHER_H
#define PS_CORE_CLOCK_TOGETHER_H

#include "core/clock/flow.h"

/* By process; the arrays are the caller's, for each process. */
typedef struct ps_agreement {
        ps_time *offset; /* what to begin with; then the estimate, where there are moments to tell it */
        ps_time *error;  /* how far the estimate may well be wrong; PS_TIME_MAX: there is none */
        uint32_t *group; /* processes of one group have moments with each other, if indirectly */
} ps_agreement;

ps_status ps_together_estimate(ps_agreement *out, ps_flows *flows, ps_error *err);

#endif
