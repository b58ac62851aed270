/* predict_drift.h - how far the replay without edits may be from the measurement: --max-drift. */
#ifndef PS_APP_COMMANDS_PREDICT_DRIFT_H
#define PS_APP_COMMANDS_PREDICT_DRIFT_H

#include "app/cli/commands.h"
#include "app/whatif/drift.h"

/* Sets the limit. */
ps_status ps_drift_limit(ps_drift *drift, const ps_options *options, ps_error *err);
/* What is too far off is warned of; the run counts as done in part. */
void ps_drift_judge(const ps_drift *drift, const ps_options *options, ps_exit *code);

#endif
