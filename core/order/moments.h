/* moments.h - many numbers that begin with a time, put in order. */
#ifndef PS_CORE_ORDER_MOMENTS_H
#define PS_CORE_ORDER_MOMENTS_H

#include "core/base/vector.h"

/* {0} is empty. */
typedef struct ps_moments {
        uint64_t *row, *spare;
        uint32_t *place; /* where the numbers of a bucket go */
        uint32_t n, cap, n_spare, n_place;
} ps_moments;

void ps_moments_free(ps_moments *moments);
/* -1 when there is no memory, as below. */
static inline int ps_moments_add(ps_moments *m, uint64_t number)
{
        return PS_APPEND(m->row, m->n, m->cap, number);
}
/* Room for n numbers. */
int ps_moments_room(ps_moments *moments, uint32_t n);
/* None of them is more than `most`. */
int ps_moments_sort(ps_moments *moments, uint64_t most);

#endif
