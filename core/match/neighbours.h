/* neighbours.h - operations in which each member waits for its neighbours, where several processes have
 * members, and the trace tells who is whose neighbour. */
#ifndef PS_CORE_MATCH_NEIGHBOURS_H
#define PS_CORE_MATCH_NEIGHBOURS_H

#include "core/match/agreed.h"

/* What is told of a member to those who need its data. */
typedef struct ps_neighbour {
        uint32_t id, rank; /* of the operation, and its own there: not for who tells */
        uint32_t to;       /* likewise: which process of ours */
        uint32_t nothing;
        ps_ref ref;
        ps_time begin;
        ps_ref back; /* what else there is to tell; {0}, if nothing */
        ps_time came, left;
} ps_neighbour;

typedef struct ps_neighbours {
        const ps_trace *trace;
        const ps_agreed *agreed;
        ps_exchange *x;
        const uint32_t *owner; /* by process of the program: which of ours */
        void (*tell)(void *ctx, uint32_t member, ps_neighbour *out);
        /* A member that is here needs the data of another one; all of it one after the other, in the order of
         * the definitions. */
        void (*take)(void *ctx, uint32_t member, const ps_neighbour *needed);
        void *ctx;
} ps_neighbours;

/* Operation after operation, in the order of ranks. Called by all of ours together, who have agreed before
 * that all is well. */
ps_status ps_neighbours_visit(const ps_neighbours *neighbours, ps_error *err);

#endif
