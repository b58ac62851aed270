/* collectives.c - see collectives.h.
 *
 * An operation has a way in and a way out, each with a shape. Where ranks or links differ, X(b) is the
 * slowest message of the root: closed formulas have no place for more. */
#include "simulator/cost/collectives.h"

#include <string.h>

const char *const ps_shape_names[PS_N_SHAPES] = {
#define PS_SHAPE(id, name, formula) name,
#include "simulator/cost/shapes.def"
#undef PS_SHAPE
};

/* The kinds whose usual algorithm is another than LOGARITHMIC. */
static const uint8_t usual[PS_K_COUNT] = {
        [PS_K_SCATTER] = PS_SHAPE_BINOMIAL,
        [PS_K_SCATTERV] = PS_SHAPE_FLAT,
        [PS_K_GATHER] = PS_SHAPE_BINOMIAL,
        [PS_K_GATHERV] = PS_SHAPE_FLAT,
        [PS_K_ALLGATHER] = PS_SHAPE_RING,
        [PS_K_ALLGATHERV] = PS_SHAPE_RING,
        [PS_K_ALLTOALL] = PS_SHAPE_LINEAR,
        [PS_K_ALLTOALLV] = PS_SHAPE_LINEAR,
        [PS_K_ALLTOALLW] = PS_SHAPE_LINEAR,
        [PS_K_REDUCE_SCATTER] = PS_SHAPE_RING,
        [PS_K_REDUCE_SCATTER_BLOCK] = PS_SHAPE_RING,
};

void ps_collective_defaults(uint8_t collective[PS_K_COUNT][2], ps_model model)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                collective[kind][0] = usual[kind] ? usual[kind] : PS_SHAPE_LOGARITHMIC;
                collective[kind][1] = PS_SHAPE_FREE;
                if (model == PS_MODEL_DIMEMAS)
                        collective[kind][0] = collective[kind][1] = PS_SHAPE_LOGARITHMIC;
        }
}

/* -- shapes -- */

typedef struct operation {
        const ps_machine *machine;
        const ps_group *group;
        ps_kind kind;
        uint64_t bytes;
} operation;

static ps_time message(const operation *op, uint64_t bytes)
{
        const ps_machine *m = op->machine;
        if (m->model != PS_MODEL_LMO && m->model != PS_MODEL_CLUSTER && !m->has_intra)
                return ps_machine_p2p(m, 0, 1, bytes);
        return ps_scatter_parallel(op->machine, op->group, bytes);
}

/* All members have the same vector of `bytes`, at the beginning or in the end. */
static bool has_whole_vector(ps_kind kind)
{
        return kind == PS_K_BCAST || kind == PS_K_REDUCE || kind == PS_K_ALLREDUCE ||
               (ps_kinds[kind].traits & PS_T_PREFIX) != 0;
}

/* Half of those that are left pair up in each stage, as many at a time as there are buses. */
static uint64_t stages(uint32_t n, uint32_t buses)
{
        uint64_t count = 0;
        for (uint32_t left = n; left > 1; left -= left / 2)
                count += buses ? (left / 2 - 1) / buses + 1 : 1;
        return count;
}

static ps_time ring(const operation *op)
{
        uint64_t n = op->group->n;
        if (has_whole_vector(op->kind))
                return ps_time_times(message(op, op->bytes / n + (op->bytes % n != 0)), 2 * (n - 1));
        return ps_time_times(message(op, op->bytes), n - 1);
}

static ps_time flat(const operation *op)
{
        if (ps_kinds[op->kind].traits & PS_T_ALL_TO_ONE)
                return ps_gather_flat(op->machine, op->group, op->bytes).high;
        return ps_scatter_flat(op->machine, op->group, op->bytes);
}

static ps_time binomial(const operation *op)
{
        uint16_t traits = ps_kinds[op->kind].traits;
        if (has_whole_vector(op->kind))
                return ps_time_times(message(op, op->bytes), stages(op->group->n, 0));
        if (traits & PS_T_ALL_TO_ONE)
                return ps_gather_binomial(op->machine, op->group, op->bytes);
        return ps_scatter_binomial(op->machine, op->group, op->bytes);
}

static ps_time cost(const operation *op, ps_shape shape)
{
        switch (shape) {
        case PS_SHAPE_CONSTANT:
                return message(op, op->bytes);
        case PS_SHAPE_LINEAR:
                return ps_time_times(message(op, op->bytes), op->group->n - 1);
        case PS_SHAPE_LOGARITHMIC:
        case PS_SHAPE_P2P:
                return ps_time_times(message(op, op->bytes), stages(op->group->n, op->machine->buses));
        case PS_SHAPE_RING:
                return ring(op);
        case PS_SHAPE_FLAT:
                return flat(op);
        case PS_SHAPE_BINOMIAL:
                return binomial(op);
        case PS_SHAPE_FREE:
        case PS_N_SHAPES:
                break;
        }
        return 0;
}

ps_time ps_machine_collective(const ps_machine *machine, ps_kind kind, const ps_group *group, uint64_t bytes)
{
        operation op = {machine, group, kind, bytes};
        if (group->n < 2)
                return 0;
        return ps_time_add(cost(&op, machine->collective[kind][0]), cost(&op, machine->collective[kind][1]));
}
