/* html_processors.c - what each processor did in an interval: a table that can be sorted, with the extremes
 * of each column below. Of many processors only those that lost most have a row, and the columns' quartiles
 * tell of the others. */
#include "report/formats/html_intervals.h"
#include "report/print/html.h"

#include "core/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

enum { COLUMNS_MOST = PS_HTML_ROWS * (1 + PS_HTML_PARTS), QUARTILES = 5, SUMMARY = 6 };

static const char *const summary_titles[SUMMARY] = {"Minimum",      "1st quartile", "Median",
                                                    "3rd quartile", "Maximum",      "Mean"};

typedef struct table {
        const ps_intervals *tree;
        const ps_interval_field *column[COLUMNS_MOST];
        unsigned n_columns;
        double *value;   /* [column][processor] */
        uint32_t *order; /* the processors that are shown come first */
        uint32_t n_shown;
        double *sorted; /* a column's values */
        double summary[SUMMARY][COLUMNS_MOST];
} table;

uint32_t ps_html_processors_shown(const ps_intervals *tree)
{
        return tree->n_processors <= PS_HTML_PROCESSORS ? tree->n_processors : PS_HTML_WORST;
}

/* What nobody knows is told as unknown of the whole interval; here it has no column. */
static void choose_columns(table *t)
{
        for (unsigned r = 0; r < PS_HTML_ROWS; r++) {
                const ps_html_row *row = &ps_html_rows[r];
                if (!ps_interval_knows(t->tree, row->whole))
                        continue;
                t->column[t->n_columns++] = row->whole;
                for (unsigned p = 0; p < PS_HTML_PARTS && row->part[p]; p++)
                        if (ps_interval_knows(t->tree, row->part[p]))
                                t->column[t->n_columns++] = row->part[p];
        }
}

static double *column_of(const table *t, unsigned c)
{
        return t->value + (size_t)c * t->tree->n_processors;
}

static void fill(table *t, uint32_t interval)
{
        for (uint32_t p = 0; p < t->tree->n_processors; p++) {
                ps_interval_sums sums;
                ps_interval_processor(t->tree, interval, p, &sums);
                for (unsigned c = 0; c < t->n_columns; c++)
                        column_of(t, c)[p] = ps_interval_value(&sums, t->column[c]);
        }
}

