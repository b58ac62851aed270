/* moves.h - which processor sends how many bytes to which other one when data change their places. */
#ifndef PS_SIMULATOR_DVM_MOVES_H
#define PS_SIMULATOR_DVM_MOVES_H

#include "simulator/cost/exchange.h"
#include "simulator/dvm/layout.h"

/* A growing list of transfers between processors of the grid; {0} is empty. */
typedef struct ps_dvm_moves {
        ps_transfer *row;
        size_t n, cap;
} ps_dvm_moves;

void ps_dvm_moves_free(ps_dvm_moves *moves);

/* What lies in the `old` layout is brought to where the `now` layout has it; both are of the same lattice.
 * Nobody sends what the receiver has; of several copies the one nearest to the receiver is sent. */
ps_status ps_dvm_moves_layout(ps_dvm_moves *moves, const ps_dvm_layout *old, const ps_dvm_layout *now,
                              int64_t element_bytes, ps_error *err);

/* Each processor gets copies of its neighbours' elements up to `low` below and `high` above its own part. */
ps_status ps_dvm_moves_shadow(ps_dvm_moves *moves, const ps_dvm_layout *layout, const int64_t *low,
                              const int64_t *high, int corners, int64_t element_bytes, ps_error *err);

#endif
