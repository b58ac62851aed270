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
PS_CALL_FORMULA(written_late, call.partner_enter > call.enter,
                earlier(call.partner_enter, call.leave) - call.enter);
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
#include "patterns/table/pgas.def"
};

const ps_family ps_family_pgas = {rows, sizeof(rows) / sizeof(rows[0])};
