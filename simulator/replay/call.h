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

typedef struct call {
        ps_time enter, leave, start; /* of the transfer that began last; INT64_MIN: there is none */
        ps_op last;                  /* its operation, or PS_NONE */
        ps_time others_by;           /* when all others had been through, surely */
        uint32_t n_awaited;
        bool is_open;   /* the last one may have begun later, with its receive */
        bool is_alone;  /* nothing can have been there later than that one */
        bool is_there;  /* all had been through before the call began, surely */
        bool is_member; /* of a collective operation, which waits for nobody, but sends */
} call;

/* When the transfer began that an operation waits for; INT64_MIN: it waits for nothing. At the latest: should
 * the message have waited for its receiver after all; INT64_MIN: it surely waits for nothing. */
typedef struct awaited {
        ps_time start, latest;
} awaited;

INLINE awaited awaited_by(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        if (s->code == STEP_COLLECTIVE) {
                ps_time start = s->flags & STEP_FREE ? INT64_MIN : awaited_begin(r, s->arg);
                return (awaited){start, start};
        }
        if (s->code != STEP_SEND && s->code != STEP_RECV)
                return (awaited){INT64_MIN, INT64_MIN};
        ps_ref other = {ps_op_peer(ops, op), ops->link[op]};
        ps_ref send = s->code == STEP_SEND ? (ps_ref){loc, op} : other;
        uint64_t bytes = s->size == STEP_SIZE_ODD ? step_bytes(r, send.loc, send.op) : r->sizes[s->size];
        ps_time begin = recorded_begin(r, other), later = ps_time_later(r->timing->enter[loc][op], begin);
        ps_time start = is_held_up(&r->least, s->flags, bytes) ? later
                        : s->code == STEP_RECV                 ? begin
                                                               : INT64_MIN;
        return (awaited){start, is_of_open_size(r, loc, op) ? later : start};
}

INLINE ps_time limit_of(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        return s->code == STEP_COLLECTIVE ? r->least.until_left[ops->kind[op]][class_of_member(r, s->arg)]
                                          : r->least.until_received[size_class(ps_op_bytes(ops, op))];
}

/* A transfer that begins later, is as long, and is received: it is there last. */
INLINE bool is_surely_later(const ps_replay *r, ps_loc loc, ps_op op, ps_op other)
{
        const ps_ops *ops = &r->trace->ops[loc];
        uint8_t code = r->steps[loc][op].code, before = r->steps[loc][other].code;
        return code != STEP_COLLECTIVE && before != STEP_COLLECTIVE &&
               ps_op_bytes(ops, op) >= ps_op_bytes(ops, other) && (code == STEP_RECV || before == STEP_SEND);
}

typedef void look(const ps_replay *r, ps_loc loc, ps_op op, call *c);

INLINE void find_last(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        awaited a = awaited_by(r, loc, op);
        c->n_awaited += a.latest != INT64_MIN;
        if (a.start == INT64_MIN) {
                c->is_member |= r->steps[loc][op].code == STEP_COLLECTIVE;
                return;
        }
        ps_time limit = limit_of(r, loc, op);
        c->is_there &= limit < PS_TIME_MAX && a.latest < c->enter && limit <= c->enter - a.latest;
        if (c->last == PS_NONE || a.start > c->start ||
            (a.start == c->start && is_surely_later(r, loc, op, c->last))) {
                c->last = op;
                c->start = a.start;
                c->is_open = a.latest > a.start;
        }
}

INLINE void compare_with_last(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        if (op == c->last || c->last == PS_NONE)
                return;
        awaited a = awaited_by(r, loc, op);
        if (a.latest == INT64_MIN)
                return;
        c->others_by = ps_time_later(c->others_by, ps_time_add(a.latest, limit_of(r, loc, op)));
        c->is_alone &= a.latest <= c->start && is_surely_later(r, loc, c->last, op);
}

/* Looks at all that the call waits for; the row behind it. */
INLINE ps_op look_at_all(const ps_replay *r, ps_loc loc, ps_op op, look *at, call *c)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s;
        do {
                s = &r->steps[loc][op];
                if (s->code == STEP_COMPLETE)
                        for (uint32_t i = 0, n = n_completed(s, ops, op); i < n; i++)
                                at(r, loc, completed_by(s, ops, op, i), c);
                else if (!(s->flags & STEP_NONBLOCKING))
                        at(r, loc, op, c);
        } while (++op < ops->n && s->flags & STEP_MORE);
        return op;
}

/* A call that begins with the row and waits for nothing. */
INLINE call call_at(const ps_replay *r, ps_loc loc, ps_op op)
{
        return (call){.enter = r->timing->enter[loc][op],
                      .leave = r->timing->leave[loc][op],
                      .start = INT64_MIN,
                      .others_by = INT64_MIN,
                      .last = PS_NONE,
                      .is_alone = true,
                      .is_there = true};
}

/* The call that begins with the row; it becomes the row behind it. Limits (learn.c) are known. */
INLINE call look_at_call(const ps_replay *r, ps_loc loc, ps_op *op)
{
        call c = call_at(r, loc, *op);
        *op = look_at_all(r, loc, *op, find_last, &c);
        return c;
}

/* Once more the call that begins with the row: only now `is_alone` and `others_by` are right. */
INLINE void compare_call(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        if (c->n_awaited > 1)
                look_at_all(r, loc, op, compare_with_last, c);
}

#endif
