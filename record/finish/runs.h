/* runs.h - folders of runs that are not finished yet, and what is missing in them. */
#ifndef PS_RECORD_FINISH_RUNS_H
#define PS_RECORD_FINISH_RUNS_H

#include "record/finish/finish.h"
#include "record/finish/run.h"

/* Only one finishes a run at a time: waits for others. The run is ours as long as the descriptor is open, or
 * gone; -1: it is gone. */
int ps_runs_lock(const char *run);

/* PS_E_INPUT: one of its processes still runs, `patience` milliseconds later, too. */
ps_status ps_runs_check_over(const char *run, int patience, ps_error *err);

/* Removes the run, those before it, and what is left of others that were finished. */
void ps_runs_remove(const char *run);

/* missing.c: fills out->incomplete. */
void ps_finish_tell(ps_finished *out, const ps_raw_run *run, const char *ranks);

#endif
