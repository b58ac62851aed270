/* map.h - a hash table from a pair of indices to a time: the one thing that dense tables cannot be. */
#ifndef PS_CORE_BASE_MAP_H
#define PS_CORE_BASE_MAP_H

#include "core/base/types.h"
#include <stddef.h>

typedef struct ps_map_row {
        uint32_t a, b; /* {PS_NONE, PS_NONE}: the row is free */
        ps_time value;
} ps_map_row;

/* {0} is an empty map. Its rows stand in no particular order, but always in the same. */
typedef struct ps_map {
        ps_map_row *row;
        size_t n, cap;
} ps_map;

void ps_map_free(ps_map *map);

/* The value of (a, b), which becomes `initial` if there is none; NULL when there is no memory. */
ps_time *ps_map_at(ps_map *map, uint32_t a, uint32_t b, ps_time initial);

/* The value of (a, b), or `otherwise`. */
ps_time ps_map_get(const ps_map *map, uint32_t a, uint32_t b, ps_time otherwise);

#endif
