/* drift.h - how far the replay of a recording, without any edit, is from the measurement. */
#ifndef PS_APP_WHATIF_DRIFT_H
#define PS_APP_WHATIF_DRIFT_H

#include "app/whatif/replays.h"
#include "report/facts/intervals.h"
#include "report/facts/prediction.h"

enum { PS_DRIFT_NAME_ROOM = PS_INTERVAL_TITLE_ROOM };

/* All but the limit, which the caller sets first. `names` choose the intervals; `name` is for the title of
 * the worst one. */
ps_status ps_drift_find(ps_drift *drift, char name[PS_DRIFT_NAME_ROOM], const ps_replays *replays,
                        const char *const *names, unsigned n_names, ps_error *err);

#endif
