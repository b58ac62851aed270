/* parallel.h - a loop whose rounds may run on several threads. */
#ifndef PS_CORE_BASE_PARALLEL_H
#define PS_CORE_BASE_PARALLEL_H

#include "core/base/error.h"

/* Calls work(ctx, i, worker, err) for each i below n, each once, on up to n_threads threads (the caller's is
 * one of them; 0 means one for each processor); `worker` is below the number of threads used. Rounds are
 * handed out in rising order. The first failure, by i, is returned and stops the handing out. */
ps_status ps_parallel_for(unsigned n_threads, uint32_t n,
                          ps_status (*work)(void *ctx, uint32_t i, unsigned worker, ps_error *err), void *ctx,
                          ps_error *err);

unsigned ps_parallel_threads(unsigned wanted);

#endif
