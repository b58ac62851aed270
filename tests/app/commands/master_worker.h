/* master_worker.h - a program that hands out work, simulated for itself: a rank that receives from whoever is
 * there first, and workers. Nothing of it is shared with the replay. Times are nanoseconds. */
#ifndef PS_TESTS_APP_COMMANDS_MASTER_WORKER_H
#define PS_TESTS_APP_COMMANDS_MASTER_WORKER_H

#include <stdbool.h>

#include "tests/support/tracegen.h"

enum { MW_WORKERS_MAX = 16, MW_TASKS_MAX = 400 };

typedef struct mw_program {
        uint32_t n_workers, n_tasks;
        uint32_t prefetch;     /* tasks that each gets at first, unasked; 0: workers begin with a request */
        bool sends_results;    /* beside each request, as a message before it */
        bool probes;           /* the master, before it receives */
        bool stops_at_the_end; /* all at once; otherwise instead of a task. Only with prefetch */
        uint64_t serves;       /* what the master computes after each message */
        uint64_t latency, per_kb; /* of the network */
        uint64_t result_bytes;
        uint64_t length[MW_TASKS_MAX];
} mw_program;

/* How long the run is when worker w computes factor[w] times as long; what happens goes to `g`, unless it is
 * NULL.
 */
uint64_t mw_run(const mw_program *program, const double *factor, ps_gen *g);

/* One of these programs; equal seeds, equal programs. */
mw_program mw_random(uint64_t seed);

#endif
