/* finish.h - makes an archive of what processes have left in its folder. */
#ifndef PS_RECORD_FINISH_H
#define PS_RECORD_FINISH_H

#include "core/base/error.h"

#include <stdint.h>

enum { PS_FINISH_TOLD = 512 };

/* The page of a recording, where somebody has left it. */
#define PS_FINISH_PAGE "report.html"

typedef struct ps_finished {
        uint32_t n_ranks, n_recorded; /* of the run, and those of them that left anything; 0: nobody */
        bool is_done;                 /* somebody else has finished it in the meantime */
        /* In words: what is missing of the recording, and why; "": nothing. */
        char incomplete[PS_FINISH_TOLD];
} ps_finished;

/* Is a part of a recording's folder called so as long as it is not finished? */
bool ps_finish_is_run(const char *name);

/* Is there something to finish in this folder, or in that of this archive? 1: *run is the folder of the last
 * recording, which the caller frees. 0: no, or no memory, and *run is NULL. `since`: of those that were
 * written to after this many nanoseconds since 1970. */
bool ps_finish_is_due(const char *path, int64_t since, char **run);

/* Makes the archive of `run` and puts it in its place, where it replaces an older one with its page; of a run
 * in which nobody left anything none is made, and it is gone. PS_E_INPUT: also as long as a process of it
 * still runs, unless `is_over`. Processes of `ranks`, "0-3,8", were to be recorded; NULL: all. */
ps_status ps_finish(const char *run, bool is_over, const char *ranks, ps_finished *out, ps_error *err);

#endif
