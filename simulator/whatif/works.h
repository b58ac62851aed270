/* works.h - what process 0 lets all do with the rows that they have. */
#ifndef PS_SIMULATOR_WHATIF_WORKS_H
#define PS_SIMULATOR_WHATIF_WORKS_H

#include "core/load/share.h"

/* stretches_apart.c: ps_stretches_new(), with all who have rows. */
void ps_stretches_work(const ps_trace *near, unsigned n_threads, uint8_t *asked, size_t n);

#endif
