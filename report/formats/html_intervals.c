/* html_intervals.c - see html_intervals.h. */
#include "report/formats/html_intervals.h"
#include "report/print/html.h"

#include <inttypes.h>

enum { DEEPEST = 8 };

/* What the maker of the tree did not tell, by the bit of PS_KNOWS_*. */
static const char *const reasons[] = {
        "time in the run-time system is not told from the program's own and is in CPU",
        "input and output are not told from the program's other time",
        "what was recorded does not say which work is done several times",
        "when each processor was through with an operation is not compared",
        "it is not told what went on while an operation was under way",
};

static const ps_interval_field communication_syn = {NULL, "SYN", "csyn",
                                                    offsetof(ps_interval_sums, synchronization_all_s), 0};

#define FIELD(name) &ps_interval_fields[PS_IF_##name]
const ps_html_row ps_html_rows[PS_HTML_ROWS] = {
        {FIELD(efficiency), {NULL}},
        {FIELD(execution_s), {NULL}},
        {FIELD(total_s), {NULL}},
        {FIELD(productive_s), {FIELD(productive_cpu_s), FIELD(productive_system_s), FIELD(io_s)}},
        {FIELD(lost_s), {NULL}},
        {FIELD(insufficient_s), {FIELD(insufficient_cpu_s), FIELD(insufficient_system_s)}},
        {FIELD(communication_all_s), {&communication_syn}},
        {FIELD(idle_s), {NULL}},
        {FIELD(imbalance_s), {NULL}},
        {FIELD(synchronization_all_s), {NULL}},
        {FIELD(variation_all_s), {NULL}},
        {FIELD(overlap_all_s), {NULL}},
};

/* -- values */

void ps_html_interval_value(ps_output *out, const ps_interval_field *field, double value)
{
        if (field == FIELD(efficiency))
                ps_html_share(out, value);
        else
                ps_html_duration(out, value);
}

void ps_html_interval_bar(ps_output *out, const ps_intervals *tree, const ps_interval_sums *sums, int is_told)
{
        ps_html_part parts[4];
        unsigned n = 0;

        parts[n++] = (ps_html_part){"productive", "productive", sums->productive_s};
        if (ps_interval_knows(tree, FIELD(insufficient_s)))
                parts[n++] = (ps_html_part){"insufficient", "insufficient parallelism", sums->insufficient_s};
        parts[n++] = (ps_html_part){"communication", "communication", sums->communication_all_s};
        parts[n++] = (ps_html_part){"idle", "idle", sums->idle_s};
        ps_html_bar(out, parts, n, sums->total_s, is_told);
}

/* A cell's id; in the whole run the anchor alone is one, too. */
static void open_cell(ps_output *out, uint32_t number, const char *anchor, const char *letter)
{
        if (!number)
                ps_output_printf(out, "<span id=\"%s%s\">", anchor, letter);
        ps_output_printf(out, "<data id=\"i%" PRIu32 "-%s%s\"", number, anchor, letter);
}

/* For programs; the text for people follows. */
static void put_number(ps_output *out, double value)
{
        ps_output_printf(out, " value=\"%.12g\">", value);
}

static void put_unknown(ps_output *out, unsigned known)
{
        ps_output_printf(out, " class=\"unknown\" title=\"Not known: %s.\">\xe2\x80\x93",
                         reasons[__builtin_ctz(known)]);
}

static void close_cell(ps_output *out, uint32_t number)
{
        ps_output_puts(out, number ? "</data>" : "</data></span>");
}

static void put_value(ps_output *out, const ps_html_intervals *page, uint32_t number,
                      const ps_interval_field *field)
{
        double value = ps_interval_value(&page->tree->row[page->row[number]].sums, field);

        open_cell(out, number, field->anchor, "");
        if (ps_interval_knows(page->tree, field)) {
                put_number(out, value);
                ps_html_interval_value(out, field, value);
        } else {
                put_unknown(out, field->known);
        }
        close_cell(out, number);
}

/* -- an interval */

/* Whether a link to it leads anywhere without a script. */
static int is_here(const ps_html_intervals *page, uint32_t number)
{
        return number != PS_NONE && page->told[number] & PS_HTML_LISTED;
}

static void put_step(ps_output *out, const ps_html_intervals *page, uint32_t number, const char *rel,
                     const char *title)
{
        if (!is_here(page, number))
                ps_output_printf(out, "<span>%s</span>", title);
        else
                ps_output_printf(out, "<a class=\"%s\" href=\"#interval-%" PRIu32 "\">%s</a>", rel, number,
                                 title);
}

