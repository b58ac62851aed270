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

/* The row of the place, new if there is none; NULL without memory. */
static ps_finding *finding_at(ps_tally_map *map, const ps_instance *instance, ps_path path, uint32_t *hint)
{
        place wanted = {instance->pattern, path};
        if (*hint < map->n && is_like(&wanted, map->row, *hint))
                return &map->row[*hint];
        if (PS_ROOM(map->row, map->n, map->cap) || ps_lookup_room(&map->by_place, map->n, hash_of, map->row))
                return NULL;
        uint32_t *slot = ps_lookup_find(&map->by_place, ps_hash_pair(wanted.pattern, path), is_like, &wanted,
                                        map->row);
        if (!*slot) {
                map->row[map->n] = (ps_finding){
                        .pattern = instance->pattern, .location = instance->at.loc, .path = path};
                *slot = ++map->n;
        }
        *hint = *slot - 1;
        return &map->row[*hint];
}

ps_instance *ps_tally_map_add(ps_tally_map *map, const ps_instance *instance, ps_path path, uint32_t *hint,
                              ps_status *status)
{
        ps_finding *finding = finding_at(map, instance, path, hint);
        if (!finding) {
                *status = PS_E_NOMEM;
                return NULL;
        }
        finding->count++;
        finding->lost = ps_time_add(finding->lost, instance->lost);
        finding->least = ps_time_add(finding->least, instance->least);
        if (finding->count > 1 && instance->lost <= finding->worst.lost)
                return NULL;
        finding->worst = *instance;
        return &finding->worst;
}

void ps_tally_map_free(ps_tally_map *map)
{
        free(map->row);
        ps_lookup_free(&map->by_place);
        *map = (ps_tally_map){0};
}
