/* memory.c - asking for large pages, and for more rows. */
#include "core/base/memory.h"

#include "core/base/blocks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096 };

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

void *ps_memory_new(size_t bytes)
{
        void *block;
        if (bytes < PS_LARGE_PAGE)
                return counted(malloc(bytes ? bytes : 1));
        if (posix_memalign(&block, PS_LARGE_PAGE, bytes) != 0)
                return counted(NULL);
        ps_block_wish(block, bytes / PS_LARGE_PAGE * PS_LARGE_PAGE);
        return block;
}

/* What is fresh from the kernel is zero already, and calloc() knows it: large pages as far as they fit in. */
void *ps_memory_zeroed(size_t count, size_t size)
{
        if (size && count > SIZE_MAX / size)
                return counted(NULL);
        void *block = counted(calloc(count ? count : 1, size ? size : 1));
        size_t ahead = -(uintptr_t)block % PS_LARGE_PAGE, bytes = count * size;
        if (block && bytes >= ahead + PS_LARGE_PAGE)
                ps_block_wish((char *)block + ahead, (bytes - ahead) / PS_LARGE_PAGE * PS_LARGE_PAGE);
        return block;
}

/* What is copied as rows become more counts more than the room that nobody has touched yet: pages of that do
 * not exist. */
static size_t times_as_many(size_t bytes)
{
        return bytes >= PAGE_BYTES && bytes < PS_LARGE_PAGE ? 4 : 2;
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

int ps_memory_grow_wide(void *rows, size_t *cap, size_t first, size_t size)
{
        void *block;
        size_t bytes = 0, more = *cap ? *cap * times_as_many(*cap * size) : first;
        memcpy(&block, rows, sizeof(block));
        bool is_countable = more > *cap && !__builtin_mul_overflow(more, size, &bytes);
        block = counted(is_countable ? realloc(block, bytes) : NULL);
        if (!block)
                return -1;
        memcpy(rows, &block, sizeof(block));
        wish_whole_pages(block, bytes);
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
