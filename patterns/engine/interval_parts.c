/* interval_parts.c - the operations of intervals where several processes have their rows: process 0 says
 * which interval each call path belongs to, the others count, and it takes their counts in the order of
 * locations. */
#include "core/base/pass.h"
#include "patterns/engine/measure.h"
#include "patterns/engine/works.h"

#include <stdlib.h>

/* What the others need to know of a measure. */
struct asked {
        uint32_t n_intervals, n_paths, n_spans, known;
        bool has_focus;
        uint32_t *interval, *processor;
        uint8_t *of_path;
        ps_span *span;
};

static ps_status pass_asked(ps_pass *p, struct asked *a, uint32_t n_locs)
{
        PS_TRY(ps_pass_values(p, &a->n_intervals, 1, sizeof(a->n_intervals)));
        PS_TRY(ps_pass_values(p, &a->n_paths, 1, sizeof(a->n_paths)));
        PS_TRY(ps_pass_values(p, &a->n_spans, 1, sizeof(a->n_spans)));
        PS_TRY(ps_pass_values(p, &a->known, 1, sizeof(a->known)));
        PS_TRY(ps_pass_bool(p, &a->has_focus));
        PS_TRY(ps_pass_column(p, &a->interval, a->n_paths, sizeof(*a->interval)));
        PS_TRY(ps_pass_column(p, &a->processor, n_locs, sizeof(*a->processor)));
        PS_TRY(ps_pass_column(p, &a->of_path, a->n_paths, sizeof(*a->of_path)));
        return ps_pass_column(p, &a->span, a->n_spans, sizeof(*a->span));
}

ps_status ps_operations_ask(const struct operations *o, ps_exchange *x, ps_error *err)
{
        const struct measure *m = o->m;
        const ps_focus *focus = m->timing->focus;
        struct asked asked = {.n_intervals = m->tree->n,
                              .n_paths = m->trace->n_paths,
                              .n_spans = focus ? focus->n_spans : 0,
                              .known = m->tree->known,
                              .has_focus = focus,
                              .interval = m->interval,
                              .processor = m->processor,
                              .of_path = o->of_path,
                              .span = focus ? focus->span : NULL};
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_asked(&measure, &asked, m->trace->n_locs));
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = calloc(measure.used, 1), .err = err};
        ps_status status = put.bytes ? pass_asked(&put, &asked, m->trace->n_locs)
                                     : PS_NOMEM(err, "what is asked", measure.used);
        PS_THEN(status, ps_share_ask(x, PS_WORK_OPERATIONS, put.bytes, put.size, err));
        free(put.bytes);
        return status;
}

/* What one of the processes has counted. */
static ps_status pass_counts(ps_pass *p, struct operations *o, uint64_t *count, uint32_t owner)
{
        const ps_trace *trace = o->m->trace;
        PS_TRY(ps_pass_values(p, count, (size_t)o->m->tree->n * WITH_NONE, sizeof(*count)));
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                struct overlaps *of = &o->overlaps[loc];
                if (trace->spread->owner[trace->defs.locations.row[loc].process] == owner)
                        PS_TRY(ps_pass_whole(p, &of->row, &of->n, &of->cap, sizeof(*of->row)));
        }
        return PS_OK;
}

/* -- process 0 -- */

static ps_status take_counts(struct operations *o, ps_pile *counts, uint32_t n_processes, ps_error *err)
{
        size_t n_counts = (size_t)o->m->tree->n * WITH_NONE;
        uint64_t *count = calloc(n_counts, sizeof(*count));
        ps_status status = count ? PS_OK : PS_NOMEM(err, "intervals", n_counts);
        for (uint32_t p = 1; p < n_processes && status == PS_OK; p++) {
                size_t from = counts->end[p - 1];
                ps_pass take = {.way = PS_PASS_TAKE,
                                .bytes = counts->bytes + from,
                                .size = counts->end[p] - from,
                                .err = err};
                status = pass_counts(&take, o, count, p);
                for (size_t i = 0; i < n_counts; i++)
                        o->count[i] += count[i];
        }
        free(count);
        return status;
}

ps_status ps_operations_gather(struct operations *o, ps_exchange *x, ps_status status, ps_error *err)
{
        ps_pile counts;
        status = ps_exchange_agree(x, status, err);
        PS_THEN(status, ps_measure_ends_here(o, err));
        status = ps_share_gather(x, status, &counts, NULL, 0, err);
        PS_THEN(status, take_counts(o, &counts, x->size, err));
        ps_pile_clear(&counts);
        return status;
}

/* -- the others -- */

static ps_status put_counts(ps_pass *put, struct operations *o, uint32_t rank, ps_error *err)
{
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_counts(&measure, o, o->count, rank));
        *put = (ps_pass){.way = PS_PASS_PUT, .size = measure.used, .bytes = malloc(measure.used), .err = err};
        return put->bytes ? pass_counts(put, o, o->count, rank)
                          : PS_NOMEM(err, "what was counted", measure.used);
}

void ps_operations_work(const ps_trace *trace, unsigned n_threads, uint8_t *bytes, size_t n)
{
        ps_error err = {0};
        ps_pile none;
        struct asked asked = {0};
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = bytes, .size = n, .err = &err}, put = {.bytes = NULL};
        ps_status status = pass_asked(&take, &asked, trace->n_locs);
        ps_focus focus = {.span = asked.span, .n_spans = asked.n_spans};
        ps_timing timing = trace->measured;
        ps_intervals tree = {.n = asked.n_intervals, .known = asked.known};
        timing.focus = asked.has_focus ? &focus : NULL;
        struct measure m = {.trace = trace,
                            .timing = &timing,
                            .tree = &tree,
                            .interval = asked.interval,
                            .processor = asked.processor};
        struct operations o = {.m = &m, .of_path = asked.of_path};
        PS_THEN(status, ps_operations_count(&o, n_threads, &err));
        status = ps_exchange_agree(trace->spread->x, status, &err);
        PS_THEN(status, ps_measure_ends_here(&o, &err));
        PS_THEN(status, put_counts(&put, &o, trace->spread->x->rank, &err));
        ps_share_gather(trace->spread->x, status, &none, put.bytes, put.size, &err);
        ps_operations_clear(&o);
        free(put.bytes);
}
