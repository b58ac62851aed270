/* clock.h - times that contradict causality: counting them, and repairing what can be repaired. */
#ifndef PS_CORE_CLOCK_CLOCK_H
#define PS_CORE_CLOCK_CLOCK_H

#include "core/model/trace.h"

/* Violations up to this size are noise of synchronised clocks; larger ones mean that they are not. */
#define PS_CLOCK_NOISE (PS_PS_PER_NS * 1000)

/* Works on trace->measured, fills trace->clock and notes the issues of what was recorded. */
ps_status ps_clock_check(ps_trace *trace, ps_clock_mode mode, unsigned n_threads, ps_error *err);

#endif
