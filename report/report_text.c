/* report_text.c - the report for people: how much was lost, in which patterns, at which places, and what to
 * do.
 *
 * What is at one place in several ranks is told once, with the rank that lost most and the sum of all. */
#include "report/intervals.h"
#include "report/next.h"
#include "report/places.h"
#include "report/sensitivity.h"
#include "report/text.h"
#include "report/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
        INDENT = 4,
        TOP_PLACES = 10,
        CALLPATH_MOST = 64,
        RANGES_MOST = 6,
        CANDIDATES_SHOWN = 4,
        RANKS_ROOM = 256
};

#define WORTH_SHOWING 0.0005 /* what is printed as 0.1 % */

static void put_styled(ps_output *out, ps_style style, const char *text)
{
        if (!*text)
                return;
        ps_output_style(out, style);
        ps_output_puts(out, text);
        ps_output_style(out, PS_PLAIN);
}

static void put_duration(ps_output *out, ps_time time)
{
        char room[PS_NUMBER_ROOM];

        ps_text_duration(room, time);
        ps_output_puts(out, room);
}

static void put_count(ps_output *out, uint64_t n, const char *one, const char *many)
{
        char room[PS_NUMBER_ROOM];

        ps_text_count(room, n);
        ps_output_printf(out, "%s %s", room, n == 1 ? one : many);
}

static ps_style share_style(double share)
{
        return share >= 0.1 ? PS_RED : share >= 0.02 ? PS_YELLOW : PS_PLAIN;
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

        ps_output_style(out, share_style(report->total_share));
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
                put_styled(out, PS_YELLOW, "Nothing was analysed: the trace holds no operations.\n");
        else if (!report->n_findings)
                put_styled(out, PS_GREEN, "Nothing was found.\n");
        else
                put_lost(out, report);
        if (ps_issues_are_partial(&report->trace->issues))
                put_styled(out, PS_YELLOW, "A part of the trace could not be read: there may be more.\n");
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
        ps_output_style(out, row->depth ? PS_DIM : share_style(row->share));
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
                put_styled(out, PS_BOLD, "Seen otherwise");
                put_styled(out, PS_DIM, " (not added: it may be the cause of the above)\n");
                put_tree(out, report, PS_NONE, c, 1);
        }
}

/* -- places */

/* "heat.c:23 or 31"; returns the columns. */
static unsigned put_source(ps_output *out, const ps_source_place *at)
{
        const char *file = at->file ? at->file : "source unknown";
        char lines[CANDIDATES_SHOWN * PS_NUMBER_ROOM] = "";
        size_t n = 0;

        if (at->file)
                ps_output_style(out, PS_CYAN);
        ps_text_write(out, file);
        if (at->file && at->line)
                n = (size_t)snprintf(lines, sizeof(lines), ":%" PRIu32, at->line);
        ps_output_puts(out, lines);
        ps_output_style(out, PS_PLAIN);
        for (uint32_t i = 0; i < at->n_candidates && i < CANDIDATES_SHOWN; i++)
                if (at->candidates[i] != at->line) {
                        char line[PS_NUMBER_ROOM];
                        n += (size_t)snprintf(line, sizeof(line), " or %" PRIu32, at->candidates[i]);
                        ps_output_puts(out, line);
                }
        return ps_text_columns(file) + (unsigned)n;
}

/* Where it is, and how sure that is; on a line of its own if there is no room beside a long path. */
static void put_where(ps_output *out, const ps_report_finding *f)
{
        char doubt[64] = "";
        unsigned used;

        if (f->confidence != PS_CONFIDENCE_HIGH)
                snprintf(doubt, sizeof(doubt), "(%s%s confidence)",
                         f->place->certainty == PS_LINE_FUNCTION ? "only the function is known, " : "",
                         ps_confidence_names[f->confidence]);
        ps_output_repeat(out, ' ', INDENT);
        used = INDENT + put_source(out, f->place);
        if (*doubt && used + 1 + strlen(doubt) > ps_output_width(out)) {
                ps_output_putc(out, '\n');
                ps_output_repeat(out, ' ', INDENT);
        } else if (*doubt) {
                ps_output_putc(out, ' ');
        }
        ps_output_printf(out, "%s\n", doubt);
}

