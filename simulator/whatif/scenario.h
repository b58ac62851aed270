/* scenario.h - edits made fit for a trace: the call paths that names mean. */
#ifndef PS_SIMULATOR_WHATIF_SCENARIO_H
#define PS_SIMULATOR_WHATIF_SCENARIO_H

#include "simulator/whatif/whatif.h"

/* names.c: the call paths that an edit is about, as ps_work_edit has them, and whether it is about what is
 * between two calls. `paths`, by path, is all 0. Fails with what was probably meant. */
ps_status ps_work_paths(uint8_t *paths, bool *is_stretch, const ps_edit_work *edit, const ps_trace *trace,
                        bool *has_ranks, ps_error *err);

#endif
