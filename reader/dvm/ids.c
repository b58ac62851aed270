/* ids.c - open addressing with linear probing; what is dropped closes its gap, so that a program that
 * makes and deletes a loop a million times does not slow down. */
#include "reader/dvm/ids.h"

#include "core/base/hash.h"

#include <stdlib.h>

/* The table's address is part of the hash: nobody can prepare ids that collide. */
static uint32_t home_of(const ps_dvm_ids *ids, uint8_t space, int64_t id)
{
        uint64_t seed = (uint64_t)(uintptr_t)ids->slot;
        return (uint32_t)ps_hash_pair((uint64_t)id ^ seed, space) & (ids->n_slots - 1);
}

/* The slot that holds the id, or the free one where it belongs. */
static uint32_t find(const ps_dvm_ids *ids, uint8_t space, int64_t id)
{
        uint32_t i = home_of(ids, space, id);
        while (ids->slot[i].space && (ids->slot[i].space != space || ids->slot[i].id != id))
                i = (i + 1) & (ids->n_slots - 1);
        return i;
}

static int grow(ps_dvm_ids *ids)
{
        ps_dvm_ids bigger = {.n = ids->n, .n_slots = ids->n_slots ? ids->n_slots * 2 : 256};
        if (bigger.n_slots > UINT32_MAX / 4)
                return -1;
        bigger.slot = calloc(bigger.n_slots, sizeof(*bigger.slot));
        if (!bigger.slot)
                return -1;
        for (uint32_t i = 0; i < ids->n_slots; i++)
                if (ids->slot[i].space)
                        bigger.slot[find(&bigger, ids->slot[i].space, ids->slot[i].id)] = ids->slot[i];
        free(ids->slot);
        *ids = bigger;
        return 0;
}

void ps_dvm_ids_free(ps_dvm_ids *ids)
{
        free(ids->slot);
        *ids = (ps_dvm_ids){0};
}

int ps_dvm_ids_set(ps_dvm_ids *ids, ps_dvm_space space, int64_t id, uint32_t object)
{
        if (2 * (ids->n + 1) > ids->n_slots && grow(ids) < 0)
                return -1;
        ps_dvm_id *slot = &ids->slot[find(ids, (uint8_t)space, id)];
        ids->n += !slot->space;
        *slot = (ps_dvm_id){id, object, (uint8_t)space};
        return 0;
}

uint32_t ps_dvm_ids_get(const ps_dvm_ids *ids, ps_dvm_space space, int64_t id)
{
        if (!ids->n)
                return PS_NONE;
        const ps_dvm_id *slot = &ids->slot[find(ids, (uint8_t)space, id)];
        return slot->space ? slot->object : PS_NONE;
}

void ps_dvm_ids_drop(ps_dvm_ids *ids, ps_dvm_space space, int64_t id)
{
        if (!ids->n)
                return;
        uint32_t mask = ids->n_slots - 1, hole = find(ids, (uint8_t)space, id);
        if (!ids->slot[hole].space)
                return;
        for (uint32_t i = (hole + 1) & mask; ids->slot[i].space; i = (i + 1) & mask) {
                uint32_t home = home_of(ids, ids->slot[i].space, ids->slot[i].id);
                if (((i - home) & mask) >= ((i - hole) & mask)) {
                        ids->slot[hole] = ids->slot[i];
                        hole = i;
                }
        }
        ids->slot[hole].space = PS_DVM_S_FREE;
        ids->n--;
}
