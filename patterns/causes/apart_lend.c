/* apart_lend.c - apart.h: process 0 looks at the waits of all, of which the others lend it a few at a time.
 *
 * It follows what goes from wait to wait, location by location from the last wait to the first, or forward
 * again: so a block of each location at a time is enough. */
#include "patterns/causes/apart.h"

#include "core/base/memory.h"
#include "core/model/focus.h"

#include <stdlib.h>
#include <string.h>

/* Waits that are lent at a time, of all locations; but of each a few. */
enum { LENT = 1 << 16, LEAST_LENT = 64 };

/* -- how many there are, and where paths end -- */

static ps_status find_ends(const struct delaying *d, ps_error *err)
{
        struct path_end *last = d->apart->last = ps_memory_zeroed(d->n_spans, sizeof(*last));
        if (!last)
                return PS_NOMEM(err, "spans", d->n_spans);
        for (uint32_t s = 0; s < d->n_spans; s++) {
                const struct path_end end = ps_critical_end(d, d->span[s]);
                last[s].loc = end.loc;
                last[s].behind = end.behind;
                last[s].time = end.time;
        }
        return PS_OK;
}

/* The last of all; of several the one whose location comes first. */
static void take_ends(const struct delaying *d, const ps_pile *ends)
{
        struct path_end *last = d->apart->last, end;
        for (uint32_t p = 1; p < d->apart->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(ends, p, &n);
                for (uint32_t s = 0; s < d->n_spans; s++) {
                        memcpy(&end, at + s * sizeof(end), sizeof(end));
                        if (end.loc != PS_NONE && (last[s].loc == PS_NONE || end.time > last[s].time ||
                                                   (end.time == last[s].time && end.loc < last[s].loc)))
                                last[s] = end;
                }
        }
}

static ps_status gather_ends(struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        ps_pile ends = {NULL, NULL};
        ps_status status = ps_exchange_agree(x, find_ends(d, err), err);
        PS_THEN(status,
                ps_exchange_gather(x, &ends, d->apart->last, d->n_spans * sizeof(*d->apart->last), err));
        if (status == PS_OK && !x->rank)
                take_ends(d, &ends);
        ps_pile_clear(&ends);
        return status;
}

/* -- rows of all waits -- */

void ps_apart_collect(const struct delaying *d, void *of_all, const void *here, size_t size)
{
        const struct apart *a = d->apart;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const struct timeline *line = &d->line[loc];
                const uint8_t *from = (const uint8_t *)here + line->wait * size;
                uint8_t *to = a->x->rank ? NULL : (uint8_t *)of_all + a->first[loc] * size;
                if (a->x->rank && is_here(d, loc))
                        ps_exchange_send(a->x, 0, from, line->n_waits * size);
                else if (!a->x->rank && !is_here(d, loc))
                        ps_exchange_receive(a->x, owner_of(d, loc), to,
                                            (a->first[loc + 1] - a->first[loc]) * size);
                else if (!a->x->rank && line->n_waits)
                        memcpy(to, from, line->n_waits * size);
        }
}

/* -- the room for what is lent -- */

static ps_status find_first(struct delaying *d, ps_error *err)
{
        struct apart *a = d->apart;
        uint64_t n = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const uint32_t n_here = d->line[loc].n_waits;
                uint32_t n_waits = n_here;
                if (a->x->rank && is_here(d, loc))
                        ps_exchange_send(a->x, 0, &n_here, sizeof(n_here));
                else if (!a->x->rank && !is_here(d, loc))
                        ps_exchange_receive(a->x, owner_of(d, loc), &n_waits, sizeof(n_waits));
                if (a->x->rank)
                        continue;
                a->first[loc] = (uint32_t)n;
                n += n_waits;
                if (n + 1 >= PS_NONE)
                        n = PS_NONE;
        }
        if (!a->x->rank)
                a->first[d->trace->n_locs] = (uint32_t)n;
        return n < PS_NONE ? PS_OK : PS_NOMEM(err, "waits", n);
}

static ps_status make_room(struct delaying *d, ps_error *err)
{
        struct apart *a = d->apart;
        const size_t n_locs = d->trace->n_locs + (size_t)1;
        size_t n = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                n += is_here(d, loc) ? 0 : a->most_lent;
        a->lent = ps_memory_zeroed(n_locs, sizeof(*a->lent));
        a->lent_wait = ps_memory_new((n + n_locs) * sizeof(*a->lent_wait));
        a->lent_due = ps_memory_new((n * PS_CAUSES_TOLD + 1) * sizeof(*a->lent_due));
        if (!a->lent || !a->lent_wait || !a->lent_due)
                return PS_NOMEM(err, "waits", n);
        n = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const uint32_t n_waits = a->first[loc + 1] - a->first[loc];
                a->lent[loc] = (struct lent){
                        .wait = d->wait + d->line[loc].wait, .first = a->first[loc], .n = n_waits};
                if (is_here(d, loc))
                        continue;
                a->lent[loc] = (struct lent){.wait = a->lent_wait + n + loc,
                                             .due = a->lent_due + n * PS_CAUSES_TOLD};
                n += a->most_lent;
        }
        return PS_OK;
}

