/* json_row.h - JSON objects written straight to an output, one a line: for rows that may be many. */
#ifndef PS_REPORT_PRINT_JSON_ROW_H
#define PS_REPORT_PRINT_JSON_ROW_H

#include "core/base/types.h"
#include "report/print/output.h"

/* Keys are literals that need no escaping; a key of NULL is an element of an array. */
typedef struct ps_json_row {
        ps_output *out;
        int n; /* members or elements of the innermost object or array so far */
} ps_json_row;

void ps_row_open(ps_json_row *row, const char *key, char bracket);
void ps_row_close(ps_json_row *row, char bracket);
void ps_row_null(ps_json_row *row, const char *key);
void ps_row_bool(ps_json_row *row, const char *key, int value);
void ps_row_u64(ps_json_row *row, const char *key, uint64_t value);
void ps_row_time(ps_json_row *row, const char *key, ps_time value);
void ps_row_i64(ps_json_row *row, const char *key, int64_t value);
/* Seconds that may be more than a ps_time holds. */
void ps_row_seconds(ps_json_row *row, const char *key, double value);
/* A share of a whole; nine digits. */
void ps_row_share(ps_json_row *row, const char *key, double value);
/* NULL and "" are absent: null. */
void ps_row_text(ps_json_row *row, const char *key, const char *value);
/* Text that was cleaned already; its line breaks are meant. */
void ps_row_clean_text(ps_json_row *row, const char *key, const char *value);

/* null when `known` is 0. */
#define ps_row_known(form, row, key, value, known)                                                           \
        ((known) ? ps_row_##form((row), (key), (value)) : ps_row_null((row), (key)))

#endif
