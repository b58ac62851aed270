/* region_names.h - what to say to somebody who names a region that the trace does not have. */
#ifndef PS_CORE_MODEL_REGION_NAMES_H
#define PS_CORE_MODEL_REGION_NAMES_H

#include "core/model/defs.h"

/* Fails with PS_E_USAGE: which name was probably meant, and the functions that there are. `where` is the
 * option or the edit that has the name, name[0 .. len). */
ps_status ps_region_is_unknown(const ps_defs *defs, const char *where, const char *name, size_t len,
                               ps_error *err);

#endif
