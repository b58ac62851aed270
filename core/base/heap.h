/* heap.h - what comes first, of many things that come and go: a binary heap in an array.
 *
 * PS_HEAP makes two functions for one type and order, so that comparing costs no call:
 *   NAME_rise(heap, at, what)    puts `what` at the end, index `at`, and lets it rise to its place
 *   NAME_sink(heap, n, at, what) puts `what` in the place of heap[at], of `n`, and lets it sink
 * is_before(a, b) takes pointers. Of things that are before neither of each other, any may come first. */
#ifndef PS_CORE_BASE_HEAP_H
#define PS_CORE_BASE_HEAP_H

#include <stdint.h>

#define PS_HEAP(name, type, is_before)                                                                       \
        __attribute__((unused)) static inline void name##_rise(type *heap, uint32_t at, type what)           \
        {                                                                                                    \
                for (; at && is_before(&what, &heap[(at - 1) / 2]); at = (at - 1) / 2)                       \
                        heap[at] = heap[(at - 1) / 2];                                                       \
                heap[at] = what;                                                                             \
        }                                                                                                    \
        __attribute__((unused)) static inline void name##_sink(type *heap, uint32_t n, uint32_t at,          \
                                                               type what)                                    \
        {                                                                                                    \
                for (uint32_t child; at < n / 2; at = child) {                                               \
                        child = 2 * at + 1;                                                                  \
                        child += child + 1 < n && is_before(&heap[child + 1], &heap[child]);                 \
                        if (!is_before(&heap[child], &what))                                                 \
                                break;                                                                       \
                        heap[at] = heap[child];                                                              \
                }                                                                                            \
                heap[at] = what;                                                                             \
        }

#endif
