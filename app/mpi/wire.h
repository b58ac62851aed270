/* wire.h - MPI as a wire of core/exchange. */
#ifndef PS_APP_MPI_WIRE_H
#define PS_APP_MPI_WIRE_H

#include "core/exchange/exchange.h"

/* Starts MPI. A call of it that fails later ends all processes with `code`, behind one line. */
void ps_mpi_begin(ps_exchange *out, int *argc, char ***argv, int code);
void ps_mpi_end(void);

/* How many of our processes are on this node. */
unsigned ps_mpi_neighbours(ps_exchange *x);

/* The number of processes that a launcher says to have started, as far as one that this MPI does not
 * understand tells it; 0: none says anything. *rank: which of them this is. */
uint32_t ps_mpi_launched(uint32_t *rank);

#endif
