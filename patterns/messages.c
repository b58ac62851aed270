/* messages.c - point-to-point: who waits for whom.
 *
 * A receiver always has to wait for its sender. Whether a sender has to wait for its receiver depends on the
 * mode and, for a standard send, on the size; the trace shows it: a send that is over before its receive was
 * posted was eager, and nobody waited. */
#include "patterns/families.h"

/* At the call that completes the receive; a Test does not wait. */
PS_MESSAGE_FORMULA(late_sender, send.enter > recv.wait_enter,
                   earlier(send.enter, recv.wait_leave) - recv.wait_enter);

/* The send was still under way when the receive was posted: it did wait. */
PS_MESSAGE_FORMULA(late_receiver, send.wait_leave > recv.enter + tolerance,
                   earlier(recv.enter, send.wait_leave) - send.wait_enter);

#define K(k) PS_MESSAGE_KIND(k)

/* Scalasca looks for late receivers only here. */
#define SCALASCA_SENDERS (K(SEND) | K(SSEND) | K(WAIT) | K(WAITANY) | K(WAITALL) | K(WAITSOME))
/* A ready send may be held up, too, and so may a Sendrecv; a buffered send waits for nobody. */
#define FURTHER_SENDERS (K(RSEND) | K(SENDRECV_SEND))

static int is_same_source(const ps_order_view *order)
{
        return order->same_source;
}

#define LATE_SENDER_ADVICE                                                                                   \
        "Let the sender begin earlier: move work behind the send, or balance the work before it. Or post "   \
        "the "                                                                                               \
        "receive as Irecv and do other work between it and its Wait."
#define LATE_RECEIVER_ADVICE                                                                                 \
        "Post the receive earlier, as Irecv before the work that delays it. Or send with Isend and do "      \
        "other "                                                                                             \
        "work between it and its Wait."

static const ps_pattern rows[] = {
        {.id = "late-sender",
         .title = "Late sender",
         .summary = "A receiver waits for a message whose send has not begun yet.",
         .advice = LATE_SENDER_ADVICE,
         .source = "Scalasca 2.6: mpi_latesender",
         .subject = PS_ON_RECEIVER,
         .definitions = PS_BY_PATSCAN | PS_BY_SCALASCA,
         .formula = &late_sender},
        {.id = "late-sender-wrong-order",
         .parent = "late-sender",
         .title = "Late sender, wrong order",
         .summary = "A receiver waits for a message although another one, received only later, had been sent "
                    "before it.",
         .advice = "Receive the messages in the order in which they are sent, or post all receives as Irecv "
                   "and "
                   "complete them with Waitall or Waitany.",
         .source = "Scalasca 2.6: mpi_latesender_wo",
         .subject = PS_ON_ORDER,
         .definitions = PS_BY_PATSCAN | PS_BY_SCALASCA},
        {.id = "late-sender-wrong-order-same-source",
         .parent = "late-sender-wrong-order",
         .title = "Wrong order of messages from one sender",
         .summary = "Both messages come from the same process: sender and receiver disagree on their order.",
         .advice = "Give the sends and the receives of the two processes the same order.",
         .source = "Scalasca 2.6: mpi_lswo_same",
         .subject = PS_ON_ORDER,
         .definitions = PS_BY_PATSCAN | PS_BY_SCALASCA,
         .is_so = is_same_source},
        {.id = "late-sender-wrong-order-different-source",
         .parent = "late-sender-wrong-order",
         .title = "Wrong order of messages from different senders",
         .summary = "The messages come from different processes: the receiver asks for the slower one first.",
         .advice = "Receive from whoever is first: MPI_ANY_SOURCE, or Irecv from all and Waitany.",
         .source = "Scalasca 2.6: mpi_lswo_different",
         .subject = PS_ON_ORDER,
         .definitions = PS_BY_PATSCAN | PS_BY_SCALASCA},
        {.id = "late-receiver",
         .title = "Late receiver",
         .summary = "A sender is held up until its receiver posts the receive.",
         .advice = LATE_RECEIVER_ADVICE,
         .source = "Scalasca 2.6: mpi_latereceiver",
         .subject = PS_ON_SENDER,
         .definitions = PS_BY_PATSCAN | PS_BY_SCALASCA,
         .wait_kinds = SCALASCA_SENDERS,
         .own_wait_kinds = FURTHER_SENDERS,
         .formula = &late_receiver},
};

const ps_family ps_family_messages = {rows, sizeof(rows) / sizeof(rows[0])};
