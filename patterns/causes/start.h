/* start.h - from when to when the two sides of a wait are compared. */
#ifndef PS_PATTERNS_CAUSES_START_H
#define PS_PATTERNS_CAUSES_START_H

#include "patterns/causes/own.h"

/* In Scalasca's reading of a late broadcast it counts when the first of its waiters left it: finds that in
 * d->earliest, by collective operation. */
ps_status ps_starts_prepare(struct delaying *d, ps_error *err);
/* The begins of both windows in Scalasca's reading. */
void ps_windows_of_scalasca(const struct delaying *d, const struct waiting *w, struct window *waiter,
                            struct window *causer);

static inline ps_time begin_of_span(const struct delaying *d, const struct waiting *w)
{
        return d->n_spans == 1 ? d->span->begin : d->span[span_after(d, begin_of(w))].begin;
}

/* When the first of the two left the call in which they last waited for each other. */
static inline ps_time common_start(const struct delaying *d, const struct waiting *w)
{
        ps_time begin = begin_of_span(d, w);
        if (w->waiter.op == PS_NONE || w->causer.op == PS_NONE)
                return begin;
        ps_time left =
                earlier(d->timing->leave[w->loc][w->waiter.op], d->timing->leave[w->by.loc][w->causer.op]);
        return later(left, begin);
}

/* A message is sent, and a collective operation entered, when the call begins; a lock is given back, and a
 * one-sided call done, when it ends. */
static inline bool ends_wait_late(uint8_t kind)
{
        ps_class cls = ps_kinds[kind].cls;
        return cls == PS_C_LOCK || cls == PS_C_RMA || cls == PS_C_RMA_SYNC;
}

static inline ps_time ending_of(const struct delaying *d, ps_ref by)
{
        bool is_late = ends_wait_late(d->trace->ops[by.loc].kind[by.op]);
        return (is_late ? d->timing->leave : d->timing->enter)[by.loc][by.op];
}

/* From the opening up to where each side entered its call. */
static inline void windows_of(const struct delaying *d, const struct waiting *w, struct window *waiter,
                              struct window *causer)
{
        ps_time end = ending_of(d, w->by);
        waiter->end = earlier(d->timing->enter[w->loc][w->op], begin_of(w));
        waiter->near = (struct near){w->waiter.op, w->op, w->waiter.wait};
        causer->end = is_scalasca(d) ? end : earlier(end, w->end);
        causer->near = (struct near){w->causer.op, w->by.op, w->causer.wait};
        if (is_scalasca(d))
                ps_windows_of_scalasca(d, w, waiter, causer);
        else
                waiter->begin = causer->begin = common_start(d, w);
}

/* The waits of the causer during its window, of the first one without the part before it. */
static inline void inherit_from(const struct delaying *d, struct waiting *w, uint32_t first, uint32_t behind,
                                ps_time cut)
{
        w->waited = waited_between(d, first, behind) - cut;
        w->first = first;
        w->behind = behind;
        w->is_cut = cut != 0;
}

/* Finds them. */
static inline void inherit_in_window(const struct delaying *d, struct waiting *w, const struct window *causer)
{
        ps_loc loc = w->by.loc;
        uint32_t first = w->first, behind = w->behind;
        ps_time cut = 0;
        if (is_scalasca(d)) {
                while (first < behind && w->causer.op != PS_NONE && d->wait[first].op == w->causer.op)
                        first++;
        } else {
                uint32_t end = ps_wait_after(d, loc, causer->end, behind);
                first = ps_wait_after(d, loc, causer->begin, first);
                behind = end < behind ? end : behind;
        }
        if (first >= behind)
                first = behind;
        else if (!is_scalasca(d))
                cut = later(0, causer->begin - begin_of(&d->wait[first]));
        inherit_from(d, w, first, behind, cut);
}

#endif
