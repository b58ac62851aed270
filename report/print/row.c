/* row.c - see row.h. */
#include "report/print/row.h"
#include "core/base/number.h"
#include "report/print/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many depths have a bit. Keys are words of ours: with all around them they take less than the room. */
enum { LINES_DEEPEST = 32, KEY_ROOM = 128 };

static uint32_t bit_of(const ps_row *row)
{
        return row->depth < LINES_DEEPEST ? 1U << row->depth : 0;
}

static bool has_lines(const ps_row *row)
{
        return row->lines & bit_of(row);
}

/* What stands between the members and elements, and between a key and its value. */
static const struct form {
        char between[2], colon[4];
        uint8_t n_between, n_colon;
} forms[] = {[PS_ROW_SPACED] = {", ", "\": ", 2, 3},
             [PS_ROW_COMPACT] = {",", "\":", 1, 2},
             [PS_ROW_INDENTED] = {", ", "\":\t", 2, 3}};

/* Keys are shorter, see KEY_ROOM. */
static char *put_key(const ps_row *row, char *at, const char *key)
{
        const struct form *form = &forms[row->style];

        if (!key)
                return at;
        *at++ = '"';
        at = stpcpy(at, key);
        memcpy(at, form->colon, sizeof(form->colon));
        return at + form->n_colon;
}

static void begin_line(ps_row *row, bool is_first, bool is_indented)
{
        ps_output_puts(row->out, is_first ? "\n" : ",\n");
        ps_output_repeat(row->out, '\t', is_indented ? row->depth : 0);
}

/* Where a value stands on a line of its own, or in CSV. */
__attribute__((noinline)) static char *begin_apart(ps_row *row, const char *key, size_t n)
{
        bool is_first = !row->n++;

        if (row->style == PS_ROW_CSV) {
                ps_output_puts(row->out, is_first ? "" : ",");
                return ps_output_reserve(row->out, n);
        }
        begin_line(row, is_first, row->style == PS_ROW_INDENTED && key);
        return put_key(row, ps_output_reserve(row->out, KEY_ROOM + n), key);
}

static char *begin_with_key(ps_row *row, const char *key, size_t n)
{
        if (row->style == PS_ROW_CSV || (row->style == PS_ROW_INDENTED && key) || has_lines(row))
                return begin_apart(row, key, n);
        char *at = ps_output_reserve(row->out, KEY_ROOM + n);
        if (row->n++) {
                memcpy(at, forms[row->style].between, sizeof(forms->between));
                at += forms[row->style].n_between;
        }
        return put_key(row, at, key);
}

/* A key is put at once, and room for the n bytes of its value is what is returned; end_value() takes back
 * where they end. */
static inline char *begin_room(ps_row *row, const char *key, size_t n)
{
        if (!row->has_key)
                return begin_with_key(row, key, n);
        row->has_key = false;
        row->n++;
        return ps_output_reserve(row->out, n);
}

bool ps_row_takes_leads(const ps_row *row)
{
        return row->style == PS_ROW_SPACED && !has_lines(row) && !row->has_key;
}

static void end_value(ps_row *row, const char *end)
{
        ps_output_end(row->out, end);
}

static void begin_value(ps_row *row, const char *key)
{
        end_value(row, begin_room(row, key, 0));
}

static void put_word(ps_row *row, const char *key, const char *word, size_t n)
{
        char *at = begin_room(row, key, n);
        memcpy(at, word, n);
        end_value(row, at + n);
}

void ps_row_open(ps_row *row, const char *key, char bracket)
{
        if (row->style == PS_ROW_CSV)
                return;
        put_word(row, key, row->cells ? "[" : &bracket, 1);
        row->depth++;
        row->arrays = bracket == '[' ? row->arrays | bit_of(row) : row->arrays & ~bit_of(row);
        row->n = 0;
}

