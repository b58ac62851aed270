/* random.h - DVM programs that are legal by the way they are made up, as the text of a trace: templates,
 * arrays aligned in all ways, loops with and without dependences, exchanges, copies, reductions, buffers,
 * redistribution, subtasks, nested intervals, input and output. No shadow edge is wider than one element. */
#ifndef PS_TESTS_SIMULATOR_DVM_RANDOM_H
#define PS_TESTS_SIMULATOR_DVM_RANDOM_H

#include "simulator/cost/exchange.h"

#include <stdint.h>

typedef struct random_dvm {
        uint64_t seed;
        uint32_t steps; /* each a few calls */
        ps_grid grid;   /* the one that subtasks and weights are made for; others do, too, without them */
        int fixed_grid; /* there are subtasks and weights */
} random_dvm;

/* The caller's to free. *cpu_s, *system_s: the times before and in all calls. */
char *random_dvm_text(const random_dvm *program, double *cpu_s, double *system_s);

/* Numbers from a seed, each below n. */
uint64_t random_below(uint64_t *state, uint64_t n);

#endif
