/* compact.h - a JSON document in less text: its tables are rows of values below one head of columns, and what
 * many rows have in common stands once.
 *
 *      {"schema":"...",
 *      "findings":{"columns":{"id":"value","file":"shared","worst":{"lost_s":"value"},"causes":[{"id":"value"}]},
 *      "rows":[
 *      ["f4b7",0,[0.25],[["1c0a"],["88e2"]]],
 *      ["03d1",0,[0.125],null]
 *      ]},
 *      "shared":["heat.c"]}
 *
 * Of each key the columns say what its values are: "value" is one as it stands, "shared" the place of one in
 * `shared`, an object of columns an array of values in their order, an array of columns any number of such
 * arrays. null is null everywhere, and "" where the row has no such key. Tables that hold themselves, and all
 * that is no table, stand as they do in the document. */
#ifndef PS_REPORT_PRINT_COMPACT_H
#define PS_REPORT_PRINT_COMPACT_H

#include "report/print/record.h"

/* The report of an analysis is called so, in full and compact. */
#define PS_REPORT_SCHEMA  "patscan-report-1"
#define PS_REPORT_COMPACT "patscan-report-compact-1"

#define PS_COMPACT_SHARED "shared"
#define PS_COMPACT_VALUE  "value"

/* Is it a table whose rows are told so? */
bool ps_compact_is_table(const ps_field *field);
/* `schema` stands instead of the document's own. */
ps_status ps_compact_write(ps_output *out, const char *schema, const ps_record *document, const void *it,
                           ps_error *err);
/* What ps_record_put_members() does of a row that has cells. */
void ps_compact_put_cells(ps_row *to, const ps_record *record, const void *in, const void *it);
/* The schema of such documents. */
void ps_compact_write_schema(ps_output *out, const char *schema, const ps_record *document);

#endif
