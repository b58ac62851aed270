/* calibrate_internal.h - between the files that make samples of a trace. */
#ifndef PS_SIMULATOR_CALIBRATE_INTERNAL_H
#define PS_SIMULATOR_CALIBRATE_INTERNAL_H

#include "simulator/calibrate_samples.h"

/* A matched message with what happened to it; times of the receiver are on the clock of the receiver until
 * ps_offsets_apply() moves them onto that of the sender. */
typedef struct ps_calibrate_message {
        ps_time sent, sent_end;     /* the call that sends */
        ps_time posted, asked, got; /* the receive began; the call that ends it began, ended */
        uint64_t bytes;
        ps_proc from, to;
        ps_time offset;    /* that was added to the receiver's times */
        uint8_t send_kind; /* ps_kind */
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
int ps_message_is_awaited(const ps_calibrate_message *message);

/* Estimates the difference of the clocks of each pair of processes and takes it out of the messages; those of
 * one direction only are marked when `is_strict`. */
ps_status ps_offsets_apply(ps_sample_clocks *clocks, ps_calibrate_messages *messages, int is_strict,
                           ps_error *err);

/* When the ports of each process were in use. */
typedef struct ps_sample_traffic ps_sample_traffic;
ps_status ps_sample_traffic_make(ps_sample_traffic **out, const ps_calibrate_messages *messages,
                                 const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_sample_traffic_free(ps_sample_traffic *traffic);
/* Something besides the message that itself took [begin, end] is in it. */
int ps_sample_traffic_overlaps(const ps_sample_traffic *traffic, ps_proc process, ps_time begin, ps_time end);

#endif
