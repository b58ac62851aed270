/* changes.h - what changes in a window of time, in order of time: states of locations, and messages that
 * begin or end: a part of profile.h.
 *
 * A change is one number: when, whether a message begins, as which one it was added, whether something is
 * told of messages, and which state is left for which one; so that they are compared as numbers are. They are
 * added a location after the other. Of one moment what ends comes before what begins, and what a location
 * does comes in its own order: so it leaves no state that it is not in. A call that does not wait and is
 * short beside the time from one change to the next is one change, of which is told how long it takes: mostly
 * nothing comes between its begin and its end, and one number less is put in order. */
#ifndef PS_CORE_SUMS_CHANGES_H
#define PS_CORE_SUMS_CHANGES_H

#include "core/model/trace.h"
#include "core/order/moments.h"

/* What is told of a change with messages, or of what is short. */
typedef struct ps_told_change {
        uint64_t bytes;
        ps_loc to;  /* who receives */
        uint32_t n; /* messages that end; or how long it takes */
} ps_told_change;

typedef struct ps_later_change {
        ps_time time;
        ps_told_change received;
} ps_later_change;

/* {0} is empty. */
typedef struct ps_changes {
        ps_moments order;     /* of this window */
        ps_told_change *told; /* of each, as they were added */
        uint32_t cap, room;   /* of `told`; of `order`, too */
        uint32_t expected;    /* operations in the next window, about */
        uint32_t brief;       /* what takes no longer is short */
        uint64_t *message;    /* room for those in which messages begin or end */
        uint32_t cap_message;
        uint64_t first;         /* what the number of the first one is besides its time */
        ps_later_change *later; /* behind the window: a heap, what comes first is its first */
        uint32_t n_later, cap_later;
        ps_span window; /* up to before its end */
        unsigned bits;  /* of a number, below its time */
} ps_changes;

enum {
        PS_CHANGE_STATES = 7,    /* which state is left for which: see states.h */
        PS_CHANGE_SHORT = 0,     /* that is busy, for overhead, and soon after again for busy */
        PS_CHANGE_STAYS = 7,     /* none */
        PS_CHANGE_TOLD = 1 << 3, /* a message begins, or some end */
        PS_CHANGE_BITS = 4,      /* of these; then comes as which one it was added */
        PS_CHANGES_ROOM = 4      /* of an operation */
};

_Static_assert(sizeof(ps_told_change) == 1 << PS_CHANGE_BITS, "where it is told is its place in bytes");

void ps_changes_free(ps_changes *changes);
/* The window becomes the next one, which begins where it ended. -1 when there is no memory, as below. */
int ps_changes_open(ps_changes *changes, ps_time end);
/* For how many operations and regions of waiting, and messages that end there, a window so long has room. */
uint64_t ps_changes_most(ps_time length);
/* Room for as many more. */
int ps_changes_grow(ps_changes *changes, uint32_t n);
/* It is told in the window that it belongs to, this one or a later one. There is room. */
int ps_changes_receive(ps_changes *changes, ps_time time, ps_told_change received);
/* The first one behind the window, which is told by whoever takes it. There is one. */
ps_later_change ps_changes_take_later(ps_changes *changes);
int ps_changes_sort(ps_changes *changes);

#define PS_CHANGES_INLINE static inline __attribute__((always_inline))

/* Room for PS_CHANGES_ROOM changes. */
static inline int ps_changes_room(ps_changes *c)
{
        return c->order.n + PS_CHANGES_ROOM <= c->room ? 0 : ps_changes_grow(c, PS_CHANGES_ROOM);
}

/* The bit that puts what begins behind what ends; none where no window was opened, in a run of no length. */
static inline uint64_t ps_changes_begin_bit(const ps_changes *c)
{
        return UINT64_C(1) << c->bits >> 1;
}

/* Whoever adds many has this in registers. */
typedef struct ps_changes_pen {
        uint64_t *row; /* that of the next one */
        ps_told_change *told;
        uint64_t first; /* what its number is besides its time, less where it is told */
        uint64_t sends; /* what is added where a message begins */
        ps_time brief;
        unsigned bits;
} ps_changes_pen;

PS_CHANGES_INLINE ps_changes_pen ps_changes_take_pen(const ps_changes *c)
{
        return (ps_changes_pen){c->order.row + c->order.n + 1,
                                c->told + c->order.n,
                                c->first - (uintptr_t)c->told,
                                ps_changes_begin_bit(c) | PS_CHANGE_TOLD,
                                c->brief,
                                c->bits};
}

PS_CHANGES_INLINE void ps_changes_put_back(ps_changes *c, ps_changes_pen pen)
{
        c->order.n = (uint32_t)(pen.told - c->told);
}

/* `what`: the state that is left for which. */
PS_CHANGES_INLINE void ps_changes_write(ps_changes_pen *pen, ps_time time, uint64_t what)
{
        *pen->row++ = ((uint64_t)time << pen->bits) + pen->first + (uintptr_t)pen->told + what;
        pen->told++;
}

/* A short call, with which no messages end. `sends`: 0, or as of the pen. */
PS_CHANGES_INLINE void ps_changes_write_short(ps_changes_pen *pen, ps_span time, uint64_t sends)
{
        pen->told->n = (uint32_t)(time.end - time.begin);
        ps_changes_write(pen, time.begin, PS_CHANGE_SHORT + sends);
}

PS_CHANGES_INLINE void ps_changes_add(ps_changes *c, ps_time time, uint64_t what)
{
        ps_changes_pen pen = ps_changes_take_pen(c);
        ps_changes_write(&pen, time, what);
        ps_changes_put_back(c, pen);
}

/* The same, and a message begins. */
static inline void ps_changes_send(ps_changes *c, ps_time time, ps_told_change told)
{
        c->told[c->order.n] = told;
        ps_changes_add(c, time, ps_changes_begin_bit(c) | PS_CHANGE_TOLD | PS_CHANGE_STAYS);
}

/* The same, and some end. */
static inline void ps_changes_end(ps_changes *c, ps_time time, ps_told_change told)
{
        c->told[c->order.n] = told;
        ps_changes_add(c, time, PS_CHANGE_TOLD | PS_CHANGE_STAYS);
}

static inline bool ps_change_is_told(uint64_t number)
{
        return number & PS_CHANGE_TOLD;
}

static inline bool ps_change_is_short(uint64_t number)
{
        return (number & PS_CHANGE_STATES) == PS_CHANGE_SHORT;
}

/* What in a number tells where it is told. */
static inline uint64_t ps_changes_place_bits(const ps_changes *c)
{
        return ps_changes_begin_bit(c) - (UINT64_C(1) << PS_CHANGE_BITS);
}

/* What was added with it. */
PS_CHANGES_INLINE const ps_told_change *ps_change_told(const ps_told_change *told, uint64_t number,
                                                       uint64_t place_bits)
{
        return (const ps_told_change *)((const char *)told + (number & place_bits));
}

#endif
