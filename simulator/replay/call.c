/* call.c - see call.h. */
#include "simulator/replay/call.h"

/* Each operation of a trace comes by here, several times. */
#define INLINE static inline __attribute__((always_inline))

/* When the transfer that the operation waits for began; INT64_MIN: it waits for nothing. */
INLINE ps_time start_of(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        if (s->code == STEP_COLLECTIVE)
                return s->flags & STEP_FREE ? INT64_MIN : awaited_begin(r, s->arg);
        if (s->code != STEP_SEND && s->code != STEP_RECV)
                return INT64_MIN;
        ps_ref other = {ps_op_peer(ops, op), ops->link[op]};
        ps_ref send = s->code == STEP_SEND ? (ps_ref){loc, op} : other;
        if (is_held_up(&r->least, s->flags, step_bytes(r, send.loc, send.op)))
                return ps_time_later(r->timing->enter[loc][op], recorded_begin(r, other));
        return s->code == STEP_RECV ? recorded_begin(r, other) : INT64_MIN;
}

/* The same, at the latest: should the message have waited for its receiver after all; INT64_MIN: it surely
 * waits for nothing. */
INLINE ps_time latest_start(const ps_replay *r, ps_loc loc, ps_op op, ps_time start)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        if ((s->code != STEP_SEND && s->code != STEP_RECV) || !is_of_open_size(r, loc, op))
                return start;
        ps_time own = r->timing->enter[loc][op];
        return ps_time_later(own, recorded_begin(r, (ps_ref){ps_op_peer(ops, op), ops->link[op]}));
}

INLINE ps_time limit_of(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        return s->code == STEP_COLLECTIVE ? r->least.until_left[ops->kind[op]][class_of_member(r, s->arg)]
                                          : r->least.until_received[size_class(ps_op_bytes(ops, op))];
}

/* A transfer that begins later, is as long, and is received: it is there last. */
static bool is_surely_later(const ps_replay *r, ps_loc loc, ps_op op, ps_op other)
{
        const ps_ops *ops = &r->trace->ops[loc];
        uint8_t code = r->steps[loc][op].code, before = r->steps[loc][other].code;
        return code != STEP_COLLECTIVE && before != STEP_COLLECTIVE &&
               ps_op_bytes(ops, op) >= ps_op_bytes(ops, other) && (code == STEP_RECV || before == STEP_SEND);
}

typedef void look(const ps_replay *r, ps_loc loc, ps_op op, call *c);

INLINE void find_last(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        ps_time start = start_of(r, loc, op);
        ps_time latest = latest_start(r, loc, op, start);
        c->n_awaited += latest != INT64_MIN;
        if (start == INT64_MIN) {
                c->is_member |= r->steps[loc][op].code == STEP_COLLECTIVE;
                return;
        }
        ps_time limit = limit_of(r, loc, op);
        c->is_there &= limit < PS_TIME_MAX && latest < c->enter && limit <= c->enter - latest;
        if (c->last == PS_NONE || start > c->start ||
            (start == c->start && is_surely_later(r, loc, op, c->last))) {
                c->last = op;
                c->start = start;
                c->is_open = latest > start;
        }
}

INLINE void compare_with_last(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        ps_time start = start_of(r, loc, op);
        ps_time latest = latest_start(r, loc, op, start);
        if (op == c->last || c->last == PS_NONE || latest == INT64_MIN)
                return;
        c->others_by = ps_time_later(c->others_by, ps_time_add(latest, limit_of(r, loc, op)));
        c->is_alone &= latest <= c->start && is_surely_later(r, loc, c->last, op);
}

/* Looks at all that the call waits for; the row behind it. */
INLINE ps_op look_at_all(const ps_replay *r, ps_loc loc, ps_op op, look *at, call *c)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s;
        do {
                s = &r->steps[loc][op];
                if (s->code == STEP_COMPLETE)
                        for (uint32_t i = 0; i < n_completed(s, ops, op); i++)
                                at(r, loc, completed_by(s, ops, op, i), c);
                else if (!(s->flags & STEP_NONBLOCKING))
                        at(r, loc, op, c);
        } while (++op < ops->n && s->flags & STEP_MORE);
        return op;
}

call ps_replay_look_at_call(const ps_replay *r, ps_loc loc, ps_op *op)
{
        call c = {.enter = r->timing->enter[loc][*op],
                  .leave = r->timing->leave[loc][*op],
                  .start = INT64_MIN,
                  .others_by = INT64_MIN,
                  .last = PS_NONE,
                  .is_alone = true,
                  .is_there = true};
        ps_op end = look_at_all(r, loc, *op, find_last, &c);
        *op = end;
        return c;
}

void ps_replay_compare_call(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        if (c->n_awaited > 1)
                look_at_all(r, loc, op, compare_with_last, c);
}
