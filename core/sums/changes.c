/* changes.c - see changes.h. */
#include "core/sums/changes.h"

#include "core/base/heap.h"

#include <stdlib.h>

static inline bool is_earlier_change(const ps_later_change *a, const ps_later_change *b)
{
        return a->time < b->time;
}

PS_HEAP(changes, ps_later_change, is_earlier_change)

void ps_changes_free(ps_changes *c)
{
        ps_moments_free(&c->order);
        free(c->row);
        free(c->later);
}

static unsigned bits_of(uint64_t number)
{
        return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* A region of waiting changes no more than an operation does, and there is at least one. */
ps_time ps_changes_longest(const ps_changes *c, uint64_t n_operations)
{
        uint64_t n = PS_CHANGES_ROOM * (n_operations + c->n_later);
        return (ps_time)1 << (PS_CHANGE_TIME_BITS - bits_of(n));
}

int ps_changes_grow(ps_changes *c)
{
        uint32_t needed = c->n + PS_CHANGES_ROOM;
        if (needed > c->cap && ps_memory_grow(&c->row, &c->cap, needed, sizeof(*c->row)))
                return -1;
        c->room = c->cap;
        return ps_moments_room(&c->order, c->room);
}

int ps_changes_receive(ps_changes *c, ps_time time, ps_told_change received)
{
        if (time < c->window.end) {
                ps_changes_add_told(c, time, PS_CHANGE_RECEIVES, received);
                return 0;
        }
        if (PS_ROOM(c->later, c->n_later, c->cap_later))
                return -1;
        changes_rise(c->later, c->n_later++, (ps_later_change){time, received});
        return 0;
}

int ps_changes_open(ps_changes *c, ps_time end, ps_time apart)
{
        c->window = (ps_span){c->window.end, end};
        c->bits = 63 - bits_of((uint64_t)(end - c->window.begin));
        c->apart = (uint64_t)apart << PS_CHANGE_BITS;
        c->last = UINT64_MAX / 2 + 1;    /* none */
        c->n = c->order.n = c->room = 0; /* sorting has changed how much there is */
        while (c->n_later && c->later->time < end) {
                if (ps_changes_room(c) || ps_changes_receive(c, c->later->time, c->later->received))
                        return -1;
                c->n_later--;
                changes_sink(c->later, c->n_later, 0, c->later[c->n_later]);
        }
        return 0;
}

int ps_changes_sort(ps_changes *c)
{
        uint64_t length = (uint64_t)(c->window.end - c->window.begin);
        if ((uint64_t)c->n >> c->bits) /* far more than whoever chose the window thought */
                return -1;
        if (ps_changes_room(c) || ps_moments_sort(&c->order, (length << (c->bits + 1)) - 1))
                return -1;
        c->row[c->n] = PS_CHANGE_NONE;
        return ps_moments_add(&c->order, c->n) ? -1 : (c->order.n--, 0);
}
