/* compact.c - see compact.h. */
#include "report/print/compact.h"

#include "core/base/memory.h"
#include "core/base/strings.h"
#include "report/print/text.h"

#include <assert.h>
#include <string.h>

static const bool is_shared[] = {
#define PS_VALUE(name, type, is_nullable, is_shared, ...) is_shared,
#include "report/print/values.def"
#undef PS_VALUE
};

enum { COLUMNS_MOST = 256, DEPTH_MOST = 16 };

/* Where a value stands in `shared`, as it is written. */
typedef struct place {
        ps_str id; /* 0: nothing, or not known */
        uint8_t n_digits;
        char digits[11];
} place;

struct ps_cells {
        ps_arena *arena;
        ps_strings *shared;       /* values as JSON; the first is "", so that places begin at 1 here */
        ps_row one;               /* a value, until it is known whether it is there already */
        const ps_record *of;      /* whose rows are written */
        place last[COLUMNS_MOST]; /* what the row before has there */
};

static bool has_place(const ps_field *field)
{
        return field->form == PS_FIELD_VALUE && is_shared[field->value];
}

static bool has_columns(const ps_field *field)
{
        return field->form == PS_FIELD_OPEN || field->form == PS_FIELD_RECORD || field->form == PS_FIELD_ROWS;
}

/* -- columns -- */

/* Records that hold themselves, such as intervals, have no end. */
static bool is_endless(const ps_record *record, unsigned depth)
{
        for (unsigned i = 0; i < record->n_fields && depth < DEPTH_MOST; i++)
                if (record->field[i].record && is_endless(record->field[i].record, depth + 1))
                        return true;
        return depth == DEPTH_MOST;
}

bool ps_compact_is_table(const ps_field *field)
{
        return field->form == PS_FIELD_ROWS && !is_endless(field->record, 0);
}

static void put_columns(ps_row *to, const ps_record *record, unsigned from, unsigned end)
{
        for (unsigned i = from, next; i < end; i = next) {
                const ps_field *field = &record->field[i];
                next = field->form == PS_FIELD_OPEN ? ps_record_end_of(record, i) : i + 1;
                switch (field->form) {
                case PS_FIELD_MEMBERS:
                        assert(!field->may_be_missing);
                        put_columns(to, field->record, 0, field->record->n_fields);
                        break;
                case PS_FIELD_OPEN:
                        ps_row_open(to, field->key, '{');
                        put_columns(to, record, i + 1, next - 1);
                        ps_row_close(to, '}');
                        break;
                case PS_FIELD_RECORD:
                        ps_row_open(to, field->key, '{');
                        put_columns(to, field->record, 0, field->record->n_fields);
                        ps_row_close(to, '}');
                        break;
                case PS_FIELD_ROWS:
                        ps_row_open(to, field->key, '[');
                        ps_row_open(to, NULL, '{');
                        put_columns(to, field->record, 0, field->record->n_fields);
                        ps_row_close(to, '}');
                        ps_row_close(to, ']');
                        break;
                default:
                        ps_row_word(to, field->key, has_place(field) ? PS_COMPACT_SHARED : PS_COMPACT_VALUE);
                }
        }
}

/* -- rows -- */

/* The place of the value, from 0 on; the same as in the row before is found at once. */
static void find_shared(struct ps_cells *cells, const char *text, size_t n, place *last)
{
        if (last->id && strcmp(ps_strings_get(cells->shared, last->id), text) == 0)
                return;
        ps_str id = ps_strings_add(cells->shared, text, n);
        if (id == UINT32_MAX)
                ps_memory_lack();
        last->id = id == UINT32_MAX ? 0 : id;
        last->n_digits = (uint8_t)ps_text_u64(last->digits, (ps_str)(last->id - 1));
}

static void put_shared(ps_row *to, const ps_record *record, const void *in, const void *it, unsigned i)
{
        struct ps_cells *cells = to->cells;
        ps_row *one = &cells->one;
        place none = {0}, *last = record == cells->of && i < COLUMNS_MOST ? &cells->last[i] : &none;

        ps_output_clear(one->out);
        one->n = 0;
        one->has_key = true;
        record->put(one, in, it, i);
        const char *text = ps_output_text(one->out);
        if (!text || *text == 'n') {
                ps_row_null(to, NULL);
        } else if (*text) {
                find_shared(cells, text, ps_output_gathered(one->out), last);
                memcpy(ps_output_reserve(to->out, sizeof(last->digits)), last->digits, sizeof(last->digits));
                ps_output_advance(to->out, last->n_digits);
                to->has_key = false;
        }
}

