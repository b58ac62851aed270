/* search.h - the order of rows, and where something belongs in what is sorted. */
#ifndef PS_CORE_BASE_SEARCH_H
#define PS_CORE_BASE_SEARCH_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

/* What a comparison that qsort() takes returns. */
#define PS_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* In such a comparison: leaves it, unless the two are the same and another key has to decide. */
#define PS_ORDER_BY(a, b)                                                                                    \
        do {                                                                                                 \
                if ((a) != (b))                                                                              \
                        return (a) < (b) ? -1 : 1;                                                           \
        } while (0)

/* A comparison of rows that are doubles. */
static inline int ps_doubles_compare(const void *a, const void *b)
{
        return PS_ORDER(*(const double *)a, *(const double *)b);
}

/* Moves `low` to the first index from there to `end` for which `is_before`, an expression over the index `i`
 * without side effects, is not true; to `end` if there is none. The rows for which it is true must all come
 * first: where asserts are on, the two outermost ones are asked. */
#ifdef NDEBUG
#define PS_SEARCH(low, end, i, is_before) PS_BISECT(low, end, i, is_before)
#else
#define PS_SEARCH(low, end, i, is_before)                                                                    \
        for (__typeof__(low) first_ = (low), end_ = (end), high_ = end_, is_over_ = 0, i; !is_over_;)        \
                if ((low) < high_) {                                                                         \
                        PS_SEARCH_HALVE(low, high_, i, is_before)                                            \
                } else {                                                                                     \
                        is_over_ = 1;                                                                        \
                        i = first_;                                                                          \
                        assert((low) == first_ || (is_before));                                              \
                        i = end_ - 1;                                                                        \
                        assert((low) >= end_ || !(is_before));                                               \
                }
#endif

/* Narrows `low` and `end` to where PS_SEARCH finds the same, from what it found last, which may be anything:
 * who goes through rows in order is near to it. */
#define PS_SEARCH_NEAR(low, end, near, i, is_before) PS_SEARCH_BEHIND(low, end, near, i, is_before, 0)
/* The same of rows of which mostly one of the next few is what is looked for: these are asked one by one. */
#define PS_SEARCH_NEXT(low, end, near, i, is_before) PS_SEARCH_BEHIND(low, end, near, i, is_before, 4)

#define PS_SEARCH_BEHIND(low, end, near, i, is_before, n_few)                                                \
        do {                                                                                                 \
                __typeof__(low) i = (near)-1, step_ = 1, few_ = (n_few);                                     \
                if ((near) <= (low) || (near) > (end) || !(is_before))                                       \
                        break;                                                                               \
                few_ = (end) - (near) < few_ ? (end) : (near) + few_;                                        \
                for (i = (near); i < few_ && (is_before); i++)                                               \
                        continue;                                                                            \
                (low) = i;                                                                                   \
                if (i < few_)                                                                                \
                        (end) = i;                                                                           \
                for (; step_ <= (end) - (low); step_ *= 2) {                                                 \
                        i = (low) + step_ - 1;                                                               \
                        if (!(is_before)) {                                                                  \
                                (end) = i;                                                                   \
                                break;                                                                       \
                        }                                                                                    \
                        (low) += step_;                                                                      \
                }                                                                                            \
        } while (0)

/* The same of rows whose order nobody promises, such as the times of operations: the rows of a call stay
 * where it began, and a call within another one may have come before some of them. Then it is a row near by.
 */
#define PS_BISECT(low, end, i, is_before)                                                                    \
        for (__typeof__(low) high_ = (end), i; (low) < high_;)                                               \
        PS_SEARCH_HALVE(low, high_, i, is_before)

#define PS_SEARCH_HALVE(low, high, i, is_before)                                                             \
        {                                                                                                    \
                i = (low) + ((high) - (low)) / 2;                                                            \
                if (is_before)                                                                               \
                        (low) = i + 1;                                                                       \
                else                                                                                         \
                        (high) = i;                                                                          \
        }

/* For assert(): are the rows in the order of `compare`, which is what qsort() takes? */
static inline bool ps_rows_are_sorted(const void *rows, size_t n, size_t size,
                                      int (*compare)(const void *, const void *))
{
        const char *row = rows;
        size_t i = 1;
        while (i < n && compare(row + (i - 1) * size, row + i * size) <= 0)
                i++;
        return i >= n;
}

#endif
