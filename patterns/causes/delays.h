/* delays.h - the costs of delays before anything is known of them. */
#ifndef PS_PATTERNS_CAUSES_DELAYS_H
#define PS_PATTERNS_CAUSES_DELAYS_H

#include "patterns/causes/waits.h"

/* To be freed, also after a failure. */
ps_status ps_delays_begin(ps_delays **out, const ps_trace *trace, const ps_timing *timing,
                          const ps_delay_options *options, ps_error *err);

#endif
