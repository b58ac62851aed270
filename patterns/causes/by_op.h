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
        uint32_t *first, *next; /* by operation that has one, + 1: its first row; by row, + 1: the next one;
                                   0: none */
};

/* For at most so many operations and rows of a location. */
static inline ps_status by_op_new(struct by_op *b, size_t n_ops, size_t n_rows, ps_error *err)
{
        b->has = ps_memory_zeroed(n_ops / 64 + 1, sizeof(*b->has));
        b->first = ps_memory_again((n_ops + 1) * sizeof(*b->first));
        b->next = ps_memory_again((n_rows + 1) * sizeof(*b->next));
        return b->has && b->first && b->next ? PS_OK : PS_NOMEM(err, "waits", n_rows);
}

static inline void by_op_free(struct by_op *b)
{
        ps_memory_pass_on(b->has);
        ps_memory_pass_on(b->first);
        ps_memory_pass_on(b->next);
}

/* From the last row to the first one. */
static inline void by_op_put(struct by_op *b, ps_op op, uint32_t row)
{
        const uint64_t bit = UINT64_C(1) << op % 64;
        b->next[row] = b->has[op / 64] & bit ? b->first[op] : 0;
        b->first[op] = row + 1;
        b->has[op / 64] |= bit;
}

/* Fills `order` with all `n` rows that were put. */
static inline void by_op_order(struct by_op *b, uint32_t *order, uint32_t n)
{
        const uint32_t *const end = order + n;
        for (size_t word = 0; order < end; word++) {
                for (uint64_t left = b->has[word]; left; left &= left - 1) {
                        const uint32_t first = b->first[word * 64 + (unsigned)__builtin_ctzll(left)];
                        for (uint32_t row = first; row; row = b->next[row - 1])
                                *order++ = row - 1;
                }
                b->has[word] = 0;
        }
}

#endif
