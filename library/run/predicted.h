/* predicted.h - a recorded run with something different: replayed, with all that its report tells of it. */
#ifndef PS_LIBRARY_RUN_PREDICTED_H
#define PS_LIBRARY_RUN_PREDICTED_H

#include "core/model/pieces.h"
#include "library/run/analysis.h"
#include "library/run/drift.h"
#include "simulator/cost/machine.h"
#include "simulator/whatif/whatif.h"

/* What --machine names. */
typedef struct ps_predict_machine {
        ps_machine *machine; /* NULL: as recorded */
        ps_machine *divider; /* of "recorded:FILE", or NULL: see ps_scenario */
} ps_predict_machine;

/* `balance` is about the intervals that are named, or those that the trace has. To be cleared, also after a
 * failure. */
ps_status ps_predict_what_if(ps_what_if *out, const ps_edits *edits, const ps_trace *trace,
                             const ps_predict_machine *on, const ps_word_list *intervals, ps_error *err);

/* A run to be replayed with edits, wherever it comes from. */
typedef struct ps_predict_run {
        ps_status (*load)(void *ctx, ps_trace **out, const struct ps_piece_options *pieces, ps_error *err);
        void *ctx;
        bool is_borrowed;      /* what is loaded stays the caller's */
        ps_predict_machine on; /* of the replay */
        ps_edits *edits;
        const ps_prediction *prediction; /* what its own times rest on; NULL: they were measured */
} ps_predict_run;

/* A run that was replayed. */
typedef struct ps_predicted ps_predicted;

/* The options, the plan and the run must outlive it. */
ps_status ps_predicted_new(ps_predicted **out, const ps_options *options, ps_plan *plan,
                           const ps_predict_run *run, ps_error *err);
void ps_predicted_free(ps_predicted *predicted);

/* The trace that was loaded, and the one that the replays are of: edits may reorder receives. */
const ps_trace *ps_predicted_trace(const ps_predicted *predicted);
const ps_replays *ps_predicted_replays(const ps_predicted *predicted);
const ps_drift_told *ps_predicted_drift(const ps_predicted *predicted);

/* A run that never ends: tells why in `err`, which is no failure. NULL: it ends. */
const ps_replayed *ps_predicted_stuck(const ps_predicted *predicted);
ps_status ps_predicted_tell_stuck(ps_predicted *predicted, ps_error *told, ps_error *err);

/* What makes the plan one of the predicted run. */
void ps_predicted_plan(const ps_predicted *predicted, ps_plan *plan);
/* With what the length of the run depends on, if that is asked for. */
ps_status ps_predicted_depend(ps_predicted *predicted, ps_error *err);

#endif
