/* verdict.c - see verdict.h. */
#include "report/facts/verdict.h"
#include "report/print/text.h"

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

static void disagreement(char room[PS_DOUBT_ROOM], const ps_report *report, const char *epsilon)
{
        char unsure[PS_NUMBER_ROOM];
        int is_repaired = report->trace->clock.repaired;

        ps_text_duration(unsure, report->uncertainty);
        if (report->analysis->epsilon < report->uncertainty)
                snprintf(room, PS_DOUBT_ROOM,
                         "The clocks of the ranks disagree%s by up to %s. Waits of %s or more count, but one "
                         "that is shorter than %s need not be real.",
                         is_repaired ? ", also after repair," : "", unsure, epsilon, unsure);
        else if (!is_repaired)
                snprintf(room, PS_DOUBT_ROOM,
                         "The clocks of the ranks disagree by up to %s. Only waits of %s or more count.",
                         unsure, epsilon);
        else
                snprintf(room, PS_DOUBT_ROOM,
                         "The clocks of the ranks disagree. They were repaired, but may still be wrong by "
                         "%s. Only waits of %s or more count. To be sure of shorter ones, record with "
                         "synchronised clocks; --epsilon 1us shows them as they seem.",
                         unsure, epsilon);
}

void ps_report_doubt(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        char epsilon[PS_NUMBER_ROOM];

        ps_text_duration(epsilon, report->analysis->epsilon);
        if (report->uncertainty == PS_TIME_MAX)
                snprintf(room, PS_DOUBT_ROOM,
                         "The clocks of the ranks disagree, and the trace does not tell by how much: waits "
                         "need not be real. Record with synchronised clocks.");
        else if (report->uncertainty)
                disagreement(room, report, epsilon);
        else if (report->analysis->epsilon)
                snprintf(room, PS_DOUBT_ROOM, "Waits of %s or more are listed; --epsilon sets the limit.",
                         epsilon);
        else
                snprintf(room, PS_DOUBT_ROOM, "Every wait counts; --epsilon sets a limit.");
}

void ps_report_gain(char room[PS_DOUBT_ROOM], const ps_report *report, const ps_report_finding *f)
{
        char gain[PS_NUMBER_ROOM], share[PS_NUMBER_ROOM];

        *room = '\0';
        if (!f->has_place_gain)
                return;
        ps_text_duration(gain, f->place_gain);
        ps_text_share(share, (double)f->place_gain / (double)report->timing->duration);
        if (f->place_gain)
                snprintf(room, PS_DOUBT_ROOM, "Removing it would shorten the run by %s (%s).", gain, share);
        else
                snprintf(room, PS_DOUBT_ROOM, "Removing it would not shorten the run.");
}

void ps_report_useful(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        const ps_intervals *tree = report->settings.intervals;
        char useful[PS_NUMBER_ROOM], repeated[PS_NUMBER_ROOM], communication[PS_NUMBER_ROOM],
                idle[PS_NUMBER_ROOM];

        *room = '\0';
        if (!tree || !(tree->known & PS_KNOWS_INSUFFICIENT) || tree->row[0].sums.total_s <= 0)
                return;
        const ps_interval_sums *s = &tree->row[0].sums;
        snprintf(room, PS_DOUBT_ROOM,
                 "Of the processors' time %s was useful: insufficient parallelism took %s, communication %s, "
                 "idle time %s.",
                 ps_text_share(useful, s->efficiency),
                 ps_text_share(repeated, s->insufficient_s / s->total_s),
                 ps_text_share(communication, s->communication_all_s / s->total_s),
                 ps_text_share(idle, s->idle_s / s->total_s));
}

static ps_pattern_sort sort_of(const ps_pattern *row)
{
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
