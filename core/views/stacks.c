/* stacks.c - see stacks.h. */
#include "core/views/stacks.h"
#include "core/views/warp.h"

#include "core/base/memory.h"
#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_BYTES = 64 * 1024 };

typedef struct open_frame {
        ps_time begin;
        ps_region region;
} open_frame;

typedef PS_VECTOR(open_frame) open_frames;

/* A place to read on from. */
typedef struct mark {
        ps_stream_mark at;
        ps_time time;           /* of the last event before it */
        uint32_t first, n_open; /* among the index's open frames */
} mark;

typedef struct location_index {
        PS_VECTOR(mark) marks; /* in the order of the file, and of time */
        open_frames open;      /* of all marks */
        ps_time shift;         /* from repaired times to those of the trace */
        bool is_made;
} location_index;

struct ps_stacks {
        const ps_trace *trace;
        const ps_reader_class *format;
        ps_reader *reader;
        ps_defs defs;
        ps_issues *issues;     /* nobody asks for them: the load has told them */
        location_index *index; /* by location */
        uint32_t n_locs;
};

/* A walk over a location's events. */
typedef struct walk {
        ps_stacks *stacks;
        ps_loc location;
        ps_stream *stream;
        ps_batch batch;
        open_frames open;
        ps_time now;
        ps_span span;
        ps_time least;
        ps_stack_frames *out; /* NULL: only the index is made */
} walk;

/* -- times and functions -- */

static ps_time repaired(const ps_stacks *s, ps_loc location, ps_time recorded)
{
        const ps_clock_info *clock = &s->trace->clock;
        return clock->offset
                       ? ps_clock_repaired(clock, s->trace->defs.locations.row[location].process, recorded)
                       : recorded;
}

static ps_time time_on_timeline(const ps_stacks *s, ps_loc location, ps_time recorded)
{
        return ps_time_add(repaired(s, location, recorded), s->index[location].shift);
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
        const open_frame *open = &w->open.row[depth];
        const ps_stack_frame frame = {open->begin, end, depth, open->region};
        if (!w->out || end <= w->span.begin || open->begin >= w->span.end)
                return PS_OK;
        if (end - open->begin < w->least) {
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
        ps_status status = PS_OK;
        while (w->open.n >= depth) {
                PS_THEN(status, put_frame(w, w->open.n - 1, w->now, err));
                w->open.n--;
        }
        return status;
}

static ps_status take_event(walk *w, const ps_event *e, ps_error *err)
{
        w->now = time_on_timeline(w->stacks, w->location, e->time);
        if (e->kind == PS_EV_ENTER || e->kind == PS_EV_CONTEXT_ENTER) {
                const open_frame frame = {w->now, region_entered(w->stacks, e)};
                return PS_PUSH(w->open, frame) ? PS_NOMEM(err, "open functions", w->open.n) : PS_OK;
        }
        if (e->kind == PS_EV_LEAVE || e->kind == PS_EV_CONTEXT_LEAVE)
                return leave_function(w, region_entered(w->stacks, e), err);
        return PS_OK;
}

/* -- the index -- */

static ps_status add_mark(walk *w, ps_error *err)
{
        location_index *index = &w->stacks->index[w->location];
        mark m = {.time = w->now, .first = index->open.n, .n_open = w->open.n};
        w->stacks->format->stream_mark(w->stream, &m.at);
        if (index->marks.n && m.at.offset < index->marks.row[index->marks.n - 1].at.offset + STEP_BYTES)
                return PS_OK;
        for (uint32_t i = 0; i < w->open.n; i++)
                if (PS_PUSH(index->open, w->open.row[i]))
                        return PS_NOMEM(err, "open functions", index->open.n);
        return PS_PUSH(index->marks, m) ? PS_NOMEM(err, "places in a file", index->marks.n) : PS_OK;
}

static ps_status next_batch(walk *w, ps_error *err)
{
        w->batch.n = 0;
        return w->stacks->format->stream_next(w->stream, &w->batch, w->stacks->issues, err);
}

static ps_status make_index(walk *w, ps_error *err)
{
        location_index *index = &w->stacks->index[w->location];
        ps_status status = next_batch(w, err);
        if (status == PS_OK && w->batch.n)
                index->shift = ps_time_sub(w->stacks->trace->info[w->location].first,
                                           repaired(w->stacks, w->location, w->batch.event[0].time));
        while (status == PS_OK && w->batch.n) {
                for (uint32_t i = 0; i < w->batch.n; i++)
                        PS_THEN(status, take_event(w, &w->batch.event[i], err));
                PS_THEN(status, add_mark(w, err));
                PS_THEN(status, next_batch(w, err));
        }
        index->is_made = status == PS_OK;
        return status;
}

/* -- reading -- */

/* To the last place before the span. */
static ps_status go_to(walk *w, ps_error *err)
{
        const location_index *index = &w->stacks->index[w->location];
        uint32_t low = 0;
        PS_SEARCH(low, index->marks.n, i, index->marks.row[i].time < w->span.begin)
        if (!low)
                return PS_OK; /* from the begin */
        const mark *m = &index->marks.row[low - 1];
        for (uint32_t i = 0; i < m->n_open; i++)
                if (PS_PUSH(w->open, index->open.row[m->first + i]))
                        return PS_NOMEM(err, "open functions", m->n_open);
        w->now = m->time;
        return w->stacks->format->stream_seek(w->stream, &m->at, err);
}

static bool is_behind(const walk *w, const ps_event *e)
{
        return time_on_timeline(w->stacks, w->location, e->time) >= w->span.end;
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

static ps_status with_stream(walk *w, ps_status (*work)(walk *w, ps_error *err), ps_error *err)
{
        ps_status status = w->stacks->format->stream_open(&w->stream, w->stacks->reader, w->location, err);
        PS_THEN(status, work(w, err));
        if (w->stream)
                w->stacks->format->stream_close(w->stream);
        free(w->open.row);
        return status;
}

static ps_status read_measured(ps_stacks *s, ps_loc location, ps_span span, ps_time least,
                               ps_stack_frames *out, ps_error *err)
{
        ps_status status = PS_OK;
        if (!s->index[location].is_made)
                status = with_stream(&(walk){.stacks = s, .location = location, .now = INT64_MIN}, make_index,
                                     err);
        return status != PS_OK ? status
                               : with_stream(&(walk){.stacks = s,
                                                     .location = location,
                                                     .now = INT64_MIN,
                                                     .span = span,
                                                     .least = least,
                                                     .out = out},
                                             read_span, err);
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
        if (!format->stream_mark)
                return PS_OK;
        ps_stacks *s = ps_memory_zeroed(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "call stacks", 1);
        s->trace = trace;
        s->n_locs = trace->n_locs;
        s->format = format;
        s->issues = ps_memory_zeroed(1, sizeof(*s->issues));
        s->index = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*s->index));
        ps_status status = s->issues && s->index ? ps_defs_init(&s->defs, err)
                                                 : PS_NOMEM(err, "call stacks", trace->n_locs);
        PS_THEN(status, format->open(&s->reader, path, &s->defs, s->issues, err));
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
        for (ps_loc i = 0; s->index && i < s->n_locs; i++) {
                free(s->index[i].marks.row);
                free(s->index[i].open.row);
        }
        free(s->index);
        if (s->reader)
                s->format->close(s->reader);
        ps_defs_free(&s->defs);
        free(s->issues);
        free(s);
}
