/* record.h - records: tables that say which members an object of a report has. JSON, CSV and the schemas in
 * docs/ are made from them, so that none of them forgets one.
 *
 * A new record, say of functions, takes a table, function.def, with a row for each member:
 *
 *      FIELD(function, "function", name, it->name, "the region itself")
 *      FIELD(count, "count", count, it->n, "visits")
 *      FIELD(exclusive_s, "exclusive_s", time, it->exclusive, "time in it, and not in what it calls")
 *      FIELD(max_process, "max_process", index, it->max_process, "who spends most in it")
 *
 * what makes a `ps_record_function` of it, in a C file:
 *
 *      #define RECORD      function
 *      #define RECORD_DEF  "report/facts/function.def"
 *      #define RECORD_IN   ps_report            // what `in` points to, if the table asks: where it belongs
 *      #define RECORD_IT   ps_function_row      // what `it` points to: the thing itself
 *      #define RECORD_DOC  "a function, in the focus"
 *      #include "report/print/make_record.def"
 *
 * and a row in report/formats/report.def; then JSON, --report csv.functions and the schema have it:
 *
 *      LINES(functions, "functions", function, it, it->functions->row, it->functions->n, "...")
 *
 * Rows of a table; `id` is the field's name in C and its column in CSV, `kind` one of values.def, and `known`
 * tells whether there is a value: null otherwise.
 *
 *      FIELD(id, key, kind, value, doc)
 *      OPTION(id, key, kind, value, known, doc)
 *      FINITE(id, key, kind, value, doc)               null when the number is not finite
 *      EXTRA(id, key, kind, value, is_there, doc)      no such key unless is_there
 *      WORD(id, key, words, value, doc)                one of an array of strings; or WORD_OR_NULL; or
 *                                                      WORD_IN_QUOTES, which is about CSV
 *      LIST(id, key, kind, n, value, doc)              an array, of the values for each `i` < n
 *      LIST_BY(id, key, kind, call, doc)               the same, written by a call; or LIST_BY_OR_NULL
 *      CALL(id, key, kind, call, doc)                  `call` writes the value itself, to `to` with `key`;
 *                                                      or CALL_OR_NULL
 *      OPEN(id, key, doc) ... CLOSE(id)                an object within
 *      OPEN_OR_NULL(id, key, is_known, doc)            or null; none of the rows up to CLOSE is read then
 *      RECORD_OF(id, key, record, in, it, doc)         another record; or RECORD_OR_NULL, which is null
 *                                                      without an `it`; or RECORD_IF, of which there is no
 *                                                      key then
 *      RECORD_BY(id, key, record, call, doc)           the same, written by a call; or RECORD_BY_OR_NULL
 *      MEMBERS(id, record, in, it)                     the members of another record, as if they stood here;
 *                                                      or MEMBERS_IF(id, record, in, it, is_there); or
 *                                                      MEMBERS_IN_LINE, on one line of the document
 *      ROWS(id, key, record, in, first, n, doc)        an array of another record, from an array in C
 *      LINES(id, key, record, in, first, n, doc)       the same, of which there may be many: a line each
 *      LINES_IF(id, key, record, in, first, n, is_there, doc)   no such key unless is_there
 *      TABLE(id, key, record, call, doc)               the same, from a loop; or TABLE_OR_NULL
 *      MAP(id, key, record, call, doc)                 an object of which each member is such a record
 *
 * Before make_record.def, RECORD_SAME may tell what rows have in common: SAME(first_id, last_id, key), ...;
 * RECORD_FETCH a function that fetches what a row of very many leads to; and RECORD_THREADS one that tells
 * how many threads write very many.
 *
 * In CSV a table has all fields of one value; a record with RECORD_COLUMNS "id,..." has these, in this order.
 */
#ifndef PS_REPORT_PRINT_RECORD_H
#define PS_REPORT_PRINT_RECORD_H

#include "report/print/row.h"
#include <stddef.h>

typedef enum ps_value {
#define PS_VALUE(name, ...) PS_VALUE_##name,
#include "report/print/values.def"
#undef PS_VALUE
        PS_N_VALUES
} ps_value;

typedef enum ps_field_form {
        PS_FIELD_VALUE, /* one, with words: one of them */
        PS_FIELD_LIST,
        PS_FIELD_OPEN,
        PS_FIELD_CLOSE,
        PS_FIELD_RECORD,
        PS_FIELD_MEMBERS,
        PS_FIELD_ROWS,
        PS_FIELD_MAP
} ps_field_form;

struct ps_record;

