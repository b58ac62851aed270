/* unexplained.h - time in calls that the trace does not explain: whom they waited for, or whether, is not in
 * it. */
#ifndef PS_CORE_MODEL_UNEXPLAINED_H
#define PS_CORE_MODEL_UNEXPLAINED_H

#include "core/model/trace.h"

/* How much of the time of the call that begins with this row is unexplained; at most the call's own. */
ps_time ps_op_unexplained(const ps_trace *trace, const ps_timing *timing, ps_ref call);

#endif
