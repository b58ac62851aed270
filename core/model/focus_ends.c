/* focus_ends.c - where the focus ends in one timing or another: from the operations that it follows from. */
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/model/focus.h"

#include <stdlib.h>

/* -- when an operation was -- */

/* A timing, or (NULL) when some operations are, by location and row. */
typedef struct seen {
        const ps_timing *timing;
        const ps_ref *row;
        const ps_span *span;
        uint32_t n;
        ps_time duration;
} seen;

static seen seen_in(const ps_timing *timing)
{
        return (seen){.timing = timing, .duration = timing->duration};
}

static ps_span span_of_operation(const seen *s, ps_ref at)
{
        if (s->timing)
                return (ps_span){s->timing->enter[at.loc][at.op], s->timing->leave[at.loc][at.op]};
        const ps_ref *row = bsearch(&at, s->row, s->n, sizeof(at), ps_refs_compare);
        return row ? s->span[row - s->row] : (ps_span){0, 0};
}

/* -- between Init and Finalize -- */

/* How many calls of this kind the location made: who made none need not be searched. */
static uint64_t count_calls(const ps_trace *trace, ps_loc loc, ps_kind kind)
{
        uint64_t n = 0;
        for (uint32_t i = 0; i < trace->info[loc].n_uses; i++) {
                ps_region region = trace->paths[trace->info[loc].uses[i].path].region;
                if (region != PS_NONE && trace->defs.regions.row[region].kind == kind)
                        n += trace->info[loc].uses[i].visits;
        }
        return n;
}

ps_edge ps_focus_edge(const ps_trace *trace, ps_ref at)
{
        const ps_ops *ops = &trace->ops[at.loc];
        return (ps_edge){.at = at,
                         .time = {trace->measured.enter[at.loc][at.op], trace->measured.leave[at.loc][at.op]},
                         .path = ps_op_path(ops, at.op),
                         .kind = ops->kind[at.op],
                         .is_cut = (ops->flags[at.op] & PS_OP_TRUNCATED) != 0};
}

static ps_edge edge_in(const ps_trace *trace, const seen *s, ps_ref at)
{
        ps_edge edge = ps_focus_edge(trace, at);
        edge.time = span_of_operation(s, at);
        return edge;
}

/* What the calls of this kind span: those that start a library - there may be two, such as gasnet_init and
 * gasnet_attach - or the first one that ends it; 0: there is none. They stand at the begin and at the end of
 * a location, so that the search is short. */
static bool find_call(ps_edge *out, const ps_trace *trace, const seen *s, ps_loc loc, ps_kind kind)
{
        const ps_far *far = ps_trace_far(trace, loc);
        const uint8_t *kinds = trace->ops[loc].kind;
        const uint32_t n_rows = far ? far->n_edges : trace->ops[loc].n;
        uint64_t n = count_calls(trace, loc, kind), found = 0;
        for (uint32_t i = 0; i < n_rows && found < n; i++) {
                const uint32_t row = kind == PS_K_FINALIZE ? n_rows - 1 - i : i;
                if ((far ? far->edge[row].kind : kinds[row]) != kind)
                        continue;
                ps_edge here = far ? far->edge[row] : edge_in(trace, s, (ps_ref){loc, row});
                ps_span *time = &here.time;
                bool is_first = !found++;
                if (kind == PS_K_INIT && !is_first)
                        time->begin = out->time.begin < time->begin ? out->time.begin : time->begin;
                if (is_first ||
                    (kind == PS_K_INIT ? time->end >= out->time.end : time->begin <= out->time.begin))
                        *out = here;
        }
        return found > 0;
}

/* When the last process leaves its Init; one that is never left is none. */
static ps_time end_of_init(const ps_trace *trace, const seen *s)
{
        ps_time last = 0;
        ps_edge call;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                if (find_call(&call, trace, s, l, PS_K_INIT) && !call.is_cut && call.time.end > last)
                        last = call.time.end;
        return last;
}

