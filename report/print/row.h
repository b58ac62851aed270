/* row.h - the one writer of JSON, and of CSV: values written straight to an output, one after the other.
 *
 * Keys are literals that need no escaping; a key of NULL is an element of an array. In a table of CSV keys
 * and brackets are nothing and each value is a cell: what writes the one writes the other
 * (report/print/record.h). */
#ifndef PS_REPORT_PRINT_ROW_H
#define PS_REPORT_PRINT_ROW_H

#include "core/base/types.h"
#include "report/print/output.h"

typedef enum ps_row_style {
        PS_ROW_SPACED,   /* {"a": 1, "b": [2, 3]} */
        PS_ROW_COMPACT,  /* {"a":1,"b":[2,3]} */
        PS_ROW_INDENTED, /* a member a line, behind tabs */
        PS_ROW_CSV       /* RFC 4180, UTF-8, numbers with a point */
} ps_row_style;

/* Begin with {.out = out}, and .style where another one is wanted. */
typedef struct ps_row {
        ps_output *out;
        ps_row_style style;
        int n;                  /* members or elements of the innermost object or array so far */
        unsigned depth;         /* objects and arrays that are open */
        unsigned compact_from;  /* the depth of what ps_row_open_compact() opened */
        bool has_key;           /* the key of the next value is written */
        uint32_t lines;         /* a bit for each depth: what is there stands on a line of its own */
        uint32_t arrays;        /* likewise: what is open there is an array */
        struct ps_ready *ready; /* texts that rows have in common, or NULL (report/print/ready.h) */
        struct ps_cells *cells; /* objects are written as arrays of their values (report/print/compact.h) */
} ps_row;

/* In JSON on one line a key is written with all around it, since a report of many findings is mostly keys: n
 * bytes `lead`, with what stands between members. In a row that takes it, and then the value without a key.
 */
#define PS_ROW_LEAD(key) ", \"" key "\": "
bool ps_row_takes_leads(const ps_row *row);
__attribute__((always_inline)) static inline void ps_row_put_lead(ps_row *row, const char *lead, size_t n)
{
        const size_t between = 2;
        char *at = ps_output_reserve(row->out, n);

        if (row->n)
                memcpy(at, lead, n);
        else
                memcpy(at, lead + between, n - between);
        ps_output_advance(row->out, row->n ? n : n - between);
        row->has_key = true;
}

void ps_row_open(ps_row *row, const char *key, char bracket);
/* What was opened last, by its other bracket. */
void ps_row_close(ps_row *row, char bracket);
/* What it holds stands on lines of its own: for documents, and arrays of many rows. */
void ps_row_open_lines(ps_row *row, const char *key, char bracket);
/* In a document with such lines: without blanks inside. */
void ps_row_open_compact(ps_row *row, const char *key, char bracket);
/* From here on the members of what is open stand on lines of their own, or on one line. */
void ps_row_set_lines(ps_row *row, bool are_wanted);
/* Of a table of CSV: the next cell is the first of its line. */
void ps_row_end_line(ps_row *row);

void ps_row_null(ps_row *row, const char *key);
void ps_row_bool(ps_row *row, const char *key, bool value);
void ps_row_u64(ps_row *row, const char *key, uint64_t value);
void ps_row_time(ps_row *row, const char *key, ps_time value);
void ps_row_i64(ps_row *row, const char *key, int64_t value);
/* Seconds that may be more than a ps_time holds. */
void ps_row_seconds(ps_row *row, const char *key, double value);
/* A share of a whole; nine digits. */
void ps_row_share(ps_row *row, const char *key, double value);
/* As few digits as read back as the same number. */
void ps_row_exact_real(ps_row *row, const char *key, double value);
/* Ten digits, or a whole number; null when it is not finite. */
void ps_row_real(ps_row *row, const char *key, double value);
/* NULL and "" are absent: null. */
void ps_row_text(ps_row *row, const char *key, const char *value);
/* The same of a text and n bytes behind it that need no escape; JSON only. */
void ps_row_text_and(ps_row *row, const char *key, const char *text, const char *more, size_t n);
/* The same of a word of ours, which needs no quotes in CSV. */
void ps_row_word(ps_row *row, const char *key, const char *value);
/* Text whose line breaks are meant, or that is to come back as it is when it is read; JSON only. */
void ps_row_exact_text(ps_row *row, const char *key, const char *value);
/* Such a text as the key of the next value, which is written with a key of NULL. */
void ps_row_exact_key(ps_row *row, const char *text);
/* A cell of several names, such as "main > solve": `lead` is what it begins with; CSV only. */
void ps_row_open_cell(ps_row *row, const char *lead);
void ps_row_write_name(ps_output *out, const char *name);
void ps_row_close_cell(ps_row *row);

/* null when `known` is 0. */
#define ps_row_known(form, row, key, value, known)                                                           \
        ((known) ? ps_row_##form((row), (key), (value)) : ps_row_null((row), (key)))

#endif
