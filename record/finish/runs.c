/* runs.c - see runs.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/finish/runs.h"

#include "core/base/file.h"
#include "core/base/folder.h"
#include "record/raw/raw.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_MS = 20 };

/* What is finished is called so before it is removed: half of a run must never be taken for one. */
#define DONE_PREFIX "finished."

static bool begins(const char *name, const char *prefix)
{
        return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool ps_finish_is_run(const char *name)
{
        return begins(name, PS_RAW_PREFIX) || begins(name, DONE_PREFIX);
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

static bool join(char out[PATH_MAX], const char *folder, const char *name)
{
        return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
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
        DIR *dir = ps_folder_open(folder);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
                if (!begins(entry->d_name, PS_RAW_PREFIX) || !join(candidate, folder, entry->d_name) ||
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

int ps_runs_lock(const char *run)
{
        int folder = open(run, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0)
                return -1;
        (void)flock(folder, LOCK_EX); /* not all file systems can */
        if (is_folder(run))
                return folder;
        (void)close(folder);
        return -1;
}

/* -- does it still run? -- */

/* A process holds a lock on its definitions until its Finalize has returned. */
static bool is_held(const char *definitions)
{
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int file = open(definitions, O_RDONLY | O_CLOEXEC);
        bool is = file >= 0 && fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
        if (file >= 0)
                (void)close(file);
        return is;
}

static bool find_running(const char *run, unsigned *rank)
{
        char path[PATH_MAX];
        bool is_found = 0;
        DIR *dir = ps_folder_open(run);
        for (struct dirent *entry; dir && !is_found && (entry = readdir(dir));) {
                int end = 0;
                is_found = sscanf(entry->d_name, "%u.defs%n", rank, &end) == 1 && end &&
                           !entry->d_name[end] && join(path, run, entry->d_name) && is_held(path);
        }
        if (dir)
                closedir(dir);
        return is_found;
}

ps_status ps_runs_check_over(const char *run, int patience, ps_error *err)
{
        static const struct timespec pause = {0, (long)PAUSE_MS * 1000000};
        unsigned rank = 0;
        while (find_running(run, &rank)) {
                if (patience <= 0)
                        return PS_FAIL(err, PS_E_INPUT,
                                       "the program that is being recorded is still running: path=\"%s\", "
                                       "rank=%u",
                                       run, rank);
                (void)nanosleep(&pause, NULL);
                patience -= PAUSE_MS;
        }
        return PS_OK;
}

/* -- removing -- */

/* The next run of the folder that is `until` so old, which is then called finished; or what is already. */
static bool take_finished(char out[PATH_MAX], const char *folder, const char *name, int64_t until)
{
        char done[PATH_MAX];
        if (!join(out, folder, name))
                return 0;
        if (begins(name, DONE_PREFIX))
                return 1;
        if (!begins(name, PS_RAW_PREFIX) || changed_at(out) > until ||
            snprintf(done, sizeof(done), "%s/" DONE_PREFIX "%s", folder, name + strlen(PS_RAW_PREFIX)) >=
                    (int)sizeof(done) ||
            rename(out, done))
                return 0;
        memcpy(out, done, sizeof(done));
        return 1;
}

void ps_runs_remove(const char *run)
{
        char folder[PATH_MAX], path[PATH_MAX];
        int64_t until = changed_at(run);
        snprintf(folder, sizeof(folder), "%s", run);
        char *slash = strrchr(folder, '/');
        if (!slash)
                return;
        *slash = '\0';
        DIR *dir = ps_folder_open(folder);
        for (struct dirent *entry; dir && (entry = readdir(dir));)
                if (take_finished(path, folder, entry->d_name, until))
                        ps_folder_remove(path);
        if (dir)
                closedir(dir);
}
