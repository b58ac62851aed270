/* lab.h - networks for tests. What fails aborts with a message. */
#ifndef PS_TESTS_SIMULATOR_NETWORK_LAB_H
#define PS_TESTS_SIMULATOR_NETWORK_LAB_H

#include "simulator/network/network.h"
#include "tests/support/draw.h"

/* The four processors of Martinaitis, figure 6-1. */
extern const char lab_tree4[];

ps_network *lab_parse(const char *text);
ps_network *lab_preset(const char *spec, uint32_t n_processors);
/* As a graph file that reads as the same network; the caller's to free. */
char *lab_write(const ps_network *network);

/* The file `name` of the given networks: in the folder that PATSCAN_NETWORKS names, or in a folder
 * traces/picl beside this tree. NULL if there is none. */
ps_network *lab_given(const char *name);

/* Up to `n_nodes` nodes of a few links each, with some of these weights; not all need reach each other. */
ps_network *lab_random(uint64_t *seed, uint32_t n_nodes, const double *weights, uint32_t n_weights);

#endif
