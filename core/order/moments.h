/* moments.h - many numbers that begin with a time, put in order. */
#ifndef PS_CORE_ORDER_MOMENTS_H
#define PS_CORE_ORDER_MOMENTS_H

#include <stdint.h>

/* {0} is empty. */
typedef struct ps_moments {
        uint64_t *row;                   /* the numbers, from row[1] on */
        uint32_t n, cap;                 /* of the numbers; all that has room */
        uint64_t *spare;                 /* to deal them out to */
        uint32_t n_dirty, n_dirty_spare; /* from there on all of `row` and of `spare` is 0 */
        uint32_t cap_spare, n_buckets, cap_buckets;
        unsigned shift;                /* of a number, to its bucket */
        uint32_t *count, *place;       /* how many numbers a bucket has, and where they go */
        struct ps_moments_part *crowd; /* of too many numbers in too few buckets */
        uint32_t n_crowd, cap_crowd;
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
