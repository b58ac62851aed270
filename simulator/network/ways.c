/* ways.c - see ways.h. */
#include "simulator/network/ways.h"

#include "simulator/network/routes.h"

#include <math.h>
#include <stdlib.h>

typedef struct network_ways {
        ps_ways base; /* first */
        ps_network *network;
        ps_routes *routes;
        uint32_t *node; /* by rank */
} network_ways;

/* Link after link, or over all of them at the speed of the slowest. */
static double flight(ps_ways *ways, const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        const network_ways *w = (const network_ways *)ways;
        const uint32_t *route;
        uint32_t n = 0;
        if (ps_routes_find(w->routes, w->node[from], w->node[to], &route, &n, NULL) != PS_OK)
                return INFINITY; /* no memory: it takes longer than can be told */
        double per_byte = 1 / m->link.bandwidth_bytes_per_s;
        for (uint32_t i = 0; i < n; i++) {
                double own =
                        1 / m->link_bandwidth_bytes_per_s / ps_network_link_at(w->network, route[i]).weight;
                per_byte = m->sharing == PS_SHARING_FAIR ? fmax(per_byte, own) : per_byte + own;
        }
        return m->link.latency_s + n * m->hop_latency_s + bytes * per_byte;
}

ps_status ps_ways_new(ps_ways **out, const ps_machine *machine, uint32_t n_ranks, ps_error *err)
{
        network_ways *w = calloc(1, sizeof(*w));
        uint32_t n_nodes = 0;
        if (!w)
                return PS_NOMEM(err, "ways", 1);
        w->base.flight = flight;
        ps_status status = ps_machine_number_nodes(&w->node, &n_nodes, machine, n_ranks, err);
        PS_THEN(status, ps_network_open(&w->network, machine->network, n_nodes, err));
        PS_THEN(status, ps_routes_new(&w->routes, w->network, err));
        if (status == PS_OK)
                *out = &w->base;
        else
                ps_ways_free(&w->base);
        return status;
}

void ps_ways_free(ps_ways *ways)
{
        network_ways *w = (network_ways *)ways;
        if (!w)
                return;
        ps_routes_free(w->routes);
        ps_network_free(w->network);
        free(w->node);
        free(w);
}
