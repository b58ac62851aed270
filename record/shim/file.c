/* file.c - files that are mapped as they grow.
 *
 * Only the last part of one is mapped: all that the row at work is in. No descriptor is kept, since a program
 * may close those that it finds, and give their numbers to files of its own. Space on the disk is allocated
 * before it is mapped: a store into a page for which there is none would kill the program. So would a file
 * that grows beyond what the program may write. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Files begin small, since there may be many threads, and grow by as much as they have, up to `STEP_USUAL`.
 */
static const uint64_t FIRST_STEP = 1 << 16, STEP_USUAL = 1 << 22;

static uint64_t whole_pages(uint64_t bytes)
{
        uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
        return (bytes + page - 1) / page * page;
}

/* What the rows take and the archive that is made of them, which has to find its space as well. */
static uint64_t with_archive(uint64_t bytes)
{
        return 2 * bytes + bytes / 2;
}

/* -- any file -- */

static ps_raw_end end_of(int code)
{
        return code == 0                          ? PS_RAW_RUNNING
               : code == EFBIG                    ? PS_RAW_FILE_SIZE
               : code == ENOSPC || code == EDQUOT ? PS_RAW_NO_SPACE
                                                  : PS_RAW_NO_FILE;
}

static bool may_be_so_large(uint64_t size)
{
        struct rlimit limit;
        return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

static ps_raw_end allocate(int file, uint64_t size, uint64_t step, bool has_archive)
{
        if (step > INT64_MAX / 4 || !may_be_so_large(size + step))
                return PS_RAW_FILE_SIZE;
        /* File systems that cannot do it ahead can do it all the same. */
        if (has_archive &&
            fallocate(file, FALLOC_FL_KEEP_SIZE, (off_t)with_archive(size), (off_t)with_archive(step)) &&
            errno == ENOSPC)
                return PS_RAW_NO_SPACE;
        return end_of(posix_fallocate(file, (off_t)size, (off_t)step));
}

/* The lock lives as long as what is mapped, and says that the process does. */
static ps_raw_end map_from(ps_shim_map *map, int file, uint64_t keep, uint64_t size)
{
        struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
        uint64_t offset = keep - keep % (uint64_t)sysconf(_SC_PAGESIZE);
        (void)fcntl(file, F_OFD_SETLK, &whole);
        void *base =
                mmap(NULL, (size_t)(size - offset), PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
        if (base == MAP_FAILED)
                return PS_RAW_NO_MEMORY;
        (void)madvise(base, (size_t)(size - offset), MADV_DONTFORK);
#ifdef MADV_POPULATE_WRITE /* all at once costs less than page by page, when they are written */
        if (size - keep <= 2 * STEP_USUAL)
                (void)madvise(base, (size_t)(size - offset), MADV_POPULATE_WRITE);
#endif
        ps_shim_unmap(map);
        *map = (ps_shim_map){base, offset, size};
        return PS_RAW_RUNNING;
}

ps_raw_end ps_shim_map_more(ps_shim_map *map, const char *path, uint64_t keep, uint64_t step,
                            bool has_archive)
{
        sigset_t all, before;
        int make = map->size ? 0 : O_CREAT | O_TRUNC;
        step = whole_pages(step);
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before); /* those of a timer would break off each attempt */
        int file = open(path, O_RDWR | O_CLOEXEC | make, 0666);
        ps_raw_end why = file < 0 ? end_of(errno) : allocate(file, map->size, step, has_archive);
        if (why == PS_RAW_RUNNING)
                why = map_from(map, file, keep, map->size + step);
        if (file >= 0)
                (void)close(file);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return why;
}

void ps_shim_unmap(ps_shim_map *map)
{
        if (map->base)
                (void)munmap(map->base, (size_t)(map->size - map->offset));
        map->base = NULL;
}

uint64_t ps_shim_map_place(const ps_shim_map *map, const void *at)
{
        return map->offset + (uint64_t)((const uint8_t *)at - map->base);
}

void ps_shim_map_close(ps_shim_map *map, const char *path, const void *end, bool has_archive)
{
        uint64_t used = ps_shim_map_place(map, end);
        int file = open(path, O_RDWR | O_CLOEXEC);
        /* If it cannot be done the file stays longer, with nothing in it. */
        if (file >= 0 && ftruncate(file, (off_t)used) == 0 && has_archive)
                (void)fallocate(file, FALLOC_FL_KEEP_SIZE, (off_t)used, (off_t)(with_archive(used) - used));
        if (file >= 0)
                (void)close(file);
        ps_shim_unmap(map);
}

/* -- rows -- */

static void path_of(char out[PATH_MAX], const ps_shim_files *files, uint32_t thread)
{
        snprintf(out, PATH_MAX, "%s/%d.%u.rows", files->folder, files->rank, thread);
}

static void end_rows(ps_thread *t, ps_raw_end why, uint64_t now)
{
        t->is_closed = true;
        t->end = t->at;
        t->head->ended_at = now;
        t->head->end = why;
}

static ps_raw_end map_head(ps_thread *t, const char *path)
{
        ps_shim_map head = {.base = NULL};
        ps_raw_end why = ps_shim_map_more(&t->map, path, 0, PS_RAW_HEAD_BYTES, 1);
        int file = why == PS_RAW_RUNNING ? open(path, O_RDWR | O_CLOEXEC) : -1;
        if (why == PS_RAW_RUNNING)
                why = file < 0 ? PS_RAW_NO_FILE : map_from(&head, file, 0, PS_RAW_HEAD_BYTES);
        if (file >= 0)
                (void)close(file);
        t->head = (ps_raw_head *)(void *)head.base;
        return why;
}

ps_raw_end ps_shim_files_open(ps_thread *t, const ps_shim_files *files, uint32_t thread)
{
        char path[PATH_MAX];
        path_of(path, files, thread);
        ps_raw_end why = map_head(t, path);
        if (why != PS_RAW_RUNNING)
                return why;
        *t->head = (ps_raw_head){.rank = (uint32_t)files->rank, .thread = thread};
        memcpy(t->head->version, PS_RAW_VERSION, sizeof(PS_RAW_VERSION));
        t->at = t->map.base + PS_RAW_HEAD_BYTES;
        t->end = t->map.base + t->map.size;
        return why;
}

static ps_raw_end more_rows(ps_thread *t, ps_shim_files *files, size_t bytes)
{
        char path[PATH_MAX];
        uint64_t step = files->step ? files->step : t->map.size < STEP_USUAL ? t->map.size : STEP_USUAL;
        uint64_t least = files->step ? bytes : FIRST_STEP > bytes ? FIRST_STEP : bytes;
        step = whole_pages(step < least ? least : step);
        const uint8_t *row = t->row ? (const uint8_t *)t->row : t->at;
        uint64_t keep = ps_shim_map_place(&t->map, row), at = ps_shim_map_place(&t->map, t->at),
                 awaits = t->awaits ? ps_shim_map_place(&t->map, t->awaits) : 0;
        if (files->most && __atomic_add_fetch(&files->used, step, __ATOMIC_RELAXED) > files->most)
                return PS_RAW_MAX_SIZE;
        path_of(path, files, t->head->thread);
        ps_raw_end why = ps_shim_map_more(&t->map, path, keep, step, 1);
        if (why != PS_RAW_RUNNING)
                return why;
        t->at = t->map.base + (at - t->map.offset);
        t->end = t->map.base + (t->map.size - t->map.offset);
        t->row = t->row ? (ps_raw_row *)(void *)(t->map.base + (keep - t->map.offset)) : NULL;
        t->awaits = awaits ? t->map.base + (awaits - t->map.offset) : NULL;
        return why;
}

bool ps_shim_files_grow(ps_thread *t, ps_shim_files *files, size_t bytes, uint64_t now)
{
        ps_raw_end why = more_rows(t, files, bytes);
        if (why != PS_RAW_RUNNING)
                end_rows(t, why, now);
        return why == PS_RAW_RUNNING;
}

void ps_shim_files_close(ps_thread *t, const ps_shim_files *files)
{
        char path[PATH_MAX];
        if (!t->is_open || !t->head)
                return;
        if (!t->is_closed)
                end_rows(t, PS_RAW_CLOSED, 0);
        path_of(path, files, t->head->thread);
        ps_shim_map_close(&t->map, path, t->at, 1);
        (void)munmap(t->head, PS_RAW_HEAD_BYTES);
        t->head = NULL;
        ps_shim_unwind_close(t);
        free(t->sites);
        free(t->requests);
        free(t->statuses);
        t->sites = NULL;
        t->requests = NULL;
        t->statuses = NULL;
        t->requests_cap = t->statuses_cap = 0;
}
