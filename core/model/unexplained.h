/* unexplained.h - time in calls that the trace does not explain: whom they waited for, or whether, is not in
 * it. Recorders leave out calls that they do not know, and the completions of some that they do. */
#ifndef PS_CORE_MODEL_UNEXPLAINED_H
#define PS_CORE_MODEL_UNEXPLAINED_H

#include "core/model/trace.h"

typedef enum ps_why {
#define PS_WHY(id, key, text) PS_WHY_##id,
#include "core/model/unexplained.def"
#undef PS_WHY
        PS_N_WHYS,
        PS_WHY_NOT = PS_N_WHYS /* it is explained */
} ps_why;

typedef struct ps_why_info {
        const char *key, *text;
} ps_why_info;

extern const ps_why_info ps_whys[PS_N_WHYS];

/* Why the trace does not explain the call that begins with this row. Only calls that may wait are asked
 * about, and none of a PGAS program: those need no records. */
ps_why ps_op_why(const ps_trace *trace, ps_ref call);

/* How much of the time of the call that begins with this row is unexplained; at most the call's own. */
ps_time ps_op_unexplained(const ps_trace *trace, const ps_timing *timing, ps_ref call);

#endif
