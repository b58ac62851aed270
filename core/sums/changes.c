/* changes.c - see changes.h.
 *
 * Those of a window are sorted by radix, as numbers that hold the time and the row: that takes the same work
 * however many locations there are and however they crowd. */
#include "core/sums/changes.h"

#include "core/base/heap.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS };

static inline bool is_earlier_change(const ps_change *a, const ps_change *b)
{
        return a->time < b->time || (a->time == b->time && a->kind < b->kind);
}

PS_HEAP(changes, ps_change, is_earlier_change)

static int by_moment(const void *a, const void *b)
{
        return is_earlier_change(b, a) - is_earlier_change(a, b);
}

void ps_changes_free(ps_changes *c)
{
        free(c->row);
        free(c->later);
        free(c->order);
        free(c->spare);
}

int ps_changes_add_later(ps_changes *c, ps_change change)
{
        if (PS_ROOM(c->later, c->n_later, c->cap_later))
                return -1;
        changes_rise(c->later, c->n_later++, change);
        return 0;
}

int ps_changes_open(ps_changes *c, ps_time end)
{
        c->window = (ps_span){c->window.end, end};
        c->n = 0;
        while (c->n_later && c->later->time < end) {
                if (PS_APPEND(c->row, c->n, c->cap, *c->later))
                        return -1;
                c->n_later--;
                changes_sink(c->later, c->n_later, 0, c->later[c->n_later]);
        }
        return 0;
}

static int make_room(void *rows, uint32_t *cap, uint32_t n, size_t size)
{
        while (*cap < n)
                if (ps_memory_grow(rows, cap, n, size))
                        return -1;
        return 0;
}

static void sort_by_digit(const uint64_t *from, uint64_t *to, uint32_t n, unsigned shift)
{
        uint32_t place[DIGITS] = {0}, sum = 0;
        for (uint32_t i = 0; i < n; i++)
                place[from[i] >> shift & (DIGITS - 1)]++;
        for (uint32_t digit = 0; digit < DIGITS; digit++) {
                uint32_t count = place[digit];
                place[digit] = sum;
                sum += count;
        }
        for (uint32_t i = 0; i < n; i++)
                to[place[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* What they have in the bits below `shift` is in order. */
static void sort_numbers(ps_changes *c, uint64_t most, unsigned shift)
{
        for (; shift < 64 && most >> shift; shift += DIGIT_BITS) {
                sort_by_digit(c->order, c->spare, c->n, shift);
                uint64_t *sorted = c->spare;
                c->spare = c->order;
                c->order = sorted;
        }
}

/* A number for each: its time in the window, what comes first of one moment, its row. */
int ps_changes_sort(ps_changes *c)
{
        uint64_t length = (uint64_t)(c->window.end - c->window.begin);
        unsigned bits = 1;

        while (c->n >> bits)
                bits++;
        c->row_bits = (UINT64_C(1) << bits) - 1;
        if (make_room(&c->order, &c->n_order, c->n, sizeof(*c->order)) ||
            make_room(&c->spare, &c->n_spare, c->n, sizeof(*c->spare)))
                return -1;
        bool is_long = length >> (63 - bits); /* so that there is no such number */
        if (is_long)
                qsort(c->row, c->n, sizeof(*c->row), by_moment);
        for (uint32_t i = 0; i < c->n; i++) {
                uint64_t time = is_long ? 0 : (uint64_t)(c->row[i].time - c->window.begin);
                c->order[i] = time << (bits + 1) | (uint64_t)(c->row[i].kind > 0) << bits | i;
        }
        if (c->n > 1 && !is_long)
                sort_numbers(c, length << (bits + 1), bits);
        return 0;
}
