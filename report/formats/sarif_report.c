/* sarif_report.c - findings for viewers and scanning services: SARIF 2.1.0.
 *
 * One result stands for one pattern at one call site. Services reject a file with too many results, so the
 * largest are kept and a notification says how many are not there. */
#include "core/base/text.h"
#include "report/formats/sarif.h"
#include "report/print/text.h"
#include "report/print/uri.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESULTS_MAX = 5000 };

static void put_message(ps_row *row, const char *key, const char *text)
{
        ps_row_open(row, key, '{');
        ps_row_text(row, "text", text);
        ps_row_close(row, '}');
}

/* -- rules: the whole table, so that a rule's index is the pattern's -- */

static void put_help(ps_sarif *sarif, uint32_t index, const ps_pattern *pattern)
{
        const ps_formula *formula = ps_pattern_formula(index);
        const char *advice = pattern->advice ? pattern->advice : "";

        ps_row_open(&sarif->row, "help", '{');
        ps_output_printf(sarif->text, "%s %s", pattern->summary, advice);
        if (formula)
                ps_output_printf(sarif->text, " Lost time: %s, if %s.", formula->loss, formula->condition);
        ps_sarif_put_text(sarif, "text");
        ps_output_printf(sarif->text, "# %s\n\n%s\n\n%s\n", pattern->title, pattern->summary, advice);
        if (formula)
                ps_output_printf(sarif->text, "\n```c\nif (%s)\n        lost = %s;\n```\n",
                                 formula->condition, formula->loss);
        ps_sarif_put_text(sarif, "markdown");
        ps_row_close(&sarif->row, '}');
}

static void put_rule(ps_sarif *sarif, uint32_t index, const ps_pattern *pattern)
{
        ps_row *row = &sarif->row;

        ps_row_open(row, NULL, '{');
        ps_row_text(row, "id", pattern->id);
        put_message(row, "shortDescription", pattern->title);
        put_message(row, "fullDescription", pattern->summary);
        put_help(sarif, index, pattern);
        ps_row_open(row, "defaultConfiguration", '{');
        ps_row_text(row, "level", pattern->is_defect ? "error" : "warning");
        ps_row_close(row, '}');
        ps_row_open(row, "properties", '{');
        ps_row_open(row, "tags", '[');
        ps_row_text(row, NULL, "performance");
        ps_row_text(row, NULL, "parallel");
        ps_row_close(row, ']');
        ps_row_text(row, "precision", pattern->is_guess ? "medium" : "high");
        ps_row_text(row, "problem.severity", pattern->is_defect ? "error" : "warning");
        ps_row_close(row, '}');
        ps_row_close(row, '}');
}

static void put_tool(ps_sarif *sarif)
{
        ps_row *row = &sarif->row;
        const ps_pattern *pattern;

        ps_row_open(row, "tool", '{');
        ps_row_open(row, "driver", '{');
        ps_row_text(row, "name", "patscan");
        ps_row_text(row, "semanticVersion", patscan_version());
        ps_row_open(row, "rules", '[');
        for (uint32_t i = 0; (pattern = ps_pattern_at(i)); i++) {
                put_rule(sarif, i, pattern);
                ps_output_putc(row->out, '\n');
        }
        ps_row_close(row, ']');
        ps_row_close(row, '}');
        ps_row_close(row, '}');
}

/* -- the run -- */

static void put_notification(ps_row *row, const char *level, const char *text)
{
        ps_row_open(row, NULL, '{');
        ps_row_text(row, "level", level);
        put_message(row, "message", text);
        ps_row_close(row, '}');
}

static void put_notifications(ps_sarif *sarif)
{
        const ps_issues *issues = &sarif->report->trace->issues;
        const ps_cautions *cautions = &sarif->report->cautions;
        char room[256];

        ps_row_open(&sarif->row, "toolExecutionNotifications", '[');
        for (unsigned i = 0; i < cautions->n; i++)
                put_notification(&sarif->row, "warning", cautions->row[i].text);
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                if (!issues->row[kind].count || ps_issue_infos[kind].damages) /* told as a caution */
                        continue;
                snprintf(room, sizeof(room), "%s (%" PRIu64 " times)", ps_issue_infos[kind].text,
                         (uint64_t)issues->row[kind].count);
                put_notification(&sarif->row, "warning", room);
        }
        if (sarif->sites->n > sarif->n_results) {
                snprintf(room, sizeof(room), "%" PRIu32 " call sites that lose less are left out.",
                         sarif->sites->n - sarif->n_results);
                put_notification(&sarif->row, "note", room);
        }
        ps_row_close(&sarif->row, ']');
}

