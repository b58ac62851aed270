/* cache.h - traces that were loaded before, as files that are mapped into memory.
 *
 * A file holds what one load made (docs/CACHE.md). It is used only where its key is the same: the version of
 * the program, the trace's path, every option that changes a load, and size and time of each file that the
 * trace lies in. */
#ifndef PS_CORE_CACHE_CACHE_H
#define PS_CORE_CACHE_CACHE_H

#include "core/model/format.h"
#include "core/model/trace.h"

typedef struct ps_cache_key {
        char *folder, *file; /* where it is kept: the file's path */
        char *text;          /* all that has to be the same */
        size_t n;
} ps_cache_key;

/* `folder` is where caches lie; "": $XDG_CACHE_HOME/patscan, or else ~/.cache/patscan. `parts` are the n
 * files and folders that the trace at `path` lies in. PS_E_INPUT: no such trace can be kept. To be cleared.
 */
ps_status ps_cache_key_make(ps_cache_key *out, const char *folder, const char *path,
                            const ps_load_options *options, char *const *parts, unsigned n, ps_error *err);
void ps_cache_key_clear(ps_cache_key *key);
bool ps_cache_key_is_same(const ps_cache_key *a, const ps_cache_key *b);

/* *out is NULL where nothing is kept. What is kept but cannot be used is removed: PS_E_INPUT. */
ps_status ps_cache_open(ps_trace **out, const ps_cache_key *key, unsigned n_threads, ps_error *err);
/* Keeps it, in the place of what the file held. The trace is not changed. */
ps_status ps_cache_keep(const ps_cache_key *key, ps_trace *trace, unsigned n_threads, ps_error *err);
/* Removes all that is kept in the folder; *n: so many files. */
ps_status ps_cache_clear(const char *folder, unsigned *n, ps_error *err);

#endif
