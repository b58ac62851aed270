/* receiver.h - one process that receives, and the sends to it: what messages.c and queued.c share. */
#ifndef PS_CORE_MATCH_RECEIVER_H
#define PS_CORE_MATCH_RECEIVER_H

#include "core/clock/clock.h"
#include "core/match/ends.h"
#include "core/match/order.h"
#include "core/match/pass.h"
#include "core/match/sends.h"

#define MATCH_INLINE __attribute__((always_inline)) static inline

/* The sends of one process to the receiver in a communicator, numbered among all that it gets: from `at` on
 * there are some that are not received yet. */
struct stream {
        uint32_t at, end;
        uint32_t ahead; /* behind `at`: are received already */
        uint32_t guess; /* once there are queues: what is received next where neighbours follow each other, */
        uint32_t step;  /* from one to the next: to a higher number, or to a lower one */
        ps_loc loc;     /* of the sends, unless each of them says it */
        ps_time least;  /* from the sending of one to its receipt */
};

/* What is known of a send, but for those that their stream has passed. A queue is a ring, in which the first
 * follows on the last; of those that are received only the last has to stay in it. */
enum { SEND_TAKEN = 1, SEND_FIRST = 2, SEND_LAST = 4 };

struct worker {
        ps_postings recvs;
        struct stream *streams; /* by which pair of the receiver that is the other way */
        uint64_t matched;
        ps_slacks slacks;
        uint8_t *state;  /* by send, and: */
        uint32_t *next;  /* the one behind it in its queue */
        uint32_t *slots; /* a queue each: the number + 1 of its last send, or of one that leads there */
        uint32_t n_slots, n_queues; /* n_slots is a power of two above twice n_queues */
        uint64_t seed;
        char apart[128]; /* from the next thread's worker: both are written to all the time */
};

struct matcher {
        ps_trace *trace;
        ps_sends sends;
        ps_proc first;                 /* receiver at hand */
        const ps_match_beside *beside; /* NULL once that is done */
        bool sees_times;               /* somebody wants to know slacks, and the columns tell */
        struct worker *workers;
        unsigned n_threads;
};

/* One that receives, and its sends. */
struct receiver {
        const struct matcher *m;
        struct worker *w;
        ps_proc process;
        uint32_t n;
        const ps_op *rows;
        const ps_loc *locs; /* NULL: streams tell */
};

/* What loops read again and again: to the compiler, a flag that is set may be any of it, unless only the loop
 * has it. Of the sends: */
struct sent {
        const ps_ops *all;
        const ps_op *rows;
        const ps_loc *locs;
        uint8_t *state;
};

/* And where rows receive. */
struct view {
        struct sent sent;
        ps_time *const *enter;
        ps_loc loc;
        ps_ops ops;
        const ps_time *leave;
        const uint32_t *by_call;
        struct stream *streams;
        bool sees_times;
};

static inline struct sent sent_to(const struct receiver *r)
{
        return (struct sent){r->m->trace->ops, r->rows, r->locs, r->w->state};
}

static inline struct view view_of(const struct receiver *r, ps_loc loc)
{
        const ps_trace *trace = r->m->trace;
        return (struct view){.sent = sent_to(r),
                             .enter = trace->measured.enter,
                             .loc = loc,
                             .ops = trace->ops[loc],
                             .leave = trace->measured.leave[loc],
                             .by_call = r->m->sends.by_call[loc],
                             .streams = r->w->streams,
                             .sees_times = r->m->sees_times};
}

/* Which stream a row receives from; PS_PAIR_NOBODY or more: from none. */
MATCH_INLINE uint32_t stream_at(const struct view *v, ps_op op)
{
        return ps_kind_receives(v->ops.kind[op]) ? looked_up(v->by_call, &v->ops, op) : PS_PAIR_NOBODY;
}

MATCH_INLINE ps_ref send_at(const struct sent *sent, const struct stream *s, uint32_t send)
{
        return (ps_ref){sent->locs ? sent->locs[send] : s->loc, sent->rows[send]};
}

MATCH_INLINE uint32_t tag_at(const struct sent *sent, const struct stream *s, uint32_t send)
{
        ps_ref ref = send_at(sent, s, send);
        return sent->all[ref.loc].tag[ref.op];
}

static inline bool is_left_in(const struct stream *s, uint32_t send)
{
        return send - s->at < s->end - s->at;
}

/* Of one whose receipt was never completed nothing is known. */
MATCH_INLINE void see_times(const struct view *v, struct worker *w, struct stream *s, ps_ref send, ps_op op)
{
        ps_op done = ps_kinds_receive_at_once >> v->ops.kind[op] & 1 ? op : v->ops.done[op];
        if (done == PS_NONE)
                return;
        ps_time sent = v->enter[send.loc][send.op] + v->sent.all[send.loc].pre[send.op];
        ps_time received = v->leave[done] - v->ops.post[op], slack = received - sent;
        if (slack < 0)
                ps_clock_tally_message(&w->slacks.early, (ps_ref){v->loc, op}, received, -slack);
        if (slack < s->least)
                s->least = slack;
}

/* The row receives a send of the stream. */
MATCH_INLINE void receive(const struct view *v, struct worker *w, struct stream *s, ps_ref send, ps_op op)
{
        if (v->sees_times)
                see_times(v, w, s, send, op);
        point_at(&v->ops, op, send);
        point_at(&v->sent.all[send.loc], send.op, (ps_ref){v->loc, op});
}

/* The next pair of which the receiver has a stream, from number *at on; NULL: there are no more. */
static inline struct stream *next_stream(const struct receiver *r, uint32_t *at, const ps_pair **in)
{
        while (*at != PS_NONE) {
                *in = &r->m->sends.pair[*at];
                *at = (*in)->next;
                if ((*in)->back != PS_NONE)
                        return &r->w->streams[(*in)->back];
        }
        return NULL;
}

/* Puts the sends that are left into queues, from which rows receive then. */
ps_status ps_queued_make(const struct receiver *r, ps_error *err);
void ps_queued_take(const struct receiver *r, const ps_posted *rows);

#endif
