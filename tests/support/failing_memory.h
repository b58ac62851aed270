/* failing_memory.h - an allocator that fails when it is told to. For one test program each, which the linker
 * has to give these functions in the place of the allocator's (see tests/CMakeLists.txt). */
#ifndef PS_TESTS_FAILING_MEMORY_H
#define PS_TESTS_FAILING_MEMORY_H

#include <errno.h>
#include <stdlib.h>

static _Thread_local long allocations_left = -1; /* for this thread; -1: as many as it wants */

static int is_out(void)
{
        return allocations_left >= 0 && allocations_left-- == 0;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
int __real_posix_memalign(void **out, size_t alignment, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
int __wrap_posix_memalign(void **out, size_t alignment, size_t n);

void *__wrap_malloc(size_t n)
{
        return is_out() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
        return is_out() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
        return is_out() ? NULL : __real_realloc(p, n);
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t n)
{
        return is_out() ? ENOMEM : __real_posix_memalign(out, alignment, n);
}

#endif
