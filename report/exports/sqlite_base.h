/* sqlite_base.h - a database that is being written: its tables, and what stands in their rows. What fails is
 * remembered, and nothing is done from then on. */
#ifndef PS_REPORT_EXPORTS_SQLITE_BASE_H
#define PS_REPORT_EXPORTS_SQLITE_BASE_H

#include "report/exports/sqlite_library.h"
#include "report/facts/report.h"

typedef struct ps_base {
        const ps_report *report;
        ps_sqlite sqlite;
        struct sqlite3 *db;
        struct sqlite3_stmt *insert;
        ps_output *sql, *columns; /* texts to be */
        int column;               /* the next one to be bound */
        int status;               /* PS_SQLITE_OK, or what failed first */
} ps_base;

void ps_base_run(ps_base *b, const char *sql);
/* What was gathered so far; NULL: there was no memory for it. */
const char *ps_base_gathered(ps_base *b, ps_output *words);
/* Makes a table and gets ready for its rows; `columns` is what SQL says of them. */
void ps_base_begin(ps_base *b, const char *name, const char *columns);
void ps_base_end(ps_base *b);

/* The columns of a row, one after the other; those that are not bound are null. */
void ps_base_null(ps_base *b);
void ps_base_number(ps_base *b, uint64_t value);
void ps_base_index(ps_base *b, uint32_t index); /* PS_NONE: null */
void ps_base_text(ps_base *b, const char *text);
void ps_base_time(ps_base *b, ps_time time); /* in seconds, and exactly */
void ps_base_end_row(ps_base *b);

/* A table of the report, from its CSV, so that its keys stand in one place. */
ps_status ps_base_record(ps_base *b, const char *name, ps_error *err);

#endif
