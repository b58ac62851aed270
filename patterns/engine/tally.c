/* tally.c - findings by (pattern, call path). */
#include "patterns/engine/tally.h"

#include "core/base/hash.h"
#include "core/base/vector.h"

#include <stdlib.h>

typedef struct place {
        uint32_t pattern;
        ps_path path;
} place;

static uint64_t hash_of(const void *findings, uint32_t row)
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

int ps_tally_map_add(ps_tally_map *map, const ps_instance *instance, ps_path path)
{
        place wanted = {instance->pattern, path};
        if (PS_ROOM(map->row, map->n, map->cap) || ps_lookup_room(&map->by_place, map->n, hash_of, map->row))
                return -1;
        uint32_t *slot = ps_lookup_find(&map->by_place, ps_hash_pair(wanted.pattern, path), is_like, &wanted,
                                        map->row);
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
        finding->least = ps_time_add(finding->least, instance->least);
        if (instance->lost > finding->worst.lost)
                finding->worst = *instance;
        return 0;
}

void ps_tally_map_free(ps_tally_map *map)
{
        free(map->row);
        ps_lookup_free(&map->by_place);
        *map = (ps_tally_map){0};
}
