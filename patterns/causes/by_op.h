/* by_op.h - rows of a location in the order of the operations that they belong to; those of one operation
 * stay as they were. It is not sorted: each operation has a list, and a bit tells whether there is anything
 * in it. */
#ifndef PS_PATTERNS_CAUSES_BY_OP_H
#define PS_PATTERNS_CAUSES_BY_OP_H

#include "core/base/memory.h"
#include "core/model/trace.h"

#include <stdlib.h>

struct by_op {
        uint64_t *has;          /* bits, by operation: it has a row; none has, between two locations */
        uint32_t *first, *next; /* by operation that has one: its first row; by row: the next one */
        uint32_t *order;        /* the outcome: rows by number */
};

/* For at most so many operations and rows of a location. */
static inline ps_status by_op_new(struct by_op *b, size_t n_ops, size_t n_rows, ps_error *err)
{
        b->has = ps_memory_zeroed(n_ops / 64 + 1, sizeof(*b->has));
        b->first = ps_memory_new((n_ops + 1) * sizeof(*b->first));
        b->next = ps_memory_new((n_rows + 1) * sizeof(*b->next));
        b->order = ps_memory_new((n_rows + 1) * sizeof(*b->order));
        return b->has && b->first && b->next && b->order ? PS_OK : PS_NOMEM(err, "waits", n_rows);
}

static inline void by_op_free(struct by_op *b)
{
        free(b->has);
        free(b->first);
        free(b->next);
        free(b->order);
}

/* From the last row to the first one. */
static inline void by_op_put(struct by_op *b, ps_op op, uint32_t row)
{
        uint64_t *has = &b->has[op / 64], bit = UINT64_C(1) << op % 64;
        b->next[row] = *has & bit ? b->first[op] : PS_NONE;
        b->first[op] = row;
        *has |= bit;
}

/* Fills `order` with all `n` rows that were put. */
static inline void by_op_order(struct by_op *b, uint32_t n)
{
        uint32_t *order = b->order, *const end = order + n;
        for (size_t word = 0; order < end; word++) {
                for (uint64_t left = b->has[word]; left; left &= left - 1)
                        for (uint32_t row = b->first[word * 64 + (unsigned)__builtin_ctzll(left)];
                             row != PS_NONE; row = b->next[row])
                                *order++ = row;
                b->has[word] = 0;
        }
}

#endif
