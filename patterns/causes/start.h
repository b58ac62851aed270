/* start.h - from when to when the two sides of a wait are compared. */
#ifndef PS_PATTERNS_CAUSES_START_H
#define PS_PATTERNS_CAUSES_START_H

#include "patterns/causes/own.h"

/* Scalasca asks of a late broadcast when the first of those who waited for it left: by instance, in
 * d->earliest. */
ps_status ps_starts_prepare(struct delaying *d, ps_error *err);
/* Their begins, as Scalasca has them. */
void ps_windows_of_scalasca(const struct delaying *d, const struct waiting *w, struct window *mine,
                            struct window *his);

/* When the first of the two left the call in which they last waited for each other. */
static inline ps_time common_start(const struct delaying *d, const struct waiting *w)
{
        ps_time begin = d->span[span_after(d, w->begin)].begin;
        if (w->mine.op == PS_NONE || w->his.op == PS_NONE)
                return begin;
        ps_time left = earlier(d->timing->leave[w->loc][w->mine.op], d->timing->leave[w->by.loc][w->his.op]);
        return later(left, begin);
}

/* A message is sent, and a collective operation entered, as the call begins; a lock is given back by its end.
 */
static inline ps_time ending_of(const struct delaying *d, ps_ref by)
{
        ps_class cls = ps_kinds[d->trace->ops[by.loc].kind[by.op]].cls;
        bool is_by_end = cls == PS_C_LOCK || cls == PS_C_RMA || cls == PS_C_RMA_SYNC;
        return (is_by_end ? d->timing->leave : d->timing->enter)[by.loc][by.op];
}

/* Since the two last waited for each other, up to where each entered his call. */
static inline void windows_of(const struct delaying *d, const struct waiting *w, struct window *mine,
                              struct window *his)
{
        ps_time end = ending_of(d, w->by);
        mine->end = earlier(d->timing->enter[w->loc][w->op], w->begin);
        mine->near = (struct near){w->mine.op, w->op, w->mine.wait};
        his->end = is_scalasca(d) ? end : earlier(end, w->end);
        his->near = (struct near){w->his.op, w->by.op, w->his.wait};
        if (is_scalasca(d))
                ps_windows_of_scalasca(d, w, mine, his);
        else
                mine->begin = his->begin = common_start(d, w);
}

/* Fills first, behind, cut and waited: the waits of the one who ended it inside of his window. */
static inline void inherit_in_window(const struct delaying *d, struct waiting *w, const struct window *his)
{
        ps_loc loc = w->by.loc;
        uint32_t first = w->first, behind = w->behind;
        ps_time cut = 0;
        if (is_scalasca(d)) {
                while (first < behind && w->his.op != PS_NONE && d->wait[first].op == w->his.op)
                        first++;
        } else {
                uint32_t end = ps_wait_after(d, loc, his->end, behind);
                first = ps_wait_after(d, loc, his->begin, first);
                behind = end < behind ? end : behind;
        }
        if (first >= behind)
                first = behind;
        else if (!is_scalasca(d))
                cut = later(0, his->begin - d->wait[first].begin);
        w->waited = first < behind ? waited_before(d, loc, behind) - waited_before(d, loc, first) - cut : 0;
        w->first = first;
        w->behind = behind;
        w->cut = cut;
}

#endif
