/* cached.h - a trace as it was kept, or read and kept: --cache. */
#ifndef PS_LIBRARY_RUN_CACHED_H
#define PS_LIBRARY_RUN_CACHED_H

#include "core/cache/cache.h"
#include "library/run/asked.h"

/* As ps_trace_load. What goes wrong with the cache is told in a line, and then the trace is read. */
ps_status ps_cached_load(ps_trace **out, const ps_options *options, const char *path,
                         const ps_load_options *how, ps_error *err);

/* The files that the trace lies in, as they are now, to be compared with later ones and cleared. Nothing is
 * kept. */
ps_status ps_cached_state(ps_cache_key *out, const char *path, ps_error *err);

/* "patscan --cache=clear", without a trace: nothing is read. */
bool ps_cached_only_clears(const ps_options *options);
ps_status ps_cached_clear(const ps_options *options, ps_error *err);

#endif
