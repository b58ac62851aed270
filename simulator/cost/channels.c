/* channels.c - messages that share channels: each takes the channel that is free first, and keeps it to its
 * end.
 *
 * In a hierarchy of clusters (Predictor of DVM, 2007) a message takes a channel of the smallest cluster that
 * holds both ends, and messages come in the order of the matrix. In Dimemas it takes a bus, a link out of the
 * sender's node and a link into the receiver's node, and messages come in the order in which they are ready.
 */
#include "core/base/search.h"
#include "simulator/cost/exchange.h"

#include <stdlib.h>

/* `owners` times `each` channels, by when they are free again; `each` 0: there is always one. */
typedef struct pool {
        ps_time *free_at;
        uint32_t each;
} pool;

/* No more channels than messages: the others stay free. */
static ps_status open_pool(pool *out, size_t owners, uint32_t each, size_t n_messages, ps_error *err)
{
        size_t count;
        out->each = each < n_messages ? each : (uint32_t)n_messages;
        out->free_at = NULL;
        if (!out->each)
                return PS_OK;
        if (__builtin_mul_overflow(owners, (size_t)out->each, &count) ||
            !(out->free_at = calloc(count, sizeof(*out->free_at))))
                return PS_NOMEM(err, "channels", owners);
        return PS_OK;
}

/* The one that is free first among the owner's `n` first channels; NULL when there is no limit. */
static ps_time *first_free(const pool *p, size_t owner, uint32_t n)
{
        if (!p->each || !n)
                return NULL;
        ps_time *channels = p->free_at + owner * p->each, *best = channels;
        for (uint32_t i = 1; i < p->each && i < n; i++)
                if (channels[i] < *best)
                        best = &channels[i];
        return best;
}

static void finish_transfer(const ps_exchange *x, const ps_transfer *t, ps_time end)
{
        if (end > x->done[t->source])
                x->done[t->source] = end;
        if (end > x->done[t->destination])
                x->done[t->destination] = end;
}

/* -- clusters -- */

ps_status ps_exchange_clusters(const ps_exchange *exchange, ps_error *err)
{
        const ps_machine *m = exchange->machine;
        uint32_t most = 0;
        pool channels;

        for (uint32_t i = 0; i < m->n_clusters; i++)
                most = m->clusters[i].channels > most ? m->clusters[i].channels : most;
        PS_TRY(open_pool(&channels, m->clusters[m->n_clusters - 1].n_instances, most, exchange->n, err));
        for (size_t i = 0; i < exchange->n; i++) {
                const ps_transfer *t = &exchange->transfers[i];
                uint32_t instance;
                const ps_cluster *c = &m->clusters[ps_cluster_find(m, t->source, t->destination, &instance)];
                ps_time *channel = first_free(&channels, instance, c->channels);
                ps_time end = ps_time_add(channel ? *channel : 0,
                                          ps_machine_flight(m, t->source, t->destination, t->bytes));
                if (channel)
                        *channel = end;
                finish_transfer(exchange, t, end);
        }
        free(channels.free_at);
        return PS_OK;
}

/* -- Dimemas -- */

typedef struct ready {
        ps_time at;
        size_t transfer;
} ready;

static int compare_ready(const void *a, const void *b)
{
        const ready *x = a, *y = b;
        PS_ORDER_BY(x->at, y->at);
        return PS_ORDER(x->transfer, y->transfer);
}

/* A sender pays its overheads one after the other. */
static void make_ready(ready *out, const ps_exchange *x)
{
        ps_time clock = 0;
        for (size_t i = 0; i < x->n; i++) {
                const ps_transfer *t = &x->transfers[i];
                if (i && t->source != t[-1].source)
                        clock = 0;
                clock = ps_time_add(
                        clock, ps_machine_send_overhead(x->machine, t->source, t->destination, t->bytes));
                out[i] = (ready){clock, i};
        }
        if (x->n)
                qsort(out, x->n, sizeof(*out), compare_ready);
}

static void send_over_buses(const ps_exchange *x, const ready *next, const pool *buses, const pool *out,
                            const pool *in)
{
        const ps_transfer *t = &x->transfers[next->transfer];
        uint32_t from = ps_machine_node(x->machine, t->source);
        uint32_t to = ps_machine_node(x->machine, t->destination);
        ps_time begin = next->at, end;
        ps_time *taken[] = {first_free(buses, 0, UINT32_MAX), first_free(out, from, UINT32_MAX),
                            first_free(in, to, UINT32_MAX)};
        int n_taken = from == to ? 0 : 3; /* memory has no links */
        for (int i = 0; i < n_taken; i++)
                if (taken[i] && *taken[i] > begin)
                        begin = *taken[i];
        end = ps_time_add(begin, ps_machine_flight(x->machine, t->source, t->destination, t->bytes));
        for (int i = 0; i < n_taken; i++)
                if (taken[i])
                        *taken[i] = end;
        finish_transfer(x, t, end);
}

ps_status ps_exchange_buses(const ps_exchange *exchange, ps_error *err)
{
        const ps_machine *m = exchange->machine;
        pool buses = {0}, out = {0}, in = {0};
        size_t n_nodes = 1;
        ready *queue = malloc((exchange->n + 1) * sizeof(*queue));
        ps_status status = queue ? PS_OK : PS_NOMEM(err, "messages", exchange->n);

        for (uint32_t i = 0; i < exchange->n_ranks; i++) {
                size_t node = ps_machine_node(m, i);
                n_nodes = node >= n_nodes ? node + 1 : n_nodes;
        }
        if (status != PS_OK || (status = open_pool(&buses, 1, m->buses, exchange->n, err)) ||
            (status = open_pool(&out, n_nodes, m->links_out, exchange->n, err)) ||
            (status = open_pool(&in, n_nodes, m->links_in, exchange->n, err)))
                goto out;
        make_ready(queue, exchange);
        for (size_t i = 0; i < exchange->n; i++)
                send_over_buses(exchange, &queue[i], &buses, &out, &in);
out:
        free(queue);
        free(buses.free_at);
        free(out.free_at);
        free(in.free_at);
        return status;
}
