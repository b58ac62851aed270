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

static int make_room(ps_tally_map *map, uint32_t like)
{
        enum { FIRST_ROWS = 8 }; /* there may be many locations, and most find little */
        const uint32_t first = like < FIRST_ROWS ? FIRST_ROWS : like;
        if (!map->cap && ps_lookup_reserve(&map->by_place, first))
                return -1;
        return ps_memory_room(&map->row, map->n, &map->cap, first, sizeof(*map->row));
}

ps_finding *ps_tally_map_find(ps_tally_map *map, uint32_t pattern, ps_path path, ps_loc location,
                              ps_tally_hints *hints)
{
        place wanted = {pattern, path};
        if (make_room(map, hints->n_found) ||
            ps_lookup_room(&map->by_place, map->n, hash_of_finding, map->row))
                return NULL;
        uint32_t *slot =
                ps_lookup_find(&map->by_place, ps_hash_pair(pattern, path), is_like, &wanted, map->row);
        if (!*slot) {
                map->row[map->n] = (ps_finding){.pattern = pattern, .location = location, .path = path};
                *slot = hints->n_found = ++map->n;
        }
        *ps_tally_hint(hints, pattern, path) = *slot - 1;
        return &map->row[*slot - 1];
}

ps_tally_hints ps_tally_hints_for(size_t n_paths)
{
        ps_tally_hints hints = {NULL, PS_TALLY_PATTERNS_MOST, PS_TALLY_PATTERNS_MOST, 0};
        while (hints.n < PS_TALLY_HINTS_MOST && hints.n / hints.n_patterns < n_paths)
                hints.n *= 2;
        while (hints.n_patterns > PS_TALLY_PATTERNS_FEWEST && hints.n / hints.n_patterns < n_paths)
                hints.n_patterns /= 2;
        return hints;
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

/* Each row comes to its place without a second room for all, along the circles in which they change places.
 */
static void move_findings(ps_finding *row, ps_radix_entry *order, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                const ps_finding first = row[i];
                size_t at = i;
                for (size_t from; (from = order[at].row) != i; at = from) {
                        ps_blocks_keep();
                        row[at] = row[from];
                        order[at].row = at;
                }
                row[at] = first;
                order[at].row = at;
        }
}

static int sort_by_lost(ps_finding *row, size_t n)
{
        ps_radix_entry *order = ps_memory_new(n * sizeof(*order)), *spare = ps_memory_new(n * sizeof(*spare));
        int result = order && spare ? 0 : -1;
        for (size_t i = 0; i < n && !result; i++)
                order[i].row = i;
        if (!result) {
                ps_radix_by_key(&order, &spare, n, (const char *)row, sizeof(*row), by_most_lost);
                move_findings(row, order, n);
        }
        free(order);
        free(spare);
        return result;
}

/* Few lost the same. */
static void sort_alike(ps_finding *row, uint32_t n)
{
        enum { A_FEW = 8 };
        if (n > A_FEW) {
                qsort(row, n, sizeof(*row), compare_findings);
                return;
        }
        for (uint32_t i = 1; i < n; i++)
                for (uint32_t k = i; k && compare_findings(&row[k - 1], &row[k]) > 0; k--) {
                        const ps_finding first = row[k];
                        row[k] = row[k - 1];
                        row[k - 1] = first;
                }
}

ps_status ps_tally_sort(ps_finding *row, uint32_t n, ps_error *err)
{
        if (n && sort_by_lost(row, n))
                return PS_NOMEM(err, "findings", n);
        for (uint32_t i = 0, end; i < n; i = end) {
                for (end = i + 1; end < n && row[end].lost == row[i].lost;)
                        end++;
                sort_alike(row + i, end - i);
        }
        return PS_OK;
}
