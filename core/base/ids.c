/* ids.c - open addressing with linear probing. What is dropped closes its gap, so that a program that starts
 * and completes a request a million times does not slow down. */
#include "core/base/ids.h"

#include "core/base/hash.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t home_of(const ps_ids *ids, uint32_t space, uint64_t id)
{
        return (uint32_t)ps_hash_mix((id ^ ids->seed) + space) & (ids->n_slots - 1);
}

/* The slot that holds the id, or the free one where it belongs. */
static ps_id *find_id(const ps_ids *ids, uint32_t space, uint64_t id)
{
        assert(space > 0);
        uint32_t mask = ids->n_slots - 1, i = home_of(ids, space, id);
        ps_id *slot = &ids->slot[i];
        while (slot->space && (slot->id != id || slot->space != space))
                slot = &ids->slot[i = (i + 1) & mask];
        return slot;
}

static int grow_ids(ps_ids *ids)
{
        ps_ids bigger = {.n = ids->n, .n_slots = ids->n_slots ? ids->n_slots * 2 : 64, .seed = ids->seed};
        bigger.slot = bigger.n_slots ? calloc(bigger.n_slots, sizeof(*bigger.slot)) : NULL;
        if (!bigger.slot)
                return -1;
        if (!bigger.seed)
                bigger.seed =
                        ps_hash_mix((uint64_t)(uintptr_t)bigger.slot); /* where it lies, nobody can know */
        for (uint32_t k = 0; k < ids->n_slots; k++) {
                const ps_id *old = &ids->slot[k];
                if (!old->space)
                        continue;
                uint32_t i = home_of(&bigger, old->space, old->id);
                while (bigger.slot[i].space)
                        i = (i + 1) & (bigger.n_slots - 1);
                bigger.slot[i] = *old;
        }
        free(ids->slot);
        *ids = bigger;
        return 0;
}

void ps_ids_free(ps_ids *ids)
{
        free(ids->slot);
        *ids = (ps_ids){0};
}

uint32_t *ps_ids_at(ps_ids *ids, uint32_t space, uint64_t id)
{
        if (ids->n >= ids->n_slots / 2 && grow_ids(ids) < 0)
                return NULL;
        ps_id *slot = find_id(ids, space, id);
        if (!slot->space) {
                *slot = (ps_id){id, PS_NONE, space};
                ids->n++;
        }
        return &slot->row;
}

uint32_t ps_ids_get(const ps_ids *ids, uint32_t space, uint64_t id)
{
        const ps_id *slot = ids->n ? find_id(ids, space, id) : NULL;
        return slot && slot->space ? slot->row : PS_NONE;
}

uint32_t ps_ids_drop(ps_ids *ids, uint32_t space, uint64_t id)
{
        ps_id *found = ids->n ? find_id(ids, space, id) : NULL;
        if (!found || !found->space)
                return PS_NONE;
        uint32_t row = found->row, mask = ids->n_slots - 1, hole = (uint32_t)(found - ids->slot);
        for (uint32_t i = (hole + 1) & mask; ids->slot[i].space; i = (i + 1) & mask) {
                uint32_t home = home_of(ids, ids->slot[i].space, ids->slot[i].id);
                if (((i - home) & mask) >= ((i - hole) & mask)) {
                        ids->slot[hole] = ids->slot[i];
                        hole = i;
                }
        }
        ids->slot[hole].space = 0;
        ids->n--;
        return row;
}
