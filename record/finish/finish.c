/* finish.c - see finish.h.
 *
 * The archive is made inside of the folder of the run and then moved, its anchor last: whoever stops in
 * between finds the run again, and whoever comes later finishes it again. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/finish/finish.h"

#include "core/base/folder.h"
#include "record/finish/archive.h"
#include "record/finish/runs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Launchers end before those that they kill, and a process that was killed takes a moment to go. */
enum { PATIENCE_MS = 3000, LESS_PATIENCE_MS = 1000 };

static const char *const archive_parts[] = {"traces", "traces.def",
                                            "traces.otf2"}; /* the last one makes it one */

static void remove_part(const char *folder, const char *name)
{
        char path[PATH_MAX];
        if (snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path))
                ps_folder_remove(path);
}

static ps_status move_parts(const char *from, const char *to, ps_error *err)
{
        char old[PATH_MAX], new[PATH_MAX];
        size_t n = sizeof(archive_parts) / sizeof(archive_parts[0]);
        for (size_t i = n; i-- > 0;) /* the old anchor first */
                remove_part(to, archive_parts[i]);
        remove_part(to, PS_FINISH_PAGE);
        for (size_t i = 0; i < n; i++) {
                if (snprintf(old, sizeof(old), "%s/%s", from, archive_parts[i]) >= (int)sizeof(old) ||
                    snprintf(new, sizeof(new), "%s/%s", to, archive_parts[i]) >= (int)sizeof(new) ||
                    rename(old, new))
                        return PS_FAIL(err, PS_E_OUTPUT,
                                       "cannot rename the recording: from=\"%s\", to=\"%s\", reason=\"%s\"",
                                       old, new, strerror(errno));
        }
        return PS_OK;
}

static ps_status write_and_move(ps_raw_run *rows, const char *run, const ps_finished *out, ps_error *err)
{
        char made[PATH_MAX], folder[PATH_MAX];
        if (snprintf(made, sizeof(made), "%s/archive", run) >= (int)sizeof(made) ||
            snprintf(folder, sizeof(folder), "%s", run) >= (int)sizeof(folder))
                return PS_FAIL(err, PS_E_OUTPUT, "the path is too long: path=\"%s\"", run);
        *strrchr(folder, '/') = '\0';
        ps_folder_remove(made);
        ps_status status = ps_archive_write(rows, made, out->incomplete, err);
        PS_THEN(status, move_parts(made, folder, err));
        if (status != PS_OK)
                ps_folder_remove(made);
        return status;
}

/* The recorder has reserved space for the archive behind the rows. */
static void release_space(const ps_raw_run *run)
{
        struct stat info;
        for (uint32_t i = 0; i < run->threads.n; i++) {
                const char *path = run->threads.row[i].path;
                int failed = path && stat(path, &info) == 0 && truncate(path, info.st_size);
                (void)failed; /* then there is none, or it is missed below */
        }
}

static ps_status finish_locked(const char *run, const char *ranks, ps_finished *out, ps_error *err)
{
        ps_raw_run rows;
        ps_status status = ps_raw_run_read(&rows, run, err);
        bool is_empty = rows.processes.n == 0;
        PS_THEN(status, ps_raw_run_unify(&rows, err));
        PS_THEN(status, ps_raw_run_places(&rows, err));
        PS_THEN(status, ps_raw_run_teams(&rows, err));
        if (status == PS_OK && !is_empty) {
                out->n_ranks = rows.size;
                out->n_recorded = rows.processes.n;
                ps_finish_tell(out, &rows, ranks);
                release_space(&rows);
                status = write_and_move(&rows, run, out, err);
        }
        ps_raw_run_clear(&rows);
        if (status == PS_OK)
                ps_runs_remove(run);
        return status;
}

ps_status ps_finish(const char *run, bool is_over, const char *ranks, ps_finished *out, ps_error *err)
{
        ps_status status = PS_OK;
        *out = (ps_finished){.n_ranks = 0};
        if (is_over)
                (void)ps_runs_check_over(run, PATIENCE_MS, NULL);
        else
                PS_TRY(ps_runs_check_over(run, LESS_PATIENCE_MS, err));
        int lock = ps_runs_lock(run);
        if (lock < 0) {
                out->is_done = true;
                return PS_OK;
        }
        status = finish_locked(run, ranks, out, err);
        (void)close(lock);
        return status == PS_OK ? PS_OK
                               : PS_CAUSE(err, status, "cannot finish the recording: path=\"%s\"", run);
}
