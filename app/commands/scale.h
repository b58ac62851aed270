/* scale.h - a run as far as scaling goes, for all commands that ask how runs on different numbers of
 * processes differ. */
#ifndef PS_APP_COMMANDS_SCALE_H
#define PS_APP_COMMANDS_SCALE_H

#include "app/cli/commands.h"
#include "compare/scale.h"

/* Adds a run, from a trace or a saved report. `code` gets what is to be said of it. */
ps_status ps_scale_take(ps_scaling *scaling, const char *path, const ps_options *options, ps_exit *code,
                        ps_error *err);

#endif
