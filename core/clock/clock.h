/* clock.h - times that contradict causality: counting them, and repairing what can be repaired. */
#ifndef PS_CORE_CLOCK_CLOCK_H
#define PS_CORE_CLOCK_CLOCK_H

#include "core/clock/slack.h"

/* Violations up to this size are noise of synchronised clocks; larger ones mean that they are not. */
#define PS_CLOCK_NOISE (PS_PS_PER_NS * 1000)

/* What contradicts causality; tallies of different rows can be added up in any order. */
typedef struct ps_clock_place {
        ps_ref ref;
        ps_time time;
} ps_clock_place;

typedef struct ps_clock_tally {
        uint64_t messages, collectives;
        ps_time worst, slightest;
        ps_clock_place first_message, first_collective; /* in location order */
} ps_clock_tally;

/* Of the messages that are received in `trace`. */
ps_status ps_clock_count_messages(ps_clock_tally *out, const ps_trace *trace, unsigned n_threads,
                                  ps_error *err);
void ps_clock_tally_add(ps_clock_tally *to, const ps_clock_tally *other);

/* What is known of the messages already; NULL: nothing. */
typedef struct ps_clock_known {
        const ps_clock_tally *counted;
        const ps_slacks *slacks;
} ps_clock_known;

/* Works on trace->measured, fills trace->clock and notes the issues of what was recorded. */
ps_status ps_clock_check(ps_trace *trace, ps_clock_mode mode, const ps_clock_known *known, unsigned n_threads,
                         ps_error *err);

/* How far a difference between times of these two processes may well be wrong; PS_TIME_MAX: nothing is known.
 * 0 for one process, for exact clocks, and where the caller wanted the times as they are. */
ps_time ps_clock_pair_uncertainty(const ps_trace *trace, ps_proc a, ps_proc b);
/* By how much at most a time of `late` lies less behind one of `early` than it seems. */
ps_time ps_clock_pair_excess(const ps_trace *trace, ps_proc early, ps_proc late);

#endif
