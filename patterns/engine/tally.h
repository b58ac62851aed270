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
 * that follow each other have neighbouring places, as programs go from one to the next; of very many paths,
 * and of patterns where there are many paths, some share one. */
enum { PS_TALLY_HINTS_MOST = 1 << 16, PS_TALLY_PATTERNS_FEWEST = 4, PS_TALLY_PATTERNS_MOST = 64 };
typedef struct ps_tally_hints {
        uint32_t *row;
        uint32_t n, n_patterns; /* of a path: both are powers of two */
        uint32_t n_found;       /* at the location at hand; the next one begins with room for as many */
} ps_tally_hints;

/* The finding of the pattern at the path, made if there is none; NULL without memory. */
ps_finding *ps_tally_map_find(ps_tally_map *map, uint32_t pattern, ps_path path, ps_loc location,
                              ps_tally_hints *hints);

static inline uint32_t *ps_tally_hint(const ps_tally_hints *hints, uint32_t pattern, ps_path path)
{
        const uint32_t at = path * hints->n_patterns + (pattern & (hints->n_patterns - 1));
        return &hints->row[at & (hints->n - 1)];
}

static inline ps_finding *ps_tally_map_at(ps_tally_map *map, uint32_t pattern, ps_path path, ps_loc location,
                                          ps_tally_hints *hints)
{
        const uint32_t *hint = ps_tally_hint(hints, pattern, path);
        if (*hint < map->n && map->row[*hint].pattern == pattern && map->row[*hint].path == path)
                return &map->row[*hint];
        return ps_tally_map_find(map, pattern, path, location, hints);
}

void ps_tally_map_free(ps_tally_map *map);

/* Hints for so many paths, without their rows. */
ps_tally_hints ps_tally_hints_for(size_t n_paths);

/* Findings of all locations in their order, see ps_analysis. */
ps_status ps_tally_sort(ps_finding *findings, uint32_t n, ps_error *err);

#endif
