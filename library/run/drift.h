/* drift.h - how far the replay without edits may be from the measurement: --max-drift. */
#ifndef PS_LIBRARY_RUN_DRIFT_H
#define PS_LIBRARY_RUN_DRIFT_H

#include "library/run/asked.h"
#include "library/run/exit.h"
#include "report/facts/intervals.h"
#include "simulator/whatif/whatif.h"

/* The drift, and how the worst interval is called: "" if there are none. */
typedef struct ps_drift_told {
        ps_drift drift;
        char worst_interval[PS_INTERVAL_TITLE_ROOM];
} ps_drift_told;

/* The limit, a share; `preset` if nobody asked for one. */
ps_status ps_drift_limit(double *limit, const char *asked, const char *preset, ps_error *err);
/* All else, with the intervals that the options name. */
ps_status ps_drift_measure(ps_drift_told *told, const ps_options *options, const ps_replays *replays,
                           ps_error *err);
/* What is too far off is warned of; the run counts as done in part. */
void ps_drift_judge(const ps_drift_told *told, const ps_options *options, ps_exit *code);

#endif
