/* search.h - where something belongs in what is sorted. */
#ifndef PS_CORE_BASE_SEARCH_H
#define PS_CORE_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* Moves `low` to the first index from there to `end` for which `is_before`, an expression over the index `i`,
 * is not true; to `end` if there is none. The rows for which it is true must all come first. */
#define PS_SEARCH(low, end, i, is_before)                                                                    \
        for (__typeof__(low) high_ = (end), i; (low) < high_;) {                                             \
                i = (low) + (high_ - (low)) / 2;                                                             \
                if (is_before)                                                                               \
                        (low) = i + 1;                                                                       \
                else                                                                                         \
                        high_ = i;                                                                           \
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
