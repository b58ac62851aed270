/* picl.c - the PICL reader as the rest of patscan sees it: see picl.h for the format, reader.h for the
 * contract.
 *
 * The file is read once, in open(); streams walk over what it left in memory and never change it. */
#include "reader/picl/picl.h"

#include "reader/picl/events.h"
#include "reader/picl/order.h"
#include "reader/picl/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ps_reader {
        ps_picl_log log;
        ps_picl_names names;
};

enum { PROBED_LINES = 16, SURE = 90, LIKELY = 40 };

/* -- probing -- */

/* What the first word of a line says about the form, if the file is a trace at all. */
static ps_picl_form form_of(const ps_picl_line *line)
{
        const char *p = ps_picl_skip_blanks(line->text);
        if (*p == '-')
                return PS_PICL_NEW;
        if (*p >= '0' && *p <= '9')
                return PS_PICL_COMPACT;
        return (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ? PS_PICL_VERBOSE : PS_PICL_NOT;
}

static bool is_empty(const ps_picl_line *line)
{
        return *ps_picl_skip_blanks(line->text) == '\n';
}

static bool looks(const ps_picl_line *line, ps_picl_form form)
{
        return form == PS_PICL_NEW ? ps_picl_new_looks(line)
                                   : form != PS_PICL_NOT && ps_picl_old_looks(line, form);
}

/* Tables of whole numbers may look like the compact form for a line or two: it has to begin as recorders do.
 */
static int probe_first(const char *text, ps_picl_form form)
{
        int64_t key = 0;
        if (form != PS_PICL_COMPACT)
                return SURE;
        return ps_picl_int(text, &key) && key == PS_PICL_KEY_TRACE_START ? SURE : LIKELY;
}

/* Most of the first lines must be records, the very first among them unless it begins as PICL 2.0 does; all,
 * and two of them at least, if that is no sure sign. */
static int probe_lines(const char *text, const char *end)
{
        ps_picl_form form = PS_PICL_NOT;
        int n = 0, n_records = 0, sure = 0;
        for (const char *stop; n < PROBED_LINES && (stop = memchr(text, '\n', (size_t)(end - text)));
             text = stop + 1) {
                ps_picl_line line = {.text = text, .end = stop, .is_whole = 1};
                if (is_empty(&line))
                        continue;
                if (n++ == 0) {
                        form = form_of(&line);
                        sure = probe_first(text, form);
                }
                n_records += looks(&line, form);
                if (!n_records && form != PS_PICL_NEW)
                        return 0;
        }
        if (sure == SURE)
                return 2 * n_records > n ? sure : 0;
        return n > 1 && n_records == n ? sure : 0;
}

/* Only whole lines are judged, unless there is none. */
static int picl_probe(const char *path, const uint8_t *head, size_t head_len)
{
        char text[4096 + 1];
        size_t n = head_len < sizeof(text) - 1 ? head_len : sizeof(text) - 1;
        (void)path;
        if (!n || memchr(head, 0, n))
                return 0;
        memcpy(text, head, n);
        if (!memchr(text, '\n', n))
                text[n++] = '\n';
        return probe_lines(text, text + n);
}

/* -- reading -- */

static ps_status take_line(ps_picl_log *log, const ps_picl_line *line, uint64_t number, ps_error *err)
{
        if (line->is_too_long) {
                ps_picl_note(log, PS_I_LINE_INVALID, number);
                return PS_OK;
        }
        if (log->form == PS_PICL_NEW)
                return ps_picl_new_take(log, line, number, err);
        if (is_empty(line))
                return PS_OK;
        if (log->form == PS_PICL_NOT) { /* nothing was a record yet */
                log->form = form_of(line);
                log->form = looks(line, log->form) ? log->form : PS_PICL_NOT;
        }
        if (log->form == PS_PICL_NOT) {
                ps_picl_note_line(log, line, number);
                return PS_OK;
        }
        return log->form == PS_PICL_NEW ? ps_picl_new_take(log, line, number, err)
                                        : ps_picl_old_take(log, line, number, err);
}

static ps_status read_file(ps_picl_log *log, const char *path, ps_error *err)
{
        ps_picl_lines lines;
        ps_picl_line line;
        ps_status status = ps_picl_lines_open(&lines, path, err);
        while (status == PS_OK && (status = ps_picl_lines_next(&lines, &line, err)) == PS_OK && line.text) {
                status = take_line(log, &line, lines.line, err);
                if (status != PS_OK)
                        (void)PS_CAUSE(err, status, "cannot read the trace: path=\"%s\", line=%llu", path,
                                       (unsigned long long)lines.line);
        }
        if (status == PS_OK && log->form != PS_PICL_NEW)
                status = ps_picl_old_finish(log, err);
        if (status == PS_OK && !log->n_records)
                status = PS_FAIL(err, PS_E_INPUT, "the trace holds no records: path=\"%s\", lines=%llu", path,
                                 (unsigned long long)lines.line);
        ps_picl_lines_close(&lines);
        return status;
}

/* What is made of records, and is none, is counted by a name in parentheses. */
static ps_status add_derived_codes(ps_picl_log *log, ps_defs *defs, ps_error *err)
{
        log->first_derived = (uint16_t)defs->codes.n;
        for (unsigned kind = 0; kind < PS_EV_COUNT; kind++) {
                char name[64];
                snprintf(name, sizeof(name), "(%s)", ps_event_names[kind]);
                PS_TRY(ps_defs_add_code(defs, name, NULL, err));
        }
        return PS_OK;
}

static void picl_close(ps_reader *reader)
{
        if (!reader)
                return;
        ps_picl_log_free(&reader->log);
        ps_picl_names_free(&reader->names);
        free(reader);
}

static ps_status picl_open(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        ps_reader *reader = calloc(1, sizeof(*reader));
        if (!reader)
                return PS_NOMEM(err, "reader", 1);
        ps_status status = ps_picl_log_init(&reader->log, path, defs, issues, err);
        PS_THEN(status, add_derived_codes(&reader->log, defs, err));
        PS_THEN(status, read_file(&reader->log, path, err));
        defs->sends_are_buffered = ps_picl_is_arrival(&reader->log);
        PS_THEN(status, ps_picl_define(&reader->names, &reader->log, defs, err));
        PS_THEN(status, ps_picl_order(&reader->log, err));
        if (status != PS_OK) {
                picl_close(reader);
                return status;
        }
        *out = reader;
        return PS_OK;
}

static uint64_t picl_weight(const ps_reader *reader, ps_loc location)
{
        return reader->log.place[location].n;
}

static ps_status picl_stream_open(ps_stream **out, ps_reader *reader, ps_loc location, ps_error *err)
{
        ps_stream *stream = malloc(sizeof(*stream));
        if (!stream)
                return PS_NOMEM(err, "stream", 1);
        ps_picl_stream_init(stream, &reader->log, &reader->names, location);
        *out = stream;
        return PS_OK;
}

static ps_status picl_stream_next(ps_stream *stream, ps_batch *out, ps_issues *issues, ps_error *err)
{
        (void)issues;
        (void)err;
        ps_picl_stream_next(stream, out);
        return PS_OK;
}

static void picl_stream_close(ps_stream *stream)
{
        free(stream);
}

static ps_str picl_stream_file(const ps_stream *stream)
{
        return stream->log->file;
}

const ps_reader_class ps_picl_reader = {.name = "picl",
                                        .summary =
                                                "PICL 1 and 2.0 (MPICL, coNCePTuaL, ParaGraph, simulators)",
                                        .probe = picl_probe,
                                        .open = picl_open,
                                        .close = picl_close,
                                        .weight = picl_weight,
                                        .stream_open = picl_stream_open,
                                        .stream_next = picl_stream_next,
                                        .stream_close = picl_stream_close,
                                        .stream_file = picl_stream_file};
