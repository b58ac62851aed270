/* html.c - the report as one page for a browser, which needs nothing else: no network, no other file.
 * Without its script everything can still be read. */
#include "report/print/html.h"
#include "report/facts/sites.h"
#include "report/facts/verdict.h"
#include "report/formats/html_intervals.h"
#include "report/formats/html_profile.h"

#include <inttypes.h>
#include <string.h>

enum { SITES_SHOWN = 100, DEEPEST = 8 };

static const char *title_of(const ps_report *report)
{
        return report->settings.trace_path ? report->settings.trace_path : "";
}

static double seconds(ps_time time)
{
        return (double)time / (double)PS_PS_PER_S;
}

static void put_count(ps_output *out, uint64_t n, const char *one, const char *many)
{
        ps_html_count(out, n);
        ps_output_printf(out, " %s", n == 1 ? one : many);
}

/* Then there are no times to tell of. */
static int never_ends(const ps_report *report)
{
        return report->settings.prediction && report->settings.prediction->deadlock;
}

static int tells(const ps_report *report, const void *part)
{
        return part && !never_ends(report);
}

static void put_run(ps_output *out, const ps_report *report)
{
        const ps_trace *trace = report->trace;
        uint32_t n_threads = report->overview.n_locations[PS_LOCATION_CPU];

        ps_output_puts(out, "<header>\n<h1>");
        ps_html_text(out, title_of(report));
        ps_output_puts(out, "</h1>\n<p>");
        put_count(out, trace->defs.processes.n, "rank", "ranks");
        if (n_threads > trace->defs.processes.n) {
                ps_output_puts(out, ", ");
                put_count(out, n_threads, "thread", "threads");
        }
        if (report->overview.n_nodes > 1) {
                ps_output_puts(out, " on ");
                put_count(out, report->overview.n_nodes, "node", "nodes");
        }
        ps_output_puts(out, ", ");
        ps_html_duration(out, seconds(report->timing->duration));
        ps_output_puts(out, report->is_predicted ? " (predicted), " : ", ");
        put_count(out, trace->n_operations, "operation", "operations");
        ps_output_puts(out, "</p>\n<nav aria-label=\"Sections\">");
        if (report->settings.prediction)
                ps_output_puts(out, "<a href=\"#prediction\">Prediction</a>");
        if (!never_ends(report))
                ps_output_puts(out, "<a href=\"#verdict\">Verdict</a>");
        if (report->n_findings)
                ps_output_puts(out, "<a href=\"#patterns\">Patterns</a><a href=\"#findings\">Findings</a>");
        if (ps_issues_total(&report->trace->issues))
                ps_output_puts(out, "<a href=\"#issues\">Issues</a>");
        ps_output_puts(out, "<a href=\"#settings\">Settings</a>");
        if (tells(report, report->settings.intervals))
                ps_output_puts(out, "<a href=\"#intervals\">Intervals</a>");
        if (tells(report, report->settings.profile))
                ps_output_puts(out, "<a href=\"#profile\">Over time</a>");
        ps_output_puts(out, "</nav>\n</header>\n<main>\n");
}

/* -- the verdict */

static void put_efficiency(ps_output *out, const ps_efficiency *e)
{
        if (!e->is_known)
                return;
        ps_output_puts(out, "<p>Efficiency ");
        ps_html_share(out, e->parallel);
        ps_output_puts(out, ": load balance ");
        ps_html_share(out, e->load_balance);
        ps_output_puts(out, " &#215; communication ");
        ps_html_share(out, e->communication);
        if (e->is_split) {
                ps_output_puts(out, " (serialization ");
                ps_html_share(out, e->serialization);
                ps_output_puts(out, " &#215; transfer ");
                ps_html_share(out, e->transfer);
                ps_output_putc(out, ')');
        }
        ps_output_puts(out, ".</p>\n");
}

static void put_lost(ps_output *out, const ps_report *report)
{
        ps_output_puts(out, "<p class=\"big\"><strong>");
        ps_html_share(out, report->total_share);
        ps_output_puts(out, "</strong> of all time was lost: ");
        ps_html_duration(out, seconds(report->total));
        ps_output_printf(out, " of %" PRIu32 " &#215; ", report->trace->n_locs);
        ps_html_duration(out, seconds(report->timing->duration));
        ps_output_puts(out, ".</p>\n");
}