static uint32_t number_of(const ps_html_intervals *page, uint32_t interval)
{
        return interval == PS_NONE ? PS_NONE : page->number[interval];
}

static void put_steps(ps_output *out, const ps_html_intervals *page, uint32_t number)
{
        const ps_interval *i = &page->tree->row[page->row[number]];

        ps_output_printf(out, "<nav class=\"steps\" aria-label=\"From interval %" PRIu32 "\">", number);
        put_step(out, page, number ? 0 : PS_NONE, "home", "Home");
        put_step(out, page, number_of(page, i->parent), "up", "Up");
        put_step(out, page, page->previous[number], "previous", "Previous");
        put_step(out, page, number_of(page, i->next), "next", "Next");
        put_step(out, page, number_of(page, i->first_child), "down", "Down");
        ps_output_puts(out, "</nav>\n");
}

static void put_title(ps_output *out, const ps_intervals *tree, uint32_t interval)
{
        char title[PS_INTERVAL_TITLE_ROOM];

        ps_interval_title(title, tree, interval);
        ps_html_text(out, title);
}

void ps_html_interval_expression(ps_output *out, const ps_intervals *tree, uint32_t interval,
                                 void (*put)(ps_output *out, const char *text))
{
        const ps_interval_key *key = &tree->row[interval].key;
        const char *name = ps_intervals_str(tree, key->name);

        put(out, name);
        if (key->has_index)
                ps_output_printf(out, "%s%" PRId64, *name ? ", " : "", key->index);
}

/* Cells: type, level, count, line, expression or name, file. */
static void put_key(ps_output *out, const ps_intervals *tree, uint32_t interval)
{
        const ps_interval *i = &tree->row[interval];

        ps_output_printf(out, "<td>%s</td><td class=\"n\">%" PRIu32 "</td><td class=\"n\">",
                         ps_interval_types[i->key.type].title, i->level);
        ps_html_count(out, i->count);
        ps_output_puts(out, "</td><td class=\"n\">");
        if (i->key.line)
                ps_output_printf(out, "%" PRIu32, i->key.line);
        ps_output_puts(out, "</td><td>");
        ps_html_interval_expression(out, tree, interval, ps_html_text);
        ps_output_puts(out, "</td><td class=\"file\">");
        ps_html_text(out, ps_intervals_str(tree, i->key.file));
        ps_output_puts(out, "</td>");
}

static void put_box(ps_output *out, const ps_html_intervals *page, uint32_t number)
{
        ps_html_begin_table(out, "key", "INTERVAL", "Type|=Level|=Count|=Line|Expression|File");
        ps_output_puts(out, "<tr>");
        put_key(out, page->tree, page->row[number]);
        ps_output_puts(out, "</tr>\n");
        ps_html_end_table(out);
}

static void put_row(ps_output *out, const ps_html_intervals *page, uint32_t number, const ps_html_row *row)
{
        const ps_interval_sums *sums = &page->tree->row[page->row[number]].sums;

        ps_output_printf(out, "<tr><th scope=\"row\">%s</th><td class=\"n\">", row->whole->title);
        put_value(out, page, number, row->whole);
        ps_output_puts(out, "</td><td class=\"n\">");
        if (row->whole != FIELD(efficiency) && row->whole != FIELD(execution_s) && sums->total_s > 0 &&
            ps_interval_knows(page->tree, row->whole))
                ps_html_share(out, ps_interval_value(sums, row->whole) / sums->total_s);
        ps_output_puts(out, "</td><td class=\"parts\">");
        for (unsigned p = 0; p < PS_HTML_PARTS && row->part[p]; p++) {
                ps_output_printf(out, "<span>%s ", row->part[p]->title);
                put_value(out, page, number, row->part[p]);
                ps_output_puts(out, "</span>");
        }
        ps_output_puts(out, "</td></tr>\n");
}

static void put_characteristics(ps_output *out, const ps_html_intervals *page, uint32_t number)
{
        ps_html_begin_table(out, "fields", "Characteristics", "Characteristic|=Value|=of total|Of which");
        ps_output_puts(out, "<tr><th scope=\"row\">Processors</th><td class=\"n\">");
        ps_html_count(out, page->tree->n_processors);
        ps_output_puts(out, "</td><td></td><td>");
        ps_html_interval_bar(out, page->tree, &page->tree->row[page->row[number]].sums, 0);
        ps_output_puts(out, "</td></tr>\n");
        for (unsigned i = 0; i < PS_HTML_ROWS; i++)
                put_row(out, page, number, &ps_html_rows[i]);
        ps_html_end_table(out);
}

