/* finish.c - see finish.h.
 *
 * The archive is made inside of the folder of the run and then moved, its anchor last: whoever stops in
 * between finds the run again, and whoever comes later finishes it again. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/finish/finish.h"

#include "record/finish/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_FOLDERS = 16 };

static const char *const archive_parts[] = {"traces", "traces.def",
                                            "traces.otf2"}; /* the last one makes it one */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
        (void)info, (void)type, (void)where;
        return remove(path);
}

static void remove_tree(const char *path)
{
        (void)nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static bool is_folder(const char *path)
{
        struct stat info;
        return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int64_t changed_at(const char *path)
{
        struct stat info;
        return stat(path, &info) ? -1 : (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
}

bool ps_finish_is_run(const char *name)
{
        return strncmp(name, PS_RAW_PREFIX, strlen(PS_RAW_PREFIX)) == 0;
}

bool ps_finish_is_due(const char *path, int64_t since, char **run)
{
        char folder[PATH_MAX], candidate[PATH_MAX];
        int64_t newest = since - 1;
        *run = NULL;
        int n = snprintf(folder, sizeof(folder), "%s", path);
        char *slash = strrchr(folder, '/');
        if (n >= (int)sizeof(folder))
                return false;
        if (!is_folder(folder) && slash)
                *slash = '\0';
        else if (!is_folder(folder))
                return false;
        DIR *dir = opendir(folder);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
                if (!ps_finish_is_run(entry->d_name) ||
                    snprintf(candidate, sizeof(candidate), "%s/%s", folder, entry->d_name) >=
                            (int)sizeof(candidate) ||
                    !is_folder(candidate) || changed_at(candidate) <= newest)
                        continue;
                newest = changed_at(candidate);
                free(*run);
                *run = strdup(candidate);
        }
        if (dir)
                closedir(dir);
        return *run != NULL;
}

/* Each process holds a lock on its definitions as long as it lives. */
static ps_status check_is_over(const char *run, ps_error *err)
{
        char path[PATH_MAX];
        ps_status status = PS_OK;
        DIR *dir = opendir(run);
        for (struct dirent *entry; dir && status == PS_OK && (entry = readdir(dir));) {
                struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
                const char *end = strstr(entry->d_name, ".defs");
                if (!end || end[5] ||
                    snprintf(path, sizeof(path), "%s/%s", run, entry->d_name) >= (int)sizeof(path))
                        continue;
                int file = open(path, O_RDWR | O_CLOEXEC);
                if (file >= 0 && fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK)
                        status = PS_FAIL(
                                err, PS_E_INPUT,
                                "the program that is being recorded is still running: rank=%.*s, process=%ld",
                                (int)(end - entry->d_name), entry->d_name, (long)whole.l_pid);
                if (file >= 0)
                        (void)close(file);
        }
        if (dir)
                closedir(dir);
        return status;
}

/* -- what is missing -- */

static void tell_missing(ps_finished *out, const char *what)
{
        size_t n = strlen(out->incomplete);
        snprintf(out->incomplete + n, sizeof(out->incomplete) - n, "%s%s", n ? "; " : "", what);
}

static bool is_listed(const char *list, uint32_t rank)
{
        while (list && *list) {
                char *end;
                unsigned long first = strtoul(list, &end, 10),
                              last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
                if (rank >= first && rank <= last)
                        return 1;
                list = *end == ',' ? end + 1 : NULL;
        }
        return 0;
}

/* "rank 2", "ranks 1, 4 and 7 more". */
static void tell_silent(ps_finished *out, const ps_raw_run *run, const char *ranks)
{
        enum { SHOWN = 8 };
        char text[256] = "";
        uint32_t n = 0, p = 0;
        for (uint32_t rank = 0; rank < run->size; rank++) {
                while (p < run->processes.n && run->processes.row[p].rank < rank)
                        p++;
                if ((p < run->processes.n && run->processes.row[p].rank == rank) ||
                    (ranks && !is_listed(ranks, rank)))
                        continue;
                size_t at = strlen(text);
                if (n++ < SHOWN)
                        snprintf(text + at, sizeof(text) - at, "%s%u", at ? ", " : "", rank);
        }
        if (n == 0)
                return;
        char whole[320];
        size_t at = (size_t)snprintf(whole, sizeof(whole), "nothing was recorded of rank%s %s",
                                     n > 1 ? "s" : "", text);
        if (n > SHOWN)
                snprintf(whole + at, sizeof(whole) - at, " and %u more", n - SHOWN);
        tell_missing(out, whole);
}

/* Why rows of a thread end before it did. */
static void tell_ends(ps_finished *out, const ps_raw_run *run)
{
        static const char *const reasons[] = {[PS_RAW_NO_SPACE] = "the disk was full",
                                              [PS_RAW_MAX_SIZE] = "--max-size was reached",
                                              [PS_RAW_NO_MEMORY] = "there was no memory for more rows"};
        uint32_t n[PS_RAW_NO_MEMORY + 1] = {0}, first[PS_RAW_NO_MEMORY + 1] = {0};
        for (uint32_t i = 0; i < run->threads.n; i++) {
                const ps_raw_run_thread *thread = &run->threads.row[i];
                ps_rows rows;
                if (!thread->path || ps_rows_open(&rows, thread->path, NULL) != PS_OK)
                        continue;
                if (rows.head.end <= PS_RAW_NO_MEMORY && n[rows.head.end]++ == 0)
                        first[rows.head.end] = thread->rank;
                ps_rows_close(&rows);
        }
        for (int why = PS_RAW_NO_SPACE; why <= PS_RAW_NO_MEMORY; why++) {
                char text[128];
                if (!n[why])
                        continue;
                snprintf(text, sizeof(text), "%s: %u thread%s, rank %u first", reasons[why], n[why],
                         n[why] > 1 ? "s" : "", first[why]);
                tell_missing(out, text);
        }
}

/* -- the archive -- */

static ps_status move_parts(const char *from, const char *to, ps_error *err)
{
        char old[PATH_MAX], new[PATH_MAX];
        size_t n = sizeof(archive_parts) / sizeof(archive_parts[0]);
        for (size_t i = n; i-- > 0;) { /* the old anchor first */
                if (snprintf(new, sizeof(new), "%s/%s", to, archive_parts[i]) < (int)sizeof(new))
                        remove_tree(new);
        }
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

/* The run that is an archive now, and those before it. */
static void remove_runs(const char *folder, int64_t until)
{
        char path[PATH_MAX];
        DIR *dir = opendir(folder);
        for (struct dirent *entry; dir && (entry = readdir(dir));)
                if (ps_finish_is_run(entry->d_name) &&
                    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < (int)sizeof(path) &&
                    changed_at(path) <= until)
                        remove_tree(path);
        if (dir)
                closedir(dir);
}

static ps_status write_and_move(ps_raw_run *rows, const char *run, const ps_finished *out, ps_error *err)
{
        char made[PATH_MAX], folder[PATH_MAX];
        if (snprintf(made, sizeof(made), "%s/archive", run) >= (int)sizeof(made) ||
            snprintf(folder, sizeof(folder), "%s", run) >= (int)sizeof(folder))
                return PS_FAIL(err, PS_E_OUTPUT, "the path is too long: path=\"%s\"", run);
        *strrchr(folder, '/') = '\0';
        remove_tree(made);
        PS_TRY(ps_archive_write(rows, made, out->incomplete, err));
        PS_TRY(move_parts(made, folder, err));
        remove_runs(folder, changed_at(run));
        return PS_OK;
}

ps_status ps_finish(const char *run, bool is_over, const char *ranks, ps_finished *out, ps_error *err)
{
        ps_raw_run rows;
        *out = (ps_finished){.n_ranks = 0};
        if (!is_over)
                PS_TRY(check_is_over(run, err));
        ps_status status = ps_raw_run_read(&rows, run, err);
        PS_THEN(status, ps_raw_run_unify(&rows, err));
        PS_THEN(status, ps_raw_run_places(&rows, err));
        if (status == PS_OK) {
                out->n_ranks = rows.size;
                out->n_recorded = rows.processes.n;
                tell_silent(out, &rows, ranks);
                tell_ends(out, &rows);
                status = write_and_move(&rows, run, out, err);
        }
        ps_raw_run_clear(&rows);
        return status == PS_OK ? PS_OK
                               : PS_CAUSE(err, status, "cannot finish the recording: path=\"%s\"", run);
}
