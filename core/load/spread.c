/* spread.c - a trace whose rows several processes have, after the load: what process 0 asks of them. */
#include "core/load/folding.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include <stdlib.h>
#include <string.h>

/* What only process 0 has seen to makes its rows others than those that they were read as. */
static bool has_other_rows(const struct ps_folding *f)
{
        const ps_clock_info *clock = &f->trace->clock;
        return (clock->repaired || clock->corrected) && !f->is_mended;
}

/* The trace has the operations of all, in the order of their numbers, or those that have members here. */
static ps_status number_operations(const struct ps_folding *f, ps_agreed *out, ps_error *err)
{
        const ps_trace *trace = f->trace;
        const ps_agreed *agreed = &f->agreed;
        *out = (ps_agreed){.agrees = agreed->agrees,
                           .n_colls = trace->n_colls,
                           .n_all = agreed->n_all,
                           .stand_in = agreed->stand_in};
        out->id = PS_ARENA_NEW(trace->arena, uint32_t, trace->n_colls + (size_t)1);
        if (!out->id)
                return PS_NOMEM(err, "collective operations", trace->n_colls);
        out->number =
                f->rows_are_away ? PS_ARENA_NEW(trace->arena, uint32_t, trace->n_colls + (size_t)1) : NULL;
        if (f->rows_are_away && !out->number)
                return PS_NOMEM(err, "collective operations", trace->n_colls);
        if (f->rows_are_away)
                memcpy(out->number, agreed->number, agreed->n_colls * sizeof(*out->number));
        memset(out->id, 0xff, trace->n_colls * sizeof(*out->id)); /* PS_NONE */
        for (uint32_t c = 0; agreed->agrees && c < agreed->n_colls; c++)
                if (agreed->id[c] != PS_NONE)
                        out->id[f->rows_are_away ? c : agreed->id[c]] = agreed->id[c];
        return PS_OK;
}

ps_status ps_share_spread(const struct ps_folding *f, ps_error *err)
{
        ps_trace *trace = f->trace;
        uint32_t n = trace->defs.processes.n;
        if (trace->spread)
                return PS_OK;
        if (f->owner && has_other_rows(f))
                ps_task_order(f->options->exchange, TASK_FORGET, 0);
        if (!f->owner || has_other_rows(f))
                return PS_OK;
        uint32_t *owner = PS_ARENA_NEW(trace->arena, uint32_t, n);
        ps_spread *spread = PS_ARENA_NEW(trace->arena, ps_spread, 1);
        if (!owner || !spread)
                return PS_NOMEM(err, "processes", n);
        memcpy(owner, f->owner, n * sizeof(*owner));
        *spread = (ps_spread){.x = f->options->exchange,
                              .owner = owner,
                              .reading = f->options->exchange->readings,
                              .rows_are_away = f->rows_are_away};
        PS_TRY(number_operations(f, &spread->agreed, err));
        trace->spread = spread;
        return PS_OK;
}

ps_exchange *ps_share_others(const ps_trace *trace, const ps_timing *timing)
{
        const ps_spread *s = trace->spread;
        return s && timing == &trace->measured && s->reading == s->x->readings ? s->x : NULL;
}

bool ps_share_is_apart(const ps_trace *trace, const ps_timing *timing)
{
        return ps_share_others(trace, timing) && trace->spread->rows_are_away;
}

uint32_t ps_share_n_collectives(const ps_trace *trace)
{
        const ps_spread *s = trace->spread;
        return s && s->rows_are_away ? s->agreed.n_all : trace->n_colls;
}

bool ps_share_is_here(const ps_trace *trace, ps_loc location)
{
        const ps_spread *s = trace->spread;
        return s->owner[trace->defs.locations.row[location].process] == s->x->rank;
}

ps_status ps_share_look(ps_trace *out, const ps_trace *trace, ps_error *err)
{
        size_t n = trace->n_locs + (size_t)1;
        *out = *trace;
        out->ops = calloc(n, sizeof(*out->ops));
        out->measured.enter = calloc(n, sizeof(*out->measured.enter));
        out->measured.leave = calloc(n, sizeof(*out->measured.leave));
        if (!out->ops || !out->measured.enter || !out->measured.leave)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                if (trace->spread->rows_are_away && !ps_share_is_here(trace, l))
                        continue;
                out->ops[l] = trace->ops[l];
                out->measured.enter[l] = trace->measured.enter[l];
                out->measured.leave[l] = trace->measured.leave[l];
        }
        return PS_OK;
}

void ps_share_look_away(ps_trace *look)
{
        free(look->ops);
        free(look->measured.enter);
        free(look->measured.leave);
}

bool ps_share_has_all(const ps_trace *trace)
{
        const ps_spread *s = trace->spread;
        return !s->x->rank && !s->rows_are_away;
}

void ps_share_forget(const ps_trace *trace)
{
        ps_exchange *x = ps_share_others(trace, &trace->measured);
        if (!x)
                return;
        ps_task_order(x, TASK_FORGET, 0);
        trace->spread->reading = 0; /* readings count from 1 */
}

ps_status ps_task_ask(ps_exchange *x, uint64_t kind, const void *asked, size_t n, ps_error *err)
{
        ps_task_order(x, kind, n);
        PS_TRY(ps_exchange_agree(x, PS_OK, err));
        ps_exchange_broadcast(x, (void *)asked, n); /* which it only reads in process 0 */
        x->told.sum_bytes += n * (x->size - 1);
        return PS_OK;
}

ps_status ps_share_ask(ps_exchange *x, unsigned work, const void *asked, size_t n, ps_error *err)
{
        return ps_task_ask(x, TASK_WORK + (uint64_t)work, asked, n, err);
}

ps_status ps_share_gather(ps_exchange *x, ps_status status, ps_pile *out, const void *mine, size_t n,
                          ps_error *err)
{
        *out = (ps_pile){NULL, NULL};
        PS_TRY(ps_exchange_agree(x, status, err));
        PS_TRY(ps_exchange_gather(x, out, mine, n, err));
        if (!x->rank)
                x->told.sum_bytes += out->end[x->size - 1] - n;
        return PS_OK;
}
