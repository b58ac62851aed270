/* predict.h - what the parts of `patscan predict` share: a way of predicting for each kind of trace. */
#ifndef PS_APP_PREDICT_H
#define PS_APP_PREDICT_H

#include "app/analysis.h"
#include "core/recording.h"
#include "simulator/machine.h"

/* Carries out the command for a trace of one kind. */
typedef ps_status ps_predict_way(const ps_options *options, ps_plan *plan, const ps_machine *machine,
                                 ps_exit *code, ps_error *err);

ps_predict_way ps_predict_dvm;

/* Checks where --write leads, before anything is worked out for it. */
ps_status ps_predict_check_write(const ps_options *options, ps_error *err);
/* Writes the run there, if it was asked for. */
ps_status ps_predict_write(const ps_options *options, ps_recording *recording, ps_error *err);

#endif
