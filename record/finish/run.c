/* run.c - see run.h. */
#include "record/finish/run.h"

#include "core/base/file.h"
#include "core/base/search.h"
#include "record/resolve/resolve.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ps_status read_process(ps_raw_run *run, const char *path, ps_error *err)
{
        ps_process process;
        ps_status status = ps_process_read(&process, path, run->arena, err);
        bool is_known = status == PS_OK && process.size;
        if (is_known && PS_PUSH(run->processes, process))
                status = PS_NOMEM(err, "processes", run->processes.n);
        if (status != PS_OK || !is_known)
                ps_process_clear(&process);
        return status;
}

static ps_status add_thread(ps_raw_run *run, const char *path, uint32_t rank, uint32_t thread, ps_error *err)
{
        ps_raw_run_thread row = {PS_NONE, rank, thread, path ? strdup(path) : NULL};
        if ((path && !row.path) || PS_PUSH(run->threads, row)) {
                free(row.path);
                return PS_NOMEM(err, "threads", run->threads.n);
        }
        return PS_OK;
}

/* Other files are ignored: a run may have been killed while it made one. */
static ps_status take_file(ps_raw_run *run, const char *folder, const char *name, ps_error *err)
{
        char path[PATH_MAX];
        unsigned rank, thread;
        int end = 0;
        if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
                return PS_FAIL(err, PS_E_INPUT, "the path is too long: folder=\"%s\"", folder);
        if (sscanf(name, "%u.defs%n", &rank, &end) == 1 && end && !name[end])
                return read_process(run, path, err);
        if (sscanf(name, "%u.%u.rows%n", &rank, &thread, &end) == 2 && end && !name[end])
                return add_thread(run, path, rank, thread, err);
        return PS_OK;
}

static int by_rank(const void *a, const void *b)
{
        const ps_process *x = a, *y = b;
        return PS_ORDER(x->rank, y->rank);
}

static int by_thread(const void *a, const void *b)
{
        const ps_raw_run_thread *x = a, *y = b;
        PS_ORDER_BY(x->rank, y->rank);
        return PS_ORDER(x->thread, y->thread);
}

/* Every rank of the world gets a location, also one that left nothing: ranks are counted by them. */
static ps_status complete_threads(ps_raw_run *run, ps_error *err)
{
        bool *has = calloc((size_t)run->size + 1, sizeof(*has));
        ps_status status = has ? PS_OK : PS_NOMEM(err, "ranks", run->size);
        for (uint32_t i = 0; has && i < run->threads.n; i++)
                if (run->threads.row[i].rank < run->size)
                        has[run->threads.row[i].rank] = 1;
        for (uint32_t rank = 0; rank < run->size && status == PS_OK; rank++)
                if (!has[rank])
                        status = add_thread(run, NULL, rank, 0, err);
        free(has);
        if (status != PS_OK)
                return status;
        qsort(run->threads.row, run->threads.n, sizeof(*run->threads.row), by_thread);
        for (uint32_t i = 0, p = 0; i < run->threads.n; i++) {
                ps_raw_run_thread *row = &run->threads.row[i];
                while (p < run->processes.n && run->processes.row[p].rank < row->rank)
                        p++;
                if (p < run->processes.n && run->processes.row[p].rank == row->rank)
                        row->process = p;
        }
        return PS_OK;
}

/* One that left rows without definitions, or whose world is another, is no part of the run. */
static ps_status check_run(ps_raw_run *run, const char *folder, ps_error *err)
{
        if (run->processes.n == 0)
                return PS_OK;
        qsort(run->processes.row, run->processes.n, sizeof(*run->processes.row), by_rank);
        run->size = run->processes.row[0].size;
        for (uint32_t i = 0; i < run->processes.n; i++)
                if (run->processes.row[i].size != run->size ||
                    (i && run->processes.row[i].rank == run->processes.row[i - 1].rank))
                        return PS_FAIL(err, PS_E_INPUT,
                                       "the folder holds processes of several runs: path=\"%s\", rank=%u",
                                       folder, run->processes.row[i].rank);
        return complete_threads(run, err);
}

ps_status ps_raw_run_read(ps_raw_run *out, const char *folder, ps_error *err)
{
        *out = (ps_raw_run){.arena = ps_arena_new()};
        out->strings = out->arena ? ps_strings_new(out->arena) : NULL;
        out->texts = out->arena ? ps_strings_new(out->arena) : NULL;
        if (!out->strings || !out->texts)
                return PS_NOMEM(err, "strings", 1);
        DIR *dir = ps_folder_open(folder);
        if (!dir)
                return PS_FAIL(err, PS_E_INPUT, "cannot read the folder: path=\"%s\", reason=\"%s\"", folder,
                               strerror(errno));
        ps_status status = PS_OK;
        for (struct dirent *entry; status == PS_OK && (entry = readdir(dir));)
                status = take_file(out, folder, entry->d_name, err);
        closedir(dir);
        return status == PS_OK ? check_run(out, folder, err) : status;
}

void ps_raw_run_clear(ps_raw_run *run)
{
        for (uint32_t i = 0; i < run->processes.n; i++)
                ps_process_clear(&run->processes.row[i]);
        for (uint32_t i = 0; i < run->threads.n; i++)
                free(run->threads.row[i].path);
        free(run->processes.row);
        free(run->threads.row);
        free(run->regions.row);
        free(run->sources.row);
        free(run->contexts.row);
        free(run->comms.row);
        free(run->groups.row);
        free(run->windows.row);
        free(run->sets.row);
        free(run->teams.row);
        free(run->places.row);
        ps_map_free(&run->addresses);
        ps_resolver_free(run->resolver);
        for (int i = 0; i < PS_RAW_KEYS; i++)
                ps_map_free(&run->keys[i]);
        if (run->strings)
                ps_strings_free(run->strings);
        if (run->texts)
                ps_strings_free(run->texts);
        if (run->arena)
                ps_arena_free(run->arena);
}
