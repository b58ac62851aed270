/* waits.h - until when an operation waits for others, by the rules that the patterns of waiting follow.
 *
 * What an operation needs is known from its class: a receive needs that its message is being sent, a send
 * that was still under way when its receive began needed that, a completion needs the same of all that it
 * completes, and a collective operation needs the others according to how data flow in it. */
#ifndef PS_CORE_MODEL_WAITS_H
#define PS_CORE_MODEL_WAITS_H

#include "core/model/trace.h"

#define PS_WAITS_NEVER INT64_MIN

/* What an operation needs, by its kind. */
typedef enum ps_waits_role {
        PS_WAITS_FOR_NOBODY,
        PS_WAITS_FOR_RECEIVER, /* a send, if it is not buffered */
        PS_WAITS_FOR_SENDER,
        PS_WAITS_FOR_MEMBERS,
        PS_WAITS_FOR_COMPLETED, /* what they need that it completes */
        PS_WAITS_WHOLE,         /* all of it is waiting */
        PS_WAITS_ROLE = 7,
        PS_WAITS_BLOCKS = 1 << 3 /* it does not end before it has that */
} ps_waits_role;

typedef struct ps_waits {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_time *ready;           /* by member of a collective: when all that it needs have entered */
        ps_time *const *enter;    /* of the timing */
        const ps_ops *ops;        /* of the trace */
        bool is_plain;            /* calls tell all of messages: no location has columns for that */
        uint8_t need[PS_K_COUNT]; /* by kind: a role */
        uint8_t role[PS_K_COUNT]; /* the same, with PS_WAITS_BLOCKS */
} ps_waits;

ps_status ps_waits_make(ps_waits *out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
/* The same where others have members of collective operations, too, as far as all or one of them are waited
 * for: without them; when the last member that is here entered and when the root did, INT64_MIN: it is not
 * here; and what follows from that of all. */
enum { PS_WAITS_LAST, PS_WAITS_ROOT, PS_WAITS_BOUNDS };
ps_status ps_waits_make_apart(ps_waits *out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_waits_bound(const ps_waits *waits, uint32_t coll, int64_t bounds[PS_WAITS_BOUNDS]);
void ps_waits_fill(ps_waits *waits, uint32_t coll, const int64_t bounds[PS_WAITS_BOUNDS]);
void ps_waits_free(ps_waits *waits);

/* What is received with it: messages that are sent before it ends. */
typedef struct ps_received {
        uint32_t n;
        uint64_t bytes;
        bool is_early; /* some message is not, with it or before: it is sent as the call ends, or later */
} ps_received;

#define PS_WAITS_INLINE static inline __attribute__((always_inline))

PS_WAITS_INLINE ps_loc ps_waits_peer(const ps_ops *ops, ps_op op, bool is_plain)
{
        return is_plain ? ops->calls[ops->call[op]].peer : ps_op_peer(ops, op);
}

/* When what the operation itself needs is there, by its role. `leave`: the end of the call that waits for it.
 * `is_plain`: as of `w`; false is never wrong. */
PS_WAITS_INLINE ps_time ps_waits_needs(const ps_waits *w, const ps_ops *ops, ps_op op, unsigned need,
                                       ps_time leave, ps_received *received, bool is_plain)
{
        if (!(ops->flags[op] & PS_OP_MATCHED))
                return PS_WAITS_NEVER;
        const ps_op partner = ops->link[op];
        if (need == PS_WAITS_FOR_RECEIVER) { /* what is over before that begins was not held up by it */
                const ps_time enter = w->enter[ps_waits_peer(ops, op, is_plain)][partner];
                return enter < leave ? enter : PS_WAITS_NEVER;
        }
        if (need != PS_WAITS_FOR_SENDER)
                return need == PS_WAITS_FOR_MEMBERS ? w->ready[partner] : PS_WAITS_NEVER;
        const ps_loc peer = ps_waits_peer(ops, op, is_plain);
        const ps_time enter = w->enter[peer][partner];
        if (enter < leave) {
                const ps_ops *sent = &w->ops[peer];
                received->n++;
                received->bytes +=
                        is_plain ? sent->calls[sent->call[partner]].bytes : ps_op_bytes(sent, partner);
        } else {
                received->is_early = true;
        }
        return enter;
}

/* When all is there that rows need. `rows`: NULL, and they follow each other from the first one on. */
PS_WAITS_INLINE ps_time ps_waits_rows(const ps_waits *w, const ps_ops *ops, const ps_op *rows, ps_op first,
                                      uint32_t n, ps_time leave, ps_received *received, bool is_plain)
{
        ps_time end = PS_WAITS_NEVER;
        for (uint32_t i = 0; i < n; i++) {
                const ps_op row = rows ? rows[i] : first + i;
                const unsigned need = w->need[ops->kind[row]];
                end = ps_time_later(end, ps_waits_needs(w, ops, row, need, leave, received, is_plain));
        }
        return end;
}

/* When all is there that the operation needs that completes others. */
PS_WAITS_INLINE ps_time ps_waits_completed(const ps_waits *w, const ps_ops *ops, ps_op op, ps_time leave,
                                           ps_received *received, bool is_plain)
{
        const uint32_t n = ps_op_tag(ops, op); /* 0: there may be no list */
        const ps_op first = ops->link[op];
        if (!n || ops->flags[op] & PS_OP_IN_A_ROW)
                return ps_waits_rows(w, ops, NULL, first, n, leave, received, is_plain);
        return ps_waits_rows(w, ops, ops->completed + first, first, n, leave, received, is_plain);
}

/* The same in a call of its own. */
ps_time ps_waits_completed_any(const ps_waits *w, const ps_ops *ops, ps_op op, ps_time leave,
                               ps_received *received);

/* It waits from its begin to this time: its begin if it does not, its end at most. `time`: when it begins and
 * ends; `role`: by its kind. `received`: with it, but for what another thread's operation completes.
 * `at_once`: of plain messages that are completed there is no call. */
PS_WAITS_INLINE ps_time ps_waits_end(const ps_waits *w, const ps_ops *ops, ps_op op, ps_span time,
                                     unsigned role, ps_received *received, bool is_plain, bool at_once)
{
        const unsigned need = role & PS_WAITS_ROLE;
        received->n = 0;
        received->bytes = 0;
        const ps_time end =
                need == PS_WAITS_FOR_COMPLETED && is_plain && at_once
                        ? ps_waits_completed(w, ops, op, time.end, received, true)
                : need == PS_WAITS_FOR_COMPLETED ? ps_waits_completed_any(w, ops, op, time.end, received)
                : need == PS_WAITS_WHOLE         ? time.end
                                         : ps_waits_needs(w, ops, op, need, time.end, received, is_plain);
        if (end <= time.begin || !(role & PS_WAITS_BLOCKS) || ops->flags[op] & PS_OP_NONBLOCKING)
                return time.begin;
        return ps_time_earlier(end, time.end);
}

#endif
