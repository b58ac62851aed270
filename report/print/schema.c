/* schema.c - the JSON schema of a document, from the tables of its records. */
#include "report/print/record.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { RECORDS_MOST = 128 };

static const struct {
        const char *type;
        bool is_nullable;
        int least;
        const char *key, *value;
} values[] = {
#define PS_VALUE(name, type, is_nullable, least, key, value) {type, is_nullable, least, key, value},
#include "report/print/values.def"
#undef PS_VALUE
};

/* The records that the document refers to, each once. */
typedef struct schema {
        ps_row row;
        const ps_record *record[RECORDS_MOST];
        unsigned n;
} schema;

static void remember_record(schema *s, const ps_record *record)
{
        for (unsigned i = 0; i < s->n; i++)
                if (s->record[i] == record)
                        return;
        assert(s->n < RECORDS_MOST);
        s->record[s->n++] = record;
}

static void put_type(ps_row *row, const char *type, bool is_nullable)
{
        if (!is_nullable) {
                ps_row_text(row, "type", type);
                return;
        }
        ps_row_open(row, "type", '[');
        ps_row_text(row, NULL, type);
        ps_row_text(row, NULL, "null");
        ps_row_close(row, ']');
}

static void put_words(ps_row *row, const ps_field *field)
{
        ps_row_open(row, "enum", '[');
        for (size_t i = 0; i < field->n_words; i++)
                ps_row_text(row, NULL, field->words[i]);
        if (field->is_nullable)
                ps_row_null(row, NULL);
        ps_row_close(row, ']');
}

static void put_value(ps_row *row, ps_value value, bool is_nullable)
{
        put_type(row, values[value].type, is_nullable || values[value].is_nullable);
        if (values[value].least >= 0)
                ps_row_i64(row, "minimum", values[value].least);
        if (strcmp(values[value].type, "string") == 0 && !values[value].key)
                ps_row_u64(row, "minLength", 1);
        if (values[value].key)
                ps_row_exact_text(row, values[value].key, values[value].value);
        if (value == PS_VALUE_callpath || value == PS_VALUE_ids) {
                ps_row_open(row, "items", '{');
                put_value(row, value == PS_VALUE_ids ? PS_VALUE_id : PS_VALUE_name, 0);
                ps_row_close(row, '}');
        } else if (value == PS_VALUE_matrix) {
                ps_row_open(row, "items", '{');
                ps_row_text(row, "type", "array");
                ps_row_open(row, "items", '{');
                put_value(row, PS_VALUE_count, 0);
                ps_row_close(row, '}');
                ps_row_close(row, '}');
        } else if (value == PS_VALUE_spans) {
                ps_row_open(row, "items", '{');
                ps_row_text(row, "type", "array");
                ps_row_u64(row, "minItems", 2);
                ps_row_u64(row, "maxItems", 2);
                ps_row_open(row, "items", '{');
                put_value(row, PS_VALUE_moment, 0);
                ps_row_close(row, '}');
                ps_row_close(row, '}');
        }
}

static void put_reference(schema *s, const ps_record *record)
{
        char text[80];

        remember_record(s, record);
        snprintf(text, sizeof(text), "#/definitions/%s", record->name);
        ps_row_text(&s->row, "$ref", text);
}

/* An object or array whose parts are such records. */
static void put_parts(schema *s, const char *key, const ps_record *record)
{
        ps_row_open(&s->row, key, '{');
        put_reference(s, record);
        ps_row_close(&s->row, '}');
}

static void put_record(schema *s, const ps_field *field)
{
        if (!field->is_nullable) {
                put_reference(s, field->record);
                return;
        }
        ps_row_open(&s->row, "anyOf", '[');
        put_parts(s, NULL, field->record);
        ps_row_open(&s->row, NULL, '{');
        ps_row_text(&s->row, "type", "null");
        ps_row_close(&s->row, '}');
        ps_row_close(&s->row, ']');
}

static void put_object(schema *s, const ps_record *record, unsigned from, unsigned end, bool is_nullable);

static void put_field(schema *s, const ps_record *record, unsigned i)
{
        const ps_field *field = &record->field[i];
        ps_row *row = &s->row;

        ps_row_open(row, field->key, '{');
        if (*field->doc)
                ps_row_exact_text(row, "description", field->doc);
        switch (field->form) {
        case PS_FIELD_OPEN:
                put_object(s, record, i + 1, ps_record_end_of(record, i) - 1, field->is_nullable);
                break;
        case PS_FIELD_RECORD:
                put_record(s, field);
                break;
        case PS_FIELD_MAP:
                put_type(row, "object", field->is_nullable);
                put_parts(s, "additionalProperties", field->record);
                break;
        case PS_FIELD_ROWS:
                put_type(row, "array", field->is_nullable);
                put_parts(s, "items", field->record);
                break;
        case PS_FIELD_LIST:
                put_type(row, "array", field->is_nullable);
                ps_row_open(row, "items", '{');
                put_value(row, field->value, 0);
                ps_row_close(row, '}');
                break;
        default:
                if (field->n_words)
                        put_words(row, field);
                else
                        put_value(row, field->value, field->is_nullable);
        }
        ps_row_close(row, '}');
}

static void put_required(schema *s, const ps_record *record, unsigned i)
{
        if (!record->field[i].may_be_missing)
                ps_row_text(&s->row, NULL, record->field[i].key);
}

/* Calls put() for each of the fields from `from` on, and for those of records whose members stand here. */
static void each_field(schema *s, const ps_record *record, unsigned from, unsigned end,
                       void (*put)(schema *, const ps_record *, unsigned))
{
        for (unsigned i = from; i < end;
             i = record->field[i].form == PS_FIELD_OPEN ? ps_record_end_of(record, i) : i + 1) {
                const ps_field *field = &record->field[i];
                if (field->form != PS_FIELD_MEMBERS)
                        put(s, record, i);
                else if (!field->may_be_missing || put != put_required)
                        each_field(s, field->record, 0, field->record->n_fields, put);
        }
}

static void put_object(schema *s, const ps_record *record, unsigned from, unsigned end, bool is_nullable)
{
        put_type(&s->row, "object", is_nullable);
        ps_row_open(&s->row, "required", '[');
        each_field(s, record, from, end, put_required);
        ps_row_close(&s->row, ']');
        ps_row_open_lines(&s->row, "properties", '{');
        each_field(s, record, from, end, put_field);
        ps_row_close(&s->row, '}');
}

void ps_schema_write(ps_output *out, const ps_record *document)
{
        schema s = {.row = {.out = out}};

        ps_row_open_lines(&s.row, NULL, '{');
        ps_row_text(&s.row, "$schema", "http://json-schema.org/draft-07/schema#");
        ps_row_exact_text(&s.row, "description", document->doc);
        put_object(&s, document, 0, document->n_fields, 0);
        ps_row_open_lines(&s.row, "definitions", '{');
        for (unsigned i = 0; i < s.n; i++) { /* they may refer to more */
                ps_row_open_lines(&s.row, s.record[i]->name, '{');
                ps_row_exact_text(&s.row, "description", s.record[i]->doc);
                put_object(&s, s.record[i], 0, s.record[i]->n_fields, 0);
                ps_row_close(&s.row, '}');
        }
        ps_row_close(&s.row, '}');
        ps_row_close(&s.row, '}');
        ps_output_putc(out, '\n');
}
