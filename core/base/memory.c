/* memory.c - asking for large pages, and for more rows; what of its heap the C library keeps. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): what mremap() can do
#include "core/base/memory.h"

#include "core/base/blocks.h"
#include "core/base/limit.h"
#include "core/base/space.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, MAPPED_FROM = 4 << 20 };

void ps_blocks_give_back(void)
{
#ifdef __GLIBC__ /* it asks the system for each heap, however little there is */
#if __GLIBC_PREREQ(2, 33)
        if (mallinfo2().fordblks > MAPPED_FROM)
#endif
                malloc_trim(0);
#endif
}

void ps_blocks_map_large(void)
{
#ifdef __GLIBC__
        mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
        mallopt(M_TRIM_THRESHOLD, 2 * MAPPED_FROM);
#endif
}

static _Thread_local unsigned lacks;

unsigned ps_memory_lacks(void)
{
        return lacks;
}

void ps_memory_lack(void)
{
        lacks++;
}

void ps_memory_inherit_lacks(unsigned n)
{
        lacks += n;
}

static void *counted(void *block)
{
        if (!block)
                ps_memory_lack();
        return block;
}

/* What is left of it behind the last whole large page has small ones, each of which takes the system as long
 * as a sixth of a large one: so what is most of a large page gets one. */
static size_t round_up(size_t bytes)
{
        const size_t left = bytes % PS_LARGE_PAGE;
        return left >= PS_LARGE_PAGE / 2 && bytes <= SIZE_MAX - PS_LARGE_PAGE ? bytes + PS_LARGE_PAGE - left
                                                                              : bytes;
}

void *ps_memory_new(size_t bytes)
{
        void *block;
        if (bytes < PS_LARGE_PAGE)
                return counted(malloc(bytes ? bytes : 1));
        bytes = round_up(bytes);
        if (posix_memalign(&block, PS_LARGE_PAGE, bytes) != 0)
                return counted(NULL);
        ps_block_wish(block, bytes / PS_LARGE_PAGE * PS_LARGE_PAGE);
        return block;
}

/* -- large pages that are passed on -- */

/* Those that wait for somebody stand behind each other at addresses of their own. The system moves them from
 * one place to another and leaves untouched memory where they were, so that whoever frees that may do with it
 * as ever. */
enum { SPARE_MOST = 64 };

/* Each move may cut a mapping into three, of which a process has some 65,000. */
enum { MOVES_MOST = 8192 };

static struct {
        pthread_mutex_t lock;
        char *at; /* NULL: there are no addresses yet */
        size_t n, n_moves;
        bool fails; /* it did once: no such system */
} spare = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Not by mremap(), in whose place libraries of networks put one that takes no address to move to. They cache
 * which pages are where, and hear of those that are not there any more from what comes then. */
static bool move_pages(char *to, char *from, size_t n)
{
        enum { HOW = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP };
        const size_t bytes = n * PS_LARGE_PAGE;
        if (spare.n_moves++ >= MOVES_MOST)
                return false;
        if (syscall(SYS_mremap, from, bytes, bytes, HOW, to) == (intptr_t)to) {
                madvise(from, bytes, MADV_DONTNEED);
                return true;
        }
        spare.fails = true; /* and there may be nothing at `to` now */
        (void)mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                   -1, 0);
        return false;
}

static char *first_page(void *at)
{
        return (char *)at + -(uintptr_t)at % PS_LARGE_PAGE;
}

static size_t count_pages(const void *at, size_t bytes)
{
        const size_t ahead = -(uintptr_t)at % PS_LARGE_PAGE;
        return bytes > ahead ? (bytes - ahead) / PS_LARGE_PAGE : 0;
}

/* Where addresses are limited they are not for this, and pages that wait count to a limit of memory. */
static bool may_pass_on(void)
{
        uint64_t addresses;
        if (spare.fails || ps_blocks_are_filed || ps_blocks_tell().limit || ps_limit_of_addresses(&addresses))
                return false;
        if (!spare.at) {
                const size_t bytes = (SPARE_MOST + (size_t)1) * PS_LARGE_PAGE;
                void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
                spare.at = at == MAP_FAILED ? NULL : first_page(at);
        }
        return spare.at;
}

void ps_memory_leave(void *at, size_t bytes)
{
        size_t n = ps_space_holds(at) ? 0 : count_pages(at, bytes);
        if (!n)
                return;
        pthread_mutex_lock(&spare.lock);
        n = n < SPARE_MOST - spare.n ? n : SPARE_MOST - spare.n;
        ps_block_wish(first_page(at), n * PS_LARGE_PAGE); /* also what the C library left behind a block */
        if (n && may_pass_on() && move_pages(spare.at + spare.n * PS_LARGE_PAGE, first_page(at), n))
                spare.n += n;
        pthread_mutex_unlock(&spare.lock);
}

void ps_memory_pass_on(void *block)
{
        ps_memory_pass_on_touched(block, block && !ps_space_holds(block) ? malloc_usable_size(block) : 0);
}

void ps_memory_pass_on_touched(void *block, size_t bytes)
{
        ps_memory_leave(block, bytes);
        free(block);
}

