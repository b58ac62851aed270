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
        {.id = "barrier-wait",
         .title = "Wait at a barrier",
         .summary = "Those who come early wait for the last one.",
         .advice = BALANCE " Or remove the barrier, if nothing depends on it.",
         .source = "Scalasca 2.6: mpi_barrier_wait",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(BARRIER),
         .formula = &wait_for_all},
        {.id = "barrier-completion",
         .is_work = 1,
         .title = "Barrier completion",
         .summary = "All have come, the first has left, and others are still in the barrier.",
         .advice = "This is the library or the machine: look for other work on the node, at the progress of "
                   "the "
                   "library and at the barrier's algorithm.",
         .source = "Scalasca 2.6: mpi_barrier_completion",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(BARRIER),
         .formula = &completion},
        {.id = "nxn-wait",
         .title = "Wait in an N-to-N operation",
         .summary = "Everybody needs everybody's data, so all wait for the last one to come.",
         .advice = BALANCE " Or use the nonblocking form and do other work before its Wait.",
         .source = "Scalasca 2.6: mpi_wait_nxn",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = N_TO_N,
         .further_kinds = K(ALLTOALLV) | K(ALLTOALLW),
         .formula = &wait_for_all},
        {.id = "nxn-completion",
         .is_work = 1,
         .title = "N-to-N completion",
         .summary = "All have come, the first has left, and others are still in the operation.",
         .advice = "This is the transfer, the library or the machine: compare with the time that the sizes "
                   "justify.",
         .source = "Scalasca 2.6: mpi_nxn_completion",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = N_TO_N,
         .formula = &completion},
        {.id = "late-broadcast",
         .title = "Late broadcast",
         .summary = "Receivers wait for a root that comes late.",
         .advice = "Let the root begin earlier, or give it less to do before the operation.",
         .source = "Scalasca 2.6: mpi_latebroadcast",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = ONE_TO_N,
         .formula = &wait_for_root},
        {.id = "early-reduce",
         .title = "Early reduce",
         .summary = "The root waits for the last of those who have data for it.",
         .advice = BALANCE " Or let another process be the root.",
         .source = "Scalasca 2.6: mpi_earlyreduce",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = N_TO_ONE,
         .formula = &wait_for_senders},
        {.id = "early-scan",
         .title = "Early scan",
         .summary = "A process waits for those of smaller rank whose data it needs.",
         .advice = "Let processes of small rank come first, or balance the work before the operation.",
         .source = "Scalasca 2.6: mpi_earlyscan",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = PREFIX,
         .formula = &wait_for_predecessors},
        {.id = "nonblocking-collective-wait",
         .title = "Wait for a nonblocking collective",
         .summary = "The Wait of a nonblocking collective operation begins before those whose data it needs "
                    "have begun theirs, or ends only as one of them, which was busy elsewhere, comes back to "
                    "complete it.",
         .advice = "Move the Wait later, behind other work, let the late processes begin the operation "
                   "earlier, or let those that are busy call the library now and then.",
         .source = "patscan",
         .subject = PS_ON_NONBLOCKING,
         .definitions = PS_BY_PATSCAN,
         .formula = &wait_for_needed},
        {.id = "finalize-wait",
         .title = "Wait at the end",
         .summary = "Those who come early to Finalize wait for the last one.",
         .advice = "Balance the work at the end of the program.",
         .source = "Scalasca 2.6: mpi_finalize_wait",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(FINALIZE),
         .formula = &wait_for_all},
        {.id = "init-completion",
         .is_work = 1,
         .title = "Init completion",
         .summary = "All processes have come to Init, the first has left, and others are still in it.",
         .advice = "The cost of starting the library; it does not grow with the run.",
         .source = "Scalasca 2.6: mpi_init_completion",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(INIT),
         .formula = &completion},
};

const ps_family ps_family_collectives = {rows, sizeof(rows) / sizeof(rows[0])};
