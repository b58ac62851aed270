/* gaps.h - the time that is still free, as a tree of gaps.
 *
 * Keeping what is free instead of what is busy makes neighbours that touch one by themselves, and a tree that
 * knows the longest gap of each branch finds the first that is long enough in O(log n). */
#ifndef PS_SIMULATOR_GAPS_H
#define PS_SIMULATOR_GAPS_H

#include "core/error.h"
#include "core/types.h"

enum { PS_GAPS_WIDTH = 12 };

/* A leaf's entries are gaps, those of other blocks are the blocks below; in the order of time. */
typedef struct ps_gaps_block {
        uint32_t n;
        uint32_t child[PS_GAPS_WIDTH]; /* 0 in a leaf */
        struct ps_gaps_entry {
                ps_time end;      /* of the gap, or of the last one in the block below */
                uint64_t longest; /* how long the gap is, or the longest one below; > 0 */
        } entry[PS_GAPS_WIDTH];
} ps_gaps_block;

/* The blocks of all trees; {0} at first. */
typedef struct ps_gaps {
        ps_gaps_block *block;
        uint32_t n, cap;       /* blocks that were ever in use; the first stands for "none" */
        uint32_t free, n_free; /* a list of those that are not in use any more, linked by child[0] */
} ps_gaps;

typedef struct ps_gaps_tree {
        uint32_t root, height; /* a block, and the levels of blocks below it */
} ps_gaps_tree;

void ps_gaps_free(ps_gaps *gaps);

/* A tree in which all time is free. */
ps_status ps_gaps_new_tree(ps_gaps *gaps, ps_gaps_tree *tree);

/* Takes the first `duration` of free time that begins at `from` or later; *begin says when. Without a
 * duration, nothing is taken, and *begin is the first moment that has not busy time on both sides. PS_E_INPUT
 * when there is no such time before PS_TIME_MAX; PS_E_NOMEM leaves all as it was. */
ps_status ps_gaps_take(ps_gaps *gaps, ps_gaps_tree *tree, ps_time from, ps_time duration, ps_time *begin);

/* Forgets the gaps that ended before `time`: from now on nothing earlier may be asked for. */
void ps_gaps_forget(ps_gaps *gaps, ps_gaps_tree *tree, ps_time time);

/* Blocks in use. */
static inline uint32_t ps_gaps_used(const ps_gaps *gaps)
{
        return gaps->n - gaps->n_free;
}

#endif
