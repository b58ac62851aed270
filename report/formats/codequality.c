/* codequality.c - findings as GitLab's code quality report: a JSON array, the costliest first.
 *
 * The service tells what a change brings or mends by fingerprints, so that those must not change with lines
 * that move, and be unique. It takes only what stands in a file: what has no line is said at the trace. */
#include "report/facts/sites.h"
#include "report/print/text.h"
#include "report/print/uri.h"

#include "core/base/hash.h"
#include "core/base/number.h"

#include <stdlib.h>
#include <string.h>

typedef struct quality {
        const ps_report *report;
        ps_row row;
        ps_output *text; /* a description in the making */
        char *root;      /* what paths are relative to */
} quality;

/* The service's word; a slow place is no error, whatever it costs. */
static const char *severity_of(const ps_site *site)
{
        if (site->largest->pattern->is_defect)
                return "critical";
        return site->share >= 0.1 ? "major" : site->share >= 0.01 ? "minor" : "info";
}

static void put_entry(quality *q, const char *check, const char *severity, const char *fingerprint)
{
        const char *text = ps_output_text(q->text);

        ps_row_open(&q->row, NULL, '{');
        ps_row_exact_text(&q->row, "description", text ? text : "");
        ps_row_text(&q->row, "check_name", check);
        ps_row_text(&q->row, "fingerprint", fingerprint);
        ps_row_text(&q->row, "severity", severity);
        ps_output_clear(q->text);
}

static void put_code_location(quality *q, const char *path, uint32_t line)
{
        ps_row_open(&q->row, "location", '{');
        ps_row_text(&q->row, "path", ps_path_below(q->root, path));
        ps_row_open(&q->row, "lines", '{');
        ps_row_u64(&q->row, "begin", line);
        ps_row_close(&q->row, '}');
        ps_row_close(&q->row, '}');
        ps_row_close(&q->row, '}');
}

/* There is one of each kind. */
static void put_cautions(quality *q)
{
        const ps_cautions *cautions = &q->report->cautions;

        for (unsigned i = 0; i < cautions->n; i++) {
                const char *kind = cautions->row[i].kind;
                char fingerprint[PS_HEX_BYTES];
                ps_number_print_hex(fingerprint, ps_hash_bytes(kind, strlen(kind)));
                ps_text_write(q->text, cautions->row[i].text);
                put_entry(q, kind, strcmp(kind, "unfinished") == 0 ? "blocker" : "major", fingerprint);
                put_code_location(q, q->report->settings.trace_path, 1);
        }
}

static void put_site(quality *q, const ps_site *site)
{
        const ps_report_finding *f = site->largest;
        bool has_line = ps_place_has_line(f->place);
        char fingerprint[PS_HEX_BYTES];

        memcpy(fingerprint, f->site, sizeof(fingerprint));
        if (site->nth)
                ps_number_print_hex(fingerprint,
                                    ps_hash_pair(ps_hash_bytes(f->site, strlen(f->site)), site->nth));
        ps_output_printf(q->text, "%s: ", f->pattern->title);
        ps_site_write_loss(q->text, q->report, site, ps_text_write);
        if (!has_line) {
                ps_output_puts(q->text, " (");
                ps_site_write_callpath(q->text, q->report, f->finding->path, ps_text_write);
                ps_output_putc(q->text, ')');
        }
        ps_output_putc(q->text, '.');
        ps_site_write_comment(q->text, q->report, site, ps_text_write);
        put_entry(q, f->pattern->id, severity_of(site), fingerprint);
        put_code_location(q, has_line ? ps_place_file(q->report, f->place) : q->report->settings.trace_path,
                          has_line ? f->place->line : 1);
}

ps_status ps_report_write_codequality(const ps_report *report, ps_output *out, ps_error *err)
{
        quality q = {.report = report, .row = {.out = out}};
        ps_sites *sites = NULL;
        ps_status status = ps_sites_new(&sites, report, false, err);

        PS_THEN(status, ps_output_open_memory(&q.text, PS_WIDTH_DEFAULT, err));
        if (status == PS_OK) {
                q.root = ps_path_working_folder();
                ps_row_open_lines(&q.row, NULL, '[');
                put_cautions(&q);
                for (uint32_t i = 0; i < sites->n && !ps_output_failed(out); i++)
                        put_site(&q, &sites->row[i]);
                ps_row_close(&q.row, ']');
                ps_output_putc(out, '\n');
        }
        free(q.root);
        ps_output_discard(q.text);
        ps_sites_free(sites);
        return status;
}
