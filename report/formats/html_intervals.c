/* html_intervals.c - see html_intervals.h. */
#include "report/formats/html_intervals.h"
#include "report/document/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const ps_interval_field communication_syn = {NULL, "of it to synchronize (SYN)", "csyn",
                                                    offsetof(ps_interval_sums, synchronization_all_s), 0};

#define FIELD(name) &ps_interval_fields[PS_IF_##name]
const ps_html_field ps_html_fields[PS_HTML_FIELDS] = {
        {FIELD(efficiency), 0},
        {FIELD(execution_s), 0},
        {FIELD(total_s), 0},
        {FIELD(productive_s), 0},
        {FIELD(productive_cpu_s), 1},
        {FIELD(productive_system_s), 1},
        {FIELD(io_s), 1},
        {FIELD(lost_s), 0},
        {FIELD(insufficient_s), 0},
        {FIELD(insufficient_cpu_s), 1},
        {FIELD(insufficient_system_s), 1},
        {FIELD(communication_all_s), 0},
        {&communication_syn, 1},
        {FIELD(idle_s), 0},
        {FIELD(imbalance_s), 0},
        {FIELD(synchronization_all_s), 0},
        {FIELD(variation_all_s), 0},
        {FIELD(overlap_all_s), 0},
};

const ps_html_operation ps_html_operations[PS_HTML_OPERATIONS] = {
        {"nop", "Operations", 0, 0},
        {"com", "Communications", offsetof(ps_interval_sums, communication_s), 0},
        {"synch", "Synchronization", offsetof(ps_interval_sums, synchronization_s), 0},
        {"vary", "Variation", offsetof(ps_interval_sums, variation_s), PS_KNOWS_VARIATION},
        {"over", "Overlap", offsetof(ps_interval_sums, overlap_s), PS_KNOWS_OVERLAP},
};

double ps_html_operation_value(const ps_interval_sums *sums, const ps_html_operation *operation,
                               unsigned class)
{
        double value;

        if (operation == ps_html_operations)
                return (double)sums->count[class];
        memcpy(&value, (const char *)sums + operation->offset + class * sizeof(value), sizeof(value));
        return value;
}

const char *ps_html_reason(unsigned known)
{
        static const char *const reasons[] = {
                "time in the run-time system cannot be told apart from the program's own; it is in CPU",
                "input and output cannot be told apart from the program's other time",
                "the recording does not say which work was done several times",
                "when each processor finished an operation is not compared",
                "the recording does not say what went on while an operation was under way",
        };

        return reasons[__builtin_ctz(known)];
}

/* -- those that lost most, with all that is known of them, for readers without a script -- */

/* A cell's id; in the whole run the anchor alone is one, too. */
static void open_cell(ps_output *out, uint32_t number, const char *anchor, const char *letter)
{
        ps_output_puts(out, "<td class=\"n\">");
        if (!number)
                ps_output_printf(out, "<span id=\"%s%s\">", anchor, letter);
        ps_output_printf(out, "<data id=\"i%" PRIu32 "-%s%s\"", number, anchor, letter);
}

static void close_cell(ps_output *out, uint32_t number)
{
        ps_output_puts(out, number ? "</data></td>" : "</data></span></td>");
}

static void put_unknown(ps_output *out, unsigned known)
{
        ps_output_printf(out, " class=\"unknown\" title=\"Not known: %s.\">\xe2\x80\x93",
                         ps_html_reason(known));
}

static void put_field(ps_output *out, const ps_html_intervals *page, uint32_t number,
                      const ps_interval_field *field)
{
        double value = ps_interval_value(&page->tree->row[page->row[number]].sums, field);

        open_cell(out, number, field->anchor, "");
        if (!ps_interval_knows(page->tree, field)) {
                put_unknown(out, field->known);
        } else {
                ps_output_printf(out, " value=\"%.12g\">", value);
                (field == FIELD(efficiency) ? ps_html_share : ps_html_duration)(out, value);
        }
        close_cell(out, number);
}

static void put_operation(ps_output *out, const ps_html_intervals *page, uint32_t number, unsigned class,
                          const ps_html_operation *o)
{
        const ps_interval_sums *sums = &page->tree->row[page->row[number]].sums;

        open_cell(out, number, o->anchor, ps_interval_classes[class].letter);
        if (o->known && !(page->tree->known & o->known)) {
                put_unknown(out, o->known);
        } else if (o == ps_html_operations) {
                ps_output_printf(out, " value=\"%" PRIu64 "\">", sums->count[class]);
                ps_html_count(out, sums->count[class]);
        } else {
                ps_output_printf(out, " value=\"%.12g\">", ps_html_operation_value(sums, o, class));
                ps_html_duration(out, ps_html_operation_value(sums, o, class));
        }
        close_cell(out, number);
}

