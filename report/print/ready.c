/* ready.c - see ready.h. */
#include "report/print/ready.h"

#include "core/base/hash.h"

#include <stdlib.h>

/* At most half of the slots are taken. Of a row there are so many bytes of text, or less: their pages are the
 * system's until something is in them. */
enum { SLOTS_FEWEST = 256, SLOTS_MOST = 1 << 18, BYTES_A_ROW = 256, BYTES_MOST = 16 << 20 };

struct ps_ready_text {
        const void *of; /* NULL: the slot is free */
        uint64_t key;
        uint32_t at, n;
};

void ps_ready_open(ps_ready *ready, size_t n)
{
        const size_t size = n < BYTES_MOST / BYTES_A_ROW ? n * BYTES_A_ROW : BYTES_MOST;
        *ready = (ps_ready){.slot = calloc(SLOTS_FEWEST, sizeof(*ready->slot)),
                            .text = malloc(size),
                            .n_slots = SLOTS_FEWEST,
                            .size = size};
        if (!ready->slot || !ready->text)
                ps_ready_free(ready);
}

void ps_ready_free(ps_ready *ready)
{
        free(ready->slot);
        free(ready->text);
        *ready = (ps_ready){0};
}

static inline size_t first_slot(const ps_ready *ready, const void *of, uint64_t key)
{
        return ps_hash_mix((uintptr_t)of + key * UINT64_C(0x9e3779b97f4a7c15)) & (ready->n_slots - 1);
}

/* The slot of that text, or the free one where it belongs. */
static struct ps_ready_text *find(const ps_ready *ready, const void *of, uint64_t key)
{
        const size_t mask = ready->n_slots - 1;
        size_t i = first_slot(ready, of, key);
        while (ready->slot[i].of && (ready->slot[i].of != of || ready->slot[i].key != key))
                i = (i + 1) & mask;
        return &ready->slot[i];
}

/* Where there is no memory for more slots, no more is kept. */
static void grow(ps_ready *ready)
{
        ps_ready larger = *ready;
        larger.n_slots *= 4;
        larger.slot = larger.n_slots <= SLOTS_MOST ? calloc(larger.n_slots, sizeof(*larger.slot)) : NULL;
        if (!larger.slot)
                return;
        for (size_t i = 0; i < ready->n_slots; i++)
                if (ready->slot[i].of)
                        *find(&larger, ready->slot[i].of, ready->slot[i].key) = ready->slot[i];
        free(ready->slot);
        *ready = larger;
}

bool ps_ready_put(const ps_ready *ready, ps_output *out, const void *of, uint64_t key)
{
        const struct ps_ready_text *found = ready->slot ? find(ready, of, key) : NULL;
        if (!found || !found->of)
                return false;
        ps_output_write(out, ready->text + found->at, found->n);
        return true;
}

void ps_ready_fetch(const ps_ready *ready, const void *of, uint64_t key)
{
        if (ready->slot)
                __builtin_prefetch(&ready->slot[first_slot(ready, of, key)]);
}

void ps_ready_fetch_text(const ps_ready *ready, const void *of, uint64_t key)
{
        enum { LINE = 64 };
        const struct ps_ready_text *found = ready->slot ? find(ready, of, key) : NULL;
        for (uint32_t at = 0; found && found->of && at < found->n; at += LINE)
                __builtin_prefetch(ready->text + found->at + at);
}

void ps_ready_keep(ps_ready *ready, const void *of, uint64_t key, const char *text, size_t n)
{
        if (ready->n_texts == ready->n_slots / 2)
                grow(ready);
        if (!ready->slot || ready->n_texts == ready->n_slots / 2 || n > ready->size - ready->n_bytes)
                return;
        *find(ready, of, key) = (struct ps_ready_text){of, key, (uint32_t)ready->n_bytes, (uint32_t)n};
        memcpy(ready->text + ready->n_bytes, text, n);
        ready->n_bytes += n;
        ready->n_texts++;
}
