/* time.c - see time.h. */
#include "simulator/redistribute/time.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)PS_REDIST_AXES == (int)PS_GRID_RANK, "a processor grid of either is one of the other");

static void find_grid(ps_grid *out, const ps_redist *r)
{
        const ps_redist_grid *grid = &r->grid[PS_REDIST_SOURCE];

        if (r->grid[PS_REDIST_DESTINATION].procs > grid->procs)
                grid = &r->grid[PS_REDIST_DESTINATION];
        *out = (ps_grid){.rank = grid->n_axes};
        memcpy(out->size, grid->size, sizeof(out->size));
}

ps_status ps_redist_time(ps_time *out, const ps_redist *redist, const ps_machine *machine,
                         ps_pipelining pipelining, ps_error *err)
{
        size_t most = redist->sums.messages, n = 0;
        ps_transfer *messages = malloc((most ? most : 1) * sizeof(*messages));
        ps_grid grid;
        ps_status status;

        if (!messages)
                return PS_NOMEM(err, "messages", most);
        for (size_t i = 0; i < redist->transfers.n; i++) {
                const ps_redist_transfer *t = &redist->transfers.row[i];
                if (t->source != t->destination)
                        messages[n++] = (ps_transfer){t->source, t->destination,
                                                      t->elements * redist->spec.element_bytes};
        }
        find_grid(&grid, redist);
        status = ps_exchange_time(out, NULL, machine, &grid, pipelining, messages, n, err);
        free(messages);
        return status;
}
