/* compare_html.c - a comparison as one page for a browser, in the style of the report: see html.h. */
#include "report/facts/run_name.h"
#include "report/print/html.h"
#include "report/subjects/compare_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { ROWS_SHOWN = 1000 };

static uint32_t most_of(const ps_compare *c, uint32_t n)
{
        uint32_t most = c->options.top ? c->options.top : ROWS_SHOWN;

        return n < most ? n : most;
}

/* Nothing is left out in silence. */
static void put_rest(ps_output *out, const ps_compare *c, uint32_t n)
{
        if (most_of(c, n) < n)
                ps_output_printf(out, "<p>And %" PRIu32 " more; --report json has all of them.</p>\n",
                                 n - most_of(c, n));
}

static void put_cell(ps_output *out, const char *text)
{
        ps_output_puts(out, "<td class=\"n\">");
        ps_html_text(out, text);
        ps_output_puts(out, "</td>");
}

static void put_name(ps_output *out, const char *name)
{
        ps_output_puts(out, "<tr><th scope=\"row\">");
        ps_html_text(out, name);
        ps_output_puts(out, "</th>");
}

static void put_two(ps_output *out, ps_two two)
{
        char room[PS_NUMBER_ROOM];

        put_cell(out, ps_compare_seconds(room, two.measured));
        put_cell(out, ps_compare_seconds(room, two.predicted));
        put_cell(out, ps_compare_difference(room, two));
}

static void end_row(ps_output *out)
{
        ps_output_puts(out, "</tr>\n");
}

static void put_paragraph(ps_output *out, const char *class, const char *text)
{
        if (!*text)
                return;
        ps_output_printf(out, *class ? "<p class=\"%s\">" : "<p>", class);
        ps_html_text(out, text);
        ps_output_puts(out, "</p>\n");
}

static void put_errors(ps_output *out, const ps_errors *errors)
{
        char room[PS_COMPARE_VERDICT_ROOM], text[PS_COMPARE_VERDICT_ROOM + 16];

        if (!*ps_compare_errors_text(room, errors))
                return;
        snprintf(text, sizeof(text), "Errors: %s.", room);
        put_paragraph(out, "", text);
}

/* `name`|measured|predicted|difference|`more` */
static void begin_table(ps_output *out, const ps_compare *c, const char *caption, const char *name,
                        const char *more)
{
        char heads[200];

        snprintf(heads, sizeof(heads), "%s|=%s|=%s|=Difference%s", name,
                 ps_compare_side_title(c, PS_MEASURED), ps_compare_side_title(c, PS_PREDICTED), more);
        ps_html_begin_table(out, "sort", caption, heads);
}

/* -- the verdict */

static void put_run(ps_output *out, const ps_compare *c, ps_run_role side)
{
        const ps_run *run = c->run[side];
        char room[PS_COMPARE_VERDICT_ROOM];

        ps_output_printf(out, "<p>%s: <code>", ps_compare_side_title(c, side));
        ps_html_text(out, run->path);
        ps_output_puts(out, "</code>, ");
        ps_html_text(out, ps_compare_run_text(room, run));
        if (run->machine || run->formula) {
                ps_output_puts(out, "; machine ");
                ps_html_text(out, run->machine ? run->machine : "");
                ps_output_puts(out, run->formula ? ": <code>" : "");
                ps_html_text(out, run->formula ? run->formula : "");
                ps_output_puts(out, run->formula ? "</code>" : "");
        }
        if (run->machine_source) {
                ps_output_puts(out, "; source: ");
                ps_html_text(out, run->machine_source);
        }
        ps_output_puts(out, "</p>\n");
}

static const char *title_of(char room[PS_RUN_NAME_ROOM], const ps_run *run)
{
        return *ps_run_name(room, run->path) ? room : run->path;
}

static void put_header(ps_output *out, const ps_compare *c)
{
        char room[PS_RUN_NAME_ROOM];

        ps_output_puts(out, "<header>\n<h1>");
        ps_html_text(out, title_of(room, c->run[PS_MEASURED]));
        ps_output_puts(out, " and ");
        ps_html_text(out, title_of(room, c->run[PS_PREDICTED]));
        ps_output_puts(out, "</h1>\n");
        put_run(out, c, PS_MEASURED);
        put_run(out, c, PS_PREDICTED);
        ps_output_puts(out, "<nav aria-label=\"Sections\"><a href=\"#verdict\">Verdict</a>"
                            "<a href=\"#parts\">Parts</a>");
        if (c->intervals.n)
                ps_output_puts(out, "<a href=\"#intervals\">Intervals</a>");
        if (c->ranks.n)
                ps_output_puts(out, "<a href=\"#ranks\">Ranks</a>");
        if (c->sizes.n)
                ps_output_puts(out, "<a href=\"#messages\">Messages</a>");
        if (c->patterns.n || c->sites.n)
                ps_output_puts(out, "<a href=\"#findings\">Findings</a>");
        ps_output_puts(out, "</nav>\n</header>\n<main>\n");
}

