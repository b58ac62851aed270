/* internal.h - what the files of the network model know of each other. */
#ifndef PS_SIMULATOR_NETWORK_INTERNAL_H
#define PS_SIMULATOR_NETWORK_INTERNAL_H

#include "simulator/network/network.h"
#include <stddef.h>

enum { PS_SHAPE_DIMS = 20, PS_SHAPE_LEVELS = 22 }; /* 2^20 nodes, and what a tree has above them */

/* A network of regular shape, whose routes need no table. In each of them, all cheapest ways have the same
 * number of links: the links weigh the same, or there is but one way. */
typedef enum ps_shape_kind {
        PS_SHAPE_NONE,
        PS_SHAPE_GRID,
        PS_SHAPE_CUBE,
        PS_SHAPE_TREE,
        PS_SHAPE_CROSSBAR
} ps_shape_kind;

typedef struct ps_shape {
        ps_shape_kind kind;
        int wraps;                       /* grid: the last of each dimension is linked with the first */
        uint32_t n, size[PS_SHAPE_DIMS]; /* grid: dimensions; the last one's coordinate varies fastest */
        uint32_t arity, n_levels;        /* tree: the leaves are level 0; the top level has one node */
        uint32_t start[PS_SHAPE_LEVELS]; /* the first node of each level, and the end of the last */
        double weight;                   /* crossbar: of each link */
} ps_shape;

struct ps_network {
        uint32_t n_nodes, n_links;
        uint32_t *first; /* the links of node v are first[v] .. first[v + 1] - 1; a crossbar has neither */
        ps_network_link *link; /* by (from, to) */
        ps_shape shape;
};

/* A growing list of links, {0} at first. */
typedef struct ps_network_edges {
        ps_network_link *row;
        size_t n, cap;
} ps_network_edges;

ps_status ps_network_edges_add(ps_network_edges *edges, uint32_t from, uint32_t to, double weight,
                               ps_error *err);

/* Takes the edges, which are in any order and without duplicates, also when it fails. `shape` may be NULL. */
ps_status ps_network_build(ps_network **out, uint32_t n_nodes, ps_network_edges *edges, const ps_shape *shape,
                           ps_error *err);

/* The node that follows `at` on the way to another one, in a network that has a shape. */
uint32_t ps_shape_next(const ps_shape *shape, uint32_t at, uint32_t to);

/* The links of the way between two leaves of a tree, up and down again; there is room for twice as many as
 * there are levels. */
uint32_t ps_shape_climb(const ps_network *network, uint32_t from, uint32_t to, uint32_t *links);

/* Whether a name of a preset stands at its beginning. */
bool ps_network_is_preset(const char *spec);

/* Whether `len` bytes are a number from 1e-100 to 1e100, such as 3, 2.5, 1e3. */
bool ps_network_weight(const char *text, size_t len, double *out);
/* Whether they are a whole number up to `max`. */
bool ps_network_whole(const char *text, size_t len, uint32_t max, uint32_t *out);

#endif
