/* messages.c - point-to-point: who waits for whom.
 *
 * A receiver always has to wait for its sender. Whether a sender has to wait for its receiver depends on the
 * mode and, for a standard send, on the size; the trace shows it: a send that is over before its receive was
 * posted was eager, and nobody waited. The paper decides by the size alone.
 *
 * "The paper" is M. S. Akopyan, N. E. Andreev: Patterns of inefficient behaviour in parallel MPI and UPC
 * applications; its predicates are used as printed, but for the errata that docs/DEFINITIONS.md names. */
#include "patterns/table/families.h"

/* At the call that completes the receive; a Test does not wait. */
PS_MESSAGE_FORMULA(late_sender, send.enter > recv.wait_enter,
                   earlier(send.enter, recv.wait_leave) - recv.wait_enter);
PS_MESSAGE_FORMULA(late_sender_paper, recv.wait_enter == recv.enter && send.enter > recv.enter,
                   send.enter - recv.enter);

/* The send was still under way when the receive was posted: it did wait. Within what the clocks may disagree
 * by, a send that ends as the receive begins was released by it. */
PS_MESSAGE_FORMULA(late_receiver, send.wait_leave + tolerance > recv.enter,
                   earlier(recv.enter, send.wait_leave) - send.wait_enter);
PS_MESSAGE_FORMULA(late_receiver_paper,
                   send.wait_enter == send.enter && recv.enter > send.enter &&
                           (send.kind == PS_K_SSEND || bytes > eager_bytes),
                   recv.enter - send.enter);

/* A ready send is only allowed when its receive has been posted. */
PS_MESSAGE_FORMULA(not_ready, recv.enter > send.enter + tolerance, 0);

#define K(k) PS_MESSAGE_KIND(k)

#define STANDARD    (K(SEND) | K(SENDRECV_SEND))
#define NONBLOCKING (K(ISEND) | K(IBSEND) | K(ISSEND) | K(IRSEND))
#define READY       (K(RSEND) | K(IRSEND))

/* Scalasca looks for late receivers only here. */
#define SCALASCA_SENDERS (K(SEND) | K(SSEND) | K(WAIT) | K(WAITANY) | K(WAITALL) | K(WAITSOME))
/* A ready send may be held up, too, and so may a Sendrecv; a buffered send waits for nobody. */
#define FURTHER_SENDERS (K(RSEND) | K(SENDRECV_SEND))
/* Modes of which the receiver's side is not to be reordered: a synchronous send cannot be overtaken without a
 * deadlock, and of a ready one the receive must have been posted. */
#define UNORDERED (K(SSEND) | K(ISSEND) | READY)

static bool may_be_reordered(const ps_order_view *order)
{
        return order->definitions == PS_DEFINITIONS_SCALASCA || !(UNORDERED >> order->send_kind & 1);
}

static bool is_same_source(const ps_order_view *order)
{
        return order->same_source;
}

static bool is_other_source(const ps_order_view *order)
{
        return !order->same_source;
}

#define BEGIN_EARLIER                                                                                        \
        "Let the sender begin earlier: move work behind the send, or balance the work before it. Or "        \
        "receive by Irecv, with other work between it and its Wait."
#define POST_EARLIER                                                                                         \
        "Post the receive earlier, as Irecv before the work that delays it. Or send with Isend and do "      \
        "other "                                                                                             \
        "work between it and its Wait."

#define PAPER_4_1     PS_PAPER ", section 4.1"
#define PAPER_4_2     PS_PAPER ", section 4.2"
#define PAPER_4_3     PS_PAPER ", section 4.3"
#define OWN_AND_PAPER (PS_BY_PATSCAN | PS_BY_PAPER)

static const ps_pattern rows[] = {
#include "patterns/table/messages.def"
};

const ps_family ps_family_messages = {rows, sizeof(rows) / sizeof(rows[0])};
