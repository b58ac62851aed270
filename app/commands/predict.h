/* predict.h - a predicted run as a trace for other tools. */
#ifndef PS_APP_COMMANDS_PREDICT_H
#define PS_APP_COMMANDS_PREDICT_H

#include "app/cli/input.h"
#include "patscan/patscan.h"

/* Checks where --write leads, before anything is worked out for it. */
ps_status ps_predict_check_write(const ps_options *options, ps_error *err);
/* Writes the run there, if it was asked for. */
ps_status ps_predict_write(const ps_options *options, const patscan_prediction *prediction, ps_error *err);

#endif
