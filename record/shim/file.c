/* file.c - the file of a thread's rows, mapped as it grows.
 *
 * Its rows have one range of addresses, reserved at once, so that a row never ends at a border; space on the
 * disk is allocated before it is mapped, since a store into a page for which there is none would kill the
 * program. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Files begin small, since there may be many threads, and grow by as much as they have, up to `STEP_USUAL`.
 */
static const uint64_t FIRST_STEP = 1 << 18, STEP_USUAL = 1 << 22, ADDRESSES_MOST = (uint64_t)1 << 38,
                      ADDRESSES_LEAST = (uint64_t)1 << 24;

static uint64_t whole_pages(uint64_t bytes)
{
        uint64_t page = PS_RAW_HEAD_BYTES;
        return (bytes + page - 1) / page * page;
}

static void end_file(ps_thread *t, ps_raw_end why, uint64_t now)
{
        t->is_closed = true;
        t->end = t->at;
        if (t->head) {
                t->head->ended_at = now;
                t->head->end = why;
        }
}

static bool reserve(ps_thread *t)
{
        for (t->most = ADDRESSES_MOST; t->most >= ADDRESSES_LEAST; t->most /= 2) {
                void *base =
                        mmap(NULL, t->most, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
                if (base != MAP_FAILED) {
                        t->base = t->mapped = t->at = t->end = base;
                        return 1;
                }
        }
        return 0;
}

bool ps_shim_files_open(ps_thread *t, const ps_shim_files *files, uint32_t thread)
{
        char path[PATH_MAX];
        snprintf(path, sizeof(path), "%s/%d.%u.rows", files->folder, files->rank, thread);
        t->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (t->file < 0 || posix_fallocate(t->file, 0, PS_RAW_HEAD_BYTES))
                return 0;
        void *head = mmap(NULL, PS_RAW_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, t->file, 0);
        if (head == MAP_FAILED)
                return 0;
        t->head = head;
        *t->head = (ps_raw_head){.rank = (uint32_t)files->rank, .thread = thread};
        memcpy(t->head->version, PS_RAW_VERSION, sizeof(PS_RAW_VERSION));
        if (!reserve(t))
                end_file(t, PS_RAW_NO_MEMORY, 0);
        return t->base != NULL;
}

/* Of what is full only the last step stays mapped: the row at work may have begun there. */
static void unmap_old(ps_thread *t, uint64_t step)
{
        uint8_t *row = t->row ? (uint8_t *)t->row : t->at;
        uint8_t *keep = t->base + (uint64_t)(row - t->base) / PS_RAW_HEAD_BYTES * PS_RAW_HEAD_BYTES;
        if (keep > t->mapped && (uint64_t)(keep - t->mapped) >= step) {
                (void)munmap(t->mapped, (size_t)(keep - t->mapped));
                t->mapped = keep;
        }
}

bool ps_shim_files_grow(ps_thread *t, ps_shim_files *files, size_t bytes, uint64_t now)
{
        uint64_t usual = files->step ? files->step : STEP_USUAL;
        uint64_t step = t->size < usual ? t->size : usual;
        step = whole_pages(step < FIRST_STEP ? FIRST_STEP : step);
        step = step < bytes ? whole_pages(bytes) : step;
        uint64_t used = __atomic_add_fetch(&files->used, step, __ATOMIC_RELAXED);
        ps_raw_end why = files->most && used > files->most ? PS_RAW_MAX_SIZE
                         : t->size + step > t->most        ? PS_RAW_NO_MEMORY
                         : posix_fallocate(t->file, (off_t)(PS_RAW_HEAD_BYTES + t->size), (off_t)step)
                                 ? PS_RAW_NO_SPACE
                                 : PS_RAW_RUNNING;
        if (why == PS_RAW_RUNNING &&
            mmap(t->base + t->size, step, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, t->file,
                 (off_t)(PS_RAW_HEAD_BYTES + t->size)) == MAP_FAILED)
                why = PS_RAW_NO_MEMORY;
        if (why != PS_RAW_RUNNING) {
                end_file(t, why, now);
                return 0;
        }
        unmap_old(t, step);
        t->size += step;
        t->end = t->base + t->size;
        return 1;
}

void ps_shim_files_close(ps_thread *t)
{
        if (!t->is_open || t->is_closed)
                return;
        uint64_t used = (uint64_t)(t->at - t->base);
        int failed = ftruncate(t->file, (off_t)(PS_RAW_HEAD_BYTES + whole_pages(used)));
        (void)failed; /* then it stays longer, with nothing in it */
        end_file(t, PS_RAW_CLOSED, 0);
        (void)munmap(t->mapped, (size_t)(t->base + t->most - t->mapped));
        (void)munmap(t->head, PS_RAW_HEAD_BYTES);
        (void)close(t->file);
        free(t->sites);
        free(t->requests);
        free(t->statuses);
        t->sites = NULL;
        t->requests = NULL;
        t->statuses = NULL;
        t->requests_cap = t->statuses_cap = 0;
}
