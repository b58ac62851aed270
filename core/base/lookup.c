/* lookup.c - at most half of the slots are taken. */
#include "core/base/lookup.h"

#include "core/base/memory.h"

#include <stdlib.h>

enum { FEWEST_SLOTS = 64 };

/* At least so many slots, and room for one more row than n: all of them free. */
static int make_slots(ps_lookup *table, uint64_t n_slots, uint32_t n)
{
        while (n >= n_slots / 2)
                n_slots *= 2;
        uint32_t *slot = n_slots <= UINT32_MAX ? ps_memory_zeroed(n_slots, sizeof(*slot)) : NULL;
        if (!slot)
                return -1;
        free(table->slot);
        *table = (ps_lookup){slot, (uint32_t)n_slots};
        return 0;
}

int ps_lookup_reserve(ps_lookup *table, uint32_t n)
{
        return make_slots(table, FEWEST_SLOTS, n);
}

int ps_lookup_grow(ps_lookup *table, uint32_t n, uint64_t (*hash_of)(const void *rows, uint32_t row),
                   const void *rows)
{
        if (make_slots(table, table->n_slots ? 2 * (uint64_t)table->n_slots : FEWEST_SLOTS, n))
                return -1;
        for (uint32_t row = 0; row < n; row++) {
                uint32_t i = (uint32_t)hash_of(rows, row) & (table->n_slots - 1);
                while (table->slot[i])
                        i = (i + 1) & (table->n_slots - 1);
                table->slot[i] = row + 1;
        }
        return 0;
}

void ps_lookup_free(ps_lookup *table)
{
        free(table->slot);
        *table = (ps_lookup){0};
}
