/* plan.h - what the command line asks of an analysis, checked before anything is read. */
#ifndef PS_LIBRARY_RUN_PLAN_H
#define PS_LIBRARY_RUN_PLAN_H

#include "core/sums/intervals.h"
#include "core/views/stacks.h"
#include "library/gains/gains.h"
#include "library/run/exit.h"
#include "library/run/gate.h"
#include "library/run/select.h"
#include "report/facts/prediction.h"
#include "report/saved/baseline.h"

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
        bool needs_causes; /* for an edit of the order of messages, whatever is told */
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
        bool splits; /* a replay is to tell waiting for partners from transfer, before the report is made */
} ps_plan;

/* To be cleared, also after a failure. */
ps_status ps_plan_check(ps_plan *plan, const ps_options *options, ps_error *err); /* but for the baseline */
ps_status ps_plan_make(ps_plan *plan, const ps_options *options, ps_error *err);
void ps_plan_clear(ps_plan *plan);

/* As many causes have what mends them computed as suits the number of operations. */
#define PS_FIXES_AUTO (UINT32_MAX - 1)

/* Of how many causes, if the run has so many operations. */
uint32_t ps_plan_fixes(const ps_plan *plan, uint64_t n_operations);

/* Does a report tell who made whom wait? Then pieces (core/model/pieces.h) tell where. */
bool ps_plan_wants_causes(const ps_plan *plan, const ps_options *options);

/* Is the run replayed to tell what fixes and findings gain, and what of its communication is waiting, if it
 * has so many operations? */
bool ps_plan_replays(const ps_plan *plan, const ps_options *options, uint64_t n_operations);
/* Of runs with fewer operations something is asked for that has to look at each, and `*what` says what;
 * UINT64_MAX: of all runs. Else a few of them are enough (core/load/away.c). */
uint64_t ps_plan_rows_from(const ps_plan *plan, const ps_options *options, const char **what);

/* Does a report go through all rows while it is written, of one location after the other? */
bool ps_plan_borrows_rows(const ps_options *options);

/* How many threads what follows the load is worth. */
unsigned ps_plan_threads(const ps_options *options, const ps_trace *trace);

/* Sets plan->how for a run of this timing. */
void ps_plan_settle(ps_plan *plan, const ps_options *options, const ps_trace *trace, const ps_timing *timing);

#endif
