/* network.h - which nodes a machine's network has, and which links between them.
 *
 * A weighted directed graph after Paul Martinaitis, "The Simulation and Visualization of Parallel BMF Code"
 * (University of Adelaide, 1998), 6.2.1: the processors are the nodes 0 .. P-1, all others are switches; the
 * weight of a link is its bandwidth, relative to the other links. A network never changes once it is there,
 * so that several simulations may share one. docs/NETWORKS.md has the file format and the presets. */
#ifndef PS_SIMULATOR_NETWORK_NETWORK_H
#define PS_SIMULATOR_NETWORK_NETWORK_H

#include "core/base/error.h"
#include "core/base/types.h"

enum { PS_NETWORK_NODES_MAX = 1 << 20 };

typedef struct ps_network ps_network;

typedef struct ps_network_link {
        uint32_t from, to; /* nodes */
        double weight;     /* > 0 */
} ps_network_link;

/* What `open` calls: reads the graph file at `file_or_preset`, unless that is the name of a preset, such as
 * "ring" or "mesh:4x4@2.5", and checks that each of the processors can reach each other one. */
ps_status ps_network_open(ps_network **out, const char *file_or_preset, uint32_t n_processors, ps_error *err);
void ps_network_free(ps_network *network);

/* A graph file; `path` is also what messages call the text. Nothing is known about processors yet. */
ps_status ps_network_read(ps_network **out, const char *path, ps_error *err);
ps_status ps_network_parse(ps_network **out, const char *path, const char *text, size_t len, ps_error *err);

/* NAME[:SIZES][@WEIGHT], e.g. "torus:4x4x4", "fattree:4", "ring@2.5". */
ps_status ps_network_preset(ps_network **out, const char *spec, uint32_t n_processors, ps_error *err);

typedef struct ps_network_preset_info {
        const char *name, *sizes,
                *summary; /* sizes: how they are written after the name, "" if there are none */
} ps_network_preset_info;

/* Row i of the table of presets, or NULL after the last. */
const ps_network_preset_info *ps_network_preset_row(uint32_t i);

/* That there are so many processors, and a way from each to each other one; else names a pair without. */
ps_status ps_network_check(const ps_network *network, uint32_t n_processors, ps_error *err);

uint32_t ps_network_nodes(const ps_network *network);
/* Links are numbered by (from, to). In a crossbar there are as many as pairs, and none takes memory. */
uint32_t ps_network_links(const ps_network *network);
bool ps_network_is_implicit(const ps_network *network); /* a crossbar */
ps_network_link ps_network_link_at(const ps_network *network, uint32_t link);
/* The link between two nodes, or PS_NONE. */
uint32_t ps_network_find(const ps_network *network, uint32_t from, uint32_t to);

#endif
