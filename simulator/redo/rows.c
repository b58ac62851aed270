/* rows.c - which rows each location has when tasks are dealt out anew. */
#include "simulator/redo/master.h"

typedef struct writing {
        const ps_master *m;
        ps_ref *row;
        double *scale;
        uint32_t n;
} writing;

static void put_rows(writing *w, ps_loc loc, ps_op first, ps_op end, double scale)
{
        for (ps_op row = first; row < end; row++) {
                w->scale[w->n] = scale;
                w->row[w->n++] = (ps_ref){loc, row};
        }
}

/* What a task's computations take there, next to where they were recorded. */
static double scale_of(const ps_master *m, const task *t, uint32_t there)
{
        return m->workers[there].slowness / m->workers[m->worker_of[t->worker]].slowness;
}

static uint32_t length_of(row_range rows)
{
        return rows.end - rows.first;
}

static uint32_t count_rows(const ps_master *m, const deal *d, uint32_t of)
{
        const worker *w = &m->workers[of];
        uint32_t n = w->rows_end + (m->trace->ops[w->loc].n - w->rest);
        for (uint32_t t = 0; t < m->n_tasks; t++)
                if (d->worker_of[t] == of)
                        n += length_of(m->tasks[t].rows);
        return n;
}

/* First what it has before the first turn, then what it gets in turns. */
static void write_worker(writing *out, deal *d, uint32_t of)
{
        const ps_master *m = out->m;
        const worker *w = &m->workers[of];
        put_rows(out, w->loc, 0, w->rows_end, 1);
        for (int is_dealt = 0; is_dealt < 2; is_dealt++)
                for (uint32_t t = 0; t < m->n_tasks; t++)
                        if (d->worker_of[t] == of && m->tasks[t].is_dealt == is_dealt) {
                                d->row[t] = out->n;
                                put_rows(out, m->tasks[t].worker, m->tasks[t].rows.first,
                                         m->tasks[t].rows.end, scale_of(m, &m->tasks[t], of));
                        }
        put_rows(out, w->loc, w->rest, m->trace->ops[w->loc].n, 1);
}

static void write_master(writing *out, const deal *d)
{
        const ps_master *m = out->m;
        put_rows(out, m->loc, 0, m->begin, 1);
        for (uint32_t i = 0; i < m->n_turns; i++) {
                const turn *head = &m->turns[d->head[i]], *tail = &m->turns[d->tail[i]];
                put_rows(out, m->loc, head->head.first, head->head.end, 1);
                put_rows(out, m->loc, tail->tail.first, tail->tail.end, 1);
        }
        put_rows(out, m->loc, m->rest, m->trace->ops[m->loc].n, 1);
}

ps_status ps_deal_rows(ps_rows **out, const ps_master *m, deal *d, ps_arena *arena, ps_error *err)
{
        ps_rows *rows = *out = PS_ARENA_NEW(arena, ps_rows, m->trace->n_locs + (size_t)1);
        if (!rows)
                return PS_NOMEM(err, "locations", m->trace->n_locs);
        for (uint32_t of = 0; of <= m->n_workers; of++) {
                ps_loc loc = of < m->n_workers ? m->workers[of].loc : m->loc;
                uint32_t n = of < m->n_workers ? count_rows(m, d, of) : m->trace->ops[loc].n;
                writing w = {m, PS_ARENA_NEW(arena, ps_ref, n + (size_t)1),
                             PS_ARENA_NEW(arena, double, n + (size_t)1), 0};
                if (!w.row || !w.scale)
                        return PS_NOMEM(err, "operations", n);
                if (of < m->n_workers)
                        write_worker(&w, d, of);
                else
                        write_master(&w, d);
                rows[loc] = (ps_rows){w.row, w.scale, w.n};
        }
        return PS_OK;
}
