/* view.h - what formulas look at, gathered from the columns of a trace. */
#ifndef PS_PATTERNS_TABLE_VIEW_H
#define PS_PATTERNS_TABLE_VIEW_H

#include "core/model/trace.h"

/* Times that never come: far from all others, but not so far that a difference overflows. */
#define PS_NEVER_BEGUN (INT64_MIN / 2)
#define PS_NEVER_ENDED (INT64_MAX / 2)

/* One end of a message. `post` is the call that sends or begins to receive, `wait` the call in which its
 * caller waits for it: the same if it blocks. Times are those of the calls' begin and end. */
typedef struct ps_side {
        ps_ref post, wait;
        ps_time enter, leave;           /* of post */
        ps_time wait_enter, wait_leave; /* of wait; PS_NEVER_ENDED when nobody ever waits for it */
        ps_kind kind, wait_kind;
} ps_side;

typedef struct ps_message_view {
        ps_side send, recv;
        uint64_t bytes;
        uint64_t eager_bytes; /* messages up to this size do not wait for their receiver, says the user */
        ps_time tolerance;    /* how far the two clocks may disagree */
} ps_message_view;

/* One member's part in a collective operation, next to what all members did. Times are those of the records
 * that the operation began and ended. */
typedef struct ps_own_part {
        ps_time begin, end;
        bool takes_part; /* it synchronises with the others: it has data to send or to wait for, or needs none
                          */
        bool is_root, receives;
        ps_sync in_sync, out_sync; /* of a PGAS program */
} ps_own_part;

typedef struct ps_all_parts {
        ps_time latest_begin, earliest_end; /* of those who take part */
        ps_time root_begin;
        ps_time latest_sender_begin;      /* of those who have data for the root */
        ps_time latest_predecessor_begin; /* of those of smaller or the same rank who have data */
        ps_time needed_begin;             /* that of the above which the member has to wait for */
        ps_time alone; /* of a PGAS program: how long the root was inside with nobody else, in a gather or
                        * reduction after the last one had come */
} ps_all_parts;

typedef struct ps_collective_view {
        ps_own_part own;
        ps_all_parts all;
        ps_kind kind;
        bool is_pgas;
        ps_ref cause; /* whom the member had to wait for, or {PS_NONE, PS_NONE} */
        ps_ref back;  /* of a nonblocking one: the call in which that one comes back to complete it */
        ps_time back_came, back_left; /* when that began; when the one before it ended, or PS_NEVER_BEGUN */
} ps_collective_view;

typedef struct ps_call_view {
        ps_time enter, leave;           /* of the call, or from the first to the last of a series of them */
        ps_time charged;                /* what other rows already charged to it */
        ps_time unexplained;            /* what the trace does not explain, with that; 0: nothing */
        ps_time released;               /* of a lock: when the one before gave it back */
        ps_time partner_enter;          /* of a one-sided call: when the one that it waits for was begun */
        ps_time transferred;            /* of Win_wait: the end of the last transfer to it, as far as known */
        ps_time tolerance;              /* how far clocks may disagree */
        ps_time gap;                    /* between this call and the one after it */
        ps_time next_enter, next_leave; /* the latter */
        uint64_t bytes, eager_bytes;
        uint32_t n;        /* calls of the series */
        uint32_t messages; /* that the call completes */
        ps_kind kind;      /* of the call */
        ps_kind own_kind;  /* of the operation that it completes */
        bool is_critical;  /* of a lock: it guards a critical section of OpenMP */
        bool is_openmp;
        bool is_pgas, is_transfer;
        ps_purpose purpose; /* of a call of a program of the DVM system */
} ps_call_view;

/* A user region at one location, next to all locations that ever enter it. Exclusive times. */
typedef struct ps_region_view {
        ps_time own, mean;
        ps_time length;  /* of the focus */
        uint32_t n;      /* locations */
        uint32_t copies; /* so many locations do the same in it; 0: not told */
} ps_region_view;

/* One thread at a place that communicates, next to all of them. */
typedef struct ps_site_view {
        uint64_t ops, all_ops;     /* of the thread, here and anywhere */
        uint64_t largest, typical; /* bytes at once, here and at most places */
        ps_time own, mean, most;
        uint32_t n; /* threads that come here */
} ps_site_view;

/* What a thread that seems to be the master and the others waited for each other. */
typedef struct ps_master_view {
        ps_time own;          /* of this thread */
        ps_time waits;        /* of the master for others */
        ps_time workers_wait; /* of the others for the master, on average */
        ps_time duration;     /* of the run */
        bool is_master;
} ps_master_view;

__attribute__((always_inline)) static inline void
ps_view_side(ps_side *out, const ps_trace *trace, const ps_timing *timing, ps_ref post, ps_ref wait)
{
        out->post = post;
        out->wait = wait;
        out->enter = timing->enter[post.loc][post.op];
        out->leave = timing->leave[post.loc][post.op];
        out->kind = (ps_kind)trace->ops[post.loc].kind[post.op];
        out->wait_enter = out->wait_leave = PS_NEVER_ENDED;
        out->wait_kind = PS_K_NONE;
        if (wait.op != PS_NONE) {
                out->wait_enter = timing->enter[wait.loc][wait.op];
                out->wait_leave = timing->leave[wait.loc][wait.op];
                out->wait_kind = (ps_kind)trace->ops[wait.loc].kind[wait.op];
        }
}

/* Both ends of the message of `ref`, a matched send or receive that is over for its caller in `wait`. */
__attribute__((always_inline)) static inline void ps_view_message(ps_message_view *out, const ps_trace *trace,
                                                                  const ps_timing *timing, ps_ref ref,
                                                                  ps_ref wait, bool is_send)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        ps_ref partner = {ps_op_peer(ops, ref.op), ops->link[ref.op]};
        ps_view_side(is_send ? &out->send : &out->recv, trace, timing, ref, wait);
        ps_view_side(is_send ? &out->recv : &out->send, trace, timing, partner,
                     ps_op_completion(trace, partner));
        out->bytes = ps_op_bytes(ops, ref.op);
}

/* What all members of each collective instance did, computed once for all of them. */
typedef struct ps_coll_sums ps_coll_sums;

ps_status ps_coll_sums_new(ps_coll_sums **out, const ps_trace *trace, const ps_timing *timing,
                           unsigned n_threads, ps_error *err);
void ps_coll_sums_free(ps_coll_sums *sums);

/* The part of member `member` (a row of trace->members); 0 when there is nothing to say of the instance. */
bool ps_view_collective(ps_collective_view *out, const ps_coll_sums *sums, uint32_t member);
/* Of the view, whether the member itself takes part. */
bool ps_takes_part(const ps_coll_sums *sums, uint32_t member);

#endif