/* When the process enters its Finalize; PS_TIME_MAX: never. */
static ps_time begin_of_finalize(const ps_trace *trace, const seen *s, ps_proc process)
{
        const ps_process_def *def = &trace->defs.processes.row[process];
        ps_time first = PS_TIME_MAX;
        ps_edge call;
        for (uint32_t i = 0; i < def->n_locs; i++)
                if (find_call(&call, trace, s, trace->defs.by_process[def->first + i], PS_K_FINALIZE) &&
                    call.time.begin < first)
                        first = call.time.begin;
        return first;
}

/* Each end on its own; where they contradict each other there are none. */
static ps_span program_of(const ps_trace *trace, const seen *s)
{
        ps_time from = end_of_init(trace, s), to = 0;
        for (ps_proc p = 0; p < trace->defs.processes.n; p++) {
                ps_time here = begin_of_finalize(trace, s, p);
                to = here > to ? here : to;
        }
        to = to > s->duration || !trace->defs.processes.n ? s->duration : to;
        if (from < to)
                return (ps_span){from, to};
        return (ps_span){from < s->duration ? from : 0, s->duration};
}

ps_span ps_focus_program(const ps_trace *trace, const ps_timing *timing)
{
        const seen s = seen_in(timing);
        return program_of(trace, &s);
}

/* -- in other timings -- */

static ps_time time_of_moment(const ps_trace *trace, const seen *s, const ps_moment *m)
{
        ps_time time = m->distance, limit = s->duration;
        if (m->after.op != PS_NONE) {
                const ps_ref next = {m->after.loc, m->after.op + 1};
                const ps_span at = span_of_operation(s, m->after);
                time = ps_time_add(m->inside ? at.begin : at.end, m->distance);
                limit = m->inside                          ? at.end
                        : next.op < trace->ops[next.loc].n ? span_of_operation(s, next).begin
                                                           : limit;
                limit = limit > at.end || m->inside ? limit : at.end;
        }
        time = time < limit ? time : limit;
        return time < s->duration ? time : s->duration;
}

/* The i-th span of another timing, if it is not empty there; `before` is the end of the one before it. */
static ps_span span_at(const ps_trace *trace, const seen *s, uint32_t i, ps_time before)
{
        const ps_focus *f = trace->measured.focus;
        ps_span span = {0, s->duration};
        if (f->moments)
                span = (ps_span){time_of_moment(trace, s, &f->moments[2 * (size_t)i]),
                                 time_of_moment(trace, s, &f->moments[2 * (size_t)i + 1])};
        else if (f->how == PS_FOCUS_PROGRAM)
                return program_of(trace, s);
        span.begin = span.begin > before ? span.begin : before;
        return span;
}

static uint32_t count_spans(const ps_focus *focus)
{
        return focus->moments ? focus->n_spans : 1;
}

ps_status ps_focus_of_timing(ps_focus **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        const ps_focus *measured = trace->measured.focus;
        const seen s = seen_in(timing);
        *out = NULL;
        if (!measured)
                return PS_OK;
        ps_focus *f = malloc(sizeof(*f) + (measured->n_spans + (size_t)1) * sizeof(ps_span));
        if (!f)
                return PS_NOMEM(err, "spans of time", measured->n_spans);
        *f = *measured;
        f->span = (ps_span *)(f + 1);
        f->part = NULL;
        f->n_spans = 0;
        for (uint32_t i = 0; i < count_spans(measured); i++) {
                ps_span span = span_at(trace, &s, i, f->n_spans ? f->span[f->n_spans - 1].end : 0);
                if (span.begin < span.end || !measured->moments)
                        f->span[f->n_spans++] = span;
        }
        f->length = 0;
        for (uint32_t i = 0; i < f->n_spans; i++)
                f->length += f->span[i].end - f->span[i].begin;
        *out = f;
        return PS_OK;
}

ps_time ps_focus_length_by(const ps_trace *trace, const ps_ref *rows, const ps_span *spans, uint32_t n,
                           ps_time duration)
{
        const ps_focus *focus = trace->measured.focus;
        const seen s = {NULL, rows, spans, n, duration};
        ps_time length = 0, before = 0;
        if (!focus)
                return duration;
        for (uint32_t i = 0; i < count_spans(focus); i++) {
                ps_span span = span_at(trace, &s, i, before);
                if (span.begin >= span.end)
                        continue;
                length += span.end - span.begin;
                before = span.end;
        }
        return length;
}

