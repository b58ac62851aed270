/* progress.h - a bar on stderr for work that takes long: only on a terminal, only after a moment, and gone
 * when the work is done. */
#ifndef PS_APP_CLI_PROGRESS_H
#define PS_APP_CLI_PROGRESS_H

#include "app/cli/options.h"

typedef struct ps_progress {
        const char *what; /* "reading" */
        bool enabled;
        int64_t began_ns;
        int64_t since_ns; /* the first step of what is under way; 0: none is */
        int64_t drawn_ns;
} ps_progress;

/* The bar stays hidden with --quiet, and when the work prints to the same terminal. */
void ps_progress_begin(ps_progress *progress, const ps_asked_terminal *asked, const char *what, int prints);
/* Fits ps_load_options.progress; never cancels. `ctx` is the ps_progress. */
int ps_progress_update(void *ctx, uint64_t done, uint64_t total);
/* Before something else is said or written; the bar comes back with the next step. */
void ps_progress_hide(void);
/* Erases the bar; returns how many seconds it took since the beginning. */
double ps_progress_end(ps_progress *progress);

#endif
