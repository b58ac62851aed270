/* junit.c - a report as tests, which every CI service shows: JUnit's XML, as far as services agree on it.
 *
 * A caution is a test that could not be carried out (an error), and so is a limit that cannot be judged. A
 * limit that is hit, an error of the program, and a place that costs 1 % or more are failures; the other
 * limits and places pass. One test is always there: some services take a file without any for a failure. */
#include "report/document/page.h"
#include "report/facts/sites.h"
#include "report/print/text.h"
#include "report/print/uri.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct junit {
        const ps_report *report;
        const ps_sites *sites;
        ps_output *out;
        char *root; /* what paths are relative to */
} junit;

static bool is_failure(const ps_site *site)
{
        return site->largest->pattern->is_defect || site->share >= 0.01;
}

static void put_time(ps_output *out, ps_time time)
{
        char room[PS_NUMBER_ROOM];

        ps_text_seconds(room, time);
        ps_output_printf(out, " time=\"%s\"", room);
}

static void put_attribute(ps_output *out, const char *name, const char *value)
{
        ps_output_printf(out, " %s=\"", name);
        ps_html_text(out, value);
        ps_output_putc(out, '"');
}

/* -- the suite -- */

static void put_totals(const junit *j)
{
        const ps_report_settings *settings = &j->report->settings;
        uint32_t cautions = j->report->cautions.n, failures = 0, errors = cautions;
        uint64_t tests = (uint64_t)(cautions ? cautions : 1) + settings->n_limits + j->sites->n;
        ps_time lost = 0;

        for (unsigned i = 0; i < settings->n_limits; i++) {
                failures += settings->limits[i].verdict == PS_LIMIT_HIT;
                errors += settings->limits[i].verdict == PS_LIMIT_UNKNOWN;
        }
        for (uint32_t i = 0; i < j->sites->n; i++) {
                failures += is_failure(&j->sites->row[i]);
                if (__builtin_add_overflow(lost, j->sites->row[i].lost, &lost))
                        lost = PS_TIME_MAX;
        }
        ps_output_printf(j->out, "tests=\"%" PRIu64 "\" failures=\"%" PRIu32 "\" errors=\"%" PRIu32 "\"",
                         tests, failures, errors);
        put_time(j->out, lost);
}

/* -- tests without a place -- */

/* `problem`: "error", "failure", or NULL if it passes. */
static void put_test(const junit *j, const char *group, const char *name, const char *problem,
                     const char *text)
{
        ps_output_puts(j->out, "<testcase");
        put_attribute(j->out, "classname", group);
        put_attribute(j->out, "name", name);
        put_time(j->out, 0);
        if (!problem) {
                ps_output_puts(j->out, "/>\n");
                return;
        }
        ps_output_printf(j->out, "><%s", problem);
        put_attribute(j->out, "type", group);
        put_attribute(j->out, "message", text);
        ps_output_putc(j->out, '>');
        ps_html_text(j->out, text);
        ps_output_printf(j->out, "</%s></testcase>\n", problem);
}

static void put_cautions(const junit *j)
{
        const ps_cautions *cautions = &j->report->cautions;

        if (!cautions->n)
                put_test(j, "trace", "The run finished, and its trace is whole", NULL, "");
        for (unsigned i = 0; i < cautions->n; i++)
                put_test(j, "trace", cautions->row[i].kind, "error", cautions->row[i].text);
}

static void put_limits(const junit *j)
{
        static const char *const problems[] = {
                [PS_LIMIT_KEPT] = NULL, [PS_LIMIT_HIT] = "failure", [PS_LIMIT_UNKNOWN] = "error"};

        for (unsigned i = 0; i < j->report->settings.n_limits; i++) {
                const ps_report_limit *limit = &j->report->settings.limits[i];
                put_test(j, "limit", limit->text, problems[limit->verdict], limit->told);
        }
}

/* -- places -- */

static void put_failure(const junit *j, const ps_site *site)
{
        const ps_report_finding *f = site->largest;

        ps_output_puts(j->out, "><failure");
        put_attribute(j->out, "type", f->pattern->id);
        ps_output_printf(j->out, " message=\"%s: ", f->pattern->title);
        ps_site_write_loss(j->out, j->report, site, ps_html_text);
        ps_output_puts(j->out, "\">");
        if (ps_place_has_line(f->place)) {
                ps_html_text(j->out, ps_path_below(j->root, ps_place_file(j->report, f->place)));
                ps_output_printf(j->out, ":%" PRIu32 ": ", f->place->line);
        }
        ps_site_write_loss(j->out, j->report, site, ps_html_text);
        ps_output_putc(j->out, '.');
        ps_site_write_comment(j->out, j->report, site, ps_html_text);
        if (f->advice) {
                ps_output_putc(j->out, '\n');
                ps_html_text(j->out, f->advice);
        }
        ps_output_puts(j->out, "</failure></testcase>\n");
}

/* No line is in what a service knows a test by: lines move. */
static void put_site(const junit *j, const ps_site *site)
{
        const ps_report_finding *f = site->largest;
        bool has_line = ps_place_has_line(f->place);
        const char *file = has_line ? ps_path_below(j->root, ps_place_file(j->report, f->place)) : NULL;

        ps_output_puts(j->out, "<testcase");
        if (has_line) {
                put_attribute(j->out, "classname", file);
                put_attribute(j->out, "file", file);
        } else {
                ps_output_puts(j->out, " classname=\"");
                ps_site_write_callpath(j->out, j->report, f->finding->path, ps_html_text);
                ps_output_putc(j->out, '"');
        }
        ps_output_printf(j->out, " name=\"%s: ", f->pattern->title);
        ps_site_write_callpath(j->out, j->report, f->finding->path, ps_html_text);
        if (site->nth)
                ps_output_printf(j->out, " (%" PRIu64 ")", (uint64_t)site->nth + 1);
        ps_output_putc(j->out, '"');
        put_time(j->out, site->lost);
        if (is_failure(site))
                put_failure(j, site);
        else
                ps_output_puts(j->out, "/>\n");
}

ps_status ps_report_write_junit(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_sites *sites;
        PS_TRY(ps_sites_new(&sites, report, false, err));
        junit j = {report, sites, out, ps_path_working_folder()};

        ps_output_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites ");
        put_totals(&j);
        ps_output_puts(out, ">\n<testsuite name=\"patscan\" ");
        put_totals(&j);
        ps_output_puts(out, ">\n");
        put_cautions(&j);
        put_limits(&j);
        for (uint32_t i = 0; i < sites->n && !ps_output_failed(out); i++)
                put_site(&j, &sites->row[i]);
        ps_output_puts(out, "</testsuite>\n</testsuites>\n");
        free(j.root);
        ps_sites_free(sites);
        return PS_OK;
}
