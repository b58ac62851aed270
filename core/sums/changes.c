/* changes.c - see changes.h. */
#include "core/sums/changes.h"

#include "core/base/heap.h"

#include <stdlib.h>

static inline bool is_earlier_change(const ps_later_change *a, const ps_later_change *b)
{
        return a->time < b->time;
}

PS_HEAP(changes, ps_later_change, is_earlier_change)

/* Where much changes it is so much nearer together than on average, at least. */
enum { CROWDING = 4 };

void ps_changes_free(ps_changes *c)
{
        ps_moments_free(&c->order);
        free(c->told);
        free(c->message);
        free(c->later);
}

/* Of a number in a window so long: its time is less than that. */
static unsigned bits_below_time(ps_time length)
{
        return length > 0 ? (unsigned)__builtin_clzll((uint64_t)length) : 63;
}

/* Their numbers are below the bit that says that a message begins. */
static uint64_t room_for(ps_time length)
{
        unsigned bits = bits_below_time(length);
        return bits > PS_CHANGE_BITS ? UINT64_C(1) << (bits - 1 - PS_CHANGE_BITS) : 0;
}

/* A region of waiting changes no more than an operation does. */
uint64_t ps_changes_most(ps_time length)
{
        return room_for(length) / PS_CHANGES_ROOM;
}

int ps_changes_grow(ps_changes *c, uint32_t n)
{
        uint64_t needed = (uint64_t)c->order.n + n;
        if (needed > UINT32_MAX)
                return -1;
        while (c->cap < needed)
                if (ps_memory_grow(&c->told, &c->cap, (uint32_t)needed, sizeof(*c->told)))
                        return -1;
        c->room = c->cap;
        return ps_moments_room(&c->order, c->room);
}

int ps_changes_receive(ps_changes *c, ps_time time, ps_told_change received)
{
        if (time < c->window.end) {
                ps_changes_end(c, time, received);
                return 0;
        }
        if (PS_ROOM(c->later, c->n_later, c->cap_later))
                return -1;
        changes_rise(c->later, c->n_later++, (ps_later_change){time, received});
        return 0;
}

ps_later_change ps_changes_take_later(ps_changes *c)
{
        const ps_later_change first = *c->later;
        c->n_later--;
        changes_sink(c->later, c->n_later, 0, c->later[c->n_later]);
        return first;
}

/* Room for what so many operations mostly change, none of which has been added: nothing is copied. */
static int make_room(ps_changes *c, uint32_t operations)
{
        const uint32_t usual = operations < UINT32_MAX / 4 ? operations / 2 * 5 + PS_CHANGES_ROOM : 0;
        if (c->cap < usual) {
                free(c->told);
                c->told = NULL;
                c->cap = 0;
                ps_moments_free(&c->order);
                c->order = (ps_moments){0};
        }
        return ps_changes_grow(c, usual);
}

int ps_changes_open(ps_changes *c, ps_time end)
{
        c->window = (ps_span){c->window.end, end};
        c->bits = bits_below_time(end - c->window.begin);
        const ps_time apart = (end - c->window.begin) / ((ps_time)c->expected + 1), brief = apart / CROWDING;
        c->brief = brief < UINT32_MAX ? (uint32_t)brief : UINT32_MAX;
        c->first = 0 - ((uint64_t)c->window.begin << c->bits);
        c->order.n = 0;
        if (make_room(c, c->expected) || ps_changes_room(c))
                return -1;
        while (c->n_later && c->later->time < end) {
                if (ps_changes_room(c))
                        return -1;
                const ps_later_change first = ps_changes_take_later(c);
                ps_changes_end(c, first.time, first.received);
        }
        return 0;
}

int ps_changes_sort(ps_changes *c)
{
        const ps_time length = c->window.end - c->window.begin;
        if (c->order.n >= room_for(length)) /* far more than whoever chose the window thought */
                return -1;
        if (c->cap_message <= c->order.n) {
                free(c->message);
                c->message = NULL;
                c->cap_message = 0;
                if (ps_memory_grow(&c->message, &c->cap_message, c->room + 1, sizeof(*c->message)))
                        return -1;
        }
        return ps_moments_sort(&c->order, ((uint64_t)length << c->bits) - 1);
}
