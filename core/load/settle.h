/* settle.h - what all locations have in common, once all are folded: the numbers of call paths, and the zero
 * of time. */
#ifndef PS_CORE_LOAD_SETTLE_H
#define PS_CORE_LOAD_SETTLE_H

#include "core/load/folding.h"

/* Ties the threads of each process, and gives the rows their paths and times where they were read; together
 * with the other processes. Process 0 has the common tree then. */
ps_status ps_settle(struct ps_folding *f, ps_error *err);

#endif
