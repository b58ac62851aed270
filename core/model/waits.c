/* waits.c - see waits.h.
 *
 * What an operation needs is known from its class: a receive needs that its message is being sent, a send
 * that was still under way when its receive began needed that, a completion needs the same of all that it
 * completes, and a collective operation needs the others according to how data flow in it. */
#include "core/model/waits.h"

#include "core/base/memory.h"

#include <stdlib.h>

static const ps_time NEVER = INT64_MIN;

static ps_time enter_of(const ps_waits *w, ps_ref ref)
{
        return w->timing->enter[ref.loc][ref.op];
}

/* -- collective operations: each is looked at once, and not once for each member -- */

static ps_time last_enter(const ps_waits *w, const ps_coll *coll)
{
        ps_time last = NEVER;

        for (uint32_t i = coll->first; i < coll->first + coll->n; i++)
                last = ps_time_later(last, enter_of(w, w->trace->members[i].ref));
        return last;
}

void ps_waits_bound(const ps_waits *w, uint32_t coll, int64_t bounds[PS_WAITS_BOUNDS])
{
        const ps_coll *c = &w->trace->colls[coll];
        bounds[PS_WAITS_LAST] = last_enter(w, c);
        bounds[PS_WAITS_ROOT] = c->root == PS_NONE ? NEVER : enter_of(w, w->trace->members[c->root].ref);
}

void ps_waits_fill(ps_waits *w, uint32_t coll, const int64_t bounds[PS_WAITS_BOUNDS])
{
        const ps_coll *c = &w->trace->colls[coll];
        uint16_t traits = ps_kinds[c->kind].traits;
        for (uint32_t i = c->first; i < c->first + c->n; i++) {
                if (traits & PS_T_ONE_TO_ALL)
                        w->ready[i] = bounds[PS_WAITS_ROOT];
                else if (traits & PS_T_ALL_TO_ONE)
                        w->ready[i] = i == c->root ? bounds[PS_WAITS_LAST] : NEVER;
                else if (traits & (PS_T_PREFIX | PS_T_SPARSE) || c->kind == PS_K_INIT)
                        w->ready[i] = NEVER;
                else
                        w->ready[i] = bounds[PS_WAITS_LAST];
        }
}

static void wait_for_near(void *ctx, uint32_t member, uint32_t needed)
{
        ps_waits *w = ctx;
        w->ready[member] = ps_time_later(w->ready[member], enter_of(w, w->trace->members[needed].ref));
}

struct prefix {
        ps_waits *w;
        ps_time so_far;
};

static void wait_for_lower_ranks(void *ctx, uint32_t member)
{
        struct prefix *p = ctx;
        p->so_far = ps_time_later(p->so_far, enter_of(p->w, p->w->trace->members[member].ref));
        p->w->ready[member] = p->so_far;
}

/* Those who get data of some of the others: of lower ranks, or of neighbours as far as the trace tells who
 * they are. */
static ps_status fill_some(ps_waits *w, ps_error *err)
{
        const ps_trace *trace = w->trace;
        uint32_t *member_of = ps_memory_new(ps_coll_room(trace) * sizeof(*member_of));
        if (!member_of)
                return PS_NOMEM(err, "members of operations", ps_coll_room(trace));
        for (uint32_t i = 0; i < trace->n_colls; i++) {
                const ps_coll *coll = &trace->colls[i];
                struct prefix prefix = {w, NEVER};
                if (ps_coll_is_near(trace, coll))
                        ps_coll_visit_near(trace, coll, member_of, wait_for_near, w);
                else if (ps_kinds[coll->kind].traits & PS_T_PREFIX)
                        ps_coll_visit_ranks(trace, coll, member_of, wait_for_lower_ranks, &prefix);
        }
        free(member_of);
        return PS_OK;
}

ps_status ps_waits_make_apart(ps_waits *out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        *out = (ps_waits){trace, timing, malloc((trace->n_members + (size_t)1) * sizeof(ps_time))};
        return out->ready ? PS_OK : PS_NOMEM(err, "members", trace->n_members);
}

ps_status ps_waits_make(ps_waits *out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        PS_TRY(ps_waits_make_apart(out, trace, timing, err));
        for (uint32_t i = 0; i < trace->n_colls; i++) {
                int64_t bounds[PS_WAITS_BOUNDS];
                ps_waits_bound(out, i, bounds);
                ps_waits_fill(out, i, bounds);
        }
        return fill_some(out, err);
}

void ps_waits_free(ps_waits *waits)
{
        free(waits->ready);
}

/* -- single operations -- */

/* When what `ref` itself needs is there. `leave`: the end of the call that waits for it. */
static inline ps_time needs(const ps_waits *w, ps_ref ref, ps_time leave, ps_received *received)
{
        const ps_ops *ops = &w->trace->ops[ref.loc];
        ps_class cls = ps_kinds[ops->kind[ref.op]].cls;

        if (!(ops->flags[ref.op] & PS_OP_MATCHED))
                return NEVER;
        if (cls == PS_C_COLL)
                return w->ready[ops->link[ref.op]];
        if (cls != PS_C_SEND && cls != PS_C_RECV)
                return NEVER;
        ps_ref partner = {ps_op_peer(ops, ref.op), ops->link[ref.op]};
        ps_time enter = enter_of(w, partner);
        if (cls == PS_C_RECV && enter < leave) {
                received->n++;
                received->bytes += ps_op_bytes(&w->trace->ops[partner.loc], partner.op);
        }
        /* A send that is over before its receive begins was not held up by it, and a buffered one never is.
         */
        if (cls == PS_C_SEND &&
            (enter >= leave || ops->kind[ref.op] == PS_K_BSEND || ops->kind[ref.op] == PS_K_IBSEND))
                return NEVER;
        return enter;
}

static ps_time needs_of_completed(const ps_waits *w, ps_ref ref, ps_time leave, ps_received *received)
{
        const ps_ops *ops = &w->trace->ops[ref.loc];
        const uint32_t first = ops->link[ref.op];
        ps_time time = NEVER;

        for (uint32_t i = 0, n = ps_op_tag(ops, ref.op); i < n; i++)
                time = ps_time_later(time,
                                     needs(w, (ps_ref){ref.loc, ops->completed[first + i]}, leave, received));
        return time;
}

ps_time ps_waits_end(const ps_waits *w, ps_ref ref, ps_received *received)
{
        const ps_ops *ops = &w->trace->ops[ref.loc];
        const ps_kind_info *kind = &ps_kinds[ops->kind[ref.op]];
        ps_time enter = enter_of(w, ref), leave = w->timing->leave[ref.loc][ref.op], time = leave;

        *received = (ps_received){0};
        if (kind->cls == PS_C_COMPLETE)
                time = needs_of_completed(w, ref, leave, received);
        else if (kind->cls != PS_C_LOCK && kind->cls != PS_C_THREAD)
                time = needs(w, ref, leave, received);
        if (time <= enter || !(kind->traits & PS_T_BLOCKING) || ops->flags[ref.op] & PS_OP_NONBLOCKING)
                return enter;
        return ps_time_earlier(time, leave);
}
