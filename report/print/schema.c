/* schema.c - the JSON schema of a document, from the tables of its records. */
#include "report/print/compact.h"

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
#define PS_VALUE(name, type, is_nullable, is_shared, least, key, value)                                      \
        {type, is_nullable, least, key, value},
#include "report/print/values.def"
#undef PS_VALUE
};

/* The records that the document refers to, each once. */
typedef struct schema {
        ps_row row;
        const ps_record *record[RECORDS_MOST];
        unsigned n;
        const ps_record *document;
        const char *compact; /* NULL, or how the documents are called that are compact */
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

static void put_reference(ps_row *row, const char *name)
{
        char text[80];

        snprintf(text, sizeof(text), "#/definitions/%s", name);
        ps_row_text(row, "$ref", text);
}

static void put_reference_to(ps_row *row, const char *key, const char *name)
{
        ps_row_open(row, key, '{');
        put_reference(row, name);
        ps_row_close(row, '}');
}

static void put_reference_of(schema *s, const ps_record *record)
{
        remember_record(s, record);
        put_reference(&s->row, record->name);
}

/* An object or array whose parts are such records. */
static void put_parts(schema *s, const char *key, const ps_record *record)
{
        remember_record(s, record);
        put_reference_to(&s->row, key, record->name);
}

static void put_record(schema *s, const ps_field *field)
{
        if (!field->is_nullable) {
                put_reference_of(s, field->record);
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

/* What is another thing in a compact document: its name, and tables. */
static bool put_compact(schema *s, const ps_record *record, const ps_field *field)
{
        if (!s->compact || record != s->document)
                return false;
        if (ps_compact_is_table(field)) {
                put_reference(&s->row, "table");
                return true;
        }
        if (strcmp(field->key, "schema") != 0)
                return false;
        ps_row_open(&s->row, "enum", '[');
        ps_row_text(&s->row, NULL, s->compact);
        ps_row_close(&s->row, ']');
        return true;
}

static void put_field(schema *s, const ps_record *record, unsigned i)
{
        const ps_field *field = &record->field[i];
        ps_row *row = &s->row;

        ps_row_open(row, field->key, '{');
        if (*field->doc)
                ps_row_exact_text(row, "description", field->doc);
        if (put_compact(s, record, field)) {
                ps_row_close(row, '}');
                return;
        }
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
        bool has_shared = s->compact && record == s->document;

        put_type(&s->row, "object", is_nullable);
        ps_row_open(&s->row, "required", '[');
        each_field(s, record, from, end, put_required);
        if (has_shared)
                ps_row_text(&s->row, NULL, PS_COMPACT_SHARED);
        ps_row_close(&s->row, ']');
        ps_row_open_lines(&s->row, "properties", '{');
        each_field(s, record, from, end, put_field);
        if (has_shared)
                put_reference_to(&s->row, PS_COMPACT_SHARED, PS_COMPACT_SHARED);
        ps_row_close(&s->row, '}');
}

/* -- the tables of compact documents -- */

static const char compact_doc[] =
        "What `patscan TRACE --report json-compact` writes, version 1: the JSON report, whose schema has the "
        "meaning of all keys, in less text. Its tables are rows below one head of columns.";

static void open_definition(ps_row *row, const char *name, const char *doc)
{
        ps_row_open_lines(row, name, '{');
        ps_row_exact_text(row, "description", doc);
}

static void put_words_of(ps_row *row, const char *key, const char *word, const char *other)
{
        ps_row_open(row, key, '{');
        ps_row_open(row, "enum", '[');
        ps_row_exact_text(row, NULL, word);
        if (other)
                ps_row_exact_text(row, NULL, other);
        ps_row_close(row, ']');
        ps_row_close(row, '}');
}

static void put_table_definition(ps_row *row)
{
        open_definition(row, "table", "a table of the JSON report");
        ps_row_text(row, "type", "object");
        ps_row_open(row, "required", '[');
        ps_row_text(row, NULL, "columns");
        ps_row_text(row, NULL, "rows");
        ps_row_close(row, ']');
        ps_row_open_lines(row, "properties", '{');
        put_reference_to(row, "columns", "columns");
        ps_row_open(row, "rows", '{');
        ps_row_exact_text(
                row, "description",
                "an array a row, of the values of its keys in the order of the columns; \"\" stands "
                "for a key that the row does not have, and instead of all rows for a table that the "
                "report does not have");
        ps_row_open(row, "anyOf", '[');
        ps_row_open(row, NULL, '{');
        put_type(row, "array", 1);
        ps_row_open(row, "items", '{');
        ps_row_text(row, "type", "array");
        ps_row_close(row, '}');
        ps_row_close(row, '}');
        put_words_of(row, NULL, "", NULL);
        ps_row_close(row, ']');
        ps_row_close(row, '}');
        ps_row_close(row, '}');
        ps_row_close(row, '}');
}

static void put_table_definitions(ps_row *row)
{
        put_table_definition(row);
        open_definition(row, "columns", "the keys of a row");
        ps_row_text(row, "type", "object");
        put_reference_to(row, "additionalProperties", "column");
        ps_row_close(row, '}');
        open_definition(
                row, "column",
                "value: as it stands in the row; shared: its place in `shared`, from 0 on; an object: an "
                "array of the values of its keys; an array: any number of such arrays. null is null");
        ps_row_open(row, "anyOf", '[');
        put_words_of(row, NULL, PS_COMPACT_VALUE, PS_COMPACT_SHARED);
        put_reference_to(row, NULL, "columns");
        ps_row_open(row, NULL, '{');
        ps_row_text(row, "type", "array");
        ps_row_u64(row, "minItems", 1);
        ps_row_u64(row, "maxItems", 1);
        put_reference_to(row, "items", "columns");
        ps_row_close(row, '}');
        ps_row_close(row, ']');
        ps_row_close(row, '}');
        open_definition(row, PS_COMPACT_SHARED,
                        "what many rows have in common: texts and call paths, never null");
        ps_row_text(row, "type", "array");
        ps_row_close(row, '}');
}

static void write_schema(schema *s)
{
        ps_row_open_lines(&s->row, NULL, '{');
        ps_row_text(&s->row, "$schema", "http://json-schema.org/draft-07/schema#");
        ps_row_exact_text(&s->row, "description", s->compact ? compact_doc : s->document->doc);
        put_object(s, s->document, 0, s->document->n_fields, 0);
        ps_row_open_lines(&s->row, "definitions", '{');
        for (unsigned i = 0; i < s->n; i++) { /* they may refer to more */
                ps_row_open_lines(&s->row, s->record[i]->name, '{');
                ps_row_exact_text(&s->row, "description", s->record[i]->doc);
                put_object(s, s->record[i], 0, s->record[i]->n_fields, 0);
                ps_row_close(&s->row, '}');
        }
        if (s->compact)
                put_table_definitions(&s->row);
        ps_row_close(&s->row, '}');
        ps_row_close(&s->row, '}');
        ps_output_putc(s->row.out, '\n');
}

void ps_schema_write(ps_output *out, const ps_record *document)
{
        write_schema(&(schema){.row = {.out = out}, .document = document});
}

void ps_compact_write_schema(ps_output *out, const char *name, const ps_record *document)
{
        write_schema(&(schema){.row = {.out = out}, .document = document, .compact = name});
}
