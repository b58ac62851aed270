/* charts.c - what a document draws: values over time, and who sends how much to whom. A page gets SVG,
 * coloured by its style; all others characters, which say the same without colour. */
#include "core/base/memory.h"
#include "core/base/search.h"
#include "report/document/page.h"
#include "report/document/printer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
        LABEL_COLUMNS = 11,
        TOLD_COLUMNS = 12,
        CHART_LEAST = 10,
        CHART_MOST = 160,
        HEIGHTS = 8,
        SHADES = 4,
        GRID_MOST = 48,
        GRID_TOLD = 40,
        PAIRS_SHOWN = 10,
        SVG_WIDTH = 1000,
        SVG_HEIGHT = 100,
        SVG_CELLS = 64,
        SVG_SHADES = 5
};

/* -- values over time, as characters -- */

/* What is there at all gets the lowest step, not none. */
static unsigned step_of_value(double value, double most, unsigned steps)
{
        double step = most > 0 ? ceil(value / most * steps - 1e-9) : 0;

        return step <= 0 ? 0 : step >= steps ? steps : (unsigned)step;
}

static unsigned chart_columns(const ps_doc *doc, const ps_doc_chart_spec *c)
{
        unsigned width = ps_output_width(doc->out), taken = 2 + LABEL_COLUMNS + TOLD_COLUMNS;
        unsigned columns = width <= taken + CHART_LEAST ? CHART_LEAST
                           : width - taken < CHART_MOST ? width - taken
                                                        : CHART_MOST;

        return c->is_counted && c->n < columns ? c->n : columns;
}

/* Of a column's share of the values: the average, or of what is counted the sum. */
static double column_value(const ps_doc_chart_spec *c, unsigned series, unsigned column, unsigned columns)
{
        uint32_t first = (uint32_t)((uint64_t)column * c->n / columns),
                 end = (uint32_t)((uint64_t)(column + 1) * c->n / columns);
        double sum = 0;

        end = end > first ? end : first + 1;
        for (uint32_t i = first; i < end; i++)
                sum += c->value(c->of, series, i);
        return c->is_counted ? sum : sum / (end - first);
}

static void put_strip(const ps_doc *doc, const ps_doc_chart_spec *c, unsigned series)
{
        static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
        unsigned columns = chart_columns(doc, c);
        double most = c->most;

        for (unsigned i = 0; i < columns && c->most <= 0; i++)
                most = fmax(most, column_value(c, series, i, columns));
        ps_output_printf(doc->out, "  %-*s", LABEL_COLUMNS, c->series[series].name);
        for (unsigned i = 0; i < columns; i++)
                ps_output_puts(doc->out,
                               heights[step_of_value(column_value(c, series, i, columns), most, HEIGHTS)]);
        ps_output_printf(doc->out, "  %s\n", c->series[series].told);
}

static void draw_chart(ps_doc *doc, const ps_doc_chart_spec *c)
{
        const char *begin = c->begin ? c->begin : "0";
        unsigned columns = chart_columns(doc, c), used = ps_text_columns(begin) + ps_text_columns(c->end);

        doc->printer->drawing(doc, c->title, c->note);
        for (unsigned s = 0; s < c->n_series; s++)
                put_strip(doc, c, s);
        ps_output_repeat(doc->out, ' ', 2 + LABEL_COLUMNS);
        ps_output_puts(doc->out, begin);
        ps_output_repeat(doc->out, ' ', columns > used ? columns - used : 1);
        ps_output_printf(doc->out, "%s\n", c->end);
        doc->printer->drawing(doc, NULL, NULL);
}

/* -- the same as SVG -- */

/* The values of a series; stacked, with those of the ones before. */
static double height_of(const ps_doc_chart_spec *c, unsigned series, uint32_t i)
{
        double sum = 0;

        for (unsigned s = c->is_stacked ? 0 : series; s <= series; s++)
                sum += c->value(c->of, s, i);
        return sum;
}

/* The area below the values, in steps. */
static void put_area(ps_output *out, const ps_doc_chart_spec *c, unsigned series)
{
        double most = c->most;

        for (uint32_t i = 0; i < c->n && c->most <= 0; i++)
                most = fmax(most, height_of(c, series, i));
        ps_output_printf(out, "<path class=\"%s\" d=\"M0 %d", c->series[series].class, SVG_HEIGHT);
        for (uint32_t i = 0; i < c->n; i++) {
                double share = most > 0 ? height_of(c, series, i) / most : 0;
                ps_output_printf(out, "V%.1fH%.1f", SVG_HEIGHT * (1 - (share < 1 ? share : 1)),
                                 SVG_WIDTH * (double)(i + 1) / c->n);
        }
        ps_output_printf(out, "V%dz\"/>", SVG_HEIGHT);
}

