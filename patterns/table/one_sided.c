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
#include "patterns/table/one_sided.def"
};

const ps_family ps_family_one_sided = {rows, sizeof(rows) / sizeof(rows[0])};
