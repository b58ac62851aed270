/* places_text.c - the places of a report for people: what was lost there and what to do about it.
 *
 * What is at one place in several ranks is told once, with the rank that lost most and the sum of all; advice
 * once for each pattern. */
#include "report/facts/places.h"
#include "report/facts/verdict.h"
#include "report/print/text.h"

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
                ps_text_write_styled(out, PS_GREEN, lead);
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
        ps_text_write_styled(out, PS_BOLD, f->pattern->title);
        ps_output_printf(out, "%s:%s%s, ", kind, columns > ps_output_width(out) ? "\n    " : " ", lost);
        ps_text_write_styled(out, ps_share_style(ps_report_share(report, p->lost)), share);
        ps_output_printf(out, ", %s", ranks);
        ps_text_write_styled(out, PS_RED, news);
        ps_output_putc(out, '\n');
        return PS_OK;
}

static ps_status put_place(ps_output *out, const ps_report *report, const ps_report_place *p, unsigned number,
                           unsigned *advised, ps_error *err)
{
        const ps_report_finding *f = p->finding[0];
        unsigned *first = &advised[f->finding->pattern];
        char again[PS_NUMBER_ROOM];
        ps_status status;

        ps_output_printf(out, "\n%2u  ", number);
        status = put_head(out, report, p, err);
        put_where(out, f);
        put_callpath(out, report, f->finding->path);
        if (status == PS_OK)
                status = put_comment(out, report, p, err);
        put_gain(out, report, f);
        snprintf(again, sizeof(again), "As for %u.", *first);
        put_wrapped(out, "-> ", *first ? again : f->advice);
        *first = *first ? *first : number;
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

ps_status ps_places_write_text(const ps_report *report, ps_output *out, ps_error *err)
{
        unsigned advised[PS_MAX_PATTERNS] = {0}; /* by pattern: the first place, which has the advice */
        ps_report_places places;
        ps_status status = ps_places_gather(&places, report, err);
        uint32_t shown = status == PS_OK ? count_shown(report, &places) : 0;
        char room[PS_NUMBER_ROOM];

        if (shown)
                ps_text_write_styled(out, PS_BOLD, "\nWhere\n");
        for (uint32_t i = 0; i < shown && status == PS_OK; i++)
                status = put_place(out, report, &places.row[i], i + 1, advised, err);
        if (shown < places.n) {
                ps_output_puts(out, "\n    and ");
                ps_text_count(room, places.n - shown);
                ps_output_printf(out, "%s more place%s; -v shows all.\n", room,
                                 places.n - shown == 1 ? "" : "s");
        }
        ps_places_clear(&places);
        return status;
}
