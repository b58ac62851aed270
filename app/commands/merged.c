/* merged.c - opens all streams of a trace, merges them and writes each event. */
#include "app/commands/merged.h"
#include "app/cli/input.h"
#include "core/base/nearest.h"
#include "core/load/load.h"
#include "core/views/cursor.h"
#include "library/run/focus.h"
#include "reader/otf2_writer/otf2_writer.h"
#include "reader/picl/writer.h"
#include "report/subjects/events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
        const ps_reader_class *format;
        ps_reader *reader;
        ps_defs defs;
        ps_stream **streams; /* by location */
        uint64_t *done;      /* by location: bytes of it that were read */
        ps_issues *issues;
        ps_progress *progress;
        uint64_t done_bytes, total_bytes;
        bool strict;
        ps_trace *repaired; /* tells what reports add to times; NULL: nothing is added */
} source;

/* Which events are wanted. */
typedef struct filter {
        ps_focus_wish wish;
        uint8_t *is_told;   /* by location; NULL: all */
        uint8_t *is_wanted; /* by kind of record; NULL: all */
} filter;

static ps_status check_strict(const source *s, ps_error *err)
{
        if (!s->strict)
                return PS_OK;
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (s->issues->row[kind].count)
                        return PS_FAIL(err, PS_E_INPUT, "defect in the trace: kind=\"%s\", file=\"%s\"",
                                       ps_issue_infos[kind].name,
                                       ps_defs_str(&s->defs, s->issues->row[kind].file));
        return PS_OK;
}

/* The place of the latest event in its file tells how far the location has got. */
static void count_bytes(source *s, const ps_batch *batch)
{
        uint64_t now = batch->event[batch->n - 1].offset, *done = &s->done[batch->location];

        if (now > *done && now <= s->total_bytes) {
                s->done_bytes += now - *done;
                *done = now;
        }
        ps_progress_update(s->progress, s->done_bytes, s->total_bytes);
}

static ps_status next_batch(void *ctx, ps_loc location, ps_batch *out, ps_error *err)
{
        source *s = ctx;

        PS_TRY(s->format->stream_next(s->streams[location], out, s->issues, err));
        if (out->n)
                count_bytes(s, out);
        for (uint32_t i = 0; s->repaired && i < out->n; i++)
                out->event[i].time = ps_clock_repaired(
                        &s->repaired->clock, s->defs.locations.row[location].process, out->event[i].time);
        return check_strict(s, err);
}

static ps_status open_streams(source *s, ps_error *err)
{
        uint32_t n = s->defs.locations.n;

        s->streams = calloc(n ? n : 1, sizeof(ps_stream *));
        s->done = calloc(n ? n : 1, sizeof(*s->done));
        if (!s->streams || !s->done)
                return PS_NOMEM(err, "streams", n);
        for (ps_loc location = 0; location < n; location++) {
                ps_status status = s->format->stream_open(&s->streams[location], s->reader, location, err);
                if (status != PS_OK)
                        return PS_CAUSE(err, status, "cannot open stream: location=%" PRIu32, location);
                s->total_bytes += s->format->weight(s->reader, location);
        }
        return PS_OK;
}

static void close_source(source *s)
{
        for (ps_loc location = 0; s->streams && location < s->defs.locations.n; location++)
                if (s->streams[location])
                        s->format->stream_close(s->streams[location]);
        free(s->streams);
        free(s->done);
        if (s->reader)
                s->format->close(s->reader);
        ps_defs_free(&s->defs);
}

static ps_status open_source(source *s, const char *path, ps_error *err)
{
        PS_TRY(ps_defs_init(&s->defs, err));

        PS_TRY(s->format->open(&s->reader, path, &s->defs, s->issues, err));
        PS_TRY(ps_defs_freeze(&s->defs, err));
        PS_TRY(check_strict(s, err));
        return open_streams(s, err);
}

/* -- which events -- */

