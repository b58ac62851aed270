/* profiled.h - the profile of a run whose rows several processes have. */
#ifndef PS_CORE_LOAD_PROFILED_H
#define PS_CORE_LOAD_PROFILED_H

#include "core/sums/profile.h"

/* By process 0: ps_profile_make(), with all who have rows at these times. */
ps_status ps_profile_make_all(ps_profile **out, const ps_trace *trace, const ps_timing *timing,
                              uint32_t n_bins, ps_error *err);

/* And ps_profile_make_fine(). */
ps_status ps_profile_make_fine_all(ps_profile **out, const ps_trace *trace, const ps_timing *timing,
                                   ps_error *err);

/* What the others do then. */
void ps_profile_apart(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n);

#endif
