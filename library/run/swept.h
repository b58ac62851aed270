/* swept.h - a recorded run with edits that have several values: all combinations of them, as lanes of one
 * replay. */
#ifndef PS_LIBRARY_RUN_SWEPT_H
#define PS_LIBRARY_RUN_SWEPT_H

#include "library/run/predicted.h"
#include "report/facts/edit_sweep.h"

typedef struct ps_swept_run ps_swept_run;

/* What is given must outlive it; without a trace only the options and edits are checked. To be freed, also
 * after a failure. */
ps_status ps_swept_run_new(ps_swept_run **out, const ps_options *options, const ps_trace *trace,
                           const ps_predict_machine *on, const char *const *edits, unsigned n, ps_error *err);
void ps_swept_run_free(ps_swept_run *run);

ps_swept ps_swept_run_told(const ps_swept_run *run);
ps_status ps_swept_run_write(const ps_swept_run *run, const char *format, ps_output *out, ps_error *err);
/* How the program ends; says so if it is not well. */
ps_exit ps_swept_run_judge(const ps_swept_run *run);

#endif
