/* ready.c - see ready.h. */
#include "report/print/ready.h"

#include <stdlib.h>

/* At most half of the slots are taken. Of a row there are so many bytes of text, or less: their pages are the
 * system's until something is in them. */
enum { BITS_FEWEST = 6, BITS_MORE = 2, BITS_MOST = 18, BYTES_A_ROW = 256, BYTES_MOST = 16 << 20 };

void ps_ready_open(ps_ready *ready, const void *of, size_t n)
{
        const size_t size = n < BYTES_MOST / BYTES_A_ROW ? n * BYTES_A_ROW : BYTES_MOST;
        *ready = (ps_ready){.of = of, .text = malloc(size), .size = size};
        bool has_memory = ready->text;
        for (unsigned i = 0; i < PS_READY_SORTS; i++) {
                struct ps_ready_sort *sort = &ready->sort[i];
                sort->bits = BITS_FEWEST;
                sort->slot = calloc((size_t)1 << BITS_FEWEST, sizeof(*sort->slot));
                has_memory = has_memory && sort->slot;
        }
        if (!has_memory)
                ps_ready_free(ready);
}

void ps_ready_free(ps_ready *ready)
{
        for (unsigned i = 0; i < PS_READY_SORTS; i++)
                free(ready->sort[i].slot);
        free(ready->text);
        *ready = (ps_ready){0};
}

static bool is_full(const struct ps_ready_sort *sort)
{
        return sort->n >= (size_t)1 << (sort->bits - 1);
}

/* Where there is no memory for more slots, no more is kept. */
static void grow(struct ps_ready_sort *sort)
{
        const size_t n = (size_t)1 << sort->bits;
        struct ps_ready_sort larger = {NULL, sort->bits + BITS_MORE, sort->n};
        larger.slot = larger.bits <= BITS_MOST ? calloc(n << BITS_MORE, sizeof(*larger.slot)) : NULL;
        if (!larger.slot)
                return;
        for (size_t i = 0; i < n; i++)
                if (sort->slot[i].n)
                        *ps_ready_slot(&larger, sort->slot[i].key) = sort->slot[i];
        free(sort->slot);
        *sort = larger;
}

void ps_ready_keep(ps_ready *ready, unsigned sort, uint64_t key, const char *text, size_t n)
{
        struct ps_ready_sort *of = &ready->sort[sort];
        if (!ready->text || n > ready->size - ready->n_bytes)
                return;
        if (is_full(of))
                grow(of);
        if (is_full(of))
                return;
        *ps_ready_slot(of, key) = (ps_ready_text){key, (uint32_t)ready->n_bytes, (uint32_t)n};
        memcpy(ready->text + ready->n_bytes, text, n);
        ready->n_bytes += n;
        of->n++;
}
