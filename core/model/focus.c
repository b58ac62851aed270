/* focus.c - see focus.h. */
#include "core/model/focus.h"
#include "core/base/number.h"
#include "core/base/search.h"

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
        uint32_t low = 0;
        PS_SEARCH(low, focus->n_spans, i, focus->span[i].end <= time)
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

bool ps_focus_has_sums(const ps_timing *timing, uint32_t n_locations)
{
        ps_time sum;
        return !__builtin_mul_overflow(ps_focus_length(timing), (ps_time)n_locations, &sum);
}

ps_status ps_focus_check_sums(const ps_timing *timing, uint32_t n_locations, ps_error *err)
{
        return ps_focus_has_sums(timing, n_locations)
                       ? PS_OK
                       : PS_FAIL(err, PS_E_USAGE,
                                 "the times of all locations together are too long to add up; choose a part "
                                 "of the run (--from, --to), or of the locations and no causes, which need "
                                 "all of them (--ranks and --causes none): locations=%" PRIu32
                                 ", seconds_each=%.0f, seconds_at_most=%.0f",
                                 n_locations, ps_time_seconds(ps_focus_length(timing)),
                                 ps_time_seconds(INT64_MAX));
}

ps_focus_part ps_focus_part_of(const ps_trace *trace, const ps_timing *timing, ps_loc location)
{
        const ps_location_info *info = ps_timing_info(trace, timing, location);
        if (timing->focus && timing->focus->part)
                return timing->focus->part[location];
        return (ps_focus_part){info->uses, info->n_uses, info->off};
}

/* -- moments, for other timings -- */

static ps_moment moment_at(const ps_trace *trace, ps_loc loc, ps_time time)
{
        const ps_time *enter = trace->measured.enter[loc];
        ps_op low = 0;
        PS_BISECT(low, trace->ops[loc].n, i, enter[i] <= time)
        if (!low)
                return (ps_moment){{PS_NONE, PS_NONE}, 0, time};
        ps_time leave = trace->measured.leave[loc][low - 1];
        int inside = leave > time;
        return (ps_moment){{loc, low - 1}, (uint8_t)inside, time - (inside ? enter[low - 1] : leave)};
}

/* By the operations of `loc`; PS_NONE: of whoever did something last. */
static ps_moment moment_to_find(const ps_trace *trace, ps_loc loc, ps_time time)
{
        if (time >= trace->measured.duration)
                return (ps_moment){{PS_NONE, PS_NONE}, 0, PS_TIME_MAX};
        return (ps_moment){{loc, PS_NONE}, 0, time};
}

static void find_moment(ps_moment *m, const ps_trace *trace, ps_time time,
                        bool (*is_here)(const ps_trace *trace, ps_loc loc))
{
        bool is_any = m->after.loc == PS_NONE;
        ps_loc first = is_any ? 0 : m->after.loc, end = is_any ? trace->n_locs : first + 1;
        if (m->distance == PS_TIME_MAX)
                return;
        for (ps_loc l = first; l < end; l++) {
                if (is_here && !is_here(trace, l))
                        continue;
                ps_moment here = moment_at(trace, l, time);
                if (here.after.op != PS_NONE && (m->after.op == PS_NONE || here.distance < m->distance))
                        *m = here;
        }
}

void ps_focus_find_moments(ps_focus *f, const ps_trace *trace,
                           bool (*is_here)(const ps_trace *trace, ps_loc loc))
{
        for (uint32_t i = 0; f->moments && i < f->n_spans; i++) {
                find_moment(&f->moments[2 * (size_t)i], trace, f->span[i].begin, is_here);
                find_moment(&f->moments[2 * (size_t)i + 1], trace, f->span[i].end, is_here);
        }
}

/* -- spans -- */

static int by_begin(const void *a, const void *b)
{
        const ps_focus_visit *x = a, *y = b;
        PS_ORDER_BY(x->span.begin, y->span.begin);
        return PS_ORDER(x->span.end, y->span.end);
}

/* Joins what overlaps; returns how many are left. */
static uint32_t join_visits(ps_focus_visit *visit, uint32_t n)
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

static void join_spans(ps_focus *f)
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
                f->moments[2 * (size_t)i] = moment_to_find(trace, visit[i].first, visit[i].span.begin);
                f->moments[2 * i + 1] = moment_to_find(trace, visit[i].last, visit[i].span.end);
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
        *f->span = f->how == PS_FOCUS_PROGRAM ? ps_focus_program(trace, measured)
                                              : (ps_span){0, measured->duration};
        f->n_spans = 1;
        return PS_OK;
}

/* -- whose -- */

ps_status ps_focus_mark_ranks(uint8_t *is_told, const ps_defs *defs, const char *text, ps_error *err)
{
        for (const char *at = text;; at++) {
                uint64_t from = 0, to = 0;
                if (!ps_number_range(&at, UINT32_MAX, &from, &to) || (*at && *at != ','))
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
        if (status != PS_OK)
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
                status = keep_spans(f, trace, visits, join_visits(visits, n), err);
        else if (status == PS_OK)
                status = take_run(f, trace, err);
        join_spans(f);
        return status;
}

/* -- other processes -- */

ps_status ps_focus_pass(ps_pass *p, ps_focus *focus, uint32_t n_locs)
{
        PS_TRY(ps_pass_values(p, &focus->how, 1, sizeof(focus->how)));
        PS_TRY(ps_pass_values(p, &focus->length, 1, sizeof(focus->length)));
        PS_TRY(ps_pass_values(p, &focus->n_spans, 1, sizeof(focus->n_spans)));
        PS_TRY(ps_pass_column(p, &focus->span, focus->n_spans, sizeof(*focus->span)));
        return ps_pass_optional(p, &focus->is_told, n_locs, sizeof(*focus->is_told));
}
