/* focus.h - the focus of a load: where it lies, and what each location did there. */
#ifndef PS_CORE_LOAD_FOCUS_H
#define PS_CORE_LOAD_FOCUS_H

#include "core/load/folding.h"
#include "core/model/focus.h"

/* Whose visits are needed, by region: to be freed; NULL: nobody's. A region that the trace does not define is
 * PS_E_USAGE. */
ps_status ps_load_focus_regions(uint8_t **out, const ps_trace *trace, const ps_focus_wish *wish,
                                ps_error *err);

/* Sets the focus of the measured run, once all times are what they will be. Whoever has read a stream reads
 * it again where the focus begins or ends within what a location computed: as a rule a few events at the
 * begin. */
ps_status ps_load_focus(struct ps_folding *f, ps_error *err);

#endif
