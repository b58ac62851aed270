/* focus_apart.h - the focus of a trace that several processes have read: what each has to tell of it. */
#ifndef PS_CORE_LOAD_FOCUS_APART_H
#define PS_CORE_LOAD_FOCUS_APART_H

#include "core/load/cutting.h"

/* By process 0: all cut the locations that they have read. Their parts are in the memory of the trace. */
ps_status ps_cut_together(const struct ps_cutting *cutting, ps_error *err);
/* What the others do then. */
void ps_cut_apart(struct ps_folding *f, uint8_t *asked, size_t n);

/* By process 0, without the rows of others: ps_focus_find_moments(), of all rows. */
ps_status ps_moments_together(const struct ps_folding *f, ps_focus *focus, ps_error *err);
void ps_moments_apart(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n);

#endif