static void put_verdict(ps_output *out, const ps_compare *c)
{
        char room[PS_COMPARE_VERDICT_ROOM], note[PS_COMPARE_NOTE_ROOM], number[PS_NUMBER_ROOM];

        ps_output_puts(out, "<section id=\"verdict\">\n<h2>Verdict</h2>\n<p class=\"big\"><strong>");
        ps_html_text(out, ps_compare_difference(number, c->duration));
        ps_output_puts(out, "</strong> (");
        ps_html_text(out, ps_compare_change(number, ps_errors_signed(c->duration)));
        ps_output_printf(out, "): %s ", ps_compare_side_name(c, PS_MEASURED));
        ps_html_text(out, ps_compare_seconds(number, c->duration.measured));
        ps_output_printf(out, ", %s ", ps_compare_side_name(c, PS_PREDICTED));
        ps_html_text(out, ps_compare_seconds(number, c->duration.predicted));
        ps_output_puts(out, ".</p>\n");
        put_paragraph(out, c->total_exceeded || c->intervals_exceeded ? "warning" : "",
                      ps_compare_verdict(room, c));
        for (unsigned i = 0; ps_compare_note(note, c, i); i++)
                put_paragraph(out, "warning", ps_compare_note(note, c, i));
        put_paragraph(out, "", ps_compare_parting(room, c));
        ps_output_puts(out, "</section>\n");
}

/* -- what it consists of */

static void put_parts(ps_output *out, const ps_compare *c)
{
        char room[PS_NUMBER_ROOM];

        ps_output_puts(out, "<section id=\"parts\">\n<h2>What the difference consists of</h2>\n");
        if (isnan(c->part[0].measured) || isnan(c->part[0].predicted)) {
                put_paragraph(out, "", "A saved report does not tell what its processors did.");
        } else {
                begin_table(out, c, "Mean of a rank", "Part", "|=Share of it");
                for (int part = 0; part < PS_PARTS; part++) {
                        ps_two two = c->part[part];
                        put_name(out, ps_parts[part].title);
                        put_two(out, two);
                        put_cell(out,
                                 ps_compare_percent(room, ps_compare_share(c, two.predicted - two.measured)));
                        end_row(out);
                }
                ps_html_end_table(out);
        }
        ps_output_puts(out, "</section>\n");
}

static void put_contributions(ps_output *out, const ps_compare *c)
{
        char room[PS_NUMBER_ROOM], name[PS_COMPARE_NAME_ROOM];

        if (!c->n_contributions)
                return;
        ps_html_begin_table(out, "sort", "Most of the difference, mean of a rank",
                            "Interval|Part|=Difference|=Share of it");
        for (unsigned i = 0; i < c->n_contributions; i++) {
                const ps_contribution *one = &c->contribution[i];
                put_name(out, ps_compare_contribution_name(name, c, one));
                ps_output_printf(out, "<td>%s</td>", ps_parts[one->part].title);
                put_cell(out, ps_compare_signed(room, one->difference_s));
                put_cell(out, ps_compare_percent(room, ps_compare_share(c, one->difference_s)));
                end_row(out);
        }
        ps_html_end_table(out);
}

/* -- tables */

static void put_place(ps_output *out, const char *file, uint32_t line)
{
        ps_output_puts(out, "<td class=\"file\">");
        if (file && *file) {
                ps_html_text(out, file);
                if (line)
                        ps_output_printf(out, ":%" PRIu32, line);
        }
        ps_output_puts(out, "</td>");
}

static void put_interval(ps_output *out, const ps_compare *c, const ps_compared_interval *i)
{
        const ps_run_interval *row = ps_compare_interval_row(c, i);
        char room[PS_NUMBER_ROOM], name[PS_COMPARE_NAME_ROOM];
        int is_in[] = {i->row[PS_MEASURED] != PS_NONE, i->row[PS_PREDICTED] != PS_NONE};

        put_name(out, ps_compare_interval_name(name, c, i));
        put_two(out, i->execution);
        put_cell(out, is_in[0] && is_in[1] ? ps_compare_change(room, ps_errors_signed(i->execution))
                                           : ps_compare_where(c, is_in[0], is_in[1]));
        put_cell(out, ps_compare_difference(room, i->work));
        put_cell(out, ps_compare_difference(room, i->wait));
        snprintf(room, sizeof(room), "%" PRIu32, i->worst);
        put_cell(out, i->worst == PS_NONE ? "" : room);
        put_cell(out, i->worst == PS_NONE ? "" : ps_compare_difference(room, i->worst_work));
        put_place(out, row->file, row->line);
        end_row(out);
}

static void put_intervals(ps_output *out, const ps_compare *c)
{
        if (!c->intervals.n)
                return;
        ps_output_puts(out, "<section id=\"intervals\">\n<h2>Intervals</h2>\n");
        put_contributions(out, c);
        begin_table(out, c, "By the work that differs", "Interval",
                    "|=Change|=Own work|=Own waiting|=Worst rank|=Its work|Place");
        for (uint32_t i = 0; i < most_of(c, c->intervals.n) && !ps_output_failed(out); i++)
                put_interval(out, c, &c->intervals.row[i]);
        ps_html_end_table(out);
        put_rest(out, c, c->intervals.n);
        put_errors(out, &c->interval_errors);
        ps_output_puts(out, "</section>\n");
}

