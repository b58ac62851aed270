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

/* The threads that were asked for; where nobody did (0), one for so few events that to start others would
 * take longer than what they bring. */
unsigned ps_parallel_worth(unsigned asked, uint64_t n_events);

/* In how many ranges of as many rows each a thing of n rows is worked off, of all that there are: more than
 * one where it is larger than a thread's part of them. `asked`, for tests: in a few of so many rows at least;
 * 0: nobody asks. */
uint32_t ps_parallel_ranges(uint64_t n, uint64_t all, uint32_t asked, unsigned n_threads);

enum {
        PS_RANGE_ROWS = 1 << 16, /* at least */
        PS_RANGE_WARM = 32       /* one of so many is looked at before a range, for what it has to know */
};

#endif
