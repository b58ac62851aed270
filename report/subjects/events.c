/* events.c - one event, one line. Dumps are as long as traces, so this is written without printf; which
 * fields an event has is a table (core/model/fields.def). */
#include "report/subjects/events.h"
#include "core/model/fields.h"
#include "core/model/kinds.h"
#include "report/print/text.h"

#include <stdlib.h>
#include <string.h>

enum { SECONDS_COLUMNS = 14, LOCATION_COLUMNS_MAX = 24, CODE_COLUMNS_MAX = 26, KEY_ROOM = 24 };

/* So many bytes of a label are copied at once, whatever its length is. */
enum { LABEL_SHORT = 48 };

struct ps_event_writer {
        const ps_defs *defs; /* frozen */
        ps_output *out;
        ps_time zero; /* of the times as recorded: what is written as 0 */
        ps_event_format format;
        unsigned location_columns, code_columns;
        /* What is the same in all lines of a location, of a code and of a kind, in this order; then names. */
        ps_output *labels;
        const char *label;               /* its text */
        size_t *label_at;                /* where each begins in it, and where the last ends */
        size_t codes, kinds;             /* the first of these */
        size_t names[PS_FORM_COUNT + 1]; /* the first of each form's */
};

/* A field's key with what stands around it. It is copied with all of its room, since that needs no call. */
typedef struct key {
        char text[KEY_ROOM];
        uint8_t n;
} key;

static const key text_keys[PS_F_COUNT] = {
#define PS_FIELD(id, key, column, form)                                                                      \
        [PS_F_##id] = {" " key "=", PS_FORM_##form == PS_FORM_REGION || PS_FORM_##form == PS_FORM_CONTEXT    \
                                            ? 1                                                              \
                                            : sizeof(key) + 1},
#include "core/model/fields.def"
#undef PS_FIELD
};

static const key json_keys[PS_F_COUNT] = {
#define PS_FIELD(id, key, column, form) [PS_F_##id] = {", \"" key "\": ", sizeof(key) + 5},
#include "core/model/fields.def"
#undef PS_FIELD
};

/* For a key, what is before it and the value behind it, unless that is a long name. */
enum { FIELD_ROOM = 1 + KEY_ROOM + LABEL_SHORT };

/* Where it ends: in room for more than it takes, as what follows. */
static inline char *add_key(char *at, const key *k)
{
        memcpy(at, k->text, KEY_ROOM);
        return at + k->n;
}

static void put_u64(ps_output *out, uint64_t n)
{
        ps_output_advance(out, ps_text_u64(ps_output_reserve(out, PS_NUMBER_ROOM), n));
}

static unsigned at_most(unsigned n, unsigned limit)
{
        return n < limit ? n : limit;
}

static unsigned widest(const ps_defs *defs, const ps_str *names, uint32_t n, unsigned limit)
{
        unsigned columns = 0;

        for (uint32_t i = 0; i < n && columns < limit; i++) {
                unsigned here = ps_text_columns(ps_defs_str(defs, names[i]));
                columns = here > columns ? at_most(here, limit) : columns;
        }
        return columns;
}

static const char *code_name(const ps_defs *defs, const ps_event *event)
{
        return event->code < defs->codes.n ? ps_defs_str(defs, defs->codes.row[event->code])
                                           : ps_event_names[event->kind];
}

/* How many a trace defines of what a form's values are indices into. Contexts have the names of regions. */
static uint32_t count_named(const ps_defs *defs, ps_field_form form)
{
        const uint32_t n[PS_FORM_COUNT] = {
                [PS_FORM_KIND] = PS_K_COUNT,        [PS_FORM_REGION] = defs->regions.n,
                [PS_FORM_COMM] = defs->comms.n,     [PS_FORM_GROUP] = defs->groups.n,
                [PS_FORM_WINDOW] = defs->windows.n, [PS_FORM_PARAMETER] = defs->params.n,
                [PS_FORM_METRIC] = defs->metrics.n};
        return n[form];
}

