/* changes.h - what changes in a window of time, in order of time: states of locations, and messages that
 * begin or end: a part of profile.h.
 *
 * A change is one number: when, whether a message begins, where more is told of it, and which state is left
 * for which one, so that they are sorted as numbers are. A call during which nothing else of its location
 * happens is one change. Of one moment what ends comes before what begins. */
#ifndef PS_CORE_SUMS_CHANGES_H
#define PS_CORE_SUMS_CHANGES_H

#include "core/model/trace.h"
#include "core/order/moments.h"

/* What is told of a change. */
typedef struct ps_told_change {
        ps_time ready, done; /* of a call: until when it waits, and when it ends */
        uint64_t bytes;
        ps_loc to;  /* who receives */
        uint32_t n; /* messages that begin then, or that end when the call does */
} ps_told_change;

typedef struct ps_later_change {
        ps_time time;
        ps_told_change received;
} ps_later_change;

/* {0} is empty. */
typedef struct ps_changes {
        ps_moments order;
        ps_told_change *told;   /* of each of this window, as they were added */
        ps_later_change *later; /* behind it: a heap, what comes first is its first */
        uint32_t cap, room;     /* of `told`, of `order`, too */
        uint32_t n_later, cap_later;
        ps_span window; /* up to before its end */
        unsigned bits;  /* of a number, behind its time */
        uint64_t sent;  /* the bit of those with which a message begins */
} ps_changes;

enum {
        PS_CHANGE_STATE_BITS = 3, /* which state is left for which: see states.h */
        PS_CHANGE_BITS = 60,      /* for times, and for where more is told */
        PS_CHANGES_ROOM = 4       /* of an operation, and one behind the last */
};

void ps_changes_free(ps_changes *changes);
/* The window becomes the next one, which begins where it ended: no longer than ps_changes_longest. -1 when
 * there is no memory, as below. */
int ps_changes_open(ps_changes *changes, ps_time end);
/* How long the next window may be, if that many operations begin in it. */
ps_time ps_changes_longest(const ps_changes *changes, uint64_t n_operations);
int ps_changes_grow(ps_changes *changes);
/* It is told in the window that it belongs to, this one or a later one. There is room. */
int ps_changes_receive(ps_changes *changes, ps_time time, ps_told_change received);
/* Behind the last one there is UINT64_MAX. */
int ps_changes_sort(ps_changes *changes);

/* Room for PS_CHANGES_ROOM changes. */
static inline int ps_changes_room(ps_changes *c)
{
        return c->order.n + PS_CHANGES_ROOM <= c->room ? 0 : ps_changes_grow(c);
}

/* What may be told of the one that is added next. */
static inline ps_told_change *ps_changes_next(ps_changes *c)
{
        return &c->told[c->order.n];
}

/* `what`: the state that is left for which, and perhaps that a message begins. */
static inline void ps_changes_add(ps_changes *c, ps_time time, uint64_t what)
{
        uint32_t n = c->order.n++;
        c->order.row[n] =
                (uint64_t)(time - c->window.begin) << c->bits | (uint64_t)n << PS_CHANGE_STATE_BITS | what;
}

#endif
