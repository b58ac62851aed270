/* events.c - one event, one line. Dumps are as long as traces, so this is written without printf; which
 * fields an event has is a table (core/model/fields.def). */
#include "report/subjects/events.h"
#include "core/model/fields.h"
#include "core/model/kinds.h"
#include "report/print/text.h"

#include <string.h>

enum { SECONDS_COLUMNS = 14, LOCATION_COLUMNS_MAX = 24, CODE_COLUMNS_MAX = 26, FIELD_KEY_ROOM = 64 };

static void put_u64(ps_output *out, uint64_t n)
{
        ps_output_advance(out, ps_text_u64(ps_output_reserve(out, PS_NUMBER_ROOM), n));
}

static void put_seconds(ps_output *out, uint64_t time, int all_decimals)
{
        char *room = ps_output_reserve(out, PS_NUMBER_ROOM);

        ps_output_advance(out, ps_text_seconds_u64(room, time, all_decimals));
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

void ps_event_writer_init(ps_event_writer *writer, const ps_defs *defs, ps_output *out)
{
        unsigned columns = 0;

        for (uint32_t i = 0; i < defs->locations.n && columns < LOCATION_COLUMNS_MAX; i++) {
                unsigned here = widest(defs, &defs->locations.row[i].name, 1, LOCATION_COLUMNS_MAX);
                columns = here > columns ? here : columns;
        }
        *writer = (ps_event_writer){.defs = defs, .out = out, .location_columns = columns};
        writer->code_columns = widest(defs, defs->codes.row, defs->codes.n, CODE_COLUMNS_MAX);
}

static const char *code_name(const ps_defs *defs, const ps_event *event)
{
        return event->code < defs->codes.n ? ps_defs_str(defs, defs->codes.row[event->code])
                                           : ps_event_names[event->kind];
}

#define ROW_NAME(table, index)                                                                               \
        ((index) < defs->table.n ? ps_defs_str(defs, defs->table.row[index].name) : NULL)
#define ROW_TEXT(table, index) ((index) < defs->table.n ? ps_defs_str(defs, defs->table.row[index]) : NULL)

/* The name behind an index, or NULL when the trace does not define it. */
static const char *name_behind(const ps_defs *defs, ps_field_form form, uint64_t index)
{
        switch (form) {
        case PS_FORM_KIND:
                return index < PS_K_COUNT ? ps_kinds[index].name : NULL;
        case PS_FORM_REGION:
                return ROW_NAME(regions, index);
        case PS_FORM_CONTEXT:
                return index < defs->contexts.n ? ROW_NAME(regions, defs->contexts.row[index].region) : NULL;
        case PS_FORM_COMM:
                return ROW_NAME(comms, index);
        case PS_FORM_GROUP:
                return ROW_NAME(groups, index);
        case PS_FORM_WINDOW:
                return ROW_NAME(windows, index);
        case PS_FORM_PARAMETER:
                return ROW_TEXT(params, index);
        case PS_FORM_METRIC:
                return ROW_TEXT(metrics, index);
        default:
                return NULL;
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

/* The number of a thing that has no name. */
static void put_number_name(ps_output *out, uint64_t value)
{
        ps_output_putc(out, '#');
        put_u64(out, value);
}

static void put_text_value(const ps_event_writer *writer, ps_field_form form, uint64_t value)
{
        const char *name = name_behind(writer->defs, form, value);

        if (name && *name)
                ps_text_write(writer->out, name);
        else if (form >= PS_FORM_KIND)
                put_number_name(writer->out, value);
        else if (form == PS_FORM_TIME)
                put_seconds(writer->out, since_zero(writer, value), 1);
        else
                put_u64(writer->out, value);
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
        const uint8_t *field = ps_event_fields[row->event.kind];
        const char *between = "  ";

        for (; *field; field++) {
                const ps_field_info *info = &ps_field_infos[*field];
                bool known;
                uint64_t value = ps_field_value(*field, &row->event, &known);
                if (!known)
                        continue;
                ps_output_puts(writer->out, between);
                if (info->form != PS_FORM_REGION && info->form != PS_FORM_CONTEXT) {
                        ps_output_puts(writer->out, info->key);
                        ps_output_putc(writer->out, '=');
                }
                put_text_value(writer, info->form, value);
                between = " ";
        }
        put_source(writer, &row->event);
}

/* "3.1 " right-aligned: the location's process and thread. */
static void put_location_fields(const ps_event_writer *writer, const ps_location_def *location)
{
        ps_output *out = writer->out;
        char *room = ps_output_reserve(out, (size_t)2 * PS_NUMBER_ROOM);
        size_t n = ps_text_u64(room, location->process);

        if (location->type == PS_LOCATION_CPU) {
                room[n++] = '.';
                n += ps_text_u64(room + n, location->thread);
        }
        ps_output_advance(out, n);
        ps_output_repeat(out, ' ', n < 6 ? 7 - n : 1);
        ps_text_write_padded(out, ps_defs_str(writer->defs, location->name), writer->location_columns);
}

void ps_event_write_text(const ps_event_writer *writer, const ps_cursor_event *row)
{
        const ps_event *event = &row->event;
        ps_output *out = writer->out;
        const char *code = code_name(writer->defs, event);
        char seconds[PS_NUMBER_ROOM];
        size_t n = ps_text_seconds_u64(seconds, since_zero(writer, (uint64_t)event->time), 1);

        ps_output_repeat(out, ' ', n < SECONDS_COLUMNS ? SECONDS_COLUMNS - n : 0);
        ps_output_write(out, seconds, n);
        ps_output_puts(out, "  ");
        put_location_fields(writer, &writer->defs->locations.row[row->location]);
        ps_output_puts(out, "  ");
        if (ps_event_fields[event->kind][0] == PS_F_END)
                ps_text_write(out, code);
        else
                ps_text_write_padded(out, code, writer->code_columns);
        put_text_fields(writer, row);
        ps_output_putc(out, '\n');
}

static void put_key(ps_output *out, const char *key)
{
        char *room = ps_output_reserve(out, FIELD_KEY_ROOM);
        char *end = stpcpy(stpcpy(stpcpy(room, ", \""), key), "\": ");

        ps_output_advance(out, (size_t)(end - room));
}

static void put_json_value(const ps_event_writer *writer, ps_field_form form, uint64_t value)
{
        const char *name = name_behind(writer->defs, form, value);

        if (name && *name) {
                ps_text_write_json(writer->out, name);
        } else if (form >= PS_FORM_KIND) {
                ps_output_putc(writer->out, '"');
                put_number_name(writer->out, value);
                ps_output_putc(writer->out, '"');
        } else if (form == PS_FORM_FLAG) {
                ps_output_puts(writer->out, value ? "true" : "false");
        } else if (form == PS_FORM_TIME) {
                put_seconds(writer->out, since_zero(writer, value), 0);
        } else {
                put_u64(writer->out, value);
        }
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
                put_key(writer->out, info->key);
                if (known)
                        put_json_value(writer, info->form, value);
                else
                        ps_output_puts(writer->out, "null");
                if (info->form == PS_FORM_RANK || info->form == PS_FORM_TARGET)
                        put_json_peer(writer, info, row);
        }
        if (row->event.site_file) {
                put_key(writer->out, "file");
                ps_text_write_json(writer->out, ps_defs_str(writer->defs, row->event.site_file));
                put_key(writer->out, "line");
                put_u64(writer->out, row->event.site_line);
        }
}

void ps_event_write_jsonl(const ps_event_writer *writer, const ps_cursor_event *row)
{
        const ps_event *event = &row->event;
        const ps_location_def *location = &writer->defs->locations.row[row->location];
        ps_output *out = writer->out;

        ps_output_puts(out, "{\"time_s\": ");
        put_seconds(out, since_zero(writer, (uint64_t)event->time), 0);
        put_key(out, "location");
        put_u64(out, row->location);
        put_key(out, "process");
        put_u64(out, location->process);
        put_key(out, "thread");
        if (location->type == PS_LOCATION_CPU)
                put_u64(out, location->thread);
        else
                ps_output_puts(out, "null");
        put_key(out, "event");
        ps_text_write_json(out, ps_event_names[event->kind]);
        put_key(out, "code");
        ps_text_write_json(out, code_name(writer->defs, event));
        put_json_fields(writer, row);
        ps_output_puts(out, "}\n");
}
