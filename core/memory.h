/* memory.h - blocks of memory that are large enough for the kernel's large pages.
 *
 * A trace's columns are written once from end to end. With pages of 4 KiB the faults cost as much as the
 * analysis itself; with large pages they disappear. Freed with free(). */
#ifndef PS_CORE_MEMORY_H
#define PS_CORE_MEMORY_H

#include <stddef.h>

enum { PS_LARGE_PAGE = 2 * 1024 * 1024 };

/* Not zeroed; NULL when there is none. Small blocks come from malloc. */
void *ps_memory_new(size_t bytes);
/* Zeroed, and checked for overflow. */
void *ps_memory_zeroed(size_t count, size_t size);

#endif
