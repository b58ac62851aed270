/* analysis.h - from a trace to reports and a verdict: what `analyze` does, and whoever makes a trace by other
 * means. */
#ifndef PS_LIBRARY_RUN_ANALYSIS_H
#define PS_LIBRARY_RUN_ANALYSIS_H

#include "core/sums/profile.h"
#include "library/run/plan.h"
#include "report/causes/causes.h"

#include <time.h>

/* How far an analysis has got, for whoever waits for it. */
typedef struct ps_stages {
        const ps_options *options;
        unsigned n_done;       /* stages, in the order of those of analysis.c */
        struct timespec since; /* when the stage at hand was begun */
} ps_stages;

/* What an analysis makes. */
typedef struct ps_analysed {
        ps_analysis *analysis;
        ps_intervals *intervals; /* NULL: the plan has them */
        ps_profile *profile;     /* NULL: no report wants it */
        ps_sources *sources;
        ps_report *report;
        ps_wait_log *waits; /* NULL: nobody wants causes */
        ps_blame blame;
        ps_replays replays; /* of a measured run whose gains are wanted, without times */
        ps_time ideal;      /* how long the run takes if messages cost nothing; 0: unknown */
        ps_stages stages;
} ps_analysed;

/* The report of the plan's timing, with what mends its causes, ranked. To be cleared, also after a failure.
 */
ps_status ps_plan_make_report(ps_analysed *out, ps_plan *plan, const ps_options *options,
                              const ps_trace *trace, ps_error *err);

/* Up to the report, of any timing. To be cleared, also after a failure. */
ps_status ps_plan_analyse(ps_analysed *out, ps_plan *plan, const ps_options *options, const ps_trace *trace,
                          const ps_timing *timing, ps_error *err);
/* What a page of the trace tells of call stacks, if it was read from a file that can be read from the middle.
 */
ps_status ps_plan_open_stacks(ps_plan *plan, const ps_options *options, const ps_trace *trace,
                              const char *path, ps_error *err);
void ps_analysed_clear(ps_analysed *analysed);

/* Before the reports are written: some tell the limits, too. */
void ps_plan_judge_limits(ps_report_limit limits[PS_GATES_MAX], const ps_gates *gates, ps_report *report);
/* In the form of the request. */
ps_status ps_plan_write(const void *report, const ps_report_request *request, ps_output *out, ps_error *err);
/* How the program ends, which is told, too. What was not analysed, or only in part, passes no limit. */
ps_exit ps_plan_judge(const ps_options *options, const ps_plan *plan, const ps_report *report);

/* Looks for the patterns, writes the reports, and says by the exit code whether the limits were kept. */
ps_status ps_plan_carry_out(ps_plan *plan, const ps_options *options, const ps_trace *trace, ps_exit *code,
                            ps_error *err);

#endif
