/* handovers.h - who held a lock while another one waited for it: locks of threads, of windows, and those of
 * UPC and SHMEM. */
#ifndef PS_CORE_SUMS_HANDOVERS_H
#define PS_CORE_SUMS_HANDOVERS_H

#include "core/model/trace.h"

/* How many locks a location holds behind the call, of those that it held before. */
static inline uint32_t ps_locks_held(const ps_ops *ops, ps_op op, uint32_t before)
{
        uint8_t kind = ops->kind[op];
        if (ops->flags[op] & PS_OP_CANCELLED)
                return before;
        if (kind == PS_K_LOCK_ACQUIRE || kind == PS_K_WIN_LOCK)
                return before + 1;
        return before - ((kind == PS_K_LOCK_RELEASE || kind == PS_K_WIN_UNLOCK) && before);
}

typedef struct ps_handover {
        ps_ref at;     /* the call that waited */
        ps_ref by;     /* the one that gave the lock back */
        ps_time until; /* when that was; not after `at` was over */
} ps_handover;

typedef struct ps_handovers {
        ps_handover *row; /* one a call, by location, then as they were found; to be freed */
        uint32_t n, cap;
} ps_handovers;

ps_status ps_handovers_find(ps_handovers *out, const ps_trace *trace, const ps_timing *timing, ps_error *err);

#endif
