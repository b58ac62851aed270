/* focus.h - which part of the run is asked for: --focus, --from, --to, --ranks. */
#ifndef PS_APP_CLI_FOCUS_H
#define PS_APP_CLI_FOCUS_H

#include "app/cli/options.h"
#include "core/model/focus.h"

/* Texts in it are those of the command line. */
ps_status ps_focus_asked(ps_focus_wish *out, const ps_options *options, ps_error *err);

#endif
