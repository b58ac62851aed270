/* apart.h - which processes take no part in what the others do: they communicate nothing before their
 * MPI_Finalize. Nobody is to blame for their waiting there for the others. */
#ifndef PS_CORE_SUMS_APART_H
#define PS_CORE_SUMS_APART_H

#include "core/model/focus.h"

/* (*out)[process]; NULL: all take part, or nobody does. To be freed. */
ps_status ps_apart_find(uint8_t **out, const ps_trace *trace, const ps_timing *timing, ps_error *err);

#endif
