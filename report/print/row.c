/* row.c - see row.h. */
#include "report/print/row.h"
#include "core/base/number.h"
#include "report/print/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_DEEPEST = 32 };

static bool has_lines(const ps_row *row)
{
        return row->depth < LINES_DEEPEST && row->lines >> row->depth & 1;
}

/* What stands between the members and elements, and between a key and its value. */
static const struct form {
        char between[3], colon[4];
        uint8_t n_between, n_colon;
} forms[] = {[PS_ROW_SPACED] = {", ", "\": ", 2, 3},
             [PS_ROW_COMPACT] = {",", "\":", 1, 2},
             [PS_ROW_INDENTED] = {", ", "\":\t", 2, 3}};

/* Where a value stands on a line of its own, or behind tabs, begins that. Returns 0 otherwise. */
static bool begin_line(ps_row *row, bool is_first, bool has_key)
{
        bool is_indented = row->style == PS_ROW_INDENTED && has_key;

        if (!is_indented && !has_lines(row))
                return false;
        ps_output_puts(row->out, is_first ? "\n" : ",\n");
        ps_output_repeat(row->out, '\t', is_indented ? row->depth : 0);
        return true;
}

/* A report of a million findings is mostly keys: each is put at once. */
static void begin_value(ps_row *row, const char *key)
{
        size_t n = key ? strlen(key) : 0;
        bool is_first = !row->n++;

        if (row->has_key) {
                row->has_key = false;
                return;
        }
        if (row->style == PS_ROW_CSV) {
                ps_output_puts(row->out, is_first ? "" : ",");
                return;
        }
        const struct form *form = &forms[row->style];
        if (row->lines || row->style == PS_ROW_INDENTED)
                is_first |= begin_line(row, is_first, key != NULL);
        char *room = ps_output_reserve(row->out, n + sizeof(", \"\": ") + sizeof(form->colon)), *at = room;
        memcpy(at, form->between, sizeof(form->between));
        at += is_first ? 0 : form->n_between;
        if (key) {
                *at++ = '"';
                memcpy(at, key, n); // NOLINT(bugprone-not-null-terminated-result): a quote follows
                memcpy(at + n, form->colon, sizeof(form->colon));
                at += n + form->n_colon;
        }
        ps_output_advance(row->out, (size_t)(at - room));
}

void ps_row_open(ps_row *row, const char *key, char bracket)
{
        if (row->style == PS_ROW_CSV)
                return;
        begin_value(row, key);
        ps_output_putc(row->out, bracket);
        row->depth++;
        row->n = 0;
}

void ps_row_close(ps_row *row, char bracket)
{
        if (row->style == PS_ROW_CSV)
                return;
        if (has_lines(row))
                ps_output_putc(row->out, '\n');
        ps_row_set_lines(row, 0);
        if (row->compact_from == row->depth) {
                row->style = PS_ROW_SPACED;
                row->compact_from = 0;
        }
        row->depth--;
        if (row->style == PS_ROW_INDENTED && bracket == '}') {
                ps_output_putc(row->out, '\n');
                ps_output_repeat(row->out, '\t', row->depth);
        }
        ps_output_putc(row->out, bracket);
        row->n = 1;
}

void ps_row_set_lines(ps_row *row, bool are_wanted)
{
        if (row->depth < LINES_DEEPEST)
                row->lines = (row->lines & ~(UINT32_C(1) << row->depth)) | (uint32_t)are_wanted << row->depth;
}

void ps_row_open_lines(ps_row *row, const char *key, char bracket)
{
        ps_row_open(row, key, bracket);
        ps_row_set_lines(row, row->style != PS_ROW_INDENTED);
}

void ps_row_open_compact(ps_row *row, const char *key, char bracket)
{
        ps_row_open(row, key, bracket);
        if (row->style != PS_ROW_SPACED)
                return;
        row->style = PS_ROW_COMPACT;
        row->compact_from = row->depth;
}

void ps_row_end_line(ps_row *row)
{
        ps_output_puts(row->out, "\r\n");
        row->n = 0;
}

void ps_row_null(ps_row *row, const char *key)
{
        begin_value(row, key);
        ps_output_puts(row->out, row->style == PS_ROW_CSV ? "" : "null");
}

void ps_row_bool(ps_row *row, const char *key, bool value)
{
        begin_value(row, key);
        ps_output_puts(row->out, value ? "true" : "false");
}

void ps_row_u64(ps_row *row, const char *key, uint64_t value)
{
        begin_value(row, key);
        ps_output_advance(row->out, ps_text_u64(ps_output_reserve(row->out, PS_NUMBER_ROOM), value));
}

