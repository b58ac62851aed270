/* compact.c - see compact.h. */
#include "report/print/compact.h"

#include "core/base/memory.h"
#include "core/base/strings.h"
#include "report/print/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const bool is_shared[] = {
#define PS_VALUE(name, type, is_nullable, is_shared, ...) is_shared,
#include "report/print/values.def"
#undef PS_VALUE
};

enum { DEPTH_MOST = 16, RECENT_BITS = 11 };

/* Where a value stands in `shared`, as it is written. */
typedef struct place {
        const char *text; /* the value; NULL: none */
        size_t n;
        uint8_t n_digits;
        char digits[11];
} place;

struct ps_cells {
        ps_arena *arena;
        ps_strings *shared; /* values as JSON; the first is "", so that places begin at 1 here */
        ps_row one;         /* a value, until it is known whether it is there already */
        place *recent;      /* where those stand that were looked for last, by what they begin and end with */
};

static bool has_place(const ps_field *field)
{
        return field->form == PS_FIELD_VALUE && is_shared[field->value];
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

static inline uint64_t word_at(const char *text)
{
        uint64_t word;
        memcpy(&word, text, sizeof(word));
        return word;
}

/* By what it begins and ends with: of long values that is some of it. */
static place *recent_at(const struct ps_cells *cells, const char *text, size_t n)
{
        const size_t word = sizeof(uint64_t);
        uint64_t number = n;
        if (n < word)
                for (size_t i = 0; i < n; i++)
                        number = number << word | (unsigned char)text[i];
        else
                number += word_at(text) + word_at(text + n - word) * 3;
        if (n >= 2 * word)
                number += word_at(text + word) * 5 + word_at(text + n - 2 * word) * 7;
        return &cells->recent[number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS)];
}

/* The place of the value, from 0 on; NULL: there is no memory. */
static const place *find_shared(struct ps_cells *cells, const char *text, size_t n)
{
        place *recent = recent_at(cells, text, n);
        if (recent->text && recent->n == n && memcmp(recent->text, text, n) == 0)
                return recent;
        ps_str id = ps_strings_add(cells->shared, text, n);
        if (id == UINT32_MAX) {
                ps_memory_lack();
                return NULL;
        }
        *recent = (place){.text = ps_strings_get(cells->shared, id), .n = n};
        recent->n_digits = (uint8_t)ps_text_u64(recent->digits, id - 1);
        return recent;
}

static void put_shared(ps_row *to, const ps_record *record, const void *in, const void *it, unsigned i)
{
        struct ps_cells *cells = to->cells;
        ps_row *one = &cells->one;

        ps_output_clear(one->out);
        one->n = 0;
        one->has_key = true;
        ps_record_put_field(one, record, in, it, i);
        const size_t n = ps_output_gathered(one->out);
        const char *text = one->out->buffer;
        const place *at = NULL;
        if (!n && !ps_output_failed(one->out))
                return;
        if (!ps_output_failed(one->out) && *text != 'n')
                at = find_shared(cells, text, n);
        if (!at) {
                ps_row_null(to, NULL);
                return;
        }
        memcpy(ps_output_reserve(to->out, sizeof(at->digits)), at->digits, sizeof(at->digits));
        ps_output_advance(to->out, at->n_digits);
        to->has_key = false;
}

/* It stands as in a document that is not compact. */
static inline void put_value(ps_row *to, const ps_record *record, const void *in, const void *it, unsigned i)
{
        struct ps_cells *cells = to->cells;
        to->cells = NULL;
        ps_record_put_field(to, record, in, it, i);
        to->cells = cells;
}

/* It writes its value as behind a key; what writes nothing is not there. */
__attribute__((always_inline)) static inline void put_next(ps_row *to, const ps_record *record,
                                                           const void *in, const void *it, unsigned i)
{
        const ps_field *field = &record->field[i];

        if (to->n++)
                ps_output_putc(to->out, ',');
        to->has_key = true;
        if (field->form == PS_FIELD_VALUE && is_shared[field->value])
                put_shared(to, record, in, it, i);
        else if (field->form == PS_FIELD_VALUE || field->form == PS_FIELD_LIST || field->form == PS_FIELD_MAP)
                put_value(to, record, in, it, i);
        else
                ps_record_put_field(to, record, in, it, i);
        if (to->has_key)
                ps_output_puts(to->out, "\"\"");
        to->has_key = false;
}

static void put_cell(ps_row *to, const ps_record *record, const void *in, const void *it, unsigned i)
{
        put_next(to, record, in, it, i);
}

void ps_compact_put_cells(ps_row *to, const ps_record *record, const void *in, const void *it)
{
        const unsigned n = record->n_fields;
        const ps_same *same = record->same, *end = ps_record_end_of_same(to, record);
        for (unsigned i = 0, next; i < n; i = next) {
                if (same < end && i == same->first) {
                        ps_record_put_same(to, record, in, it, same, put_cell);
                        next = same++->last + 1;
                        continue;
                }
                ps_field_form form = record->field[i].form;
                unsigned depth = to->depth;
                next = i + 1;
                if (form == PS_FIELD_MEMBERS || form == PS_FIELD_CLOSE)
                        ps_record_put_field(to, record, in, it, i);
                else
                        put_next(to, record, in, it, i);
                if (form != PS_FIELD_OPEN || to->depth != depth)
                        continue;
                next = ps_record_end_of(record, i);
                while (same < end && same->first < next)
                        same++;
        }
}

/* -- the document -- */

static void put_table(ps_row *to, struct ps_cells *cells, const ps_record *document, const void *it,
                      unsigned i)
{
        const ps_field *field = &document->field[i];

        ps_row_open(to, field->key, '{');
        ps_row_open(to, "columns", '{');
        put_columns(to, field->record, 0, field->record->n_fields);
        ps_row_close(to, '}');
        ps_output_puts(to->out, ",\n\"rows\":");
        to->has_key = true;
        to->cells = cells;
        ps_record_put_field(to, document, NULL, it, i);
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
                        ps_record_put_field(to, document, NULL, it, i);
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
        cells.recent = ps_memory_zeroed((size_t)1 << RECENT_BITS, sizeof(*cells.recent));
        if (status == PS_OK && (!cells.shared || !cells.recent))
                status = PS_NOMEM(err, "values of a report", 1);
        if (status == PS_OK)
                put_document(&row, &cells, schema, document, it);
        ps_output_discard(cells.one.out);
        ps_strings_free(cells.shared);
        ps_arena_free(cells.arena);
        free(cells.recent);
        return status;
}
