/* changes.h - what changes in a window of time, in order of time: states of locations, and messages that
 * begin or end: a part of profile.h.
 *
 * A change is one number: when, whether a message begins, whether some end, and which state is left for which
 * one, so that they are compared as numbers are. They are added a location after the other, and what a
 * location does at a time - it begins a receive, then a send, and a call that waits for both - it mostly does
 * while nothing else changes: such a burst is put in order of time as one. Of one moment what ends comes
 * before what begins. */
#ifndef PS_CORE_SUMS_CHANGES_H
#define PS_CORE_SUMS_CHANGES_H

#include "core/model/trace.h"
#include "core/order/moments.h"

/* What is told of a change with messages: behind its number. */
typedef struct ps_told_change {
        uint64_t bytes;
        ps_loc to;  /* who receives */
        uint32_t n; /* messages */
} ps_told_change;

typedef struct ps_later_change {
        ps_time time;
        ps_told_change received;
} ps_later_change;

/* {0} is empty. */
typedef struct ps_changes {
        uint64_t *row;          /* of this window, as they were added; PS_CHANGE_NONE behind each burst */
        uint32_t n, cap, room;  /* of `row`, of `order`, too */
        uint64_t last, apart;   /* the last one that was added; how far the next one may be from it */
        ps_moments order;       /* the bursts, each with the place of its first change */
        ps_later_change *later; /* behind the window: a heap, what comes first is its first */
        uint32_t n_later, cap_later;
        ps_span window; /* up to before its end */
        unsigned bits;  /* for the place of a change in `order` */
} ps_changes;

enum {
        PS_CHANGE_STATES = 7,        /* which state is left for which: see states.h */
        PS_CHANGE_RECEIVES = 1 << 3, /* messages end */
        PS_CHANGE_SENDS = 1 << 4,    /* a message begins */
        PS_CHANGE_BITS = 5,          /* of these */
        PS_CHANGE_TIME_BITS = 60,    /* for times and places in `order`; more of these have room, too */
        PS_CHANGE_TOLD = 2,          /* numbers that a ps_told_change is */
        PS_CHANGES_ROOM = 12         /* of an operation, with all that stands behind its changes */
};

#define PS_CHANGE_NONE UINT64_MAX

void ps_changes_free(ps_changes *changes);
/* The window becomes the next one, which begins where it ended: no longer than ps_changes_longest. -1 when
 * there is no memory, as below. `apart`: how long nothing else changes, about. */
int ps_changes_open(ps_changes *changes, ps_time end, ps_time apart);
/* How long the next window may be, if that many operations and regions of waiting begin in it. */
ps_time ps_changes_longest(const ps_changes *changes, uint64_t n_operations);
int ps_changes_grow(ps_changes *changes);
/* It is told in the window that it belongs to, this one or a later one. There is room. */
int ps_changes_receive(ps_changes *changes, ps_time time, ps_told_change received);
/* Behind the last one there is one that never comes. */
int ps_changes_sort(ps_changes *changes);

/* Whoever adds many has a copy of it, in registers. */
#define PS_CHANGES_INLINE static inline __attribute__((always_inline))

/* Room for PS_CHANGES_ROOM changes. */
static inline int ps_changes_room(ps_changes *c)
{
        return c->n + PS_CHANGES_ROOM <= c->room ? 0 : ps_changes_grow(c);
}

/* A burst begins with the next change. */
PS_CHANGES_INLINE void ps_changes_begin_burst(ps_changes *c, uint64_t number)
{
        c->row[c->n++] = PS_CHANGE_NONE;
        c->order.row[c->order.n++] = number / PS_CHANGE_SENDS << c->bits | c->n;
}

PS_CHANGES_INLINE void ps_changes_add_number(ps_changes *c, uint64_t number)
{
        if (number - c->last > c->apart) /* it also comes round if it is earlier */
                ps_changes_begin_burst(c, number);
        c->row[c->n++] = c->last = number;
}

/* `what`: the state that is left for which. */
PS_CHANGES_INLINE void ps_changes_add(ps_changes *c, ps_time time, uint64_t what)
{
        ps_changes_add_number(c, (uint64_t)(time - c->window.begin) << PS_CHANGE_BITS | what);
}

PS_CHANGES_INLINE void ps_changes_tell(ps_changes *c, ps_told_change told)
{
        c->row[c->n] = told.bytes;
        c->row[c->n + 1] = (uint64_t)told.n << 32 | told.to;
        c->n += PS_CHANGE_TOLD;
}

/* The same, and a message begins or some end. */
PS_CHANGES_INLINE void ps_changes_add_told(ps_changes *c, ps_time time, uint64_t what, ps_told_change told)
{
        ps_changes_add(c, time, what);
        ps_changes_tell(c, told);
}

static inline bool ps_change_is_told(uint64_t number)
{
        return number & (PS_CHANGE_SENDS | PS_CHANGE_RECEIVES) && number != PS_CHANGE_NONE;
}

/* What stands behind a change with messages. */
static inline ps_told_change ps_change_told(const uint64_t *row)
{
        return (ps_told_change){row[1], (uint32_t)row[2], (uint32_t)(row[2] >> 32)};
}

#endif
