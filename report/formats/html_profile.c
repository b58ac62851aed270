/* html_profile.c - see html_profile.h. Charts are inline SVG, coloured by the page's style; what they show is
 * told in words, too, for those who cannot see them. */
#include "report/formats/html_profile.h"
#include "report/print/html.h"

#include "core/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1000, HEIGHT = 100, MATRIX_MOST = 64, SHADES = 5, ROWS_MOST = 256 };

static const char *const state_classes[PS_STATE_COUNT] = {
        [PS_STATE_BUSY] = "productive", [PS_STATE_OVERHEAD] = "communication", [PS_STATE_IDLE] = "idle"};

static double seconds(ps_time time)
{
        return (double)time / (double)PS_PS_PER_S;
}

/* -- over time */

static void open_chart(ps_output *out, const char *title)
{
        ps_output_printf(out, "<figure>\n<figcaption>%s", title);
}

static void open_svg(ps_output *out, const char *label)
{
        ps_output_printf(out,
                         "</figcaption>\n<svg class=\"chart\" viewBox=\"0 0 %d %d\" "
                         "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"%s\">",
                         WIDTH, HEIGHT, label);
}

static void close_chart(ps_output *out, const ps_profile *p)
{
        ps_output_puts(out, "</svg>\n<p class=\"axis\"><span>0</span><span>");
        ps_html_duration(out, seconds(p->duration));
        ps_output_puts(out, "</span></p>\n</figure>\n");
}

typedef double (*measure)(const ps_profile_bin *bin, int which);

/* How much of the states up to this one. */
static double states_of(const ps_profile_bin *bin, int which)
{
        double sum = 0;

        for (int state = 0; state <= which; state++)
                sum += bin->state[state];
        return sum;
}

static double traffic_of(const ps_profile_bin *bin, int which)
{
        return which ? bin->bytes : bin->messages;
}

/* The area below the values, in steps. */
static void put_area(ps_output *out, const ps_profile *p, const char *class, measure of, int which,
                     double most)
{
        ps_output_printf(out, "<path class=\"%s\" d=\"M0 %d", class, HEIGHT);
        for (uint32_t i = 0; i < p->n_bins; i++) {
                double share = most > 0 ? of(&p->bins[i], which) / most : 0;
                ps_output_printf(out, "V%.1fH%.1f", HEIGHT * (1 - (share < 1 ? share : 1)),
                                 WIDTH * (double)(i + 1) / p->n_bins);
        }
        ps_output_printf(out, "V%dz\"/>", HEIGHT);
}

static double share_of(const ps_profile *p, int state)
{
        double sum = 0, all = (double)p->duration * p->n_rows;

        for (uint32_t i = 0; i < p->n_rows; i++)
                sum += (double)p->rows[i].state[state];
        return all > 0 ? sum / all : 0;
}

static void put_utilization(ps_output *out, const ps_profile *p)
{
        open_chart(out, "Utilization: how many are ");
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                ps_output_printf(out, "<span class=\"%s\">%s ", state_classes[state], ps_state_names[state]);
                ps_html_share(out, share_of(p, state));
                ps_output_puts(out, "</span>");
        }
        ps_output_puts(out, "of ");
        ps_html_count(out, p->n_rows);
        open_svg(out, "Utilization over time");
        for (int state = PS_STATE_COUNT; state-- > 0;)
                put_area(out, p, state_classes[state], states_of, state, p->n_rows);
        close_chart(out, p);
}

static void put_traffic(ps_output *out, const ps_profile *p, int which)
{
        static const char *const names[] = {"messages", "bytes"};
        const ps_peak *peak = which ? &p->bytes : &p->messages;
        double most = 0;

        for (uint32_t i = 0; i < p->n_bins; i++)
                most = fmax(most, traffic_of(&p->bins[i], which));
        open_chart(out, "Traffic: ");
        ps_output_printf(out, "%s under way, of ", names[which]);
        ps_html_count(out, which ? p->n_bytes : p->n_messages);
        ps_output_puts(out, "; at most ");
        ps_html_count(out, peak->value);
        ps_output_puts(out, " at ");
        ps_html_duration(out, seconds(peak->at));
        open_svg(out, which ? "Bytes under way over time" : "Messages under way over time");
        put_area(out, p, "traffic", traffic_of, which, most);
        close_chart(out, p);
}

/* -- who sends to whom */

typedef struct matrix {
        uint32_t n; /* cells a side, of n_processes / n processes each */
        uint32_t n_processes;
        ps_profile_pair *cell; /* from and to: the first ones */
        uint64_t most;
} matrix;

static uint32_t first_of(const matrix *m, uint32_t at)
{
        return (uint32_t)(((uint64_t)at * m->n_processes + m->n - 1) / m->n);
}

static void add_pairs(matrix *m, const ps_profile *p)
{
        for (size_t i = 0; i < p->n_pairs; i++) {
                const ps_profile_pair *pair = &p->pairs[i];
                uint32_t from = (uint32_t)((uint64_t)pair->from * m->n / m->n_processes),
                         to = (uint32_t)((uint64_t)pair->to * m->n / m->n_processes);
                ps_profile_pair *cell = &m->cell[from * m->n + to];
                cell->messages += pair->messages;
                cell->bytes += pair->bytes;
                m->most = cell->bytes > m->most ? cell->bytes : m->most;
        }
}