typedef struct ps_field {
        const char *id, *key, *doc;
        ps_field_form form;
        ps_value value;
        bool is_nullable, may_be_missing;
        const struct ps_record *record;
        const char *const *words; /* n_words of them */
        size_t n_words;
} ps_field;
#define PS_FIELD_HAS_KEY(form) ((form) != PS_FIELD_CLOSE && (form) != PS_FIELD_MEMBERS)

/* Members behind each other, none of them the first or an object, whose text is the same in all rows of which
 * the key is: where there are many rows it is written once, and copied. PS_SAME_AS_NONE: the row has its own.
 */
#define PS_SAME_AS_NONE UINT64_MAX
typedef struct ps_same {
        unsigned first, last; /* fields */
        uint64_t (*key)(const void *in, const void *it);
} ps_same;

typedef struct ps_record {
        const char *name, *doc;
        const char *columns; /* of CSV; NULL: all */
        const ps_field *field;
        unsigned n_fields;
        const ps_same *same; /* n_same of them, in order */
        unsigned n_same;
        /* A row that is written soon: what it leads to is fetched, and may lie anywhere. NULL: nothing. */
        void (*fetch)(const void *in, const void *it);
        /* Of rows that may be very many and whose writing changes nothing: on so many threads. NULL: on one.
         */
        unsigned (*n_threads)(const void *in);
        /* Writes fields behind each other, with their leads where the row takes them; returns the first that
         * is left, which is behind an object of which nothing is known. */
        unsigned (*put)(ps_row *to, const void *in, const void *it, unsigned first, unsigned last,
                        bool with_leads);
} ps_record;

static inline void ps_record_put_field(ps_row *to, const ps_record *record, const void *in, const void *it,
                                       unsigned field)
{
        record->put(to, in, it, field, field, false);
}

/* An object; null for an `it` of NULL. */
void ps_record_put(ps_row *to, const char *key, const ps_record *record, const void *in, const void *it);
/* Without blanks, see ps_row_open_compact(). */
void ps_record_put_compact(ps_row *to, const char *key, const ps_record *record, const void *in,
                           const void *it);
/* What rows have in common, of a row that has room for it (`ready`); `put` writes one of these fields. */
typedef void ps_record_putter(ps_row *to, const ps_record *record, const void *in, const void *it,
                              unsigned field);
void ps_record_put_same(ps_row *to, const ps_record *record, const void *in, const void *it,
                        const ps_same *same, ps_record_putter *put);
/* Behind the last of what its rows have in common, if there is room for that. */
const ps_same *ps_record_end_of_same(const ps_row *to, const ps_record *record);
/* The field behind the one that closes what the field `open` opens. */
unsigned ps_record_end_of(const ps_record *record, unsigned open);
/* Its members only. */
void ps_record_put_members(ps_row *to, const ps_record *record, const void *in, const void *it);
/* The same on one line, where each would have one of its own. */
void ps_record_put_line(ps_row *to, const ps_record *record, const void *in, const void *it);
/* An array of n of them, `size` bytes each. */
void ps_record_put_rows(ps_row *to, const char *key, const ps_record *record, const void *in,
                        const void *first, size_t n, size_t size);

/* Rows that may be many: an array with a line for each, or a table of CSV with its header. Rows after the
 * output has failed change nothing: a loop may stop. */
enum { PS_RECORDS_COLUMNS = 64 };
typedef struct ps_records {
        ps_row *to;
        const ps_record *record;
        unsigned n_columns;
        uint8_t column[PS_RECORDS_COLUMNS];
} ps_records;

ps_records ps_records_open(ps_row *to, const char *key, const ps_record *record);
ps_records ps_records_open_compact(ps_row *to, const char *key, const ps_record *record); /* of few rows */
void ps_records_row(ps_records *table, const void *in, const void *it);
void ps_records_close(ps_records *table);
/* All of n rows in an array in C, `size` bytes each. */
void ps_records_put(ps_row *to, const char *key, const ps_record *record, const void *in, const void *first,
                    size_t n, size_t size);
/* Tables of a document. */
const ps_field *ps_record_table(const ps_record *document, const char *name,
                                size_t n);                                      /* NULL: there is none */
void ps_record_name_tables(char *room, size_t size, const ps_record *document); /* "patterns|findings" */
void ps_record_write_csv(ps_output *out, const ps_record *document, const ps_field *table, const void *in,
                         const void *it);

/* The document itself, a member a line, and what each of them begins with. */
void ps_record_write_json(ps_output *out, ps_row_style style, const ps_record *document, const void *it);
extern const ps_record ps_record_tool;
void ps_record_put_tool(ps_row *to, const char *key);

/* The JSON schema of a document. */
void ps_schema_write(ps_output *out, const ps_record *document);

#endif
