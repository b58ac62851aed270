/* handovers.h - who held a lock while another one waited for it: locks of threads, of windows, and those of
 * UPC and SHMEM. */
#ifndef PS_CORE_SUMS_HANDOVERS_H
#define PS_CORE_SUMS_HANDOVERS_H

#include "core/base/blocks.h"
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

/* The target of a lock of threads, which has none; that of a PGAS program's is PS_NONE. */
#define PS_LOCK_OF_THREADS (PS_NONE - 1)

/* A call that takes a lock or gives it back, with all that others need to know of it. */
typedef struct ps_lock_use {
        uint64_t id;
        ps_time enter, leave;
        ps_time record; /* of one that gives it back: when */
        ps_ref ref;
        uint32_t window, target; /* of threads: the process, and PS_LOCK_OF_THREADS */
        uint8_t kind;
        uint8_t is_known;  /* the trace tells which lock that is, and somebody got it */
        uint8_t is_shared; /* it is for reading */
        uint8_t takes;     /* the call may wait for the lock */
        union {
                uint32_t lock; /* which one it is, while that is needed */
                uint32_t from; /* the use that gave it back for which this one waited, or PS_NONE */
        };
} ps_lock_use;

/* Of the location, in their order. {0}: none yet. */
typedef struct ps_lock_uses {
        ps_lock_use *row; /* to be freed */
        uint32_t n, cap;
} ps_lock_uses;

/* `has_threads`: of locks of threads, too. */
ps_status ps_lock_uses_add(ps_lock_uses *to, const ps_trace *trace, const ps_timing *timing, ps_loc location,
                           bool has_threads, ps_error *err);

/* Before some of the uses from there on, each of which may lead anywhere: where these end. */
static inline const ps_lock_use *ps_lock_uses_stretch(const ps_lock_use *use, const ps_lock_use *end)
{
        enum { MOST = 16 };
        ps_blocks_keep();
        return end - use < MOST ? end : use + MOST;
}

typedef struct ps_handover {
        ps_ref at;     /* the call that waited */
        ps_ref by;     /* the one that gave the lock back */
        ps_time until; /* when that was; not after `at` was over */
} ps_handover;

typedef struct ps_handovers {
        ps_handover *row; /* one a call, in the order of these; to be freed */
        uint32_t n, cap;
} ps_handovers;

/* Finds `from` of all uses of some of the locks, in any order. */
ps_status ps_handovers_of(const ps_lock_uses *uses, ps_error *err);

/* What others did after an unlock gave the lock back it did not wait for. */
static inline ps_time ps_lock_use_latest(const ps_lock_use *take)
{
        return take->kind == PS_K_WIN_UNLOCK ? take->record : take->leave;
}

/* Of a use that waited for one. */
static inline ps_handover ps_handover_to(const ps_lock_uses *uses, const ps_lock_use *take)
{
        const ps_lock_use *give = &uses->row[take->from];
        const ps_time latest = ps_lock_use_latest(take);
        return (ps_handover){take->ref, give->ref, give->record < latest ? give->record : latest};
}

/* Of all of a trace. */
ps_status ps_handovers_find(ps_handovers *out, const ps_trace *trace, const ps_timing *timing, ps_error *err);

#endif
