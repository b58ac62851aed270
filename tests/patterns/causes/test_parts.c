/* test_parts.c - what was found of causes stays where it is, however many more than expected were found. */
#include "core/base/memory.h"
#include "patterns/causes/waits.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 4 * PS_LARGE_PAGE, EXPECTED = 10, MORE = 5 };

/* Pages that somebody has left, full of what was his. */
static void leave_pages(void)
{
        char *block = ps_memory_new(BYTES);
        assert_non_null(block);
        memset(block, -1, BYTES);
        ps_memory_pass_on(block);
}

TEST(more_parts_than_were_expected_are_not_given_the_pages_of_others)
{
        leave_pages();
        struct parts_of parts = {.row = ps_memory_new(BYTES), .cap = BYTES / sizeof(*parts.row)};
        assert_non_null(parts.row);
        const size_t filled = look_ahead(&parts, EXPECTED, 0);
        assert_int_equal(filled, EXPECTED * sizeof(*parts.row));
        parts.n = PS_LARGE_PAGE / sizeof(*parts.row) + MORE; /* a little into the next page */
        for (uint32_t i = 0; i < parts.n; i++)
                parts.row[i] = (struct part){.time = i, .cost = i & 7};
        assert_true(look_ahead(&parts, EXPECTED, filled) > parts.n * sizeof(*parts.row));
        for (uint32_t i = 0; i < parts.n; i++) {
                assert_int_equal(parts.row[i].time, i);
                assert_int_equal(parts.row[i].cost, i & 7);
        }
        free(parts.row);
        ps_memory_give_back();
}
