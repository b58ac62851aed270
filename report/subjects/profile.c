/* profile.c - a run over time for people: who was busy, what was under way, who sent to whom, and what the
 * links of a network carried. */
#include "report/subjects/profile.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { ROWS_BRIEF = 16, ROWS_PAGE = 256, LINKS_BRIEF = 10 };

static const char *const classes[PS_STATE_COUNT] = {
        [PS_STATE_BUSY] = "productive", [PS_STATE_OVERHEAD] = "communication", [PS_STATE_IDLE] = "idle"};

/* Of all locations and the whole run. */
static double share_of_state(const ps_profile *p, int state)
{
        double sum = 0, all = (double)p->duration * p->n_rows;

        for (uint32_t i = 0; i < p->n_rows; i++)
                sum += (double)p->rows[i].state[state];
        return all > 0 ? sum / all : 0;
}

/* -- over time -- */

/* A profile that is as fine as a page has it makes a drawing without a script large for nothing: so many of
 * its bins are one in there. */
static uint32_t bins_in_one(const ps_profile *p)
{
        return p->n_queue_bins && p->n_bins == PS_PROFILE_BINS_FINE ? PS_PROFILE_BINS_FINE / PS_PROFILE_BINS
                                                                    : 1;
}

static uint32_t n_drawn(const ps_profile *p)
{
        return p->n_bins / bins_in_one(p);
}

/* Of the bins that are drawn as one. */
static double mean_of(const ps_profile *p, uint32_t i, double value(const ps_profile_bin *bin, unsigned what),
                      unsigned what)
{
        double sum = 0, length = 0;
        uint32_t n = bins_in_one(p);

        for (uint32_t bin = i * n; bin < (i + 1) * n; bin++) {
                sum += value(&p->bins[bin], what) * (double)p->bins[bin].inside;
                length += (double)p->bins[bin].inside;
        }
        return n == 1 ? value(&p->bins[i], what) : length > 0 ? sum / length : 0;
}

static double state_of_bin(const ps_profile_bin *bin, unsigned state)
{
        return bin->state[state];
}

static double traffic_of_bin(const ps_profile_bin *bin, unsigned is_bytes)
{
        return is_bytes ? bin->bytes : bin->messages;
}

static double state_at(const void *of, unsigned series, uint32_t i)
{
        return mean_of(of, i, state_of_bin, series);
}

static double traffic_at(const void *of, unsigned series, uint32_t i)
{
        return mean_of(of, i, traffic_of_bin, series);
}

/* Share of the time that exactly i are in the state. */
static double concurrency_at(const void *of, unsigned series, uint32_t i)
{
        const ps_profile *p = of;

        return p->duration > 0 ? (double)p->concurrency[series][i] / (double)p->duration : 0;
}

static void put_states(ps_doc *doc, const ps_profile *p)
{
        ps_doc_series series[PS_STATE_COUNT];
        char note[64], begin[PS_NUMBER_ROOM], end[PS_NUMBER_ROOM];

        snprintf(note, sizeof(note), "how many of %" PRIu32, p->n_rows);
        ps_text_duration(begin, p->span.begin);
        ps_text_duration(end, p->span.end);
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                series[state] = (ps_doc_series){.name = ps_state_names[state], .class = classes[state]};
                ps_text_share(series[state].told, share_of_state(p, state));
        }
        ps_doc_chart(doc, &(ps_doc_chart_spec){.title = "Utilization",
                                               .note = note,
                                               .begin = p->span.begin ? begin : NULL,
                                               .end = end,
                                               .series = series,
                                               .n_series = PS_STATE_COUNT,
                                               .n = n_drawn(p),
                                               .most = p->n_rows,
                                               .is_stacked = 1,
                                               .value = state_at,
                                               .of = p});
}

static void put_concurrency(ps_doc *doc, const ps_profile *p)
{
        ps_doc_series series[PS_STATE_COUNT];
        char end[PS_NUMBER_ROOM];

        if (!p->concurrency[0])
                return;
        ps_text_u64(end, p->n_rows);
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                double mean = share_of_state(p, state) * p->n_rows;
                series[state] = (ps_doc_series){.name = ps_state_names[state], .class = classes[state]};
                snprintf(series[state].told, sizeof(series[state].told), "%.*f on average", mean < 10 ? 2 : 1,
                         mean);
        }
        ps_doc_chart(doc, &(ps_doc_chart_spec){.title = "Concurrency",
                                               .note = "share of the time that so many are in the state",
                                               .end = end,
                                               .series = series,
                                               .n_series = PS_STATE_COUNT,
                                               .n = p->n_rows + 1,
                                               .most = 1,
                                               .is_counted = 1,
                                               .value = concurrency_at,
                                               .of = p});
}

