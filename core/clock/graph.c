/* graph.c - shortest paths over difference constraints.
 *
 * A constraint o[e] - o[l] <= s is an edge from l to e of length s. Relative to a reference r the possible
 * offsets of p are [-d(p, r), d(r, p)], d being the length of the shortest path. The vector of all lower ends
 * and that of all upper ends fulfil every constraint, hence so does that of the midpoints.
 *
 * A clock bounded on one side only has no midpoint. It gets the possible offset next to 0, given the offsets
 * of those that are bounded: first those with a lower bound only, which are raised from 0 as far as needed,
 * then the others, which are lowered. No edge leads back from a later group to an earlier one, or the node
 * would be bounded on both sides, so that each step leaves the former ones valid.
 *
 * A cycle of negative length means that no offsets are possible. Then every constraint is eased by the same
 * amount, the smallest that works: that is the largest deficit of a cycle for each of its edges. It is found
 * by raising the amount to the need of whatever negative cycle is met, until none is left. */
#include "core/clock/graph.h"

#include "core/base/search.h"
#include "core/base/vector.h"
#include <stdlib.h>

#define FAR PS_TIME_MAX /* no path */

/* Relaxations of an edge that a solution may cost: some seconds. Real traces need a few per edge. */
static const uint64_t work_max = UINT64_C(1) << 31;

typedef struct solver {
        const ps_graph *graph;
        ps_time ease; /* for each half */
        uint64_t work;
        ps_time *distance;
        uint32_t *parent; /* the edge that set the distance, plus 1 */
        uint32_t *group;  /* scratch by node */
} solver;

ps_status ps_graph_add(ps_graph *graph, ps_limit limit, ps_error *err)
{
        return graph->n >= PS_NONE - 1u || PS_APPEND(graph->limit, graph->n, graph->cap, limit)
                       ? PS_NOMEM(err, "clock constraints", graph->n)
                       : PS_OK;
}

void ps_graph_free(ps_graph *graph)
{
        if (!graph)
                return;
        free(graph->limit);
        *graph = (ps_graph){0};
}

static int compare_limits(const void *a, const void *b)
{
        const ps_limit *x = a, *y = b;
        PS_ORDER_BY(x->later, y->later);
        PS_ORDER_BY(x->earlier, y->earlier);
        return PS_ORDER(x->slack, y->slack);
}

static ps_time eased_slack(const solver *s, const ps_limit *l)
{
        ps_time slack = l->slack;
        for (uint32_t i = 0; i < l->halves && s->ease > 0; i++)
                slack = ps_time_add(slack, s->ease);
        return slack;
}

static bool relax_edge(solver *s, size_t i, bool backwards)
{
        const ps_limit *l = &s->graph->limit[i];
        uint32_t from = backwards ? l->earlier : l->later, to = backwards ? l->later : l->earlier;
        if (s->distance[from] == FAR)
                return false;
        ps_time length = ps_time_add(s->distance[from], eased_slack(s, l));
        if (length >= s->distance[to])
                return false;
        s->distance[to] = length;
        s->parent[to] = (uint32_t)i + 1;
        return true;
}

/* Once over all edges, every other time in reverse, so that a chain in either order takes one or two. */
static bool sweep(solver *s, bool backwards, int round)
{
        int changed = 0;
        size_t n = s->graph->n;
        s->work += n;
        for (size_t k = 0; k < n; k++)
                changed |= relax_edge(s, round & 1 ? n - 1 - k : k, backwards);
        return changed;
}

/* Settles the distances from what they are. There is no negative cycle any more. */
static bool settle_distances(solver *s, bool backwards)
{
        for (int round = 0; sweep(s, backwards, round); round++)
                if (s->work > work_max)
                        return false;
        return true;
}

/* A node on a cycle of parents, or PS_NONE. */
static uint32_t find_cycle(const solver *s)
{
        const ps_limit *limit = s->graph->limit;
        for (uint32_t v = 0; v < s->graph->n_nodes; v++)
                s->group[v] = PS_NONE;
        for (uint32_t v = 0; v < s->graph->n_nodes; v++) {
                uint32_t u = v;
                while (s->group[u] == PS_NONE && s->parent[u] > 0) {
                        s->group[u] = v;
                        u = limit[s->parent[u] - 1].later;
                }
                if (s->group[u] == v)
                        return u;
                s->group[u] = s->group[u] == PS_NONE ? v : s->group[u];
        }
        return PS_NONE;
}

/* What each half edge of the cycle through v lacks, rounded up. */
static ps_time deficit(const solver *s, uint32_t v)
{
        ps_time sum = 0, halves = 0;
        uint32_t u = v;
        do {
                const ps_limit *l = &s->graph->limit[s->parent[u] - 1];
                sum = ps_time_add(sum, l->slack);
                halves += l->halves;
                u = l->later;
        } while (u != v);
        return sum >= 0 ? 0 : -((sum + 1) / halves) + 1;
}

/* Eases the constraints until they fit together. Returns 0 when that takes too long. */
static bool make_possible(solver *s)
{
        for (;;) {
                uint32_t cycle = PS_NONE;
                for (uint32_t v = 0; v < s->graph->n_nodes; v++)
                        s->distance[v] = s->parent[v] = 0;
                for (int round = 0; cycle == PS_NONE && sweep(s, 0, round); round++) {
                        if (s->work > work_max)
                                return false;
                        cycle = find_cycle(s);
                }
                if (cycle == PS_NONE)
                        return true;
                ps_time need = deficit(s, cycle);
                if (need <= s->ease)
                        return false;
                s->ease = need;
        }
}

static uint32_t find_root(uint32_t *group, uint32_t v)
{
        while (group[v] != v)
                v = group[v] = group[group[v]];
        return v;
}

