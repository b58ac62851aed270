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
/* The same where others have members of collective operations, too, as far as all or one of them are waited
 * for: without them; when the last member that is here entered and when the root did, INT64_MIN: it is not
 * here; and what follows from that of all. */
enum { PS_WAITS_LAST, PS_WAITS_ROOT, PS_WAITS_BOUNDS };
ps_status ps_waits_make_apart(ps_waits *out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_waits_bound(const ps_waits *waits, uint32_t coll, int64_t bounds[PS_WAITS_BOUNDS]);
void ps_waits_fill(ps_waits *waits, uint32_t coll, const int64_t bounds[PS_WAITS_BOUNDS]);
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
