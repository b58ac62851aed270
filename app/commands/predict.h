/* predict.h - what the parts of `patscan predict` share: a way of predicting for each kind of trace. */
#ifndef PS_APP_COMMANDS_PREDICT_H
#define PS_APP_COMMANDS_PREDICT_H

#include "core/load/recording.h"
#include "core/model/pieces.h"
#include "library/run/analysis.h"
#include "simulator/cost/machine.h"
#include "simulator/whatif/whatif.h"

/* What --machine names. */
typedef struct ps_predict_machine {
        ps_machine *machine; /* NULL: as recorded */
        ps_machine *divider; /* of "recorded:FILE", or NULL: see ps_scenario */
} ps_predict_machine;

/* Carries out the command for a trace of one kind. */
typedef ps_status ps_predict_way(const ps_options *options, ps_plan *plan, const ps_predict_machine *on,
                                 ps_exit *code, ps_error *err);

ps_predict_way ps_predict_dvm, ps_predict_replay, ps_predict_sweep;

/* Has one of the edits several values? */
bool ps_predict_is_sweep(const ps_options *options);
/* `balance` is about the intervals that are named, or those that the trace has. To be cleared, also after a
 * failure. */
ps_status ps_predict_what_if(ps_what_if *out, const ps_edits *edits, const ps_trace *trace,
                             const ps_predict_machine *on, const ps_word_list *intervals, ps_error *err);

/* A run to be replayed with edits, wherever it comes from. */
typedef struct ps_predict_run {
        ps_status (*load)(void *ctx, ps_trace **out, const struct ps_piece_options *pieces, ps_error *err);
        void *ctx;
        ps_predict_machine on; /* of the replay */
        ps_edits *edits;
        const ps_prediction *prediction; /* what its own times rest on; NULL: they were measured */
} ps_predict_run;

ps_status ps_predict_edited(const ps_options *options, ps_plan *plan, const ps_predict_run *run,
                            ps_exit *code, ps_error *err);

/* Checks where --write leads, before anything is worked out for it. */
ps_status ps_predict_check_write(const ps_options *options, ps_error *err);
/* Writes a run with these frozen definitions there, if it was asked for. */
ps_status ps_predict_write(const ps_options *options, const ps_defs *defs, ps_source source, ps_error *err);

#endif
