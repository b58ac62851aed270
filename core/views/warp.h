/* warp.h - when something happened in another timing: what a location did between two moments of its
 * operations is longer or shorter by the same factor. */
#ifndef PS_CORE_VIEWS_WARP_H
#define PS_CORE_VIEWS_WARP_H

#include "core/model/trace.h"

/* The operations begin and end as the two timings say. A time outside of all that the location did becomes
 * that of its first or last event. */
ps_time ps_time_warped(const ps_trace *trace, const ps_timing *from, const ps_timing *to, ps_loc location,
                       ps_time time);

#endif
