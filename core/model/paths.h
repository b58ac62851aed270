/* paths.h - questions about the whole call tree. */
#ifndef PS_CORE_MODEL_PATHS_H
#define PS_CORE_MODEL_PATHS_H

#include "core/model/trace.h"

/* (*out)[path]: is it below another path of the same region, so that what holds for the region holds already?
 * The caller's to free. */
ps_status ps_paths_find_inner(uint8_t **out, const ps_trace *trace, ps_error *err);

/* By path: what communicates there does so for this (ps_purpose): its region's purpose, or that of the
 * nearest one around it which has any. NULL: no memory. To be freed. */
uint8_t *ps_purposes_of_paths(const ps_trace *trace);

#endif