/* -- the operations that they follow from -- */

typedef PS_VECTOR(ps_ref) refs;

static ps_status add_calls(refs *to, const ps_trace *trace, ps_loc loc, ps_kind kind, ps_error *err)
{
        const ps_ops *ops = &trace->ops[loc];
        uint64_t n = count_calls(trace, loc, kind);
        for (ps_op i = 0; i < ops->n && n; i++) {
                ps_op op = kind == PS_K_FINALIZE ? ops->n - 1 - i : i;
                if (ops->kind[op] != kind)
                        continue;
                n--;
                if (PS_PUSH(*to, ((ps_ref){loc, op})))
                        return PS_NOMEM(err, "operations", to->n);
        }
        return PS_OK;
}

static ps_status add_moment(refs *to, const ps_trace *trace, const ps_moment *m, ps_error *err)
{
        ps_ref next = {m->after.loc, m->after.op + 1};
        if (m->after.op == PS_NONE)
                return PS_OK;
        if (PS_PUSH(*to, m->after) || (next.op < trace->ops[next.loc].n && PS_PUSH(*to, next)))
                return PS_NOMEM(err, "operations", to->n);
        return PS_OK;
}

static uint32_t keep_each_once(ps_ref *row, uint32_t n)
{
        uint32_t kept = 0;
        if (n)
                qsort(row, n, sizeof(*row), ps_refs_compare);
        for (uint32_t i = 0; i < n; i++)
                if (!kept || ps_refs_compare(&row[kept - 1], &row[i]) != 0)
                        row[kept++] = row[i];
        return kept;
}

ps_status ps_focus_rows(ps_ref **out, uint32_t *n, const ps_trace *trace, ps_error *err)
{
        const ps_focus *f = trace->measured.focus;
        ps_status status = PS_OK;
        refs rows = {0};
        for (uint32_t i = 0; f && f->moments && i < 2 * f->n_spans && status == PS_OK; i++)
                status = add_moment(&rows, trace, &f->moments[i], err);
        for (ps_loc l = 0; f && !f->moments && f->how == PS_FOCUS_PROGRAM && l < trace->n_locs; l++) {
                PS_THEN(status, add_calls(&rows, trace, l, PS_K_INIT, err));
                PS_THEN(status, add_calls(&rows, trace, l, PS_K_FINALIZE, err));
        }
        *n = keep_each_once(rows.row, rows.n);
        *out = rows.row;
        return status;
}

void ps_focus_free(ps_focus *focus)
{
        free(focus);
}

/* -- what lies outside -- */

/* From the first that begins to the last that ends, of one kind. */
static ps_span extent_of(const ps_trace *trace, const ps_timing *timing, ps_kind kind, ps_region *region)
{
        ps_span all = {PS_TIME_MAX, 0};
        const seen s = seen_in(timing);
        ps_edge call;
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                if (!find_call(&call, trace, &s, l, kind))
                        continue;
                if (call.time.begin < all.begin) {
                        all.begin = call.time.begin;
                        *region = call.path < trace->n_paths ? trace->paths[call.path].region : PS_NONE;
                }
                all.end = call.time.end > all.end ? call.time.end : all.end;
        }
        return all;
}

unsigned ps_focus_find_outside(ps_focus_outside out[PS_FOCUS_OUTSIDE_MOST], const ps_trace *trace,
                               const ps_timing *timing)
{
        static const ps_kind kinds[] = {PS_K_INIT, PS_K_FINALIZE};
        unsigned n = 0;
        for (unsigned k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
                ps_region region = PS_NONE;
                ps_span span = extent_of(trace, timing, kinds[k], &region);
                if (region == PS_NONE)
                        continue;
                ps_time time = span.end - span.begin - ps_focus_clip(timing->focus, span.begin, span.end);
                if (time > 0)
                        out[n++] = (ps_focus_outside){region, time};
        }
        return n;
}
