/* waits.h - until when an operation waits for others, by the rules that the patterns of waiting follow.
 *
 * What an operation needs is known from its class: a receive needs that its message is being sent, a send
 * that was still under way when its receive began needed that, a completion needs the same of all that it
 * completes, and a collective operation needs the others according to how data flow in it. */
#ifndef PS_CORE_MODEL_WAITS_H
#define PS_CORE_MODEL_WAITS_H

#include "core/model/trace.h"

#define PS_WAITS_NEVER INT64_MIN

typedef struct ps_waits {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_time *ready; /* by member of a collective: when all that it needs have entered */
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
} ps_received;

#define PS_WAITS_INLINE static inline __attribute__((always_inline))

/* When what the operation itself needs is there. `leave`: the end of the call that waits for it. */
PS_WAITS_INLINE ps_time ps_waits_needs(const ps_waits *w, const ps_ops *ops, ps_op op, ps_time leave,
                                       ps_received *received)
{
        ps_class cls = ps_kinds[ops->kind[op]].cls;

        if (!(ops->flags[op] & PS_OP_MATCHED))
                return PS_WAITS_NEVER;
        if (cls == PS_C_COLL)
                return w->ready[ops->link[op]];
        if (cls != PS_C_SEND && cls != PS_C_RECV)
                return PS_WAITS_NEVER;
        ps_ref partner = {ps_op_peer(ops, op), ops->link[op]};
        ps_time enter = w->timing->enter[partner.loc][partner.op];
        if (cls == PS_C_RECV) {
                if (enter < leave) {
                        received->n++;
                        received->bytes += ps_op_bytes(&w->trace->ops[partner.loc], partner.op);
                }
                return enter;
        }
        /* A send that is over before its receive begins was not held up by it, and a buffered one never is.
         */
        bool is_held = enter < leave && ops->kind[op] != PS_K_BSEND && ops->kind[op] != PS_K_IBSEND;
        return is_held ? enter : PS_WAITS_NEVER;
}

/* It waits from its begin to this time: its begin if it does not, its end at most. `time`: when it begins and
 * ends. What is received with it is added; what another thread's operation completes is not. */
PS_WAITS_INLINE ps_time ps_waits_end(const ps_waits *w, const ps_ops *ops, ps_op op, ps_span time,
                                     ps_received *received)
{
        const ps_kind_info *kind = &ps_kinds[ops->kind[op]];
        ps_time end = time.end;

        if (kind->cls == PS_C_COMPLETE) {
                uint32_t n = ps_op_tag(ops, op);
                const ps_op *one = n ? &ops->completed[ops->link[op]] : NULL;
                for (end = PS_WAITS_NEVER; n; n--, one++)
                        end = ps_time_later(end, ps_waits_needs(w, ops, *one, time.end, received));
        } else if (kind->cls != PS_C_LOCK && kind->cls != PS_C_THREAD) {
                end = ps_waits_needs(w, ops, op, time.end, received);
        }
        if (end <= time.begin || !(kind->traits & PS_T_BLOCKING) || ops->flags[op] & PS_OP_NONBLOCKING)
                return time.begin;
        return ps_time_earlier(end, time.end);
}

#endif