static void put_setting(ps_output *out, const char *name, const char *value)
{
        ps_output_printf(out, "<div><dt>%s</dt><dd>", name);
        ps_html_text(out, value);
        ps_output_puts(out, "</dd></div>\n");
}

static void put_prediction_row(void *ctx, const char *label, const char *text, ps_style style)
{
        (void)style;
        put_setting(ctx, label, text);
}

static ps_status put_prediction(ps_output *out, const ps_report *report, ps_error *err)
{
        ps_status status;

        if (!report->settings.prediction)
                return PS_OK;
        ps_output_puts(out, "<section id=\"prediction\">\n<h2>Prediction</h2>\n<dl>\n");
        status = ps_prediction_rows(report->settings.prediction, report->timing->duration, put_prediction_row,
                                    out, err);
        ps_output_puts(out, "</dl>\n</section>\n");
        return status;
}

/* What could not be done as the program asked. */
static void put_notes(ps_output *out, const ps_prediction *p)
{
        for (uint32_t i = 0; i < p->n_notes; i++) {
                ps_output_puts(out, "<p class=\"warning\">");
                ps_html_text(out, p->notes[i].text);
                ps_output_puts(out, ": ");
                put_count(out, p->notes[i].count, "time", "times");
                if (p->notes[i].line)
                        ps_output_printf(out, ", first in line %" PRIu64 " of the trace", p->notes[i].line);
                ps_output_puts(out, ".</p>\n");
        }
}

static void put_verdict(ps_output *out, const ps_report *report)
{
        char text[PS_DOUBT_ROOM];

        ps_output_puts(out, "<section id=\"verdict\">\n<h2>Verdict</h2>\n");
        if (report->trace->n_operations && report->n_findings)
                put_lost(out, report);
        else
                ps_output_printf(out, "<p class=\"big\">%s</p>\n",
                                 report->trace->n_operations
                                         ? "Nothing was found."
                                         : "Nothing was analysed: the trace holds no operations.");
        if (ps_issues_are_partial(&report->trace->issues))
                ps_output_puts(out, "<p class=\"warning\">A part of the trace could not be read: there may "
                                    "be more.</p>\n");
        if (report->trace->n_operations) {
                ps_report_doubt(text, report);
                ps_output_puts(out, report->uncertainty ? "<p class=\"warning\">" : "<p>");
                ps_html_text(out, text);
                ps_output_puts(out, "</p>\n");
        }
        put_efficiency(out, &report->efficiency);
        ps_report_useful(text, report);
        if (*text) {
                ps_output_puts(out, "<p>");
                ps_html_text(out, text);
                ps_output_puts(out, "</p>\n");
        }
        if (report->settings.prediction)
                put_notes(out, report->settings.prediction);
        ps_output_puts(out, "</section>\n");
}

/* -- patterns */

static void put_pattern(ps_output *out, const ps_report_pattern *row)
{
        ps_output_printf(out, "<tr><th scope=\"row\" class=\"d%u\">",
                         row->depth < DEEPEST ? row->depth : DEEPEST);
        ps_html_text(out, row->row->title);
        ps_output_puts(out, "</th><td class=\"n\">");
        ps_html_share(out, row->share);
        ps_output_puts(out, "</td><td class=\"n\">");
        ps_html_duration(out, seconds(row->total));
        ps_output_puts(out, "</td><td class=\"n\">");
        ps_html_count(out, row->total_count);
        ps_output_puts(out, "</td><td>");
        ps_html_bar(out, &(ps_html_part){"loss", "lost", row->share}, 1, 1, 1);
        ps_output_puts(out, "</td></tr>\n");
}

static void put_tree(ps_output *out, const ps_report *report, uint32_t parent, int views)
{
        for (uint32_t i = PS_NONE; (i = ps_report_next_pattern(report, parent, i, views)) != PS_NONE;) {
                put_pattern(out, &report->patterns[i]);
                put_tree(out, report, i, views);
        }
}

