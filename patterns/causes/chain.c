/* chain.c - from one wait to who is to blame: along the longest of the waits that explain it. */
#include "patterns/causes/chain.h"
#include "patterns/causes/apart.h"

/* `w`: NULL: there is none. Where what the causer did explains at least as much as its waits the way ends. */
static struct link link_of(const struct delaying *d, const struct waiting *w)
{
        if (!w)
                return (struct link){.is_there = false};
        const struct split split = ps_split_of(d, w);
        return (struct link){.step = {{w->loc, w->op}, w->by, begin_of(w), w->end},
                             .first = w->first,
                             .behind = w->behind,
                             .is_there = true,
                             .goes_on = w->is_caused && split.indirect > split.direct};
}

struct link ps_link_at(const struct delaying *d, ps_ref at)
{
        const struct timeline *line = &d->line[at.loc];
        uint32_t low = line->wait, end = line->wait + line->n_waits;
        const struct waiting *longest = NULL;
        PS_SEARCH(low, end, i, d->wait[i].op < at.op);
        for (; low < end && d->wait[low].op == at.op; low++)
                if (!longest || length_of(&d->wait[low]) > length_of(longest))
                        longest = &d->wait[low];
        return link_of(d, longest);
}

struct link ps_link_between(const struct delaying *d, uint32_t first, uint32_t behind)
{
        const struct waiting *longest = NULL;
        for (uint32_t i = first; i < behind; i++)
                if (!longest || length_of(&d->wait[i]) > length_of(longest))
                        longest = &d->wait[i];
        return link_of(d, longest);
}

uint32_t ps_delays_chain(const ps_delays *delays, ps_ref at, ps_delay_step steps[PS_CHAIN_MOST])
{
        const struct delaying *d = delays->of;
        uint32_t n = 0;
        if (d->apart)
                return ps_apart_chain(d, at, steps);
        for (struct link link = ps_link_at(d, at); link.is_there && n < PS_CHAIN_MOST;
             link = link.goes_on ? ps_link_between(d, link.first, link.behind) : (struct link){0})
                steps[n++] = link.step;
        return n;
}
