/* works.h - what process 0 lets all do with the rows that they have. */
#ifndef PS_PATTERNS_CAUSES_WORKS_H
#define PS_PATTERNS_CAUSES_WORKS_H

#include "patterns/engine/works.h"

enum { PS_WORK_CAUSES = PS_WORKS, PS_WORK_WALK_FOR_CAUSES, PS_WORKS_OF_ALL };

/* waits.c: a walk of which the waits are kept for causes, in a log. */
void ps_waits_walk_work(const ps_trace *trace, unsigned n_threads, uint8_t *asked, size_t n);
/* apart.c */
void ps_causes_work(const ps_trace *trace, unsigned n_threads, uint8_t *asked, size_t n);

#endif
