/* align.h - which operation of one run is which of the other.
 *
 * Location by location, by what an operation is and whom it is with: its kind, its interval, partner, tag and
 * the size of its communicator. Equal sequences pair by their places. Others are aligned with the fewest
 * operations left out (Myers: An O(ND) difference algorithm and its variations, 1986); where they differ in
 * more places than that can look at, the n-th operation of a key is the n-th of the same key. */
#ifndef PS_COMPARE_ALIGN_H
#define PS_COMPARE_ALIGN_H

#include "core/base/error.h"
#include "core/base/types.h"

typedef enum ps_alignment {
        PS_ALIGNED_EQUAL,
        PS_ALIGNED_DIFFERENCES, /* some are left out */
        PS_ALIGNED_COUNTS       /* by key and place among its equals: order is not kept */
} ps_alignment;

/* out[i]: the place in b of a[i], or PS_NONE. `work` is how many comparisons may be spent on the differences;
 * 0: the usual number. */
ps_status ps_align(uint32_t *out, ps_alignment *how, const uint64_t *a, uint32_t n_a, const uint64_t *b,
                   uint32_t n_b, uint64_t work, ps_error *err);

#endif