/* Ties each node to the smallest one that it hangs together with: its reference. */
static void find_references(solver *s)
{
        uint32_t n = s->graph->n_nodes;
        for (uint32_t v = 0; v < n; v++)
                s->group[v] = v;
        for (size_t i = 0; i < s->graph->n; i++) {
                uint32_t a = find_root(s->group, s->graph->limit[i].earlier);
                uint32_t b = find_root(s->group, s->graph->limit[i].later);
                s->group[a > b ? a : b] = a < b ? a : b;
        }
        for (uint32_t v = 0; v < n; v++)
                s->group[v] = find_root(s->group, v);
}

static bool distances_of_references(solver *s, bool backwards, ps_time *to)
{
        uint32_t n = s->graph->n_nodes;
        for (uint32_t v = 0; v < n; v++)
                s->distance[v] = s->group[v] == v ? 0 : FAR;
        if (!settle_distances(s, backwards))
                return false;
        for (uint32_t v = 0; v < n; v++)
                to[v] = s->distance[v];
        return true;
}

/* low[v] is the negated lower end, high[v] the upper end; the results replace them. */
static bool choose_offsets(solver *s, ps_time *low, ps_time *high)
{
        uint32_t n = s->graph->n_nodes;
        for (uint32_t v = 0; v < n; v++) {
                bool is_bounded = low[v] != FAR && high[v] != FAR;
                ps_time width = is_bounded ? ps_time_add(low[v], high[v]) : FAR;
                s->distance[v] = is_bounded ? ps_time_sub(low[v], width / 2) : low[v] != FAR ? 0 : FAR;
                high[v] = width;
        }
        if (!settle_distances(s, 1))
                return false;
        for (uint32_t v = 0; v < n; v++)
                s->distance[v] = s->distance[v] == FAR ? 0 : ps_time_sub(0, s->distance[v]);
        if (!settle_distances(s, 0))
                return false;
        for (uint32_t v = 0; v < n; v++) {
                low[v] = s->distance[v];
                if (s->group[v] != v)
                        high[v] = ps_time_add(high[v], ps_time_add(s->ease, s->ease));
        }
        return true;
}

/* From the wanted offsets, all that is too high for a limit is lowered, or else all that is too low raised:
 * both ways lead to offsets that are possible, and so does the middle between them. */
static bool come_near(solver *s, const ps_time *wanted, uint32_t n_wanted, ps_time *offset)
{
        uint32_t n = s->graph->n_nodes;
        for (uint32_t v = 0; v < n; v++)
                s->distance[v] = v < n_wanted ? wanted[v] : FAR;
        if (!settle_distances(s, 0))
                return false;
        for (uint32_t v = 0; v < n; v++) {
                offset[v] = s->distance[v] == FAR ? 0 : s->distance[v];
                s->distance[v] = v < n_wanted ? ps_time_sub(0, wanted[v]) : FAR;
        }
        if (!settle_distances(s, 1))
                return false;
        for (uint32_t v = 0; v < n; v++)
                offset[v] += (s->distance[v] == FAR ? 0 : ps_time_sub(0, s->distance[v]) - offset[v]) / 2;
        return true;
}

ps_status ps_graph_solve(ps_graph *graph, const ps_time *wanted, uint32_t n_wanted, ps_offsets *out,
                         ps_error *err)
{
        size_t n = (size_t)graph->n_nodes + 1;
        solver s = {.graph = graph};
        ps_status st = PS_OK;
        s.distance = calloc(n, sizeof *s.distance);
        s.parent = calloc(n, sizeof *s.parent);
        s.group = calloc(n, sizeof *s.group);
        if (!s.distance || !s.parent || !s.group) {
                st = PS_NOMEM(err, "clocks", n);
                goto out;
        }
        if (graph->n > 0)
                qsort(graph->limit, graph->n, sizeof *graph->limit, compare_limits);
        out->unknown = !make_possible(&s);
        find_references(&s);
        out->unknown = out->unknown || !distances_of_references(&s, 1, out->offset) ||
                       !distances_of_references(&s, 0, out->width) ||
                       !choose_offsets(&s, out->offset, out->width) ||
                       (wanted && !come_near(&s, wanted, n_wanted, out->offset));
        out->eased = ps_time_add(s.ease, s.ease);
out:
        free(s.distance);
        free(s.parent);
        free(s.group);
        return st;
}

static bool room_of(solver *s, const ps_offsets *at, uint32_t a, uint32_t n, ps_time *room)
{
        for (uint32_t v = 0; v < s->graph->n_nodes; v++)
                s->distance[v] = v == a ? 0 : FAR;
        if (!settle_distances(s, 0))
                return false;
        for (uint32_t b = 0; b < n; b++) {
                ps_time is = ps_time_sub(at->offset[b], at->offset[a]), most = s->distance[b];
                room[b] = most == FAR ? FAR : most > is ? ps_time_sub(most, is) : 0;
        }
        return true;
}

bool ps_graph_room_is_cheap(const ps_graph *graph, uint32_t n)
{
        return (uint64_t)n * (graph->n + n) <= UINT64_C(1) << 26;
}

bool ps_graph_room(const ps_graph *graph, const ps_offsets *at, uint32_t n, ps_time *room, ps_error *err)
{
        solver s = {.graph = graph, .ease = (at->eased + 1) / 2};
        s.distance = calloc((size_t)graph->n_nodes + 1, sizeof *s.distance);
        s.parent = calloc((size_t)graph->n_nodes + 1, sizeof *s.parent);
        int done = s.distance && s.parent ? 1 : PS_NOMEM(err, "clocks", n);
        for (uint32_t a = 0; a < n && done > 0; a++)
                done = room_of(&s, at, a, n, room + (size_t)a * n);
        free(s.distance);
        free(s.parent);
        return done;
}
