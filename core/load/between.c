/* between.c - see between.h. Process 0, which knows what each location did in all, says how much of it there
 * may be; whoever has a location tells of it. */
#include "core/load/between.h"
#include "core/load/share.h"
#include "core/load/tasks.h"
#include "core/load/told.h"

#include "core/base/memory.h"
#include "core/exchange/exchange.h"
#include "core/model/pieces.h"

#include <stdlib.h>
#include <string.h>

/* Of the locations that are here, or of all. */
static ps_status add_all(ps_between *to, const ps_trace *trace, const ps_time *most, ps_error *err)
{
        ps_path *same = NULL;
        ps_time *sum = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*sum));
        ps_status status = sum ? PS_OK : PS_NOMEM(err, "call paths", trace->n_paths);
        PS_THEN(status, ps_functions_of_paths(&same, trace, err));
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++)
                if (!trace->spread || ps_share_has_all(trace) || ps_share_is_here(trace, loc))
                        status = ps_between_add(to, trace, loc, most[loc], same, sum, err);
        free(same);
        free(sum);
        return status;
}

/* -- process 0 -- */

static int compare_uses(const void *a, const void *b)
{
        const ps_between_use *x = a, *y = b;
        PS_ORDER_BY(x->location, y->location);
        return PS_ORDER(x->path, y->path);
}

/* Its own are among them. */
static ps_status take_all(ps_between *out, const ps_pile *all, size_t n, ps_error *err)
{
        ps_between_use *row = ps_memory_new(n + 1);
        if (!row)
                return PS_NOMEM(err, "functions", n);
        if (n)
                memcpy(row, all->bytes, n);
        free(out->row);
        out->row = row;
        out->n = out->cap = (uint32_t)(n / sizeof(*row));
        if (out->n)
                qsort(out->row, out->n, sizeof(*out->row), compare_uses);
        return PS_OK;
}

static ps_status pass_asked(ps_pass *p, ps_told *told, ps_time **most, const ps_trace *trace)
{
        PS_TRY(ps_told_pass(p, told, trace));
        return ps_pass_column(p, most, trace->n_locs, sizeof(**most));
}

static ps_status ask(const ps_trace *trace, ps_time *most, ps_error *err)
{
        ps_told told = ps_told_of(trace);
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_asked(&measure, &told, &most, trace));
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = calloc(measure.used, 1), .err = err};
        ps_status status = put.bytes ? pass_asked(&put, &told, &most, trace)
                                     : PS_NOMEM(err, "what is asked", measure.used);
        PS_THEN(status, ps_task_ask(trace->spread->x, TASK_BETWEEN, put.bytes, put.size, err));
        free(put.bytes);
        return status;
}

static ps_status find_together(ps_between *out, const ps_trace *trace, ps_error *err)
{
        ps_exchange *x = trace->spread->x;
        ps_pile all;
        PS_TRY(ask(trace, out->most, err));
        ps_status status = add_all(out, trace, out->most, err);
        PS_TRY(ps_share_gather(x, status, &all, out->row, out->n * sizeof(*out->row), err));
        status = take_all(out, &all, all.end[x->size - 1], err);
        ps_pile_clear(&all);
        return status;
}

ps_status ps_between_find(ps_between *out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        PS_TRY(ps_between_begin(out, trace, timing, err));
        if (!out->most)
                return PS_OK;
        return ps_share_is_apart(trace, timing) ? find_together(out, trace, err)
                                                : add_all(out, trace, out->most, err);
}

/* -- the others -- */

void ps_between_apart(const ps_trace *near, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_trace here = *near;
        ps_between own = {.most = NULL};
        ps_time *most = NULL;
        ps_told told;
        ps_pile none;
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = asked, .size = n, .err = &err};
        (void)n_threads;
        ps_status status = pass_asked(&take, &told, &most, near);
        if (status == PS_OK)
                ps_told_hear(&here, &told);
        PS_THEN(status, ps_pieces_settle(&here, &err));
        PS_THEN(status, add_all(&own, &here, most, &err));
        ps_share_gather(here.spread->x, status, &none, own.row, own.n * sizeof(*own.row), &err);
        ps_between_clear(&own);
}
