/* waits.c - see waits.h.
 Collective operations are looked at once, and not once for each member. */
#include "core/model/waits.h"

#include "core/base/memory.h"

#include <stdlib.h>

static const ps_time NEVER = PS_WAITS_NEVER;

static ps_time enter_of(const ps_waits *w, ps_ref ref)
{
        return w->timing->enter[ref.loc][ref.op];
}

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
        const uint16_t traits = ps_kinds[c->kind].traits;
        const bool is_for_root = traits & PS_T_ALL_TO_ONE && !(traits & PS_T_ONE_TO_ALL);
        ps_time ready = bounds[PS_WAITS_LAST];
        if (traits & PS_T_ONE_TO_ALL)
                ready = bounds[PS_WAITS_ROOT];
        else if (is_for_root || traits & (PS_T_PREFIX | PS_T_SPARSE) || c->kind == PS_K_INIT)
                ready = NEVER;
        for (uint32_t i = c->first; i < c->first + c->n; i++)
                w->ready[i] = ready;
        if (is_for_root && c->root - c->first < c->n)
                w->ready[c->root] = bounds[PS_WAITS_LAST];
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

static unsigned role_of(unsigned kind)
{
        static const uint8_t roles[PS_C_TASK + 1] = {
                [PS_C_SEND] = PS_WAITS_FOR_RECEIVER, [PS_C_RECV] = PS_WAITS_FOR_SENDER,
                [PS_C_COLL] = PS_WAITS_FOR_MEMBERS,  [PS_C_COMPLETE] = PS_WAITS_FOR_COMPLETED,
                [PS_C_LOCK] = PS_WAITS_WHOLE,        [PS_C_THREAD] = PS_WAITS_WHOLE};
        bool is_buffered = kind == PS_K_BSEND || kind == PS_K_IBSEND;
        return is_buffered ? PS_WAITS_FOR_NOBODY : roles[ps_kinds[kind].cls];
}

ps_status ps_waits_make_apart(ps_waits *out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        *out = (ps_waits){.trace = trace,
                          .timing = timing,
                          .ready = malloc((trace->n_members + (size_t)1) * sizeof(ps_time)),
                          .enter = timing->enter,
                          .ops = trace->ops,
                          .is_plain = true};
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                out->is_plain &= !trace->ops[loc].peer && !trace->ops[loc].length;
        for (unsigned kind = 0; kind < PS_K_COUNT; kind++) {
                out->need[kind] = (uint8_t)role_of(kind);
                out->role[kind] = (uint8_t)(role_of(kind) |
                                            (ps_kinds[kind].traits & PS_T_BLOCKING ? PS_WAITS_BLOCKS : 0));
        }
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

ps_time ps_waits_completed_any(const ps_waits *w, const ps_ops *ops, ps_op op, ps_time leave,
                               ps_received *received)
{
        return w->is_plain ? ps_waits_completed(w, ops, op, leave, received, true)
                           : ps_waits_completed(w, ops, op, leave, received, false);
}

void ps_waits_free(ps_waits *waits)
{
        free(waits->ready);
}
