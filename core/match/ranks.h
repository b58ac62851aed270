/* ranks.h - operations in which each member waits for those of lower ranks, where several processes have
 * members. */
#ifndef PS_CORE_MATCH_RANKS_H
#define PS_CORE_MATCH_RANKS_H

#include "core/match/agreed.h"

/* The latest of some members, and of those that are equal the one of the lowest rank; INT64_MIN: there is
 * none. */
typedef struct ps_latest {
        ps_time time;
        ps_ref ref;
} ps_latest;

typedef struct ps_ranks {
        const ps_trace *trace;
        const ps_agreed *agreed;
        ps_exchange *x;
        /* Is it one of them? All who have members of it say the same. */
        bool (*is_one)(void *ctx, uint32_t coll);
        /* Does this process tell of the member? Each is told of by one. */
        bool (*is_here)(void *ctx, uint32_t member);
        /* When others may have to wait for it; INT64_MIN: never. */
        ps_time (*when)(void *ctx, uint32_t member);
        /* What is the latest before it. */
        void (*take)(void *ctx, uint32_t member, const ps_latest *before);
        void *ctx;
} ps_ranks;

/* Takes each member that is told of here, operation after operation, in the order of ranks. Called by all of
 * ours together, who have agreed before that all is well. */
ps_status ps_ranks_visit(const ps_ranks *ranks, ps_error *err);

#endif
