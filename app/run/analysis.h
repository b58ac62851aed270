/* analysis.h - from a trace to reports and a verdict: what `analyze` does, and whoever makes a trace by other
 * means. */
#ifndef PS_APP_RUN_ANALYSIS_H
#define PS_APP_RUN_ANALYSIS_H

#include "app/cli/commands.h"
#include "app/run/gains.h"
#include "app/run/gate.h"
#include "app/run/select.h"
#include "core/sums/intervals.h"
#include "core/sums/profile.h"
#include "core/views/stacks.h"
#include "report/facts/baseline.h"
#include "report/facts/causes.h"
#include "report/facts/prediction.h"

/* What the command line asks for, checked before anything is read. */
typedef struct ps_plan {
        ps_selection selection;
        ps_gates gates;
        ps_baseline baseline;
        ps_quantity epsilon;
        ps_analysis_options how;
        uint64_t eager_bytes;
        bool has_eager;
        uint32_t master;
        uint8_t has_master;
        bool tells_causes; /* unless --causes none */
        bool needs_causes; /* something else than a report does */
        uint32_t fixes;    /* of so many causes; or PS_FIXES_AUTO */
        bool all_fixes;    /* that there are; otherwise the first and what can be gained at most */
        /* Of a simulated run; 0 and NULL after ps_plan_make. */
        bool is_predicted;
        bool is_recording;               /* and predict takes it like any recorded run */
        const ps_prediction *prediction; /* what it rests on */
        const ps_intervals *intervals;   /* its maker knows them; NULL: from regions */
        uint32_t gains;                  /* of so many findings */
        /* Of a replay; NULL after ps_plan_make: the measured run is what the report is about. */
        const ps_timing *timing;
        const ps_replays *replays;
        ps_stacks *stacks;          /* of the measured run; NULL: no page asks for them */
        const ps_report *beside;    /* what a page shows beside it; NULL: nothing */
        const ps_unwaited *removed; /* what the edited run leaves out */
        int splits; /* a replay is to tell waiting for partners from transfer, before the report is made */
} ps_plan;

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
} ps_analysed;

/* To be cleared, also after a failure. */
ps_status ps_plan_make(ps_plan *plan, const ps_options *options, ps_error *err);
void ps_plan_clear(ps_plan *plan);

/* As many causes have what mends them computed as suits the number of operations. */
#define PS_FIXES_AUTO (UINT32_MAX - 1)

bool ps_plan_wants_page(const ps_options *options);
/* Does a report tell who made whom wait? Then pieces (core/model/pieces.h) tell where. */
bool ps_plan_wants_causes(const ps_plan *plan, const ps_options *options);

/* Sets plan->how for a run of this timing. */
void ps_plan_settle(ps_plan *plan, const ps_options *options, const ps_timing *timing);

/* The report of the plan's timing, with what mends its causes, ranked. To be cleared, also after a failure.
 */
ps_status ps_plan_make_report(ps_analysed *out, ps_plan *plan, const ps_options *options,
                              const ps_trace *trace, ps_error *err);

/* Up to the report, of any timing. To be cleared, also after a failure. */
ps_status ps_plan_analyse(ps_analysed *out, ps_plan *plan, const ps_options *options, const ps_trace *trace,
                          const ps_timing *timing, ps_error *err);
/* What a page of the trace tells of call stacks, if one is asked for and the trace was read from a file. */
ps_status ps_plan_open_stacks(ps_plan *plan, const ps_options *options, const ps_trace *trace, ps_error *err);
void ps_analysed_clear(ps_analysed *analysed);

/* Looks for the patterns, writes the reports, and says by the exit code whether the limits were kept. */
ps_status ps_plan_carry_out(ps_plan *plan, const ps_options *options, const ps_trace *trace, ps_exit *code,
                            ps_error *err);

#endif
