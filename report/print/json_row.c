/* json_row.c - see json_row.h. */
#include "report/print/json_row.h"
#include "report/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A report of a million findings is mostly keys: each is put at once. */
static void begin(ps_json_row *row, const char *key)
{
        size_t n = key ? strlen(key) : 0;
        char *room = ps_output_reserve(row->out, n + sizeof(", \"\": ")), *at = room;

        if (row->n++) {
                memcpy(at, ", ", 2);
                at += 2;
        }
        if (key) {
                *at++ = '"';
                memcpy(at, key, n);
                memcpy(at + n, "\": ", 3);
                at += n + 3;
        }
        ps_output_advance(row->out, (size_t)(at - room));
}

void ps_row_open(ps_json_row *row, const char *key, char bracket)
{
        begin(row, key);
        ps_output_putc(row->out, bracket);
        row->n = 0;
}

void ps_row_close(ps_json_row *row, char bracket)
{
        ps_output_putc(row->out, bracket);
        row->n = 1;
}

void ps_row_null(ps_json_row *row, const char *key)
{
        begin(row, key);
        ps_output_puts(row->out, "null");
}

void ps_row_bool(ps_json_row *row, const char *key, int value)
{
        begin(row, key);
        ps_output_puts(row->out, value ? "true" : "false");
}

void ps_row_u64(ps_json_row *row, const char *key, uint64_t value)
{
        begin(row, key);
        ps_output_advance(row->out, ps_text_u64(ps_output_reserve(row->out, PS_NUMBER_ROOM), value));
}

void ps_row_time(ps_json_row *row, const char *key, ps_time value)
{
        begin(row, key);
        ps_output_advance(row->out, ps_text_seconds(ps_output_reserve(row->out, PS_NUMBER_ROOM), value));
}

void ps_row_i64(ps_json_row *row, const char *key, int64_t value)
{
        begin(row, key);
        if (value < 0)
                ps_output_putc(row->out, '-');
        uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
        ps_output_advance(row->out, ps_text_u64(ps_output_reserve(row->out, PS_NUMBER_ROOM), size));
}

void ps_row_seconds(ps_json_row *row, const char *key, double value)
{
        const double most_s = (double)INT64_MAX / 2 / (double)PS_PS_PER_S;
        if (value > -most_s && value < most_s) {
                ps_row_time(row, key, (ps_time)llround(value * (double)PS_PS_PER_S));
                return;
        }
        begin(row, key);
        int n = snprintf(ps_output_reserve(row->out, PS_NUMBER_ROOM), PS_NUMBER_ROOM, "%.17g", value);
        ps_output_advance(row->out, n > 0 ? (size_t)n : 0);
}

void ps_row_share(ps_json_row *row, const char *key, double value)
{
        begin(row, key);
        int n = snprintf(ps_output_reserve(row->out, PS_NUMBER_ROOM), PS_NUMBER_ROOM, "%.9g", value);
        ps_output_advance(row->out, n > 0 ? (size_t)n : 0);
}

void ps_row_text(ps_json_row *row, const char *key, const char *value)
{
        if (!value || !*value) {
                ps_row_null(row, key);
                return;
        }
        begin(row, key);
        ps_text_write_json(row->out, value);
}

void ps_row_clean_text(ps_json_row *row, const char *key, const char *value)
{
        begin(row, key);
        ps_output_putc(row->out, '"');
        for (size_t n; *value; value += n) {
                n = strcspn(value, "\"\\\n");
                ps_output_write(row->out, value, n);
                if (value[n]) {
                        ps_output_putc(row->out, '\\');
                        ps_output_putc(row->out, value[n] == '\n' ? 'n' : value[n]);
                        n++;
                }
        }
        ps_output_putc(row->out, '"');
}
