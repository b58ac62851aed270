/* region_names.h - which names regions have, and what to say to somebody who names one that the trace does
 * not have. */
#ifndef PS_CORE_MODEL_REGION_NAMES_H
#define PS_CORE_MODEL_REGION_NAMES_H

#include "core/model/defs.h"

/* By text of the trace: is it the name of a region (1)? Many names are looked up so in one pass over regions.
 * To be freed; NULL: no memory. */
uint8_t *ps_region_names(const ps_defs *defs);

/* Fails with PS_E_USAGE: which name was probably meant, and the functions that there are. `where` is the
 * option or the edit that has the name, name[0 .. len). */
ps_status ps_region_is_unknown(const ps_defs *defs, const char *where, const char *name, size_t len,
                               ps_error *err);

#endif
