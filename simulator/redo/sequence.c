/* sequence.c - in which order each worker does what, and who was too early. */
#include "simulator/redo/master.h"

#include "core/base/memory.h"

#include <stdlib.h>

/* -- turns that are one -- */

/* `last` by worker. */
static bool are_always_together(const ps_master *m, const uint32_t *of, uint32_t *last)
{
        bool are_there = false;
        for (uint32_t w = 0; w < m->n_workers; w++)
                last[w] = 0;
        for (uint32_t i = 0; i < m->n_turns; i++) {
                uint32_t w = m->worker_of[m->turns[i].worker];
                if (last[w] && of[last[w] - 1] == of[i]) {
                        if (last[w] != i || m->turns[i - 1].is_answered)
                                return false;
                        are_there = true;
                }
                last[w] = i + 1;
        }
        return are_there;
}

void ps_master_join_turns(ps_master *m, uint32_t *of, uint32_t *scratch)
{
        uint32_t n = 0;
        if (!are_always_together(m, of, scratch))
                return;
        for (uint32_t i = 0; i < m->n_turns; i++) {
                if (n && of[n - 1] == of[i]) {
                        turn *before = &m->turns[n - 1];
                        before->head.end = m->turns[i].head.end;
                        before->tail = m->turns[i].tail;
                        before->answer = m->turns[i].answer;
                        before->is_answered = m->turns[i].is_answered;
                } else {
                        m->turns[n] = m->turns[i];
                        of[n++] = of[i];
                }
        }
        m->n_turns = n;
}

/* -- turns by task -- */

enum { MESSAGES_APART = 8 }; /* of a task; further ones are like the last of these */

/* Turns of one task, or of a worker before its first one. */
typedef struct group {
        uint32_t first, n;
        bool is_before;
} group;

static group group_at(const ps_master *m, uint32_t of)
{
        if (of < m->n_tasks)
                return (group){m->tasks[of].first_turn, m->tasks[of].n_turns, false};
        const worker *w = &m->workers[of - m->n_tasks];
        return (group){w->first_turn, w->n_turns, true};
}

static uint32_t *count_of(ps_master *m, uint32_t of)
{
        return of < m->n_tasks ? &m->tasks[of].n_turns : &m->workers[of - m->n_tasks].n_turns;
}

static void sort_by_group(ps_master *m, const uint32_t *of)
{
        uint32_t n = 0;
        for (uint32_t g = 0; g < m->n_tasks + m->n_workers; g++)
                *count_of(m, g) = 0;
        for (uint32_t i = 0; i < m->n_turns; i++)
                ++*count_of(m, of[i]);
        for (uint32_t g = 0; g < m->n_tasks + m->n_workers; g++) {
                uint32_t *count = count_of(m, g);
                if (g < m->n_tasks)
                        m->tasks[g].first_turn = n;
                else
                        m->workers[g - m->n_tasks].first_turn = n;
                n += *count;
                *count = 0;
        }
        for (uint32_t i = 0; i < m->n_turns; i++)
                m->sequence[group_at(m, of[i]).first + (*count_of(m, of[i]))++] = i;
}

/* A message that was answered once is answered as long as there are tasks. */
static void find_answerable(ps_master *m)
{
        bool is_answered[2][MESSAGES_APART] = {{0}};
        for (int pass = 0; pass < 2; pass++)
                for (uint32_t of = 0; of < m->n_tasks + m->n_workers; of++) {
                        group g = group_at(m, of);
                        for (uint32_t i = 0; i < g.n; i++) {
                                turn *t = &m->turns[m->sequence[g.first + i]];
                                bool *here = &is_answered[g.is_before]
                                                         [i < MESSAGES_APART ? i : MESSAGES_APART - 1];
                                if (pass)
                                        t->may_be_given = *here;
                                else
                                        *here |= t->is_answered;
                        }
                }
}

