/* moments.h - many numbers that begin with a time, put in order. */
#ifndef PS_CORE_ORDER_MOMENTS_H
#define PS_CORE_ORDER_MOMENTS_H

#include <stdint.h>

/* {0} is empty. */
typedef struct ps_moments {
        uint64_t *row;   /* the numbers, from row[1] on */
        uint64_t *spare; /* to deal them out to */
        uint32_t n, cap, cap_spare;
} ps_moments;

void ps_moments_free(ps_moments *moments);
/* Room for n numbers. -1 when there is no memory, as below. */
int ps_moments_room(ps_moments *moments, uint32_t n);
/* None of them is more than `most`. Behind the last one comes UINT64_MAX. */
int ps_moments_sort(ps_moments *moments, uint64_t most);

/* There is room. */
static inline __attribute__((always_inline)) void ps_moments_put(ps_moments *m, uint64_t number)
{
        m->row[++m->n] = number;
}

#endif
