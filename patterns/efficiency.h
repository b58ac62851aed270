/* efficiency.h - how well a run used its processors, by the multiplicative model of the POP project
 * (Performance Optimisation and Productivity): parallel = load balance * communication. */
#ifndef PS_PATTERNS_EFFICIENCY_H
#define PS_PATTERNS_EFFICIENCY_H

#include "core/trace.h"

typedef struct ps_efficiency {
        int is_known;         /* the trace has a duration and locations that compute */
        double parallel;      /* mean useful time of a location / duration */
        double load_balance;  /* mean / longest useful time */
        double communication; /* longest useful time / duration */
} ps_efficiency;

/* Of the measured run. Useful is what a location spends outside of the library, its barriers and the
 * recorder. */
ps_efficiency ps_efficiency_measured(const ps_trace *trace);

#endif
