/* text.c - the report for people: how much was lost, in which patterns, at which places, and what is
 * worth asking next. */
#include "report/print/text.h"
#include "report/facts/intervals.h"
#include "report/facts/next.h"
#include "report/facts/places.h"
#include "report/facts/sensitivity.h"
#include "report/facts/verdict.h"

#include <inttypes.h>
#include <string.h>

static void put_duration(ps_output *out, ps_time time)
{
        char room[PS_NUMBER_ROOM];

        ps_text_duration(room, time);
        ps_output_puts(out, room);
}

/* -- the run */

/* A path that leaves no room for the rest stands alone. */
static void put_run(ps_output *out, const ps_report *report)
{
        const char *path = report->settings.trace_path ? report->settings.trace_path : "";
        char what[PS_DOUBT_ROOM];

        ps_report_describe(what, report);
        ps_output_style(out, PS_BOLD);
        ps_text_write(out, path);
        ps_output_style(out, PS_PLAIN);
        ps_output_puts(out, ps_text_columns(path) + 2 + strlen(what) > ps_output_width(out) ? ":\n  " : ": ");
        ps_output_printf(out, "%s\n", what);
}

/* The share is one of what all locations together had. */
static void put_lost(ps_output *out, const ps_report *report)
{
        char share[PS_NUMBER_ROOM];

        ps_output_style(out, ps_share_style(report->total_share));
        ps_output_style(out, PS_BOLD);
        ps_output_puts(out, ps_text_share(share, report->total_share));
        ps_output_style(out, PS_PLAIN);
        ps_output_puts(out, " of all time was lost: ");
        put_duration(out, report->total);
        ps_output_printf(out, " of %" PRIu32 " x ", report->trace->n_locs);
        put_duration(out, report->timing->duration);
        ps_output_puts(out, ".\n");
}

static void put_efficiency(ps_output *out, const ps_report *report)
{
        const ps_efficiency *e = &report->efficiency;
        char parallel[PS_NUMBER_ROOM], balance[PS_NUMBER_ROOM], communication[PS_NUMBER_ROOM];

        char serialization[PS_NUMBER_ROOM], transfer[PS_NUMBER_ROOM];

        if (!e->is_known)
                return;
        ps_output_printf(out, "Efficiency %s: load balance %s x communication %s",
                         ps_text_share(parallel, e->parallel), ps_text_share(balance, e->load_balance),
                         ps_text_share(communication, e->communication));
        if (e->is_split)
                ps_output_printf(out, "\n  (serialization %s x transfer %s)",
                                 ps_text_share(serialization, e->serialization),
                                 ps_text_share(transfer, e->transfer));
        ps_output_puts(out, ".\n");
}

static void put_verdict(ps_output *out, const ps_report *report)
{
        ps_output_putc(out, '\n');
        if (!report->trace->n_operations)
                ps_text_write_styled(out, PS_YELLOW,
                                     "Nothing was analysed: the trace holds no operations.\n");
        else if (!report->n_findings)
                ps_text_write_styled(out, PS_GREEN, "Nothing was found.\n");
        else
                put_lost(out, report);
        if (ps_issues_are_partial(&report->trace->issues))
                ps_text_write_styled(out, PS_YELLOW,
                                     "A part of the trace could not be read: there may be more.\n");
}

