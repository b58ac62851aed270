/* one_sided.c - one-sided communication of MPI: fences, epochs of access and exposure, locks of windows. */
#include "patterns/table/families.h"

/* Scalasca's condition: if somebody has left before the last came, the fence made nobody wait. */
PS_COLLECTIVE_FORMULA(wait_for_window, all.earliest_end >= all.latest_begin,
                      earlier(all.latest_begin, own.end) - own.begin);
PS_CALL_FORMULA(window_lock_taken, !call.is_pgas, earlier(call.released, call.leave) - call.enter);
/* Whoever ends before the other side begins did not wait for it. */
PS_CALL_FORMULA(not_posted, !call.is_transfer && call.partner_enter <= call.leave + call.tolerance,
                earlier(call.partner_enter, call.leave) - call.enter);
PS_CALL_FORMULA(transfer_not_posted, call.is_transfer &&call.partner_enter <= call.leave + call.tolerance,
                earlier(call.partner_enter, call.leave) - call.enter);
PS_CALL_FORMULA(still_transferring, call.transferred > call.enter,
                earlier(call.transferred, earlier(call.partner_enter, call.leave)) - call.enter);
PS_CALL_FORMULA(not_completed, call.partner_enter <= call.leave + call.tolerance,
                earlier(call.partner_enter, call.leave) - later(call.enter, call.transferred));
/* That the call ends soon after its target comes speaks for it. */
PS_CALL_FORMULA(target_away, call.leave - call.partner_enter < call.partner_enter - call.enter,
                call.partner_enter - call.enter);

#define K(k) PS_COLLECTIVE_KIND(k)

static const ps_pattern rows[] = {
        {.id = "fence-wait",
         .title = "Wait at a fence",
         .summary = "Those who come early to MPI_Win_fence wait for the last one.",
         .advice = "Balance the work before the fence, or synchronise only those who exchange data: post and "
                   "start, or locks.",
         .source = "Scalasca 2.6: mpi_rma_wait_at_fence",
         .subject = PS_ON_COLLECTIVE,
         .definitions = PS_BY_PATSCAN,
         .kinds = K(FENCE),
         .formula = &wait_for_window},
        {.id = "window-wait",
         .title = "Wait where a window is made or freed",
         .summary = "Those who come early wait for the last one.",
         .advice = "Balance the work before it; make windows once, not in a loop.",
         .source = "Scalasca 2.6: mpi_rma_wait_at_create, mpi_rma_wait_at_free",
         .subject = PS_ON_COLLECTIVE,
         .definitions = PS_BY_PATSCAN,
         .kinds = K(WIN_CREATE) | K(WIN_FREE),
         .formula = &wait_for_window},
        {.id = "late-post",
         .title = "Late post",
         .summary =
                 "MPI_Win_start or MPI_Win_complete waits for a target that has not posted its window yet.",
         .advice = "Let the target call MPI_Win_post earlier, or the origin do other work first.",
         .source = "Scalasca 2.6: mpi_rma_sync_late_post",
         .subject = PS_ON_ACCESS,
         .definitions = PS_BY_PATSCAN,
         .formula = &not_posted},
        {.id = "early-transfer",
         .title = "Early transfer",
         .summary = "A transfer waits for its target to post its window.",
         .advice = "Let the target call MPI_Win_post earlier, or the origin do other work first.",
         .source = "Scalasca 2.6: mpi_rma_comm_late_post",
         .subject = PS_ON_ACCESS,
         .definitions = PS_BY_PATSCAN,
         .formula = &transfer_not_posted},
        {.id = "early-wait",
         .title = "Early wait for origins",
         .summary = "MPI_Win_wait begins while origins still transfer data.",
         .advice = "Do other work before MPI_Win_wait, which needs no access to the window.",
         .source = "Scalasca 2.6: mpi_rma_early_wait",
         .subject = PS_ON_EXPOSURE,
         .definitions = PS_BY_PATSCAN,
         .formula = &still_transferring},
        {.id = "late-complete",
         .title = "Late complete",
         .summary = "MPI_Win_wait waits for an origin that has ended its transfers but not called "
                    "MPI_Win_complete.",
         .advice = "Let the origin call MPI_Win_complete right behind its last transfer.",
         .source = "Scalasca 2.6: mpi_rma_late_complete",
         .subject = PS_ON_EXPOSURE,
         .definitions = PS_BY_PATSCAN,
         .formula = &not_completed},
        {.id = "window-lock-wait",
         .title = "Wait for the lock of a window",
         .summary = "A process waits for another one to unlock the same target.",
         .advice = "Hold the lock for a shorter time, use shared locks where nobody writes, or spread the "
                   "data over several targets.",
         .source = "Scalasca 2.6: mpi_rma_lock_contention",
         .subject = PS_ON_LOCK_HELD,
         .definitions = PS_BY_PATSCAN,
         .formula = &window_lock_taken},
        {.id = "wait-for-progress",
         .title = "Wait for the target's progress",
         .summary = "A call on a locked window ends as its target, which was busy elsewhere, enters the "
                    "library.",
         .advice = "Use a library with asynchronous progress or hardware that needs none, or let the target "
                   "call the library now and then.",
         .source = "Scalasca 2.6: mpi_rma_wait_for_progress",
         .subject = PS_ON_PROGRESS,
         .definitions = PS_BY_PATSCAN,
         .formula = &target_away,
         .is_guess = 1},
};

const ps_family ps_family_one_sided = {rows, sizeof(rows) / sizeof(rows[0])};
