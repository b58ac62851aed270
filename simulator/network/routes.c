/* routes.c - Dijkstra's algorithm, from each destination backwards.
 *
 * Backwards, because then one table by node says how to go on towards a destination, whoever sent, and the
 * way that comes first in the order of nodes is found by looking at neighbours in their order.
 *
 * Whether two ways cost the same must not depend on rounding: costs are whole numbers. When the weights are
 * simple fractions p/q (as all that people write), the costs q/p are multiplied with the common multiple of
 * all p, which is exact: three links of weight 3 cost what one of weight 1 does. Else they are rounded to
 * whole parts of the smallest weight's cost; ways over links of the same weights still cost the same then, in
 * whatever order they come.
 *
 * Networks of regular shape need neither costs nor tables. */
#include "simulator/network/routes.h"
#include "core/base/vector.h"
#include "simulator/network/internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { SIMPLE = 1 << 20 /* numerators and denominators of simple fractions are smaller */ };

static const uint64_t far = UINT64_MAX; /* no way */
static const uint64_t furthest = UINT64_C(1) << 62;
static const size_t tables_bytes = (size_t)128 << 20; /* all tables together */

/* The way to one destination: by node, the link to take; PS_NONE where there is none. */
typedef struct table {
        uint32_t to;
        uint32_t *link;
} table;

struct ps_routes {
        const ps_network *network;
        uint64_t *cost;                 /* by link */
        uint32_t *in_first, *in_link;   /* links by the node where they end */
        uint64_t *distance;             /* scratch by node */
        uint32_t *heap, *place, n_heap; /* nodes, nearest first; by node: its place in the heap, or PS_NONE */
        uint32_t n_tables;
        table *table;           /* the table of a destination is at (destination modulo n_tables) */
        uint32_t *way, way_cap; /* the answer */
};

/* -- costs -- */

/* The simplest fraction that is the number, by its continued fraction. */
static bool find_fraction(double x, uint64_t *p, uint64_t *q)
{
        uint64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
        double rest = x;
        while (rest < SIMPLE) {
                uint64_t whole = (uint64_t)rest, p2 = whole * p1 + p0, q2 = whole * q1 + q0;
                if (p2 >= SIMPLE || q2 >= SIMPLE)
                        return false;
                if ((double)p2 / (double)q2 == x) {
                        *p = p2;
                        *q = q2;
                        return true;
                }
                p0 = p1, q0 = q1, p1 = p2, q1 = q2;
                rest = 1 / (rest - floor(rest));
        }
        return false;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
        while (b > 0) {
                uint64_t rest = a % b;
                a = b;
                b = rest;
        }
        assert(a > 0); /* neither a multiple nor a weight is 0 */
        return a;
}

/* The costs times the common multiple of all numerators; 0 when that is no way to have them. */
static bool set_exact_costs(ps_routes *r)
{
        const ps_network *network = r->network;
        assert(network->n_nodes > 0);
        uint64_t multiple = 1, p = 1, q = 1, limit = furthest / network->n_nodes;
        for (uint32_t i = 0; i < network->n_links; i++)
                if (!find_fraction(network->link[i].weight, &p, &q) ||
                    __builtin_mul_overflow(multiple / common_divisor(multiple, p), p, &multiple) ||
                    multiple > limit)
                        return false;
        for (uint32_t i = 0; i < network->n_links; i++)
                if (!find_fraction(network->link[i].weight, &p, &q) ||
                    __builtin_mul_overflow(multiple / p, q, &r->cost[i]) || r->cost[i] > limit)
                        return false;
        return true;
}

static void set_rounded_costs(ps_routes *r)
{
        const ps_network *network = r->network;
        uint64_t highest = furthest / network->n_nodes;
        double least = HUGE_VAL;
        for (uint32_t i = 0; i < network->n_links; i++)
                least = fmin(least, network->link[i].weight);
        for (uint32_t i = 0; i < network->n_links; i++)
                r->cost[i] = (uint64_t)fmax(1, round(least / network->link[i].weight * (double)highest));
}

/* -- the tables -- */

static void list_incoming(ps_routes *r)
{
        const ps_network *network = r->network;
        for (uint32_t i = 0; i < network->n_links; i++)
                r->in_first[network->link[i].to + 2]++;
        for (uint32_t v = 0; v < network->n_nodes; v++)
                r->in_first[v + 2] += r->in_first[v + 1];
        for (uint32_t i = 0; i < network->n_links; i++)
                r->in_link[r->in_first[network->link[i].to + 1]++] = i;
}

static ps_status prepare_tables(ps_routes *r, ps_error *err)
{
        size_t nodes = r->network->n_nodes, links = r->network->n_links;
        size_t n_tables = tables_bytes / (nodes * sizeof *r->table->link);
        r->n_tables = (uint32_t)(n_tables < nodes ? n_tables : nodes);
        r->cost = malloc((links + 1) * sizeof *r->cost);
        r->in_first = calloc(nodes + 2, sizeof *r->in_first);
        r->in_link = malloc((links + 1) * sizeof *r->in_link);
        r->distance = malloc(nodes * sizeof *r->distance);
        r->heap = malloc(nodes * sizeof *r->heap);
        r->place = malloc(nodes * sizeof *r->place);
        r->table = calloc(r->n_tables, sizeof *r->table);
        if (!r->cost || !r->in_first || !r->in_link || !r->distance || !r->heap || !r->place || !r->table)
                return PS_NOMEM(err, "routes", nodes);
        list_incoming(r);
        if (!set_exact_costs(r))
                set_rounded_costs(r);
        return PS_OK;
}

static void put_node(ps_routes *r, uint32_t place, uint32_t node)
{
        r->heap[place] = node;
        r->place[node] = place;
}

