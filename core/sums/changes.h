/* changes.h - the messages that begin or end in a window of time, in order of time: a part of profile.h. */
#ifndef PS_CORE_SUMS_CHANGES_H
#define PS_CORE_SUMS_CHANGES_H

#include "core/model/trace.h"
#include "core/order/moments.h"

/* In the order in which changes of one moment are looked at. */
typedef enum ps_change_kind { PS_CHANGE_RECEIVED, PS_CHANGE_SENT } ps_change_kind;

typedef struct ps_change {
        ps_time time;
        uint64_t bytes; /* of the message */
        ps_loc to;      /* its receiver */
        uint8_t kind;
} ps_change;

/* {0} is empty. */
typedef struct ps_changes {
        ps_change *row, *later; /* of this window; behind it: a heap, what comes first is its first */
        uint32_t n, cap, n_later, cap_later;
        ps_span window;   /* up to before its end */
        ps_moments order; /* of a change in order of time: its row in the last bits */
        uint64_t row_bits;
} ps_changes;

void ps_changes_free(ps_changes *changes);
/* Of the window or later; -1 when there is no memory. */
int ps_changes_add_later(ps_changes *changes, ps_change change);
static inline int ps_changes_add(ps_changes *c, ps_change change)
{
        if (change.time >= c->window.end)
                return ps_changes_add_later(c, change);
        return PS_APPEND(c->row, c->n, c->cap, change);
}
/* The window becomes the next one, which begins where it ended. */
int ps_changes_open(ps_changes *changes, ps_time end);
/* Puts those of the window in order: see ps_changes_at. */
int ps_changes_sort(ps_changes *changes);

static inline const ps_change *ps_changes_at(const ps_changes *c, uint32_t i)
{
        return &c->row[c->order.row[i] & c->row_bits];
}

#endif
