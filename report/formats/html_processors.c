/* html_processors.c - what each processor did in an interval, with the extremes of each column. Of many
 * processors only those that lost most have a row, and the columns' quartiles tell of the others. */
#include "report/formats/html_intervals.h"

#include "core/base/memory.h"
#include "core/base/search.h"

#include <inttypes.h>
#include <stdlib.h>

enum { QUARTILES = 5, SUMMARY = 6 };

static const char *const summary_titles[SUMMARY] = {"Minimum",      "1st quartile", "Median",
                                                    "3rd quartile", "Maximum",      "Mean"};

typedef struct table {
        const ps_intervals *tree;
        const ps_interval_field *column[PS_HTML_FIELDS];
        unsigned n_columns;
        double *value;   /* [column][processor] */
        uint32_t *order; /* the processors that are shown come first */
        uint32_t n_shown;
        double *sorted; /* a column's values */
        double summary[SUMMARY][PS_HTML_FIELDS];
} table;

uint32_t ps_html_processors_shown(const ps_intervals *tree)
{
        return tree->n_processors <= PS_HTML_PROCESSORS ? tree->n_processors : PS_HTML_WORST;
}

/* What nobody knows has no column. */
static void choose_columns(table *t)
{
        for (unsigned f = 0; f < PS_HTML_FIELDS; f++)
                if (ps_interval_knows(t->tree, ps_html_fields[f].field))
                        t->column[t->n_columns++] = ps_html_fields[f].field;
}

static double *column_of(const table *t, unsigned c)
{
        return t->value + (size_t)c * t->tree->n_processors;
}

static void fill_table(table *t, uint32_t interval)
{
        for (uint32_t p = 0; p < t->tree->n_processors; p++) {
                ps_interval_sums sums;
                ps_interval_processor(t->tree, interval, p, &sums);
                for (unsigned c = 0; c < t->n_columns; c++)
                        column_of(t, c)[p] = ps_interval_value(&sums, t->column[c]);
        }
}

/* The n values of a column, sorted. */
static const double *sorted(table *t, unsigned c)
{
        for (uint32_t p = 0; p < t->tree->n_processors; p++)
                t->sorted[p] = column_of(t, c)[p];
        qsort(t->sorted, t->tree->n_processors, sizeof(*t->sorted), ps_doubles_compare);
        return t->sorted;
}

/* The processors that lost as much as the last one that fits, in their own order. */
static void choose_rows(table *t)
{
        uint32_t n = t->tree->n_processors;
        unsigned lost = 0;
        double least;

        while (t->column[lost] != &ps_interval_fields[PS_IF_lost_s])
                lost++;
        t->n_shown = ps_html_processors_shown(t->tree);
        least = n ? sorted(t, lost)[n - t->n_shown] : 0;
        uint32_t at = 0, more = t->n_shown;
        for (uint32_t p = 0; p < n; p++)
                more -= column_of(t, lost)[p] > least;
        for (uint32_t p = 0; p < n; p++) {
                double here = column_of(t, lost)[p];
                if (here > least || (here == least && more > 0)) {
                        more -= here == least;
                        t->order[at++] = p;
                }
        }
}

static double mean(const double *value, uint32_t n)
{
        double sum = 0;

        for (uint32_t i = 0; i < n; i++)
                sum += value[i];
        return n ? sum / n : 0;
}

/* Below the rows: the least, the mean and the largest of each column; of many processors the quartiles, too.
 */
static void sum_up_columns(table *t)
{
        uint32_t n = t->tree->n_processors;

        for (unsigned c = 0; c < t->n_columns; c++) {
                const double *value = sorted(t, c);
                for (unsigned q = 0; q < QUARTILES; q++)
                        t->summary[q][c] = n ? value[(uint64_t)(n - 1) * q / (QUARTILES - 1)] : 0;
                t->summary[QUARTILES][c] = mean(value, n);
        }
}

static bool has_summary(const table *t, unsigned s)
{
        return s % 4 == 0 || s >= QUARTILES || t->n_shown < t->tree->n_processors;
}

static void put_data(ps_output *out, const table *t)
{
        for (uint32_t i = 0; i < t->n_shown; i++) {
                ps_output_printf(out, "%s[\"%" PRIu32 "\"", i ? "," : "[", t->order[i]);
                for (unsigned c = 0; c < t->n_columns; c++)
                        ps_html_data_number(out, column_of(t, c)[t->order[i]]);
                ps_output_putc(out, ']');
        }
        for (unsigned s = 0; s < SUMMARY; s++) {
                if (!has_summary(t, s))
                        continue;
                ps_output_printf(out, ",[\"%s\"", summary_titles[s]);
                for (unsigned c = 0; c < t->n_columns; c++)
                        ps_html_data_number(out, t->summary[s][c]);
                ps_output_putc(out, ']');
        }
        ps_output_putc(out, ']');
}

ps_status ps_html_processors_write(const ps_html_intervals *page, uint32_t number, ps_output *out,
                                   ps_error *err)
{
        table t = {.tree = page->tree};
        size_t n = (size_t)page->tree->n_processors + 1;
        ps_status status = PS_OK;

        choose_columns(&t);
        t.value = ps_memory_new(n * t.n_columns * sizeof(*t.value));
        t.order = ps_memory_new(n * sizeof(*t.order));
        t.sorted = ps_memory_new(n * sizeof(*t.sorted));
        if (!t.value || !t.order || !t.sorted) {
                status = PS_NOMEM(err, "processors", n);
        } else {
                fill_table(&t, page->row[number]);
                choose_rows(&t);
                sum_up_columns(&t);
                put_data(out, &t);
        }
        free(t.value);
        free(t.order);
        free(t.sorted);
        return status;
}
