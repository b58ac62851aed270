/* internal.h - between the files that make samples of a trace. */
#ifndef PS_SIMULATOR_CALIBRATE_INTERNAL_H
#define PS_SIMULATOR_CALIBRATE_INTERNAL_H

#include "simulator/calibrate/samples.h"

/* A matched message with what happened to it; times of the receiver are on the clock of the receiver until
 * ps_offsets_apply() moves them onto that of the sender. */
typedef struct ps_calibrate_message {
        ps_time sent, sent_end;     /* the call that sends */
        ps_time sent_done;          /* what it began was complete; INT64_MAX: nobody knows when */
        ps_time posted, asked, got; /* the receive began; the call that ends it began, ended */
        ps_time through; /* it had come by then: `got`, or earlier where the call waited for more */
        uint64_t bytes;
        /* The sample holds only if the receiver's own messages that the call completed, of up to so many
         * bytes, did not wait. */
        uint64_t own_bytes;
        ps_ref done; /* the call that ends the receive */
        ps_proc from, to;
        ps_time offset;     /* that was added to the receiver's times */
        uint8_t send_kind;  /* ps_kind */
        uint8_t is_paired;  /* the call that receives it sends as well: Sendrecv */
        uint8_t is_grouped; /* the call waited for others, too, but ended with this one */
        uint8_t send_why,
                receive_why; /* ps_calibrate_reason that is plain from the calls alone, or PS_USED */
} ps_calibrate_message;

typedef struct ps_calibrate_messages {
        ps_calibrate_message *row;
        size_t n;
} ps_calibrate_messages;

/* By receiver, in its order. */
ps_status ps_messages_collect(ps_calibrate_messages *out, const ps_trace *trace, const ps_timing *timing,
                              ps_error *err);

/* The receiver waited before the message was sent. */
bool ps_message_is_awaited(const ps_calibrate_message *message);

/* The differences of the clocks of each pair of processes: a first guess, from all messages, is taken out. */
ps_status ps_offsets_guess(ps_sample_clocks *clocks, ps_calibrate_messages *messages, bool is_strict,
                           ps_error *err);
/* Of the messages that one call waits for, the last one says what a message says that is waited for alone, if
 * the others had clearly come before it was sent: it becomes PS_USED. After the guess. */
ps_status ps_groups_resolve(ps_calibrate_messages *messages, const ps_trace *trace, const ps_timing *timing,
                            ps_error *err);
/* What the guess was instead, by the messages that show their whole way; messages between two processes
 * without them in both directions are marked when `is_strict`, and get their times back. */
ps_status ps_offsets_apply(ps_sample_clocks *clocks, ps_calibrate_messages *messages, bool is_strict,
                           ps_error *err);

/* When the ports of each process were in use. */
typedef struct ps_sample_traffic ps_sample_traffic;
ps_status ps_sample_traffic_make(ps_sample_traffic **out, const ps_calibrate_messages *messages,
                                 const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_sample_traffic_free(ps_sample_traffic *traffic);
/* Something besides the message that itself took [begin, end] is in it. */
bool ps_sample_traffic_overlaps(const ps_sample_traffic *traffic, ps_proc process, ps_time begin,
                                ps_time end);

#endif