static void put_doubt(ps_output *out, const ps_report *report)
{
        char text[PS_DOUBT_ROOM];

        ps_report_doubt(text, report);
        ps_output_style(out, report->uncertainty ? PS_YELLOW : PS_PLAIN);
        ps_text_wrap(out, text, 0, ps_output_width(out));
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

static void put_useful(ps_output *out, const ps_report *report)
{
        char text[PS_DOUBT_ROOM];

        ps_report_useful(text, report);
        if (!*text)
                return;
        ps_text_wrap(out, text, 0, ps_output_width(out));
        ps_output_putc(out, '\n');
}

/* -- patterns */

/* What the table of patterns takes. */
typedef struct widths {
        unsigned title, count;
} widths;

static widths widths_of(const ps_report *report)
{
        widths c = {.count = sizeof("count") - 1};
        char room[PS_NUMBER_ROOM];

        for (uint32_t i = 0; i < report->n_patterns; i++) {
                const ps_report_pattern *row = &report->patterns[i];
                unsigned title = 2 * row->depth + ps_text_columns(row->row->title);
                unsigned count = (unsigned)ps_text_count(room, row->total_count);
                c.title = row->total_count && title > c.title ? title : c.title;
                c.count = count > c.count ? count : c.count;
        }
        return c;
}

static void put_pattern(ps_output *out, const ps_report_pattern *row, widths c)
{
        char share[PS_NUMBER_ROOM], time[PS_NUMBER_ROOM], count[PS_NUMBER_ROOM];

        ps_text_share(share, row->share);
        ps_text_duration(time, row->total);
        ps_text_count(count, row->total_count);
        ps_output_repeat(out, ' ', 2 + 2 * row->depth);
        ps_output_style(out, row->depth ? PS_DIM : PS_PLAIN);
        ps_text_write_padded(out, row->row->title, c.title - 2 * row->depth);
        ps_output_style(out, row->depth ? PS_DIM : ps_share_style(row->share));
        ps_output_printf(out, "  %7s", share);
        ps_output_style(out, PS_PLAIN);
        ps_output_style(out, row->depth ? PS_DIM : PS_PLAIN);
        ps_output_printf(out, "  %9s  %*s", time, (int)c.count, count);
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

static unsigned put_tree(ps_output *out, const ps_report *report, uint32_t parent, widths c, int views)
{
        unsigned n = 0;

        for (uint32_t i = PS_NONE; (i = ps_report_next_pattern(report, parent, i, views)) != PS_NONE; n++) {
                put_pattern(out, &report->patterns[i], c);
                put_tree(out, report, i, c, views);
        }
        return n;
}

static void put_patterns(ps_output *out, const ps_report *report)
{
        widths c = widths_of(report);

        if (ps_report_next_pattern(report, PS_NONE, PS_NONE, 0) != PS_NONE) {
                ps_output_putc(out, '\n');
                ps_output_style(out, PS_BOLD);
                ps_output_printf(out, "%-*s  %7s  %9s  %*s\n", (int)c.title + 2, "Lost in", "share", "time",
                                 (int)c.count, "count");
                ps_output_style(out, PS_PLAIN);
                put_tree(out, report, PS_NONE, c, 0);
        }
        if (ps_report_next_pattern(report, PS_NONE, PS_NONE, 1) != PS_NONE) {
                ps_text_write_styled(out, PS_BOLD, "Seen otherwise");
                ps_text_write_styled(out, PS_DIM, " (not added: it may be the cause of the above)\n");
                put_tree(out, report, PS_NONE, c, 1);
        }
}

/* -- the end */

static void put_issues(ps_output *out, const ps_report *report)
{
        const ps_issues *issues = &report->trace->issues;
        char room[PS_NUMBER_ROOM];
        int columns = 0;

        if (!ps_issues_total(issues))
                return;
        ps_text_write_styled(out, PS_BOLD, "\nWhat is wrong with the trace itself\n");
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                int here = (int)ps_text_count(room, issues->row[kind].count);
                columns = here > columns ? here : columns;
        }
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                if (!issues->row[kind].count)
                        continue;
                ps_text_count(room, issues->row[kind].count);
                ps_output_printf(out, "  %*s %s ", columns, room,
                                 issues->row[kind].count == 1 ? "time: " : "times:");
                ps_text_wrap(out, ps_issue_infos[kind].text, (unsigned)columns + 10, ps_output_width(out));
                ps_output_putc(out, '\n');
        }
}

ps_status ps_report_write_text(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_status status = PS_OK;
        put_run(out, report);
        if (report->settings.prediction)
                status = ps_prediction_write_text(report->settings.prediction, report->timing->duration, out,
                                                  err);
        if (report->settings.prediction && report->settings.prediction->deadlock)
                return status;
        put_verdict(out, report);
        if (report->trace->n_operations)
                put_doubt(out, report);
        put_efficiency(out, report);
        put_useful(out, report);
        put_patterns(out, report);
        if (report->settings.intervals)
                ps_intervals_write_text(report->settings.intervals, report->settings.interval_levels, out);
        if (status == PS_OK)
                status = ps_places_write_text(report, out, err);
        if (report->settings.prediction && report->settings.prediction->sensitivity)
                ps_sensitivity_write_text(report->settings.prediction->sensitivity, out);
        put_issues(out, report);
        ps_next_write_text(report, out);
        return status;
}
