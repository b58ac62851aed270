/* tally.h - sums and worst instances of one location, by pattern and call path: memory follows the number of
 * places in the program, not the number of instances. */
#ifndef PS_PATTERNS_ENGINE_TALLY_H
#define PS_PATTERNS_ENGINE_TALLY_H

#include "core/base/lookup.h"
#include "patterns/engine/engine.h"

typedef struct ps_tally_map {
        ps_finding *row;
        uint32_t n, cap;
        ps_lookup by_place;
} ps_tally_map;

/* Where findings were looked up last, by path and pattern: most are found there again. Of any location. Paths
 * that follow each other have neighbouring places, as programs go from one to the next. */
enum { PS_TALLY_PATTERNS = 4, PS_TALLY_HINTS_MOST = 1 << 16 };
typedef struct ps_tally_hints {
        uint32_t *row;
        uint32_t mask; /* of so many less one, a power of two less one */
} ps_tally_hints;

/* The finding of the pattern at the path, made if there is none; NULL without memory. */
ps_finding *ps_tally_map_find(ps_tally_map *map, uint32_t pattern, ps_path path, ps_loc location,
                              uint32_t *hint);

static inline ps_finding *ps_tally_map_at(ps_tally_map *map, uint32_t pattern, ps_path path, ps_loc location,
                                          ps_tally_hints *hints)
{
        uint32_t *hint = &hints->row[(path * PS_TALLY_PATTERNS + pattern % PS_TALLY_PATTERNS) & hints->mask];
        if (*hint < map->n && map->row[*hint].pattern == pattern && map->row[*hint].path == path)
                return &map->row[*hint];
        return ps_tally_map_find(map, pattern, path, location, hint);
}

void ps_tally_map_free(ps_tally_map *map);

/* Findings of all locations in their order, see ps_analysis. */
ps_status ps_tally_sort(ps_finding *findings, uint32_t n, ps_error *err);

#endif
