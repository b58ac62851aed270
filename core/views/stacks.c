/* stacks.c - see stacks.h. */
#include "core/views/stacks.h"
#include "core/views/warp.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/model/stack_places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN_MOST = 256 };

struct ps_stacks {
        const ps_trace *trace;
        const ps_reader_class *format;
        ps_reader *reader;
        ps_defs defs;
        ps_issues *issues; /* nobody asks for them: the load has told them */
};

/* A walk over a location's events. */
typedef struct walk {
        ps_stacks *stacks;
        ps_loc location;
        ps_stream *stream;
        ps_batch batch;
        ps_open_functions open;
        ps_time shift, now; /* from repaired times to those of the trace, in which `now` is */
        ps_time seen_at;    /* the last event that says what is around it, as recorded */
        ps_span span;
        ps_time least;
        ps_stack_frames *out;
} walk;

/* -- times -- */

static ps_time repaired(const ps_stacks *s, ps_loc location, ps_time recorded)
{
        const ps_clock_info *clock = &s->trace->clock;
        return clock->offset
                       ? ps_clock_repaired(clock, s->trace->defs.locations.row[location].process, recorded)
                       : recorded;
}

static ps_time time_on_timeline(const walk *w, ps_time recorded)
{
        return ps_time_add(repaired(w->stacks, w->location, recorded), w->shift);
}

static ps_region region_entered(const ps_stacks *s, const ps_event *e)
{
        bool has_context = e->kind == PS_EV_CONTEXT_ENTER || e->kind == PS_EV_CONTEXT_LEAVE;
        if (has_context && e->ref < s->defs.contexts.n)
                return s->defs.contexts.row[e->ref].region;
        return has_context || e->ref >= s->defs.regions.n ? PS_NONE : e->ref;
}

/* -- frames -- */

static ps_status put_frame(const walk *w, uint32_t depth, ps_time end, ps_error *err)
{
        const ps_open_function *open = &w->open.row[depth];
        const ps_stack_frame frame = {time_on_timeline(w, open->begin), end, depth, open->region};
        if (end <= w->span.begin || frame.begin >= w->span.end)
                return PS_OK;
        if (end - frame.begin < w->least) {
                w->out->n_short++;
                return PS_OK;
        }
        return PS_PUSH(w->out->frames, frame) ? PS_NOMEM(err, "frames of call stacks", w->out->frames.n)
                                              : PS_OK;
}

/* Whoever leaves a function that is not the innermost one has left those in it, too. */
static ps_status leave_function(walk *w, ps_region region, ps_error *err)
{
        uint32_t depth = w->open.n;
        while (depth > 0 && region != PS_NONE && w->open.row[depth - 1].region != region)
                depth--;
        if (!depth)
                return PS_OK;
        for (; w->open.n >= depth; w->open.n--)
                PS_TRY(put_frame(w, w->open.n - 1, w->now, err));
        return PS_OK;
}

/* The functions around an event, which were not entered: those that were there at the one before, too, went
 * on; others ended then. Where reading begins in the middle they begin when they are first seen. */
static ps_status see_frames(walk *w, uint32_t context, ps_time now, ps_error *err)
{
        ps_region chain[SEEN_MOST];
        uint32_t n = 0, same = 0, depth = 0;
        for (; context < w->stacks->defs.contexts.n && n < SEEN_MOST;
             context = w->stacks->defs.contexts.row[context].parent)
                chain[n++] = w->stacks->defs.contexts.row[context].region;
        for (; depth < w->open.n; depth++) {
                const ps_open_function *frame = &w->open.row[depth];
                if (same < n && frame->region == chain[n - 1 - same])
                        same++;
                else if (frame->is_seen)
                        break;
        }
        while (w->open.n > depth && w->open.row[w->open.n - 1].is_seen) {
                PS_TRY(put_frame(w, w->open.n - 1, time_on_timeline(w, w->seen_at), err));
                w->open.n--;
        }
        for (; same < n; same++)
                if (PS_PUSH(w->open, ((ps_open_function){now, chain[n - 1 - same], true})))
                        return PS_NOMEM(err, "open functions", w->open.n);
        return PS_OK;
}

/* What is left may be entered again at once: what is around it goes on as long as it is seen. */
static ps_status take_context(walk *w, const ps_event *e, ps_error *err)
{
        bool is_known = (e->kind == PS_EV_CONTEXT_ENTER || e->kind == PS_EV_CONTEXT_LEAVE ||
                         e->kind == PS_EV_SAMPLE) &&
                        e->ref < w->stacks->defs.contexts.n;
        if (is_known && e->kind == PS_EV_CONTEXT_ENTER)
                PS_TRY(see_frames(w, w->stacks->defs.contexts.row[e->ref].parent, e->time, err));
        else if (is_known && e->kind == PS_EV_SAMPLE)
                PS_TRY(see_frames(w, e->ref, e->time, err));
        if (is_known)
                w->seen_at = e->time;
        return PS_OK;
}

static ps_status take_event(walk *w, const ps_event *e, ps_error *err)
{
        w->now = time_on_timeline(w, e->time);
        PS_TRY(take_context(w, e, err));
        if (e->kind == PS_EV_ENTER || e->kind == PS_EV_CONTEXT_ENTER) {
                const ps_open_function entered = {e->time, region_entered(w->stacks, e), false};
                return PS_PUSH(w->open, entered) ? PS_NOMEM(err, "open functions", w->open.n) : PS_OK;
        }
        if (e->kind == PS_EV_LEAVE || e->kind == PS_EV_CONTEXT_LEAVE)
                return leave_function(w, region_entered(w->stacks, e), err);
        return PS_OK;
}

