/* compare.c - a comparison, step by step, and what a reader has to know before trusting it. */
#include "report/compare_parts.h"
#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double ps_two_difference(ps_two two)
{
        if (isnan(two.measured) && isnan(two.predicted))
                return NAN;
        return (isnan(two.predicted) ? 0 : two.predicted) - (isnan(two.measured) ? 0 : two.measured);
}

/* What is shorter says nothing about a model: the clocks, or the run, are too coarse for it. */
static double floor_of(const ps_compare *c)
{
        double floor_s = c->run[PS_MEASURED]->duration_s / 1000;

        for (int side = 0; side < PS_SIDES; side++) {
                uint64_t hz = c->run[side]->resolution_hz;
                if (hz && 1 / (double)hz > floor_s)
                        floor_s = 1 / (double)hz;
        }
        return floor_s;
}

/* The last part of a path: archives are often named by their folders. */
static const char *base_of(const char *path)
{
        const char *slash = strrchr(path, '/');

        return slash && slash[1] ? slash + 1 : path;
}

/* A machine file says in words what its numbers were fitted to. */
static int is_calibration(const ps_run *measured, const ps_run *predicted)
{
        const char *source = predicted->machine_source;

        if (!source || !*measured->path)
                return 0;
        return strstr(source, measured->path) || (strcmp(base_of(measured->path), "traces.otf2") != 0 &&
                                                  strstr(source, base_of(measured->path)));
}

static void compare_totals(ps_compare *c)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];

        c->duration = (ps_two){m->duration_s, p->duration_s};
        for (int part = 0; part < PS_PARTS; part++)
                c->part[part] = (ps_two){ps_run_total(m, (ps_part)part), ps_run_total(p, (ps_part)part)};
        c->total_exceeded = fabs(ps_two_difference(c->duration)) > c->options.tolerance * m->duration_s;
        c->is_calibration = is_calibration(m, p);
        c->imbalance = (ps_two){NAN, NAN};
        c->spearman = NAN;
}

static int has_unmatched(const ps_compare *c)
{
        for (uint32_t i = 0; i < c->intervals.n; i++) {
                const ps_compared_interval *row = &c->intervals.row[i];
                if ((row->row[PS_MEASURED] == PS_NONE || row->row[PS_PREDICTED] == PS_NONE) &&
                    fabs(ps_two_difference(row->execution)) > c->floor_s)
                        return 1;
        }
        return 0;
}

static ps_status compare_all(ps_compare *c, ps_error *err)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];
        ps_status status = ps_compare_pair_processors(c, err);

        compare_totals(c);
        if (status == PS_OK && m->intervals.n && p->intervals.n)
                status = ps_compare_intervals(c, err);
        if (status == PS_OK && m->has_shares && p->has_shares && !c->ranks_differ)
                status = ps_compare_ranks(c, err);
        if (status == PS_OK && m->has_findings && p->has_findings)
                status = ps_compare_findings(c, err);
        if (status == PS_OK && m->trace && p->trace && m->tree && p->tree && !c->ranks_differ)
                status = ps_compare_operations(c, err);
        if (!m->intervals.n || !p->intervals.n || !m->has_findings || !p->has_findings || m->is_partial ||
            p->is_partial || c->ranks_differ || has_unmatched(c))
                c->is_partial = 1;
        return status;
}

ps_status ps_compare_new(ps_compare **out, const ps_run *measured, const ps_run *predicted,
                         const ps_compare_options *options, ps_error *err)
{
        ps_compare *c = calloc(1, sizeof(*c));
        ps_status status;

        *out = NULL;
        if (!c)
                return PS_NOMEM(err, "comparison", 1);
        c->run[PS_MEASURED] = measured;
        c->run[PS_PREDICTED] = predicted;
        c->options = *options;
        c->floor_s = floor_of(c);
        status = compare_all(c, err);
        if (status == PS_OK)
                *out = c;
        else
                ps_compare_free(c);
        return status;
}

void ps_compare_free(ps_compare *c)
{
        if (!c)
                return;
        free(c->intervals.row);
        free(c->processor);
        free(c->ranks.row);
        free(c->patterns.row);
        free(c->sites.row);
        free(c->sizes.row);
        free(c);
}

int ps_compare_is_unusable(const ps_compare *c)
{
        return c->duration.measured <= 0 || c->duration.predicted <= 0;
}

/* -- notes */

typedef const char *(*note)(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c);

