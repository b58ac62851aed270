/* completed.c - what calls complete, which mostly are rows that follow each other: then the first one tells
 * all. */
#include "core/base/blocks.h"
#include "core/fold/builder.h"

#include <stdlib.h>

/* Of fewer rows the list takes next to nothing. */
enum { MANY_ROWS = 1 << 16 };

/* How many of the list from number `at` on belong to the row that completed that one; 0: they do not stand
 * together. */
static uint32_t group_at(const ps_builder *b, uint32_t at)
{
        const ps_op *list = b->completed.row, op = CELL(b, done, list[at]);
        if (op == PS_NONE || ps_kinds[CELL(b, kind, op)].cls != PS_C_COMPLETE || CELL(b, link, op) != at)
                return 0;
        const uint32_t n = CELL(b, tag, op);
        if (n > b->completed.n - at)
                return 0;
        for (uint32_t i = 1; i < n; i++)
                if (CELL(b, done, list[at + i]) != op)
                        return 0;
        return n;
}

/* Each row counts what it completes, so that no other row than these has any. */
static bool are_groups(const ps_builder *b)
{
        for (uint32_t at = 0, n; at < b->completed.n; at += n) {
                ps_blocks_keep();
                if (!(n = group_at(b, at)))
                        return false;
        }
        return true;
}

static bool are_in_a_row(const ps_op *list, uint32_t n)
{
        uint32_t i = 1;
        while (i < n && list[i] == list[0] + i)
                i++;
        return i == n;
}

void ps_completed_settle(ps_builder *b)
{
        if (b->n_rows < MANY_ROWS || !are_groups(b))
                return;
        ps_op *list = b->completed.row;
        uint32_t kept = 0;
        for (uint32_t at = 0, n; at < b->completed.n; at += n) {
                const ps_op op = CELL(b, done, list[at]);
                n = CELL(b, tag, op);
                ps_blocks_keep();
                if (are_in_a_row(list + at, n)) {
                        CELL(b, link, op) = list[at];
                        CELL(b, flags, op) |= PS_OP_IN_A_ROW;
                        continue;
                }
                CELL(b, link, op) = kept;
                for (uint32_t i = 0; i < n; i++)
                        list[kept++] = list[at + i];
        }
        b->completed.n = kept;
        /* Also of a list that is empty: where the C library is given back something large, all that is not
         * larger comes from its heap from then on, and stays there. */
        ps_op *fits = list ? realloc(list, (kept + 1) * sizeof(*list)) : NULL;
        b->completed.row = fits ? fits : list;
}
