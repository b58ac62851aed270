/* ids.h - which row an id of the trace means now: ids come and go, and are given again.
 *
 * Each sort of thing has a space of its own, numbered from 1. Nobody can prepare ids that collide. */
#ifndef PS_CORE_BASE_IDS_H
#define PS_CORE_BASE_IDS_H

#include "core/base/types.h"

typedef struct ps_id {
        uint64_t id;
        uint32_t row;
        uint16_t space; /* 0: this slot is free */
        uint16_t n_far; /* of a place near: how many ids stand in the table that belong there; once these are
                           PS_IDS_MOST_FAR nobody counts any more */
} ps_id;

#define PS_IDS_MOST_FAR UINT16_MAX

/* {0} is empty. An id stands in one of two places: where a glance finds it, if nobody else has taken that, or
 * in a table with room for all. */
typedef struct ps_ids {
        ps_id *near;         /* NULL while there are none at all */
        uint32_t near_shift; /* there are 2^(64 - this) places; they become more as others take them */
        ps_id *slot;
        uint32_t n, n_slots; /* a power of two, at least twice n */
        uint64_t seed;
} ps_ids;

void ps_ids_free(ps_ids *ids);

/* The row that the id means, PS_NONE at first, for the caller to set; NULL when there is no memory. */
uint32_t *ps_ids_at(ps_ids *ids, uint32_t space, uint64_t id);
/* PS_NONE when it means nothing. */
uint32_t ps_ids_get(const ps_ids *ids, uint32_t space, uint64_t id);
/* The id means nothing any more; gives what it meant, or PS_NONE. */
uint32_t ps_ids_drop(ps_ids *ids, uint32_t space, uint64_t id);

/* In the table. */
ps_id *ps_ids_find_far(const ps_ids *ids, uint32_t space, uint64_t id);
bool ps_ids_give_new_far(ps_ids *ids, uint32_t space, uint64_t id, uint32_t row);
void ps_ids_remove_far(ps_ids *ids, ps_id *found);

static inline uint32_t ps_ids_near(const ps_ids *ids)
{
        return ids->near ? UINT32_C(1) << (64 - ids->near_shift) : 0;
}

static inline ps_id *ps_ids_near_of(const ps_ids *ids, uint32_t space, uint64_t id)
{
        return &ids->near[(id + space) * UINT64_C(0x9e3779b97f4a7c15) >> ids->near_shift];
}

/* Where an id stands that means something, until the next one is given or removed; or NULL. */
static inline ps_id *ps_ids_find_near(const ps_ids *ids, uint32_t space, uint64_t id)
{
        ps_id *near = ids->near ? ps_ids_near_of(ids, space, id) : NULL;
        return near && near->id == id && near->space == space ? near : NULL;
}

static inline ps_id *ps_ids_find(const ps_ids *ids, uint32_t space, uint64_t id)
{
        ps_id *near = ps_ids_find_near(ids, space, id);
        return near || !ids->n || !ps_ids_near_of(ids, space, id)->n_far ? near
                                                                         : ps_ids_find_far(ids, space, id);
}

/* Gives an id that means nothing so far a meaning; false when there is no memory. */
static inline bool ps_ids_give(ps_ids *ids, uint32_t space, uint64_t id, uint32_t row)
{
        ps_id *near = ids->near ? ps_ids_near_of(ids, space, id) : NULL;
        if (near && !near->space) {
                *near = (ps_id){id, row, (uint16_t)space, near->n_far};
                return true;
        }
        uint32_t *far = ps_ids_at(ids, space, id);
        if (far)
                *far = row;
        return far;
}

/* The same of an id that may mean something already: then false, too; at a glance, and false where that does
 * not do. */
static inline bool ps_ids_give_new_near(ps_ids *ids, uint32_t space, uint64_t id, uint32_t row)
{
        ps_id *near = ids->near ? ps_ids_near_of(ids, space, id) : NULL;
        if (!near || near->space | near->n_far)
                return false;
        *near = (ps_id){id, row, (uint16_t)space, 0};
        return true;
}

static inline bool ps_ids_give_new(ps_ids *ids, uint32_t space, uint64_t id, uint32_t row)
{
        return ps_ids_give_new_near(ids, space, id, row) || ps_ids_give_new_far(ids, space, id, row);
}

static inline void ps_ids_remove(ps_ids *ids, ps_id *found)
{
        if ((uintptr_t)found - (uintptr_t)ids->near < ps_ids_near(ids) * sizeof(*found))
                found->space = 0;
        else
                ps_ids_remove_far(ids, found);
}

/* For a walk over all: the one at or after place *at, which is left behind it; NULL: there are no more. */
const ps_id *ps_ids_next(const ps_ids *ids, uint32_t *at);

#endif
