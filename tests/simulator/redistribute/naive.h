/* naive.h - redistribution as it is defined: element by element, for small arrays. */
#ifndef PS_TESTS_SIMULATOR_REDISTRIBUTE_NAIVE_H
#define PS_TESTS_SIMULATOR_REDISTRIBUTE_NAIVE_H

#include "simulator/redistribute/plan.h"

typedef struct naive_redist {
        uint64_t n; /* elements of the array */
        uint32_t procs[PS_REDIST_SIDES];
        uint64_t *matrix;                  /* [source][destination] */
        uint64_t **local[PS_REDIST_SIDES]; /* by rank: its elements, in row-major order */
        uint64_t *n_local[PS_REDIST_SIDES];
} naive_redist;

/* Places come from `redist`, which it does not look into otherwise: the spec, the grids, the axes. */
void naive_redist_make(naive_redist *out, const ps_redist *redist);
void naive_redist_free(naive_redist *naive);

/* Packs and unpacks all transfers by their plans and asserts that every element ends where it belongs. */
void naive_redist_assert_plan(const naive_redist *naive, const ps_redist *redist);
void naive_redist_assert_matrix(const naive_redist *naive, const ps_redist *redist);

#endif