static void put_processes(ps_output *out, const matrix *m, uint32_t at)
{
        uint32_t first = first_of(m, at), last = first_of(m, at + 1) - 1;

        ps_output_printf(out, "%" PRIu32, first);
        if (last > first)
                ps_output_printf(out, "-%" PRIu32, last);
}

static void put_cell(ps_output *out, const matrix *m, uint32_t from, uint32_t to)
{
        const ps_profile_pair *cell = &m->cell[from * m->n + to];
        double shade = m->most ? ceil((double)cell->bytes / (double)m->most * SHADES) : 0;

        if (!cell->messages)
                return;
        ps_output_printf(out, "<path class=\"s%.0f\" d=\"M%" PRIu32 " %" PRIu32 "h1v1h-1z\"><title>", shade,
                         to, from);
        put_processes(out, m, from);
        ps_output_puts(out, " to ");
        put_processes(out, m, to);
        ps_output_puts(out, ": ");
        ps_html_count(out, cell->bytes);
        ps_output_puts(out, " bytes, ");
        ps_html_count(out, cell->messages);
        ps_output_printf(out, " message%s</title></path>", cell->messages == 1 ? "" : "s");
}

static void put_matrix(ps_output *out, const matrix *m)
{
        ps_output_puts(out, "<figure>\n<figcaption>Messages: bytes from process (row) to process (column), "
                            "at most ");
        ps_html_count(out, m->most);
        ps_output_printf(out,
                         "</figcaption>\n<svg class=\"matrix\" viewBox=\"0 0 %" PRIu32 " %" PRIu32
                         "\" role=\"img\" aria-label=\"Bytes between processes\">",
                         m->n, m->n);
        for (uint32_t from = 0; from < m->n; from++)
                for (uint32_t to = 0; to < m->n; to++)
                        put_cell(out, m, from, to);
        ps_output_puts(out, "</svg>\n</figure>\n");
}

static ps_status put_messages(ps_output *out, const ps_profile *p, uint32_t n_processes, ps_error *err)
{
        matrix m = {.n = n_processes < MATRIX_MOST ? n_processes : MATRIX_MOST, .n_processes = n_processes};

        if (!p->n_pairs)
                return PS_OK;
        m.cell = ps_memory_zeroed((size_t)m.n * m.n, sizeof(*m.cell));
        if (!m.cell)
                return PS_NOMEM(err, "matrix", m.n);
        add_pairs(&m, p);
        put_matrix(out, &m);
        free(m.cell);
        return PS_OK;
}

/* -- by location */

static void put_row(ps_output *out, const ps_profile_row *row, const ps_location_def *at, ps_time duration)
{
        const uint64_t counts[] = {row->sent,           row->sent_bytes,  row->received,
                                   row->received_bytes, row->queue.value, row->queue_bytes.value};
        ps_html_part parts[PS_STATE_COUNT];

        for (int state = 0; state < PS_STATE_COUNT; state++)
                parts[state] = (ps_html_part){state_classes[state], ps_state_names[state],
                                              seconds(row->state[state])};
        ps_output_printf(out, "<tr><th scope=\"row\" class=\"n\">%" PRIu32 ".%" PRIu32 "</th><td>",
                         at->process, at->thread);
        ps_html_bar(out, parts, PS_STATE_COUNT, seconds(duration), 1);
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                ps_output_puts(out, "</td><td class=\"n\">");
                ps_html_duration(out, parts[state].value);
        }
        for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
                ps_output_puts(out, "</td><td class=\"n\">");
                ps_html_count(out, counts[i]);
        }
        ps_output_puts(out, "</td></tr>\n");
}

static void put_rows(ps_output *out, const ps_profile *p, const ps_trace *trace)
{
        uint32_t n = p->n_rows < ROWS_MOST ? p->n_rows : ROWS_MOST;

        ps_html_begin_table(out, "locations sort", "By location",
                            "=Process.thread|Time|=Busy|=Overhead|=Idle|=Sent|=Bytes|=Received|=Bytes|"
                            "=Longest queue|=Most bytes queued");
        for (uint32_t i = 0; i < n; i++)
                put_row(out, &p->rows[i], &trace->defs.locations.row[p->rows[i].location], p->duration);
        ps_html_end_table(out);
        if (n < p->n_rows)
                ps_output_printf(out,
                                 "<p>The first %" PRIu32 " of %" PRIu32 " locations; patscan info --profile "
                                 "--report csv has all of them.</p>\n",
                                 n, p->n_rows);
}

ps_status ps_html_profile_write(const ps_profile *p, const ps_trace *trace, ps_output *out, ps_error *err)
{
        ps_status status;

        ps_output_puts(out, "<section id=\"profile\">\n<h2>Over time</h2>\n");
        put_utilization(out, p);
        if (p->n_messages) {
                put_traffic(out, p, 0);
                put_traffic(out, p, 1);
        }
        status = put_messages(out, p, trace->defs.processes.n, err);
        put_rows(out, p, trace);
        ps_output_puts(out, "</section>\n");
        return status;
}
