/* chain.c - from one wait to who is to blame: along the longest of the waits that explain it. */
#include "patterns/causes/waits.h"

/* The longest wait of the location in this call; NULL: there is none in the focus. */
static const struct waiting *wait_at(const struct delaying *d, ps_ref at)
{
        const struct timeline *line = &d->line[at.loc];
        uint32_t low = line->wait, end = line->wait + line->n_waits;
        const struct waiting *longest = NULL;
        PS_SEARCH(low, end, i, d->wait[i].op < at.op);
        for (; low < end && d->wait[low].op == at.op; low++)
                if (!longest || length_of(&d->wait[low]) > length_of(longest))
                        longest = &d->wait[low];
        return longest;
}

/* The longest wait of the causer; NULL: what the causer did explains at least as much as its waits. */
static const struct waiting *wait_behind(const struct delaying *d, const struct waiting *w)
{
        struct split split = ps_split_of(d, w);
        const struct waiting *longest = NULL;
        if (split.indirect <= split.direct)
                return NULL;
        for (uint32_t i = w->first; i < w->behind; i++)
                if (!longest || length_of(&d->wait[i]) > length_of(longest))
                        longest = &d->wait[i];
        return longest;
}

uint32_t ps_delays_chain(const ps_delays *delays, ps_ref at, ps_delay_step *steps, uint32_t most)
{
        const struct delaying *d = delays->of;
        const struct waiting *w = wait_at(d, at);
        uint32_t n = 0;
        for (; w && n < most; w = w->is_caused ? wait_behind(d, w) : NULL)
                steps[n++] = (ps_delay_step){
                        .at = {w->loc, w->op}, .by = w->by, .begin = begin_of(w), .end = w->end};
        return n;
}
