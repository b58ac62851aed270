/* profile_text.c - the profile for people: time runs from left to right across the width of the output, the
 * height of a block is how many. Charts use no colour, so that they say the same everywhere. */
#include "report/print/text.h"
#include "report/subjects/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
        LABEL_COLUMNS = 11,
        MARGIN = 12,
        CHART_MAX = 160,
        ROWS_MAX = 16,
        GRID_MAX = 48,
        LINKS_MAX = 10,
        SENT_ROOM = 3 * PS_NUMBER_ROOM
};

static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const shades[] = {"·", "░", "▒", "▓", "█"};
enum { HEIGHTS = 8, SHADES = 4 };

/* What is there at all gets the lowest step, not none. */
static unsigned step_of(double value, double most, unsigned steps)
{
        double step = most > 0 ? ceil(value / most * steps - 1e-9) : 0;

        return step <= 0 ? 0 : step >= steps ? steps : (unsigned)step;
}

static void put_heading(ps_output *out, const char *text, const char *note)
{
        ps_output_putc(out, '\n');
        ps_output_style(out, PS_BOLD);
        ps_output_puts(out, text);
        ps_output_style(out, PS_PLAIN);
        if (*note) {
                ps_output_style(out, PS_DIM);
                ps_output_printf(out, "  %s", note);
                ps_output_style(out, PS_PLAIN);
        }
        ps_output_putc(out, '\n');
}

static unsigned chart_columns(const ps_output *out)
{
        unsigned width = ps_output_width(out), taken = 2 + LABEL_COLUMNS + MARGIN;

        return width <= taken + 10 ? 10 : width - taken < CHART_MAX ? width - taken : CHART_MAX;
}

/* -- over time -- */

typedef double (*measure)(const ps_profile_bin *bin, int which);

static double state_of(const ps_profile_bin *bin, int which)
{
        return bin->state[which];
}

static double traffic_of(const ps_profile_bin *bin, int which)
{
        return which ? bin->bytes : bin->messages;
}

/* The average over a column's share of the bins. */
static double column_value(const ps_profile *p, measure of, int which, unsigned column, unsigned n)
{
        uint32_t first = (uint32_t)((uint64_t)column * p->n_bins / n),
                 end = (uint32_t)((uint64_t)(column + 1) * p->n_bins / n);
        double sum = 0;

        end = end > first ? end : first + 1;
        for (uint32_t i = first; i < end; i++)
                sum += of(&p->bins[i], which);
        return sum / (end - first);
}

static void put_strip(ps_output *out, const ps_profile *p, measure of, int which, double most)
{
        unsigned n = chart_columns(out);

        for (unsigned i = 0; i < n; i++)
                ps_output_puts(out, heights[step_of(column_value(p, of, which, i, n), most, HEIGHTS)]);
}

static void put_axis(ps_output *out, const ps_profile *p)
{
        char end[PS_NUMBER_ROOM];
        unsigned n = chart_columns(out), columns = (unsigned)ps_text_duration(end, p->duration);

        ps_output_style(out, PS_DIM);
        ps_output_repeat(out, ' ', 2 + LABEL_COLUMNS);
        ps_output_putc(out, '0');
        ps_output_repeat(out, ' ', n > columns + 1 ? n - columns - 1 : 1);
        ps_output_puts(out, end);
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

/* Of all locations and the whole run. */
static double share_of(const ps_profile *p, int state)
{
        double sum = 0, all = (double)p->duration * p->n_rows;

        for (uint32_t i = 0; i < p->n_rows; i++)
                sum += (double)p->rows[i].state[state];
        return all > 0 ? sum / all : 0;
}

static void put_utilization(ps_output *out, const ps_profile *p)
{
        char note[64];

        snprintf(note, sizeof(note), "how many of %" PRIu32, p->n_rows);
        put_heading(out, "Utilization", note);
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                ps_output_printf(out, "  %-*s", LABEL_COLUMNS, ps_state_names[state]);
                put_strip(out, p, state_of, state, p->n_rows);
                ps_output_printf(out, "  %5.1f %%\n", 100 * share_of(p, state));
        }
        put_axis(out, p);
}

static void put_peak(ps_output *out, ps_peak peak)
{
        char count[PS_NUMBER_ROOM], time[PS_NUMBER_ROOM];

        ps_text_count(count, peak.value);
        ps_text_duration(time, peak.at);
        ps_output_printf(out, "%s at %s", count, time);
}