static const char *name_of(const ps_defs *defs, ps_field_form form, uint32_t index)
{
        switch (form) {
        case PS_FORM_KIND:
                return ps_kinds[index].name;
        case PS_FORM_REGION:
                return ps_defs_str(defs, defs->regions.row[index].name);
        case PS_FORM_COMM:
                return ps_defs_str(defs, defs->comms.row[index].name);
        case PS_FORM_GROUP:
                return ps_defs_str(defs, defs->groups.row[index].name);
        case PS_FORM_WINDOW:
                return ps_defs_str(defs, defs->windows.row[index].name);
        case PS_FORM_PARAMETER:
                return ps_defs_str(defs, defs->params.row[index]);
        default:
                return ps_defs_str(defs, defs->metrics.row[index]);
        }
}

/* The process behind a peer's rank. */
static ps_proc peer_process(const ps_defs *defs, ps_field_form form, const ps_cursor_event *row)
{
        const ps_event *event = &row->event;
        ps_comm comm = event->comm;

        if (form == PS_FORM_TARGET)
                comm = event->ref < defs->windows.n ? defs->windows.row[event->ref].comm : PS_NONE;
        if (comm >= defs->comms.n)
                return PS_NONE;
        return ps_defs_peer(defs, comm, event->peer, defs->locations.row[row->location].process);
}

static uint64_t since_zero(const ps_event_writer *writer, uint64_t time)
{
        return time - (uint64_t)writer->zero;
}

/* -- labels -- */

/* "3.1 ", aligned: the location's process and thread; its name. */
static void put_text_location(ps_output *out, const ps_event_writer *writer, ps_loc index)
{
        const ps_location_def *location = &writer->defs->locations.row[index];
        char *room = ps_output_reserve(out, (size_t)2 * PS_NUMBER_ROOM);
        size_t n = 2;

        memset(room, ' ', n);
        n += ps_text_u64(room + n, location->process);
        if (location->type == PS_LOCATION_CPU) {
                room[n++] = '.';
                n += ps_text_u64(room + n, location->thread);
        }
        ps_output_advance(out, n);
        ps_output_repeat(out, ' ', n < 8 ? 9 - n : 1);
        ps_text_write_padded(out, ps_defs_str(writer->defs, location->name), writer->location_columns);
        ps_output_puts(out, "  ");
}

static void put_json_location(ps_output *out, const ps_event_writer *writer, ps_loc index)
{
        const ps_location_def *location = &writer->defs->locations.row[index];

        ps_output_puts(out, ", \"location\": ");
        put_u64(out, index);
        ps_output_puts(out, ", \"process\": ");
        put_u64(out, location->process);
        ps_output_puts(out, ", \"thread\": ");
        if (location->type == PS_LOCATION_CPU)
                put_u64(out, location->thread);
        else
                ps_output_puts(out, "null");
}

static void put_text_code(ps_output *out, const ps_event_writer *writer, const char *name)
{
        ps_text_write_padded(out, name, writer->code_columns);
}

static void put_json_code(ps_output *out, const ps_event_writer *writer, const char *name)
{
        (void)writer;
        ps_output_puts(out, ", \"code\": ");
        ps_text_write_json(out, name);
}

static void put_json_kind(ps_output *out, const char *name)
{
        ps_output_puts(out, ", \"event\": ");
        ps_text_write_json(out, name);
}

static size_t code_label(const ps_event_writer *writer, const ps_event *event)
{
        uint32_t n = writer->defs->codes.n;
        return writer->codes + (event->code < n ? event->code : n + event->kind);
}

static size_t kind_label(const ps_event_writer *writer, const ps_event *event)
{
        return writer->kinds + event->kind;
}

