/* tally.c - findings by (pattern, call path). */
#include "patterns/engine/tally.h"

#include "core/base/hash.h"

#include <stdlib.h>

static uint32_t *find_slot(const ps_tally_map *map, uint32_t pattern, ps_path path)
{
        uint32_t mask = map->n_slots - 1;
        for (uint32_t i = (uint32_t)ps_hash_pair(pattern, path) & mask;; i = (i + 1) & mask) {
                uint32_t *slot = &map->slot[i];
                if (!*slot || (map->row[*slot - 1].pattern == pattern && map->row[*slot - 1].path == path))
                        return slot;
        }
}

static int grow(ps_tally_map *map)
{
        uint32_t cap = map->cap ? map->cap * 2 : 16;
        ps_finding *row = cap < UINT32_MAX / 4 ? realloc(map->row, cap * sizeof(*row)) : NULL;
        if (!row)
                return -1;
        map->row = row;
        uint32_t *slot = calloc((size_t)cap * 2, sizeof(*slot));
        if (!slot)
                return -1;
        free(map->slot);
        map->slot = slot;
        map->n_slots = cap * 2;
        map->cap = cap;
        for (uint32_t i = 0; i < map->n; i++)
                *find_slot(map, row[i].pattern, row[i].path) = i + 1;
        return 0;
}

int ps_tally_map_add(ps_tally_map *map, const ps_instance *instance, ps_path path)
{
        if (map->n == map->cap && grow(map) < 0)
                return -1;
        uint32_t *slot = find_slot(map, instance->pattern, path);
        if (!*slot) {
                map->row[map->n] = (ps_finding){.pattern = instance->pattern,
                                                .location = instance->at.loc,
                                                .path = path,
                                                .worst = *instance};
                *slot = ++map->n;
        }
        ps_finding *finding = &map->row[*slot - 1];
        finding->count++;
        finding->lost = ps_time_add(finding->lost, instance->lost);
        if (instance->lost > finding->worst.lost)
                finding->worst = *instance;
        return 0;
}

void ps_tally_map_free(ps_tally_map *map)
{
        free(map->row);
        free(map->slot);
        *map = (ps_tally_map){0};
}