static void put_traffic(ps_output *out, const ps_profile *p)
{
        static const char *const names[] = {"messages", "bytes"};
        const ps_peak peaks[] = {p->messages, p->bytes};
        unsigned n = chart_columns(out);
        char count[PS_NUMBER_ROOM];

        put_heading(out, "Traffic", "messages under way, from the send's begin to the receive's end");
        for (int which = 0; which < 2; which++) {
                double most = 0;
                for (unsigned i = 0; i < n; i++)
                        most = fmax(most, column_value(p, traffic_of, which, i, n));
                ps_output_printf(out, "  %-*s", LABEL_COLUMNS, names[which]);
                put_strip(out, p, traffic_of, which, most);
                ps_text_count(count, which ? p->n_bytes : p->n_messages);
                ps_output_printf(out, "  %s\n", count);
        }
        put_axis(out, p);
        ps_output_puts(out, "  peak       ");
        put_peak(out, peaks[0]);
        ps_output_puts(out, ", bytes ");
        put_peak(out, peaks[1]);
        ps_output_putc(out, '\n');
}

/* -- how many at once -- */

static void put_concurrency(ps_output *out, const ps_profile *p)
{
        unsigned columns = chart_columns(out);
        uint32_t n = p->n_rows + 1 < columns ? p->n_rows + 1 : columns;
        char label[PS_NUMBER_ROOM];

        put_heading(out, "Concurrency", "share of the time that so many are in the state");
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                double mean = share_of(p, state) * p->n_rows;
                ps_output_printf(out, "  %-*s", LABEL_COLUMNS, ps_state_names[state]);
                for (uint32_t i = 0; i < n; i++) {
                        double sum = 0;
                        for (uint64_t k = (uint64_t)i * (p->n_rows + 1) / n;
                             k < (uint64_t)(i + 1) * (p->n_rows + 1) / n; k++)
                                sum += (double)p->concurrency[state][k];
                        ps_output_puts(out, heights[step_of(sum, (double)p->duration, HEIGHTS)]);
                }
                ps_output_printf(out, "  %.*f on average\n", mean < 10 ? 2 : 1, mean);
        }
        size_t last = ps_text_u64(label, p->n_rows);
        ps_output_style(out, PS_DIM);
        ps_output_repeat(out, ' ', 2 + LABEL_COLUMNS);
        ps_output_putc(out, '0');
        ps_output_repeat(out, ' ', n > last + 1 ? n - last - 1 : 1);
        ps_output_puts(out, label);
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

/* -- by location -- */

