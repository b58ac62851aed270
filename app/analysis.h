/* analysis.h - from a trace to reports and a verdict: what `analyze` does, and whoever makes a trace by other
 * means. */
#ifndef PS_APP_ANALYSIS_H
#define PS_APP_ANALYSIS_H

#include "app/commands.h"
#include "app/gate.h"
#include "app/select.h"
#include "core/intervals.h"
#include "report/baseline.h"
#include "report/prediction.h"

/* What the command line asks for, checked before anything is read. */
typedef struct ps_plan {
        ps_selection selection;
        ps_gates gates;
        ps_baseline baseline;
        ps_quantity epsilon;
        ps_analysis_options how;
        uint64_t eager_bytes;
        int has_eager;
        /* Of a simulated run; 0 and NULL after ps_plan_make. */
        int is_predicted;
        const ps_prediction *prediction; /* what it rests on */
        const ps_intervals *intervals;   /* its maker knows them; NULL: from regions */
} ps_plan;

/* To be cleared, also after a failure. */
ps_status ps_plan_make(ps_plan *plan, const ps_options *options, ps_error *err);
void ps_plan_clear(ps_plan *plan);

/* Looks for the patterns, writes the reports, and says by the exit code whether the limits were kept. */
ps_status ps_plan_carry_out(ps_plan *plan, const ps_options *options, const ps_trace *trace, ps_exit *code,
                            ps_error *err);

#endif
