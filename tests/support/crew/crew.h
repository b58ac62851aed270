/* crew.h - processes that work on one trace, as threads of this one. */
#ifndef PS_TESTS_CREW_H
#define PS_TESTS_CREW_H

#include "core/exchange/exchange.h"
#include "core/model/loading.h"

/* Calls work(x, ctx) for each of `n` processes, each on a thread of its own, and waits for all. Of seven or
 * more process 0 reads nothing. */
void crew_run(uint32_t n, void (*work)(ps_exchange *x, void *ctx), void *ctx);

/* A load whose reading is dealt out to them: what process 0 gets. */
ps_status crew_load(ps_trace **out, const char *path, const ps_load_options *options, uint32_t n,
                    ps_error *err);

/* Alone or by several, up to seven: the same trace, or the same status for the same reason. */
void crew_expect_same(const char *path, const ps_load_options *options);

#endif
