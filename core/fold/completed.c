/* completed.c - what calls complete, which mostly are rows that follow each other: then the first one tells
 * all. */
#include "core/base/blocks.h"
#include "core/fold/builder.h"

#include <stdlib.h>

/* Of fewer rows the list takes next to nothing. */
enum { MANY_ROWS = 1 << 16 };

/* How many of the list from number `at` on belong to the row that completed that one; 0: they do not stand
 * together. Of those in a row, which are added to *n_told, the first one tells from now on. */
static uint32_t settle_group(ps_builder *b, uint32_t at, uint32_t *n_told)
{
        const ps_op *list = b->completed.row + at, first = list[0], op = CELL(b, done, first);
        if (op == PS_NONE || ps_kinds[CELL(b, kind, op)].cls != PS_C_COMPLETE || CELL(b, link, op) != at ||
            CELL(b, flags, op) & PS_OP_IN_A_ROW)
                return 0;
        const uint32_t n = CELL(b, tag, op);
        uint32_t i = 1;
        if (n > b->completed.n - at)
                return 0;
        while (i < n && list[i] == first + i && CELL(b, done, list[i]) == op)
                i++;
        if (i >= n) {
                CELL(b, link, op) = first;
                CELL(b, flags, op) |= PS_OP_IN_A_ROW;
                *n_told += n;
        }
        while (i < n && CELL(b, done, list[i]) == op)
                i++;
        return i < n ? 0 : n;
}

/* What is left of groups that all stand together. Each row counts what it completes, so that no other row
 * than these has any. */
static uint32_t keep_untold(ps_builder *b)
{
        ps_op *list = b->completed.row;
        uint32_t kept = 0;
        for (uint32_t at = 0, n; at < b->completed.n; at += n) {
                const ps_op op = CELL(b, done, list[at]);
                n = CELL(b, tag, op);
                ps_blocks_keep();
                if (CELL(b, flags, op) & PS_OP_IN_A_ROW)
                        continue;
                CELL(b, link, op) = kept;
                for (uint32_t i = 0; i < n; i++)
                        list[kept++] = list[at + i];
        }
        return kept;
}

void ps_completed_settle(ps_builder *b)
{
        if (b->n_rows < MANY_ROWS)
                return;
        uint32_t n_told = 0;
        for (uint32_t at = 0, n; at < b->completed.n; at += n) {
                ps_blocks_keep();
                if (!(n = settle_group(b, at, &n_told)))
                        return; /* the others are told by the whole list */
        }
        ps_op *list = b->completed.row;
        const uint32_t kept = n_told < b->completed.n ? keep_untold(b) : 0;
        b->completed.n = kept;
        /* Also of a list that is empty: where the C library is given back something large, all that is not
         * larger comes from its heap from then on, and stays there. */
        ps_op *fits = list ? realloc(list, (kept + 1) * sizeof(*list)) : NULL;
        b->completed.row = fits ? fits : list;
}