static ps_status find_type(filter *f, const ps_defs *defs, const char *name, size_t len, ps_error *err)
{
        const char **names = calloc(defs->codes.n + (size_t)1, sizeof(*names)), *near = NULL;
        char word[PS_NEAREST_MAX + 1] = "";
        bool found = false;

        for (uint32_t c = 0; names && c < defs->codes.n; c++) {
                names[c] = ps_defs_str(defs, defs->codes.row[c]);
                if (strlen(names[c]) == len && strncmp(names[c], name, len) == 0)
                        f->is_wanted[c] = found = true;
        }
        if (len <= PS_NEAREST_MAX)
                memcpy(word, name, len);
        near = names && !found ? ps_nearest(word, names, defs->codes.n) : NULL;
        free(names);
        if (found)
                return PS_OK;
        return PS_FAIL(err, PS_E_USAGE,
                       "the format has no such record: option=\"--type\", name=\"%.60s\"%s%.60s", word,
                       near ? ", did you mean " : "", near ? near : "");
}

static ps_status choose_types(filter *f, const ps_defs *defs, const ps_word_list *types, ps_error *err)
{
        if (!types->n)
                return PS_OK;
        f->is_wanted = calloc(defs->codes.n + (size_t)1, 1);
        if (!f->is_wanted)
                return PS_NOMEM(err, "kinds of records", defs->codes.n);
        for (unsigned i = 0; i < types->n; i++)
                for (const char *at = types->row[i];; at++) {
                        size_t len = strcspn(at, ",");
                        PS_TRY(find_type(f, defs, at, len, err));
                        at += len;
                        if (!*at)
                                break;
                }
        return PS_OK;
}

/* Reports count times from the first event once clocks are repaired, and so does this, unless clocks are to
 * stay as they are. What is written as a trace is repaired by whoever reads it. */
static int keeps_times(const ps_trace *trace, const ps_options *options)
{
        return options->load.clock == PS_CLOCK_AS_IS || !trace->clock.offset || trace->defs.processes.n < 2 ||
               options->dump.format > PS_DUMP_JSONL;
}

/* What is wrong with a trace shows only once its messages are matched. */
static ps_status look_through(source *s, ps_dump_result *result, const char *path, const ps_options *options,
                              ps_error *err)
{
        ps_load_options how = ps_input_options(options, NULL);
        ps_trace *trace;

        how.progress = NULL;
        PS_TRY(ps_load(&trace, s->format, path, &how, err));
        result->issues = trace->issues;
        result->n_messages = trace->n_messages;
        if (keeps_times(trace, options))
                ps_trace_close(trace);
        else
                s->repaired = trace;
        return PS_OK;
}

static ps_status check_same(const source *s, const char *path, ps_error *err)
{
        if (!s->repaired || s->repaired->defs.processes.n == s->defs.processes.n)
                return PS_OK;
        return PS_FAIL(err, PS_E_INPUT, "the trace changed while it was read: path=\"%s\"", path);
}

static ps_status make_filter(filter *f, const source *s, const ps_options *options, ps_error *err)
{
        int names_time = options->focus.from || options->focus.to;
        int filters = names_time || options->focus.ranks || options->dump.types.n;

        *f = (filter){0};
        if (filters && options->dump.format > PS_DUMP_JSONL)
                return PS_FAIL(err, PS_E_USAGE,
                               "a selection of events is not a trace: --from, --to, --ranks and --type need "
                               "--format text "
                               "or jsonl");
        PS_TRY(ps_focus_asked(&f->wish, options, err));
        if (!names_time)
                f->wish = (ps_focus_wish){.to = PS_TIME_MAX};
        if (options->focus.ranks) {
                f->is_told = calloc(s->defs.locations.n + (size_t)1, 1);
                if (!f->is_told)
                        return PS_NOMEM(err, "locations", s->defs.locations.n);
                PS_TRY(ps_focus_mark_ranks(f->is_told, &s->defs, options->focus.ranks, err));
        }
        PS_TRY(choose_types(f, &s->defs, &options->dump.types, err));
        return PS_OK;
}

