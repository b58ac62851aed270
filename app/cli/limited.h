/* limited.h - where addresses are limited (`ulimit -v`): what one process has no room for, several work on.
 * And where the stack is.
 *
 * The limit is each process's own, and a file that is mapped needs addresses, too. So `analyze` and `info`
 * fork as many as the size of the trace suggests, each of which reads its part and keeps it
 * (core/load/share.h); if that is too little after all, it begins again with more of them, as long as nothing
 * was written. */
#ifndef PS_APP_CLI_LIMITED_H
#define PS_APP_CLI_LIMITED_H

#include "app/cli/ask.h"

/* Before all: gives this and later threads a stack of its least size, where `ulimit -s` leaves them less but
 * lets us. */
bool ps_limited_has_stack(void);
/* Then: one process sees what it has no room for through windows (app/local/windows.h). */
void ps_limited_begin(ps_options *options);
/* Before a trace is read: comes back in the process that is to go on, which may be another one, with others
 * beside it if that helps. */
void ps_limited_open(ps_asked_calls *asked, const char *path);
/* From now on what is asked for is written. */
void ps_limited_report(void);
/* Memory is out: does not come back if it is worth another try. */
void ps_limited_fail(void);
/* Was what is to be said now said in a try before this one? */
bool ps_limited_was_said(void);

#endif
