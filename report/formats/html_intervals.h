/* html_intervals.h - the tree of intervals in the HTML report.
 *
 * Intervals are numbered in the order of the tree; the whole run is 0. Interval N is the element interval-N,
 * and a characteristic of it is iN-ANCHOR, with the anchors of the Predictor's own page (Predictor: Detailed
 * design, 2000, Appendix 1): a <data> whose `value` is in seconds; what is not known has no value. The
 * anchors of the whole run are there without the prefix, too.
 *
 * The elements of intervals that lost little may be made by the page's script when they are asked for
 * (html_interval_data.c). Without a script interval-N then is the row of the table of all intervals, if that
 * has room for it. */
#ifndef PS_REPORT_FORMATS_HTML_INTERVALS_H
#define PS_REPORT_FORMATS_HTML_INTERVALS_H

#include "report/facts/intervals.h"

/* Where an interval is told. */
enum {
        PS_HTML_LISTED = 1,  /* in the table of all intervals */
        PS_HTML_WRITTEN = 2, /* in a section of its own; such are listed, too */
        PS_HTML_DETAILED = 4 /* there is room for its processors, written or as data */
};

typedef struct ps_html_intervals {
        const ps_intervals *tree;
        uint32_t *row;      /* by number: the interval's place in the tree */
        uint32_t *number;   /* by place in the tree; PS_NONE: it is not told */
        uint32_t *size;     /* by number: how many are told from here to the end of its subtree */
        uint32_t *previous; /* by number: the one before it below the same parent, or PS_NONE */
        uint8_t *told;      /* by number: bits of the above */
        uint32_t n, n_listed, n_written, n_detailed;
} ps_html_intervals;

/* Must be cleared even if it fails. */
ps_status ps_html_intervals_arrange(ps_html_intervals *page, const ps_intervals *tree, uint32_t most,
                                    ps_error *err);
void ps_html_intervals_clear(ps_html_intervals *page);

/* A row of an interval's table: a characteristic with its parts. */
enum { PS_HTML_PARTS = 3, PS_HTML_ROWS = 12 };
typedef struct ps_html_row {
        const ps_interval_field *whole, *part[PS_HTML_PARTS]; /* NULL: none any more */
} ps_html_row;

extern const ps_html_row ps_html_rows[PS_HTML_ROWS];

/* `most` levels below the whole run. */
ps_status ps_html_intervals_write(const ps_intervals *tree, uint32_t most, ps_output *out, ps_error *err);

/* A value as people read it. */
void ps_html_interval_value(ps_output *out, const ps_interval_field *field, double value);
/* What became of the total time. */
void ps_html_interval_bar(ps_output *out, const ps_intervals *tree, const ps_interval_sums *sums,
                          int is_told);

/* The table of the processors of interval `number`. */
ps_status ps_html_processors_write(const ps_html_intervals *page, uint32_t number, ps_output *out,
                                   ps_error *err);
/* The same as JSON: an array of rows, each its title and the columns' numbers. */
ps_status ps_html_processors_write_data(const ps_html_intervals *page, uint32_t number, ps_output *out,
                                        ps_error *err);
/* How many processors such a table has in full; of more only those that lost most. */
enum { PS_HTML_PROCESSORS = 256, PS_HTML_WORST = 64 };
uint32_t ps_html_processors_shown(const ps_intervals *tree);

/* All intervals, for the page's script. */
ps_status ps_html_interval_data_write(const ps_html_intervals *page, ps_output *out, ps_error *err);
/* A number in it. */
void ps_html_data_number(ps_output *out, double value);

/* What stands in the column of expressions, escaped by `put`. */
void ps_html_interval_expression(ps_output *out, const ps_intervals *tree, uint32_t interval,
                                 void (*put)(ps_output *out, const char *text));

#endif
