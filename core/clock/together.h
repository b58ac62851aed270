/* together.h - calls that end as another process's call begins, and what they tell of the clocks.
 *
 * What must have begun before something else ended confines the clocks to intervals, which are wide where
 * messages go in one direction only. But a library releases all members of a barrier when the last one comes,
 * and a receive that had to wait for its message ends when that arrives: there the clocks may be compared. */
#ifndef PS_CORE_CLOCK_TOGETHER_H
#define PS_CORE_CLOCK_TOGETHER_H

#include "core/base/arena.h"
#include "core/base/vector.h"
#include "core/clock/flow.h"

/* How fast clocks may well drift apart, where the trace does not tell: 100 ppm each, twice what is usual. */
#define PS_CLOCK_DRIFT 200e-6

__extension__ typedef __int128 ps_time_sum;

/* Ends of one process's calls that another one's begins released, in one part of the run. Whole numbers, so
 * that it does not matter in which order they are seen. */
typedef struct ps_release {
        ps_proc waits, releases;
        uint32_t part; /* in which it begins */
        uint32_t n;
        ps_time soonest;      /* end - begin, by the clocks of the two: the least */
        ps_time ended, begun; /* when that was, next to the middles of the two; of several the first begin */
        ps_time_sum after, all_ended, all_begun; /* of all: end - begin, and when they were */
} ps_release;

typedef PS_VECTOR(ps_release) ps_releases_seen;

/* What the clocks do, by process; the arrays are the caller's. */
typedef struct ps_together {
        ps_time *offset; /* in: to begin with; out: the estimate, for the middle of the process's events */
        ps_clock_drift *drift;
        enum { PS_DRIFT_NONE, PS_DRIFT_IF_EVIDENT, PS_DRIFT_WANTED } wish;
        bool drifts; /* does any clock? */
        /* By pair, [a * n + b], in the arena: how far the difference between a and b may well be wrong, and
         * how far they may have drifted apart beyond `drift`; PS_TIME_MAX: not known. NULL: that takes too
         * long, or no call waited for another process. */
        const ps_time *error, *wander;
        ps_time wander_most; /* of any pair */
} ps_together;

/* `flows` without drift. */
ps_status ps_together_estimate(ps_together *out, ps_flows *flows, ps_arena *arena, ps_error *err);

/* fit.c: the estimate from what was seen, of each pair and part one; `span` is the length of the longest
 * process. Sorts `seen`. */
ps_status ps_together_fit(ps_together *out, ps_releases_seen *seen, uint32_t n_processes, ps_time span,
                          ps_arena *arena, ps_error *err);

#endif
