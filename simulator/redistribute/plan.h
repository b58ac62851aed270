/* plan.h - where the elements of a message lie, before and after: what a program needs to pack
 * and unpack it without looking at single elements. */
#ifndef PS_SIMULATOR_REDISTRIBUTE_PLAN_H
#define PS_SIMULATOR_REDISTRIBUTE_PLAN_H

#include "simulator/redistribute/redistribute.h"

/* The positions first + c * stride + l, for c below count, for l below length. */
typedef struct ps_redist_run {
        uint64_t first, length, stride, count;
} ps_redist_run;

typedef struct ps_redist_runs {
        ps_redist_run *row;
        size_t n, room;
} ps_redist_runs;

/* Positions in one dimension of a local array, in the order of the message: all of `cycle`, `repeats` times,
 * each time `period` further on; then all of `rest`. */
typedef struct ps_redist_part {
        ps_redist_runs cycle, rest;
        uint64_t period, repeats;
} ps_redist_part;

/* A message of several dimensions holds its elements in row-major order: the last dimension's positions vary
 * fastest. Local arrays are row-major, too. Initialise with {0}; may be filled again and again. */
typedef struct ps_redist_plan {
        ps_redist_part part[PS_REDIST_SIDES][PS_REDIST_DIMS];
} ps_redist_plan;

void ps_redist_plan_free(ps_redist_plan *plan);

ps_status ps_redist_plan_transfer(ps_redist_plan *out, const ps_redist *redist,
                                  const ps_redist_transfer *transfer, ps_error *err);

/* PS_E_USAGE when the plans of all transfers would take minutes. */
ps_status ps_redist_plan_check(const ps_redist *redist, ps_error *err);

/* The extents of a processor's local array. */
void ps_redist_local_shape(uint64_t shape[PS_REDIST_DIMS], const ps_redist *redist, ps_redist_side side,
                           uint32_t rank);

#endif