static void make_names(ps_event_writer *writer, size_t *end)
{
        ps_output *out = writer->labels;

        for (ps_field_form form = PS_FORM_NUMBER; form < PS_FORM_COUNT; form++) {
                uint32_t n = count_named(writer->defs, form);
                writer->names[form] = (size_t)(end - writer->label_at) - 1;
                for (uint32_t i = 0; i < n; i++) {
                        const char *name = name_of(writer->defs, form, i);
                        if (*name)
                                (writer->format == PS_EVENTS_JSONL ? ps_text_write_json
                                                                   : ps_text_write)(out, name);
                        *end++ = ps_output_gathered(out);
                }
        }
        writer->names[PS_FORM_COUNT] = (size_t)(end - writer->label_at) - 1;
}

static void make_labels(ps_event_writer *writer)
{
        const ps_defs *defs = writer->defs;
        bool is_json = writer->format == PS_EVENTS_JSONL;
        ps_output *out = writer->labels;
        size_t *end = writer->label_at + 1;

        writer->codes = defs->locations.n;
        writer->kinds = writer->codes + defs->codes.n + PS_EV_COUNT;
        for (ps_loc l = 0; l < defs->locations.n; l++) {
                (is_json ? put_json_location : put_text_location)(out, writer, l);
                *end++ = ps_output_gathered(out);
        }
        for (uint32_t c = 0; c < defs->codes.n + PS_EV_COUNT; c++) {
                const char *name = c < defs->codes.n ? ps_defs_str(defs, defs->codes.row[c])
                                                     : ps_event_names[c - defs->codes.n];
                (is_json ? put_json_code : put_text_code)(out, writer, name);
                *end++ = ps_output_gathered(out);
        }
        for (unsigned kind = 0; kind < PS_EV_COUNT; kind++) {
                if (is_json)
                        put_json_kind(out, ps_event_names[kind]);
                *end++ = ps_output_gathered(out);
        }
        make_names(writer, end);
}

static void measure_columns(ps_event_writer *writer)
{
        const ps_defs *defs = writer->defs;
        unsigned columns = 0;

        for (uint32_t i = 0; i < defs->locations.n && columns < LOCATION_COLUMNS_MAX; i++) {
                unsigned here = widest(defs, &defs->locations.row[i].name, 1, LOCATION_COLUMNS_MAX);
                columns = here > columns ? here : columns;
        }
        writer->location_columns = columns;
        writer->code_columns = widest(defs, defs->codes.row, defs->codes.n, CODE_COLUMNS_MAX);
}

static ps_status fill_writer(ps_event_writer *writer, ps_error *err)
{
        const ps_defs *defs = writer->defs;
        size_t n = (size_t)defs->locations.n + defs->codes.n + (size_t)2 * PS_EV_COUNT;
        for (ps_field_form form = PS_FORM_NUMBER; form < PS_FORM_COUNT; form++)
                n += count_named(defs, form);
        writer->label_at = calloc(n + 1, sizeof(*writer->label_at));
        if (!writer->label_at)
                return PS_NOMEM(err, "labels of events", n);
        PS_TRY(ps_output_open_memory(&writer->labels, PS_WIDTH_DEFAULT, err));
        measure_columns(writer);
        make_labels(writer);
        ps_output_repeat(writer->labels, ' ', LABEL_SHORT);
        writer->label = ps_output_text(writer->labels);
        return writer->label ? PS_OK : PS_NOMEM(err, "labels of events", n);
}

ps_status ps_event_writer_new(ps_event_writer **out, const ps_defs *defs, ps_event_format format,
                              ps_output *lines, ps_error *err)
{
        ps_event_writer *writer = *out = calloc(1, sizeof(*writer));
        if (!writer)
                return PS_NOMEM(err, "writer of events", 1);
        *writer = (ps_event_writer){.defs = defs, .out = lines, .format = format};
        ps_status status = fill_writer(writer, err);
        if (status != PS_OK) {
                ps_event_writer_free(writer);
                *out = NULL;
        }
        return status;
}

void ps_event_writer_free(ps_event_writer *writer)
{
        if (!writer)
                return;
        ps_output_discard(writer->labels);
        free(writer->label_at);
        free(writer);
}

