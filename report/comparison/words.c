/* words.c - see words.h. */
#include "report/comparison/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has_prediction(const ps_compare *c)
{
        return !c->run[PS_MEASURED]->is_predicted && c->run[PS_PREDICTED]->is_predicted;
}

const char *ps_compare_side_name(const ps_compare *c, ps_run_role side)
{
        static const char *const names[][PS_SIDES] = {{"first", "second"}, {"measured", "predicted"}};

        return names[has_prediction(c)][side];
}

const char *ps_compare_side_title(const ps_compare *c, ps_run_role side)
{
        static const char *const titles[][PS_SIDES] = {{"First", "Second"}, {"Measured", "Predicted"}};

        return titles[has_prediction(c)][side];
}

/* -- numbers -- */

static const char *say_seconds(char *room, double seconds)
{
        if (isnan(seconds))
                return memcpy(room, "-", sizeof("-"));
        if (seconds == 0)
                return memcpy(room, "0", sizeof("0"));
        ps_text_seconds_short(room, seconds);
        return room;
}

const char *ps_compare_signed(char *room, double seconds)
{
        room[0] = '+';
        say_seconds(room + (seconds > 0), seconds);
        return room;
}

const char *ps_compare_percent(char *room, double share)
{
        double percent = fabs(share) < 0.0005 ? 0 : 100 * share; /* never "-0.0 %" */

        if (isnan(share))
                return memcpy(room, "-", sizeof("-"));
        if (fabs(percent) >= 1e6)
                snprintf(room, PS_NUMBER_ROOM, "%.1e %%", percent);
        else
                snprintf(room, PS_NUMBER_ROOM, "%.*f %%", fabs(percent) < 99.95 ? 1 : 0, percent);
        return room;
}

const char *ps_compare_change(char *room, double share)
{
        room[0] = '+';
        ps_compare_percent(room + (share >= 0.0005), share);
        return room;
}

const char *ps_compare_difference(char *room, ps_two two)
{
        if (isnan(two.measured) && isnan(two.predicted))
                return memcpy(room, "-", sizeof("-"));
        return ps_compare_signed(room, (isnan(two.predicted) ? 0 : two.predicted) -
                                               (isnan(two.measured) ? 0 : two.measured));
}

const char *ps_compare_bytes(char *room, const ps_compared_size *size)
{
        size_t n = ps_text_count(room, size->least_bytes);

        if (size->most_bytes > size->least_bytes && n < PS_NUMBER_ROOM / 2) {
                char most[PS_NUMBER_ROOM];
                ps_text_count(most, size->most_bytes);
                snprintf(room + n, PS_NUMBER_ROOM - n, "-%.18s", most);
        }
        return room;
}

double ps_compare_share(const ps_compare *c, double difference_s)
{
        double total = c->duration.predicted - c->duration.measured;

        return total != 0 ? difference_s / total : NAN;
}

/* -- names -- */

const ps_run_interval *ps_compare_interval_row(const ps_compare *c, const ps_compared_interval *i)
{
        int side = i->row[PS_MEASURED] == PS_NONE ? PS_PREDICTED : PS_MEASURED;

        return &c->run[side]->intervals.row[i->row[side]];
}

const char *ps_compare_interval_name(char room[PS_COMPARE_NAME_ROOM], const ps_compare *c,
                                     const ps_compared_interval *i)
{
        int side = i->row[PS_MEASURED] == PS_NONE ? PS_PREDICTED : PS_MEASURED;
        const ps_run *run = c->run[side];
        char title[PS_RUN_TITLE_ROOM], whole[PS_COMPARE_NAME_ROOM];
        uint32_t row = i->row[side];

        snprintf(room, PS_COMPARE_NAME_ROOM, "%s", ps_run_title(title, run, row));
        for (row = run->intervals.row[row].parent; row != PS_NONE && row;
             row = run->intervals.row[row].parent) {
                int n = snprintf(whole, sizeof(whole), "%s > %s", ps_run_title(title, run, row), room);
                if (n < 0 || n >= PS_COMPARE_NAME_ROOM)
                        break;
                memcpy(room, whole, (size_t)n + 1);
        }
        return room;
}

const char *ps_compare_contribution_name(char room[PS_COMPARE_NAME_ROOM], const ps_compare *c,
                                         const ps_contribution *one)
{
        if (one->interval == PS_NONE)
                return memset(room, 0, 1);
        if (ps_compare_interval_row(c, &c->intervals.row[one->interval])->parent == PS_NONE)
                return snprintf(room, PS_COMPARE_NAME_ROOM, "%s",
                                c->intervals.n > 1 ? "outside of intervals" : ""),
                       room;
        return ps_compare_interval_name(room, c, &c->intervals.row[one->interval]);
}

const ps_run_site *ps_compare_site_row(const ps_compared_site *site)
{
        return site->row[site->row[PS_MEASURED] ? PS_MEASURED : PS_PREDICTED];
}

const ps_run_pattern *ps_compare_pattern_row(const ps_compared_pattern *pattern)
{
        return pattern->row[pattern->row[PS_MEASURED] ? PS_MEASURED : PS_PREDICTED];
}