/* It writes its value as behind a key; what writes nothing is not there. */
static void put_cell(ps_row *to, const ps_record *record, const void *in, const void *it, unsigned i)
{
        const ps_field *field = &record->field[i];
        struct ps_cells *cells = to->cells;

        if (to->n++)
                ps_output_putc(to->out, ',');
        to->has_key = true;
        if (has_place(field)) {
                put_shared(to, record, in, it, i);
        } else if (has_columns(field)) {
                record->put(to, in, it, i);
        } else {
                to->cells = NULL;
                record->put(to, in, it, i);
                to->cells = cells;
        }
        if (to->has_key)
                ps_output_puts(to->out, "\"\"");
        to->has_key = false;
}

void ps_compact_put_cells(ps_row *to, const ps_record *record, const void *in, const void *it)
{
        for (unsigned i = 0, next; i < record->n_fields; i = next) {
                ps_field_form form = record->field[i].form;
                unsigned depth = to->depth;
                next = i + 1;
                if (form == PS_FIELD_MEMBERS || form == PS_FIELD_CLOSE)
                        record->put(to, in, it, i);
                else
                        put_cell(to, record, in, it, i);
                if (form == PS_FIELD_OPEN && to->depth == depth)
                        next = ps_record_end_of(record, i);
        }
}

/* -- the document -- */

static void put_table(ps_row *to, struct ps_cells *cells, const ps_record *document, const void *it,
                      unsigned i)
{
        const ps_field *field = &document->field[i];

        cells->of = field->record;
        memset(cells->last, 0, sizeof(cells->last));
        ps_row_open(to, field->key, '{');
        ps_row_open(to, "columns", '{');
        put_columns(to, field->record, 0, field->record->n_fields);
        ps_row_close(to, '}');
        ps_output_puts(to->out, ",\n\"rows\":");
        to->has_key = true;
        to->cells = cells;
        document->put(to, NULL, it, i);
        to->cells = NULL;
        if (to->has_key)
                ps_output_puts(to->out, "\"\"");
        to->has_key = false;
        ps_row_close(to, '}');
}

static void put_all_shared(ps_row *to, const ps_strings *shared)
{
        ps_row_open_lines(to, PS_COMPACT_SHARED, '[');
        for (ps_str i = 1; i < ps_strings_n(shared) && !ps_output_failed(to->out); i++) {
                ps_output_puts(to->out, i == 1 ? "\n" : ",\n");
                ps_output_puts(to->out, ps_strings_get(shared, i));
        }
        ps_row_close(to, ']');
}

static void put_document(ps_row *to, struct ps_cells *cells, const char *schema, const ps_record *document,
                         const void *it)
{
        ps_row_open_lines(to, NULL, '{');
        for (unsigned i = 0; i < document->n_fields; i++)
                if (ps_compact_is_table(&document->field[i]))
                        put_table(to, cells, document, it, i);
                else if (strcmp(document->field[i].key, "schema") == 0)
                        ps_row_word(to, "schema", schema);
                else
                        document->put(to, NULL, it, i);
        put_all_shared(to, cells->shared);
        ps_row_close(to, '}');
        ps_output_putc(to->out, '\n');
}

ps_status ps_compact_write(ps_output *out, const char *schema, const ps_record *document, const void *it,
                           ps_error *err)
{
        struct ps_cells cells = {.arena = ps_arena_new(), .one.style = PS_ROW_COMPACT};
        ps_row row = {.out = out, .style = PS_ROW_COMPACT};
        ps_status status = ps_output_open_memory(&cells.one.out, PS_WIDTH_DEFAULT, err);

        cells.shared = cells.arena ? ps_strings_new(cells.arena) : NULL;
        if (status == PS_OK && !cells.shared)
                status = PS_NOMEM(err, "values of a report", 1);
        if (status == PS_OK)
                put_document(&row, &cells, schema, document, it);
        ps_output_discard(cells.one.out);
        ps_strings_free(cells.shared);
        ps_arena_free(cells.arena);
        return status;
}
