/* collectives.h - collective operations by closed formulas. */
#ifndef PS_SIMULATOR_COST_COLLECTIVES_H
#define PS_SIMULATOR_COST_COLLECTIVES_H

#include "simulator/cost/schedule.h"
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

/* All kinds as the library of that name does them: OPENMPI or MPICH. */
void ps_collectives_of_library(ps_machine *machine, ps_shape library);

static inline bool ps_shape_is_formula(uint8_t shape)
{
        return shape != PS_SHAPE_P2P && shape != PS_SHAPE_OPENMPI && shape != PS_SHAPE_MPICH;
}

/* The messages of a kind whose shape is no formula. */
ps_schedule ps_collective_schedule(const ps_machine *machine, ps_kind kind, uint32_t n, uint32_t root,
                                   uint64_t bytes);
/* Is it made of messages, one by one? Not where a formula says the same of many (ps_schedule_is_wide), or
 * something else of the whole: a flat tree is what LMO is about. */
bool ps_collective_is_played(const ps_machine *machine, ps_kind kind, uint32_t n, uint64_t bytes);
/* The root has to do with each member. */
bool ps_collective_is_flat(const ps_machine *machine, ps_kind kind, uint32_t n, uint64_t bytes);

/* From the moment when all are there to the last one's leaving. `bytes`: the whole vector (broadcast,
 * reductions, scan) or the block of one member (the others). P2P costs as LOGARITHMIC here. */
ps_time ps_machine_collective(const ps_machine *machine, ps_kind kind, const ps_group *group, uint64_t bytes);

#endif