const char *ps_compare_site_title(const ps_run_site *site)
{
        const ps_pattern *pattern = ps_pattern_at(ps_pattern_find(site->type));

        return pattern ? pattern->title : site->type;
}

const char *ps_compare_where(const ps_compare *c, int in_measured, int in_predicted)
{
        static const char *const only[] = {"only first", "only second", "only measured", "only predicted"};

        return in_measured && in_predicted ? "in both" : only[2 * has_prediction(c) + in_predicted];
}

/* -- sentences -- */

/* "by the run times, and by 2 intervals" */
static const char *beyond_text(char *room, size_t size, bool by_total, uint64_t n_intervals)
{
        size_t n = (size_t)snprintf(room, size, "%s%s", by_total ? "by the run times" : "",
                                    by_total && n_intervals ? ", and " : "");

        if (n_intervals)
                snprintf(room + n, size - n, "by %" PRIu64 " interval%s", n_intervals,
                         n_intervals == 1 ? "" : "s");
        return room;
}

const char *ps_compare_verdict(char room[PS_COMPARE_VERDICT_ROOM], const ps_compare *c)
{
        char by[100], limit[40];

        snprintf(limit, sizeof(limit), "%s%.4g %%", c->options.is_one_sided ? "+" : "",
                 100 * c->options.tolerance);
        if (ps_compare_is_unusable(c))
                snprintf(room, PS_COMPARE_VERDICT_ROOM, "The runs cannot be compared.");
        else if (isnan(c->options.tolerance))
                snprintf(room, PS_COMPARE_VERDICT_ROOM, "No tolerance was given (--tolerance).");
        else if (c->total_exceeded || c->intervals_exceeded)
                snprintf(room, PS_COMPARE_VERDICT_ROOM, "The tolerance of %s is exceeded: %s.", limit,
                         beyond_text(by, sizeof(by), c->total_exceeded, c->intervals_exceeded));
        else if (c->total_beyond || c->intervals_beyond)
                snprintf(
                        room, PS_COMPARE_VERDICT_ROOM,
                        "No difference that these runs can tell: the tolerance of %s is exceeded %s, but not "
                        "by more than chance.",
                        limit, beyond_text(by, sizeof(by), c->total_beyond, c->intervals_beyond));
        else
                snprintf(room, PS_COMPARE_VERDICT_ROOM, "Within the tolerance of %s%s.", limit,
                         c->is_partial ? ", as far as the runs could be compared" : "");
        return room;
}

const char *ps_compare_errors_text(char room[PS_COMPARE_VERDICT_ROOM], const ps_errors *e)
{
        char total[PS_NUMBER_ROOM], weighted[PS_NUMBER_ROOM], mean[PS_NUMBER_ROOM], most[PS_NUMBER_ROOM];
        char root[PS_NUMBER_ROOM], below[64] = "";

        room[0] = '\0';
        if (!e->n)
                return room;
        if (e->n_below == e->n) {
                snprintf(room, PS_COMPARE_VERDICT_ROOM, "not known, all of them are below the resolution");
                return room;
        }
        if (e->n_below)
                snprintf(below, sizeof(below), "; %" PRIu64 " below the resolution", e->n_below);
        snprintf(room, PS_COMPARE_VERDICT_ROOM,
                 "total %s, weighted (WAPE) %s, logarithmic %s (largest %s), root mean square %s%s",
                 ps_compare_change(total, e->total), ps_compare_percent(weighted, e->wape),
                 ps_compare_percent(mean, e->mean_log), ps_compare_percent(most, e->max_log),
                 say_seconds(root, e->rmse_s), below);
        return room;
}

const char *ps_compare_run_text(char room[PS_COMPARE_VERDICT_ROOM], const ps_run *run)
{
        char time[PS_NUMBER_ROOM], ranks[PS_NUMBER_ROOM], clock[PS_NUMBER_ROOM + 16] = "";

        say_seconds(time, run->duration_s);
        ps_text_count(ranks, run->processes);
        if (run->resolution_hz) {
                strcpy(clock, ", clock of ");
                ps_text_hertz(clock + strlen(clock), run->resolution_hz);
        }
        snprintf(room, PS_COMPARE_VERDICT_ROOM, "%.60s%s%s, %s %s, %s%s", run->format,
                 run->is_saved ? " (saved report)" : "", run->is_predicted ? ", predicted" : "", ranks,
                 run->processes == 1 ? "rank" : "ranks", time, clock);
        return room;
}

const char *ps_compare_parting(char room[PS_COMPARE_VERDICT_ROOM], const ps_compare *c)
{
        const ps_compared_operations *o = &c->operations;
        char name[PS_COMPARE_NAME_ROOM] = "", m[PS_NUMBER_ROOM], p[PS_NUMBER_ROOM];

        room[0] = '\0';
        if (!o->parts_ways)
                return room;
        if (o->at_interval != PS_NONE && o->at_interval < c->intervals.n)
                ps_compare_interval_name(name, c, &c->intervals.row[o->at_interval]);
        snprintf(room, PS_COMPARE_VERDICT_ROOM,
                 "The runs first differ in time at %.80s of rank %" PRIu32 " (%.150s): after %s and %s.",
                 o->at_call, o->at_processor, name, say_seconds(m, o->at.measured),
                 say_seconds(p, o->at.predicted));
        return room;
}
