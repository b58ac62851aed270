/* html_intervals.h - the tree of intervals in the page: docs/HTML.md.
 *
 * Intervals are numbered in the order of the tree; the whole run is 0. Interval N is the element interval-N,
 * and a characteristic of it is iN-ANCHOR, with the anchors of the Predictor's own page (Predictor: Detailed
 * design, 2000, Appendix 1): a <data> whose `value` is in seconds; what is not known has no value. The
 * anchors of the whole run are there without the prefix, too.
 *
 * The page holds the numbers of all intervals once, as JSON, of which its script makes a section of the one
 * that is asked for. Without a script there is a table of those that lost most. */
#ifndef PS_REPORT_FORMATS_HTML_INTERVALS_H
#define PS_REPORT_FORMATS_HTML_INTERVALS_H

#include "report/facts/intervals.h"

/* Where an interval is told. */
enum {
        PS_HTML_LISTED = 1,  /* in the table of all intervals */
        PS_HTML_WRITTEN = 2, /* with all characteristics, also without a script; such are listed, too */
        PS_HTML_DETAILED = 4 /* there is room for its processors */
};

typedef struct ps_html_intervals {
        const ps_intervals *tree;
        uint32_t *row;    /* by number: the interval's place in the tree */
        uint32_t *number; /* by place in the tree; PS_NONE: it is not told */
        uint32_t *size;   /* by number: how many are told from here to the end of its subtree */
        uint8_t *told;    /* by number: bits of the above */
        uint32_t n, n_listed, n_written, n_detailed;
} ps_html_intervals;

/* Must be cleared even if it fails. */
ps_status ps_html_intervals_arrange(ps_html_intervals *page, const ps_intervals *tree, uint32_t most,
                                    ps_error *err);
void ps_html_intervals_clear(ps_html_intervals *page);

/* The characteristics in their order; a part is of the nearest one before it that is none. */
typedef struct ps_html_field {
        const ps_interval_field *field;
        bool is_part;
} ps_html_field;
enum { PS_HTML_FIELDS = 18 };
extern const ps_html_field ps_html_fields[PS_HTML_FIELDS];

/* What is told of a class of operations. */
typedef struct ps_html_operation {
        const char *anchor, *title;
        size_t offset;  /* of an array of doubles in ps_interval_sums, by class; of counts: 0 */
        unsigned known; /* 0: always */
} ps_html_operation;
enum { PS_HTML_OPERATIONS = 5 };
extern const ps_html_operation ps_html_operations[PS_HTML_OPERATIONS];
double ps_html_operation_value(const ps_interval_sums *sums, const ps_html_operation *operation,
                               unsigned class);

/* Why something is not known, by its bit of PS_KNOWS_*. */
const char *ps_html_reason(unsigned known);

/* `most` levels below the whole run. */
ps_status ps_html_intervals_show(ps_doc *doc, const ps_intervals *tree, uint32_t most, ps_error *err);

/* The processors of interval `number` as JSON: an array of rows, each its title and the columns' numbers. */
ps_status ps_html_processors_write(const ps_html_intervals *page, uint32_t number, ps_output *out,
                                   ps_error *err);
/* How many processors such a table has in full; of more only those that lost most. */
enum { PS_HTML_PROCESSORS = 256, PS_HTML_WORST = 64 };
uint32_t ps_html_processors_shown(const ps_intervals *tree);

/* All intervals, for the page's script. */
ps_status ps_html_interval_data_write(const ps_html_intervals *page, ps_output *out, ps_error *err);
/* A number in it. */
void ps_html_data_number(ps_output *out, double value);

#endif
