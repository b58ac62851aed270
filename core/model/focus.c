/* focus.c - see focus.h. */
#include "core/model/focus.h"
#include "core/base/number.h"

#include "core/model/kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const ps_focus_names[PS_FOCUS_HOWS] = {"program", "whole-run", "range", "region"};

/* -- what lies inside -- */

static ps_time both(ps_span a, ps_time begin, ps_time end)
{
        begin = begin > a.begin ? begin : a.begin;
        end = end < a.end ? end : a.end;
        return end > begin ? end - begin : 0;
}

/* The first span that ends after `time`. */
static uint32_t first_span(const ps_focus *focus, ps_time time)
{
        uint32_t low = 0, high = focus->n_spans;
        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (focus->span[middle].end <= time)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

ps_time ps_focus_clip_to_all(const ps_focus *focus, ps_time begin, ps_time end)
{
        ps_time sum = 0;
        for (uint32_t i = first_span(focus, begin); i < focus->n_spans && focus->span[i].begin < end; i++)
                sum += both(focus->span[i], begin, end);
        return sum;
}

ps_time ps_focus_length(const ps_timing *timing)
{
        return timing->focus ? timing->focus->length : timing->duration > 0 ? timing->duration : 0;
}

ps_span ps_focus_hull(const ps_timing *timing)
{
        const ps_focus *f = timing->focus;
        if (!f || !f->n_spans)
                return (ps_span){0, timing->duration};
        return (ps_span){f->span[0].begin, f->span[f->n_spans - 1].end};
}

bool ps_focus_tells(const ps_trace *trace, const ps_timing *timing, ps_loc location)
{
        const ps_focus *f = timing->focus;
        return trace->defs.locations.row[location].type == PS_LOCATION_CPU &&
               (!f || !f->is_told || f->is_told[location]);
}

uint32_t ps_focus_n_told(const ps_trace *trace, const ps_timing *timing)
{
        uint32_t n = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                n += (uint32_t)ps_focus_tells(trace, timing, l);
        return n;
}

ps_focus_part ps_focus_part_of(const ps_trace *trace, const ps_timing *timing, ps_loc location)
{
        const ps_location_info *info = ps_timing_info(trace, timing, location);
        if (timing->focus && timing->focus->part)
                return timing->focus->part[location];
        return (ps_focus_part){info->uses, info->n_uses, info->off};
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

/* What the calls of this kind span: those that start a library - there may be two, such as gasnet_init and
 * gasnet_attach - or the first one that ends it; 0: there is none. They stand at the begin of a location and
 * at its end, so that hardly anything is looked at. */
static bool find_call(ps_span *out, ps_ref *ref, const ps_trace *trace, const ps_timing *timing, ps_loc loc,
                      ps_kind kind)
{
        const ps_ops *ops = &trace->ops[loc];
        uint64_t n = count_calls(trace, loc, kind), seen = 0;
        for (ps_op i = 0; i < ops->n && seen < n; i++) {
                ps_op op = kind == PS_K_FINALIZE ? ops->n - 1 - i : i;
                if (ops->kind[op] != kind)
                        continue;
                ps_span here = {timing->enter[loc][op], timing->leave[loc][op]};
                bool is_first = !seen++;
                if (kind == PS_K_INIT && !is_first)
                        here.begin = out->begin < here.begin ? out->begin : here.begin;
                if (is_first || (kind == PS_K_INIT ? here.end >= out->end : here.begin <= out->begin)) {
                        *out = here;
                        *ref = (ps_ref){loc, op};
                }
        }
        return seen > 0;
}

/* When the last process leaves its Init; one that is never left is none. */
static ps_time end_of_init(const ps_trace *trace, const ps_timing *timing)
{
        ps_time last = 0;
        ps_span span;
        ps_ref ref;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                if (find_call(&span, &ref, trace, timing, l, PS_K_INIT) &&
                    !(trace->ops[l].flags[ref.op] & PS_OP_TRUNCATED) && span.end > last)
                        last = span.end;
        return last;
}

/* When the process enters its Finalize; PS_TIME_MAX: never. */
static ps_time begin_of_finalize(const ps_trace *trace, const ps_timing *timing, ps_proc process)
{
        const ps_process_def *def = &trace->defs.processes.row[process];
        ps_time first = PS_TIME_MAX;
        ps_span span;
        ps_ref ref;
        for (uint32_t i = 0; i < def->n_locs; i++)
                if (find_call(&span, &ref, trace, timing, trace->defs.by_process[def->first + i],
                              PS_K_FINALIZE) &&
                    span.begin < first)
                        first = span.begin;
        return first;
}

/* Each end on its own; where they contradict each other there are none. */
static ps_span program_of(const ps_trace *trace, const ps_timing *timing)
{
        ps_time from = end_of_init(trace, timing), to = 0;
        for (ps_proc p = 0; p < trace->defs.processes.n; p++) {
                ps_time here = begin_of_finalize(trace, timing, p);
                to = here > to ? here : to;
        }
        to = to > timing->duration || !trace->defs.processes.n ? timing->duration : to;
        if (from < to)
                return (ps_span){from, to};
        return (ps_span){from < timing->duration ? from : 0, timing->duration};
}

/* -- moments, for other timings -- */

static ps_moment moment_at(const ps_trace *trace, ps_loc loc, ps_time time)
{
        const ps_time *enter = trace->measured.enter[loc];
        ps_op low = 0, high = trace->ops[loc].n;
        while (low < high) {
                ps_op middle = low + (high - low) / 2;
                if (enter[middle] <= time)
                        low = middle + 1;
                else
                        high = middle;
        }
        if (!low)
                return (ps_moment){{PS_NONE, PS_NONE}, 0, time};
        ps_time leave = trace->measured.leave[loc][low - 1];
        int inside = leave > time;
        return (ps_moment){{loc, low - 1}, (uint8_t)inside, time - (inside ? enter[low - 1] : leave)};
}

/* By the operations of `loc`, or of whoever did something last. */
static ps_moment moment_of(const ps_trace *trace, ps_loc loc, ps_time time)
{
        if (time >= trace->measured.duration)
                return (ps_moment){{PS_NONE, PS_NONE}, 0, PS_TIME_MAX};
        if (loc != PS_NONE)
                return moment_at(trace, loc, time);
        ps_moment best = {{PS_NONE, PS_NONE}, 0, time};
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                ps_moment m = moment_at(trace, l, time);
                if (m.after.op != PS_NONE && (best.after.op == PS_NONE || m.distance < best.distance))
                        best = m;
        }
        return best;
}

static ps_time time_of(const ps_trace *trace, const ps_timing *timing, const ps_moment *m)
{
        ps_time time = m->distance, limit = timing->duration;
        if (m->after.op != PS_NONE) {
                const ps_time *enter = timing->enter[m->after.loc], *leave = timing->leave[m->after.loc];
                ps_op op = m->after.op;
                time = ps_time_add(m->inside ? enter[op] : leave[op], m->distance);
                limit = m->inside ? leave[op] : op + 1 < trace->ops[m->after.loc].n ? enter[op + 1] : limit;
                limit = limit > leave[op] || m->inside ? limit : leave[op];
        }
        time = time < limit ? time : limit;
        return time < timing->duration ? time : timing->duration;
}

/* -- spans -- */

static int by_begin(const void *a, const void *b)
{
        const ps_focus_visit *x = a, *y = b;
        if (x->span.begin != y->span.begin)
                return x->span.begin < y->span.begin ? -1 : 1;
        return (x->span.end > y->span.end) - (x->span.end < y->span.end);
}

/* Joins what overlaps; returns how many are left. */
static uint32_t join(ps_focus_visit *visit, uint32_t n)
{
        uint32_t kept = 0;
        qsort(visit, n, sizeof(*visit), by_begin);
        for (uint32_t i = 0; i < n; i++) {
                if (visit[i].span.end <= visit[i].span.begin)
                        continue;
                ps_focus_visit *last = kept ? &visit[kept - 1] : NULL;
                if (!last || visit[i].span.begin > last->span.end) {
                        visit[kept++] = visit[i];
                } else if (visit[i].span.end > last->span.end) {
                        last->span.end = visit[i].span.end;
                        last->last = visit[i].last;
                }
        }
        return kept;
}

static void add_up(ps_focus *f)
{
        f->length = 0;
        for (uint32_t i = 0; i < f->n_spans; i++)
                f->length += f->span[i].end - f->span[i].begin;
}

static ps_status keep_spans(ps_focus *f, ps_trace *trace, const ps_focus_visit *visit, uint32_t n,
                            ps_error *err)
{
        f->span = PS_ARENA_NEW(trace->arena, ps_span, n + (size_t)1);
        f->moments = PS_ARENA_NEW(trace->arena, ps_moment, 2 * (size_t)n);
        if (!f->span || !f->moments)
                return PS_NOMEM(err, "spans of time", n);
        for (uint32_t i = 0; i < n; i++) {
                f->span[i] = visit[i].span;
                f->moments[2 * (size_t)i] = moment_of(trace, visit[i].first, visit[i].span.begin);
                f->moments[2 * i + 1] = moment_of(trace, visit[i].last, visit[i].span.end);
        }
        f->n_spans = n;
        return PS_OK;
}

static ps_status take_range(ps_focus *f, ps_trace *trace, const ps_focus_wish *wish, ps_error *err)
{
        ps_time end = trace->measured.duration;
        ps_focus_visit all = {{wish->from, wish->to < end ? wish->to : end}, PS_NONE, PS_NONE};
        if (all.span.begin >= all.span.end)
                return PS_FAIL(err, PS_E_USAGE,
                               "the run has nothing in this part: option=\"--focus\", from_s=%.9f, "
                               "to_s=%.9f, duration_s=%.9f",
                               (double)wish->from / 1e12, (double)all.span.end / 1e12, (double)end / 1e12);
        return keep_spans(f, trace, &all, 1, err);
}

/* Those that follow from the operations of each timing. */
static ps_status take_run(ps_focus *f, ps_trace *trace, ps_error *err)
{
        const ps_timing *measured = &trace->measured;
        f->span = PS_ARENA_NEW(trace->arena, ps_span, 1);
        if (!f->span)
                return PS_NOMEM(err, "spans of time", 1);
        *f->span =
                f->how == PS_FOCUS_PROGRAM ? program_of(trace, measured) : (ps_span){0, measured->duration};
        f->n_spans = 1;
        return PS_OK;
}

/* -- whose -- */

ps_status ps_focus_mark_ranks(uint8_t *is_told, const ps_defs *defs, const char *text, ps_error *err)
{
        for (const char *at = text;; at++) {
                uint64_t from, to;
                bool is_good = ps_number_whole(&at, UINT32_MAX, &from);
                to = from;
                if (is_good && *at == '-') {
                        at++;
                        is_good = ps_number_whole(&at, UINT32_MAX, &to);
                }
                if (!is_good || (*at && *at != ',') || from > to)
                        return PS_FAIL(err, PS_E_USAGE, "--ranks needs ranks, such as 0-3,8: value=\"%.60s\"",
                                       text);
                if (to >= defs->processes.n)
                        return PS_FAIL(err, PS_E_USAGE,
                                       "the trace has no such rank: option=\"--ranks\", rank=%" PRIu64
                                       ", ranks=%u",
                                       to, defs->processes.n);
                for (ps_loc l = 0; l < defs->locations.n; l++)
                        is_told[l] |= defs->locations.row[l].process >= from &&
                                      defs->locations.row[l].process <= to;
                if (!*at)
                        return PS_OK;
        }
}

ps_status ps_focus_make(ps_focus **out, ps_trace *trace, const ps_focus_wish *wish, ps_focus_visit *visits,
                        uint32_t n, ps_error *err)
{
        ps_focus *f = PS_ARENA_NEW(trace->arena, ps_focus, 1);
        ps_status status = f ? PS_OK : PS_NOMEM(err, "focus", 1);
        *out = f;
        if (status < 0)
                return status;
        f->how = wish->how;
        f->region = wish->region;
        if (wish->ranks && !(f->is_told = PS_ARENA_NEW(trace->arena, uint8_t, trace->n_locs)))
                status = PS_NOMEM(err, "locations", trace->n_locs);
        if (status == PS_OK && wish->ranks)
                status = ps_focus_mark_ranks(f->is_told, &trace->defs, wish->ranks, err);
        if (status == PS_OK && f->how == PS_FOCUS_RANGE)
                status = take_range(f, trace, wish, err);
        else if (status == PS_OK && f->how == PS_FOCUS_REGION)
                status = keep_spans(f, trace, visits, join(visits, n), err);
        else if (status == PS_OK)
                status = take_run(f, trace, err);
        add_up(f);
        return status;
}

ps_status ps_focus_of_timing(ps_focus **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        const ps_focus *measured = trace->measured.focus;
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
        for (uint32_t i = 0; measured->moments && i < measured->n_spans; i++) {
                ps_span span = {time_of(trace, timing, &measured->moments[2 * (size_t)i]),
                                time_of(trace, timing, &measured->moments[2 * i + 1])};
                ps_time before = f->n_spans ? f->span[f->n_spans - 1].end : 0;
                span.begin = span.begin > before ? span.begin : before;
                if (span.begin < span.end)
                        f->span[f->n_spans++] = span;
        }
        if (!measured->moments)
                f->span[f->n_spans++] = f->how == PS_FOCUS_PROGRAM ? program_of(trace, timing)
                                                                   : (ps_span){0, timing->duration};
        add_up(f);
        *out = f;
        return PS_OK;
}

void ps_focus_free(ps_focus *focus)
{
        free(focus);
}

/* -- what lies outside -- */

/* From the first that begins to the last that ends, of one kind. */
static ps_span extent_of(const ps_trace *trace, const ps_timing *timing, ps_kind kind, ps_region *region)
{
        ps_span all = {PS_TIME_MAX, 0}, span;
        ps_ref ref;
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                if (!find_call(&span, &ref, trace, timing, l, kind))
                        continue;
                if (span.begin < all.begin) {
                        all.begin = span.begin;
                        *region = ps_op_region(trace, ref);
                }
                all.end = span.end > all.end ? span.end : all.end;
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
