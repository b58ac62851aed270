/* apart_gather.c - apart.h: process 0 gets waits, parts and costs of all, in the order of locations. First it
 * hears how many there are; when it has the room for them they come, one location after the other. */
#include "patterns/causes/apart.h"

#include "core/base/memory.h"
#include "core/model/focus.h"

#include <stdlib.h>
#include <string.h>

/* Of a location. */
struct gathered {
        uint32_t n_waits, n_parts, n_costs, unused;
        ps_time waited;
        ps_time sum[PS_N_DELAYS][PS_N_DELAYED];
};

/* What process 0 has before it has that of all. */
struct gathering {
        struct delaying *d;
        ps_pile heads; /* of the others: a `gathered` for each location, and for each span a `path_end` */
        struct gathered *of;  /* by location */
        struct waiting *wait; /* its own, as before */
        ps_delay_cost *cost;
        uint32_t *costs;
        uint32_t *first; /* by location: its own first one of these waits */
};

/* -- how much there is -- */

static struct gathered count(const struct delaying *d, ps_loc loc)
{
        const struct timeline *line = &d->line[loc];
        struct gathered g = {.n_waits = line->n_waits,
                             .n_parts = d->parts[loc].n,
                             .n_costs = d->costs[loc + 1] - d->costs[loc],
                             .waited = waited_between(d, line->wait, line->wait + line->n_waits)};
        memcpy(g.sum, d->out->sum[loc], sizeof(g.sum));
        return g;
}

static ps_status find_ends(const struct delaying *d, ps_error *err)
{
        struct path_end *last = d->apart->last = ps_memory_zeroed(d->n_spans, sizeof(*last));
        if (!last)
                return PS_NOMEM(err, "spans", d->n_spans);
        for (uint32_t s = 0; s < d->n_spans; s++) {
                const struct path_end end = ps_critical_end(d, d->span[s]);
                last[s].loc = end.loc;
                last[s].time = end.time;
        }
        return PS_OK;
}

static ps_status put_heads(uint8_t **out, size_t *n, const struct delaying *d, ps_error *err)
{
        ps_loc n_here = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                n_here += is_here(d, loc);
        PS_TRY(find_ends(d, err));
        *n = n_here * sizeof(struct gathered) + d->n_spans * sizeof(struct path_end);
        uint8_t *at = *out = ps_memory_new(*n + 1);
        if (!at)
                return PS_NOMEM(err, "locations", n_here);
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                if (!is_here(d, loc))
                        continue;
                const struct gathered g = count(d, loc);
                memcpy(at, &g, sizeof(g));
                at += sizeof(g);
        }
        memcpy(at, d->apart->last, d->n_spans * sizeof(struct path_end));
        return PS_OK;
}

/* -- process 0: the room -- */

static void take_ends(const struct delaying *d, const uint8_t *at)
{
        struct path_end *last = d->apart->last, end;
        for (uint32_t s = 0; s < d->n_spans; s++) {
                memcpy(&end, at + s * sizeof(end), sizeof(end));
                if (end.loc != PS_NONE && (last[s].loc == PS_NONE || end.time > last[s].time ||
                                           (end.time == last[s].time && end.loc < last[s].loc)))
                        last[s] = end;
        }
}

static ps_status take_heads(struct gathering *g, ps_error *err)
{
        const struct delaying *d = g->d;
        const uint8_t **at = calloc(d->apart->x->size, sizeof(*at));
        size_t n;
        g->of = ps_memory_zeroed(d->trace->n_locs + (size_t)1, sizeof(*g->of));
        if (!at || !g->of) {
                free(at);
                return PS_NOMEM(err, "locations", d->trace->n_locs);
        }
        for (uint32_t p = 1; p < d->apart->x->size; p++)
                at[p] = ps_pile_part(&g->heads, p, &n);
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const uint32_t owner = owner_of(d, loc);
                if (!owner) {
                        g->of[loc] = count(d, loc);
                        continue;
                }
                memcpy(&g->of[loc], at[owner], sizeof(*g->of));
                at[owner] += sizeof(*g->of);
        }
        for (uint32_t p = 1; p < d->apart->x->size; p++)
                take_ends(d, at[p]);
        free(at);
        return PS_OK;
}

/* Where each location's own begin in those of all. */
static ps_status make_room(struct gathering *g, ps_error *err)
{
        struct delaying *d = g->d;
        uint64_t n_waits = 0, n_costs = 0;
        g->wait = d->wait;
        g->cost = d->out->cost;
        g->costs = d->costs;
        g->first = ps_memory_new((d->trace->n_locs + (size_t)1) * sizeof(*g->first));
        d->wait = NULL;
        d->out->cost = NULL;
        d->costs = ps_memory_zeroed(d->trace->n_locs + (size_t)1, sizeof(*d->costs));
        if (!d->costs || !g->first)
                return PS_NOMEM(err, "locations", d->trace->n_locs);
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                g->first[loc] = d->line[loc].wait;
                d->line[loc].wait = (uint32_t)n_waits;
                d->line[loc].n_waits = g->of[loc].n_waits;
                n_waits += g->of[loc].n_waits;
                n_costs += g->of[loc].n_costs;
                d->costs[loc + 1] = (uint32_t)n_costs;
        }
        d->n_waits = (uint32_t)n_waits;
        d->out->n_costs = (uint32_t)n_costs;
        bool fits = n_waits + 1 < PS_NONE && n_costs < PS_NONE;
        d->wait = fits ? ps_memory_new((n_waits + 1) * sizeof(*d->wait)) : NULL;
        d->apart->path = fits ? ps_memory_new((n_waits + 1) * sizeof(*d->apart->path)) : NULL;
        d->out->cost = fits ? ps_memory_new((n_costs + 1) * sizeof(*d->out->cost)) : NULL;
        if (!d->wait || !d->apart->path || !d->out->cost)
                return PS_NOMEM(err, "waits", n_waits);
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                struct parts_of *parts = &d->parts[loc];
                if (is_here(d, loc) || !g->of[loc].n_parts)
                        continue;
                parts->n = parts->cap = g->of[loc].n_parts;
                if (!(parts->row = ps_memory_new(parts->n * sizeof(*parts->row))))
                        return PS_NOMEM(err, "costs", parts->n);
        }
        return PS_OK;
}

