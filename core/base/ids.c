/* ids.c - open addressing with linear probing for those that have no place near. What is dropped closes its
 * gap, so that a program that starts and completes a request a million times does not slow down. */
#include "core/base/ids.h"

#include "core/base/hash.h"
#include "core/base/memory.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t home_of(const ps_ids *ids, uint32_t space, uint64_t id)
{
        return (uint32_t)ps_hash_mix((id ^ ids->seed) + space) & (ids->n_slots - 1);
}

/* The slot that holds the id, or the free one where it belongs. */
static ps_id *find_id(const ps_ids *ids, uint32_t space, uint64_t id)
{
        assert(space > 0 && space <= UINT16_MAX);
        uint32_t mask = ids->n_slots - 1, i = home_of(ids, space, id);
        ps_id *slot = &ids->slot[i];
        while (slot->space && (slot->id != id || slot->space != space))
                slot = &ids->slot[i = (i + 1) & mask];
        return slot;
}

static int grow_ids(ps_ids *ids)
{
        ps_ids bigger = *ids;
        bigger.n_slots = ids->n_slots ? ids->n_slots * 2 : 64;
        bigger.slot = bigger.n_slots ? ps_memory_zeroed(bigger.n_slots, sizeof(*bigger.slot)) : NULL;
        if (!bigger.slot)
                return -1;
        if (!bigger.seed)
                bigger.seed =
                        ps_hash_mix((uint64_t)(uintptr_t)bigger.slot); /* where it lies, nobody can know */
        for (uint32_t k = 0; k < ids->n_slots; k++) {
                const ps_id *old = &ids->slot[k];
                if (!old->space) /* grow_near() frees other slots. NOLINT(clang-analyzer-unix.Malloc) */
                        continue;
                uint32_t i = home_of(&bigger, old->space, old->id);
                while (bigger.slot[i].space)
                        i = (i + 1) & (bigger.n_slots - 1);
                bigger.slot[i] = *old;
        }
        free(ids->slot); /* NOLINT(clang-analyzer-unix.Malloc): likewise */
        *ids = bigger;
        return 0;
}

void ps_ids_free(ps_ids *ids)
{
        free(ids->near);
        free(ids->slot);
        *ids = (ps_ids){0};
}

enum { FEWEST_NEAR_BITS = 8, MOST_NEAR_BITS = 20, GROWTH_BITS = 4, FAR_OF_NEAR = 8 };

static int make_near(ps_ids *ids, uint32_t bits)
{
        ids->near_shift = 64 - bits;
        return (ids->near = ps_memory_zeroed((size_t)1 << bits, sizeof(*ids->near))) ? 0 : -1;
}

/* All ids to a structure with more near places. Where memory is out they stay where they are. */
static void grow_near(ps_ids *ids)
{
        ps_ids more = {.seed = ids->seed};
        int status = make_near(&more, 64 - ids->near_shift + GROWTH_BITS);
        uint32_t at = 0;
        for (const ps_id *id; status == 0 && (id = ps_ids_next(ids, &at));) {
                uint32_t *row = ps_ids_at(&more, id->space, id->id);
                if (row)
                        *row = id->row;
                status = row ? 0 : -1;
        }
        if (status == 0) {
                ps_ids_free(ids);
                *ids = more;
        } else {
                ps_ids_free(&more);
        }
}

/* One more has no place near: makes room for it in the table. */
static int make_far(ps_ids *ids)
{
        if (ids->near_shift > 64 - MOST_NEAR_BITS && ids->n >= ps_ids_near(ids) / FAR_OF_NEAR)
                grow_near(ids);
        return ids->n >= ids->n_slots / 2 ? grow_ids(ids) : 0;
}

uint32_t *ps_ids_at(ps_ids *ids, uint32_t space, uint64_t id)
{
        if (!ids->near && make_near(ids, FEWEST_NEAR_BITS) < 0)
                return NULL;
        ps_id *known = ps_ids_find(ids, space, id);
        if (known)
                return &known->row;
        if (ps_ids_near_of(ids, space, id)->space && make_far(ids) < 0)
                return NULL;
        ps_id *place = ps_ids_near_of(ids, space, id);
        if (place->space) {
                if (place->n_far < PS_IDS_MOST_FAR)
                        place->n_far++;
                place = find_id(ids, space, id);
                ids->n++;
        }
        *place = (ps_id){id, PS_NONE, (uint16_t)space, place->n_far};
        return &place->row;
}

ps_id *ps_ids_find_far(const ps_ids *ids, uint32_t space, uint64_t id)
{
        ps_id *slot = find_id(ids, space, id);
        return slot->space ? slot : NULL;
}

bool ps_ids_give_new_far(ps_ids *ids, uint32_t space, uint64_t id, uint32_t row)
{
        return !ps_ids_find(ids, space, id) && ps_ids_give(ids, space, id, row);
}

uint32_t ps_ids_get(const ps_ids *ids, uint32_t space, uint64_t id)
{
        const ps_id *found = ps_ids_find(ids, space, id);
        return found ? found->row : PS_NONE;
}

void ps_ids_remove_far(ps_ids *ids, ps_id *found)
{
        uint32_t mask = ids->n_slots - 1, hole = (uint32_t)(found - ids->slot);
        ps_id *near = ps_ids_near_of(ids, found->space, found->id);
        if (near->n_far < PS_IDS_MOST_FAR)
                near->n_far--;
        for (uint32_t i = (hole + 1) & mask; ids->slot[i].space; i = (i + 1) & mask) {
                uint32_t home = home_of(ids, ids->slot[i].space, ids->slot[i].id);
                if (((i - home) & mask) >= ((i - hole) & mask)) {
                        ids->slot[hole] = ids->slot[i];
                        hole = i;
                }
        }
        ids->slot[hole].space = 0;
        ids->n--;
}

uint32_t ps_ids_drop(ps_ids *ids, uint32_t space, uint64_t id)
{
        ps_id *found = ps_ids_find(ids, space, id);
        uint32_t row = found ? found->row : PS_NONE;
        if (found)
                ps_ids_remove(ids, found);
        return row;
}

/* Most places may be free: four are passed at a time. */
static uint32_t pass_free(const ps_id *places, uint32_t at, uint32_t n)
{
        if (at >= n)
                return n;
        const ps_id *id = places + at, *end = places + n;
        while (end - id >= 4 && !(id[0].space | id[1].space | id[2].space | id[3].space))
                id += 4;
        while (id < end && !id->space)
                id++;
        return (uint32_t)(id - places);
}

const ps_id *ps_ids_next(const ps_ids *ids, uint32_t *at)
{
        const uint32_t n_near = ps_ids_near(ids);
        const bool is_near = *at < n_near && (*at = pass_free(ids->near, *at, n_near)) < n_near;
        if (is_near)
                return &ids->near[(*at)++];
        const uint32_t far = pass_free(ids->slot, *at - n_near, ids->n_slots);
        *at = n_near + far + (far < ids->n_slots);
        return far < ids->n_slots ? &ids->slot[far] : NULL;
}