static int compare_doubles(const void *a, const void *b)
{
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

/* The n values of a column, sorted. */
static const double *sorted(table *t, unsigned c)
{
        for (uint32_t p = 0; p < t->tree->n_processors; p++)
                t->sorted[p] = column_of(t, c)[p];
        qsort(t->sorted, t->tree->n_processors, sizeof(*t->sorted), compare_doubles);
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
static void sum_up(table *t)
{
        uint32_t n = t->tree->n_processors;

        for (unsigned c = 0; c < t->n_columns; c++) {
                const double *value = sorted(t, c);
                for (unsigned q = 0; q < QUARTILES; q++)
                        t->summary[q][c] = n ? value[(uint64_t)(n - 1) * q / (QUARTILES - 1)] : 0;
                t->summary[QUARTILES][c] = mean(value, n);
        }
}

static int has_summary(const table *t, unsigned s)
{
        return s % 4 == 0 || s >= QUARTILES || t->n_shown < t->tree->n_processors;
}

/* -- writing */

static void put_value(ps_output *out, const table *t, unsigned c, double value)
{
        ps_output_puts(out, "<td>");
        ps_html_interval_value(out, t->column[c], value);
        ps_output_puts(out, "</td>");
}

/* How many columns a characteristic takes with its parts. */
static unsigned columns_of(const table *t, const ps_html_row *row)
{
        unsigned n = ps_interval_knows(t->tree, row->whole) != 0;

        for (unsigned p = 0; n && p < PS_HTML_PARTS && row->part[p]; p++)
                n += ps_interval_knows(t->tree, row->part[p]) != 0;
        return n;
}

/* A characteristic with parts has a head over all of them. `data-c` is the column that a head sorts by. */
static void put_heads(ps_output *out, const table *t)
{
        unsigned c = 0;

        ps_html_open_table(out, "processors sort", "Processors");
        ps_output_puts(out, "<tr><th scope=\"col\" class=\"n\" rowspan=\"2\" data-c=\"0\">Processor</th>"
                            "<th scope=\"col\" rowspan=\"2\">Total time</th>");
        for (unsigned r = 0; r < PS_HTML_ROWS; r++) {
                unsigned n = columns_of(t, &ps_html_rows[r]);
                if (n > 1)
                        ps_output_printf(out, "<th scope=\"colgroup\" colspan=\"%u\">%s</th>", n,
                                         ps_html_rows[r].whole->title);
                else if (n)
                        ps_output_printf(out,
                                         "<th scope=\"col\" class=\"n\" rowspan=\"2\" data-c=\"%u\">%s</th>",
                                         c + 2, ps_html_rows[r].whole->title);
                c += n;
        }
        ps_output_puts(out, "</tr>\n<tr>");
        for (unsigned r = c = 0; r < PS_HTML_ROWS; r++) {
                unsigned n = columns_of(t, &ps_html_rows[r]);
                for (unsigned i = 0; n > 1 && i < n; i++)
                        ps_output_printf(out, "<th scope=\"col\" class=\"n\" data-c=\"%u\">%s</th>",
                                         c + i + 2, i ? t->column[c + i]->title : "all");
                c += n;
        }
        ps_output_puts(out, "</tr></thead>\n<tbody>\n");
}

static void put_processor(ps_output *out, const table *t, uint32_t interval, uint32_t p)
{
        ps_interval_sums sums;

        ps_interval_processor(t->tree, interval, p, &sums);
        ps_output_printf(out, "<tr><th scope=\"row\" class=\"n\">%" PRIu32 "</th><td>", p);
        ps_html_interval_bar(out, t->tree, &sums, 1);
        ps_output_puts(out, "</td>");
        for (unsigned c = 0; c < t->n_columns; c++)
                put_value(out, t, c, column_of(t, c)[p]);
        ps_output_puts(out, "</tr>\n");
}

static void put_summary(ps_output *out, const table *t)
{
        ps_output_puts(out, "</tbody>\n<tfoot>\n");
        for (unsigned s = 0; s < SUMMARY; s++) {
                if (!has_summary(t, s))
                        continue;
                ps_output_printf(out, "<tr><th scope=\"row\">%s</th><td></td>", summary_titles[s]);
                for (unsigned c = 0; c < t->n_columns; c++)
                        put_value(out, t, c, t->summary[s][c]);
                ps_output_puts(out, "</tr>\n");
        }
        ps_output_puts(out, "</tfoot></table></div>\n");
}

static void put_table(ps_output *out, const table *t, uint32_t interval)
{
        put_heads(out, t);
        for (uint32_t i = 0; i < t->n_shown; i++)
                put_processor(out, t, interval, t->order[i]);
        put_summary(out, t);
        if (t->n_shown < t->tree->n_processors)
                ps_output_printf(out,
                                 "<p>The %" PRIu32 " of %" PRIu32 " processors that lost most; --report json "
                                 "has all of them.</p>\n",
                                 t->n_shown, t->tree->n_processors);
}

static void put_data(ps_output *out, const table *t, uint32_t interval)
{
        (void)interval;
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

typedef void (*put)(ps_output *out, const table *t, uint32_t interval);

static ps_status write_with(put how, const ps_html_intervals *page, uint32_t number, ps_output *out,
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
                fill(&t, page->row[number]);
                choose_rows(&t);
                sum_up(&t);
                how(out, &t, page->row[number]);
        }
        free(t.value);
        free(t.order);
        free(t.sorted);
        return status;
}

ps_status ps_html_processors_write(const ps_html_intervals *page, uint32_t number, ps_output *out,
                                   ps_error *err)
{
        return write_with(put_table, page, number, out, err);
}

ps_status ps_html_processors_write_data(const ps_html_intervals *page, uint32_t number, ps_output *out,
                                        ps_error *err)
{
        return write_with(put_data, page, number, out, err);
}