/* -- what there is -- */

static void list_paths(ps_path *out, const struct delaying *d, const struct waiting *wait, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++)
                out[i] = ps_op_path(&d->trace->ops[wait[i].loc], wait[i].op);
}

static void copy_own(const struct gathering *g, ps_loc loc)
{
        const struct delaying *d = g->d;
        const struct timeline *line = &d->line[loc];
        const struct waiting *wait = g->wait + g->first[loc];
        if (line->n_waits)
                memcpy(d->wait + line->wait, wait, line->n_waits * sizeof(*wait));
        list_paths(d->apart->path + line->wait, d, wait, line->n_waits);
        if (g->of[loc].n_costs)
                memcpy(d->out->cost + d->costs[loc], g->cost + g->costs[loc],
                       g->of[loc].n_costs * sizeof(*g->cost));
}

static void receive(const struct gathering *g, ps_loc loc)
{
        const struct delaying *d = g->d;
        const struct gathered *of = &g->of[loc];
        const struct timeline *line = &d->line[loc];
        ps_exchange *x = d->apart->x;
        const uint32_t from = owner_of(d, loc);
        ps_exchange_receive(x, from, d->wait + line->wait, of->n_waits * sizeof(*d->wait));
        ps_exchange_receive(x, from, d->apart->path + line->wait, of->n_waits * sizeof(*d->apart->path));
        ps_exchange_receive(x, from, d->parts[loc].row, of->n_parts * sizeof(*d->parts[loc].row));
        ps_exchange_receive(x, from, d->out->cost + d->costs[loc], of->n_costs * sizeof(*d->out->cost));
        memcpy(d->out->sum[loc], of->sum, sizeof(of->sum));
}

static ps_status send_all(const struct delaying *d)
{
        ps_exchange *x = d->apart->x;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const struct timeline *line = &d->line[loc];
                if (!is_here(d, loc))
                        continue;
                const uint32_t first = d->costs[loc];
                ps_exchange_send(x, 0, d->wait + line->wait, line->n_waits * sizeof(*d->wait));
                list_paths(d->apart->path, d, d->wait + line->wait, line->n_waits);
                ps_exchange_send(x, 0, d->apart->path, line->n_waits * sizeof(*d->apart->path));
                ps_exchange_send(x, 0, d->parts[loc].row, d->parts[loc].n * sizeof(*d->parts[loc].row));
                ps_exchange_send(x, 0, d->out->cost + first,
                                 (d->costs[loc + 1] - first) * sizeof(*d->out->cost));
        }
        return PS_OK;
}

/* They counted from the first one of the location that they are of, and what was waited before it. */
static void number_waits(const struct gathering *g)
{
        struct delaying *d = g->d;
        uint64_t waited = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const struct timeline *line = &d->line[loc];
                struct waiting *w = d->wait + line->wait, *behind = w + line->n_waits;
                const uint64_t shift = w < behind ? waited - w->before : 0;
                for (; w < behind; w++) {
                        w->before += shift;
                        if (!w->is_caused)
                                continue;
                        w->first += d->line[w->by.loc].wait;
                        w->behind += d->line[w->by.loc].wait;
                }
                waited += (uint64_t)g->of[loc].waited;
        }
        d->wait[d->n_waits].before = waited;
}

/* -- all -- */

static ps_status lead(struct gathering *g, ps_error *err)
{
        struct delaying *d = g->d;
        ps_status status = take_heads(g, err);
        PS_THEN(status, make_room(g, err));
        status = ps_exchange_agree(d->apart->x, status, err);
        const bool has_room = status == PS_OK && d->wait && d->apart->path && d->out->cost;
        for (ps_loc loc = 0; has_room && loc < d->trace->n_locs; loc++)
                if (is_here(d, loc))
                        copy_own(g, loc);
                else
                        receive(g, loc);
        if (has_room)
                number_waits(g);
        free(g->of);
        free(g->wait);
        free(g->cost);
        free(g->costs);
        free(g->first);
        return status;
}

/* The paths of one location at a time. */
static ps_status follow(struct delaying *d, ps_error *err)
{
        uint32_t most = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                if (is_here(d, loc) && d->line[loc].n_waits > most)
                        most = d->line[loc].n_waits;
        d->apart->path = ps_memory_new((most + (size_t)1) * sizeof(*d->apart->path));
        PS_TRY(ps_exchange_agree(d->apart->x, d->apart->path ? PS_OK : PS_NOMEM(err, "waits", most), err));
        return send_all(d);
}

ps_status ps_apart_gather(struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        struct gathering g = {.d = d};
        uint8_t *heads = NULL;
        size_t n = 0;
        ps_status status = ps_exchange_agree(x, put_heads(&heads, &n, d, err), err);
        PS_THEN(status, ps_exchange_gather(x, &g.heads, heads, n, err));
        free(heads);
        status = ps_exchange_agree(x, status, err);
        PS_THEN(status, x->rank ? follow(d, err) : lead(&g, err));
        ps_pile_clear(&g.heads);
        return status;
}