/* -- reading -- */

static ps_status next_batch(walk *w, ps_error *err)
{
        w->batch.n = 0;
        return w->stacks->format->stream_next(w->stream, &w->batch, w->stacks->issues, err);
}

/* To the last place before the span. */
static ps_status go_to(walk *w, ps_error *err)
{
        const ps_stack_places *known = &w->stacks->trace->stack_places[w->location];
        uint32_t low = 0;
        w->shift = ps_time_sub(w->stacks->trace->info[w->location].first,
                               repaired(w->stacks, w->location, known->begin));
        PS_SEARCH(low, known->places.n, i, time_on_timeline(w, known->places.row[i].time) < w->span.begin)
        if (!low)
                return PS_OK; /* from the begin */
        const ps_stack_place *place = &known->places.row[low - 1];
        for (uint32_t i = 0; i < place->n_open; i++)
                if (PS_PUSH(w->open, known->open.row[place->first + i]))
                        return PS_NOMEM(err, "open functions", place->n_open);
        w->now = time_on_timeline(w, place->time);
        w->seen_at = place->time;
        return w->stacks->format->stream_seek(w->stream, &place->at, err);
}

static bool is_behind(const walk *w, const ps_event *e)
{
        return time_on_timeline(w, e->time) >= w->span.end;
}

static ps_status read_span(walk *w, ps_error *err)
{
        bool is_over = false;
        ps_status status = go_to(w, err);
        PS_THEN(status, next_batch(w, err));
        while (status == PS_OK && w->batch.n && !is_over) {
                for (uint32_t i = 0; i < w->batch.n && !is_over; i++) {
                        is_over = is_behind(w, &w->batch.event[i]);
                        PS_THEN(status, is_over ? PS_OK : take_event(w, &w->batch.event[i], err));
                }
                PS_THEN(status, is_over ? PS_OK : next_batch(w, err));
        }
        for (uint32_t depth = 0; depth < w->open.n; depth++)
                PS_THEN(status, put_frame(w, depth, is_over ? w->span.end : w->now, err));
        return status;
}

static ps_status read_measured(ps_stacks *s, ps_loc location, ps_span span, ps_time least,
                               ps_stack_frames *out, ps_error *err)
{
        walk w = {.stacks = s,
                  .location = location,
                  .now = INT64_MIN,
                  .span = span,
                  .least = least,
                  .out = out};
        ps_status status = s->format->stream_open(&w.stream, s->reader, location, err);
        PS_THEN(status, read_span(&w, err));
        if (w.stream)
                s->format->stream_close(w.stream);
        free(w.open.row);
        return status;
}

ps_status ps_stacks_read(ps_stacks *s, ps_loc location, const ps_timing *timing, ps_span span, ps_time least,
                         ps_stack_frames *out, ps_error *err)
{
        const ps_trace *trace = s->trace;
        const ps_timing *measured = &trace->measured;
        *out = (ps_stack_frames){.n_short = 0};
        if (timing == measured)
                return read_measured(s, location, span, least, out, err);
        ps_span read = {ps_time_warped(trace, timing, measured, location, span.begin),
                        ps_time_warped(trace, timing, measured, location, span.end)};
        double factor =
                span.end > span.begin ? (double)(read.end - read.begin) / (double)(span.end - span.begin) : 1;
        ps_status status = read_measured(s, location, read, (ps_time)((double)least * factor), out, err);
        for (uint32_t i = 0; i < out->frames.n; i++) {
                ps_stack_frame *f = &out->frames.row[i];
                f->begin = ps_time_warped(trace, measured, timing, location, f->begin);
                f->end = ps_time_warped(trace, measured, timing, location, f->end);
        }
        return status;
}

bool ps_stacks_are_of(const ps_stacks *s, const ps_trace *trace)
{
        return s->trace == trace;
}

/* -- life -- */

ps_status ps_stacks_new(ps_stacks **out, const ps_trace *trace, const ps_reader_class *format,
                        const char *path, ps_error *err)
{
        *out = NULL;
        if (!format->stream_mark || !trace->stack_places)
                return PS_OK;
        char room[PATH_MAX];
        ps_stacks *s = ps_memory_zeroed(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "call stacks", 1);
        s->trace = trace;
        s->format = format;
        s->issues = ps_memory_zeroed(1, sizeof(*s->issues));
        ps_status status =
                s->issues ? ps_defs_init(&s->defs, err) : PS_NOMEM(err, "call stacks", trace->n_locs);
        PS_THEN(status, format->open(&s->reader, ps_blocks_path(room, path), &s->defs, s->issues, err));
        PS_THEN(status, ps_defs_freeze(&s->defs, err));
        if (status == PS_OK &&
            (s->defs.locations.n != trace->n_locs || s->defs.regions.n != trace->defs.regions.n))
                status = PS_FAIL(err, PS_E_INPUT, "the trace has changed since it was read: path=\"%s\"",
                                 path);
        if (status != PS_OK) {
                ps_stacks_free(s);
                return status;
        }
        *out = s;
        return PS_OK;
}

void ps_stacks_free(ps_stacks *s)
{
        if (!s)
                return;
        if (s->reader)
                s->format->close(s->reader);
        ps_defs_free(&s->defs);
        free(s->issues);
        free(s);
}
