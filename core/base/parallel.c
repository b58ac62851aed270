/* parallel.c - rounds are handed out by one atomic counter. */
#include "core/base/parallel.h"
#include "core/base/memory.h"

#include "core/base/blocks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

struct loop {
        ps_status (*work)(void *ctx, uint32_t i, unsigned worker, ps_error *err);
        void *ctx;
        uint32_t n;
        atomic_uint next;
        atomic_int failed;
};

struct worker {
        struct loop *loop;
        unsigned index;
        pthread_t thread;
        uint32_t failed_at;
        ps_error err;
        ps_status status;
        unsigned lacks; /* of memory, in a thread of its own */
};

static void run_worker(struct worker *worker)
{
        struct loop *loop = worker->loop;
        while (!atomic_load_explicit(&loop->failed, memory_order_relaxed)) {
                uint32_t i = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
                if (i >= loop->n)
                        break;
                ps_blocks_look();
                worker->status = loop->work(loop->ctx, i, worker->index, &worker->err);
                if (worker->status != PS_OK) {
                        worker->failed_at = i;
                        atomic_store(&loop->failed, 1);
                }
        }
}

static void *run_thread(void *worker)
{
        run_worker(worker);
        ((struct worker *)worker)->lacks = ps_memory_lacks();
        return NULL;
}

unsigned ps_parallel_threads(unsigned wanted)
{
        if (!wanted) {
                long n = sysconf(_SC_NPROCESSORS_ONLN);
                wanted = n > 0 ? (unsigned)n : 1;
        }
        return wanted < MAX_THREADS ? wanted : MAX_THREADS;
}

unsigned ps_parallel_worth(unsigned asked, uint64_t n_events)
{
        enum { ENOUGH = 1 << 15 };
        return asked || n_events >= ENOUGH ? asked : 1;
}

uint32_t ps_parallel_ranges(uint64_t n, uint64_t all, uint32_t asked, unsigned n_threads)
{
        enum { MOST_ASKED = 8 };
        uint64_t fit = n / (asked ? asked : PS_RANGE_ROWS),
                 most = asked ? MOST_ASKED : ps_parallel_threads(n_threads);
        if ((!asked && n <= all / most) || fit < 2)
                return 1;
        return (uint32_t)(fit < most ? fit : most);
}

static ps_status first_failure(const struct worker *workers, unsigned n, ps_error *err)
{
        const struct worker *first = NULL;
        for (unsigned i = 0; i < n; i++)
                if (workers[i].status != PS_OK && (!first || workers[i].failed_at < first->failed_at))
                        first = &workers[i];
        if (first && err)
                *err = first->err;
        return first ? first->status : PS_OK;
}

ps_status ps_parallel_for(unsigned n_threads, uint32_t n,
                          ps_status (*work)(void *ctx, uint32_t i, unsigned worker, ps_error *err), void *ctx,
                          ps_error *err)
{
        n_threads = ps_parallel_threads(n_threads);
        if (n_threads > n)
                n_threads = n ? n : 1;
        struct loop loop = {.work = work, .ctx = ctx, .n = n};
        struct worker *workers = calloc(n_threads, sizeof(*workers));
        if (!workers)
                return PS_NOMEM(err, "threads", n_threads);
        unsigned started = 1; /* worker 0 is the caller's own thread */
        for (unsigned i = 0; i < n_threads; i++)
                workers[i] = (struct worker){.loop = &loop, .index = i};
        while (started < n_threads &&
               !pthread_create(&workers[started].thread, NULL, run_thread, &workers[started]))
                started++;
        run_worker(&workers[0]);
        for (unsigned i = 1; i < started; i++) {
                pthread_join(workers[i].thread, NULL);
                ps_memory_inherit_lacks(workers[i].lacks);
        }
        ps_status status = first_failure(workers, started, err);
        free(workers);
        return status;
}