static void put_callpath(ps_output *out, const ps_report *report, ps_path path)
{
        const char *names[CALLPATH_MOST];
        uint32_t n = ps_report_callpath(report, path, names, CALLPATH_MOST);
        uint32_t shown = n < CALLPATH_MOST ? n : CALLPATH_MOST;
        unsigned used = INDENT, columns = 0;

        if (!n)
                return;
        /* From the inside as many as fit. */
        for (uint32_t i = shown; i > 0; i--, columns += 3) {
                unsigned here = ps_text_columns(names[i - 1]);
                if (used + columns + here + 6 > ps_output_width(out) && i < shown) {
                        memmove(names, &names[i], (shown - i) * sizeof(*names));
                        n = n > CALLPATH_MOST ? n : CALLPATH_MOST + 1;
                        shown -= i;
                        break;
                }
                columns += here;
        }
        ps_output_repeat(out, ' ', INDENT);
        ps_output_style(out, PS_DIM);
        ps_output_puts(out, n > CALLPATH_MOST ? "... > " : "");
        for (uint32_t i = 0; i < shown; i++) {
                ps_output_puts(out, i ? " > " : "");
                ps_text_write(out, *names[i] ? names[i] : "(unnamed)");
        }
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

/* `lead` stands before the first line. */
static void put_wrapped(ps_output *out, const char *lead, const char *text)
{
        ps_output_repeat(out, ' ', INDENT);
        if (*lead)
                put_styled(out, PS_GREEN, lead);
        ps_text_wrap(out, text, INDENT + (unsigned)strlen(lead), ps_output_width(out));
        ps_output_putc(out, '\n');
}

/* "rank 3", "ranks 0-3, 5 and 12 more" */
static ps_status ranks_text(char room[RANKS_ROOM], const ps_report *report, const ps_report_place *p,
                            ps_error *err)
{
        uint32_t *process, n, next;
        ps_status status = ps_place_processes(&process, &n, report, p, err);
        size_t used;

        if (status < 0)
                return status;
        used = (size_t)snprintf(room, RANKS_ROOM, n == 1 ? "rank " : "ranks ");
        for (uint32_t i = 0, ranges = 0; i < n; i = next, ranges++) {
                for (next = i + 1; next < n && process[next] == process[next - 1] + 1;)
                        next++;
                if (ranges == RANGES_MOST) {
                        snprintf(room + used, RANKS_ROOM - used, " and %" PRIu32 " more", n - i);
                        break;
                }
                used += (size_t)snprintf(room + used, RANKS_ROOM - used, "%s%" PRIu32, i ? ", " : "",
                                         process[i]);
                if (next - i > 1)
                        used += (size_t)snprintf(room + used, RANKS_ROOM - used, "-%" PRIu32,
                                                 process[next - 1]);
        }
        free(process);
        return PS_OK;
}

/* "rank 3", "thread 1 of rank 3" */
static void location_text(char room[2 * PS_NUMBER_ROOM], const ps_report *report, ps_loc loc)
{
        const ps_defs *defs = &report->trace->defs;
        const ps_location_def *at = &defs->locations.row[loc];

        if (defs->processes.row[at->process].n_locs > 1)
                snprintf(room, 2 * PS_NUMBER_ROOM, "thread %" PRIu32 " of rank %" PRIu32, at->thread,
                         at->process);
        else
                snprintf(room, 2 * PS_NUMBER_ROOM, "rank %" PRIu32, at->process);
}

static ps_status put_comment(ps_output *out, const ps_report *report, const ps_report_place *p, ps_error *err)
{
        const ps_report_finding *f = p->finding[0];
        char words[PS_COMMENT_ROOM], where[2 * PS_NUMBER_ROOM] = "";
        char *clean = ps_text_clean(ps_report_comment(report, f, words)), *text;
        size_t room;

        if (!clean)
                return PS_NOMEM(err, "comment", 1);
        if (p->n > 1)
                location_text(where, report, f->finding->location);
        room = strlen(clean) + sizeof(where) + 6;
        text = malloc(room);
        if (text) {
                snprintf(text, room, *where ? "On %s, %s" : "%s%s", where, clean);
                put_wrapped(out, "", text);
        }
        free(text);
        free(clean);
        return text ? PS_OK : PS_NOMEM(err, "comment", 1);
}

static void put_gain(ps_output *out, const ps_report *report, const ps_report_finding *f)
{
        char text[PS_DOUBT_ROOM];

        ps_report_gain(text, report, f);
        if (*text)
                put_wrapped(out, "", text);
}

/* "Late receiver: 5 ms, 1.1 %, rank 3"; what was lost goes to the next line if there is no room for it. */
static ps_status put_head(ps_output *out, const ps_report *report, const ps_report_place *p, ps_error *err)
{
        const ps_report_finding *f = p->finding[0];
        const char *kind = f->pattern->is_defect ? ", an error of the program"
                           : f->pattern->is_view ? ", not added"
                                                 : "";
        const char *news = f->is_new && report->settings.baseline ? ", new" : "";
        char lost[PS_NUMBER_ROOM], share[PS_NUMBER_ROOM], ranks[RANKS_ROOM];
        ps_status status = ranks_text(ranks, report, p, err);
        size_t columns;

        if (status < 0)
                return status;
        ps_text_duration(lost, p->lost);
        ps_text_share(share, ps_report_share(report, p->lost));
        columns = INDENT + strlen(f->pattern->title) + strlen(kind) + strlen(lost) + strlen(share) +
                  strlen(ranks) + strlen(news) + 6;
        put_styled(out, PS_BOLD, f->pattern->title);
        ps_output_printf(out, "%s:%s%s, ", kind, columns > ps_output_width(out) ? "\n    " : " ", lost);
        put_styled(out, share_style(ps_report_share(report, p->lost)), share);
        ps_output_printf(out, ", %s", ranks);
        put_styled(out, PS_RED, news);
        ps_output_putc(out, '\n');
        return PS_OK;
}

static ps_status put_place(ps_output *out, const ps_report *report, const ps_report_place *p, unsigned number,
                           ps_error *err)
{
        const ps_report_finding *f = p->finding[0];
        ps_status status;

        ps_output_printf(out, "\n%2u  ", number);
        status = put_head(out, report, p, err);
        put_where(out, f);
        put_callpath(out, report, f->finding->path);
        if (status == PS_OK)
                status = put_comment(out, report, p, err);
        put_gain(out, report, f);
        put_wrapped(out, "-> ", f->advice);
        return status;
}

/* Unless more are asked for, places that hardly matter are left to the other formats. */
static uint32_t count_shown(const ps_report *report, const ps_report_places *places)
{
        uint32_t most = report->settings.top ? report->settings.top : TOP_PLACES, n = 0;

        while (n < places->n && n < most &&
               (report->settings.top || !n || places->row[n].finding[0]->pattern->is_defect ||
                ps_report_share(report, places->row[n].lost) >= WORTH_SHOWING))
                n++;
        return n;
}

static ps_status put_places(ps_output *out, const ps_report *report, ps_error *err)
{
        ps_report_places places;
        ps_status status = ps_places_gather(&places, report, err);
        uint32_t shown = status == PS_OK ? count_shown(report, &places) : 0;

        if (shown)
                put_styled(out, PS_BOLD, "\nWhere\n");
        for (uint32_t i = 0; i < shown && status == PS_OK; i++)
                status = put_place(out, report, &places.row[i], i + 1, err);
        if (shown < places.n) {
                ps_output_puts(out, "\n    and ");
                put_count(out, places.n - shown, "more place", "more places");
                ps_output_puts(out, "; -v shows all.\n");
        }
        ps_places_clear(&places);
        return status;
}

/* -- the end */

static void put_issues(ps_output *out, const ps_report *report)
{
        const ps_issues *issues = &report->trace->issues;
        char room[PS_NUMBER_ROOM];
        int columns = 0;

        if (!ps_issues_total(issues))
                return;
        put_styled(out, PS_BOLD, "\nWhat is wrong with the trace itself\n");
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
                status = put_places(out, report, err);
        if (report->settings.prediction && report->settings.prediction->sensitivity)
                ps_sensitivity_write_text(report->settings.prediction->sensitivity, out);
        put_issues(out, report);
        ps_next_write_text(report, out);
        return status;
}