static void put_heads(ps_output *out, const ps_intervals *tree)
{
        ps_html_open_table(out, "all", "Characteristics", 0);
        ps_output_puts(out, "<tr><th scope=\"col\">Interval</th>");
        for (unsigned f = 0; f < PS_HTML_FIELDS; f++)
                ps_output_printf(out, "<th scope=\"col\" class=\"n\">%s</th>",
                                 ps_html_fields[f].field->title);
        for (unsigned c = 0; c < PS_IC_COUNT; c++)
                for (unsigned o = 0; o < PS_HTML_OPERATIONS && tree->classes >> c & 1; o++)
                        ps_output_printf(out, "<th scope=\"col\" class=\"n\">%s: %s</th>",
                                         ps_interval_classes[c].title, ps_html_operations[o].title);
        ps_output_puts(out, "</tr></thead>\n<tbody>\n");
}

static void put_interval(ps_output *out, const ps_html_intervals *page, uint32_t number)
{
        char title[PS_INTERVAL_TITLE_ROOM];

        ps_interval_title(title, page->tree, page->row[number]);
        ps_output_printf(out, "<tr id=\"interval-%" PRIu32 "\"><th scope=\"row\">", number);
        ps_html_text(out, title);
        ps_output_puts(out, "</th>");
        for (unsigned f = 0; f < PS_HTML_FIELDS; f++)
                put_field(out, page, number, ps_html_fields[f].field);
        for (unsigned c = 0; c < PS_IC_COUNT; c++)
                for (unsigned o = 0; o < PS_HTML_OPERATIONS && page->tree->classes >> c & 1; o++)
                        put_operation(out, page, number, c, &ps_html_operations[o]);
        ps_output_puts(out, "</tr>\n");
}

static void put_written(ps_output *out, const ps_html_intervals *page)
{
        ps_output_puts(out, "<div class=\"scriptless\">\n");
        put_heads(out, page->tree);
        for (uint32_t n = 0; n < page->n && !ps_output_failed(out); n++)
                if (page->told[n] & PS_HTML_WRITTEN)
                        put_interval(out, page, n);
        ps_html_end_table(out);
        if (page->n_written < page->n)
                ps_output_printf(out,
                                 "<p>Without a script and in print, only the %" PRIu32
                                 " intervals that lost most are told in full.</p>\n",
                                 page->n_written);
        ps_output_puts(out, "</div>\n");
}

/* -- all of them -- */

/* What became of the total time. */
static void put_bar(ps_doc *doc, const ps_intervals *tree, const ps_interval_sums *sums)
{
        ps_doc_part parts[4];
        unsigned n = 0;

        parts[n++] = (ps_doc_part){"productive", "productive", sums->productive_s};
        if (ps_interval_knows(tree, FIELD(insufficient_s)))
                parts[n++] = (ps_doc_part){"insufficient", "insufficient parallelism", sums->insufficient_s};
        parts[n++] = (ps_doc_part){"communication", "communication", sums->communication_all_s};
        parts[n++] = (ps_doc_part){"idle", "idle", sums->idle_s};
        ps_doc_put_bar(doc, parts, n, sums->total_s);
}

static void put_listed(ps_doc *doc, const ps_html_intervals *page)
{
        ps_intervals_show_heads(doc);
        for (uint32_t n = 0; n < page->n; n++) {
                char id[PS_DOC_ID_ROOM];
                if (!(page->told[n] & PS_HTML_LISTED))
                        continue;
                snprintf(id, sizeof(id), "interval-%" PRIu32, n);
                ps_intervals_show_row(doc, page->tree, page->row[n], id);
                if (!(page->told[n] & PS_HTML_WRITTEN))
                        ps_doc_row_id(doc, id);
                ps_doc_cell_begin(doc);
                put_bar(doc, page->tree, &page->tree->row[page->row[n]].sums);
        }
        ps_doc_end_table(doc);
}

/* What stands of the intervals in the page, unless all does. */
static void put_limits(ps_output *out, const ps_html_intervals *page)
{
        if (page->n_listed < page->n)
                ps_output_printf(out,
                                 "<p class=\"unlisted\">The %" PRIu32 " of %" PRIu32
                                 " intervals that lost most; --report json has all of them.</p>\n",
                                 page->n_listed, page->n);
        if (page->n_detailed < page->n)
                ps_output_printf(out,
                                 "<p>The processors are told of the %" PRIu32
                                 " intervals that lost most; --report json has all of them.</p>\n",
                                 page->n_detailed);
}

ps_status ps_html_intervals_show(ps_doc *doc, const ps_intervals *tree, uint32_t most, ps_error *err)
{
        ps_html_intervals page;
        ps_status status = ps_html_intervals_arrange(&page, tree, most, err);
        ps_output *out = ps_doc_page(doc);

        if (status == PS_OK) {
                ps_output_puts(out, "<p class=\"legend\"><span class=\"productive\">productive</span>"
                                    "<span class=\"insufficient\">insufficient parallelism</span>"
                                    "<span class=\"communication\">communication</span>"
                                    "<span class=\"idle\">idle</span></p>\n");
                put_listed(doc, &page);
                put_limits(out, &page);
                put_written(out, &page);
                status = ps_html_interval_data_write(&page, out, err);
        }
        ps_html_intervals_clear(&page);
        return status;
}
