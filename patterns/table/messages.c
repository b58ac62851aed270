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
        "Let the sender begin earlier: move work behind the send, or balance the work before it. Or post "   \
        "the "                                                                                               \
        "receive as Irecv and do other work between it and its Wait."
#define POST_EARLIER                                                                                         \
        "Post the receive earlier, as Irecv before the work that delays it. Or send with Isend and do "      \
        "other "                                                                                             \
        "work between it and its Wait."

#define PAPER_4_1     PS_PAPER ", section 4.1"
#define PAPER_4_2     PS_PAPER ", section 4.2"
#define PAPER_4_3     PS_PAPER ", section 4.3"
#define OWN_AND_PAPER (PS_BY_PATSCAN | PS_BY_PAPER)

static const ps_pattern rows[] = {
        {.id = "late-sender",
         .title = "Late sender",
         .summary = "A receiver waits for a message whose send has not begun yet.",
         .advice = BEGIN_EARLIER,
         .source = "Scalasca 2.6: mpi_latesender",
         .subject = PS_ON_RECEIVER,
         .definitions = PS_BY_ALL,
         .formula = &late_sender,
         .paper_formula = &late_sender_paper},
        {.id = "late-standard-send",
         .parent = "late-sender",
         .title = "Late standard send",
         .summary = "The late send is an MPI_Send or the sending half of an MPI_Sendrecv.",
         .advice = BEGIN_EARLIER,
         .source = PAPER_4_1,
         .subject = PS_ON_RECEIVER,
         .definitions = OWN_AND_PAPER,
         .send_kinds = STANDARD},
        {.id = "late-buffered-send",
         .parent = "late-sender",
         .title = "Late buffered send",
         .summary = "The late send is an MPI_Bsend.",
         .advice = BEGIN_EARLIER,
         .source = PAPER_4_1,
         .subject = PS_ON_RECEIVER,
         .definitions = OWN_AND_PAPER,
         .send_kinds = K(BSEND)},
        {.id = "late-synchronous-send",
         .parent = "late-sender",
         .title = "Late synchronous send",
         .summary = "The late send is an MPI_Ssend.",
         .advice = BEGIN_EARLIER,
         .source = PAPER_4_1,
         .subject = PS_ON_RECEIVER,
         .definitions = OWN_AND_PAPER,
         .send_kinds = K(SSEND)},
        {.id = "late-ready-send",
         .parent = "late-sender",
         .title = "Late ready send",
         .summary = "The late send is an MPI_Rsend. A receive that is posted first is the only order that "
                    "its mode "
                    "allows, so the wait can be made shorter, but not turned round.",
         .advice = "Post the receive as Irecv and do other work between it and its Wait, or let the sender "
                   "begin "
                   "earlier - but never before the receive is posted.",
         .source = PAPER_4_1,
         .subject = PS_ON_RECEIVER,
         .definitions = OWN_AND_PAPER,
         .send_kinds = K(RSEND)},
        {.id = "late-nonblocking-send",
         .parent = "late-sender",
         .title = "Late nonblocking send",
         .summary = "The late send is an MPI_Isend, MPI_Ibsend, MPI_Issend or MPI_Irsend.",
         .advice = BEGIN_EARLIER,
         .source = PAPER_4_3,
         .subject = PS_ON_RECEIVER,
         .definitions = OWN_AND_PAPER,
         .send_kinds = NONBLOCKING},
        {.id = "late-sender-wrong-order",
         .parent = "late-sender",
         .title = "Late sender, wrong order",
         .summary = "A receiver waits for a message although another one, received only later, had been sent "
                    "before it.",
         .advice = "Receive the messages in the order in which they are sent, or post all receives as Irecv "
                   "and "
                   "complete them with Waitall or Waitany.",
         .source = "Scalasca 2.6: mpi_latesender_wo; " PAPER_4_2,
         .subject = PS_ON_ORDER,
         .definitions = PS_BY_ALL,
         .is_so = may_be_reordered},
        {.id = "late-sender-wrong-order-same-source",
         .parent = "late-sender-wrong-order",
         .title = "Wrong order of messages from one sender",
         .summary = "Both messages come from the same process: sender and receiver disagree on their order.",
         .advice = "Give the sends and the receives of the two processes the same order.",
         .source = "Scalasca 2.6: mpi_lswo_same; " PAPER_4_2,
         .subject = PS_ON_ORDER,
         .definitions = PS_BY_ALL,
         .is_so = is_same_source},
        {.id = "late-sender-wrong-order-different-source",
         .parent = "late-sender-wrong-order",
         .title = "Wrong order of messages from different senders",
         .summary = "The messages come from different processes: the receiver asks for the slower one first.",
         .advice = "Receive from whoever is first: MPI_ANY_SOURCE, or Irecv from all and Waitany.",
         .source = "Scalasca 2.6: mpi_lswo_different",
         .subject = PS_ON_ORDER,
         .definitions = PS_BY_PATSCAN | PS_BY_SCALASCA,
         .is_so = is_other_source},
        {.id = "late-receiver",
         .title = "Late receiver",
         .summary = "A sender is held up until its receiver posts the receive.",
         .advice = POST_EARLIER,
         .source = "Scalasca 2.6: mpi_latereceiver",
         .subject = PS_ON_SENDER,
         .definitions = PS_BY_ALL,
         .wait_kinds = SCALASCA_SENDERS,
         .further_wait_kinds = FURTHER_SENDERS,
         .formula = &late_receiver,
         .paper_formula = &late_receiver_paper},
        {.id = "early-standard-send",
         .parent = "late-receiver",
         .title = "Early standard send",
         .summary = "An MPI_Send, or the sending half of an MPI_Sendrecv, is held up by its receiver.",
         .advice = POST_EARLIER,
         .source = PAPER_4_1,
         .subject = PS_ON_SENDER,
         .definitions = OWN_AND_PAPER,
         .send_kinds = STANDARD},
        {.id = "early-synchronous-send",
         .parent = "late-receiver",
         .title = "Early synchronous send",
         .summary = "An MPI_Ssend waits for its receive to be posted, as its mode asks for.",
         .advice = POST_EARLIER " Or use MPI_Send, if nothing depends on the receive having begun.",
         .source = PAPER_4_1,
         .subject = PS_ON_SENDER,
         .definitions = OWN_AND_PAPER,
         .send_kinds = K(SSEND)},
        {.id = "early-ready-send",
         .parent = "late-receiver",
         .title = "Early ready send",
         .summary = "An MPI_Rsend is held up because its receive is not posted yet, which its mode does not "
                    "allow.",
         .advice = "Post the receive before the send begins, or use MPI_Send: this program is erroneous.",
         .source = PAPER_4_1,
         .subject = PS_ON_SENDER,
         .definitions = OWN_AND_PAPER,
         .send_kinds = K(RSEND)},
        {.id = "early-nonblocking-send",
         .parent = "late-receiver",
         .title = "Early nonblocking send",
         .summary = "The Wait of an MPI_Isend, MPI_Issend or MPI_Irsend is held up by the receiver.",
         .advice = "Move the Wait later, behind other work, or post the receive earlier.",
         .source = PAPER_4_3,
         .subject = PS_ON_SENDER,
         .definitions = PS_BY_PATSCAN,
         .send_kinds = NONBLOCKING},
        {.id = "probe-wait",
         .title = "Probe waits for a sender",
         .summary = "An MPI_Probe waits for a message whose send has not begun yet.",
         .advice = BEGIN_EARLIER " MPI_Iprobe lets the receiver do other work meanwhile.",
         .source = "patscan",
         .subject = PS_ON_PROBE,
         .definitions = PS_BY_PATSCAN,
         .formula = &late_sender},
        {.id = "ready-send-without-receive",
         .title = "Ready send without a receive",
         .summary = "A message is sent in ready mode before its receive is posted. The MPI standard calls "
                    "such a "
                    "program erroneous; that this library delivered the message is luck.",
         .advice = "Post the receive first and tell the sender, or use MPI_Send.",
         .source = "MPI standard, communication modes; " PAPER_4_1,
         .subject = PS_ON_READY,
         .definitions = PS_BY_PATSCAN | PS_BY_PAPER,
         .send_kinds = READY,
         .formula = &not_ready,
         .is_defect = 1},
};

const ps_family ps_family_messages = {rows, sizeof(rows) / sizeof(rows[0])};
