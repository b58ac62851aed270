/* efficiency.h - how well a run used its processors, by the multiplicative model of the POP project
 * (Performance Optimisation and Productivity): parallel = load balance * communication. */
#ifndef PS_PATTERNS_ENGINE_EFFICIENCY_H
#define PS_PATTERNS_ENGINE_EFFICIENCY_H

#include "core/sums/times.h"

typedef struct ps_efficiency {
        bool is_untold;       /* the clocks do not tell them, or not how the time in communication splits */
        bool is_known;        /* the trace has a duration and locations that compute */
        double parallel;      /* mean useful time of a location / duration */
        double load_balance;  /* mean / longest useful time */
        double communication; /* longest useful time / duration */
        /* communication = serialization * transfer; only a replay on an ideal network tells them apart. */
        bool is_split;
        double serialization, transfer;
} ps_efficiency;

/* Useful is computation, as the table of times has it. `length`: of the focus. */
ps_efficiency ps_efficiency_of(const ps_times *times, ps_time length);

/* `run`: how long a replay of the run takes; `ideal`: the same on a network that costs nothing. Both are
 * replayed, so that what the replay gets wrong of the run does not count. */
void ps_efficiency_split(ps_efficiency *efficiency, ps_time run, ps_time ideal);

#endif