static void put_patterns(ps_output *out, const ps_report *report)
{
        static const char *const captions[] = {
                "Lost in", "Seen otherwise (not added: it may be the cause of the above)"};

        if (!report->n_findings)
                return;
        ps_output_puts(out, "<section id=\"patterns\">\n<h2>Patterns</h2>\n");
        for (int views = 0; views < 2; views++) {
                if (ps_report_next_pattern(report, PS_NONE, PS_NONE, views) == PS_NONE)
                        continue;
                ps_html_begin_table(out, "patterns", captions[views],
                                    "Pattern|=Share|=Time|=Count|of all time");
                put_tree(out, report, PS_NONE, views);
                ps_html_end_table(out);
        }
        ps_output_puts(out, "</section>\n");
}

/* -- findings */

static void put_source(ps_output *out, const ps_source_place *at)
{
        ps_output_puts(out, "<code>");
        ps_html_text(out, at->file ? at->file : "source unknown");
        if (at->file && at->line)
                ps_output_printf(out, ":%" PRIu32, at->line);
        ps_output_puts(out, "</code>");
        for (uint32_t i = 0; i < at->n_candidates && i < 4; i++)
                if (at->candidates[i] != at->line)
                        ps_output_printf(out, " or %" PRIu32, at->candidates[i]);
}

static void put_place(ps_output *out, const ps_report_finding *f)
{
        ps_output_puts(out, "<p>");
        put_source(out, f->place);
        if (f->confidence != PS_CONFIDENCE_HIGH)
                ps_output_printf(out, " (%s%s confidence)",
                                 f->place->certainty == PS_LINE_FUNCTION ? "only the function is known, "
                                                                         : "",
                                 ps_confidence_names[f->confidence]);
        if (f->partner_place && f->partner_place->file) {
                ps_output_puts(out, ", its partner: ");
                put_source(out, f->partner_place);
        }
        ps_output_puts(out, "</p>\n");
}

static void put_loss(ps_output *out, const ps_report *report, const ps_site *site)
{
        ps_output_puts(out, "<p>");
        if (site->lost || !site->largest->pattern->is_defect) {
                ps_html_bar(out, &(ps_html_part){"loss", "lost", site->share}, 1, 1, 1);
                ps_output_puts(out, " <strong>");
                ps_html_duration(out, seconds(site->lost));
                ps_output_puts(out, "</strong> lost (");
                ps_html_share(out, site->share);
                ps_output_puts(out, ") in ");
        }
        put_count(out, site->count, "call", "calls");
        ps_output_puts(out, " of ");
        ps_html_text(out, ps_site_call(report, site->largest->finding->path));
        ps_output_puts(out, " on ");
        ps_site_write_ranks(out, site);
        ps_output_puts(out, "</p>\n");
}

static void put_finding(ps_output *out, const ps_report *report, const ps_site *site)
{
        const ps_report_finding *f = site->largest;
        char gain[PS_DOUBT_ROOM];

        ps_output_printf(out, "<li id=\"finding-%s-%" PRIu32 "\">\n<h3>", f->site, f->place->line);
        ps_html_text(out, f->pattern->title);
        if (f->pattern->is_defect || f->pattern->is_view)
                ps_output_printf(out, " <span class=\"mark\">%s</span>",
                                 f->pattern->is_defect ? "an error of the program" : "not added");
        if (f->is_new && report->settings.baseline)
                ps_output_puts(out, " <span class=\"mark new\">new</span>");
        ps_output_printf(out,
                         " <a class=\"here\" href=\"#finding-%s-%" PRIu32 "\" aria-label=\"Link to this "
                         "finding\">#</a></h3>\n",
                         f->site, f->place->line);
        put_loss(out, report, site);
        put_place(out, f);
        ps_output_puts(out, "<p class=\"path\">");
        ps_site_write_callpath(out, report, f->finding->path, ps_html_text);
        ps_output_puts(out, "</p>\n<p>");
        ps_site_write_comment(out, report, site, ps_html_text);
        ps_report_gain(gain, report, f);
        if (*gain)
                ps_output_printf(out, "</p>\n<p class=\"gain\">%s", gain);
        ps_output_puts(out, "</p>\n<p class=\"advice\">");
        ps_html_text(out, f->advice ? f->advice : "");
        ps_output_puts(out, "</p>\n</li>\n");
}

