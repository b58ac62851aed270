/* ready.h - texts that many rows of a table have in common, ready to be copied: of findings, all that their
 * call path tells. */
#ifndef PS_REPORT_PRINT_READY_H
#define PS_REPORT_PRINT_READY_H

#include "report/print/output.h"

#include <stdint.h>

/* Of each sort of them, known by a number: a row has one text of each sort. */
enum { PS_READY_SORTS = 8 };

typedef struct ps_ready_text {
        uint64_t key;
        uint32_t at, n; /* n: 0: the slot is free */
} ps_ready_text;

/* {0} holds nothing, and keeps nothing. */
typedef struct ps_ready {
        struct ps_ready_sort {
                ps_ready_text *slot;
                uint32_t bits, n;
        } sort[PS_READY_SORTS];
        const void *of; /* whose rows they are */
        char *text;
        size_t n_bytes, size;
} ps_ready;

/* Makes room for texts of n rows `of` something, or for some of them; without memory nothing is kept. */
void ps_ready_open(ps_ready *ready, const void *of, size_t n);
void ps_ready_free(ps_ready *ready);

static inline ps_ready_text *ps_ready_first(const struct ps_ready_sort *sort, uint64_t key)
{
        return &sort->slot[(key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - sort->bits)];
}

/* The slot of that text, or the free one where it belongs. */
static inline ps_ready_text *ps_ready_slot(const struct ps_ready_sort *sort, uint64_t key)
{
        ps_ready_text *at = ps_ready_first(sort, key);
        while (at->n && at->key != key)
                at = at + 1 < sort->slot + ((size_t)1 << sort->bits) ? at + 1 : sort->slot;
        return at;
}

/* Writes the text that was kept under this number; false: there is none. */
static inline bool ps_ready_put(const ps_ready *ready, ps_output *out, unsigned sort, uint64_t key)
{
        if (!ready->text)
                return false;
        const ps_ready_text *found = ps_ready_slot(&ready->sort[sort], key);
        ps_output_write(out, ready->text + found->at, found->n);
        return found->n;
}

/* Are there so many that they will be fetched when they are wanted soon? */
static inline bool ps_ready_is_large(const ps_ready *ready, unsigned sort)
{
        enum { LARGE = 256 };
        return ready->sort[sort].n >= LARGE;
}

/* It will be asked for soon: where it is kept is fetched, and later it itself. */
static inline void ps_ready_fetch(const ps_ready *ready, unsigned sort, uint64_t key)
{
        __builtin_prefetch(ps_ready_first(&ready->sort[sort], key));
}

static inline void ps_ready_fetch_text(const ps_ready *ready, unsigned sort, uint64_t key)
{
        enum { LINE = 64 };
        const ps_ready_text *found = ps_ready_slot(&ready->sort[sort], key);
        for (uint32_t at = 0; at < found->n; at += LINE)
                __builtin_prefetch(ready->text + found->at + at);
}

/* Keeps one that is not there yet, as long as there is room. */
void ps_ready_keep(ps_ready *ready, unsigned sort, uint64_t key, const char *text, size_t n);

#endif
