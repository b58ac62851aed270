/* calls.c - calls and their neighbours: what is left of a Wait, spinning, pairs that could be one, small
 * sends. */
#include "patterns/table/families.h"

/* The partner was there; what remains is the transfer, or a library that makes progress only inside of calls.
 */
PS_CALL_FORMULA(rest_of_wait, call.kind != PS_K_NONE, call.leave - call.enter - call.charged);
/* The paper charges the whole Wait; a small ready send has nothing to wait for. */
PS_CALL_FORMULA(whole_wait,
                call.messages > 0 && !(call.own_kind == PS_K_IRSEND && call.bytes <= call.eager_bytes),
                call.leave - call.enter);

PS_CALL_FORMULA(left_open, call.unexplained > 0, call.unexplained - call.charged);

/* Three or more Tests in a row with hardly anything between them. */
PS_CALL_FORMULA(spinning, call.n >= 3 && 2 * call.gap < call.leave - call.enter, call.leave - call.enter);

/* At best both directions go at once. */
// NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): small, and printed as it stands
PS_CALL_FORMULA(could_be_sendrecv, call.gap >= 0 && call.gap < 10 * 1000 * PS_PS_PER_NS,
                earlier(call.leave - call.enter, call.next_leave - call.next_enter));

PS_CALL_FORMULA(small_message, call.bytes <= 256, call.leave - call.enter);

static const ps_pattern rows[] = {
#include "patterns/table/calls.def"
};

const ps_family ps_family_calls = {rows, sizeof(rows) / sizeof(rows[0])};