void ps_row_time(ps_row *row, const char *key, ps_time value)
{
        begin_value(row, key);
        ps_output_advance(row->out, ps_text_seconds(ps_output_reserve(row->out, PS_NUMBER_ROOM), value));
}

void ps_row_i64(ps_row *row, const char *key, int64_t value)
{
        begin_value(row, key);
        if (value < 0)
                ps_output_putc(row->out, '-');
        uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
        ps_output_advance(row->out, ps_text_u64(ps_output_reserve(row->out, PS_NUMBER_ROOM), size));
}

static void put_double(ps_row *row, const char *key, const char *fmt, double value)
{
        begin_value(row, key);
        int n = snprintf(ps_output_reserve(row->out, PS_NUMBER_ROOM), PS_NUMBER_ROOM, fmt, value);
        ps_output_advance(row->out, n > 0 ? (size_t)n : 0);
}

void ps_row_seconds(ps_row *row, const char *key, double value)
{
        const double most_s = (double)INT64_MAX / 2 / (double)PS_PS_PER_S;
        if (value > -most_s && value < most_s)
                ps_row_time(row, key, (ps_time)llround(value * (double)PS_PS_PER_S));
        else
                put_double(row, key, "%.17g", value);
}

void ps_row_exact_real(ps_row *row, const char *key, double value)
{
        char room[PS_NUMBER_BYTES];

        ps_number_print(room, value);
        begin_value(row, key);
        ps_output_puts(row->out, room);
}

void ps_row_share(ps_row *row, const char *key, double value)
{
        begin_value(row, key);
        ps_output_advance(row->out, ps_text_nine_digits(ps_output_reserve(row->out, PS_NUMBER_ROOM), value));
}

void ps_row_real(ps_row *row, const char *key, double value)
{
        if (!isfinite(value))
                ps_row_null(row, key);
        else
                put_double(row, key, value == floor(value) && fabs(value) < 0x1p53 ? "%.0f" : "%.10g", value);
}

static void put_text(ps_row *row, const char *key, const char *value, bool needs_quotes)
{
        if (!value || !*value) {
                ps_row_null(row, key);
        } else if (row->style != PS_ROW_CSV) {
                begin_value(row, key);
                ps_text_write_json(row->out, value);
        } else if (needs_quotes) {
                ps_row_open_cell(row, value);
                ps_row_write_name(row->out, value);
                ps_row_close_cell(row);
        } else {
                begin_value(row, key);
                ps_output_puts(row->out, value);
        }
}

void ps_row_text(ps_row *row, const char *key, const char *value)
{
        put_text(row, key, value, 1);
}

void ps_row_word(ps_row *row, const char *key, const char *value)
{
        put_text(row, key, value, 0);
}

/* -- cells of text -- */

/* A spreadsheet takes a cell that begins with = + - or @ for a formula, and the text may come from a
 * stranger's trace: such text gets an apostrophe in front, which spreadsheets read as "this is text". */
void ps_row_open_cell(ps_row *row, const char *lead)
{
        begin_value(row, NULL);
        ps_output_puts(row->out, *lead && strchr("=+-@", *lead) ? "\"'" : "\"");
}

void ps_row_write_name(ps_output *out, const char *name)
{
        static const char *const escapes[PS_ASCII] = {['"'] = "\"\""};

        ps_text_write_escaped(out, name, escapes);
}

void ps_row_close_cell(ps_row *row)
{
        ps_output_putc(row->out, '"');
}

/* -- exact text -- */

static void put_escape(ps_output *out, char c)
{
        static const char letters[] = "\"\\btnfr", codes[] = "\"\\\b\t\n\f\r";
        const char *found = strchr(codes, c);

        if (found) {
                ps_output_putc(out, '\\');
                ps_output_putc(out, letters[found - codes]);
        } else {
                ps_output_printf(out, "\\u%04x", (unsigned char)c);
        }
}

static void put_escaped(ps_output *out, const char *text)
{
        ps_output_putc(out, '"');
        while (*text) {
                const char *at = text;
                while ((unsigned char)*at >= ' ' && *at != '"' && *at != '\\')
                        at++;
                ps_output_write(out, text, (size_t)(at - text));
                if (*at)
                        put_escape(out, *at++);
                text = at;
        }
        ps_output_putc(out, '"');
}

void ps_row_exact_text(ps_row *row, const char *key, const char *value)
{
        begin_value(row, key);
        put_escaped(row->out, value);
}

void ps_row_exact_key(ps_row *row, const char *text)
{
        if (!begin_line(row, !row->n, 1) && row->n)
                ps_output_puts(row->out, forms[row->style].between);
        put_escaped(row->out, text);
        ps_output_puts(row->out, forms[row->style].colon + 1);
        row->has_key = true;
}