static void clear_filter(filter *f)
{
        free(f->is_told);
        free(f->is_wanted);
}

static bool passes(const filter *f, const ps_cursor_event *row, ps_time zero)
{
        ps_time time = row->event.time - zero;

        return time >= f->wish.from && time <= f->wish.to && (!f->is_told || f->is_told[row->location]) &&
               (!f->is_wanted || f->is_wanted[row->event.code]);
}

static ps_status write_lines(source *s, ps_source events, const filter *wanted, ps_dump_format format,
                             ps_output *out, ps_dump_result *result, ps_error *err)
{
        bool has_begun = 0;
        ps_time zero = 0;
        const ps_cursor_event *row;
        ps_event_writer *writer = NULL;
        ps_cursor *cursor;
        ps_status status = ps_cursor_new(&cursor, events, err);

        if (status != PS_OK)
                return status;
        status = ps_event_writer_new(&writer, &s->defs,
                                     format == PS_DUMP_JSONL ? PS_EVENTS_JSONL : PS_EVENTS_TEXT, out, err);
        while (status == PS_OK && (status = ps_cursor_next(cursor, &row, err)) == PS_OK && row &&
               !ps_output_failed(out)) {
                if (!has_begun)
                        ps_event_writer_begin(writer, zero = row->event.time);
                has_begun = 1;
                result->n_seen++;
                if (!passes(wanted, row, zero))
                        continue;
                result->n_events++;
                ps_event_write(writer, row);
        }
        ps_event_writer_free(writer);
        ps_cursor_free(cursor);
        return status;
}

static ps_status write_picl(source *s, ps_source events, bool thesis, ps_output *out, ps_dump_result *result,
                            ps_error *err)
{
        ps_picl_written written;
        ps_status status = ps_picl_write(&written, (ps_picl_sink){out, ps_output_take}, &s->defs, events,
                                         &(ps_picl_write_options){thesis}, err);

        result->n_events = result->n_seen = written.n_events;
        result->n_lossy = written.n_lossy;
        return status;
}

static ps_status write_otf2(source *s, ps_source events, const char *folder, ps_dump_result *result,
                            ps_error *err)
{
        ps_otf2_written written;
        ps_status status = ps_otf2_write(&written, folder, &s->defs, events, err);

        result->n_events = result->n_seen = written.n_events;
        result->n_lossy = written.n_lossy;
        return status;
}

ps_status ps_dump_run(ps_dump_result *result, const ps_reader_class *format, const char *path,
                      const ps_options *options, ps_progress *progress, ps_output *out, ps_error *err)
{
        ps_issues again = {0}; /* what the streams note is in the result already */
        source s = {.format = format,
                    .issues = &again,
                    .progress = progress,
                    .strict = options->load.strict != 0};
        ps_status status;

        *result = (ps_dump_result){0};
        filter wanted = {0};
        status = look_through(&s, result, path, options, err);
        PS_THEN(status, open_source(&s, path, err));
        PS_THEN(status, check_same(&s, path, err));
        PS_THEN(status, make_filter(&wanted, &s, options, err));
        ps_source events = {&s, s.defs.locations.n, next_batch};
        if (status != PS_OK)
                goto out;
        if (options->dump.format == PS_DUMP_OTF2)
                status = write_otf2(&s, events, options->dump.folder, result, err);
        else if (options->dump.format >= PS_DUMP_PICL)
                status =
                        write_picl(&s, events, options->dump.format == PS_DUMP_PICL_THESIS, out, result, err);
        else
                status = write_lines(&s, events, &wanted, (ps_dump_format)options->dump.format, out, result,
                                     err);
out:
        clear_filter(&wanted);
        ps_trace_close(s.repaired);
        close_source(&s);
        return status;
}