/* A cell of the operations; `known` 0: it always is. */
static void put_operation(ps_output *out, const ps_html_intervals *page, uint32_t number, const char *anchor,
                          unsigned class, const double *seconds, unsigned known)
{
        ps_output_puts(out, "<td class=\"n\">");
        open_cell(out, number, anchor, ps_interval_classes[class].letter);
        if (known && !(page->tree->known & known)) {
                put_unknown(out, known);
        } else {
                put_number(out, seconds[class]);
                ps_html_duration(out, seconds[class]);
        }
        close_cell(out, number);
        ps_output_puts(out, "</td>");
}

static void put_class(ps_output *out, const ps_html_intervals *page, uint32_t number, unsigned c)
{
        const ps_interval_sums *sums = &page->tree->row[page->row[number]].sums;

        ps_output_printf(out, "<tr><th scope=\"row\">%s</th><td class=\"n\">", ps_interval_classes[c].title);
        open_cell(out, number, "nop", ps_interval_classes[c].letter);
        ps_output_printf(out, " value=\"%" PRIu64 "\">", sums->count[c]);
        ps_html_count(out, sums->count[c]);
        close_cell(out, number);
        ps_output_puts(out, "</td>");
        put_operation(out, page, number, "com", c, sums->communication_s, 0);
        put_operation(out, page, number, "synch", c, sums->synchronization_s, 0);
        put_operation(out, page, number, "vary", c, sums->variation_s, PS_KNOWS_VARIATION);
        put_operation(out, page, number, "over", c, sums->overlap_s, PS_KNOWS_OVERLAP);
        ps_output_puts(out, "</tr>\n");
}

static void put_operations(ps_output *out, const ps_html_intervals *page, uint32_t number)
{
        ps_html_begin_table(out, "operations", "Operations",
                            "Class|=# op|=Communications|=Synchronization|=Variation|=Overlap");
        for (unsigned c = 0; c < PS_IC_COUNT; c++)
                if (page->tree->classes >> c & 1)
                        put_class(out, page, number, c);
        ps_html_end_table(out);
}

/* In both tables of intervals. */
static void put_sums(ps_output *out, const ps_interval_sums *sums)
{
        ps_output_puts(out, "<td class=\"n\">");
        ps_html_duration(out, sums->execution_s);
        ps_output_puts(out, "</td><td class=\"n\">");
        ps_html_share(out, sums->efficiency);
        ps_output_puts(out, "</td><td class=\"n\">");
        ps_html_duration(out, sums->lost_s);
        ps_output_puts(out, "</td>");
}

static void put_link(ps_output *out, const ps_html_intervals *page, uint32_t number)
{
        ps_output_printf(out, "<a href=\"#interval-%" PRIu32 "\">", number);
        put_title(out, page->tree, page->row[number]);
        ps_output_puts(out, "</a></th>");
}

static void put_nested(ps_output *out, const ps_html_intervals *page, uint32_t number)
{
        const ps_intervals *tree = page->tree;
        uint32_t i = tree->row[page->row[number]].first_child, left = 0;

        if (number_of(page, i) == PS_NONE)
                return;
        ps_html_begin_table(out, "nested sort", "Nested intervals",
                            "Go|Type|=Level|=Count|=Line|Expression|File|=Execution|=Efficiency|=Lost");
        for (; i != PS_NONE; i = tree->row[i].next) {
                if (!is_here(page, page->number[i])) {
                        left++;
                        continue;
                }
                ps_output_puts(out, "<tr><th scope=\"row\">");
                put_link(out, page, page->number[i]);
                put_key(out, tree, i);
                put_sums(out, &tree->row[i].sums);
                ps_output_puts(out, "</tr>\n");
        }
        ps_html_end_table(out);
        if (left)
                ps_output_printf(out,
                                 "<p class=\"left\">And %" PRIu32 " that lost less; --report json has all "
                                 "of them.</p>\n",
                                 left);
}

