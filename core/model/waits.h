/* waits.h - until when an operation waits for others, by the rules that the patterns of waiting follow. */
#ifndef PS_CORE_MODEL_WAITS_H
#define PS_CORE_MODEL_WAITS_H

#include "core/model/trace.h"

typedef struct ps_waits {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_time *ready; /* by member of a collective: when all that it needs have entered */
} ps_waits;

ps_status ps_waits_make(ps_waits *out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_waits_free(ps_waits *waits);

/* What is received with it: messages that are sent before it ends. */
typedef struct ps_received {
        uint32_t n;
        uint64_t bytes;
} ps_received;

/* It waits from its begin to this time: its begin if it does not, its end at most. What another thread's
 * operation completes is not received with that. */
ps_time ps_waits_end(const ps_waits *waits, ps_ref ref, ps_received *received);

#endif
