/* compare_side.h - the two runs of `patscan compare`, each from a trace or from a saved report. */
#ifndef PS_APP_COMMANDS_COMPARE_SIDE_H
#define PS_APP_COMMANDS_COMPARE_SIDE_H

#include "app/run/analysis.h"
#include "compare/compare.h"

typedef struct ps_compare_side {
        const char *path;
        bool is_saved;
        ps_plan plan;
        ps_trace *trace;
        ps_analysis *analysis;
        ps_intervals *intervals;
        ps_sources *sources;
        ps_report *report;
        ps_run run;
} ps_compare_side;

/* Both arguments of the command. To be cleared, also after a failure. */
ps_status ps_compare_sides_load(ps_compare_side side[2], const ps_options *options, ps_error *err);
void ps_compare_side_clear(ps_compare_side *side);

#endif