static void put_ranks(ps_output *out, const ps_compare *c)
{
        char room[PS_NUMBER_ROOM], m[PS_NUMBER_ROOM], p[PS_NUMBER_ROOM], text[PS_COMPARE_VERDICT_ROOM];

        if (!c->ranks.n)
                return;
        ps_output_puts(out, "<section id=\"ranks\">\n<h2>Ranks</h2>\n");
        snprintf(text, sizeof(text), "Imbalance of calculating %s and %s.",
                 ps_compare_percent(m, c->imbalance.measured), ps_compare_percent(p, c->imbalance.predicted));
        put_paragraph(out, "", text);
        snprintf(text, sizeof(text), "Order of the ranks by it: correlation %.3f.", c->spearman);
        put_paragraph(out, "", isnan(c->spearman) ? "" : text);
        begin_table(out, c, "Work without waiting", "Rank", "|=Of waiting");
        for (uint32_t i = 0; i < most_of(c, c->ranks.n) && !ps_output_failed(out); i++) {
                const ps_compared_rank *rank = &c->ranks.row[i];
                snprintf(text, 60, "%" PRIu32 " and %" PRIu32, rank->processor[PS_MEASURED],
                         rank->processor[PS_PREDICTED]);
                snprintf(room, sizeof(room), "%" PRIu32, rank->processor[PS_MEASURED]);
                put_name(out, rank->processor[PS_MEASURED] == rank->processor[PS_PREDICTED] ? room : text);
                put_two(out, rank->work);
                put_cell(out, ps_compare_difference(room, rank->wait));
                end_row(out);
        }
        ps_html_end_table(out);
        put_rest(out, c, c->ranks.n);
        ps_output_puts(out, "</section>\n");
}

static void put_messages(ps_output *out, const ps_compare *c)
{
        char room[PS_NUMBER_ROOM];

        if (!c->sizes.n)
                return;
        ps_output_puts(out, "<section id=\"messages\">\n<h2>Messages</h2>\n");
        begin_table(out, c, "Median time, by size", "Bytes", "|=Log error|=How many");
        for (uint32_t i = 0; i < c->sizes.n; i++) {
                put_name(out, ps_compare_bytes(room, &c->sizes.row[i]));
                put_two(out, c->sizes.row[i].median);
                put_cell(out, ps_compare_percent(room, c->sizes.row[i].errors.mean_log));
                ps_text_count(room, c->sizes.row[i].n);
                put_cell(out, room);
                end_row(out);
        }
        ps_html_end_table(out);
        put_errors(out, &c->message_errors);
        ps_output_puts(out, "</section>\n");
}

static void put_findings(ps_output *out, const ps_compare *c)
{
        if (!c->patterns.n && !c->sites.n)
                return;
        ps_output_puts(out, "<section id=\"findings\">\n<h2>Findings</h2>\n");
        begin_table(out, c, "Patterns, time lost by all ranks", "Pattern", "");
        for (uint32_t i = 0; i < c->patterns.n; i++) {
                put_name(out, ps_compare_pattern_row(&c->patterns.row[i])->title);
                put_two(out, c->patterns.row[i].lost);
                end_row(out);
        }
        ps_html_end_table(out);
        begin_table(out, c, "Places", "Pattern", "|Call|Place|In");
        for (uint32_t i = 0; i < most_of(c, c->sites.n) && !ps_output_failed(out); i++) {
                const ps_compared_site *site = &c->sites.row[i];
                const ps_run_site *row = ps_compare_site_row(site);
                put_name(out, ps_compare_site_title(row));
                put_two(out, site->lost);
                ps_output_puts(out, "<td>");
                ps_html_text(out, row->call);
                ps_output_puts(out, "</td>");
                put_place(out, row->file, row->line);
                ps_output_printf(
                        out, "<td>%s</td>",
                        ps_compare_where(c, site->row[PS_MEASURED] != NULL, site->row[PS_PREDICTED] != NULL));
                end_row(out);
        }
        ps_html_end_table(out);
        put_rest(out, c, c->sites.n);
        ps_output_puts(out, "</section>\n");
}

ps_status ps_compare_write_html(const ps_compare *c, ps_output *out, ps_error *err)
{
        char measured[PS_RUN_NAME_ROOM], predicted[PS_RUN_NAME_ROOM], title[2 * PS_RUN_NAME_ROOM + 8];

        (void)err;
        snprintf(title, sizeof(title), "%s and %s", title_of(measured, c->run[PS_MEASURED]),
                 title_of(predicted, c->run[PS_PREDICTED]));
        ps_html_begin_page(out, title);
        put_header(out, c);
        put_verdict(out, c);
        put_parts(out, c);
        put_intervals(out, c);
        put_ranks(out, c);
        put_messages(out, c);
        put_findings(out, c);
        ps_html_end_page(out);
        return PS_OK;
}
