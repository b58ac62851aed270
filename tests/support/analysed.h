/* analysed.h - what must hold for the analysis of any trace, and shapes in which two of them compare. */
#ifndef PS_TESTS_ANALYSED_H
#define PS_TESTS_ANALYSED_H

#include "patterns/engine/efficiency.h"
#include "patterns/engine/engine.h"

/* Dies when it fails. A negative epsilon is the default. */
ps_analysis *analysed(const ps_trace *trace, ps_definitions definitions, ps_time epsilon, unsigned n_threads);

/* Where its time went by that; to be freed. */
ps_times *analysed_times(const ps_trace *trace, unsigned n_threads);
ps_efficiency analysed_efficiency(const ps_trace *trace);

/* Sum of a pattern over all locations (PS_NONE) or at one; with its children if `total`. */
ps_time analysed_lost(const ps_analysis *analysis, uint32_t pattern, ps_loc location, int total);
uint64_t analysed_count(const ps_analysis *analysis, uint32_t pattern, int total);

/* Looks at every sum, index and the order of the findings; dies when one is wrong. */
void analysed_check(const ps_trace *trace, const ps_analysis *analysis);

/* Has rows asked of each call, and of those only where columns do not tell what they would say; dies when
 * that makes a difference to any sum or finding, or to what a sink is shown. */
void analysed_in_full(const ps_trace *trace, const ps_timing *timing, ps_time epsilon);
/* In one piece, and in ranges that begin with little of what was before them, or nothing; the same. The one
 * above does so with one thread. */
void analysed_in_ranges(const ps_trace *trace, const ps_timing *timing, ps_time epsilon, uint32_t range_ops,
                        unsigned n_threads);

/* Two analyses of a trace; dies when a sum or finding differs. */
void analysed_expect_alike(const ps_trace *trace, const ps_analysis *a, const ps_analysis *b);

/* Analyses by all definitions, with an epsilon of 0 and the default, and writes the result in all formats;
 * dies when one fails or its sums are wrong. */
void analysed_hostile(const ps_trace *trace);

/* NULL when both found the same; else what is not. `rename` (by location; NULL: itself) tells what a's
 * locations are called in b; call paths are compared by their names. */
const char *analysed_difference(const ps_trace *t, const ps_analysis *a, const ps_trace *u,
                                const ps_analysis *b, const ps_loc *rename);

/* By pattern and location, what both analyses of a run say was lost; views are in no sum. `least`: what the
 * second one says is certain. In picoseconds. */
typedef struct analysed_match {
        double truth, told, both, least;
} analysed_match;

analysed_match analysed_compare(const ps_analysis *truth, const ps_analysis *told);

#endif
