/* reduction.c - a reduction over a grid of processors, as Predictor of DVM has it: the values come together
 * from the dimensions on which the loop is distributed, and the result goes to everybody. */
#include "simulator/cost/collectives.h"
#include "simulator/cost/exchange.h"

#include <stdlib.h>

static bool has(uint32_t dimensions, uint32_t d)
{
        return (dimensions >> d & 1) != 0;
}

/* prod(N_k) - 1 messages to one place, N - 1 from there. */
static ps_time over_bus(const ps_machine *machine, const ps_grid *grid, uint32_t dimensions, uint64_t bytes)
{
        uint64_t gathered = 1, count = ps_grid_count(grid);
        for (uint32_t d = 0; d < grid->rank; d++)
                if (has(dimensions, d))
                        gathered *= grid->size[d];
        return ps_time_times(ps_machine_flight(machine, 0, 1, bytes), gathered + count - 2);
}

/* To the centre along the dimensions of the loop, and back along all of them. */
static ps_time over_grid(const ps_machine *machine, const ps_grid *grid, uint32_t dimensions, uint64_t bytes)
{
        uint64_t steps = 0;
        for (uint32_t d = 0; d < grid->rank; d++)
                steps += (uint64_t)(grid->size[d] / 2) * (has(dimensions, d) ? 2 : 1);
        return ps_time_times(ps_machine_flight(machine, 0, 1, bytes), steps);
}

/* Everybody sends to processor 0, which then sends to everybody. */
static ps_status over_clusters(ps_time *out, const ps_machine *machine, const ps_grid *grid, uint64_t bytes,
                               ps_error *err)
{
        uint32_t n = ps_grid_count(grid) - 1;
        ps_time back = 0;
        ps_transfer *star = malloc(n * sizeof(*star));
        if (!star)
                return PS_NOMEM(err, "transfers", n);
        for (uint32_t i = 0; i < n; i++)
                star[i] = (ps_transfer){i + 1, 0, bytes};
        ps_status status = ps_exchange_time(out, NULL, machine, grid, PS_PIPELINING_EXACT, star, n, err);
        for (uint32_t i = 0; i < n; i++)
                star[i] = (ps_transfer){0, i + 1, bytes};
        PS_THEN(status, ps_exchange_time(&back, NULL, machine, grid, PS_PIPELINING_EXACT, star, n, err));
        *out = ps_time_add(*out, back);
        free(star);
        return status;
}

ps_status ps_reduction_time(ps_time *out, const ps_machine *machine, const ps_grid *grid, uint32_t dimensions,
                            uint64_t bytes, ps_error *err)
{
        ps_group all = {.n = ps_grid_count(grid)};
        PS_TRY(ps_machine_fit(machine, all.n, err));
        *out = 0;
        if (!dimensions || all.n < 2)
                return PS_OK;
        switch (machine->model) {
        case PS_MODEL_BUS:
                *out = over_bus(machine, grid, dimensions, bytes);
                return PS_OK;
        case PS_MODEL_MYRINET:
                *out = ps_over_channels(machine, all.n, over_bus(machine, grid, dimensions, bytes));
                return PS_OK;
        case PS_MODEL_TRANSPUTER:
                *out = over_grid(machine, grid, dimensions, bytes);
                return PS_OK;
        case PS_MODEL_CLUSTER:
                return over_clusters(out, machine, grid, bytes, err);
        default:
                *out = ps_machine_collective(machine, PS_K_ALLREDUCE, &all, bytes);
                return PS_OK;
        }
}