static ps_status put_interval(ps_output *out, const ps_html_intervals *page, uint32_t number, ps_error *err)
{
        ps_status status = PS_OK;

        ps_output_printf(out,
                         "<article class=\"interval\" id=\"interval-%" PRIu32 "\" tabindex=\"-1\" "
                         "aria-labelledby=\"title-%" PRIu32 "\">\n",
                         number, number);
        put_steps(out, page, number);
        ps_output_printf(out, "<h3 id=\"title-%" PRIu32 "\">Interval %" PRIu32 ": ", number, number);
        put_title(out, page->tree, page->row[number]);
        ps_output_puts(out, "</h3>\n<div class=\"columns\">\n<div>\n");
        put_box(out, page, number);
        put_characteristics(out, page, number);
        ps_output_puts(out, "</div>\n<div>\n");
        put_operations(out, page, number);
        ps_output_puts(out, "</div>\n</div>\n");
        put_nested(out, page, number);
        if (page->told[number] & PS_HTML_DETAILED)
                status = ps_html_processors_write(page, number, out, err);
        ps_output_puts(out, "</article>\n");
        return status;
}

/* -- all of them */

static void put_overview_row(ps_output *out, const ps_html_intervals *page, uint32_t number)
{
        const ps_interval *i = &page->tree->row[page->row[number]];

        if (page->told[number] & PS_HTML_WRITTEN)
                ps_output_puts(out, "<tr>");
        else
                ps_output_printf(out, "<tr id=\"interval-%" PRIu32 "\">", number);
        ps_output_printf(out, "<th scope=\"row\" class=\"d%u\">", i->level < DEEPEST ? i->level : DEEPEST);
        put_link(out, page, number);
        ps_output_puts(out, "<td class=\"n\">");
        ps_html_count(out, i->count);
        ps_output_puts(out, "</td>");
        put_sums(out, &i->sums);
        ps_output_printf(out, "<td>%s</td><td>", ps_interval_main_loss(&i->sums));
        ps_html_interval_bar(out, page->tree, &i->sums, 0);
        ps_output_puts(out, "</td></tr>\n");
}

static void put_overview(ps_output *out, const ps_html_intervals *page)
{
        ps_html_begin_table(out, "overview sort", "All intervals",
                            "Interval|=Count|=Execution|=Efficiency|=Lost|Mostly|Total time");
        for (uint32_t n = 0; n < page->n && !ps_output_failed(out); n++)
                if (page->told[n] & PS_HTML_LISTED)
                        put_overview_row(out, page, n);
        ps_html_end_table(out);
}

/* What stands of the intervals in the page, unless all does. */
static void put_limits(ps_output *out, const ps_html_intervals *page)
{
        if (page->n_listed < page->n)
                ps_output_printf(out,
                                 "<p class=\"unlisted\">The %" PRIu32 " of %" PRIu32
                                 " intervals that lost most; --report json has all of them.</p>\n",
                                 page->n_listed, page->n);
        if (page->n_written < page->n)
                ps_output_printf(out,
                                 "<p class=\"scriptless\">Without a script and in print, only the %" PRIu32
                                 " intervals that lost most are told in full.</p>\n",
                                 page->n_written);
        if (page->n_detailed < page->n)
                ps_output_printf(out,
                                 "<p>The processors are told of the %" PRIu32
                                 " intervals that lost most; --report json has all of them.</p>\n",
                                 page->n_detailed);
}

ps_status ps_html_intervals_write(const ps_intervals *tree, uint32_t most, ps_output *out, ps_error *err)
{
        ps_html_intervals page;
        ps_status status = ps_html_intervals_arrange(&page, tree, most, err);

        if (status != PS_OK)
                goto out;
        ps_output_puts(out, "<section id=\"intervals\">\n<h2>Intervals</h2>\n"
                            "<p class=\"legend\"><span class=\"productive\">productive</span>"
                            "<span class=\"insufficient\">insufficient parallelism</span>"
                            "<span class=\"communication\">communication</span>"
                            "<span class=\"idle\">idle</span></p>\n");
        put_overview(out, &page);
        put_limits(out, &page);
        for (uint32_t n = 0; n < page.n && status == PS_OK && !ps_output_failed(out); n++)
                if (page.told[n] & PS_HTML_WRITTEN)
                        status = put_interval(out, &page, n, err);
        ps_output_puts(out, "</section>\n");
        if (status == PS_OK && page.n_written < page.n)
                status = ps_html_interval_data_write(&page, out, err);
out:
        ps_html_intervals_clear(&page);
        return status;
}