static void put_folder(ps_sarif *sarif, const char *key)
{
        char *uri = sarif->root ? ps_uri_encode("file://", sarif->root) : NULL;

        if (uri) {
                ps_row_open(&sarif->row, key, '{');
                ps_row_text(&sarif->row, "uri", uri);
                ps_row_close(&sarif->row, '}');
        }
        free(uri);
}

static void put_surroundings(ps_sarif *sarif)
{
        ps_row *row = &sarif->row;

        ps_row_open(row, "originalUriBaseIds", '{');
        put_folder(sarif, "SRCROOT");
        ps_row_close(row, '}');
        ps_row_open(row, "invocations", '[');
        ps_row_open(row, NULL, '{');
        ps_row_bool(row, "executionSuccessful", 1);
        put_folder(sarif, "workingDirectory");
        put_notifications(sarif);
        ps_row_close(row, '}');
        ps_row_close(row, ']');
}

static void put_artifacts(ps_sarif *sarif)
{
        ps_row *row = &sarif->row;

        ps_row_open(row, "artifacts", '[');
        for (uint32_t i = 0; i < sarif->n_files; i++) {
                ps_row_open(row, NULL, '{');
                ps_row_open(row, "location", '{');
                ps_row_text(row, "uri", sarif->file[i].uri);
                if (sarif->file[i].is_relative)
                        ps_row_text(row, "uriBaseId", "SRCROOT");
                ps_row_close(row, '}');
                if (i == sarif->trace_file) {
                        ps_row_open(row, "roles", '[');
                        ps_row_text(row, NULL, "analysisTarget");
                        ps_row_close(row, ']');
                }
                ps_row_close(row, '}');
        }
        ps_row_close(row, ']');
}

/* Runs of one trace belong together. */
static void put_identity(ps_sarif *sarif)
{
        ps_row_open(&sarif->row, "automationDetails", '{');
        ps_output_puts(sarif->text, "patscan/");
        ps_text_write(sarif->text, ps_file_name(sarif->report->settings.trace_path));
        ps_output_puts(sarif->text, "/");
        ps_sarif_put_text(sarif, "id");
        ps_row_close(&sarif->row, '}');
}

static void put_run(ps_sarif *sarif)
{
        ps_row *row = &sarif->row;

        ps_row_open(row, NULL, '{');
        put_tool(sarif);
        put_surroundings(sarif);
        put_artifacts(sarif);
        put_identity(sarif);
        ps_row_text(row, "columnKind", "utf16CodeUnits");
        ps_row_open(row, "results", '[');
        ps_output_putc(row->out, '\n');
        for (uint32_t i = 0; i < sarif->n_results && !ps_output_failed(row->out); i++) {
                ps_sarif_write_result(sarif, i);
                ps_output_putc(row->out, '\n');
        }
        ps_row_close(row, ']');
        ps_row_close(row, '}');
}

static void put_log(ps_sarif *sarif)
{
        ps_row *row = &sarif->row;

        ps_row_open(row, NULL, '{');
        ps_row_text(
                row, "$schema",
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
        ps_row_text(row, "version", "2.1.0");
        ps_row_open(row, "runs", '[');
        put_run(sarif);
        ps_row_close(row, ']');
        ps_row_close(row, '}');
        ps_output_putc(row->out, '\n');
}

ps_status ps_report_write_sarif(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_sarif sarif = {.report = report, .row = {.out = out}};
        ps_sites *sites = NULL;
        ps_status status = ps_sites_new(&sites, report, true, err);

        PS_THEN(status, ps_output_open_memory(&sarif.text, PS_WIDTH_DEFAULT, err));
        if (status == PS_OK) {
                sarif.sites = sites;
                sarif.n_results = sites->n < RESULTS_MAX ? sites->n : RESULTS_MAX;
                status = ps_sarif_collect_files(&sarif, err);
        }
        if (status == PS_OK) {
                put_log(&sarif);
                if (ps_output_failed(sarif.text))
                        status = PS_NOMEM(err, "messages", 1);
        }
        ps_sarif_free_files(&sarif);
        ps_output_discard(sarif.text);
        ps_sites_free(sites);
        return status;
}
