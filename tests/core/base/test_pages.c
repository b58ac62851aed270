/* test_pages.c - pages that wait for somebody go where all of a page is theirs, and nowhere else. */
#include "core/base/memory.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The C library gives what is smaller than a page out of its heap, at the begin of a page where one was
 * freed: what stands behind it there is somebody else's. */
TEST(what_is_smaller_than_a_page_gets_none)
{
        enum { SMALLER = PS_LARGE_PAGE / 4 * 3, BYTE = 0x5a, SMALL = 1 << 18 };
        if (SANITIZED) /* which has a heap of its own */
                skip();
        assert_int_equal(mallopt(M_MMAP_THRESHOLD, 32 * PS_LARGE_PAGE), 1);
        char *waiting = ps_memory_new(PS_LARGE_PAGE), *freed = ps_memory_new(PS_LARGE_PAGE);
        void **small = NULL; /* all room that is left before and behind it: what is freed stays as it is */
        for (int i = 0; i < SMALL; i++) {
                void **next = malloc(sizeof(*next));
                *next = (void *)small;
                small = next;
        }
        memset(waiting, BYTE, PS_LARGE_PAGE);
        memset(freed, 0, PS_LARGE_PAGE);
        ps_memory_pass_on(waiting);
        free(freed);
        char *block = ps_memory_again(SMALLER);
        const size_t usable = malloc_usable_size(block);
        size_t n = 0;
        assert_ptr_equal(block, freed);
        for (size_t i = usable; i < PS_LARGE_PAGE; i++)
                n += block[i] == BYTE;
        assert_int_equal(n, 0);
        free(block);
        for (void **next; small; small = next) {
                next = *small;
                free((void *)small);
        }
        ps_memory_give_back();
}