void ps_memory_fill(void *at, size_t bytes)
{
        size_t n = ps_space_holds(at) ? 0 : count_pages(at, bytes);
        if (!n)
                return;
        pthread_mutex_lock(&spare.lock);
        n = n < spare.n ? n : spare.n;
        if (n && move_pages(first_page(at), spare.at + (spare.n - n) * PS_LARGE_PAGE, n))
                spare.n -= n;
        pthread_mutex_unlock(&spare.lock);
}

void ps_memory_fill_next(void *column, size_t from, size_t end, size_t bytes)
{
        char *at = (char *)column + from;
        const size_t n = count_pages(at, bytes - from), ahead = -(uintptr_t)at % PS_LARGE_PAGE,
                     begun = end > from + ahead ? (end - from - ahead - 1) / PS_LARGE_PAGE + 1 : 0;
        ps_memory_fill(at + ahead, (n < begun ? n : begun) * PS_LARGE_PAGE);
}

void *ps_memory_again(size_t bytes)
{
        void *block = ps_memory_new(bytes);
        if (block && bytes >= PS_LARGE_PAGE) /* what is smaller has no page of its own, wherever it begins */
                ps_memory_fill(block, round_up(bytes));
        return block;
}

void ps_memory_give_back(void)
{
        pthread_mutex_lock(&spare.lock);
        if (spare.at)
                madvise(spare.at, (size_t)SPARE_MOST * PS_LARGE_PAGE, MADV_DONTNEED);
        spare.n = 0;
        pthread_mutex_unlock(&spare.lock);
}

/* What is copied as rows become more counts more than the room that nobody has touched yet: pages of that do
 * not exist. */
static size_t times_as_many(size_t bytes)
{
        return bytes >= PAGE_BYTES && bytes < PS_LARGE_PAGE ? 4 : 2;
}

/* Blocks of several large pages begin at one: then what they hold goes with its pages to where there is room
 * for more. The system would take it apart into small ones, as it moves blocks to wherever they fit. */
static void *grow_large(char *block, size_t had, size_t bytes)
{
        char *fresh = ps_memory_new(bytes);
        const size_t begun = had + -had % PS_LARGE_PAGE;
        size_t n = block == first_page(block) ? count_pages(block, had) : 0;
        if (!fresh)
                return NULL;
        pthread_mutex_lock(&spare.lock);
        if (n && !move_pages(fresh, block, n))
                n = 0;
        pthread_mutex_unlock(&spare.lock);
        memcpy(fresh + n * PS_LARGE_PAGE, block + n * PS_LARGE_PAGE, had - n * PS_LARGE_PAGE);
        free(block);
        if (begun < bytes)
                ps_memory_fill(fresh + begun, bytes - begun);
        return fresh;
}

/* From the page that it begins in to the one that it ends in: what has pages of its own stays one range to
 * the system, which can only so give it others instead of a copy. */
static void wish_whole_pages(void *block, size_t bytes)
{
        const size_t ahead = (uintptr_t)block % PAGE_BYTES;
        if (bytes / 2 >= PS_LARGE_PAGE)
                ps_block_wish((char *)block - ahead,
                              (ahead + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
}

/* What is fresh from the kernel is zero already, and calloc() knows it. What takes whole large pages, with
 * what the C library puts before it, the kernel lets begin at one. */
void *ps_memory_zeroed(size_t count, size_t size)
{
        enum { BEFORE = 64, FROM = 4 * PS_LARGE_PAGE };
        size_t bytes = 0;
        if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
                return counted(NULL);
        if (bytes >= FROM)
                bytes += PS_LARGE_PAGE - 1 - (bytes + BEFORE - 1) % PS_LARGE_PAGE;
        void *block = counted(calloc(bytes ? bytes : 1, 1));
        if (block)
                wish_whole_pages(block, bytes);
        return block;
}

static void *grow_anywhere(void *block, size_t bytes)
{
        block = counted(realloc(block, bytes));
        if (block)
                wish_whole_pages(block, bytes);
        return block;
}

static bool is_moved_by_pages(const void *block, size_t bytes)
{
        enum { FROM = 2 };
        if (!block || bytes < FROM * (size_t)PS_LARGE_PAGE || ps_space_holds(block))
                return false;
        pthread_mutex_lock(&spare.lock);
        const bool may = spare.n_moves < MOVES_MOST && may_pass_on();
        pthread_mutex_unlock(&spare.lock);
        return may;
}

int ps_memory_grow_wide(void *rows, size_t *cap, size_t first, size_t size)
{
        void *block;
        size_t bytes = 0, more = *cap ? *cap * times_as_many(*cap * size) : first;
        memcpy(&block, rows, sizeof(block));
        bool is_countable = more > *cap && !__builtin_mul_overflow(more, size, &bytes);
        if (!is_countable)
                block = counted(NULL);
        else if (is_moved_by_pages(block, bytes))
                block = grow_large(block, *cap * size, bytes);
        else
                block = grow_anywhere(block, bytes);
        if (!block)
                return -1;
        memcpy(rows, &block, sizeof(block));
        *cap = more;
        return 0;
}

int ps_memory_grow(void *rows, uint32_t *cap, uint32_t first, size_t size)
{
        size_t wide = *cap;
        if (*cap > UINT32_MAX / 2 || ps_memory_grow_wide(rows, &wide, first, size))
                return -1;
        *cap = (uint32_t)wide;
        return 0;
}
