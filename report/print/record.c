/* record.c - see record.h. */
#include "report/print/compact.h"
#include "report/print/dealt.h"
#include "report/print/ready.h"
#include "report/print/record_rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Of so many it is worth while to keep what they have in common. */
enum { ROWS_MANY = 64 };

/* Does a table of CSV have it: has it one value, or members that have? */
static bool is_cell(const ps_field *field)
{
        return field->form == PS_FIELD_MEMBERS ||
               (field->form == PS_FIELD_VALUE && field->value < PS_VALUE_ids);
}

/* -- JSON -- */

unsigned ps_record_end_of(const ps_record *record, unsigned open)
{
        unsigned i = open + 1;

        for (int depth = 1; depth; i++)
                depth += (record->field[i].form == PS_FIELD_OPEN) - (record->field[i].form == PS_FIELD_CLOSE);
        return i;
}

static void put_cells(ps_row *to, const ps_record *record, const void *in, const void *it)
{
        for (unsigned i = 0; i < record->n_fields; i++)
                if (is_cell(&record->field[i]))
                        ps_record_put_field(to, record, in, it, i);
}

static void put_behind_lead(ps_row *to, const ps_record *record, const void *in, const void *it, unsigned i)
{
        record->put(to, in, it, i, i, true);
}

const ps_same *ps_record_end_of_same(const ps_row *to, const ps_record *record)
{
        return to->ready && to->ready->of == record ? record->same + record->n_same : record->same;
}

void ps_record_put_same(ps_row *to, const ps_record *record, const void *in, const void *it,
                        const ps_same *same, ps_record_putter *put)
{
        ps_output *out = to->out;
        const unsigned sort = (unsigned)(same - record->same);
        const uint64_t key = same->key(in, it);
        if (key != PS_SAME_AS_NONE && ps_ready_put(to->ready, out, sort, key))
                return;
        const size_t begin = out->used;
        const unsigned before = out->n_flushes;
        for (unsigned i = same->first; i <= same->last; i++)
                put(to, record, in, it, i);
        if (key != PS_SAME_AS_NONE && out->n_flushes == before && !ps_output_failed(out))
                ps_ready_keep(to->ready, sort, key, out->buffer + begin, out->used - begin);
}

/* An object that is not known is null, and what would stand in it is passed over. */
static void put_members(ps_row *to, const ps_record *record, const void *in, const void *it)
{
        const bool takes_leads = ps_row_takes_leads(to);
        const ps_same *same = record->same, *end = takes_leads ? ps_record_end_of_same(to, record) : same;

        for (unsigned i = 0; i < record->n_fields;) {
                while (same < end && same->first < i)
                        same++;
                if (same == end || i < same->first) {
                        unsigned next = same < end ? same->first : record->n_fields;
                        i = record->put(to, in, it, i, next - 1, takes_leads);
                } else {
                        ps_record_put_same(to, record, in, it, same, put_behind_lead);
                        i = same->last + 1;
                }
        }
}

void ps_record_put_members(ps_row *to, const ps_record *record, const void *in, const void *it)
{
        if (to->cells)
                ps_compact_put_cells(to, record, in, it);
        else if (to->style == PS_ROW_CSV)
                put_cells(to, record, in, it);
        else
                put_members(to, record, in, it);
}

void ps_record_put_line(ps_row *to, const ps_record *record, const void *in, const void *it)
{
        for (unsigned i = 0; i < record->n_fields; i++) {
                ps_record_put_field(to, record, in, it, i);
                ps_row_set_lines(to, i + 1 == record->n_fields);
        }
}

void ps_record_put(ps_row *to, const char *key, const ps_record *record, const void *in, const void *it)
{
        if (!it) {
                ps_row_null(to, key);
                return;
        }
        ps_row_open(to, key, '{');
        ps_record_put_members(to, record, in, it);
        ps_row_close(to, '}');
}

void ps_record_put_compact(ps_row *to, const char *key, const ps_record *record, const void *in,
                           const void *it)
{
        ps_row_open_compact(to, key, '{');
        ps_record_put_members(to, record, in, it);
        ps_row_close(to, '}');
}

void ps_record_put_rows(ps_row *to, const char *key, const ps_record *record, const void *in,
                        const void *first, size_t n, size_t size)
{
        ps_row_open(to, key, '[');
        for (size_t i = 0; i < n && !ps_output_failed(to->out); i++)
                ps_record_put(to, NULL, record, in, (const char *)first + i * size);
        ps_row_close(to, ']');
}

#define RECORD     tool
#define RECORD_DEF "report/print/tool.def"
#define RECORD_IT  void
#define RECORD_DOC "what wrote this"
#include "report/print/make_record.def"

void ps_record_put_tool(ps_row *to, const char *key)
{
        ps_record_put_compact(to, key, &ps_record_tool, NULL, NULL);
}

void ps_record_write_json(ps_output *out, ps_row_style style, const ps_record *document, const void *it)
{
        ps_row row = {.out = out, .style = style};

        ps_row_open_lines(&row, NULL, '{');
        ps_record_put_members(&row, document, NULL, it);
        ps_row_close(&row, '}');
        ps_output_putc(out, '\n');
}

/* -- tables -- */

static void put_title(ps_row *to, const ps_field *field)
{
        if (field->form != PS_FIELD_MEMBERS) {
                ps_row_word(to, NULL, field->id);
                return;
        }
        for (unsigned i = 0; i < field->record->n_fields; i++)
                if (is_cell(&field->record->field[i]))
                        put_title(to, &field->record->field[i]);
}

