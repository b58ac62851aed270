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
        {.id = "wait-transfer",
         .title = "Transfer or missing progress inside a Wait",
         .summary = "A Wait goes on although all partners have begun: the data is on its way, or a partner "
                    "is outside "
                    "of the library, which makes progress only inside of its calls.",
         .advice = "Do more work between the start of the operation and its Wait, or use a library with "
                   "asynchronous progress.",
         .source = PS_PAPER ", section 4.3",
         .subject = PS_ON_COMPLETION,
         .definitions = PS_BY_PATSCAN | PS_BY_PAPER,
         .formula = &rest_of_wait,
         .paper_formula = &whole_wait},
        {.id = "not-explained",
         .title = "Not explained",
         .summary = "A call communicates, and the trace does not tell with whom, or does not hold the other "
                    "end: it "
                    "may have waited, and nobody knows for whom.",
         .advice = "Record the program with a tool that knows these calls and their completions, or look at "
                   "these "
                   "places by hand: what is lost here is in no other row.",
         .source = "patscan",
         .subject = PS_ON_UNEXPLAINED,
         .definitions = PS_BY_PATSCAN,
         .formula = &left_open,
         .is_guess = 1,
         .is_work = 1},
        {.id = "test-spin",
         .title = "Spinning in Test",
         .summary = "A loop calls Test again and again with hardly any work between the calls.",
         .advice = "Call Wait, which lets the library make progress, or do real work between the Tests.",
         .source = "patscan",
         .subject = PS_ON_SERIES,
         .definitions = PS_BY_PATSCAN,
         .formula = &spinning},
        {.id = "close-send-receive",
         .title = "Send and receive that could be one Sendrecv",
         .summary = "A process sends to another one and right behind it receives from the same.",
         .advice = "Check that what is sent does not depend on what is received here, on either side: then "
                   "MPI_Sendrecv lets both messages travel at once.",
         .source = PS_PAPER ", section 4.4",
         .subject = PS_ON_NEIGHBOURS,
         .definitions = PS_BY_PATSCAN | PS_BY_PAPER,
         .formula = &could_be_sendrecv,
         .least = 2,
         .is_view = 1,
         .is_guess = 1},
        {.id = "many-small-messages",
         .title = "Many small messages",
         .summary =
                 "A place sends a thousand or more messages of at most 256 bytes: latency is what they cost.",
         .advice = "Gather them into fewer, larger messages, or use a derived datatype or a collective "
                   "operation.",
         .source = "patscan",
         .subject = PS_ON_SMALL,
         .definitions = PS_BY_PATSCAN,
         .formula = &small_message,
         .least = 1000,
         .is_view = 1},
};

const ps_family ps_family_calls = {rows, sizeof(rows) / sizeof(rows[0])};
