/* intervals.h - a run of a trace as a tree of intervals: regions of the program instead of marks in a DVM
 * program, but the same characteristics, so that a prediction can be compared with it. */
#ifndef PS_PATTERNS_ENGINE_INTERVALS_H
#define PS_PATTERNS_ENGINE_INTERVALS_H

#include "core/sums/intervals.h"
#include "patterns/engine/engine.h"

/* Sets is_chosen[region] of those that are intervals; the same names, the same errors. */
ps_status ps_intervals_choose(uint8_t *is_chosen, const ps_defs *defs, const char *const *names, uint32_t n,
                              ps_error *err);

/* The regions of these names (or of several, separated by commas) are intervals, wherever they are called;
 * without any (n 0) the trace's phases and loops. Synchronisation is what the analysis charged; NULL: it is
 * left out. Names that no region has are an error: PS_E_USAGE. */
ps_status ps_intervals_of(ps_intervals **out, const ps_trace *trace, const ps_timing *timing,
                          const ps_analysis *analysis, const char *const *names, uint32_t n,
                          unsigned n_threads, ps_error *err);

/* The same without what its operations tell one by one: how many there are, time variation, and overlap. */
ps_status ps_intervals_of_times(ps_intervals **out, const ps_trace *trace, const ps_timing *timing,
                                const ps_analysis *analysis, const char *const *names, uint32_t n,
                                ps_error *err);

#endif
