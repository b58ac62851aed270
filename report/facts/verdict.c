/* verdict.c - see verdict.h. */
#include "report/facts/verdict.h"
#include "core/model/focus.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_count(char room[PS_DOUBT_ROOM], const char *before, uint64_t n, const char *one,
                      const char *many)
{
        char count[PS_NUMBER_ROOM];
        size_t used = strlen(room);

        ps_text_count(count, n);
        snprintf(room + used, PS_DOUBT_ROOM - used, "%s%s %s", before, count, n == 1 ? one : many);
}

void ps_report_describe(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        const ps_trace *trace = report->trace;
        char time[PS_NUMBER_ROOM];
        size_t used;

        room[0] = '\0';
        add_count(room, "", trace->defs.processes.n, "rank", "ranks");
        if (report->overview.n_locations[PS_LOCATION_CPU] > trace->defs.processes.n)
                add_count(room, ", ", report->overview.n_locations[PS_LOCATION_CPU], "thread", "threads");
        if (report->overview.n_nodes > 1)
                add_count(room, " on ", report->overview.n_nodes, "node", "nodes");
        ps_text_duration(time, report->timing->duration);
        used = strlen(room);
        snprintf(room + used, PS_DOUBT_ROOM - used, ", %s%s, ",
                 report->settings.prediction && report->settings.prediction->deadlock ? "never ends" : time,
                 report->is_predicted ? " (predicted)" : "");
        add_count(room, "", trace->n_operations, "operation", "operations");
}

#define RECORD_BETTER                                                                                        \
        "Record with a tool that synchronises clocks (Score-P does), or let the program pass several "       \
        "barriers "                                                                                          \
        "during the run."

/* Of what was lost, what may be waiting or not: the clocks do not tell. */
static ps_time untold(const ps_report *report)
{
        ps_time unexplained = report->times->sum[PS_TIME_UNEXPLAINED], doubtful = report->analysis->doubtful;

        return doubtful < unexplained ? doubtful : unexplained;
}

void ps_report_untold(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        char unsure[PS_NUMBER_ROOM];
        bool is_unknown = report->trace->clock.trust == PS_CLOCK_UNKNOWN;

        *room = '\0';
        if (!ps_report_has_doubt(report) ||
            (report->analysis->doubtful <= report->total - untold(report) && !(is_unknown && !report->total)))
                return;
        ps_text_duration(unsure, report->uncertainty);
        if (is_unknown)
                snprintf(room, PS_DOUBT_ROOM,
                         "How much was lost cannot be told: the clocks of the ranks were not synchronised, "
                         "and "
                         "the trace does not tell by how much they differ.");
        else
                snprintf(room, PS_DOUBT_ROOM,
                         "How much was lost cannot be told: the clocks of the ranks are uncertain by %s.",
                         unsure);
}

/* It is worth a word from a tenth of all on. */
static void add_untold(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        char time[PS_NUMBER_ROOM], unsure[PS_NUMBER_ROOM];
        size_t used = strlen(room);

        if (untold(report) <= report->total / 10)
                return;
        ps_text_duration(time, untold(report));
        ps_text_duration(unsure, report->uncertainty);
        snprintf(room + used, PS_DOUBT_ROOM - used,
                 "%sWhether %s of it were lost at all cannot be told: the clocks of some ranks are uncertain "
                 "by "
                 "%s.",
                 used ? " " : "", time, unsure);
}

void ps_report_certain(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        char least[PS_NUMBER_ROOM];

        *room = '\0';
        if (!ps_report_has_doubt(report))
                return;
        ps_text_duration(least, report->least);
        if (report->least && report->least < report->total)
                snprintf(room, PS_DOUBT_ROOM,
                         "At least %s of that is certain; the rest depends on how the clocks were aligned.",
                         least);
        else if (!report->least && report->total)
                snprintf(room, PS_DOUBT_ROOM,
                         "None of that is certain: it depends on how the clocks were aligned.");
        add_untold(room, report);
}

static void disagreement(char room[PS_DOUBT_ROOM], const ps_report *report, const char *epsilon)
{
        char unsure[PS_NUMBER_ROOM], left[PS_NUMBER_ROOM];
        const ps_analysis *analysis = report->analysis;

        ps_text_duration(unsure, report->uncertainty);
        ps_text_duration(left, analysis->doubtful);
        if ((!ps_report_has_doubt(report) || report->trace->clock.left) &&
            analysis->epsilon < report->uncertainty)
                snprintf(room, PS_DOUBT_ROOM,
                         "The clocks of the ranks disagree by up to %s. Waits of %s or more count, but one "
                         "that "
                         "is shorter than %s may not be real.",
                         unsure, epsilon, unsure);
        else if (!ps_report_has_doubt(report))
                snprintf(room, PS_DOUBT_ROOM,
                         "The clocks of the ranks disagree by up to %s. Only waits of %s or more count.",
                         unsure, epsilon);
        else if (analysis->doubtful)
                snprintf(
                        room, PS_DOUBT_ROOM,
                        "The clocks of the ranks did not agree and had to be aligned: between two of "
                        "them they may be wrong by up to %s. Waits that seem shorter than that are left out, "
                        "%s in all. " RECORD_BETTER,
                        unsure, left);
        else
                snprintf(room, PS_DOUBT_ROOM,
                         "The clocks of the ranks did not agree and had to be aligned: between two of "
                         "them they may be wrong by up to %s. " RECORD_BETTER,
                         unsure);
}

