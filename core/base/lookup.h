/* lookup.h - finding a row of somebody's array by what is in it: open addressing with linear probing.
 *
 * The table holds nothing but numbers of rows; what makes two rows equal, and their hash, is said by who
 * keeps them. Rows are never taken out (core/base/ids does that), and `ps_lookup_find` is inline, so that
 * asking whether a row is the one costs no call. */
#ifndef PS_CORE_BASE_LOOKUP_H
#define PS_CORE_BASE_LOOKUP_H

#include "core/base/types.h"

#include <assert.h>

/* {0} is an empty table. */
typedef struct ps_lookup {
        uint32_t *slot;   /* row + 1; 0 is free */
        uint32_t n_slots; /* a power of two, or 0 */
} ps_lookup;

/* For ps_lookup_room: of a table that is half full. */
int ps_lookup_grow(ps_lookup *table, uint32_t n, uint64_t (*hash_of)(const void *rows, uint32_t row),
                   const void *rows);

/* Makes room for one more row than the `n` that are in it, 0 to n - 1; `hash_of` is asked for the hashes of
 * these when they get new slots. 0; or -1, and all stays as it is, when there is no memory. */
static inline int ps_lookup_room(ps_lookup *table, uint32_t n,
                                 uint64_t (*hash_of)(const void *rows, uint32_t row), const void *rows)
{
        return n < table->n_slots / 2 ? 0 : ps_lookup_grow(table, n, hash_of, rows);
}

/* Of an empty table: room for n rows and one, which it has at once. 0, or -1 as above. */
int ps_lookup_reserve(ps_lookup *table, uint32_t n);

void ps_lookup_free(ps_lookup *table);

/* The slot of the row that is like `key`, or the free one where such a row belongs. There must have been room
 * once.
 */
static inline uint32_t *ps_lookup_find(const ps_lookup *table, uint64_t hash,
                                       bool (*is_like)(const void *key, const void *rows, uint32_t row),
                                       const void *key, const void *rows)
{
        assert(table->n_slots > 0);
        uint32_t mask = table->n_slots - 1, i = (uint32_t)hash & mask;
        while (table->slot[i] && !is_like(key, rows, table->slot[i] - 1))
                i = (i + 1) & mask;
        return &table->slot[i];
}

#endif
