/* ids.h - which row an id of the trace means now: ids come and go, and are given again.
 *
 * Each sort of thing has a space of its own, numbered from 1. Nobody can prepare ids that collide. */
#ifndef PS_CORE_BASE_IDS_H
#define PS_CORE_BASE_IDS_H

#include "core/base/types.h"

typedef struct ps_id {
        uint64_t id;
        uint32_t row;
        uint32_t space; /* 0: this slot is free */
} ps_id;

/* {0} is empty. */
typedef struct ps_ids {
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

#endif
