/* trees.h - scatter and gather along flat and binomial trees, under every model.
 *
 * A message keeps the port of its end for a while (ps_machine_port) and is under way after that: a root's
 * messages follow one another at its port, what is behind the port overlaps. */
#ifndef PS_SIMULATOR_COST_TREES_H
#define PS_SIMULATOR_COST_TREES_H

#include "simulator/cost/models.h"

/* A gather of a medium size has no single time: TCP may escalate. */
typedef struct ps_band {
        ps_time low, high;
} ps_band;

/* Who takes part: ranks, or 0..n-1 if NULL; `root` is a place among them. */
typedef struct ps_group {
        const uint32_t *members;
        uint32_t n, root;
} ps_group;

/* `bytes` for each member. */
ps_time ps_scatter_flat(const ps_machine *machine, const ps_group *group, uint64_t bytes);
ps_time ps_scatter_parallel(const ps_machine *machine, const ps_group *group, uint64_t bytes);
ps_time ps_scatter_binomial(const ps_machine *machine, const ps_group *group, uint64_t bytes);
ps_band ps_gather_flat(const ps_machine *machine, const ps_group *group, uint64_t bytes);
ps_time ps_gather_binomial(const ps_machine *machine, const ps_group *group, uint64_t bytes);

#endif
