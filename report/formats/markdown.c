/* markdown.c - a summary for a comment on a pull request: which patterns, and the costliest places. */
#include "report/print/markdown.h"
#include "report/facts/sites.h"
#include "report/facts/verdict.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <stdio.h>

enum { SITES_SHOWN = 10, NAME_BYTES = 1024 };

static void put_loss(ps_output *out, ps_time lost, double share)
{
        char room[PS_NUMBER_ROOM];

        ps_text_duration(room, lost);
        ps_output_printf(out, share > 0 && share < 0.0005 ? " %s | <0.1 %% |" : " %s | %.1f %% |", room,
                         100 * share);
}

static void put_patterns(ps_output *out, const ps_report *report)
{
        ps_output_puts(out, "| Pattern | Lost | Share | Times |\n|---|---:|---:|---:|\n");
        for (uint32_t i = 0; i < report->n_patterns; i++) {
                const ps_report_pattern *row = &report->patterns[i];
                if (!row->total_count)
                        continue;
                ps_output_puts(out, "| ");
                for (unsigned d = 0; d < row->depth; d++)
                        ps_output_puts(out, "&nbsp;&nbsp;");
                ps_output_printf(out, "%s%s |", row->row->title,
                                 row->row->is_view ? " (seen otherwise: not added)" : "");
                put_loss(out, row->total, row->share);
                ps_output_printf(out, " %" PRIu64 " |\n", row->total_count);
        }
}

static void put_place(ps_output *out, const ps_report *report, const ps_report_finding *f)
{
        char room[NAME_BYTES];

        if (!ps_place_has_line(f->place)) {
                ps_site_write_callpath(out, report, f->finding->path, ps_markdown_write_name);
                return;
        }
        snprintf(room, sizeof(room), "%.*s:%" PRIu32, NAME_BYTES - 16, f->place->file, f->place->line);
        ps_markdown_write_name(out, room);
        if (f->place->certainty < PS_LINE_UNIQUE_CALL)
                ps_output_puts(out, " (?)");
}

static int tells_gains(const ps_sites *sites)
{
        for (uint32_t i = 0; i < sites->n; i++)
                if (sites->row[i].largest->has_place_gain)
                        return 1;
        return 0;
}

static void put_gain(ps_output *out, const ps_report *report, const ps_report_finding *f)
{
        if (f->has_place_gain)
                put_loss(out, f->place_gain, (double)f->place_gain / (double)report->timing->duration);
        else
                ps_output_puts(out, " | |");
}

static void put_site(ps_output *out, const ps_report *report, const ps_site *site, int has_gains)
{
        ps_output_puts(out, "| ");
        put_place(out, report, site->largest);
        ps_output_puts(out, " | ");
        ps_markdown_write_name(out, ps_site_call(report, site->largest->finding->path));
        ps_output_printf(out, " | %s | ", site->largest->pattern->title);
        ps_site_write_ranks(out, site);
        ps_output_puts(out, " |");
        put_loss(out, site->lost, site->share);
        if (has_gains)
                put_gain(out, report, site->largest);
        ps_output_printf(out, "%s\n",
                         report->settings.baseline ? site->largest->is_new ? " new |" : " |" : "");
}

static void put_sites(ps_output *out, const ps_report *report, const ps_sites *sites)
{
        uint32_t top = report->settings.top ? report->settings.top : SITES_SHOWN;
        int compares = report->settings.baseline != NULL;

        int has_gains = tells_gains(sites);

        ps_output_printf(out, "\n| Where | Call | Pattern | Ranks | Lost | Share |%s%s\n",
                         has_gains ? " Gain if removed | of the run |" : "", compares ? " |" : "");
        ps_output_printf(out, "|---|---|---|---|---:|---:|%s%s\n", has_gains ? "---:|---:|" : "",
                         compares ? "---|" : "");
        for (uint32_t i = 0; i < sites->n && i < top; i++)
                put_site(out, report, &sites->row[i], has_gains);
        if (sites->n > top)
                ps_output_printf(out, "\nand %" PRIu32 " places that lose less.\n", sites->n - top);
}

static void put_prediction_row(void *ctx, const char *label, const char *text, ps_style style)
{
        (void)style;
        ps_output_printf(ctx, "- %s: ", label);
        ps_markdown_write_name(ctx, text);
        ps_output_putc(ctx, '\n');
}

static void put_run(ps_output *out, const ps_report *report, const ps_sites *sites)
{
        char duration[PS_NUMBER_ROOM], useful[PS_DOUBT_ROOM];

        ps_text_duration(duration, report->timing->duration);
        ps_output_printf(
                out, "%s%s on %" PRIu32 " processes%s; %.1f %% of their time was lost in known patterns.\n",
                report->settings.prediction ? "\n" : "", duration, report->trace->defs.processes.n,
                report->is_predicted ? ", predicted" : "", 100 * report->total_share);
        ps_report_useful(useful, report);
        if (*useful)
                ps_output_printf(out, "%s\n", useful);
        if (sites->n) {
                ps_output_putc(out, '\n');
                put_patterns(out, report);
                put_sites(out, report, sites);
        }
}

ps_status ps_report_write_markdown(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_sites *sites;
        ps_status status = ps_sites_new(&sites, report, err);
        const ps_prediction *p = report->settings.prediction;

        if (status)
                return status;
        ps_output_puts(out, "### patscan: ");
        ps_markdown_write_name(out, report->settings.trace_path);
        ps_output_puts(out, "\n\n");
        if (p)
                status = ps_prediction_rows(p, report->timing->duration, put_prediction_row, out, err);
        if (!p || !p->deadlock)
                put_run(out, report, sites);
        ps_sites_free(sites);
        return status;
}