static void put_traffic(ps_doc *doc, const ps_profile *p)
{
        ps_doc_series series[] = {{.name = "messages", .class = "traffic"},
                                  {.name = "bytes", .class = "traffic"}};
        const ps_peak *peaks[] = {&p->messages, &p->bytes};
        char begin[PS_NUMBER_ROOM], end[PS_NUMBER_ROOM];

        ps_text_count(series[0].told, p->n_messages);
        ps_text_count(series[1].told, p->n_bytes);
        ps_text_duration(begin, p->span.begin);
        ps_text_duration(end, p->span.end);
        ps_doc_chart(doc, &(ps_doc_chart_spec){
                                  .title = "Traffic",
                                  .note = "messages under way, from the send's begin to the receive's end",
                                  .begin = p->span.begin ? begin : NULL,
                                  .end = end,
                                  .series = series,
                                  .n_series = 2,
                                  .n = n_drawn(p),
                                  .value = traffic_at,
                                  .of = p});
        ps_doc_begin(doc, PS_DOC_P);
        for (int i = 0; i < 2; i++) {
                ps_doc_put(doc, PS_DOC_PLAIN, i ? ", " : "At most ");
                ps_doc_put_many(doc, peaks[i]->value, i ? "byte" : "message", i ? "bytes" : "messages");
                ps_doc_put(doc, PS_DOC_PLAIN, " at ");
                ps_doc_put_time(doc, PS_DOC_PLAIN, peaks[i]->at);
        }
        ps_doc_put(doc, PS_DOC_PLAIN, ".");
        ps_doc_end(doc);
}

/* -- by location -- */

static void put_location_row(ps_doc *doc, const ps_profile *p, const ps_profile_row *row,
                             const ps_location_def *at)
{
        ps_doc_part parts[PS_STATE_COUNT];

        ps_doc_row(doc, 0);
        ps_doc_cellf(doc, PS_DOC_PLAIN, "%" PRIu32 ".%" PRIu32, at->process, at->thread);
        for (int state = 0; state < PS_STATE_COUNT; state++) {
                parts[state] =
                        (ps_doc_part){classes[state], ps_state_names[state], (double)row->state[state]};
                ps_doc_cell_share(doc, p->duration > 0 ? parts[state].value / (double)p->duration : 0);
        }
        ps_doc_cell_count(doc, row->sent);
        ps_doc_cell_count(doc, row->sent_bytes);
        ps_doc_cell_count(doc, row->received);
        ps_doc_cell_count(doc, row->received_bytes);
        ps_doc_cell_count(doc, row->queue.value);
        ps_doc_cell_count(doc, row->queue_bytes.value);
        ps_doc_cell_begin(doc);
        ps_doc_put_bar(doc, parts, PS_STATE_COUNT, (double)p->duration);
}

static void put_locations(ps_doc *doc, const ps_profile *p, const ps_trace *trace)
{
        uint32_t most = ps_doc_most(doc, 0, ROWS_BRIEF, ROWS_PAGE), n = p->n_rows < most ? p->n_rows : most;

        ps_doc_begin_table(doc, PS_DOC_TABLE, "Locations (process.thread)",
                           "Process.thread|=Busy|=Overhead|=Idle|=Sent|+=Bytes|=Received|+=Bytes|?=Queue|"
                           "?=Bytes queued|+Time");
        for (uint32_t i = 0; i < n; i++)
                put_location_row(doc, p, &p->rows[i], &trace->defs.locations.row[p->rows[i].location]);
        ps_doc_end_table(doc);
        ps_doc_rest(doc, p->n_rows - n, "location", "locations",
                    "info --profile --report csv has all of them");
}

/* -- links -- */

static void put_links(ps_doc *doc, const ps_link_load *load, const char *network)
{
        size_t most = ps_doc_most(doc, 0, LINKS_BRIEF, ROWS_PAGE),
               n = load->n_rows < most ? load->n_rows : most;
        double hops = load->n_messages ? (double)load->n_hops / (double)load->n_messages : 0;

        ps_doc_begin_table(doc, PS_DOC_TABLE, "Links", "Link|Load|=Messages|=Bytes|Weight");
        for (size_t i = 0; i < n; i++) {
                const ps_link_load_row *link = &load->rows[i];
                ps_doc_row(doc, 0);
                ps_doc_cellf(doc, PS_DOC_PLAIN, "%" PRIu32 " to %" PRIu32, link->from, link->to);
                ps_doc_cell_begin(doc);
                ps_doc_put_bar(doc, &(ps_doc_part){"communication", "load", link->load}, 1,
                               load->rows[0].load);
                ps_doc_cell_count(doc, link->messages);
                ps_doc_cell_count(doc, link->bytes);
                ps_doc_cell_begin(doc);
                if (link->weight < 1 || link->weight > 1)
                        ps_doc_putf(doc, PS_DOC_PLAIN, "%g", link->weight);
        }
        ps_doc_end_table(doc);
        ps_doc_rest(doc, load->n_rows - n, "link", "links", "");
        ps_doc_say(doc, PS_DOC_P,
                   "%s: %zu of %" PRIu32 " links carry messages, which take %.2f of them on average.",
                   network, load->n_rows, load->n_links, hops);
}

ps_status ps_profile_show(ps_doc *doc, const ps_profile *p, const ps_trace *trace, const ps_link_load *links,
                          const char *network, ps_error *err)
{
        ps_status status = PS_OK;

        put_states(doc, p);
        put_concurrency(doc, p);
        put_locations(doc, p, trace);
        if (p->n_messages) {
                put_traffic(doc, p);
                status = ps_doc_flows(doc, "Messages", trace->defs.processes.n, p->pairs, p->n_pairs, err);
        }
        if (links && links->n_rows)
                put_links(doc, links, network);
        return status;
}
