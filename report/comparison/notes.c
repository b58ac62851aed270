/* notes.c - what a reader has to know before trusting a comparison. */
#include "report/comparison/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef const char *(*note)(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c);

static const char *note_unusable(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        (void)room;
        return ps_compare_is_unusable(c) ? "A run took no time at all: there is nothing to compare." : NULL;
}

static const char *note_calibration(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        (void)room;
        return c->is_calibration ? "The machine was calibrated with the measured run: their agreement proves "
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
                         "The saved report of the %s run contains no %s, so they are not compared.",
                         ps_compare_side_name(c, (ps_run_role)side), what);
                return room;
        }
        return NULL;
}

/* Nothing is wrong with it, but there could be more. */
static const char *note_whole_only(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        for (int side = 0; side < PS_SIDES; side++) {
                if (!c->run[side]->is_saved || c->run[side]->intervals.n != 1)
                        continue;
                snprintf(room, PS_COMPARE_NOTE_ROOM,
                         "The saved report of the %s run has no interval but the whole run: make it with "
                         "--interval to compare regions.",
                         ps_compare_side_name(c, (ps_run_role)side));
                return room;
        }
        return NULL;
}

static const char *note_noise(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        (void)room;
        return isnan(c->options.tolerance) || ps_run_samples_tell_noise(c->options.samples)
                       ? NULL
                       : "Whether a difference is noise cannot be told: that takes three runs a side or more "
                         "(compare A1 A2 A3 --with B1 B2 B3).";
}

static const char *note_intervals(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        const uint64_t *only = c->interval_matches.only;

        if (!only[PS_MEASURED] && !only[PS_PREDICTED])
                return NULL;
        snprintf(room, PS_COMPARE_NOTE_ROOM,
                 "Not all intervals are in both runs: %" PRIu64 " %s, %" PRIu64 " %s.", only[PS_MEASURED],
                 ps_compare_where(c, 1, 0), only[PS_PREDICTED], ps_compare_where(c, 0, 1));
        return room;
}

static const char *note_operations(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        const ps_compared_operations *o = &c->operations;

        if (!o->matches.only[PS_MEASURED] && !o->matches.only[PS_PREDICTED])
                return NULL;
        snprintf(room, PS_COMPARE_NOTE_ROOM,
                 "The runs did not do the same: %" PRIu64 " operations are %s, %" PRIu64 " %s, %" PRIu64
                 " in both.",
                 o->matches.only[PS_MEASURED], ps_compare_where(c, 1, 0), o->matches.only[PS_PREDICTED],
                 ps_compare_where(c, 0, 1), o->matches.both);
        return room;
}

static const char *note_partial(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *c)
{
        for (int side = 0; side < PS_SIDES; side++) {
                if (!c->run[side]->is_partial)
                        continue;
                snprintf(room, PS_COMPARE_NOTE_ROOM, "A part of the %s run's trace could not be read.",
                         ps_compare_side_name(c, (ps_run_role)side));
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
        static const note notes[] = {note_unusable, note_calibration, note_ranks,     note_map,
                                     note_missing,  note_whole_only,  note_intervals, note_operations,
                                     note_partial,  note_cancelled,   note_noise};

        for (unsigned k = 0; k < sizeof(notes) / sizeof(*notes); k++) {
                const char *text = notes[k](room, c);
                if (text && i-- == 0)
                        return text;
        }
        return NULL;
}