/* Where the node belongs that was at `place` and came nearer. (What core/base/heap makes does not know where
 * in the heap something is, so it cannot let it rise from there.) */
static void lift(ps_routes *r, uint32_t place, uint32_t node)
{
        while (place > 0 && r->distance[r->heap[(place - 1) / 2]] > r->distance[node]) {
                put_node(r, place, r->heap[(place - 1) / 2]);
                place = (place - 1) / 2;
        }
        put_node(r, place, node);
}

static uint32_t take_nearest(ps_routes *r)
{
        uint32_t nearest = r->heap[0], last = r->heap[--r->n_heap], place = 0;
        for (uint32_t child = 1; child < r->n_heap; child = 2 * place + 1) {
                if (child + 1 < r->n_heap && r->distance[r->heap[child + 1]] < r->distance[r->heap[child]])
                        child++;
                if (r->distance[r->heap[child]] >= r->distance[last])
                        break;
                put_node(r, place, r->heap[child]);
                place = child;
        }
        if (r->n_heap > 0)
                put_node(r, place, last);
        return nearest;
}

static void relax(ps_routes *r, uint32_t link, uint64_t beyond)
{
        uint32_t from = r->network->link[link].from;
        uint64_t distance = beyond + r->cost[link];
        if (distance >= r->distance[from])
                return;
        if (r->distance[from] == far)
                r->place[from] = r->n_heap++;
        r->distance[from] = distance;
        lift(r, r->place[from], from);
}

static void measure_distances(ps_routes *r, uint32_t to)
{
        for (uint32_t v = 0; v < r->network->n_nodes; v++)
                r->distance[v] = far;
        r->distance[to] = 0;
        put_node(r, 0, to);
        r->n_heap = 1;
        while (r->n_heap > 0) {
                uint32_t node = take_nearest(r);
                for (uint32_t k = r->in_first[node]; k < r->in_first[node + 1]; k++)
                        relax(r, r->in_link[k], r->distance[node]);
        }
}

static uint32_t choose_link(const ps_routes *r, uint32_t node)
{
        const ps_network *network = r->network;
        for (uint32_t i = network->first[node]; i < network->first[node + 1]; i++) {
                uint64_t beyond = r->distance[network->link[i].to];
                if (beyond != far && beyond + r->cost[i] == r->distance[node])
                        return i;
        }
        return PS_NONE;
}

static const table *find_table(ps_routes *r, uint32_t to)
{
        table *t = &r->table[to % r->n_tables];
        if (t->link && t->to == to)
                return t;
        if (!t->link)
                t->link = malloc(r->network->n_nodes * sizeof *t->link);
        if (!t->link)
                return NULL;
        t->to = to;
        measure_distances(r, to);
        for (uint32_t v = 0; v < r->network->n_nodes; v++)
                t->link[v] = choose_link(r, v);
        return t;
}

/* -- asking -- */

ps_status ps_routes_new(ps_routes **out, const ps_network *network, ps_error *err)
{
        ps_routes *r = calloc(1, sizeof *r);
        if (!r)
                return PS_NOMEM(err, "routes", 1);
        r->network = network;
        r->way_cap = 2 * PS_SHAPE_LEVELS;
        r->way = malloc(r->way_cap * sizeof *r->way);
        ps_status status = r->way ? PS_OK : PS_NOMEM(err, "links of a route", r->way_cap);
        if (status == PS_OK && network->shape.kind == PS_SHAPE_NONE)
                status = prepare_tables(r, err);
        if (status == PS_OK)
                *out = r;
        else
                ps_routes_free(r);
        return status;
}

void ps_routes_free(ps_routes *r)
{
        if (!r)
                return;
        for (uint32_t i = 0; r->table && i < r->n_tables; i++)
                free(r->table[i].link);
        free(r->table);
        free(r->cost);
        free(r->in_first);
        free(r->in_link);
        free(r->distance);
        free(r->heap);
        free(r->place);
        free(r->way);
        free(r);
}

static ps_status append_link(ps_routes *r, uint32_t n, uint32_t link, ps_error *err)
{
        if (PS_ROOM(r->way, n, r->way_cap))
                return PS_NOMEM(err, "links of a route", n);
        r->way[n] = link;
        return PS_OK;
}

ps_status ps_routes_find(ps_routes *r, uint32_t from, uint32_t to, const uint32_t **links, uint32_t *n,
                         ps_error *err)
{
        const ps_network *network = r->network;
        const table *t = NULL;
        if (from >= network->n_nodes || to >= network->n_nodes)
                return PS_FAIL(err, PS_E_USAGE, "the network has no such node: from=%u, to=%u, nodes=%u",
                               from, to, network->n_nodes);
        *links = r->way;
        if (network->shape.kind == PS_SHAPE_TREE && from < network->shape.start[1] &&
            to < network->shape.start[1]) {
                *n = ps_shape_climb(network, from, to, r->way);
                return PS_OK;
        }
        if (network->shape.kind == PS_SHAPE_NONE && from != to && !(t = find_table(r, to)))
                return PS_NOMEM(err, "routes", network->n_nodes);
        uint32_t count = 0;
        for (uint32_t at = from; at != to; count++) {
                uint32_t link = t ? t->link[at]
                                  : ps_network_find(network, at, ps_shape_next(&network->shape, at, to));
                if (link == PS_NONE)
                        return PS_FAIL(err, PS_E_INPUT,
                                       "the network has no path between two nodes: from=%u, to=%u", from, to);
                PS_TRY(append_link(r, count, link, err));
                at = ps_network_link_at(network, link).to;
        }
        *links = r->way;
        *n = count;
        return PS_OK;
}
