/* ways.h - what a message takes through a machine's network when nobody else is there: for closed formulas.
 */
#ifndef PS_SIMULATOR_NETWORK_WAYS_H
#define PS_SIMULATOR_NETWORK_WAYS_H

#include "simulator/cost/machine.h"

/* For ps_machine.ways of a machine with a network, on which there are so many ranks. Not for two threads. */
ps_status ps_ways_new(ps_ways **out, const ps_machine *machine, uint32_t n_ranks, ps_error *err);
void ps_ways_free(ps_ways *ways); /* NULL is fine */

#endif
