/* gaps.h - the time that is still free, as a balanced tree of gaps.
 *
 * Keeping what is free instead of what is busy makes neighbours that touch one by themselves, and a tree
 * whose nodes know the longest gap below them finds the first that is long enough in O(log n). */
#ifndef PS_SIMULATOR_GAPS_H
#define PS_SIMULATOR_GAPS_H

#include "core/types.h"
#include <stddef.h>

typedef struct ps_gap {
        ps_time begin, end;   /* begin < end */
        uint64_t longest;     /* of this gap and those below it */
        uint32_t left, right; /* rows, 0: none */
} ps_gap;

/* The rows of all trees; {0} at first. A tree is the row of its root. */
typedef struct ps_gaps {
        ps_gap *row;
        uint32_t n, cap, free; /* rows that were ever in use, and a list of the free ones, linked by `left` */
        uint32_t n_used;
} ps_gaps;

void ps_gaps_free(ps_gaps *gaps);

/* A tree in which all time is free; 0 when there is no memory. */
uint32_t ps_gaps_tree(ps_gaps *gaps);

/* Takes the first `duration` of free time that begins at `from` or later; *begin says when. Without a
 * duration, nothing is taken, and *begin is the first moment that no busy time is on both sides of. 0 when
 * there is no memory, or no such time before PS_TIME_MAX. */
int ps_gaps_take(ps_gaps *gaps, uint32_t *tree, ps_time from, ps_time duration, ps_time *begin);

/* Forgets what ended before `time`: from now on nothing earlier may be asked for. */
void ps_gaps_forget(ps_gaps *gaps, uint32_t *tree, ps_time time);

#endif