static void add_column(ps_records *table, unsigned field)
{
        assert(table->n_columns < PS_RECORDS_COLUMNS && field <= UINT8_MAX);
        table->column[table->n_columns++] = (uint8_t)field;
        put_title(table->to, &table->record->field[field]);
}

/* The field whose id is the `n` bytes at `id`, or NULL. */
static const ps_field *find_field(const ps_record *record, const char *id, size_t n)
{
        for (const ps_field *field = record->field; field < record->field + record->n_fields; field++)
                if (strncmp(field->id, id, n) == 0 && !field->id[n])
                        return field;
        return NULL;
}

static void choose_columns(ps_records *table)
{
        const ps_record *record = table->record;
        const char *at = record->columns;

        for (unsigned i = 0; !at && i < record->n_fields; i++)
                if (is_cell(&record->field[i]))
                        add_column(table, i);
        for (size_t n; at && *at; at += n + (at[n] == ',')) {
                n = strcspn(at, ",");
                add_column(table, (unsigned)(find_field(record, at, n) - record->field));
        }
}

ps_records ps_records_open(ps_row *to, const char *key, const ps_record *record)
{
        ps_records table = {.to = to, .record = record};

        ps_row_open_lines(to, key, '[');
        if (to->style != PS_ROW_CSV)
                return table;
        choose_columns(&table);
        ps_row_end_line(to);
        return table;
}

ps_records ps_records_open_compact(ps_row *to, const char *key, const ps_record *record)
{
        if (to->style == PS_ROW_CSV)
                return ps_records_open(to, key, record);
        ps_row_open_compact(to, key, '[');
        return (ps_records){.to = to, .record = record};
}

void ps_records_row(ps_records *table, const void *in, const void *it)
{
        if (table->to->style != PS_ROW_CSV) {
                ps_record_put(table->to, NULL, table->record, in, it);
                return;
        }
        for (unsigned i = 0; i < table->n_columns; i++)
                ps_record_put_field(table->to, table->record, in, it, table->column[i]);
        ps_row_end_line(table->to);
}

void ps_records_close(ps_records *table)
{
        ps_row_close(table->to, ']');
}

/* Of row `i` of an array of n. Rows often stand in the order of what they tell, and what they lead to does
 * not.
 */
static void fetch_rows(const ps_row *to, const ps_record *record, const void *in, const char *first, size_t i,
                       size_t n, size_t size)
{
        enum { AHEAD = 12, TEXT_AHEAD = 4 };
        if (n - i <= AHEAD)
                return;
        const void *far = first + (i + AHEAD) * size, *near = first + (i + TEXT_AHEAD) * size;
        if (record->fetch)
                record->fetch(in, far);
        for (unsigned k = 0; to->ready && k < record->n_same; k++) {
                if (!ps_ready_is_large(to->ready, k))
                        continue;
                ps_ready_fetch(to->ready, k, record->same[k].key(in, far));
                ps_ready_fetch_text(to->ready, k, record->same[k].key(in, near));
        }
}

void ps_dealt_put_range(const ps_dealt *rows, ps_records *table, size_t from, size_t end)
{
        const char *first = rows->first;
        for (size_t i = from; i < end && !ps_output_failed(table->to->out); i++) {
                fetch_rows(table->to, rows->record, rows->in, first, i, rows->n, rows->size);
                ps_records_row(table, rows->in, first + i * rows->size);
        }
}

/* By this thread alone. */
static void put_all(const ps_dealt *rows, ps_records *table)
{
        ps_ready ready = {0};
        if (rows->record->n_same && rows->n >= ROWS_MANY) {
                ps_ready_open(&ready, rows->record, rows->n);
                table->to->ready = &ready;
        }
        ps_dealt_put_range(rows, table, 0, rows->n);
        table->to->ready = NULL;
        ps_ready_free(&ready);
}

void ps_records_put(ps_row *to, const char *key, const ps_record *record, const void *in, const void *first,
                    size_t n, size_t size)
{
        const ps_dealt rows = {record, in, first, n, size};
        const unsigned n_threads = ps_dealt_threads(&rows, to);
        ps_records table = ps_records_open(to, key, record);
        if (n_threads == 1 || !ps_dealt_put(&rows, to, n_threads))
                put_all(&rows, &table);
        ps_records_close(&table);
}

/* An object of rows is one, too: of a map, and of a record that has them beside a few sums. */
static bool is_table(const ps_field *field)
{
        const ps_field *rows = field->form == PS_FIELD_RECORD ? find_field(field->record, "rows", 4) : NULL;

        return field->form == PS_FIELD_ROWS || field->form == PS_FIELD_MAP ||
               (rows && rows->form == PS_FIELD_ROWS);
}

const ps_field *ps_record_table(const ps_record *document, const char *name, size_t n)
{
        const ps_field *field = find_field(document, name, n);

        return field && is_table(field) ? field : NULL;
}

void ps_record_name_tables(char *room, size_t size, const ps_record *document)
{
        size_t at = 0;

        *room = '\0';
        for (unsigned i = 0; i < document->n_fields && at < size; i++)
                if (is_table(&document->field[i]))
                        at += (size_t)snprintf(room + at, size - at, "%s%s", at ? "|" : "",
                                               document->field[i].id);
}

void ps_record_write_csv(ps_output *out, const ps_record *document, const ps_field *table, const void *in,
                         const void *it)
{
        ps_row row = {.out = out, .style = PS_ROW_CSV};

        ps_record_put_field(&row, document, in, it, (unsigned)(table - document->field));
}
