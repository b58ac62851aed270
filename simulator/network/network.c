/* network.c - the graph: links sorted by where they begin, so that a link is found by bisection. */
#include "simulator/network/network.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "simulator/network/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ps_status ps_network_edges_add(ps_network_edges *edges, uint32_t from, uint32_t to, double weight,
                               ps_error *err)
{
        return PS_APPEND(edges->row, edges->n, edges->cap, (ps_network_link){from, to, weight})
                       ? PS_NOMEM(err, "links", edges->n)
                       : PS_OK;
}

static int compare_links(const void *a, const void *b)
{
        const ps_network_link *x = a, *y = b;
        PS_ORDER_BY(x->from, y->from);
        return PS_ORDER(x->to, y->to);
}

static bool index_links(ps_network *network)
{
        network->first = calloc((size_t)network->n_nodes + 1, sizeof *network->first);
        if (!network->first)
                return false;
        for (uint32_t i = 0; i < network->n_links; i++)
                network->first[network->link[i].from + 1]++;
        for (uint32_t v = 0; v < network->n_nodes; v++)
                network->first[v + 1] += network->first[v];
        return true;
}

ps_status ps_network_build(ps_network **out, uint32_t n_nodes, ps_network_edges *edges, const ps_shape *shape,
                           ps_error *err)
{
        ps_network *network = calloc(1, sizeof *network);
        if (!network) {
                free(edges->row);
                return PS_NOMEM(err, "network", 1);
        }
        if (shape)
                network->shape = *shape;
        network->n_nodes = n_nodes;
        network->n_links = (uint32_t)edges->n;
        network->link = edges->row;
        if (network->shape.kind == PS_SHAPE_CROSSBAR) {
                network->n_links = n_nodes * (n_nodes - 1);
        } else {
                if (edges->n > 0)
                        qsort(edges->row, edges->n, sizeof *edges->row, compare_links);
                if (!index_links(network)) {
                        ps_network_free(network);
                        return PS_NOMEM(err, "nodes", n_nodes);
                }
        }
        *out = network;
        return PS_OK;
}

void ps_network_free(ps_network *network)
{
        if (!network)
                return;
        free(network->first);
        free(network->link);
        free(network);
}

uint32_t ps_network_nodes(const ps_network *network)
{
        return network->n_nodes;
}

uint32_t ps_network_links(const ps_network *network)
{
        return network->n_links;
}

bool ps_network_is_implicit(const ps_network *network)
{
        return network->shape.kind == PS_SHAPE_CROSSBAR;
}

ps_network_link ps_network_link_at(const ps_network *network, uint32_t link)
{
        if (network->shape.kind != PS_SHAPE_CROSSBAR)
                return network->link[link];
        uint32_t others = network->n_nodes - 1, from = link / others, to = link % others;
        return (ps_network_link){from, to + (to >= from), network->shape.weight};
}

uint32_t ps_network_find(const ps_network *network, uint32_t from, uint32_t to)
{
        if (from >= network->n_nodes || to >= network->n_nodes || from == to)
                return PS_NONE;
        if (network->shape.kind == PS_SHAPE_CROSSBAR)
                return from * (network->n_nodes - 1) + to - (to > from);
        uint32_t low = network->first[from];
        PS_SEARCH(low, network->first[from + 1], middle, network->link[middle].to < to);
        return low < network->first[from + 1] && network->link[low].to == to ? low : PS_NONE;
}

/* -- which processors reach each other -- */

/* The rows of links by their ends: row v of `first` lists the beginnings of those that end in v. */
static void list_senders(const ps_network *network, uint32_t *first, uint32_t *sender)
{
        memset(first, 0, ((size_t)network->n_nodes + 2) * sizeof *first);
        for (uint32_t i = 0; i < network->n_links; i++)
                first[network->link[i].to + 2]++;
        for (uint32_t v = 0; v < network->n_nodes; v++)
                first[v + 2] += first[v + 1];
        for (uint32_t i = 0; i < network->n_links; i++)
                sender[first[network->link[i].to + 1]++] = network->link[i].from;
}

