/* drift.h - how far the replay of a recording, without any edit, is from the measurement. */
#ifndef PS_APP_WHATIF_DRIFT_H
#define PS_APP_WHATIF_DRIFT_H

#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/whatif/replays.h"
#include "report/facts/intervals.h"
#include "report/facts/prediction.h"

enum { PS_DRIFT_NAME_ROOM = PS_INTERVAL_TITLE_ROOM };

/* Sets the limit: --max-drift. */
ps_status ps_drift_limit(ps_drift *drift, const ps_options *options, ps_error *err);
/* The rest. `name` is for that of the worst interval. */
ps_status ps_drift_find(ps_drift *drift, char name[PS_DRIFT_NAME_ROOM], const ps_replays *replays,
                        const ps_options *options, ps_error *err);
/* What is too far off is warned of; the run counts as done in part. */
void ps_drift_judge(const ps_drift *drift, const ps_options *options, ps_exit *code);

#endif
