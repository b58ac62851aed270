/* quote.h - what one operation takes by closed formulas, in each way of doing it. */
#ifndef PS_SIMULATOR_COST_QUOTE_H
#define PS_SIMULATOR_COST_QUOTE_H

#include "simulator/cost/collectives.h"

typedef struct ps_quote {
        const char *way, *way_out; /* names of shapes, or "message"; way_out NULL: there is none */
        ps_time least, most;       /* they differ for a gather of medium size under LMO */
        bool is_machines_own;      /* otherwise another way of doing the same */
} ps_quote;

enum { PS_QUOTE_WAYS = 3 };

/* A message has one way, from rank 0 to rank 1. Collectives, of ranks 0 to n - 1 with 0 as their root, have
 * the machine's own, and those of them that are trees flat and binomial ones beside it. Returns how many. */
unsigned ps_machine_quote(ps_quote out[PS_QUOTE_WAYS], const ps_machine *machine, ps_kind kind, uint32_t n,
                          uint64_t bytes);

#endif