void ps_event_writer_begin(ps_event_writer *writer, ps_time zero)
{
        writer->zero = zero;
}

__attribute__((noinline)) static void put_long_label(const ps_event_writer *writer, size_t from, size_t n)
{
        ps_output_write(writer->out, writer->label + from, n);
}

/* There is room for `more` bytes behind it, then, as there was before. */
static inline char *add_label(const ps_event_writer *writer, char *at, size_t i, size_t more)
{
        size_t from = writer->label_at[i], n = writer->label_at[i + 1] - from;
        if (n > LABEL_SHORT) {
                ps_output_end(writer->out, at);
                put_long_label(writer, from, n);
                return ps_output_reserve(writer->out, more);
        }
        memcpy(at, writer->label + from, LABEL_SHORT);
        return at + n;
}

/* Adds the name behind an index; NULL: there is none. */
static inline char *add_name(const ps_event_writer *writer, char *at, ps_field_form form, uint64_t value)
{
        const ps_defs *defs = writer->defs;
        if (form == PS_FORM_CONTEXT) {
                value = value < defs->contexts.n ? defs->contexts.row[value].region : PS_NONE;
                form = PS_FORM_REGION;
        }
        size_t i = writer->names[form] + value;
        if (i >= writer->names[form + 1] || writer->label_at[i] == writer->label_at[i + 1])
                return NULL;
        return add_label(writer, at, i, 0);
}

/* -- lines -- */

/* Most are small. */
static inline char *add_u64(char *at, uint64_t n)
{
        if (n >= 10)
                return at + ps_text_u64(at, n);
        *at = (char)('0' + n);
        return at + 1;
}

static inline char *add_text_value(const ps_event_writer *writer, char *at, ps_field_form form,
                                   uint64_t value)
{
        if (form < PS_FORM_KIND)
                return form == PS_FORM_TIME ? at + ps_text_seconds_u64(at, since_zero(writer, value), 1)
                                            : add_u64(at, value);
        char *end = add_name(writer, at, form, value);
        if (end)
                return end;
        *at = '#'; /* the number of a thing that has no name */
        return at + 1 + ps_text_u64(at + 1, value);
}

static void put_source(const ps_event_writer *writer, const ps_event *event)
{
        if (!event->site_file)
                return;
        ps_output_puts(writer->out, "  at=");
        ps_text_write(writer->out, ps_defs_str(writer->defs, event->site_file));
        ps_output_putc(writer->out, ':');
        put_u64(writer->out, event->site_line);
}

static void put_text_fields(const ps_event_writer *writer, const ps_cursor_event *row)
{
        bool is_first = true;

        for (const uint8_t *field = ps_event_fields[row->event.kind]; *field; field++) {
                bool known;
                uint64_t value = ps_field_value(*field, &row->event, &known);
                if (!known)
                        continue;
                char *at = ps_output_reserve(writer->out, FIELD_ROOM);
                *at = ' ';
                at = add_key(at + is_first, &text_keys[*field]);
                ps_output_end(writer->out, add_text_value(writer, at, ps_field_infos[*field].form, value));
                is_first = false;
        }
        put_source(writer, &row->event);
}

/* Aligned to the right, which takes no call when all of the room is copied. */
static inline char *add_time(char *at, uint64_t time)
{
        char number[PS_NUMBER_ROOM];
        size_t n = ps_text_seconds_u64(number, time, 1);
        size_t blanks = n < SECONDS_COLUMNS ? SECONDS_COLUMNS - n : 0;

        memset(at, ' ', SECONDS_COLUMNS);
        memcpy(at + blanks, number, sizeof(number));
        return at + blanks + n;
}

