/* sqlite_base.c - see sqlite_base.h. */
#include "report/exports/sqlite_base.h"
#include "report/print/record.h"

#include <stdlib.h>
#include <string.h>

void ps_base_run(ps_base *b, const char *sql)
{
        if (b->status == PS_SQLITE_OK)
                b->status = b->sqlite.exec(b->db, sql, NULL, NULL, NULL);
}

const char *ps_base_gathered(ps_base *b, ps_output *words)
{
        const char *text = ps_output_text(words);
        if (!text)
                b->status = PS_SQLITE_NOMEM;
        return text;
}

void ps_base_begin(ps_base *b, const char *name, const char *columns)
{
        ps_output_clear(b->sql);
        ps_output_printf(b->sql, "CREATE TABLE %s (%s)", name, columns);
        ps_base_run(b, ps_base_gathered(b, b->sql));
        ps_output_clear(b->sql);
        ps_output_printf(b->sql, "INSERT INTO %s VALUES (?", name);
        for (const char *c = columns; *c; c++)
                if (*c == ',')
                        ps_output_puts(b->sql, ",?");
        ps_output_puts(b->sql, ")");
        const char *insert = ps_base_gathered(b, b->sql);
        if (b->status == PS_SQLITE_OK)
                b->status = b->sqlite.prepare(b->db, insert, -1, &b->insert, NULL);
        b->column = 0;
}

void ps_base_end(ps_base *b)
{
        b->sqlite.finalize(b->insert);
        b->insert = NULL;
}

void ps_base_end_row(ps_base *b)
{
        if (b->status == PS_SQLITE_OK && b->sqlite.step(b->insert) != PS_SQLITE_DONE)
                b->status = b->sqlite.errcode(b->db);
        if (b->insert) {
                b->sqlite.reset(b->insert);
                b->sqlite.clear_bindings(b->insert);
        }
        b->column = 0;
}

void ps_base_null(ps_base *b)
{
        b->column++;
}

void ps_base_number(ps_base *b, uint64_t value)
{
        b->column++;
        if (b->status == PS_SQLITE_OK)
                b->status = b->sqlite.bind_int64(b->insert, b->column, (long long)value);
}

void ps_base_index(ps_base *b, uint32_t index)
{
        if (index == PS_NONE)
                ps_base_null(b);
        else
                ps_base_number(b, index);
}

/* Where SQLite asks what frees a text. */
// NOLINTNEXTLINE(performance-no-int-to-ptr): so it says that the text has to be copied
#define KEEPS_A_COPY ((void (*)(void *))(intptr_t)-1)

void ps_base_text(ps_base *b, const char *text)
{
        b->column++;
        if (b->status == PS_SQLITE_OK && text && *text)
                b->status = b->sqlite.bind_text(b->insert, b->column, text, -1, KEEPS_A_COPY);
}

void ps_base_time(ps_base *b, ps_time time)
{
        b->column++;
        if (b->status == PS_SQLITE_OK)
                b->status = b->sqlite.bind_double(b->insert, b->column, ps_time_seconds(time));
        ps_base_number(b, (uint64_t)time);
}

/* -- tables of the report -- */

static const ps_field *field_of(const ps_record *record, const char *name, size_t n)
{
        for (unsigned i = 0; i < record->n_fields; i++)
                if (strlen(record->field[i].id) == n && strncmp(record->field[i].id, name, n) == 0)
                        return &record->field[i];
        return NULL;
}

static bool is_time(const ps_field *f)
{
        return f && f->form == PS_FIELD_VALUE && (f->value == PS_VALUE_time || f->value == PS_VALUE_moment);
}

static const char *type_of(const ps_field *f)
{
        if (!f || f->form != PS_FIELD_VALUE || f->n_words)
                return "TEXT";
        switch (f->value) {
        case PS_VALUE_count:
        case PS_VALUE_index:
        case PS_VALUE_line:
        case PS_VALUE_integer:
        case PS_VALUE_flag:
                return "INTEGER";
        case PS_VALUE_time:
        case PS_VALUE_moment:
        case PS_VALUE_seconds:
        case PS_VALUE_share:
        case PS_VALUE_number:
        case PS_VALUE_real:
                return "REAL";
        default:
                return "TEXT";
        }
}