static ps_status put_findings(ps_output *out, const ps_report *report, ps_error *err)
{
        uint32_t most = report->settings.top ? report->settings.top : SITES_SHOWN;
        ps_sites *sites;
        ps_status status;

        if (!report->n_findings)
                return PS_OK;
        status = ps_sites_new(&sites, report, err);
        if (status)
                return status;
        ps_output_puts(out, "<section id=\"findings\">\n<h2>Findings</h2>\n<ol class=\"findings\">\n");
        for (uint32_t i = 0; i < sites->n && i < most && !ps_output_failed(out); i++)
                put_finding(out, report, &sites->row[i]);
        ps_output_puts(out, "</ol>\n");
        if (sites->n > most) {
                ps_output_puts(out, "<p>And ");
                put_count(out, sites->n - most, "place", "places");
                ps_output_puts(
                        out, " where less was lost: --top shows more, --report json has all of them.</p>\n");
        }
        ps_output_puts(out, "</section>\n");
        ps_sites_free(sites);
        return PS_OK;
}

/* -- issues and settings */

static void put_issues(ps_output *out, const ps_report *report)
{
        const ps_trace *trace = report->trace;

        if (!ps_issues_total(&trace->issues))
                return;
        ps_output_puts(out, "<section id=\"issues\">\n<h2>What is wrong with the trace itself</h2>\n");
        ps_html_begin_table(out, "issues", "Issues", "=Times|Issue|First in");
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                const ps_issue *issue = &trace->issues.row[kind];
                if (!issue->count)
                        continue;
                ps_output_puts(out, "<tr><td class=\"n\">");
                ps_html_count(out, issue->count);
                ps_output_printf(out, "</td><td>%s</td><td class=\"file\">", ps_issue_infos[kind].text);
                if (issue->file)
                        ps_html_text(out, ps_defs_str(&trace->defs, issue->file));
                if (issue->file && issue->offset != UINT64_MAX)
                        ps_output_printf(out, ":%" PRIu64, issue->offset);
                ps_output_puts(out, "</td></tr>\n");
        }
        ps_html_end_table(out);
        ps_output_puts(out, "</section>\n");
}

static void put_left_out(ps_output *out, const uint8_t *left_out)
{
        unsigned n = 0;

        for (uint32_t p = 0; ps_pattern_at(p); p++)
                if (left_out[p])
                        ps_output_printf(out, "%s%s", n++ ? ", " : "<div><dt>Left out</dt><dd>",
                                         ps_pattern_at(p)->id);
        ps_output_puts(out, n ? "</dd></div>\n" : "");
}

static void put_settings(ps_output *out, const ps_report *report)
{
        const ps_report_settings *s = &report->settings;
        char room[PS_NUMBER_ROOM];

        ps_output_puts(out, "<section id=\"settings\">\n<h2>Settings</h2>\n<dl>\n");
        put_setting(out, "Trace", title_of(report));
        put_setting(out, "Format", report->trace->format ? report->trace->format : "");
        put_setting(out, "Timing", report->is_predicted ? "predicted" : "measured");
        put_setting(out, "Definitions", ps_definitions_names[report->analysis->definitions]);
        ps_text_duration(room, report->analysis->epsilon);
        put_setting(out, "Epsilon", room);
        if (s->eager_bytes) {
                ps_text_count(room, *s->eager_bytes);
                put_setting(out, "Eager limit in bytes", room);
        }
        if (s->baseline)
                put_setting(out, "Baseline", s->baseline);
        if (s->left_out)
                put_left_out(out, s->left_out);
        put_setting(out, "Written by", "patscan " PS_VERSION);
        ps_output_puts(out, "</dl>\n</section>\n");
}

ps_status ps_report_write_html(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_status status;

        ps_html_begin_page(out, title_of(report));
        put_run(out, report);
        status = put_prediction(out, report, err);
        if (!never_ends(report)) {
                put_verdict(out, report);
                put_patterns(out, report);
                if (status == PS_OK)
                        status = put_findings(out, report, err);
        }
        put_issues(out, report);
        put_settings(out, report);
        if (status == PS_OK && tells(report, report->settings.intervals))
                status = ps_html_intervals_write(report->settings.intervals, report->settings.interval_levels,
                                                 out, err);
        if (status == PS_OK && tells(report, report->settings.profile))
                status = ps_html_profile_write(report->settings.profile, report->trace, out, err);
        ps_html_end_page(out);
        return status;
}