/* Waits that the clocks hide are worth a word from a tenth of what was lost on. */
static void add_hidden(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        char time[PS_NUMBER_ROOM];
        size_t used = strlen(room);

        if (!ps_report_has_doubt(report) || report->analysis->hidden <= report->total / 10)
                return;
        ps_text_duration(time, report->analysis->hidden);
        snprintf(room + used, PS_DOUBT_ROOM - used,
                 " Up to %s of what calls seem to take without waiting may be waiting, too.", time);
}

void ps_report_doubt(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        char epsilon[PS_NUMBER_ROOM];

        ps_text_duration(epsilon, report->analysis->epsilon);
        if (report->uncertainty == PS_TIME_MAX ||
            (!report->is_predicted && report->trace->clock.trust == PS_CLOCK_UNKNOWN))
                snprintf(room, PS_DOUBT_ROOM,
                         "The clocks of the ranks were not synchronised, and the trace does not tell by how "
                         "much "
                         "they differ: waits may not be real. " RECORD_BETTER);
        else if (report->uncertainty)
                disagreement(room, report, epsilon);
        else if (report->analysis->epsilon)
                snprintf(room, PS_DOUBT_ROOM, "Waits of %s or more are listed; --epsilon sets the limit.",
                         epsilon);
        else
                snprintf(room, PS_DOUBT_ROOM, "Every wait counts; --epsilon sets a limit.");
        add_hidden(room, report);
}

void ps_report_gain(char room[PS_DOUBT_ROOM], const ps_report *report, const ps_report_finding *f)
{
        char gain[PS_NUMBER_ROOM], share[PS_NUMBER_ROOM];

        *room = '\0';
        if (!f->has_place_gain)
                return;
        ps_text_duration(gain, f->place_gain);
        ps_text_share(share, (double)f->place_gain / (double)ps_focus_length(report->timing));
        if (f->place_gain)
                snprintf(room, PS_DOUBT_ROOM, "If nobody had waited here, the run would be %s shorter (%s).",
                         gain, share);
        else
                snprintf(room, PS_DOUBT_ROOM, "If nobody had waited here, the run would be no shorter.");
}

void ps_report_useful(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        const ps_intervals *tree = report->settings.intervals;
        char useful[PS_NUMBER_ROOM], lost[PS_NUMBER_ROOM], length[PS_NUMBER_ROOM], repeated[PS_NUMBER_ROOM],
                communication[PS_NUMBER_ROOM], idle[PS_NUMBER_ROOM];

        *room = '\0';
        if (!tree || !(tree->known & PS_KNOWS_INSUFFICIENT) || tree->row[0].sums.total_s <= 0)
                return;
        const ps_interval_sums *s = &tree->row[0].sums;
        ps_text_duration(lost, report->total);
        ps_text_duration(length, (ps_time)llround(s->execution_s * (double)PS_PS_PER_S));
        snprintf(room, PS_DOUBT_ROOM,
                 "Efficiency %s: %s of %" PRIu32
                 " x %s were lost, %s of all time to insufficient parallelism, "
                 "%s to communication, %s to idle time.",
                 ps_text_share(useful, s->efficiency), lost, tree->n_processors, length,
                 ps_text_share(repeated, s->insufficient_s / s->total_s),
                 ps_text_share(communication, s->communication_all_s / s->total_s),
                 ps_text_share(idle, s->idle_s / s->total_s));
}

static ps_pattern_sort sort_of(const ps_pattern *row)
{
        if (row->subject == PS_ON_EXCHANGE || row->subject == PS_ON_COPIES)
                return PS_PATTERNS_DVM;
        return row->is_view                              ? PS_PATTERNS_VIEW
               : ps_pattern_waits(row) || row->is_defect ? PS_PATTERNS_WAIT
                                                         : PS_PATTERNS_WORK;
}

uint32_t ps_report_next_pattern(const ps_report *report, uint32_t parent, uint32_t last, ps_pattern_sort sort)
{
        uint32_t best = PS_NONE;
        const ps_report_pattern *rows = report->patterns;

        for (uint32_t i = 0; i < report->n_patterns; i++) {
                if (rows[i].parent != parent || !rows[i].total_count ||
                    (parent == PS_NONE && sort_of(rows[i].row) != sort))
                        continue;
                if (last != PS_NONE &&
                    (rows[i].total > rows[last].total || (rows[i].total == rows[last].total && i <= last)))
                        continue;
                if (best == PS_NONE || rows[i].total > rows[best].total)
                        best = i;
        }
        return best;
}
