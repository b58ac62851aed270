/* picl.c - the PICL reader as the rest of patscan sees it: see picl.h for the format, reader.h for the
 * contract.
 *
 * The file is read once, in open(); streams walk over what it left in memory and never change it. */
#include "reader/picl/picl.h"

#include "reader/picl/deal.h"
#include "reader/picl/events.h"
#include "reader/picl/order.h"
#include "reader/picl/parse.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ps_reader {
        ps_picl_log log;
        ps_picl_names names;
};

enum { PROBED_LINES = 16, SURE = 90, LIKELY = 40 };

/* -- probing -- */

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
                if (ps_picl_is_empty(&line))
                        continue;
                if (n++ == 0) {
                        form = ps_picl_form_of(&line);
                        sure = probe_first(text, form);
                }
                n_records += ps_picl_looks(&line, form);
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

/* What follows from the records, once all are read. */
static ps_status define_all(ps_reader *reader, ps_defs *defs, ps_error *err)
{
        defs->sends_are_buffered = ps_picl_is_arrival(&reader->log);
        PS_TRY(ps_picl_define(&reader->names, &reader->log, defs, err));
        return ps_picl_order(&reader->log, err);
}

static ps_status begin_log(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        *out = calloc(1, sizeof(**out));
        return *out ? ps_picl_log_init(&(*out)->log, path, defs, issues, err) : PS_NOMEM(err, "reader", 1);
}

static ps_status open_alone(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues,
                            ps_error *err)
{
        PS_TRY(begin_log(out, path, defs, issues, err));
        PS_TRY(add_derived_codes(&(*out)->log, defs, err));
        PS_TRY(ps_picl_read(&(*out)->log, path, err));
        return define_all(*out, defs, err);
}

/* What the statistics say of its places each process has noted: process 0 gets that, in the order of places.
 */
static ps_status gather_issues(ps_exchange *x, ps_issues *issues, ps_error *err)
{
        ps_pile pile;
        size_t n;
        PS_TRY(ps_exchange_gather(x, &pile, issues, sizeof(*issues), err));
        for (uint32_t p = 1; !x->rank && p < x->size; p++)
                ps_issues_merge(issues, (const void *)ps_pile_part(&pile, p, &n));
        ps_pile_clear(&pile);
        return PS_OK;
}

static ps_status open_together(ps_reader **out, const char *path, ps_exchange *x, ps_defs *defs,
                               ps_issues *issues, ps_error *err)
{
        ps_status status = begin_log(out, path, defs, issues, err);
        if (!x->rank)
                PS_THEN(status, add_derived_codes(&(*out)->log, defs, err));
        PS_TRY(ps_exchange_agree(x, status, err));
        assert(*out); /* all is well only if it is here */
        PS_TRY(ps_picl_read_together(&(*out)->log, path, x, err));
        PS_TRY(ps_exchange_agree(x, define_all(*out, defs, err), err));
        return gather_issues(x, issues, err);
}

static ps_status keep(ps_reader **reader, ps_status status)
{
        if (status != PS_OK) {
                picl_close(*reader);
                *reader = NULL;
        }
        return status;
}

static ps_status picl_open(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        return keep(out, open_alone(out, path, defs, issues, err));
}

static ps_status picl_open_together(ps_reader **out, const char *path, ps_exchange *x, ps_defs *defs,
                                    ps_issues *issues, ps_error *err)
{
        return keep(out, open_together(out, path, x, defs, issues, err));
}

static uint32_t picl_owner(const ps_reader *reader, ps_proc process)
{
        return reader->log.place[process].owner;
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
                                        .open_together = picl_open_together,
                                        .owner = picl_owner,
                                        .close = picl_close,
                                        .weight = picl_weight,
                                        .stream_open = picl_stream_open,
                                        .stream_next = picl_stream_next,
                                        .stream_close = picl_stream_close,
                                        .stream_file = picl_stream_file};