enum { COLUMNS = 64 };

/* What the first line of a table says; returns how many columns there are. */
static unsigned begin_record_table(ps_base *b, const ps_field *table, const char *heads,
                                   const ps_field *field[COLUMNS])
{
        unsigned n = 0;
        ps_output_clear(b->columns);
        for (const char *at = heads; n < COLUMNS;) {
                size_t length = strcspn(at, ",\r\n");
                field[n] = field_of(table->record, at, length);
                ps_output_printf(b->columns, "%s\"%.*s\" %s", n ? ", " : "", (int)length, at,
                                 type_of(field[n]));
                if (is_time(field[n]))
                        ps_output_printf(b->columns, ", \"%.*s_ps\" INTEGER", (int)length - 2, at);
                n++;
                if (at[length] != ',')
                        break;
                at += length + 1;
        }
        const char *columns = ps_base_gathered(b, b->columns);
        if (columns)
                ps_base_begin(b, table->key, columns);
        return n;
}

/* The digits of a time in seconds: exactly as many picoseconds. */
static ps_time picoseconds_of(const char *text)
{
        bool is_negative = *text == '-';
        uint64_t value = 0;
        unsigned digits = 0;
        bool is_behind = false;
        for (text += is_negative; (*text >= '0' && *text <= '9') || *text == '.'; text++) {
                if (*text == '.') {
                        is_behind = true;
                } else if (digits < 12 || !is_behind) {
                        value = value * 10 + (uint64_t)(*text - '0');
                        digits += is_behind;
                }
        }
        for (; digits < 12; digits++)
                value *= 10;
        return is_negative ? -(ps_time)value : (ps_time)value;
}

/* A cell of CSV; quotes are taken off in place. Returns what is behind it. */
static char *next_cell(char *at, char **cell, bool *ends)
{
        char *to = at;
        bool is_quoted = *at == '"';
        *cell = at;
        at += is_quoted;
        for (; *at; at++) {
                if (is_quoted && *at == '"' && *++at != '"')
                        break;
                if (!is_quoted && (*at == ',' || *at == '\n' || *at == '\r'))
                        break;
                *to++ = *at;
        }
        at += *at == '\r';
        *ends = *at != ',';
        at += *at != '\0';
        *to = '\0';
        return at;
}

static void put_cell(ps_base *b, const ps_field *field, const char *cell)
{
        if (is_time(field) && *cell)
                ps_base_time(b, picoseconds_of(cell));
        else if (is_time(field))
                b->column += 2;
        else if (*cell && field && field->value == PS_VALUE_flag && type_of(field)[0] == 'I')
                ps_base_number(b, *cell == 't' || *cell == '1');
        else
                ps_base_text(b, cell); /* SQL makes a number of it where the column is one */
}

ps_status ps_base_record(ps_base *b, const char *name, ps_error *err)
{
        const ps_field *table = ps_record_table(&ps_record_report, name, strlen(name)), *field[COLUMNS];
        ps_output *out;
        PS_TRY(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, err));
        ps_record_write_csv(out, &ps_record_report, table, NULL, b->report);
        const char *told = ps_output_text(out);
        char *text = told ? strdup(told) : NULL, *at = text ? strchr(text, '\n') : NULL, *cell;
        unsigned n = text ? begin_record_table(b, table, text, field) : 0;
        for (at = at ? at + 1 : NULL; at && *at && b->status == PS_SQLITE_OK;) {
                bool ends = false;
                for (unsigned c = 0; c < n && !ends; c++) {
                        at = next_cell(at, &cell, &ends);
                        put_cell(b, field[c], cell);
                }
                ps_base_end_row(b);
        }
        ps_base_end(b);
        free(text);
        ps_output_discard(out);
        return text ? PS_OK : PS_NOMEM(err, "table", 1);
}
