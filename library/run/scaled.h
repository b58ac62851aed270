/* scaled.h - a run as far as scaling goes, for all commands that ask how runs on different numbers of
 * processes differ. */
#ifndef PS_LIBRARY_RUN_SCALED_H
#define PS_LIBRARY_RUN_SCALED_H

#include "compare/scale.h"
#include "library/run/asked.h"
#include "library/run/exit.h"

/* Adds a run, from a trace or a saved report. `code` gets what is to be said of it. */
ps_status ps_scale_take(ps_scaling *scaling, const char *path, const ps_options *options, ps_exit *code,
                        ps_error *err);

#endif
