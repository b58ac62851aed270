/* ids.h - which row an id of the trace means now: ids come and go, and are given again.
 *
 * Each sort of thing has a space of its own, numbered from 1. Ids are mostly given one after the other, and
 * many of them mean something at a time: so neighbours stand on one page, whoever looks for the next one
 * finds it where the last one was, and one takes little more than its row does. Nobody can prepare ids that
 * collide.
 */
#ifndef PS_CORE_BASE_IDS_H
#define PS_CORE_BASE_IDS_H

#include "core/base/types.h"

typedef struct ps_id {
        uint64_t id;
        uint32_t row, space;
} ps_id;

enum { PS_IDS_OF_PAGE = 32, PS_IDS_MOST_SPACES = 31 };

typedef struct ps_ids_page {
        union {
                uint64_t key; /* which ids they are, and their space */
                struct ps_ids_page *next;
        };
        uint32_t n; /* so many of them mean something */
        uint32_t row[PS_IDS_OF_PAGE];
} ps_ids_page;

/* A page stands in one of two places: where a glance finds it, if no later one has taken that,
 * or in a table with room for all. In the first one there may be one that is empty, of whatever ids. */
typedef struct ps_ids {
        ps_ids_page **near;
        uint32_t near_shift;     /* there are 2^(64 - this) places; they become more as others take them */
        uint32_t n_far, n_slots; /* n_slots is a power of two, at least twice n_far */
        ps_ids_page **slot;
        ps_ids_page *unused;
        struct ps_ids_chunk *chunk; /* that pages are cut from: the newest */
        uint64_t seed;
} ps_ids;

/* Places where no page has been yet: all of them while there are none at all. */
enum { PS_IDS_FEWEST_BITS = 3 };
extern ps_ids_page *ps_ids_nowhere[1 << PS_IDS_FEWEST_BITS];
#define PS_IDS_EMPTY ((ps_ids){.near = ps_ids_nowhere, .near_shift = 64 - PS_IDS_FEWEST_BITS})

void ps_ids_free(ps_ids *ids);

/* The row that the id means, PS_NONE at first, for the caller to set to another one; NULL when there is no
 * memory. */
uint32_t *ps_ids_at(ps_ids *ids, uint32_t space, uint64_t id);
/* PS_NONE when it means nothing. */
uint32_t ps_ids_get(const ps_ids *ids, uint32_t space, uint64_t id);
/* The id means nothing any more; gives what it meant, or PS_NONE. */
uint32_t ps_ids_drop(ps_ids *ids, uint32_t space, uint64_t id);

/* In the table. */
ps_ids_page *ps_ids_find_far(const ps_ids *ids, uint64_t key);
bool ps_ids_give_new_far(ps_ids *ids, uint32_t space, uint64_t id, uint32_t row);
/* Nothing on the page means anything any more. */
void ps_ids_leave(ps_ids *ids, ps_ids_page *page);

static inline uint64_t ps_ids_key(uint32_t space, uint64_t id)
{
        return id / PS_IDS_OF_PAGE + (space - UINT64_C(1)) * (UINT64_MAX / PS_IDS_OF_PAGE + 1);
}

static inline ps_ids_page **ps_ids_near_of(const ps_ids *ids, uint64_t key)
{
        return &ids->near[key * UINT64_C(0x9e3779b97f4a7c15) >> ids->near_shift];
}

static inline uint32_t *ps_ids_row(ps_ids_page *page, uint64_t id)
{
        return &page->row[id % PS_IDS_OF_PAGE];
}

/* Where an id stands that means something, until the next one is given or removed; or NULL. */
__attribute__((always_inline)) static inline ps_ids_page *ps_ids_find_near(const ps_ids *ids, uint32_t space,
                                                                           uint64_t id)
{
        const uint64_t key = ps_ids_key(space, id);
        ps_ids_page *page = *ps_ids_near_of(ids, key);
        return page->key == key && *ps_ids_row(page, id) != PS_NONE ? page : NULL;
}

static inline ps_ids_page *ps_ids_find(const ps_ids *ids, uint32_t space, uint64_t id)
{
        ps_ids_page *page = ps_ids_find_near(ids, space, id);
        if (page || !ids->n_far)
                return page;
        page = ps_ids_find_far(ids, ps_ids_key(space, id));
        return page && *ps_ids_row(page, id) != PS_NONE ? page : NULL;
}

/* Gives an id that means nothing so far a meaning, at a glance; false, and nothing has changed, where that
 * does not do. */
static inline bool ps_ids_give_new_near(ps_ids *ids, uint32_t space, uint64_t id, uint32_t row)
{
        const uint64_t key = ps_ids_key(space, id);
        ps_ids_page *page = *ps_ids_near_of(ids, key);
        if ((page->key != key && (page->n | ids->n_far)) || *ps_ids_row(page, id) != PS_NONE)
                return false;
        page->key = key;
        page->n++;
        *ps_ids_row(page, id) = row;
        return true;
}

/* False when it means something already, or there is no memory. */
static inline bool ps_ids_give_new(ps_ids *ids, uint32_t space, uint64_t id, uint32_t row)
{
        return ps_ids_give_new_near(ids, space, id, row) || ps_ids_give_new_far(ids, space, id, row);
}

/* The id, which was found there, means nothing any more. */
static inline void ps_ids_remove_near(ps_ids_page *page, uint64_t id)
{
        *ps_ids_row(page, id) = PS_NONE;
        page->n--;
}

static inline void ps_ids_remove(ps_ids *ids, ps_ids_page *page, uint64_t id)
{
        ps_ids_remove_near(page, id);
        if (!page->n)
                ps_ids_leave(ids, page);
}

/* For a walk over all: the one at or after place *at, which is left behind it; false: there are no more. */
bool ps_ids_next(const ps_ids *ids, uint64_t *at, ps_id *out);

#endif
