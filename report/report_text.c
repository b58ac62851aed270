/* report_text.c - the report for people: how much was lost, in which patterns, at which places, and what to
 * do.
 *
 * What is at one place in several ranks is told once, with the rank that lost most and the sum of all. */
#include "report/report.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 4, TITLE_COLUMNS_MAX = 52, TOP_PLACES = 10, CALLPATH_MOST = 64, RANKS_MOST = 8 };

/* The findings of one pattern at one call path, over all locations. */
typedef struct place {
        const ps_report_finding *first; /* the one that lost most */
        ps_time lost;
        uint32_t n;
        uint32_t *process; /* of each, in the order of the findings; unowned */
} place;

static void put_styled(ps_output *out, ps_style style, const char *text)
{
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

static const char *share_text(char *room, double share)
{
        snprintf(room, PS_NUMBER_ROOM, share > 0 && share < 0.0005 ? "<0.1 %%" : "%.1f %%", 100 * share);
        return room;
}

static ps_style share_style(double share)
{
        return share >= 0.1 ? PS_RED : share >= 0.02 ? PS_YELLOW : PS_PLAIN;
}

/* -- the run */

static void put_run(ps_output *out, const ps_report *report)
{
        const ps_trace *trace = report->trace;
        const char *path = report->settings.trace_path;

        ps_output_style(out, PS_BOLD);
        ps_text_write(out, path ? path : "");
        ps_output_style(out, PS_PLAIN);
        ps_output_puts(out, ": ");
        put_count(out, trace->defs.processes.n, "rank", "ranks");
        if (report->overview.n_locations[PS_LOCATION_CPU] > trace->defs.processes.n) {
                ps_output_puts(out, ", ");
                put_count(out, report->overview.n_locations[PS_LOCATION_CPU], "thread", "threads");
        }
        if (report->overview.n_nodes > 1) {
                ps_output_puts(out, " on ");
                put_count(out, report->overview.n_nodes, "node", "nodes");
        }
        ps_output_puts(out, ", ");
        put_duration(out, report->timing->duration);
        ps_output_puts(out, report->is_predicted ? " (predicted), " : ", ");
        put_count(out, trace->n_operations, "operation", "operations");
        ps_output_putc(out, '\n');
}

static void put_verdict(ps_output *out, const ps_report *report)
{
        char share[PS_NUMBER_ROOM];

        ps_output_putc(out, '\n');
        if (!report->trace->n_operations) {
                put_styled(out, PS_YELLOW, "Nothing was analysed: the trace holds no operations.\n");
        } else if (!report->n_findings) {
                put_styled(out, PS_GREEN, "Nothing was found");
                ps_output_puts(out, ": no wait of ");
                put_duration(out, report->analysis->epsilon);
                ps_output_puts(out, " or more (--epsilon sets the limit).\n");
        } else {
                ps_output_style(out, share_style(report->total_share));
                ps_output_style(out, PS_BOLD);
                ps_output_puts(out, share_text(share, report->total_share));
                ps_output_style(out, PS_PLAIN);
                ps_output_puts(out, " of all time was lost: ");
                put_duration(out, report->total);
                ps_output_puts(out, ", counting waits of ");
                put_duration(out, report->analysis->epsilon);
                ps_output_puts(out, " or more.\n");
        }
}

/* -- patterns */

static const char *title_of(const ps_report_pattern *row)
{
        return row->row->title;
}

static unsigned title_columns(const ps_report *report)
{
        unsigned columns = 0;

        for (uint32_t i = 0; i < report->n_patterns; i++) {
                const ps_report_pattern *row = &report->patterns[i];
                unsigned here = row->total_count ? 2 * row->depth + ps_text_columns(title_of(row)) : 0;
                columns = here > columns ? here : columns;
        }
        return columns < TITLE_COLUMNS_MAX ? columns : TITLE_COLUMNS_MAX;
}

static void put_pattern(ps_output *out, const ps_report_pattern *row, unsigned columns)
{
        char share[PS_NUMBER_ROOM], time[PS_NUMBER_ROOM], count[PS_NUMBER_ROOM];

        share_text(share, row->share);
        ps_text_duration(time, row->total);
        ps_text_count(count, row->total_count);
        ps_output_repeat(out, ' ', 2 + 2 * row->depth);
        ps_output_style(out, row->depth ? PS_DIM : PS_PLAIN);
        ps_text_write_padded(out, title_of(row), columns - 2 * row->depth);
        ps_output_style(out, row->depth ? PS_DIM : share_style(row->share));
        ps_output_printf(out, "  %7s", share);
        ps_output_style(out, PS_PLAIN);
        ps_output_style(out, row->depth ? PS_DIM : PS_PLAIN);
        ps_output_printf(out, "  %9s  %9s", time, count);
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

/* The next child of `parent` after `last`: the largest total first. */
static uint32_t next_child(const ps_report *report, uint32_t parent, uint32_t last, int views)
{
        uint32_t best = PS_NONE;
        const ps_report_pattern *rows = report->patterns;

        for (uint32_t i = 0; i < report->n_patterns; i++) {
                if (rows[i].parent != parent || !rows[i].total_count ||
                    (parent == PS_NONE && rows[i].row->is_view != views))
                        continue;
                if (last != PS_NONE &&
                    (rows[i].total > rows[last].total || (rows[i].total == rows[last].total && i <= last)))
                        continue;
                if (best == PS_NONE || rows[i].total > rows[best].total)
                        best = i;
        }
        return best;
}

static unsigned put_tree(ps_output *out, const ps_report *report, uint32_t parent, unsigned columns,
                         int views)
{
        unsigned n = 0;

        for (uint32_t i = PS_NONE; (i = next_child(report, parent, i, views)) != PS_NONE; n++) {
                put_pattern(out, &report->patterns[i], columns);
                put_tree(out, report, i, columns, views);
        }
        return n;
}

static void put_patterns(ps_output *out, const ps_report *report)
{
        unsigned columns = title_columns(report);

        if (next_child(report, PS_NONE, PS_NONE, 0) != PS_NONE) {
                ps_output_putc(out, '\n');
                ps_output_style(out, PS_BOLD);
                ps_output_printf(out, "%-*s  %7s  %9s  %9s\n", (int)columns + 2, "Lost in", "share", "time",
                                 "times");
                ps_output_style(out, PS_PLAIN);
                put_tree(out, report, PS_NONE, columns, 0);
        }
        if (next_child(report, PS_NONE, PS_NONE, 1) != PS_NONE) {
                put_styled(out, PS_BOLD, "Seen otherwise");
                put_styled(out, PS_DIM, " (not added: it may be the cause of the above)\n");
                put_tree(out, report, PS_NONE, columns, 1);
        }
}

/* -- places */

static int compare_places(const void *a, const void *b)
{
        const place *x = a, *y = b;
        int by_defect = y->first->pattern->is_defect - x->first->pattern->is_defect;

        if (by_defect)
                return by_defect;
        if (x->lost != y->lost)
                return x->lost > y->lost ? -1 : 1;
        return x->first < y->first ? -1 : x->first > y->first;
}

static int compare_findings(const void *a, const void *b)
{
        const ps_report_finding *x = *(const ps_report_finding *const *)a,
                                *y = *(const ps_report_finding *const *)b;

        if (x->finding->pattern != y->finding->pattern)
                return x->finding->pattern < y->finding->pattern ? -1 : 1;
        if (x->finding->path != y->finding->path)
                return x->finding->path < y->finding->path ? -1 : 1;
        return x < y ? -1 : x > y;
}

static int is_same_place(const ps_report_finding *a, const ps_report_finding *b)
{
        return a->finding->pattern == b->finding->pattern && a->finding->path == b->finding->path;
}

/* `order`: the findings of each place together. Returns the number of places. */
static uint32_t gather_places(place *places, const ps_report_finding **order, uint32_t *process,
                              const ps_report *report)
{
        uint32_t n = 0;

        for (uint32_t i = 0; i < report->n_findings; i++)
                order[i] = &report->findings[i];
        qsort(order, report->n_findings, sizeof(*order), compare_findings);
        for (uint32_t i = 0; i < report->n_findings; i++) {
                process[i] = report->trace->defs.locations.row[order[i]->finding->location].process;
                if (!i || !is_same_place(order[i - 1], order[i]))
                        places[n++] = (place){.first = order[i], .process = &process[i]};
                places[n - 1].lost += order[i]->finding->lost;
                places[n - 1].n++;
        }
        qsort(places, n, sizeof(*places), compare_places);
        return n;
}

static void put_source(ps_output *out, const ps_source_place *at)
{
        ps_output_style(out, PS_CYAN);
        if (at->file)
                ps_text_write(out, at->file);
        if (at->file && at->line)
                ps_output_printf(out, ":%" PRIu32, at->line);
        ps_output_style(out, PS_PLAIN);
        for (uint32_t i = 0; i < at->n_candidates && i < 4; i++)
                if (at->candidates[i] != at->line)
                        ps_output_printf(out, " or %" PRIu32, at->candidates[i]);
        if (at->certainty == PS_LINE_FUNCTION)
                ps_output_puts(out, " where the function begins");
        if (!at->file)
                ps_output_puts(out, "source unknown");
}

static void put_callpath(ps_output *out, const ps_report *report, ps_path path)
{
        const char *names[CALLPATH_MOST];
        uint32_t n = ps_report_callpath(report, path, names, CALLPATH_MOST);
        uint32_t shown = n < CALLPATH_MOST ? n : CALLPATH_MOST;
        unsigned used = INDENT, columns = 0;

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

static void put_wrapped(ps_output *out, const char *text)
{
        ps_output_repeat(out, ' ', INDENT);
        ps_text_wrap(out, text, INDENT, ps_output_width(out));
        ps_output_putc(out, '\n');
}

/* "rank 3", "ranks 3, 0, 1 and 5 more, mostly the first" */
static void put_ranks(ps_output *out, const place *p)
{
        uint32_t shown = p->n <= RANKS_MOST ? p->n : RANKS_MOST - 1;

        ps_output_puts(out, p->n == 1 ? "rank " : "ranks ");
        for (uint32_t i = 0; i < shown; i++)
                ps_output_printf(out, "%s%" PRIu32, i ? ", " : "", p->process[i]);
        if (shown < p->n)
                ps_output_printf(out, " and %" PRIu32 " more", p->n - shown);
}

static ps_status put_comment(ps_output *out, const place *p, ps_error *err)
{
        char *clean = ps_text_clean(p->first->comment);
        char together[PS_NUMBER_ROOM + 64] = "", lost[PS_NUMBER_ROOM];
        size_t room;
        char *text;

        if (!clean)
                return PS_NOMEM(err, "comment", 1);
        if (p->n > 1) {
                ps_text_duration(lost, p->lost);
                snprintf(together, sizeof(together), "On rank %" PRIu32 ", ", p->process[0]);
        }
        room = strlen(clean) + strlen(together) + 1;
        text = malloc(room);
        if (text) {
                snprintf(text, room, "%s%s", together, clean);
                put_wrapped(out, text);
        }
        free(text);
        free(clean);
        return text ? PS_OK : PS_NOMEM(err, "comment", 1);
}

static ps_status put_place(ps_output *out, const ps_report *report, const place *p, unsigned number,
                           ps_error *err)
{
        const ps_report_finding *f = p->first;
        double share = ps_report_share(report, p->lost);
        char room[PS_NUMBER_ROOM];
        ps_status status;

        ps_output_printf(out, "\n%2u  ", number);
        put_styled(out, PS_BOLD, f->pattern->title);
        ps_output_puts(out, f->pattern->is_defect ? ", an error of the program" : "");
        ps_output_puts(out, ": ");
        put_duration(out, p->lost);
        ps_output_puts(out, ", ");
        ps_output_style(out, share_style(share));
        ps_output_puts(out, share_text(room, share));
        ps_output_style(out, PS_PLAIN);
        ps_output_puts(out, ", ");
        put_ranks(out, p);
        if (f->is_new && report->settings.baseline)
                put_styled(out, PS_RED, ", new");
        ps_output_putc(out, '\n');
        ps_output_repeat(out, ' ', INDENT);
        put_source(out, f->place);
        if (f->confidence != PS_CONFIDENCE_HIGH)
                ps_output_printf(out, " (%s confidence)", ps_confidence_names[f->confidence]);
        ps_output_putc(out, '\n');
        put_callpath(out, report, f->finding->path);
        status = put_comment(out, p, err);
        put_wrapped(out, f->advice);
        return status;
}

static ps_status put_places(ps_output *out, const ps_report *report, ps_error *err)
{
        uint32_t n = report->n_findings, top = report->settings.top ? report->settings.top : TOP_PLACES,
                 shown;
        place *places = malloc(n * sizeof(*places) + 1);
        const ps_report_finding **order = malloc(n * sizeof(*order) + 1);
        uint32_t *process = malloc(n * sizeof(*process) + 1);
        ps_status status = places && order && process ? PS_OK : PS_NOMEM(err, "places", n);

        if (status == PS_OK && n) {
                n = gather_places(places, order, process, report);
                shown = n < top ? n : top;
                ps_output_putc(out, '\n');
                put_styled(out, PS_BOLD, "Where");
                if (shown < n)
                        ps_output_printf(out, " (the first %" PRIu32 " of %" PRIu32 " places)", shown, n);
                ps_output_putc(out, '\n');
                for (uint32_t i = 0; i < shown && status == PS_OK; i++)
                        status = put_place(out, report, &places[i], i + 1, err);
        }
        free(places);
        free(order);
        free(process);
        return status;
}

/* -- the end */

static void put_issues(ps_output *out, const ps_report *report)
{
        const ps_issues *issues = &report->trace->issues;

        if (!ps_issues_total(issues))
                return;
        ps_output_putc(out, '\n');
        put_styled(out, PS_BOLD, "What is wrong with the trace itself\n");
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                char room[PS_NUMBER_ROOM];
                if (!issues->row[kind].count)
                        continue;
                ps_output_printf(out, "  %*s", (int)(ps_text_count(room, issues->row[kind].count), 0), "");
                ps_output_printf(out, "%s times: ", room);
                ps_text_wrap(out, ps_issue_infos[kind].text, 2 + (unsigned)strlen(room) + 8,
                             ps_output_width(out));
                ps_output_putc(out, '\n');
        }
}

static void put_next(ps_output *out, const ps_report *report)
{
        const char *path = report->settings.trace_path ? report->settings.trace_path : "TRACE";

        ps_output_putc(out, '\n');
        put_styled(out, PS_BOLD, "Next\n");
        ps_output_puts(out, "  patscan ");
        ps_text_write(out, path);
        ps_output_puts(out, " --report json:report.json\n  patscan info ");
        ps_text_write(out, path);
        ps_output_putc(out, '\n');
}

ps_status ps_report_write_text(const ps_report *report, ps_output *out, ps_error *err)
{
        put_run(out, report);
        put_verdict(out, report);
        put_patterns(out, report);
        ps_status status = put_places(out, report, err);
        put_issues(out, report);
        put_next(out, report);
        return status;
}
