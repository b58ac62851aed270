/* recorded.h - what `record` and `run` have in common: a program is run and recorded. */
#ifndef PS_APP_COMMANDS_RECORDED_H
#define PS_APP_COMMANDS_RECORDED_H

#include "app/cli/commands.h"

#include <limits.h>

typedef struct ps_recorded {
        char folder[PATH_MAX]; /* of the recording */
        int status;            /* the program's, as a shell has it; or one of those below */
        bool is_there;         /* the recording */
} ps_recorded;

enum { PS_NOT_STARTED = 125, PS_NOT_EXECUTABLE = 126, PS_NOT_FOUND = 127 };

/* What goes wrong before the program starts, but for the options, is told by the status, and said. As a
 * process of a run that was started by a launcher it does not come back. */
ps_status ps_record_run(ps_recorded *out, const ps_options *options, ps_error *err);

#endif