static void write_text(const ps_event_writer *writer, const ps_cursor_event *row)
{
        const ps_event *event = &row->event;
        char *at = ps_output_reserve(writer->out, SECONDS_COLUMNS + PS_NUMBER_ROOM + 2 * LABEL_SHORT);

        at = add_time(at, since_zero(writer, (uint64_t)event->time));
        at = add_label(writer, at, row->location, LABEL_SHORT);
        bool has_label = ps_event_fields[event->kind][0] != PS_F_END;
        if (has_label)
                at = add_label(writer, at, code_label(writer, event), 0);
        ps_output_end(writer->out, at);
        if (!has_label)
                ps_text_write(writer->out, code_name(writer->defs, event));
        put_text_fields(writer, row);
        ps_output_putc(writer->out, '\n');
}

static inline char *add_json_value(const ps_event_writer *writer, char *at, ps_field_form form,
                                   uint64_t value)
{
        if (form == PS_FORM_FLAG)
                return stpcpy(at, value ? "true" : "false");
        if (form < PS_FORM_KIND)
                return form == PS_FORM_TIME ? at + ps_text_seconds_u64(at, since_zero(writer, value), 0)
                                            : add_u64(at, value);
        char *end = add_name(writer, at, form, value);
        if (end)
                return end;
        *at++ = '"';
        *at++ = '#';
        at += ps_text_u64(at, value);
        *at = '"';
        return at + 1;
}

/* "peer_process" beside "peer", "root_process" beside "root" */
static void put_json_peer(const ps_event_writer *writer, const ps_field_info *info,
                          const ps_cursor_event *row)
{
        ps_proc process = row->event.peer == PS_NONE ? PS_NONE : peer_process(writer->defs, info->form, row);

        ps_output_puts(writer->out, ", \"");
        ps_output_puts(writer->out, info->key);
        ps_output_puts(writer->out, "_process\": ");
        if (process == PS_NONE)
                ps_output_puts(writer->out, "null");
        else
                put_u64(writer->out, process);
}

static void put_json_fields(const ps_event_writer *writer, const ps_cursor_event *row)
{
        for (const uint8_t *field = ps_event_fields[row->event.kind]; *field; field++) {
                const ps_field_info *info = &ps_field_infos[*field];
                bool known;
                uint64_t value = ps_field_value(*field, &row->event, &known);
                char *at = add_key(ps_output_reserve(writer->out, FIELD_ROOM), &json_keys[*field]);
                at = known ? add_json_value(writer, at, info->form, value) : stpcpy(at, "null");
                ps_output_end(writer->out, at);
                if (info->form == PS_FORM_RANK || info->form == PS_FORM_TARGET)
                        put_json_peer(writer, info, row);
        }
        if (row->event.site_file) {
                ps_output_puts(writer->out, ", \"file\": ");
                ps_text_write_json(writer->out, ps_defs_str(writer->defs, row->event.site_file));
                ps_output_puts(writer->out, ", \"line\": ");
                put_u64(writer->out, row->event.site_line);
        }
}

static void write_jsonl(const ps_event_writer *writer, const ps_cursor_event *row)
{
        static const char begin[] = "{\"time_s\": ";
        const ps_event *event = &row->event;
        ps_output *out = writer->out;
        char *at = ps_output_reserve(out, sizeof(begin) + PS_NUMBER_ROOM + (size_t)3 * LABEL_SHORT);

        memcpy(at, begin, sizeof(begin));
        at += sizeof(begin) - 1;
        at += ps_text_seconds_u64(at, since_zero(writer, (uint64_t)event->time), 0);
        at = add_label(writer, at, row->location, (size_t)2 * LABEL_SHORT);
        at = add_label(writer, at, kind_label(writer, event), LABEL_SHORT);
        at = add_label(writer, at, code_label(writer, event), 0);
        ps_output_end(out, at);
        put_json_fields(writer, row);
        ps_output_puts(out, "}\n");
}

void ps_event_write(const ps_event_writer *writer, const ps_cursor_event *row)
{
        (writer->format == PS_EVENTS_JSONL ? write_jsonl : write_text)(writer, row);
}
