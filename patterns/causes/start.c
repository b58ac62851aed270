/* start.c - see start.h. */
#include "patterns/causes/start.h"

#include "core/base/memory.h"

static ps_time leave_of(const struct delaying *d, ps_loc loc, ps_op op)
{
        return d->timing->leave[loc][op];
}

/* -- Scalasca's reading: each side's window has a begin of its own -- */

static ps_collective_view view_of(const struct delaying *d, ps_ref ref)
{
        ps_collective_view view = {0};
        ps_view_collective(&view, d->colls, d->trace->ops[ref.loc].link[ref.op]);
        return view;
}

/* How long the call that is the opening took after all had come: that belongs to the window, too. */
static ps_time completion(ps_time end, ps_time earliest_end, ps_time latest_begin)
{
        return later(0, end - later(earliest_end, earlier(latest_begin, end)));
}

static ps_time completion_in_group(const struct delaying *d, ps_ref ref)
{
        const ps_ops *ops = &d->trace->ops[ref.loc];
        if (ps_kinds[ops->kind[ref.op]].traits & PS_T_TEAM)
                return 0;
        ps_collective_view view = view_of(d, ref);
        return completion(view.own.end, view.all.earliest_end, view.all.latest_begin);
}

static ps_time completion_of_one(const struct delaying *d, const struct waiting *sync, ps_ref own)
{
        ps_collective_view view = view_of(d, own), waiter = view_of(d, (ps_ref){sync->loc, sync->op}),
                           causer = view_of(d, sync->by);
        uint32_t coll = d->trace->members[d->trace->ops[own.loc].link[own.op]].coll;
        ps_time earliest = sync->family == PS_DELAY_BROADCAST ? d->earliest[coll]
                                                              : earlier(waiter.own.end, causer.own.end);
        return completion(view.own.end, earliest, causer.own.begin);
}

/* The begin of the window of `loc`, whose opening is `at`; `other` is the other side of the wait. */
static ps_time start_of(const struct delaying *d, ps_loc loc, const struct opening *at,
                        const struct meeting *meeting, ps_loc other, const struct opening *other_at)
{
        if (at->op == PS_NONE)
                return d->options.begin;
        ps_ref own = {loc, at->op};
        ps_time left = leave_of(d, loc, at->op);
        if (meeting->is_group)
                return left - completion_in_group(d, own);
        if (meeting->via == NO_WAIT)
                return other_at->op == PS_NONE ? left : earlier(left, leave_of(d, other, other_at->op));
        const struct waiting *sync = &d->wait[meeting->via];
        if (sync->family == PS_DELAY_BROADCAST || sync->family == PS_DELAY_REDUCE)
                return left - completion_of_one(d, sync, own);
        if (sync->family == PS_DELAY_LATE_RECEIVER && sync->loc == loc)
                return left;
        ps_ref partner = sync->loc == loc ? sync->by : (ps_ref){sync->loc, sync->op};
        return earlier(left, leave_of(d, partner.loc, partner.op));
}

ps_status ps_starts_prepare(struct delaying *d, ps_error *err)
{
        if (!is_scalasca(d))
                return PS_OK;
        d->earliest = ps_memory_new((d->trace->n_colls + (size_t)1) * sizeof(*d->earliest));
        if (!d->earliest)
                return PS_NOMEM(err, "collective operations", d->trace->n_colls);
        for (uint32_t c = 0; c < d->trace->n_colls; c++)
                d->earliest[c] = PS_NEVER_ENDED;
        for (uint32_t i = 0; i < d->n_waits; i++) {
                const struct waiting *w = &d->wait[i];
                if (w->family != PS_DELAY_BROADCAST)
                        continue;
                ps_time *earliest = &d->earliest[d->trace->members[d->trace->ops[w->loc].link[w->op]].coll];
                *earliest = earlier(*earliest, view_of(d, (ps_ref){w->loc, w->op}).own.end);
        }
        return PS_OK;
}

void ps_windows_of_scalasca(const struct delaying *d, const struct waiting *w, struct window *waiter,
                            struct window *causer)
{
        const struct meeting *meeting = d->meeting[w - d->wait];
        waiter->begin = start_of(d, w->loc, &w->waiter, &meeting[0], w->by.loc, &w->causer);
        causer->begin = start_of(d, w->by.loc, &w->causer, &meeting[1], w->loc, &w->waiter);
}
