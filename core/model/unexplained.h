/* unexplained.h - time in calls that the trace does not explain: whom they waited for, or whether, is not in
 * it. Recorders leave out calls that they do not know, and the completions of some that they do. */
#ifndef PS_CORE_MODEL_UNEXPLAINED_H
#define PS_CORE_MODEL_UNEXPLAINED_H

#include "core/model/trace.h"

typedef enum ps_unexplained {
#define PS_UNEXPLAINED(id, key, text) PS_UNEXPLAINED_##id,
#include "core/model/unexplained.def"
#undef PS_UNEXPLAINED
        PS_N_UNEXPLAINED,
        PS_EXPLAINED = PS_N_UNEXPLAINED /* it is explained */
} ps_unexplained;

typedef struct ps_unexplained_info {
        const char *key, *text;
} ps_unexplained_info;

extern const ps_unexplained_info ps_unexplained_reasons[PS_N_UNEXPLAINED];

/* Why the trace does not explain the call that begins with this row. Only calls that may wait are asked
 * about, and none of a PGAS program: those need no records. */
ps_unexplained ps_op_unexplained_why(const ps_trace *trace, ps_ref call);

/* Does everything that has a record have its partners? */
bool ps_trace_is_whole(const ps_trace *trace);

/* How much of the time of the call that begins with this row is unexplained; at most the call's own. */
ps_time ps_op_unexplained(const ps_trace *trace, const ps_timing *timing, ps_ref call);

#endif
