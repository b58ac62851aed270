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

/* The instance in its finding, if it is the worst there now; otherwise NULL. `hint` is the row where the
 * pattern was found before, wherever that was: most are found there again. Without memory the status says so.
 */
ps_instance *ps_tally_map_add(ps_tally_map *map, const ps_instance *instance, ps_path path, uint32_t *hint,
                              ps_status *status);
void ps_tally_map_free(ps_tally_map *map);

#endif
