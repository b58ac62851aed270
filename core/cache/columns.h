/* columns.h - a frozen trace as one row of bytes, with its columns as they are in memory. */
#ifndef PS_CORE_CACHE_COLUMNS_H
#define PS_CORE_CACHE_COLUMNS_H

#include "core/base/error.h"
#include "core/model/trace.h"

/* So many bytes the trace takes. It is not changed, here and below. */
ps_status ps_cache_columns_measure(size_t *bytes, ps_trace *trace, ps_error *err);
/* Writes them: `at` is aligned for a page. */
ps_status ps_cache_columns_put(uint8_t *at, size_t bytes, ps_trace *trace, ps_error *err);

/* The columns of `out`, which is new, become those at `at`, which has to stay as long as it does. Anything
 * may stand there: each index is looked at, and what leads nowhere is PS_E_INPUT. `out` is then to be closed.
 */
ps_status ps_cache_columns_take(ps_trace *out, const uint8_t *at, size_t bytes, unsigned n_threads,
                                ps_error *err);

/* Changes when a column or a kind is added, or numbers are laid out otherwise. */
uint64_t ps_cache_columns_layout(void);

#endif