/* Marks what node 0 reaches along rows of neighbours. `queue` has room for all nodes. */
static void spread(uint32_t n_nodes, const uint32_t *first, const uint32_t *neighbour, uint8_t *reached,
                   uint32_t *queue)
{
        uint32_t n = 1;
        memset(reached, 0, n_nodes);
        queue[0] = 0;
        reached[0] = 1;
        for (uint32_t i = 0; i < n; i++)
                for (uint32_t k = first[queue[i]]; k < first[queue[i] + 1]; k++)
                        if (!reached[neighbour[k]]) {
                                reached[neighbour[k]] = 1;
                                queue[n++] = neighbour[k];
                        }
}

static ps_status expect_reached(const uint8_t *reached, uint32_t n_processors, bool backwards, ps_error *err)
{
        uint32_t p = 0;
        while (p < n_processors && reached[p])
                p++;
        if (p == n_processors)
                return PS_OK;
        return PS_FAIL(err, PS_E_INPUT, "the network has no path between two processors: from=%u, to=%u",
                       backwards ? p : 0, backwards ? 0 : p);
}

/* All reach each other exactly when all reach processor 0 and it reaches all. */
static ps_status check_ways(const ps_network *network, uint32_t n_processors, ps_error *err)
{
        size_t nodes = network->n_nodes, links = network->n_links;
        uint32_t *first = malloc((nodes + 2) * sizeof *first), *queue = malloc(nodes * sizeof *queue);
        uint32_t *neighbour = calloc(links ? links : 1, sizeof *neighbour);
        uint8_t *reached = malloc(nodes);
        ps_status status;
        if (!first || !queue || !neighbour || !reached) {
                status = PS_NOMEM(err, "nodes", nodes);
                goto out;
        }
        for (size_t i = 0; i < links; i++)
                neighbour[i] = network->link[i].to;
        spread(network->n_nodes, network->first, neighbour, reached, queue);
        status = expect_reached(reached, n_processors, 0, err);
        if (status != PS_OK)
                goto out;
        list_senders(network, first, neighbour);
        spread(network->n_nodes, first, neighbour, reached, queue);
        status = expect_reached(reached, n_processors, 1, err);
out:
        free(first);
        free(queue);
        free(neighbour);
        free(reached);
        return status;
}

ps_status ps_network_check(const ps_network *network, uint32_t n_processors, ps_error *err)
{
        if (n_processors > network->n_nodes)
                return PS_FAIL(err, PS_E_INPUT, "the network is too small: nodes=%u, processors=%u",
                               network->n_nodes, n_processors);
        if (network->shape.kind != PS_SHAPE_NONE)
                return PS_OK;
        return check_ways(network, n_processors, err);
}

/* A file that is not there may be a preset that is spelled wrong. */
static ps_status read_file(ps_network **out, const char *path, ps_error *err)
{
        char presets[160] = "";
        const ps_network_preset_info *row;
        ps_status status = ps_network_read(out, path, err);
        size_t at = 0;
        if (status == PS_OK || access(path, F_OK) == 0)
                return status;
        for (uint32_t i = 0; (row = ps_network_preset_row(i)) && at < sizeof(presets); i++)
                at += (size_t)snprintf(presets + at, sizeof(presets) - at, "%s%s", i ? ", " : "", row->name);
        return PS_CAUSE(err, status,
                        "there is no such file, and no such preset: network=\"%s\", presets=\"%s\"", path,
                        presets);
}

ps_status ps_network_open(ps_network **out, const char *file_or_preset, uint32_t n_processors, ps_error *err)
{
        ps_network *network = NULL;
        PS_TRY(ps_network_is_preset(file_or_preset)
                       ? ps_network_preset(&network, file_or_preset, n_processors, err)
                       : read_file(&network, file_or_preset, err));
        ps_status status = ps_network_check(network, n_processors, err);
        if (status != PS_OK) {
                ps_network_free(network);
                return PS_CAUSE(err, status, "cannot use the network \"%s\"", file_or_preset);
        }
        *out = network;
        return PS_OK;
}
