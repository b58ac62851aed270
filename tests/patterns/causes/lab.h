/* lab.h - the costs of delays in a trace, from its analysis on, and what they must always obey. */
#ifndef PS_TESTS_PATTERNS_CAUSES_LAB_H
#define PS_TESTS_PATTERNS_CAUSES_LAB_H

#include "patterns/causes/causes.h"

typedef struct delayed {
        const ps_trace *trace;
        ps_wait_log *log;
        ps_analysis *analysis;
        ps_delays *delays;
        ps_critical *critical;
        ps_causes *causes;
} delayed;

/* With all that is computed between operations. */
ps_trace *delayed_load(const char *anchor, ps_clock_mode clock);

/* Of the measured run, from the last leave of MPI_Init to the last enter of MPI_Finalize (Scalasca's: of all
 * of it); dies when it fails. */
delayed delayed_of(const ps_trace *trace, ps_definitions definitions, ps_time epsilon, unsigned n_threads);
delayed delayed_by(const ps_trace *trace, const ps_timing *timing, const ps_analysis_options *analysis,
                   const ps_delay_options *options);
void delayed_free(delayed *d);

/* Of a family (PS_N_DELAYS: of all) at a location (PS_NONE: at all). */
ps_time delayed_sum(const delayed *d, ps_delay_family family, ps_delay_term term, ps_loc loc);
/* At a path that ends like this: "iter/assemble". Zeroes if nothing was charged there. */
ps_delay_cost delayed_cost(const delayed *d, ps_loc loc, const char *path);

/* Dies with `name` when a sum is not what it must be. */
void delayed_check(const delayed *d, const char *name);
/* Dies when they differ in anything. */
void delayed_same(const delayed *a, const delayed *b, const char *name);

#endif