/* Of some series of the chart: a picture with its words. */
static void put_figure(ps_output *out, const ps_doc_chart_spec *c, unsigned first, unsigned end)
{
        ps_output_printf(out, "<figure>\n<figcaption>%s: ", c->title);
        for (unsigned s = first; s < end; s++) {
                ps_output_printf(out, "<span class=\"%s\">%s ", c->series[s].class, c->series[s].name);
                ps_html_text(out, c->series[s].told);
                ps_output_puts(out, "</span>");
        }
        ps_output_puts(out, "<em>");
        ps_html_text(out, c->note);
        ps_output_printf(
                out,
                "</em></figcaption>\n<svg class=\"chart\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
                "role=\"img\" aria-label=\"%s\">",
                SVG_WIDTH, SVG_HEIGHT, c->title);
        for (unsigned s = end; s-- > first;)
                put_area(out, c, s);
        ps_output_puts(out, "</svg>\n<p class=\"axis\"><span>");
        ps_html_text(out, c->begin ? c->begin : "0");
        ps_output_puts(out, "</span><span>");
        ps_html_text(out, c->end);
        ps_output_puts(out, "</span></p>\n</figure>\n");
}

void ps_doc_chart(ps_doc *doc, const ps_doc_chart_spec *c)
{
        if (!c->n)
                return;
        if (!doc->printer->is_page)
                draw_chart(doc, c);
        else if (c->is_stacked)
                put_figure(doc->out, c, 0, c->n_series);
        else
                for (unsigned s = 0; s < c->n_series; s++)
                        put_figure(doc->out, c, s, s + 1);
}

/* -- who sends to whom: `n` cells a side, of n_processes / n processes each -- */

typedef struct matrix {
        uint32_t n, n_processes;
        ps_profile_pair *cell;
        uint64_t most;
} matrix;

static ps_status gather_pairs(matrix *m, const ps_profile_pair *pairs, size_t n_pairs, ps_error *err)
{
        m->cell = ps_memory_zeroed((size_t)m->n * m->n, sizeof(*m->cell));
        if (!m->cell)
                return PS_NOMEM(err, "matrix", m->n);
        for (size_t i = 0; i < n_pairs; i++) {
                uint32_t from = (uint32_t)((uint64_t)pairs[i].from * m->n / m->n_processes),
                         to = (uint32_t)((uint64_t)pairs[i].to * m->n / m->n_processes);
                ps_profile_pair *cell = &m->cell[from * m->n + to];
                cell->messages += pairs[i].messages;
                cell->bytes += pairs[i].bytes;
                m->most = cell->bytes > m->most ? cell->bytes : m->most;
        }
        return PS_OK;
}

static void put_processes(ps_output *out, const matrix *m, uint32_t at)
{
        uint32_t first = (uint32_t)(((uint64_t)at * m->n_processes + m->n - 1) / m->n),
                 last = (uint32_t)(((uint64_t)(at + 1) * m->n_processes + m->n - 1) / m->n) - 1;

        ps_output_printf(out, last > first ? "%" PRIu32 "-%" PRIu32 : "%" PRIu32, first, last);
}

static void put_sent(ps_output *out, uint64_t messages, uint64_t bytes)
{
        char of_messages[PS_NUMBER_ROOM], of_bytes[PS_NUMBER_ROOM];

        ps_text_count(of_messages, messages);
        ps_text_count(of_bytes, bytes);
        ps_output_printf(out, "%s byte%s, %s message%s", of_bytes, bytes == 1 ? "" : "s", of_messages,
                         messages == 1 ? "" : "s");
}

static void put_svg_cell(ps_output *out, const matrix *m, uint32_t from, uint32_t to)
{
        const ps_profile_pair *cell = &m->cell[from * m->n + to];
        double shade = m->most ? ceil((double)cell->bytes / (double)m->most * SVG_SHADES) : 0;

        if (!cell->messages)
                return;
        ps_output_printf(out, "<path class=\"s%.0f\" d=\"M%" PRIu32 " %" PRIu32 "h1v1h-1z\"><title>", shade,
                         to, from);
        put_processes(out, m, from);
        ps_output_puts(out, " to ");
        put_processes(out, m, to);
        ps_output_puts(out, ": ");
        put_sent(out, cell->messages, cell->bytes);
        ps_output_puts(out, "</title></path>");
}

