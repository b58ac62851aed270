/* call.h - a recorded call, and the transfer that it waited for last: a part of the loops of learn.c, inline
 * because each operation of a trace comes by here several times. */
#ifndef PS_SIMULATOR_REPLAY_CALL_H
#define PS_SIMULATOR_REPLAY_CALL_H

#include "simulator/replay/plan.h"

#define INLINE static inline __attribute__((always_inline))

static inline unsigned class_of_member(const ps_replay *r, uint32_t member)
{
        return size_class(r->colls[r->trace->members[member].coll].bytes);
}

static inline bool is_kept(const step *s)
{
        return s->code == STEP_COLLECTIVE && s->flags & STEP_KEPT;
}

/* What an operation waits for: when the transfer began, INT64_MIN: it waits for nothing. At the latest:
 * should the message have waited for its receiver after all; INT64_MIN: it surely waits for nothing. How long
 * such took at most, as far as was seen. */
typedef struct awaited {
        ps_time start, latest, limit;
        uint64_t bytes; /* of a message */
        uint8_t code;   /* of the operation's step */
        bool is_of_open;
} awaited;

/* All that a call waits for but the last. */
typedef struct others {
        ps_time latest, by; /* when they began, and had been through, surely; INT64_MIN: there are none */
        uint64_t bytes;     /* the most of a message */
        bool has_collective, has_received;
} others;

typedef struct call {
        ps_time enter, leave, start; /* of the transfer that began last; INT64_MIN: there is none */
        ps_op last;                  /* its operation, or PS_NONE */
        awaited of_last;
        others others;
        bool is_open;   /* the last one may have begun later, with its receive */
        bool is_there;  /* all had been through before the call began, surely */
        bool is_member; /* of a collective operation, which waits for nobody, but sends */
        bool has_open;  /* messages of sizes that were open before there were votes (votes.c) */
} call;

INLINE awaited awaited_collective(const ps_replay *r, ps_loc loc, ps_op op, const step *s)
{
        ps_time start = s->flags & STEP_FREE ? INT64_MIN : awaited_begin(r, s->arg), limit = 0;
        if (start != INT64_MIN)
                limit = r->least.until_left[r->trace->ops[loc].kind[op]][class_of_member(r, s->arg)];
        return (awaited){start, start, limit, 0, STEP_COLLECTIVE, false};
}

/* How long the message is that the operation sends or receives, as its sender says. */
INLINE uint64_t sent_bytes(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        if (s->size != STEP_SIZE_ODD)
                return r->sizes[s->size];
        return s->code == STEP_SEND ? ps_op_bytes(ops, op)
                                    : step_bytes(r, ps_op_peer(ops, op), ops->link[op]);
}

/* Was nothing known of the size before there were votes? */
static inline bool is_of_open(const learnt *l, uint64_t bytes)
{
        return bytes >= l->eager_below && bytes < l->open_below;
}

INLINE awaited awaited_by(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        const learnt *l = &r->least;
        if (s->code == STEP_COLLECTIVE)
                return awaited_collective(r, loc, op, s);
        if (s->code != STEP_SEND && s->code != STEP_RECV)
                return (awaited){INT64_MIN, INT64_MIN, 0, 0, s->code, false};
        const ps_ref other = {ps_op_peer(ops, op), ops->link[op]};
        const uint64_t bytes = ps_op_bytes(ops, op), sent = sent_bytes(r, loc, op);
        const ps_time begin = recorded_begin(r, other),
                      later = ps_time_later(r->timing->enter[loc][op], begin);
        awaited a = {later, later, l->until_received[size_class(bytes)], bytes, s->code, false};
        if (!is_held_up(l, s->flags, sent))
                a.start = a.latest = s->code == STEP_RECV ? begin : INT64_MIN;
        if (!(s->flags & (STEP_SYNCHRONOUS | STEP_BUFFERED))) {
                a.latest = bytes >= l->eager_below && bytes < l->rendezvous_min ? later : a.latest;
                a.is_of_open = is_of_open(l, bytes) || is_of_open(l, sent);
        }
        return a;
}

