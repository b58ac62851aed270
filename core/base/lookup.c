/* lookup.c - at most half of the slots are taken. */
#include "core/base/lookup.h"

#include "core/base/memory.h"

#include <stdlib.h>

int ps_lookup_grow(ps_lookup *table, uint32_t n, uint64_t (*hash_of)(const void *rows, uint32_t row),
                   const void *rows)
{
        uint64_t n_slots = table->n_slots ? 2 * (uint64_t)table->n_slots : 64;
        while (n >= n_slots / 2)
                n_slots *= 2;
        uint32_t *slot = n_slots <= UINT32_MAX ? ps_memory_zeroed(n_slots, sizeof(*slot)) : NULL;
        if (!slot)
                return -1;
        free(table->slot);
        *table = (ps_lookup){slot, (uint32_t)n_slots};
        for (uint32_t row = 0; row < n; row++) {
                uint32_t i = (uint32_t)hash_of(rows, row) & (table->n_slots - 1);
                while (slot[i])
                        i = (i + 1) & (table->n_slots - 1);
                slot[i] = row + 1;
        }
        return 0;
}

void ps_lookup_free(ps_lookup *table)
{
        free(table->slot);
        *table = (ps_lookup){0};
}
