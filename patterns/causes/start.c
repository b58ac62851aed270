/* start.c - see start.h. */
#include "patterns/causes/start.h"

#include "core/base/memory.h"

static ps_time leave_of(const struct delaying *d, ps_loc loc, ps_op op)
{
        return d->timing->leave[loc][op];
}

/* When the first of the two left the call in which they last waited for each other. */
static ps_time common_start(const struct delaying *d, const struct waiting *w)
{
        ps_time begin = d->span[span_after(d, w->begin)].begin;
        if (w->mine.op == PS_NONE || w->his.op == PS_NONE)
                return begin;
        ps_time left = earlier(leave_of(d, w->loc, w->mine.op), leave_of(d, w->by.loc, w->his.op));
        return later(left, begin);
}

/* -- Scalasca: each side has a start of its own; of the opening call counts what it took after all had come
 * -- */

static ps_collective_view view_of(const struct delaying *d, ps_ref ref)
{
        ps_collective_view view = {0};
        ps_view_collective(&view, d->colls, d->trace->ops[ref.loc].link[ref.op]);
        return view;
}

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

static ps_time start_of(const struct delaying *d, ps_loc loc, const struct opening *mine, ps_loc other,
                        const struct opening *his)
{
        if (mine->op == PS_NONE)
                return d->options.begin;
        ps_ref own = {loc, mine->op};
        ps_time left = leave_of(d, loc, mine->op);
        if (mine->is_group)
                return left - completion_in_group(d, own);
        if (mine->via == PS_NONE)
                return his->op == PS_NONE ? left : earlier(left, leave_of(d, other, his->op));
        const struct waiting *sync = &d->wait[mine->via];
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

/* -- windows -- */

/* A message is sent, and a collective operation entered, as the call begins; a lock is given back by its end.
 */
static ps_time ending_of(const struct delaying *d, ps_ref by)
{
        ps_class cls = ps_kinds[d->trace->ops[by.loc].kind[by.op]].cls;
        if (cls == PS_C_LOCK || cls == PS_C_RMA || cls == PS_C_RMA_SYNC)
                return leave_of(d, by.loc, by.op);
        return d->timing->enter[by.loc][by.op];
}

void ps_windows_of(const struct delaying *d, const struct waiting *w, struct window *mine, struct window *his)
{
        ps_time end = ending_of(d, w->by);
        *mine = (struct window){.end = earlier(d->timing->enter[w->loc][w->op], w->begin),
                                .near = {w->mine.op, w->op, w->mine.wait}};
        *his = (struct window){.end = end, .near = {w->his.op, w->by.op, w->his.wait}};
        if (is_scalasca(d)) {
                mine->begin = start_of(d, w->loc, &w->mine, w->by.loc, &w->his);
                his->begin = start_of(d, w->by.loc, &w->his, w->loc, &w->mine);
        } else {
                mine->begin = his->begin = common_start(d, w);
                his->end = earlier(end, w->end);
        }
}

void ps_window_inherit(const struct delaying *d, struct waiting *w, const struct window *his)
{
        ps_loc loc = w->by.loc;
        w->cut = 0;
        if (is_scalasca(d)) {
                while (w->first < w->behind && w->his.op != PS_NONE && d->wait[w->first].op == w->his.op)
                        w->first++;
        } else {
                uint32_t behind = ps_wait_after(d, loc, his->end, w->behind);
                w->first = ps_wait_after(d, loc, his->begin, w->first);
                w->behind = behind < w->behind ? behind : w->behind;
                if (w->first < w->behind)
                        w->cut = later(0, his->begin - d->wait[w->first].begin);
        }
        if (w->first >= w->behind)
                w->first = w->behind;
        w->waited = waited_before(d, loc, w->behind) - waited_before(d, loc, w->first) - w->cut;
}