static void put_svg(ps_output *out, const char *title, const matrix *m)
{
        char most[PS_NUMBER_ROOM];

        ps_text_count(most, m->most);
        ps_output_printf(out,
                         "<figure>\n<figcaption>%s: bytes from process (row) to process (column), at most "
                         "%s</figcaption>\n<svg class=\"matrix\" viewBox=\"0 0 %" PRIu32 " %" PRIu32
                         "\" role=\"img\" aria-label=\"Bytes between processes\">",
                         title, most, m->n, m->n);
        for (uint32_t from = 0; from < m->n; from++)
                for (uint32_t to = 0; to < m->n; to++)
                        put_svg_cell(out, m, from, to);
        ps_output_puts(out, "</svg>\n</figure>\n");
}

static void draw_grid(ps_doc *doc, const char *title, const matrix *m)
{
        static const char *const shades[] = {"·", "░", "▒", "▓", "█"};
        char note[128], most[PS_NUMBER_ROOM];

        ps_text_count(most, m->most);
        snprintf(note, sizeof(note), "bytes from process (row) to process (column); the darkest: %s", most);
        doc->printer->drawing(doc, title, note);
        for (uint32_t from = 0; from < m->n; from++) {
                uint64_t messages = 0, bytes = 0;
                ps_output_printf(doc->out, "  %4" PRIu32 "  ", from);
                for (uint32_t to = 0; to < m->n; to++) {
                        const ps_profile_pair *cell = &m->cell[from * m->n + to];
                        unsigned shade = step_of_value((double)cell->bytes, (double)m->most, SHADES);
                        ps_output_puts(doc->out, shades[cell->messages && !shade ? 1 : shade]);
                        messages += cell->messages;
                        bytes += cell->bytes;
                }
                ps_output_puts(doc->out, "  ");
                put_sent(doc->out, messages, bytes);
                ps_output_putc(doc->out, '\n');
        }
        doc->printer->drawing(doc, NULL, NULL);
}

/* Too many processes for a grid: the pairs that have most bytes, of equal ones the first. */
static size_t choose_pairs(const ps_profile_pair *most[PAIRS_SHOWN], const ps_profile_pair *pairs,
                           size_t n_pairs)
{
        size_t n = 0;
        for (const ps_profile_pair *pair = pairs; pair < pairs + n_pairs; pair++) {
                size_t at = n < PAIRS_SHOWN ? n++ : PAIRS_SHOWN;
                for (; at > 0 && most[at - 1]->bytes < pair->bytes; at--)
                        if (at < PAIRS_SHOWN)
                                most[at] = most[at - 1];
                if (at < PAIRS_SHOWN)
                        most[at] = pair;
        }
        return n;
}

static void put_pairs(ps_doc *doc, const char *title, const ps_profile_pair *pairs, size_t n_pairs)
{
        const ps_profile_pair *order[PAIRS_SHOWN];
        const size_t n = choose_pairs(order, pairs, n_pairs);
        ps_doc_begin_table(doc, PS_DOC_TABLE, title, "From and to|=Messages|=Bytes");
        for (size_t i = 0; i < n; i++) {
                ps_doc_row(doc, 0);
                ps_doc_cellf(doc, PS_DOC_PLAIN, "%" PRIu32 " to %" PRIu32, order[i]->from, order[i]->to);
                ps_doc_cell_count(doc, order[i]->messages);
                ps_doc_cell_count(doc, order[i]->bytes);
        }
        ps_doc_end_table(doc);
        ps_doc_rest(doc, n_pairs - n, "pair", "pairs", "");
}

ps_status ps_doc_flows(ps_doc *doc, const char *title, uint32_t n_processes, const ps_profile_pair *pairs,
                       size_t n_pairs, ps_error *err)
{
        uint32_t most = doc->printer->is_page ? SVG_CELLS : GRID_MOST;
        bool has_room = doc->printer->is_page ||
                        (n_processes <= most && n_processes + GRID_TOLD <= ps_output_width(doc->out));
        matrix m = {.n = n_processes < most ? n_processes : most, .n_processes = n_processes};
        ps_status status;

        if (n_pairs && !has_room)
                put_pairs(doc, title, pairs, n_pairs);
        if (!n_pairs || !has_room)
                return PS_OK;
        status = gather_pairs(&m, pairs, n_pairs, err);
        if (status == PS_OK && doc->printer->is_page)
                put_svg(doc->out, title, &m);
        else if (status == PS_OK)
                draw_grid(doc, title, &m);
        free(m.cell);
        return status;
}
