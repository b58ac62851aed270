/* ids.c - pages by a multiplication, which spreads those that follow each other as evenly as it can; the
 * others by open addressing with linear probing. A page that is empty closes its gap there, so that a program
 * that starts and completes a request a million times does not slow down. */
#include "core/base/ids.h"

#include "core/base/hash.h"
#include "core/base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct ps_ids_chunk {
        struct ps_ids_chunk *before;
        uint32_t n, used;
        ps_ids_page page[];
};

enum { MOST_NEAR_BITS = 20, GROWTH_BITS = 2, FAR_OF_NEAR = 8, FIRST_PAGES = 8 };

/* Where no page has been yet: of no ids, and nobody may take it. */
static ps_ids_page nobody = {.key = UINT64_MAX, .n = 1};
#define FOUR_NOBODIES &nobody, &nobody, &nobody, &nobody
ps_ids_page *ps_ids_nowhere[] = {FOUR_NOBODIES, FOUR_NOBODIES};

/* -- pages -- */

static int add_chunk(ps_ids *ids)
{
        enum { MOST_PAGES = (PS_LARGE_PAGE - sizeof(struct ps_ids_chunk)) / sizeof(ps_ids_page) };
        const uint32_t more = ids->chunk ? 2 * ids->chunk->n : FIRST_PAGES,
                       n = more < MOST_PAGES ? more : MOST_PAGES;
        struct ps_ids_chunk *chunk =
                ps_memory_new(n == MOST_PAGES ? PS_LARGE_PAGE : sizeof(*chunk) + n * sizeof(*chunk->page));
        if (!chunk)
                return -1;
        chunk->before = ids->chunk;
        chunk->n = n;
        chunk->used = 0;
        ids->chunk = chunk;
        return 0;
}

/* An empty one; NULL without memory. */
static ps_ids_page *take_page(ps_ids *ids, uint64_t key)
{
        ps_ids_page *page = ids->unused;
        if (page) {
                ids->unused = page->next;
        } else {
                if ((!ids->chunk || ids->chunk->used == ids->chunk->n) && add_chunk(ids) < 0)
                        return NULL;
                page = &ids->chunk->page[ids->chunk->used++];
                memset(page->row, 0xff, sizeof(page->row));
                page->n = 0;
        }
        page->key = key;
        return page;
}

static void give_page(ps_ids *ids, ps_ids_page *page)
{
        if (page == &nobody)
                return;
        page->next = ids->unused;
        ids->unused = page;
}

static void free_near(ps_ids_page **near)
{
        if (near != ps_ids_nowhere)
                free(near);
}

void ps_ids_free(ps_ids *ids)
{
        for (struct ps_ids_chunk *chunk = ids->chunk, *before; chunk; chunk = before) {
                before = chunk->before;
                free(chunk);
        }
        free_near(ids->near);
        free(ids->slot);
        *ids = PS_IDS_EMPTY;
}

/* -- the table -- */

static uint32_t home_of(const ps_ids *ids, uint64_t key)
{
        return (uint32_t)ps_hash_mix(key ^ ids->seed) & (ids->n_slots - 1);
}

/* The slot of the page with this key, or the free one where it belongs. */
static ps_ids_page **find_slot(const ps_ids *ids, uint64_t key)
{
        const uint32_t mask = ids->n_slots - 1;
        uint32_t i = home_of(ids, key);
        while (ids->slot[i] && ids->slot[i]->key != key)
                i = (i + 1) & mask;
        return &ids->slot[i];
}

/* Room for one more; a first one where there is none yet. */
static int grow_slots(ps_ids *ids)
{
        if (ids->n_far < ids->n_slots / 2)
                return 0;
        ps_ids more = *ids;
        more.n_slots = ids->n_slots ? ids->n_slots * 2 : 64;
        more.slot = more.n_slots ? ps_memory_zeroed(more.n_slots, sizeof(ps_ids_page *)) : NULL;
        if (!more.slot)
                return -1;
        if (!more.seed)
                more.seed = ps_hash_mix((uint64_t)(uintptr_t)more.slot); /* where it lies, nobody can know */
        for (uint32_t k = 0; k < ids->n_slots; k++)
                if (ids->slot[k])
                        *find_slot(&more, ids->slot[k]->key) = ids->slot[k];
        free(ids->slot);
        *ids = more;
        return 0;
}

ps_ids_page *ps_ids_find_far(const ps_ids *ids, uint64_t key)
{
        return ids->n_far ? *find_slot(ids, key) : NULL;
}

static void close_gap(ps_ids *ids, uint32_t hole)
{
        const uint32_t mask = ids->n_slots - 1;
        for (uint32_t i = (hole + 1) & mask; ids->slot[i]; i = (i + 1) & mask) {
                uint32_t home = home_of(ids, ids->slot[i]->key);
                if (((i - home) & mask) >= ((i - hole) & mask)) {
                        ids->slot[hole] = ids->slot[i];
                        hole = i;
                }
        }
        ids->slot[hole] = NULL;
        ids->n_far--;
}

void ps_ids_leave(ps_ids *ids, ps_ids_page *page)
{
        if (*ps_ids_near_of(ids, page->key) == page)
                return;
        close_gap(ids, (uint32_t)(find_slot(ids, page->key) - ids->slot));
        give_page(ids, page);
}

