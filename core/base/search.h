/* search.h - where something belongs in what is sorted. */
#ifndef PS_CORE_BASE_SEARCH_H
#define PS_CORE_BASE_SEARCH_H

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

#endif
