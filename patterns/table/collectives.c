/* collectives.c - collective operations: who waits for the last, for the root, for a predecessor.
 *
 * The times are those of the records inside the call, so that what the recorder itself takes is not charged
 * to the library. Nobody waits longer than until the own end. */
#include "patterns/table/families.h"

/* Everybody waits for the last to come, */
PS_COLLECTIVE_FORMULA(wait_for_all, own.takes_part, earlier(all.latest_begin, own.end) - own.begin);
/* and then all could leave as soon as the first does. */
PS_COLLECTIVE_FORMULA(completion, own.takes_part,
                      own.end - later(all.earliest_end, earlier(all.latest_begin, own.end)));
PS_COLLECTIVE_FORMULA(wait_for_root, !own.is_root && own.receives,
                      earlier(all.root_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(wait_for_senders, own.is_root, earlier(all.latest_sender_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(wait_for_predecessors, own.receives,
                      earlier(all.latest_predecessor_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(wait_for_needed, own.takes_part, earlier(all.needed_begin, own.end) - own.begin);

PS_COLLECTIVE_FORMULA(wait_for_neighbours, own.receives, earlier(all.needed_begin, own.end) - own.begin);

#define K(k) PS_COLLECTIVE_KIND(k)

#define N_TO_N                                                                                               \
        (K(ALLGATHER) | K(ALLGATHERV) | K(ALLTOALL) | K(ALLREDUCE) | K(REDUCE_SCATTER) |                     \
         K(REDUCE_SCATTER_BLOCK))
#define ONE_TO_N (K(BCAST) | K(SCATTER) | K(SCATTERV))
#define N_TO_ONE (K(REDUCE) | K(GATHER) | K(GATHERV))
#define PREFIX   (K(SCAN) | K(EXSCAN))

#define BOTH    (PS_BY_PATSCAN | PS_BY_SCALASCA)
#define BALANCE "Balance the work before the operation: the last one to come sets the time of all."

static const ps_pattern rows[] = {
#include "patterns/table/collectives.def"
};

const ps_family ps_family_collectives = {rows, sizeof(rows) / sizeof(rows[0])};
