/* focus.h - which part of the run is asked for: --focus, --from, --to, --ranks. */
#ifndef PS_LIBRARY_RUN_FOCUS_H
#define PS_LIBRARY_RUN_FOCUS_H

#include "core/model/focus.h"
#include "library/run/asked.h"

/* Texts in it are those of the command line. */
ps_status ps_focus_asked(ps_focus_wish *out, const ps_options *options, ps_error *err);

#endif
