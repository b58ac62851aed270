/* predict.h - what the parts of `patscan predict` share: a way of predicting for each kind of trace. */
#ifndef PS_APP_COMMANDS_PREDICT_H
#define PS_APP_COMMANDS_PREDICT_H

#include "core/load/recording.h"
#include "library/run/predicted.h"

/* Carries out the command for a trace of one kind. */
typedef ps_status ps_predict_way(const ps_options *options, ps_plan *plan, const ps_predict_machine *on,
                                 ps_exit *code, ps_error *err);

ps_predict_way ps_predict_dvm, ps_predict_replay, ps_predict_sweep;

/* Has one of the edits several values? */
bool ps_predict_is_sweep(const ps_options *options);
ps_status ps_predict_edited(const ps_options *options, ps_plan *plan, const ps_predict_run *run,
                            ps_exit *code, ps_error *err);

/* Checks where --write leads, before anything is worked out for it. */
ps_status ps_predict_check_write(const ps_options *options, ps_error *err);
/* Writes a run with these frozen definitions there, if it was asked for. */
ps_status ps_predict_write(const ps_options *options, const ps_defs *defs, ps_source source, ps_error *err);

#endif
