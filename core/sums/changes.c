/* changes.c - see changes.h. */
#include "core/sums/changes.h"

#include "core/base/heap.h"
#include "core/base/vector.h"

#include <stdlib.h>

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
        ps_moments_free(&c->order);
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

/* A number for each: its time in the window, what comes first of one moment, its row. */
int ps_changes_sort(ps_changes *c)
{
        uint64_t length = (uint64_t)(c->window.end - c->window.begin);
        unsigned bits = 1;

        while (c->n >> bits)
                bits++;
        c->row_bits = (UINT64_C(1) << bits) - 1;
        bool is_long = length >> (63 - bits); /* so that there is no such number */
        if (is_long)
                qsort(c->row, c->n, sizeof(*c->row), by_moment);
        c->order.n = 0;
        for (uint32_t i = 0; i < c->n; i++) {
                uint64_t time = is_long ? 0 : (uint64_t)(c->row[i].time - c->window.begin);
                if (ps_moments_add(&c->order, time << (bits + 1) | (uint64_t)c->row[i].kind << bits | i))
                        return -1;
        }
        return is_long ? 0 : ps_moments_sort(&c->order, (length << (bits + 1)) - 1);
}
