/* together.h - calls that end as another process's call begins, and what they tell of the clocks.
 *
 * What must have begun before something else ended confines the clocks to intervals, which are wide where
 * messages go in one direction only. But a library lets all members of a barrier go when the last one comes,
 * and a receive that had to wait for its message ends when that arrives: there the clocks may be compared. */
#ifndef PS_CORE_CLOCK_TOGETHER_H
#define PS_CORE_CLOCK_TOGETHER_H

#include "core/base/arena.h"
#include "core/clock/flow.h"

/* `offset`, by process, is what to begin with; then the estimate, where there are such calls. *error, in the
 * arena, becomes a matrix: [a * n + b] is how far the estimate of the difference between a and b may well be
 * wrong, PS_TIME_MAX where there is none; or stays NULL, where that takes too long or there is none at all.
 */
ps_status ps_together_estimate(ps_time *offset, const ps_time **error, ps_flows *flows, ps_arena *arena,
                               ps_error *err);

#endif
