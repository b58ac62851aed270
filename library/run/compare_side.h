/* compare_side.h - runs that are compared, each from a trace or from a saved report. */
#ifndef PS_LIBRARY_RUN_COMPARE_SIDE_H
#define PS_LIBRARY_RUN_COMPARE_SIDE_H

#include "compare/compare.h"
#include "library/run/analysis.h"

typedef struct ps_compare_side {
        const char *path;
        bool is_saved;
        ps_plan plan;
        ps_trace *trace;
        ps_analysis *analysis;
        ps_intervals *intervals;
        ps_sources *sources;
        ps_profile *profile; /* NULL: no report is a page */
        ps_report *report;
        ps_run run;
} ps_compare_side;

/* The two runs that are compared; of several a side those in the middle. */
typedef struct ps_compare_sides {
        ps_compare_side side[PS_SIDES];
        ps_run_samples samples; /* empty: one run a side */
        bool is_distrusted;     /* one of the samples is damaged: no tolerance holds */
} ps_compare_sides;

/* The runs of a side. */
typedef struct ps_compare_paths {
        const char *const *path;
        uint32_t n;
} ps_compare_paths;

/* To be cleared, also after a failure. */
ps_status ps_compare_sides_load(ps_compare_sides *out, const ps_compare_paths of[PS_SIDES],
                                const ps_options *options, ps_error *err);
void ps_compare_sides_clear(ps_compare_sides *sides);

#endif
