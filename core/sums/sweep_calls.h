/* sweep_calls.h - calls that are over before anything else of their location begins, one after the other: a
 * part of sweep.h. */
#ifndef PS_CORE_SUMS_SWEEP_CALLS_H
#define PS_CORE_SUMS_SWEEP_CALLS_H

#include "core/sums/sweep.h"

/* What an operation of a kind does here; 0: it is no call. Above that its role in waiting
 * (core/model/waits.h).
 */
enum {
        PS_SWEEP_TAKES_TIME = 1 << 0,
        PS_SWEEP_WAITS = 1 << 1,
        PS_SWEEP_SENDS = 1 << 2,
        PS_SWEEP_ROLE = 3 /* so far from the last bit */
};

/* The next operations, as long as they are such calls and end before `end`, and there is room for them.
 * Returns whether there may be more. */
bool ps_sweep_follow_calls(ps_sweep *sweep, ps_sweep_track *track, ps_loc loc, ps_time end);
/* The next call, if it is some rows that begin and end together, and such a call. There is room for one. */
bool ps_sweep_follow_twins(ps_sweep *sweep, ps_sweep_track *track, ps_loc loc, ps_time end);

/* Only what is in the focus is told. */
static inline ps_time ps_sweep_inside(const ps_sweep *s, ps_time from, ps_time to)
{
        if (from >= s->only.begin && to <= s->only.end)
                return to - from;
        return ps_focus_clip(s->timing->focus, from, to);
}

/* What is looked at of others: a copy, so that whoever writes does not have to look for it again. */
typedef struct ps_sweep_sight {
        const ps_trace *trace;
        const ps_ops *ops;
        ps_time *const *leave;
        ps_time duration;
        bool is_causal;
        const ps_waits *waits;
        ps_pairs_calls sent; /* by the calls of this location */
        const uint8_t *does;
} ps_sweep_sight;

#define PS_SWEEP_INLINE static inline __attribute__((always_inline))

PS_SWEEP_INLINE ps_sweep_sight ps_sweep_look(const ps_sweep *s, ps_loc loc)
{
        return (ps_sweep_sight){.trace = s->trace,
                                .ops = s->trace->ops,
                                .leave = s->timing->leave,
                                .duration = s->timing->duration,
                                .is_causal = s->is_causal,
                                .waits = &s->waits,
                                .sent = s->pairs.calls[loc],
                                .does = s->does};
}

/* When the message is received; at the end of the run if that is never known. */
PS_SWEEP_INLINE ps_time ps_sweep_received_at(const ps_sweep_sight *s, ps_loc to, ps_op receive)
{
        const ps_ops *ops = &s->ops[to];

        if (s->does[ops->kind[receive]] & PS_SWEEP_WAITS)
                return s->leave[to][receive];
        if (ops->flags[receive] & PS_OP_ELSEWHERE) {
                ps_ref done = ps_op_completion_elsewhere(s->trace, (ps_ref){to, receive});
                return done.op == PS_NONE ? s->duration : s->leave[done.loc][done.op];
        }
        return ops->done[receive] == PS_NONE ? s->duration : s->leave[to][ops->done[receive]];
}

/* A message that is sent. Does it take time, and clocks agree? */
PS_SWEEP_INLINE bool ps_sweep_message(const ps_sweep_sight *s, const ps_ops *ops, ps_op send, ps_time now,
                                      ps_told_change *out)
{
        *out = (ps_told_change){ps_op_bytes(ops, send), ps_op_peer(ops, send), 1};
        return s->is_causal || ps_sweep_received_at(s, out->to, ops->link[send]) > now;
}

PS_SWEEP_INLINE void ps_sweep_count_message(ps_sweep *s, const ps_sweep_sight *sight, const ps_ops *ops,
                                            ps_ref send)
{
        ps_pairs_count(&s->pairs, sight->sent, ops, send);
}

#endif