void ps_row_close(ps_row *row, char bracket)
{
        if (row->style == PS_ROW_CSV)
                return;
        assert(row->depth > 0 && !row->has_key);
        assert(row->depth >= LINES_DEEPEST || bracket == (row->arrays & bit_of(row) ? ']' : '}'));
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
        ps_output_putc(row->out, (char)(row->cells ? ']' : bracket));
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
        char *at = begin_room(row, key, 4);
        memcpy(at, "null", 4); /* part of a text: NOLINT(bugprone-not-null-terminated-result) */
        end_value(row, row->style == PS_ROW_CSV ? at : at + 4);
}

void ps_row_bool(ps_row *row, const char *key, bool value)
{
        put_word(row, key, value ? "true" : "false", value ? 4 : 5);
}

void ps_row_u64(ps_row *row, const char *key, uint64_t value)
{
        char *at = begin_room(row, key, PS_NUMBER_ROOM);
        end_value(row, at + ps_text_u64(at, value));
}

void ps_row_time(ps_row *row, const char *key, ps_time value)
{
        char *at = begin_room(row, key, PS_NUMBER_ROOM);
        end_value(row, at + ps_text_seconds(at, value));
}

void ps_row_i64(ps_row *row, const char *key, int64_t value)
{
        char *at = begin_room(row, key, PS_NUMBER_ROOM);
        end_value(row, at + ps_text_i64(at, value));
}

static void put_double(ps_row *row, const char *key, const char *fmt, double value)
{
        char *at = begin_room(row, key, PS_NUMBER_ROOM);
        int n = snprintf(at, PS_NUMBER_ROOM, fmt, value);
        end_value(row, at + (n > 0 ? n : 0));
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
        char *at = begin_room(row, key, PS_NUMBER_ROOM);
        end_value(row, at + ps_text_nine_digits(at, value));
}

void ps_row_real(ps_row *row, const char *key, double value)
{
        if (!isfinite(value))
                ps_row_null(row, key);
        else
                put_double(row, key, value == floor(value) && fabs(value) < 0x1p53 ? "%.0f" : "%.10g", value);
}

/* Most texts are short and need no escape. Words of ours need none. */
static void put_json(ps_row *row, const char *key, const char *value, bool is_word)
{
        const size_t n = strlen(value), room = n + 2 < PS_OUTPUT_ROOM - KEY_ROOM ? n + 2 : 0;
        char *at = begin_room(row, key, room);

        if (room && (is_word || ps_text_is_plain_json(value, n))) {
                at[0] = '"';
                memcpy(at + 1, value, n); /* a part of it: NOLINT(bugprone-not-null-terminated-result) */
                at[n + 1] = '"';
                end_value(row, at + n + 2);
        } else {
                end_value(row, at);
                ps_text_write_json(row->out, value);
        }
}

static void put_text(ps_row *row, const char *key, const char *value, bool needs_quotes)
{
        if (!value || !*value) {
                ps_row_null(row, key);
        } else if (row->style != PS_ROW_CSV) {
                put_json(row, key, value, !needs_quotes);
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

void ps_row_text_and(ps_row *row, const char *key, const char *text, const char *more, size_t n)
{
        const size_t n_text = strlen(text), all = n_text + n + 2;
        const bool is_plain = all < PS_OUTPUT_ROOM - KEY_ROOM && ps_text_is_plain_json(text, n_text);
        char *at = begin_room(row, key, is_plain ? all : 0);

        if (!is_plain) {
                end_value(row, at);
                ps_text_write_json_two(row->out, text, more);
                return;
        }
        at[0] = '"';
        memcpy(at + 1, text, n_text); /* parts of it: NOLINT(bugprone-not-null-terminated-result) */
        memcpy(at + 1 + n_text, more, n);
        at[all - 1] = '"';
        end_value(row, at + all);
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
        if (row->style == PS_ROW_INDENTED || has_lines(row))
                begin_line(row, !row->n, row->style == PS_ROW_INDENTED);
        else if (row->n)
                ps_output_write(row->out, forms[row->style].between, forms[row->style].n_between);
        put_escaped(row->out, text);
        ps_output_puts(row->out, forms[row->style].colon + 1);
        row->has_key = true;
}
