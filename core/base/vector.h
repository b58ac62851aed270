/* vector.h - rows that become more: a typed array that doubles when it is full.
 *
 * PS_APPEND and PS_ROOM work on any pointer, number and capacity (uint32_t or size_t), so that a struct may
 * keep the names that it has for them. Their arguments are evaluated more than once. */
#ifndef PS_CORE_BASE_VECTOR_H
#define PS_CORE_BASE_VECTOR_H

#include "core/base/memory.h"

/* {0} is an empty vector; `row` is freed with free(). */
#define PS_VECTOR(type)                                                                                      \
        struct {                                                                                             \
                type *row;                                                                                   \
                uint32_t n, cap;                                                                             \
        }

/* Makes room for one more row. 0; or -1, and all stays as it is, when there is no memory. */
#define PS_ROOM(rows, n, cap)                                                                                \
        ((n) < (cap) ? 0                                                                                     \
                     : _Generic((cap), uint32_t                                                              \
                                : ps_memory_grow, size_t                                                     \
                                : ps_memory_grow_wide)(&(rows), &(cap), 16, sizeof(*(rows))))

/* Appends a row; gives what PS_ROOM gives. */
#define PS_APPEND(rows, n, cap, ...) (PS_ROOM(rows, n, cap) ? -1 : ((rows)[(n)++] = (__VA_ARGS__), 0))

#define PS_PUSH(vector, ...) PS_APPEND((vector).row, (vector).n, (vector).cap, __VA_ARGS__)

#endif
