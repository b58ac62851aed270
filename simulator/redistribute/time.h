/* time.h - how long a redistribution takes on a machine. */
#ifndef PS_SIMULATOR_REDISTRIBUTE_TIME_H
#define PS_SIMULATOR_REDISTRIBUTE_TIME_H

#include "simulator/cost/exchange.h"
#include "simulator/redistribute/redistribute.h"

/* All messages begin together. Where the model knows distances, the processors are the grid of the side that
 * has more of them. */
ps_status ps_redist_time(ps_time *out, const ps_redist *redist, const ps_machine *machine,
                         ps_pipelining pipelining, ps_error *err);

#endif
