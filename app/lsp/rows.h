/* rows.h - a row of any table of a saved report, as far as marks want it. */
#ifndef PS_APP_LSP_ROWS_H
#define PS_APP_LSP_ROWS_H

#include "core/base/pull.h"

/* What the report does not have stays as it is. */
typedef struct ps_saved_row {
        ps_slice id, site, type, file, function, line_source, line_text, comment, advice, dump;
        ps_slice partner_file, cause, ignored;
        ps_slice fix_kind, fix_edit, callpath;
        double line, column, column_end, process, count, lost, share, partner, partner_line, fix_gain,
                waiting, fix_factor, time;
} ps_saved_row;

/* Which of its values a table has, by their keys; one without a name ends the list. */
typedef enum ps_saved_form {
        PS_SAVED_TEXT,   /* ps_slice */
        PS_SAVED_REAL,   /* double */
        PS_SAVED_INSIDE, /* an object: more keys of the same row */
        PS_SAVED_FIRST,  /* an array of objects: keys of its first one */
        PS_SAVED_RAW     /* its text, whatever it is: ps_slice */
} ps_saved_form;

typedef struct ps_saved_key {
        const char *name;
        ps_saved_form form;
        size_t at;
        const struct ps_saved_key *inside;
} ps_saved_key;

extern const ps_saved_key ps_saved_finding[], ps_saved_cause[], ps_saved_function[], ps_saved_time[],
        ps_saved_trace[], ps_saved_settings[];

void ps_saved_row_read(ps_pull *p, ps_saved_row *out, const ps_saved_key *keys);

#endif