/* A transfer that begins later, is as long, and is received: it is there last. */
INLINE bool is_surely_later(const awaited *a, const awaited *before)
{
        return a->code != STEP_COLLECTIVE && before->code != STEP_COLLECTIVE && a->bytes >= before->bytes &&
               (a->code == STEP_RECV || before->code == STEP_SEND);
}

INLINE void add_other(others *o, const awaited *a)
{
        if (a->latest == INT64_MIN)
                return;
        o->latest = ps_time_later(o->latest, a->latest);
        o->by = ps_time_later(o->by, ps_time_add(a->latest, a->limit));
        o->bytes = a->bytes > o->bytes ? a->bytes : o->bytes;
        o->has_collective |= a->code == STEP_COLLECTIVE;
        o->has_received |= a->code == STEP_RECV;
}

/* Can nothing have been there later than the last one? */
INLINE bool is_alone(const call *c)
{
        const others *o = &c->others;
        const awaited most = {.bytes = o->bytes, .code = o->has_received ? STEP_RECV : STEP_SEND};
        return o->latest == INT64_MIN ||
               (o->latest <= c->start && !o->has_collective && is_surely_later(&c->of_last, &most));
}

INLINE void look_at(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        const awaited a = awaited_by(r, loc, op);
        c->has_open |= a.is_of_open;
        if (a.start == INT64_MIN) {
                c->is_member |= a.code == STEP_COLLECTIVE;
                add_other(&c->others, &a);
                return;
        }
        c->is_there &= a.limit < PS_TIME_MAX && a.latest < c->enter && a.limit <= c->enter - a.latest;
        if (c->last != PS_NONE && a.start <= c->start &&
            (a.start < c->start || !is_surely_later(&a, &c->of_last))) {
                add_other(&c->others, &a);
                return;
        }
        if (c->last != PS_NONE && c->last != op) /* a broken trace may complete it twice */
                add_other(&c->others, &c->of_last);
        c->last = op;
        c->start = a.start;
        c->of_last = a;
        c->is_open = a.latest > a.start;
}

/* A call that begins with the row and waits for nothing. */
INLINE call call_at(const ps_replay *r, ps_loc loc, ps_op op)
{
        return (call){.enter = r->timing->enter[loc][op],
                      .leave = r->timing->leave[loc][op],
                      .start = INT64_MIN,
                      .last = PS_NONE,
                      .others = {.latest = INT64_MIN, .by = INT64_MIN},
                      .is_there = true};
}

/* The call that begins with the row, and all that it waits for; it becomes the row behind it. Limits
 * (learn.c) are known. */
INLINE call look_at_call(const ps_replay *r, ps_loc loc, ps_op *op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        call c = call_at(r, loc, *op);
        const step *s;
        do {
                s = &r->steps[loc][*op];
                if (s->code == STEP_COMPLETE)
                        for (uint32_t i = 0, n = n_completed(s, ops, *op); i < n; i++)
                                look_at(r, loc, completed_by(s, ops, *op, i), &c);
                else if (!(s->flags & STEP_NONBLOCKING))
                        look_at(r, loc, *op, &c);
        } while (++*op < ops->n && s->flags & STEP_MORE);
        return c;
}

INLINE bool is_open_message(const ps_replay *r, ps_loc loc, ps_op op)
{
        const step *s = &r->steps[loc][op];
        return (s->code == STEP_SEND || s->code == STEP_RECV) &&
               !(s->flags & (STEP_SYNCHRONOUS | STEP_BUFFERED)) &&
               (is_of_open(&r->least, sent_bytes(r, loc, op)) ||
                is_of_open(&r->least, ps_op_bytes(&r->trace->ops[loc], op)));
}

/* Does the call that begins with the row look different once there were votes? */
INLINE bool has_open_messages(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s;
        do {
                s = &r->steps[loc][op];
                if (s->code != STEP_COMPLETE && !(s->flags & STEP_NONBLOCKING) && is_open_message(r, loc, op))
                        return true;
                for (uint32_t i = 0, n = s->code == STEP_COMPLETE ? n_completed(s, ops, op) : 0; i < n; i++)
                        if (is_open_message(r, loc, completed_by(s, ops, op, i)))
                                return true;
        } while (++op < ops->n && s->flags & STEP_MORE);
        return false;
}

#endif
