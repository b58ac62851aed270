/* runs.h - rows that stand in a few runs, each of which is in order already, put in order: what several
 * places did, each in the order of its times, one place behind the other. Two runs become one, until there is
 * one; rows in no order are as many runs, which takes no longer than sorting does.
 *
 * PS_RUNS makes NAME_sort(row, spare, n) for one type and order, so that comparing costs no call; `spare` is
 * room for as many rows. is_before(a, b) takes pointers. Rows that are before neither of each other keep
 * their order. */
#ifndef PS_CORE_ORDER_RUNS_H
#define PS_CORE_ORDER_RUNS_H

#include "core/base/blocks.h"

#include <stdint.h>

#define PS_RUNS(name, type, is_before)                                                                       \
        static inline uint32_t name##_end(const type *row, uint32_t at, uint32_t n)                          \
        {                                                                                                    \
                while (++at < n && !is_before(&row[at], &row[at - 1]))                                       \
                        continue;                                                                            \
                return at < n ? at : n;                                                                      \
        }                                                                                                    \
        static inline void name##_merge(type *to, const type *from, uint32_t middle, uint32_t n)             \
        {                                                                                                    \
                uint32_t a = 0, b = middle;                                                                  \
                while (a < middle && b < n) {                                                                \
                        ps_blocks_keep();                                                                    \
                        *to++ = is_before(&from[b], &from[a]) ? from[b++] : from[a++];                       \
                }                                                                                            \
                while (a < middle)                                                                           \
                        *to++ = from[a++];                                                                   \
                while (b < n)                                                                                \
                        *to++ = from[b++];                                                                   \
        }                                                                                                    \
        /* Makes one of two runs each; returns how many there are then. */                                   \
        static inline uint32_t name##_halve(const type *from, type *to, uint32_t n)                          \
        {                                                                                                    \
                uint32_t n_runs = 0;                                                                         \
                for (uint32_t at = 0, end; at < n; at = end) {                                               \
                        const uint32_t middle = name##_end(from, at, n);                                     \
                        end = middle < n ? name##_end(from, middle, n) : n;                                  \
                        name##_merge(to + at, from + at, middle - at, end - at);                             \
                        n_runs++;                                                                            \
                }                                                                                            \
                return n_runs;                                                                               \
        }                                                                                                    \
        static inline void name##_sort(type *row, type *spare, uint32_t n)                                   \
        {                                                                                                    \
                type *from = row, *to = spare;                                                               \
                for (uint32_t n_runs = n && name##_end(row, 0, n) < n ? 2 : 1; n_runs > 1;) {                \
                        n_runs = name##_halve(from, to, n);                                                  \
                        type *merged = to;                                                                   \
                        to = from;                                                                           \
                        from = merged;                                                                       \
                }                                                                                            \
                for (uint32_t i = 0; from != row && i < n; i++)                                              \
                        row[i] = from[i];                                                                    \
        }

#endif
