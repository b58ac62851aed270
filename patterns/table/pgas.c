/* pgas.c - programs of a partitioned global address space: UPC, and what is the same in SHMEM and coarrays.
 *
 * How an operation synchronises is said by its modes, so that the trace proves what one of MPI only suggests.
 * Of the rows on collective operations the first that finds something is charged, because what they look at
 * overlaps, and those that are apart from it. Their order is from what is sure to what the trace cannot
 * prove. */
#include "patterns/table/families.h"

PS_COLLECTIVE_FORMULA(all_in, own.in_sync == PS_SYNC_ALL, earlier(all.latest_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(perhaps_all_in, own.in_sync == PS_SYNC_UNKNOWN,
                      earlier(all.latest_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(root_late, own.in_sync == PS_SYNC_MY && !own.is_root,
                      earlier(all.root_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(root_early, own.in_sync == PS_SYNC_MY && own.is_root,
                      earlier(all.latest_sender_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(predecessor_late, own.in_sync == PS_SYNC_MY,
                      earlier(all.latest_predecessor_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(many_in, own.in_sync == PS_SYNC_MY, earlier(all.latest_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(alone, own.in_sync == PS_SYNC_MY && own.is_root, all.alone);
/* All leave together, so that the last to come keeps those who need not have waited for it at the begin. */
PS_COLLECTIVE_FORMULA(all_out,
                      own.out_sync == PS_SYNC_ALL && own.in_sync != PS_SYNC_ALL &&
                              own.in_sync != PS_SYNC_UNKNOWN,
                      earlier(all.latest_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(all_in_and_out, own.out_sync == PS_SYNC_ALL && own.in_sync == PS_SYNC_ALL,
                      own.end - later(all.latest_begin, all.earliest_end));
PS_COLLECTIVE_FORMULA(many_out, own.out_sync == PS_SYNC_MY,
                      own.end - later(all.latest_begin, all.earliest_end));
PS_COLLECTIVE_FORMULA(last_to_come, own.takes_part, earlier(all.latest_begin, own.end) - own.begin);
PS_COLLECTIVE_FORMULA(last_to_leave, own.takes_part,
                      own.end - later(all.earliest_end, earlier(all.latest_begin, own.end)));
PS_COLLECTIVE_FORMULA(allocator_late, own.takes_part, earlier(all.needed_begin, own.end) - own.begin);

PS_CALL_FORMULA(pgas_lock_taken, call.is_pgas, earlier(call.released, call.leave) - call.enter);
PS_CALL_FORMULA(pgas_lock_whole, call.is_pgas &&call.kind == PS_K_WIN_LOCK, call.leave - call.enter);
PS_CALL_FORMULA(fence_whole, call.is_pgas, call.leave - call.enter);
PS_CALL_FORMULA(atomic_taken, call.released > call.enter, earlier(call.released, call.leave) - call.enter);
PS_CALL_FORMULA(atomic_whole, call.is_pgas, call.leave - call.enter);

#define K(k)         PS_COLLECTIVE_KIND(k)
#define MANY_TO_MANY (K(ALLGATHER) | K(ALLTOALL) | K(ALLREDUCE))
#define ONE_TO_MANY  (K(BCAST) | K(SCATTER))
#define MANY_TO_ONE  (K(GATHER) | K(REDUCE))
#define RELOCATION   (ONE_TO_MANY | MANY_TO_ONE | MANY_TO_MANY | K(PERMUTE) | K(SCAN))

#define BOTH    (PS_BY_PATSCAN | PS_BY_PAPER)
#define SECTION PS_PAPER ", section 5"
#define BALANCE "Balance the work before the operation: the last one to come sets the time of all."
#define RELAX                                                                                                \
        "Ask for no more synchronisation than the data needs: UPC_IN_MYSYNC, or UPC_IN_NOSYNC behind a "     \
        "barrier. "

static const ps_pattern rows[] = {
        {.id = "pgas-in-sync-wait",
         .title = "Synchronisation at the begin of a collective",
         .summary = "With UPC_IN_ALLSYNC everybody waits for the last one to come.",
         .advice = RELAX BALANCE,
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = RELOCATION,
         .formula = &all_in},
        {.id = "pgas-late-broadcast",
         .title = "Late broadcast of a PGAS program",
         .summary = "With UPC_IN_MYSYNC receivers wait for a root that comes late.",
         .advice = "Let the root begin earlier, or give it less to do before the operation.",
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = ONE_TO_MANY,
         .formula = &root_late},
        {.id = "pgas-late-gather",
         .title = "Late receiver of a gather or reduction",
         .summary = "With UPC_IN_MYSYNC those who have data wait for the thread that gathers it.",
         .advice = "Let the receiving thread begin earlier, or give it less to do before the operation.",
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = MANY_TO_ONE,
         .formula = &root_late},
        {.id = "pgas-early-prefix-reduce",
         .title = "Early prefix reduction",
         .summary = "With UPC_IN_MYSYNC a thread waits for those of smaller number whose data it needs.",
         .advice = "Let threads of small number come first, or balance the work before the operation.",
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(SCAN),
         .formula = &predecessor_late},
        {.id = "pgas-early-gather",
         .title = "Early gather or reduction",
         .summary = "With UPC_IN_MYSYNC the thread that gathers waits for the last one that has data for it.",
         .advice = BALANCE " Or let another thread gather.",
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = MANY_TO_ONE,
         .formula = &root_early},
        {.id = "pgas-in-sync-many-to-many",
         .title = "Begin of a many-to-many operation",
         .summary = "With UPC_IN_MYSYNC a thread may exchange data with those who are there; how much of the "
                    "time until the last one comes it could use, the trace does not tell.",
         .advice = BALANCE,
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = MANY_TO_MANY,
         .formula = &many_in,
         .is_guess = 1},
        {.id = "pgas-alone-in-collective",
         .is_work = 1,
         .title = "Wait inside of a collective",
         .summary =
                 "The root is in the operation while nobody else is: before the first of the others, after "
                 "the last, or between them. In a gather or reduction the wait for the last one that has "
                 "data "
                 "is not this one's.",
         .advice = BALANCE,
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = ONE_TO_MANY | MANY_TO_ONE,
         .formula = &alone,
         .is_apart = 1},
        {.id = "pgas-out-sync-wait",
         .is_work = 1,
         .title = "Synchronisation at the end of a collective",
         .summary = "With UPC_OUT_ALLSYNC nobody leaves before the last one has come.",
         .advice = "Ask for UPC_OUT_MYSYNC if only data that a thread itself touches must be ready. " BALANCE,
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = RELOCATION,
         .formula = &all_out},
        {.id = "pgas-out-sync-end",
         .is_work = 1,
         .title = "Late leave of a collective",
         .summary = "All were let in and out together, the first has left, and others are still inside.",
         .advice = "Ask for UPC_OUT_MYSYNC if only data that a thread itself touches must be ready.",
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = RELOCATION,
         .formula = &all_in_and_out,
         .is_guess = 1,
         .is_apart = 1},
        {.id = "pgas-out-sync-many-to-many",
         .is_work = 1,
         .title = "End of a many-to-many operation",
         .summary = "With UPC_OUT_MYSYNC all have come, the first has left, and others are still inside.",
         .advice = "This may be the transfer: compare with the time that the sizes justify.",
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = MANY_TO_MANY,
         .formula = &many_out,
         .is_guess = 1,
         .is_apart = 1},
        {.id = "pgas-assumed-in-sync",
         .title = "Late thread in a collective of unknown mode",
         .summary =
                 "The trace does not tell how the operation synchronises; if with everybody, those who come "
                 "early wait for the last one.",
         .advice = BALANCE " Record the flags of collectives to be sure (docs/UPC_IN_OTF2.md).",
         .source = "patscan",
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = PS_BY_PATSCAN,
         .kinds = RELOCATION,
         .formula = &perhaps_all_in,
         .is_guess = 1},
        {.id = "pgas-lock-wait",
         .title = "Wait for a lock of a PGAS program",
         .summary = "A thread waits for another one to give back a lock.",
         .advice = "Hold it for a shorter time, split it into several, or use upc_lock_attempt and do other "
                   "work meanwhile.",
         .source = SECTION,
         .subject = PS_ON_LOCK_HELD,
         .definitions = BOTH,
         .formula = &pgas_lock_taken,
         .paper_formula = &pgas_lock_whole},
        {.id = "pgas-barrier-wait",
         .title = "Wait at a barrier of a PGAS program",
         .summary = "Those who come early wait for the last one.",
         .advice = BALANCE " Or split the barrier: upc_notify, work on own data, upc_wait.",
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(BARRIER) | K(SYMMETRIC_ALLOC),
         .formula = &last_to_come},
        {.id = "pgas-barrier-completion",
         .is_work = 1,
         .title = "Completion of a PGAS barrier",
         .summary = "All have come, the first has left, and others are still in the barrier.",
         .advice = "This is the runtime or the machine: look for other work on the node.",
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(BARRIER) | K(SYMMETRIC_ALLOC),
         .formula = &last_to_leave,
         .is_apart = 1},
        {.id = "pgas-alloc-wait",
         .title = "Wait in a collective allocation",
         .summary =
                 "Thread 0 allocates and tells the others, who wait if it comes late. A runtime may make a "
                 "barrier of it: if nobody leaves before the last one has come, all waited for that one.",
         .advice = "Allocate early and once, or let thread 0 come first.",
         .source = SECTION,
         .subject = PS_ON_PGAS_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(ALLOC),
         .formula = &allocator_late},
        {.id = "pgas-fence-wait",
         .title = "Wait at a PGAS fence",
         .summary = "A fence lasts until the one-sided operations that its thread has begun are over.",
         .advice = "Do other work between the operations and the fence, or fence less often.",
         .source = SECTION,
         .subject = PS_ON_PGAS_FENCE,
         .definitions = BOTH,
         .formula = &fence_whole},
        {.id = "pgas-split-barrier-wait",
         .title = "Wait at a split barrier",
         .summary = "upc_wait begins before the last thread has called upc_notify.",
         .advice = "Move more work of its own between upc_notify and upc_wait, or let the last one notify "
                   "earlier.",
         .source = SECTION,
         .subject = PS_ON_SPLIT_BARRIER,
         .definitions = BOTH,
         .formula = &last_to_come},
        {.id = "pgas-atomic-wait",
         .title = "Wait in an atomic operation",
         .summary = "Threads do atomic operations on memory of the same thread at the same time.",
         .advice = "Combine values locally first, or spread what is counted over several threads.",
         .source = SECTION,
         .subject = PS_ON_ATOMIC,
         .definitions = BOTH,
         .formula = &atomic_taken,
         .paper_formula = &atomic_whole},
};

const ps_family ps_family_pgas = {rows, sizeof(rows) / sizeof(rows[0])};