/* -- lending -- */

struct request {
        uint32_t loc, first, n; /* first: from the location's first wait; n: 0: nothing more */
};

/* Wait number `at` of the location's `all`, and what comes before it, or behind it. */
static struct request request_of(const struct apart *a, ps_loc loc, uint32_t at, uint32_t all)
{
        const uint32_t most = a->most_lent;
        if (a->goes_forward)
                return (struct request){loc, at, all - at < most ? all - at : most};
        return at < most ? (struct request){loc, 0, at + 1} : (struct request){loc, at + 1 - most, most};
}

static void send_block(const struct delaying *d, const struct request *r)
{
        const struct apart *a = d->apart;
        const struct waiting *w = d->wait + d->line[r->loc].wait + r->first;
        ps_exchange_send(a->x, 0, w, (r->n + (size_t)1) * sizeof(*w));
        if (a->goes_forward)
                ps_exchange_send(a->x, 0, a->due.row ? a->due.row + w->part : NULL,
                                 (w[r->n].part - w->part) * sizeof(*a->due.row));
}

static void receive_block(const struct delaying *d, const struct request *r)
{
        const struct apart *a = d->apart;
        struct lent *lent = &a->lent[r->loc];
        const uint32_t from = owner_of(d, r->loc);
        ps_exchange_receive(a->x, from, lent->wait, (r->n + (size_t)1) * sizeof(*lent->wait));
        if (a->goes_forward)
                ps_exchange_receive(a->x, from, lent->due,
                                    (lent->wait[r->n].part - lent->wait->part) * sizeof(*lent->due));
        lent->first = a->first[r->loc] + r->first;
        lent->n = r->n;
}

void ps_apart_offer(const struct delaying *d)
{
        const struct apart *a = d->apart;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const uint32_t all = a->x->rank ? d->line[loc].n_waits : a->first[loc + 1] - a->first[loc];
                const struct request r = request_of(a, loc, a->goes_forward ? 0 : all - 1, all);
                if (!all || is_here(d, loc) == !a->x->rank)
                        continue;
                if (a->x->rank)
                        send_block(d, &r);
                else
                        receive_block(d, &r);
        }
}

struct waiting *ps_apart_borrow(const struct delaying *d, ps_loc loc, uint32_t number)
{
        const struct apart *a = d->apart;
        const struct lent *lent = &a->lent[loc];
        const struct request r =
                request_of(a, loc, number - a->first[loc], a->first[loc + 1] - a->first[loc]);
        ps_exchange_send(a->x, owner_of(d, loc), &r, sizeof(r));
        receive_block(d, &r);
        return lent->wait + (number - lent->first);
}

void ps_apart_lend(const struct delaying *d)
{
        for (struct request r;;) {
                ps_exchange_receive(d->apart->x, 0, &r, sizeof(r));
                if (!r.n)
                        return;
                send_block(d, &r);
        }
}

void ps_apart_give_back(const struct delaying *d)
{
        const ps_exchange *x = d->apart->x;
        for (uint32_t p = 1; p < x->size; p++)
                ps_exchange_send(d->apart->x, p, &(struct request){0}, sizeof(struct request));
}

/* -- all -- */

ps_status ps_apart_open(struct delaying *d, ps_error *err)
{
        struct apart *a = d->apart;
        PS_TRY(gather_ends(d, err));
        a->most_lent =
                LENT / (d->trace->n_locs + 1) > LEAST_LENT ? LENT / (d->trace->n_locs + 1) : LEAST_LENT;
        a->first = ps_memory_zeroed(d->trace->n_locs + (size_t)1, sizeof(*a->first));
        PS_TRY(ps_exchange_agree(a->x, a->first ? PS_OK : PS_NOMEM(err, "locations", d->trace->n_locs), err));
        ps_status status = find_first(d, err);
        if (!a->x->rank)
                PS_THEN(status, make_room(d, err));
        status = ps_exchange_agree(a->x, status, err);
        a->is_open = status == PS_OK;
        if (status == PS_OK)
                ps_apart_offer(d);
        return status;
}