static double percent(ps_time part, ps_time whole)
{
        return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void put_rest(ps_output *out, size_t n)
{
        if (!n)
                return;
        ps_output_style(out, PS_DIM);
        ps_output_printf(out, "  and %zu more\n", n);
        ps_output_style(out, PS_PLAIN);
}

static void put_right(ps_output *out, uint64_t n, int columns)
{
        char count[PS_NUMBER_ROOM];

        ps_text_count(count, n);
        ps_output_printf(out, "%*s", columns, count);
}

static void put_locations(ps_output *out, const ps_info *info)
{
        const ps_profile *p = info->profile;
        uint32_t n = p->n_rows < ROWS_MAX ? p->n_rows : ROWS_MAX;

        put_heading(out, "Locations", "");
        ps_output_style(out, PS_DIM);
        ps_output_puts(out,
                       "    PROC.THR     busy  overhead     idle     sent received   queue  queued bytes\n");
        ps_output_style(out, PS_PLAIN);
        for (uint32_t i = 0; i < n; i++) {
                const ps_profile_row *row = &p->rows[i];
                const ps_location_def *def = &info->trace->defs.locations.row[row->location];
                ps_output_printf(out, "  %6" PRIu32 ".%-3" PRIu32, def->process, def->thread);
                ps_output_printf(out, " %6.1f %%  %6.1f %% %6.1f %%",
                                 percent(row->state[PS_STATE_BUSY], p->duration),
                                 percent(row->state[PS_STATE_OVERHEAD], p->duration),
                                 percent(row->state[PS_STATE_IDLE], p->duration));
                put_right(out, row->sent, 9);
                put_right(out, row->received, 9);
                put_right(out, row->queue.value, 8);
                put_right(out, row->queue_bytes.value, 14);
                ps_output_putc(out, '\n');
        }
        put_rest(out, p->n_rows - n);
}

/* -- who to whom -- */

/* "1,234 messages, 1 byte" */
static const char *sent_text(char room[SENT_ROOM], uint64_t messages, uint64_t bytes)
{
        char of_messages[PS_NUMBER_ROOM], of_bytes[PS_NUMBER_ROOM];

        ps_text_count(of_messages, messages);
        ps_text_count(of_bytes, bytes);
        snprintf(room, SENT_ROOM, "%s message%s, %s byte%s", of_messages, messages == 1 ? "" : "s", of_bytes,
                 bytes == 1 ? "" : "s");
        return room;
}

static uint64_t largest(const ps_profile *p)
{
        uint64_t most = 0;

        for (size_t i = 0; i < p->n_pairs; i++)
                most = p->pairs[i].bytes > most ? p->pairs[i].bytes : most;
        return most;
}

static void put_grid(ps_output *out, const ps_profile *p, uint32_t n)
{
        uint64_t most = largest(p);
        size_t at = 0;

        ps_output_style(out, PS_DIM);
        ps_output_puts(out, "  from      to");
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
        for (uint32_t from = 0; from < n; from++) {
                uint64_t messages = 0, bytes = 0;
                char text[SENT_ROOM];
                ps_output_printf(out, "  %4" PRIu32 "      ", from);
                for (uint32_t to = 0; to < n; to++) {
                        int is_there = at < p->n_pairs && p->pairs[at].from == from && p->pairs[at].to == to;
                        double here = is_there ? (double)p->pairs[at].bytes : 0;
                        unsigned shade = step_of(here, (double)most, SHADES);
                        ps_output_puts(out, shades[is_there && !shade ? 1 : shade]);
                        messages += is_there ? p->pairs[at].messages : 0;
                        bytes += is_there ? p->pairs[at].bytes : 0;
                        at += (size_t)is_there;
                }
                ps_output_printf(out, "  %s\n", sent_text(text, messages, bytes));
        }
}

static int by_bytes(const void *a, const void *b)
{
        const ps_profile_pair *x = *(ps_profile_pair *const *)a, *y = *(ps_profile_pair *const *)b;

        if (x->bytes != y->bytes)
                return x->bytes > y->bytes ? -1 : 1;
        return x < y ? -1 : x > y;
}

/* Too many processes for a grid: the pairs that have most. */
static void put_pairs(ps_output *out, const ps_profile *p)
{
        const ps_profile_pair **order = malloc((p->n_pairs + 1) * sizeof(ps_profile_pair *));
        size_t n = p->n_pairs < LINKS_MAX ? p->n_pairs : LINKS_MAX;

        for (size_t i = 0; order && i < p->n_pairs; i++)
                order[i] = &p->pairs[i];
        if (order)
                qsort(order, p->n_pairs, sizeof(*order), by_bytes);
        for (size_t i = 0; order && i < n; i++) {
                char text[SENT_ROOM];
                ps_output_printf(out, "  %6" PRIu32 " to %-6" PRIu32 "  %s\n", order[i]->from, order[i]->to,
                                 sent_text(text, order[i]->messages, order[i]->bytes));
        }
        free(order);
        put_rest(out, p->n_pairs - n);
}

static void put_matrix(ps_output *out, const ps_info *info)
{
        uint32_t n = info->trace->defs.processes.n;
        char note[96], most[PS_NUMBER_ROOM];

        ps_text_count(most, largest(info->profile));
        snprintf(note, sizeof(note), "bytes between processes; the darkest: %s", most);
        put_heading(out, "Messages", note);
        if (n <= GRID_MAX && n + 40 <= ps_output_width(out))
                put_grid(out, info->profile, n);
        else
                put_pairs(out, info->profile);
}

static void put_links(ps_output *out, const ps_info *info)
{
        const ps_link_load *load = info->links;
        size_t n = load->n_rows < LINKS_MAX ? load->n_rows : LINKS_MAX;
        double hops = load->n_messages ? (double)load->n_hops / (double)load->n_messages : 0;

        put_heading(out, "Links", "");
        ps_output_puts(out, "  ");
        ps_text_wrapf(out, 2,
                      "%s: %zu of %" PRIu32 " links carry messages, which take %.2f of them on average",
                      info->network, load->n_rows, load->n_links, hops);
        ps_output_putc(out, '\n');
        for (size_t i = 0; i < n; i++) {
                const ps_link_load_row *link = &load->rows[i];
                char text[SENT_ROOM];
                unsigned height = step_of(link->load, load->rows[0].load, 20);
                ps_output_printf(out, "  %6" PRIu32 " to %-6" PRIu32 " ", link->from, link->to);
                for (unsigned k = 0; k < 20; k++)
                        ps_output_puts(out, k < height ? "█" : " ");
                ps_output_printf(out, " %s", sent_text(text, link->messages, link->bytes));
                if (link->weight < 1 || link->weight > 1)
                        ps_output_printf(out, ", weight %g", link->weight);
                ps_output_putc(out, '\n');
        }
        put_rest(out, load->n_rows - n);
}

void ps_profile_write_text(const ps_info *info, ps_output *out)
{
        const ps_profile *p = info->profile;

        if (!p->n_bins || !p->n_rows)
                return;
        put_utilization(out, p);
        put_concurrency(out, p);
        put_locations(out, info);
        if (p->n_messages) {
                put_traffic(out, p);
                put_matrix(out, info);
        }
        if (info->links && info->links->n_rows)
                put_links(out, info);
}