/* -- places near -- */

static int make_near(ps_ids *ids, uint32_t bits)
{
        ps_ids_page **near = ps_memory_new(sizeof(ps_ids_page *) << bits);
        if (!near)
                return -1;
        for (size_t i = 0; i < (size_t)1 << bits; i++)
                near[i] = &nobody;
        ids->near = near;
        ids->near_shift = 64 - bits;
        return 0;
}

static uint32_t count_near(const ps_ids *ids)
{
        return UINT32_C(1) << (64 - ids->near_shift);
}

/* Those in different places stay so where there are more. */
static void spread_near(ps_ids *ids, ps_ids_page *const *before, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++)
                if (before[i]->n && before[i] != &nobody)
                        *ps_ids_near_of(ids, before[i]->key) = before[i];
                else
                        give_page(ids, before[i]);
}

/* Those of the table whose places nobody has taken. */
static void bring_near(ps_ids *ids)
{
        for (uint32_t k = 0; k < ids->n_slots; k++)
                for (ps_ids_page *page; (page = ids->slot[k]);) {
                        ps_ids_page **place = ps_ids_near_of(ids, page->key);
                        if (*place != &nobody)
                                break;
                        *place = page;
                        close_gap(ids, k);
                }
}

/* Places near become more where many pages have none. Without memory all stays as it is. */
static void grow_near(ps_ids *ids)
{
        const uint32_t n = count_near(ids), bits = 64 - ids->near_shift;
        ps_ids_page **before = ids->near;
        if (bits >= MOST_NEAR_BITS || ids->n_far < n / FAR_OF_NEAR || make_near(ids, bits + GROWTH_BITS) < 0)
                return;
        spread_near(ids, before, n);
        bring_near(ids);
        free_near(before);
}

/* A page takes its place near; who was there goes to the table. */
static void put_near(ps_ids *ids, ps_ids_page *page)
{
        ps_ids_page **place = ps_ids_near_of(ids, page->key), *there = *place;
        *place = page;
        if (there == &nobody || !there->n) {
                give_page(ids, there);
                return;
        }
        *find_slot(ids, there->key) = there;
        ids->n_far++;
}

/* The page with this key, or an empty one that has it from now on; NULL without memory. */
static ps_ids_page *page_for(ps_ids *ids, uint64_t key)
{
        if (ids->near == ps_ids_nowhere && make_near(ids, PS_IDS_FEWEST_BITS) < 0)
                return NULL;
        ps_ids_page *page = *ps_ids_near_of(ids, key);
        if (page->key == key || (page = ps_ids_find_far(ids, key)))
                return page;
        grow_near(ids);
        page = grow_slots(ids) == 0 ? take_page(ids, key) : NULL;
        if (page)
                put_near(ids, page);
        __builtin_prefetch(ps_ids_near_of(ids, key + 1)); /* that of the next one is anywhere */
        return page;
}

/* -- ids -- */

uint32_t *ps_ids_at(ps_ids *ids, uint32_t space, uint64_t id)
{
        assert(space > 0 && space <= PS_IDS_MOST_SPACES);
        ps_ids_page *page = page_for(ids, ps_ids_key(space, id));
        if (!page)
                return NULL;
        page->n += *ps_ids_row(page, id) == PS_NONE;
        return ps_ids_row(page, id);
}

bool ps_ids_give_new_far(ps_ids *ids, uint32_t space, uint64_t id, uint32_t row)
{
        uint32_t *new = ps_ids_find(ids, space, id) ? NULL : ps_ids_at(ids, space, id);
        if (new)
                *new = row;
        return new;
}

uint32_t ps_ids_get(const ps_ids *ids, uint32_t space, uint64_t id)
{
        ps_ids_page *found = ps_ids_find(ids, space, id);
        return found ? *ps_ids_row(found, id) : PS_NONE;
}

uint32_t ps_ids_drop(ps_ids *ids, uint32_t space, uint64_t id)
{
        ps_ids_page *found = ps_ids_find(ids, space, id);
        uint32_t row = found ? *ps_ids_row(found, id) : PS_NONE;
        if (found)
                ps_ids_remove(ids, found, id);
        return row;
}

bool ps_ids_next(const ps_ids *ids, uint64_t *at, ps_id *out)
{
        const uint64_t n_near = count_near(ids), n = n_near + ids->n_slots;
        for (uint64_t k = *at / PS_IDS_OF_PAGE; k < n; k++, *at = k * PS_IDS_OF_PAGE) {
                const ps_ids_page *page = k < n_near ? ids->near[k] : ids->slot[k - n_near];
                if (!page || page == &nobody || !page->n)
                        continue;
                for (uint32_t i = *at % PS_IDS_OF_PAGE; i < PS_IDS_OF_PAGE; i++)
                        if (page->row[i] != PS_NONE) {
                                const uint64_t spaces = UINT64_MAX / PS_IDS_OF_PAGE + 1;
                                *out = (ps_id){page->key % spaces * PS_IDS_OF_PAGE + i, page->row[i],
                                               (uint32_t)(page->key / spaces) + 1};
                                *at = k * PS_IDS_OF_PAGE + i + 1;
                                return true;
                        }
        }
        return false;
}
