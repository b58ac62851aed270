/* routes.h - which links a packet takes.
 *
 * A cheapest way, a link costing 1 / weight (Martinaitis 6.2.2 runs Dijkstra's algorithm for each pair).
 * Among ways that cost the same it is the one whose nodes, read from the sender on, come first in the order
 * of numbers: each node passes a packet on to its lowest neighbour that lies on a cheapest way.
 *
 * Routes are found when they are first asked for; what is kept of them is bounded. Not for two threads. */
#ifndef PS_SIMULATOR_NETWORK_ROUTES_H
#define PS_SIMULATOR_NETWORK_ROUTES_H

#include "simulator/network/network.h"

typedef struct ps_routes ps_routes;

/* Borrows the network. */
ps_status ps_routes_new(ps_routes **out, const ps_network *network, ps_error *err);
void ps_routes_free(ps_routes *routes);

/* The `n` links of the way, which are good until the next call; none if from == to. No way: PS_E_INPUT. */
ps_status ps_routes_find(ps_routes *routes, uint32_t from, uint32_t to, const uint32_t **links, uint32_t *n,
                         ps_error *err);

#endif