static void find_stops(ps_master *m)
{
        uint32_t n = 0;
        for (uint32_t i = 0; i < m->n_turns; i++)
                m->workers[m->worker_of[m->turns[i].worker]].n_stops += is_stopping(m, i);
        for (uint32_t w = 0; w < m->n_workers; w++) {
                m->workers[w].first_stop = n;
                n += m->workers[w].n_stops;
                m->workers[w].n_stops = 0;
        }
        for (uint32_t i = 0; i < m->n_turns; i++) {
                worker *w = &m->workers[m->worker_of[m->turns[i].worker]];
                if (is_stopping(m, i))
                        m->stops[w->first_stop + w->n_stops++] = i;
        }
        for (uint32_t t = 0; t < m->n_tasks; t++)
                m->workers[m->worker_of[m->tasks[t].worker]].n_given += !m->tasks[t].is_dealt;
}

void ps_master_put_sequence(ps_master *m, const uint32_t *of)
{
        sort_by_group(m, of);
        find_answerable(m);
        find_stops(m);
}

/* -- computations -- */

double ps_master_cost(const ps_master *m, ps_loc loc, row_range rows)
{
        const ps_timing *measured = &m->trace->measured;
        double sum = 0;
        for (ps_op row = rows.first > 0 ? rows.first : 1; row < rows.end; row++) {
                ps_time gap = measured->enter[loc][row] - measured->leave[loc][row - 1];
                sum += gap > 0 ? (double)gap : 0;
        }
        return sum;
}

row_range ps_master_before(const ps_master *m, const task *t, uint32_t i)
{
        ps_op from = i ? m->turns[m->sequence[t->first_turn + i - 1]].sent : t->rows.first;
        return (row_range){from + 1, m->turns[m->sequence[t->first_turn + i]].sent + 1};
}

double ps_master_slack(const ps_master *m)
{
        double sum = 0;
        for (uint32_t i = 0; i < m->n_tasks; i++)
                sum += ps_master_cost(m, m->tasks[i].worker,
                                      (row_range){m->tasks[i].rows.first + 1, m->tasks[i].rows.end});
        return m->n_tasks ? SLACK * sum / m->n_tasks : 0;
}

/* -- who was first -- */

ps_status ps_master_early(uint32_t *n_early, early_turn *first, const ps_master *m, const uint32_t *who,
                          const ps_time *asked, double slack, ps_error *err)
{
        uint32_t n = m->n_turns, *next = ps_memory_new((n + m->n_workers + (size_t)1) * sizeof(*next));
        uint32_t *after = next + m->n_workers; /* by position: the next one of the same worker */
        if (!next)
                return PS_NOMEM(err, "turns of a master", n);
        for (uint32_t w = 0; w < m->n_workers; w++)
                next[w] = n;
        for (uint32_t k = n; k-- > 0;) {
                uint32_t w = who[k];
                after[k] = next[w];
                next[w] = k;
        }
        *n_early = 0;
        *first = (early_turn){n, n};
        for (uint32_t k = 0; k < n; k++) {
                uint32_t best = k;
                for (uint32_t w = 0; w < m->n_workers; w++)
                        if (next[w] < n && asked[next[w]] < asked[best])
                                best = next[w];
                if ((double)asked[best] + slack < (double)asked[k] && !(*n_early)++)
                        *first = (early_turn){k, best};
                next[who[k]] = after[k];
        }
        free(next);
        return PS_OK;
}

ps_status ps_master_count_early(uint32_t *n_early, const ps_master *m, const ps_timing *timing, ps_error *err)
{
        uint32_t *who = ps_memory_new((m->n_turns + (size_t)1) * sizeof(*who));
        ps_time *asked = ps_memory_new((m->n_turns + (size_t)1) * sizeof(*asked));
        early_turn first;
        ps_status status = who && asked ? PS_OK : PS_NOMEM(err, "turns of a master", m->n_turns);
        for (uint32_t i = 0; i < m->n_turns && status == PS_OK; i++) {
                who[i] = m->worker_of[m->turns[i].worker];
                asked[i] = timing->enter[m->turns[i].worker][m->turns[i].sent];
        }
        PS_THEN(status, ps_master_early(n_early, &first, m, who, asked, ps_master_slack(m), err));
        free(who);
        free(asked);
        return status;
}
