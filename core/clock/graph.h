/* graph.h - difference constraints: which offsets of clocks are possible. */
#ifndef PS_CORE_CLOCK_GRAPH_H
#define PS_CORE_CLOCK_GRAPH_H

#include "core/base/error.h"
#include "core/base/types.h"
#include <stddef.h>

/* offset[earlier] - offset[later] <= slack. Where constraints do not fit together, each is eased by the same
 * amount; `halves` says whether this one stands for a whole (2) or, on its way through a node of no clock,
 * for half (1) of one. */
typedef struct ps_limit {
        uint32_t earlier, later, halves;
        ps_time slack;
} ps_limit;

typedef struct ps_graph {
        uint32_t n_nodes;
        ps_limit *limit;
        size_t n, cap;
} ps_graph;

/* By node; the arrays are the caller's, for n_nodes each. */
typedef struct ps_offsets {
        ps_time *offset;
        ps_time *width; /* of the interval of possible offsets; PS_TIME_MAX: open on one side */
        ps_time eased;  /* by how much the constraints had to be eased; 0: they fit together */
        bool unknown;   /* no answer was found in reasonable time: nothing else is set */
} ps_offsets;

ps_status ps_graph_add(ps_graph *graph, ps_limit limit, ps_error *err);
void ps_graph_free(ps_graph *graph);

/* Sorts the limits. The result does not depend on the order in which they were added. `wanted` are offsets of
 * the first n_wanted nodes: the result is near them, and they themselves where they are possible; NULL: the
 * middle of what is possible, seen from the first of those nodes that hang together: in another order of
 * nodes it may be another one. */
ps_status ps_graph_solve(ps_graph *graph, const ps_time *wanted, uint32_t n_wanted, ps_offsets *out,
                         ps_error *err);

/* Is that done in no more time than loading a large trace takes? */
bool ps_graph_room_is_cheap(const ps_graph *graph, uint32_t n);
/* room[a * n + b], of the first n nodes: by how much offset[b] - offset[a] may grow before a limit is hit;
 * PS_TIME_MAX: without end. Returns 0, with nothing told, where that takes too long. */
bool ps_graph_room(const ps_graph *graph, const ps_offsets *at, uint32_t n, ps_time *room, ps_error *err);

#endif
