/* speeds.c - how fast workers were in the recording: a task that moves takes as long as it would have taken
 * there.
 *
 * Tasks may be long or short by themselves. So only a worker counts as slower of which even the short tasks
 * are clearly longer than nine of ten of all others, or as faster the other way round; of two the one that
 * had fewer. */
#include "simulator/redo/master.h"

#include "core/base/memory.h"
#include "core/base/search.h"

#include <stdlib.h>

static const double clearly = 1.25;
enum { TASKS_LEAST = 2 };

static double cost_of_task(const ps_master *m, const task *t)
{
        return ps_master_cost(m, t->worker, (row_range){t->rows.first + 1, t->rows.end});
}

/* The costs of the worker's tasks, and behind them those of all others, both in rising order. */
static uint32_t sort_costs(const ps_master *m, uint32_t w, const double *cost, double *sorted)
{
        uint32_t n = 0, end = m->n_tasks;
        for (uint32_t t = 0; t < m->n_tasks; t++)
                if (m->worker_of[m->tasks[t].worker] == w)
                        sorted[n++] = cost[t];
                else
                        sorted[--end] = cost[t];
        qsort(sorted, n, sizeof(*sorted), ps_doubles_compare);
        qsort(sorted + n, m->n_tasks - n, sizeof(*sorted), ps_doubles_compare);
        return n;
}

static double speed_of(const double *own, uint32_t n, const double *others, uint32_t n_others)
{
        bool is_known = n >= TASKS_LEAST && n_others >= TASKS_LEAST && own[0] > 0 && others[0] > 0;
        bool is_slower = is_known && own[0] > clearly * others[(n_others - 1) - n_others / 10];
        bool is_faster = is_known && own[n - 1] * clearly < others[n_others / 10];
        return is_slower || is_faster ? own[n / 2] / others[n_others / 2] : 1;
}

ps_status ps_master_find_speeds(ps_master *m, ps_error *err)
{
        double *cost = ps_memory_new((2 * (size_t)m->n_tasks + 1) * sizeof(*cost)),
               *sorted = cost + m->n_tasks;
        if (!cost)
                return PS_NOMEM(err, "tasks", m->n_tasks);
        for (uint32_t t = 0; t < m->n_tasks; t++)
                cost[t] = cost_of_task(m, &m->tasks[t]);
        for (uint32_t w = 0; w < m->n_workers; w++) {
                uint32_t n = sort_costs(m, w, cost, sorted);
                bool is_usual = m->n_workers == 2 && n > m->n_tasks / 2;
                m->workers[w].slowness = is_usual ? 1 : speed_of(sorted, n, sorted + n, m->n_tasks - n);
        }
        free(cost);
        return PS_OK;
}
