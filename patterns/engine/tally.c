/* tally.c - findings by (pattern, call path). */
#include "patterns/engine/tally.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/radix.h"
#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

typedef struct place {
        uint32_t pattern;
        ps_path path;
} place;

static uint64_t hash_of_finding(const void *findings, uint32_t row)
{
        const ps_finding *f = (const ps_finding *)findings + row;
        return ps_hash_pair(f->pattern, f->path);
}

static bool is_like(const void *key, const void *findings, uint32_t row)
{
        const place *wanted = key;
        const ps_finding *f = (const ps_finding *)findings + row;
        return f->pattern == wanted->pattern && f->path == wanted->path;
}

ps_finding *ps_tally_map_find(ps_tally_map *map, uint32_t pattern, ps_path path, ps_loc location,
                              uint32_t *hint)
{
        enum { FIRST_ROWS = 8 }; /* there may be many locations, and most find little */
        place wanted = {pattern, path};
        if (ps_memory_room(&map->row, map->n, &map->cap, FIRST_ROWS, sizeof(*map->row)) ||
            ps_lookup_room(&map->by_place, map->n, hash_of_finding, map->row))
                return NULL;
        uint32_t *slot =
                ps_lookup_find(&map->by_place, ps_hash_pair(pattern, path), is_like, &wanted, map->row);
        if (!*slot) {
                map->row[map->n] = (ps_finding){.pattern = pattern, .location = location, .path = path};
                *slot = ++map->n;
        }
        *hint = *slot - 1;
        return &map->row[*hint];
}

void ps_tally_map_free(ps_tally_map *map)
{
        free(map->row);
        ps_lookup_free(&map->by_place);
        *map = (ps_tally_map){0};
}

static int compare_findings(const void *a, const void *b)
{
        const ps_finding *x = a, *y = b;
        PS_ORDER_BY(y->lost, x->lost);
        int by_id = strcmp(ps_pattern_at(x->pattern)->id, ps_pattern_at(y->pattern)->id);
        if (by_id)
                return by_id;
        PS_ORDER_BY(x->location, y->location);
        PS_ORDER_BY(x->worst.begin, y->worst.begin);
        return PS_ORDER(x->path, y->path);
}

static uint64_t by_most_lost(const void *finding)
{
        return ~ps_radix_signed(((const ps_finding *)finding)->lost);
}

/* Few lost the same. */
ps_status ps_tally_sort(ps_finding *row, uint32_t n, ps_error *err)
{
        if (ps_radix_sort(row, n, sizeof(*row), (ps_row_number *[]){by_most_lost}, 1))
                return PS_NOMEM(err, "findings", n);
        for (uint32_t i = 0, end; i < n; i = end) {
                for (end = i + 1; end < n && row[end].lost == row[i].lost;)
                        end++;
                if (end - i > 1)
                        qsort(row + i, end - i, sizeof(*row), compare_findings);
        }
        return PS_OK;
}
