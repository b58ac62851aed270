/* progress.c - draws at most ten times a second. */
#include "app/cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_COLUMNS = 30 };

static const int64_t HIDDEN_NS = 300000000, EVERY_NS = 100000000;

static bool is_shown; /* on the one terminal that there is */

static int64_t now_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void ps_progress_begin(ps_progress *progress, const ps_asked_terminal *asked, const char *what, int prints)
{
        const char *term = getenv("TERM");
        int terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;

        *progress = (ps_progress){.what = what, .began_ns = now_ns()};
        progress->enabled = terminal && !asked->quiet && !(prints && isatty(STDOUT_FILENO));
}

void ps_progress_hide(void)
{
        if (is_shown)
                fputs("\r\033[K", stderr);
        is_shown = false;
}

int ps_progress_update(void *ctx, uint64_t done, uint64_t total)
{
        static const char full[] = "##############################",
                          empty[] = "..............................";
        ps_progress *progress = ctx;
        int64_t now;
        double share;
        int bar;

        if (!progress->enabled || !total)
                return 0;
        if (done >= total) { /* what is said next begins a line; another trace may follow */
                ps_progress_hide();
                progress->since_ns = 0;
                return 0;
        }
        now = now_ns();
        if (!progress->since_ns)
                progress->since_ns = now;
        if (now - progress->since_ns < HIDDEN_NS || now - progress->drawn_ns < EVERY_NS)
                return 0;
        share = done < total ? (double)done / (double)total : 1;
        bar = (int)(share * BAR_COLUMNS);
        fprintf(stderr, "\r%s [%.*s%.*s] %3d %%", progress->what, bar, full, BAR_COLUMNS - bar, empty,
                (int)(share * 100));
        fflush(stderr);
        progress->drawn_ns = now;
        is_shown = true;
        return 0;
}

double ps_progress_end(ps_progress *progress)
{
        ps_progress_hide();
        progress->enabled = 0;
        return (double)(now_ns() - progress->began_ns) * 1e-9;
}
