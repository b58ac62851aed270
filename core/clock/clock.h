/* clock.h - times that contradict causality: counting them, and repairing what can be repaired. */
#ifndef PS_CORE_CLOCK_CLOCK_H
#define PS_CORE_CLOCK_CLOCK_H

#include "core/clock/slack.h"

/* Violations up to this size are noise of synchronised clocks; larger ones mean that they are not. */
#define PS_CLOCK_NOISE (PS_PS_PER_NS * 1000)

/* Of the messages that are received in `trace`. */
ps_status ps_clock_count_messages(ps_clock_tally *out, const ps_trace *trace, unsigned n_threads,
                                  ps_error *err);
void ps_clock_tally_add(ps_clock_tally *to, const ps_clock_tally *other);
/* One that is received too early by so much. */
static inline void ps_clock_tally_message(ps_clock_tally *to, ps_ref recv, ps_time received, ps_time by)
{
        to->messages++;
        to->worst = ps_time_later(by, to->worst);
        to->slightest = ps_time_earlier(by, to->slightest);
        if (ps_refs_compare(&recv, &to->first_message.ref) < 0)
                to->first_message = (ps_clock_place){recv, received};
}

/* Where several processes have members of a collective operation: what each knows of it, which all of them
 * add up, and then what contradicts it in each. The latest begin of those who give, INT64_MIN: nobody does;
 * the earliest end of those who take, PS_TIME_MAX: nobody does; and whose that is. */
enum { PS_BOUND_BEGUN, PS_BOUND_ENDED, PS_BOUND_ENDS_AT, PS_BOUNDS };
void ps_clock_bound(int64_t bounds[PS_BOUNDS], const ps_trace *trace, uint32_t coll);
void ps_clock_bound_add(int64_t *to, const int64_t *bounds);
void ps_clock_count_collective(ps_clock_tally *t, const ps_trace *trace, uint32_t coll,
                               const int64_t bounds[PS_BOUNDS]);

/* The same where each waits for those of lower ranks: when a member has data for those behind it, INT64_MIN:
 * never; and whether it ends before the latest of those before it began, which is counted as a place of an
 * operation that is counted otherwise. */
ps_time ps_clock_passes_on(const ps_trace *trace, uint32_t member);
bool ps_clock_ends_too_early(ps_clock_tally *t, const ps_trace *trace, uint32_t member, ps_time before);

/* What is known already; NULL: nothing. */
typedef struct ps_clock_known {
        const ps_clock_tally *messages, *all; /* of them; of collective operations, too */
        const ps_slacks *slacks;
        const struct ps_clock_mended *mended; /* where rows were before they came here (core/clock/apart.h) */
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
