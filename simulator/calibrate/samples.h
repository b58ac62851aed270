/* samples.h - what the messages of a trace tell about the cost of a message.
 *
 * Each end of a message is looked at. A receiver that waited already when the message was sent shows the
 * whole way of the message (ONE_WAY). One that came when the message had clearly been there for long shows
 * what receiving costs, and a send that did not wait for its receiver what sending costs. All else is a
 * mixture, and is counted with the reason (reasons.def).
 *
 * Some samples are second best: used where there is nothing better, and told (notes.def). */
#ifndef PS_SIMULATOR_CALIBRATE_SAMPLES_H
#define PS_SIMULATOR_CALIBRATE_SAMPLES_H

#include "core/base/vector.h"
#include "core/model/trace.h"

typedef enum ps_sample_kind {
        PS_SAMPLE_ONE_WAY,
        PS_SAMPLE_SEND,
        PS_SAMPLE_RECEIVE,
        PS_N_SAMPLE_KINDS,
        PS_SAMPLE_BLOCKED = PS_N_SAMPLE_KINDS, /* these only until ps_samples_finish() */
        PS_SAMPLE_DONE /* of no end: how soon a send to a receiver that waited was complete */
} ps_sample_kind;

/* Why a sample is only second best. */
typedef enum ps_sample_grade {
        PS_GRADE_BEST,
        PS_GRADE_PAIRED,  /* ONE_WAY: the receiver was in a Sendrecv, the sender may have been */
        PS_GRADE_MEETING, /* ONE_WAY: from when both were there; the sender had waited, the message is large
                           */
        PS_GRADE_NONBLOCKING, /* SEND: the call of a nonblocking send need not show all of it */
        PS_N_GRADES
} ps_sample_grade;

typedef enum ps_calibrate_reason {
#define PS_CALIBRATE_REASON(id, name, text) PS_UNUSED_##id,
#include "simulator/calibrate/reasons.def"
#undef PS_CALIBRATE_REASON
        PS_N_UNUSED,
        PS_USED = PS_N_UNUSED
} ps_calibrate_reason;

typedef struct ps_calibrate_reason_info {
        const char *name, *text;
} ps_calibrate_reason_info;

extern const ps_calibrate_reason_info ps_calibrate_reasons[PS_N_UNUSED];
extern const char *const ps_sample_names[PS_N_SAMPLE_KINDS];

typedef struct ps_sample {
        double s;
        uint64_t bytes;
        uint64_t if_eager;   /* it holds if a message of so many bytes does not wait */
        float lead_s;        /* RECEIVE: how long after the beginning of the send it was asked for */
        uint32_t from, to;   /* processes */
        uint8_t kind;        /* ps_sample_kind */
        uint8_t grade;       /* ps_sample_grade */
        uint8_t why_not;     /* ps_calibrate_reason, if it does not hold */
        uint8_t is_near;     /* both ends are on one node */
        uint8_t is_eager;    /* the send had ended before its receiver was there */
        uint8_t is_standard; /* the send is of the mode that chooses by size */
} ps_sample;

/* Two directions between two processes measure the difference of their clocks as well. */
typedef struct ps_sample_clocks {
        uint64_t n_both;   /* pairs of processes with messages of one size in both directions: put right */
        uint64_t n_single; /* pairs without: taken as they are */
        uint64_t n_refused;
        uint64_t n_drifting; /* pairs put right, whose clocks run apart: by a difference for each window of
                                time */
        double largest_s;    /* of the differences that were taken out */
} ps_sample_clocks;

/* Flat scatters or gathers of one size: one of a trace, or all that a table tells together. */
typedef struct ps_sweep {
        double bytes; /* of each of the others */
        double least_s, typical_s;
        double excess_s; /* of those that took ten times as long: beyond what is typical, on average */
        uint64_t n, n_escalated;
        uint32_t n_ranks;
        uint8_t is_gather, is_told; /* told by a table, which has counted */
} ps_sweep;

/* {0} is empty. Several traces are pooled by adding one after the other. */
typedef struct ps_samples {
        ps_sample *row;
        size_t n, room;
        uint64_t unused[PS_N_UNUSED];
        uint64_t graded[PS_N_GRADES]; /* samples, by why they are only second best */
        uint64_t n_messages;          /* each has two ends: n + the sum of unused[] = 2 n_messages */
        uint64_t n_collectives;       /* operations of collectives, which are not used at all */
        uint32_t n_processes;         /* of the largest trace */
        uint32_t *node_of_rank;       /* of it */
        double tick_s;                /* of the coarsest clock */
        bool has_nodes;               /* a trace says which processes share a node */
        ps_sample_clocks clocks;
        PS_VECTOR(ps_sweep) sweeps;
        /* The largest size that was seen to be sent without its receiver - it was complete before that one
         * was there, or sooner than anything could come back - 0: none was; the smallest one beyond it that
         * was seen to wait, UINT64_MAX: none was. */
        uint64_t eager_seen, blocked_seen;
} ps_samples;

ps_status ps_samples_add_trace(ps_samples *samples, const ps_trace *trace, const ps_timing *timing,
                               ps_error *err);
/* A sample from elsewhere. */
ps_status ps_samples_add(ps_samples *samples, const ps_sample *sample, ps_error *err);
/* The node of each of `n` processes; of several the largest set is kept. */
ps_status ps_samples_place(ps_samples *samples, const uint32_t *node_of_rank, uint32_t n, ps_error *err);
/* Gathers and scatters of a trace whose members all began at about the same time. */
ps_status ps_sweeps_add_trace(ps_samples *samples, const ps_trace *trace, const ps_timing *timing,
                              ps_error *err);
/* Once all is there: drops what can be judged only by comparison with the other samples. */
ps_status ps_samples_finish(ps_samples *samples, ps_error *err);
void ps_samples_free(ps_samples *samples);

#endif
