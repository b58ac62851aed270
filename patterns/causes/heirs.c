/* heirs.c - in which order waits pass costs on.
 *
 * What a wait passes on depends on waits that came later: the next one of its own location, and its heirs. So
 * it has its turn after these. That order follows from the windows alone, and no clock is asked: a wait is
 * free once the one after it had its turn, and so had all heirs whose last inherited wait it is. Each wait is
 * visited once. Where clocks are so wrong that no wait is free, the first location that has waits left goes
 * on. */
#include "patterns/causes/inherit.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"

#include <stdlib.h>

static void link_ranges(struct heirs *h)
{
        const struct delaying *d = h->d;
        for (uint32_t i = d->n_waits; i-- > 0;) {
                const struct waiting *w = &d->wait[i];
                ps_blocks_keep_at(i);
                if (!inherits(w))
                        continue;
                h->begins_as_well[i] = h->begin[w->behind - 1];
                h->begin[w->behind - 1] = i + 1;
                h->ends_as_well[i] = h->end[w->first];
                h->end[w->first] = i + 1;
        }
}

struct turns {
        struct heirs *h;
        struct delaying *d;
        uint32_t *pending; /* by wait: of how many heirs that have had no turn it is the last inherited one */
        uint32_t *left;    /* by location: its waits before this number have had no turn */
        ps_loc *ready;
        uint32_t n_ready, n;
        ps_loc stuck; /* the locations before it have no waits left */
};

static bool has_left(const struct turns *t, ps_loc loc)
{
        return t->left[loc] > t->d->line[loc].wait;
}

static void take_turn(struct turns *t, ps_loc loc)
{
        uint32_t i = --t->left[loc];
        ps_blocks_keep_at(i);
        struct waiting *w = &t->d->wait[i];
        t->h->order[t->n++] = i;
        if (!inherits(w))
                return;
        uint32_t last = w->behind - 1;
        t->pending[last]--;
        if (t->left[w->by.loc] <= last)
                w->first = w->behind;
        else if (t->left[w->by.loc] == last + 1 && !t->pending[last])
                t->ready[t->n_ready++] = w->by.loc;
}

static void take_free_turns(struct turns *t, ps_loc loc)
{
        while (has_left(t, loc) && !t->pending[t->left[loc] - 1])
                take_turn(t, loc);
}

static void take_turns(struct turns *t)
{
        for (ps_loc loc = 0; loc < t->d->trace->n_locs; loc++) {
                take_free_turns(t, loc);
                while (t->n_ready)
                        take_free_turns(t, t->ready[--t->n_ready]);
        }
        while (t->n < t->d->n_waits) {
                while (!has_left(t, t->stuck))
                        t->stuck++;
                take_turn(t, t->stuck);
                t->ready[t->n_ready++] = t->stuck;
                while (t->n_ready)
                        take_free_turns(t, t->ready[--t->n_ready]);
        }
}

static ps_status make_turns(struct turns *t, ps_error *err)
{
        const struct delaying *d = t->d;
        t->pending = ps_memory_zeroed(d->n_waits + (size_t)1, sizeof(*t->pending));
        t->left = ps_memory_new((d->trace->n_locs + (size_t)1) * sizeof(*t->left));
        t->ready = ps_memory_new((d->n_waits + (size_t)d->trace->n_locs + 1) * sizeof(*t->ready));
        if (!t->pending || !t->left || !t->ready)
                return PS_NOMEM(err, "waits", d->n_waits);
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                t->left[loc] = d->line[loc].wait + d->line[loc].n_waits;
        for (uint32_t i = 0; i < d->n_waits; i++)
                if (inherits(&d->wait[i]))
                        t->pending[d->wait[i].behind - 1]++;
        return PS_OK;
}

static ps_status find_order(struct heirs *h, struct delaying *d, ps_error *err)
{
        struct turns t = {.h = h, .d = d};
        h->order = ps_memory_new((d->n_waits + (size_t)1) * sizeof(*h->order));
        ps_status status = h->order ? make_turns(&t, err) : PS_NOMEM(err, "waits", d->n_waits);
        if (status == PS_OK)
                take_turns(&t);
        free(t.pending);
        free(t.left);
        free(t.ready);
        return status;
}

/* The ranges are linked where the tables of turns have been. */
ps_status ps_heirs_find(struct heirs *h, struct delaying *d, ps_error *err)
{
        size_t n = d->n_waits + (size_t)1;
        *h = (struct heirs){.d = d};
        PS_TRY(find_order(h, d, err));
        h->begin = ps_memory_zeroed(n, sizeof(*h->begin));
        h->begins_as_well = ps_memory_new(n * sizeof(*h->begins_as_well));
        h->end = ps_memory_zeroed(n, sizeof(*h->end));
        h->ends_as_well = ps_memory_new(n * sizeof(*h->ends_as_well));
        if (!h->begin || !h->begins_as_well || !h->end || !h->ends_as_well)
                return PS_NOMEM(err, "waits", n);
        link_ranges(h);
        return PS_OK;
}

void ps_heirs_free(struct heirs *h)
{
        free(h->order);
        free(h->begin);
        free(h->begins_as_well);
        free(h->end);
        free(h->ends_as_well);
        *h = (struct heirs){0};
}
