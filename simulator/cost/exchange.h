/* exchange.h - the time that a set of messages takes which all begin together: a transfer matrix, by its
 * non-zero elements; and a reduction over a grid of processors. */
#ifndef PS_SIMULATOR_COST_EXCHANGE_H
#define PS_SIMULATOR_COST_EXCHANGE_H

#include "simulator/cost/models.h"

typedef struct ps_transfer {
        uint32_t source, destination;
        uint64_t bytes;
} ps_transfer;

/* Row-major: the last dimension counts fastest. */
typedef struct ps_grid {
        uint32_t rank, size[PS_GRID_RANK];
} ps_grid;

/* How a transputer grid cuts a message that takes several hops: as the Predictor's code does, as its document
 * says, or into the portions that are fastest. */
typedef enum ps_pipelining { PS_PIPELINING_EXACT, PS_PIPELINING_CODE, PS_PIPELINING_DOCUMENT } ps_pipelining;

uint32_t ps_grid_count(const ps_grid *grid);
/* Steps along the dimensions. */
uint32_t ps_grid_distance(const ps_grid *grid, uint32_t p, uint32_t q);

/* Sorts by source and destination, adds up what has the same pair, drops what is empty or stays. */
size_t ps_transfers_merge(ps_transfer *transfers, size_t n);

/* The time of merged transfers; `done`, if not NULL, gets the time when each of the grid's processors is
 * through, 0 for those that take no part. docs/MACHINES.md says what each model means. */
ps_status ps_exchange_time(ps_time *out, ps_time *done, const ps_machine *machine, const ps_grid *grid,
                           ps_pipelining pipelining, const ps_transfer *transfers, size_t n, ps_error *err);

/* -- what ps_exchange_time() is made of -- */

typedef struct ps_exchange {
        const ps_machine *machine;
        const ps_transfer *transfers;
        size_t n;
        uint32_t n_ranks;
        ps_time *done; /* by rank */
} ps_exchange;

/* Messages that share channels of clusters, or the buses and links of Dimemas. */
ps_status ps_exchange_clusters(const ps_exchange *exchange, ps_error *err);
ps_status ps_exchange_buses(const ps_exchange *exchange, ps_error *err);

/* Myrinet: what takes `time` on one channel, on all that so many processors can use. */
ps_time ps_over_channels(const ps_machine *machine, uint32_t n_ranks, ps_time time);

/* One message over `hops` processors in portions. */
ps_time ps_pipeline_time(const ps_link *link, uint32_t hops, uint64_t bytes, ps_pipelining pipelining);

/* A reduction of `bytes`; bit d of `dimensions`: the loop is distributed on dimension d of the grid. */
ps_status ps_reduction_time(ps_time *out, const ps_machine *machine, const ps_grid *grid, uint32_t dimensions,
                            uint64_t bytes, ps_error *err);

#endif
