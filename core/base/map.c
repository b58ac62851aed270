/* map.c - open addressing with linear probing, at most two thirds full. */
#include "core/base/map.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include <assert.h>
#include <stdlib.h>

static bool is_free(const ps_map_row *row)
{
        return row->a == PS_NONE && row->b == PS_NONE;
}

static size_t slot_of(const ps_map *map, uint32_t a, uint32_t b)
{
        size_t i = (size_t)ps_hash_mix((uint64_t)a << 32 | b) & (map->cap - 1);
        while (!is_free(&map->row[i]) && (map->row[i].a != a || map->row[i].b != b))
                i = (i + 1) & (map->cap - 1);
        return i;
}

static int grow_map(ps_map *map)
{
        ps_map bigger = {NULL, map->n, map->cap ? 2 * map->cap : 64};
        bigger.row = ps_memory_new(bigger.cap * sizeof *bigger.row);
        if (!bigger.row)
                return 0;
        for (size_t i = 0; i < bigger.cap; i++)
                bigger.row[i] = (ps_map_row){PS_NONE, PS_NONE, 0};
        for (size_t i = 0; i < map->cap; i++)
                if (!is_free(&map->row[i]))
                        bigger.row[slot_of(&bigger, map->row[i].a, map->row[i].b)] = map->row[i];
        free(map->row);
        *map = bigger;
        return 1;
}

void ps_map_free(ps_map *map)
{
        if (!map)
                return;
        free(map->row);
        *map = (ps_map){0};
}

ps_time *ps_map_at(ps_map *map, uint32_t a, uint32_t b, ps_time initial)
{
        assert(a != PS_NONE || b != PS_NONE); /* that is what a free row has */
        if (3 * map->n >= 2 * map->cap && !grow_map(map))
                return NULL;
        ps_map_row *row = &map->row[slot_of(map, a, b)];
        if (is_free(row)) {
                *row = (ps_map_row){a, b, initial};
                map->n++;
        }
        return &row->value;
}

ps_time ps_map_get(const ps_map *map, uint32_t a, uint32_t b, ps_time otherwise)
{
        if (map->n == 0)
                return otherwise;
        const ps_map_row *row = &map->row[slot_of(map, a, b)];
        return is_free(row) ? otherwise : row->value;
}
