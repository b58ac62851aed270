/* collectives.h - collective operations by closed formulas. */
#ifndef PS_SIMULATOR_COST_COLLECTIVES_H
#define PS_SIMULATOR_COST_COLLECTIVES_H

#include "simulator/cost/trees.h"

typedef enum ps_shape {
#define PS_SHAPE(id, name, formula) PS_SHAPE_##id,
#include "simulator/cost/shapes.def"
#undef PS_SHAPE
        PS_N_SHAPES
} ps_shape;

extern const char *const ps_shape_names[PS_N_SHAPES];

/* What a machine has whose file does not say: one usual algorithm for each kind, or for Dimemas a
 * logarithmic way in and way out. */
void ps_collective_defaults(uint8_t collective[PS_K_COUNT][2], ps_model model);

/* From the moment when all are there to the last one's leaving. `bytes`: the whole vector (broadcast,
 * reductions, scan) or the block of one member (the others). P2P costs as LOGARITHMIC here. */
ps_time ps_machine_collective(const ps_machine *machine, ps_kind kind, const ps_group *group, uint64_t bytes);

#endif
