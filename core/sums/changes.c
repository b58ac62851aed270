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
        free(c->told);
        free(c->later);
}

static unsigned bits_of(uint64_t number)
{
        return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* A region of waiting changes no more than an operation does. */
ps_time ps_changes_longest(const ps_changes *c, uint64_t n_operations)
{
        uint64_t n = PS_CHANGES_ROOM * n_operations + c->n_later;
        return (ps_time)1 << (PS_CHANGE_BITS - 1 - bits_of(n));
}

int ps_changes_grow(ps_changes *c)
{
        ps_moments *o = &c->order;
        uint32_t needed = o->n + PS_CHANGES_ROOM;
        if (needed > c->cap && ps_memory_grow(&c->told, &c->cap, needed, sizeof(*c->told)))
                return -1;
        if (needed > o->cap && ps_memory_grow(&o->row, &o->cap, needed, sizeof(*o->row)))
                return -1;
        c->room = c->cap < o->cap ? c->cap : o->cap;
        return 0;
}

int ps_changes_receive(ps_changes *c, ps_time time, ps_told_change received)
{
        if (time < c->window.end) {
                *ps_changes_next(c) = received;
                ps_changes_add(c, time, 0);
                return 0;
        }
        if (PS_ROOM(c->later, c->n_later, c->cap_later))
                return -1;
        changes_rise(c->later, c->n_later++, (ps_later_change){time, received});
        return 0;
}

int ps_changes_open(ps_changes *c, ps_time end)
{
        c->window = (ps_span){c->window.end, end};
        c->bits = 64 - bits_of((uint64_t)(end - c->window.begin));
        c->sent = UINT64_C(1) << (c->bits - 1);
        c->order.n = c->room = 0; /* sorting has changed how much there is */
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
        return ps_moments_sort(&c->order, (length << c->bits) - 1) || ps_moments_add(&c->order, UINT64_MAX)
                       ? -1
                       : (c->order.n--, 0);
}