static const char *side_name(int side)
{
        return side == PS_MEASURED ? "measured" : "predicted";
}

static const char *note_unusable(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        (void)room;
        return ps_compare_is_unusable(c) ? "A run took no time at all: there is nothing to compare." : NULL;
}

static const char *note_calibration(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        (void)room;
        return c->is_calibration
                       ? "The machine was calibrated with the measured run: that they agree validates "
                         "nothing. Compare with a run that it was not fitted to."
                       : NULL;
}

static const char *note_ranks(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];
        int by_shares = m->has_shares && p->has_shares;

        if (!c->ranks_differ)
                return NULL;
        snprintf(room, PS_COMPARE_NOTE_ROOM,
                 "The runs have different numbers of ranks, %" PRIu64 " and %" PRIu64
                 ": ranks, operations and messages are not compared, and times of intervals are means of a "
                 "rank. "
                 "--rank-map says which rank is which.",
                 by_shares ? (uint64_t)m->n_processors : m->processes,
                 by_shares ? (uint64_t)p->n_processors : p->processes);
        return room;
}

static const char *note_map(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        uint32_t n = c->run[PS_MEASURED]->n_processors;

        if (!c->options.processors || (c->ranks.n == n && n == c->run[PS_PREDICTED]->n_processors))
                return NULL;
        snprintf(room, PS_COMPARE_NOTE_ROOM,
                 "The map of ranks pairs %" PRIu32 " of %" PRIu32 " measured and %" PRIu32
                 " predicted ranks.",
                 c->ranks.n, n, c->run[PS_PREDICTED]->n_processors);
        return room;
}

static const char *note_missing(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        for (int side = 0; side < PS_SIDES; side++) {
                const ps_run *run = c->run[side];
                const char *what = !run->intervals.n && !run->has_findings ? "intervals or findings"
                                   : !run->intervals.n                     ? "intervals"
                                   : !run->has_findings                    ? "findings"
                                                                           : NULL;
                if (!what)
                        continue;
                snprintf(room, PS_COMPARE_NOTE_ROOM,
                         "The saved report of the %s run tells of no %s: they are "
                         "not compared.",
                         side_name(side), what);
                return room;
        }
        return NULL;
}

static const char *note_intervals(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        const uint64_t *only = c->unmatched_intervals;

        if (!only[PS_MEASURED] && !only[PS_PREDICTED])
                return NULL;
        snprintf(room, PS_COMPARE_NOTE_ROOM,
                 "Not all intervals are in both runs: %" PRIu64 " only in the measured, %" PRIu64
                 " only in the predicted one.",
                 only[PS_MEASURED], only[PS_PREDICTED]);
        return room;
}

static const char *note_operations(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        const ps_compared_operations *o = &c->operations;

        if (!o->unmatched[PS_MEASURED] && !o->unmatched[PS_PREDICTED])
                return NULL;
        snprintf(room, PS_COMPARE_NOTE_ROOM,
                 "The runs did not do the same: %" PRIu64 " operations are only in the measured, %" PRIu64
                 " only in the predicted one; %" PRIu64 " are in both.",
                 o->unmatched[PS_MEASURED], o->unmatched[PS_PREDICTED], o->matched);
        return room;
}

static const char *note_partial(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        for (int side = 0; side < PS_SIDES; side++) {
                if (!c->run[side]->is_partial)
                        continue;
                snprintf(room, PS_COMPARE_NOTE_ROOM, "A part of the %s run's trace could not be read.",
                         side_name(side));
                return room;
        }
        return NULL;
}

static const char *note_cancelled(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        char hidden[PS_NUMBER_ROOM];

        if (!(c->interval_errors.cancellation > 0.5) || !(c->interval_errors.wape > 0.05))
                return NULL;
        snprintf(hidden, sizeof(hidden), "%.0f %%", 100 * c->interval_errors.cancellation);
        snprintf(room, PS_COMPARE_NOTE_ROOM,
                 "%s of the differences between intervals cancel out in the total: it looks better than it "
                 "is.",
                 hidden);
        return room;
}

const char *ps_compare_note(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c, unsigned i)
{
        static const note notes[] = {note_unusable,   note_calibration, note_ranks,
                                     note_map,        note_missing,     note_intervals,
                                     note_operations, note_partial,     note_cancelled};

        for (unsigned k = 0; k < sizeof(notes) / sizeof(*notes); k++) {
                const char *text = notes[k](room, c);
                if (text && i-- == 0)
                        return text;
        }
        return NULL;
}
