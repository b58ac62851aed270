/* recording.c - events of a made-up run, a growing array for each location, and the format that hands them to
 * the loader. */
#include "core/load/recording.h"

#include "core/base/vector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct tape {
        ps_event *event;
        size_t n, cap;
        uint64_t seen; /* by the merged view */
};

struct ps_recording {
        ps_trace *trace; /* the definitions and issues; NULL once it was loaded */
        struct tape *tape;
        uint32_t n_tapes;
};

struct ps_stream {
        const struct tape *tape;
        ps_loc location;
        uint64_t seen;
};

ps_status ps_recording_new(ps_recording **out, const char *format, ps_error *err)
{
        *out = NULL;
        ps_recording *r = calloc(1, sizeof(*r));
        if (!r)
                return PS_NOMEM(err, "recording", 1);
        ps_status status = ps_trace_new(&r->trace, format, err);
        if (status != PS_OK) {
                free(r);
                return status;
        }
        *out = r;
        return PS_OK;
}

void ps_recording_free(ps_recording *r)
{
        if (!r)
                return;
        for (uint32_t i = 0; i < r->n_tapes; i++)
                free(r->tape[i].event);
        free(r->tape);
        ps_trace_close(r->trace);
        free(r);
}

ps_defs *ps_recording_defs(ps_recording *r)
{
        return &r->trace->defs;
}

/* The tapes of all locations, as soon as their number is needed. */
static ps_status make_tapes(ps_recording *r, ps_error *err)
{
        uint32_t n = r->trace->defs.locations.n;
        if (r->tape)
                return PS_OK;
        r->tape = calloc(n ? n : 1, sizeof(*r->tape));
        if (!r->tape)
                return PS_NOMEM(err, "locations", n);
        r->n_tapes = n;
        return PS_OK;
}

ps_status ps_recording_add(ps_recording *r, ps_loc location, const ps_event *event, ps_error *err)
{
        PS_TRY(make_tapes(r, err));
        if (location >= r->n_tapes)
                return PS_FAIL(err, PS_E_INTERNAL,
                               "event of an unknown location: location=%" PRIu32 ", locations=%" PRIu32,
                               location, r->n_tapes);
        struct tape *tape = &r->tape[location];
        if (tape->n && event->time < tape->event[tape->n - 1].time)
                return PS_FAIL(err, PS_E_INTERNAL,
                               "time goes back: location=%" PRIu32 ", before_ps=%" PRId64
                               ", after_ps=%" PRId64,
                               location, tape->event[tape->n - 1].time, event->time);
        if (event->time > PS_READER_TIME_LIMIT || event->time < -PS_READER_TIME_LIMIT)
                return PS_FAIL(err, PS_E_USAGE,
                               "the simulated run takes too long: location=%" PRIu32 ", limit_days=13",
                               location);
        if (PS_APPEND(tape->event, tape->n, tape->cap, *event))
                return PS_NOMEM(err, "events", tape->n);
        tape->event[tape->n - 1].offset = tape->n - 1;
        return PS_OK;
}

static void fill_batch(ps_batch *out, ps_loc location, const struct tape *tape, uint64_t *seen)
{
        uint64_t left = tape->n - *seen;
        out->location = location;
        out->n = left < PS_BATCH_EVENTS ? (uint32_t)left : PS_BATCH_EVENTS;
        if (out->n)
                memcpy(out->event, tape->event + *seen, out->n * sizeof(*out->event));
        *seen += out->n;
}

static ps_status next_merged(void *ctx, ps_loc location, ps_batch *out, ps_error *err)
{
        ps_recording *r = ctx;
        (void)err;
        out->n = 0;
        if (location < r->n_tapes)
                fill_batch(out, location, &r->tape[location], &r->tape[location].seen);
        return PS_OK;
}

ps_source ps_recording_source(ps_recording *r)
{
        for (uint32_t i = 0; i < r->n_tapes; i++)
                r->tape[i].seen = 0;
        return (ps_source){r, r->n_tapes, next_merged};
}

/* -- the format -- */

/* A recording is its own reader. */
static const ps_recording *recording_of(const ps_reader *reader)
{
        return (const void *)reader;
}

static uint64_t weight(const ps_reader *reader, ps_loc location)
{
        return recording_of(reader)->tape[location].n;
}

static ps_status stream_open(ps_stream **out, ps_reader *reader, ps_loc location, ps_error *err)
{
        *out = calloc(1, sizeof(**out));
        if (!*out)
                return PS_NOMEM(err, "stream", 1);
        **out = (ps_stream){&recording_of(reader)->tape[location], location, 0};
        return PS_OK;
}

static ps_status stream_next(ps_stream *stream, ps_batch *out, ps_issues *issues, ps_error *err)
{
        (void)issues;
        (void)err;
        fill_batch(out, stream->location, stream->tape, &stream->seen);
        return PS_OK;
}

static void stream_close(ps_stream *stream)
{
        free(stream);
}

ps_status ps_recording_load(ps_trace **out, ps_recording *r, const ps_load_options *options, ps_error *err)
{
        static const ps_reader_class format = {.name = "recording",
                                               .weight = weight,
                                               .stream_open = stream_open,
                                               .stream_next = stream_next,
                                               .stream_close = stream_close};
        ps_trace *trace = r->trace;
        *out = NULL;
        ps_status status = make_tapes(r, err);
        r->trace = NULL;
        PS_THEN(status, ps_load_streams(trace, &format, (ps_reader *)(void *)r, options, err));
        if (status == PS_OK)
                *out = trace;
        else
                ps_trace_close(trace);
        return status;
}
