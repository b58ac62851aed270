/* check.h - does every index of a trace that somebody else has written lead somewhere? */
#ifndef PS_CORE_CACHE_CHECK_H
#define PS_CORE_CACHE_CHECK_H

#include "core/base/error.h"
#include "core/model/trace.h"

/* PS_E_INPUT: one does not. */
ps_status ps_cache_check(const ps_trace *trace, unsigned n_threads, ps_error *err);

#endif
