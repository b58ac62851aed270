/* gaps.h - the time that is still free, as gaps between what is taken.
 *
 * Keeping what is free instead of what is busy makes neighbours that touch one by themselves, and a tree that
 * knows the longest gap of each branch finds the first that is long enough in O(log n). Most of what is asked
 * for is near the end of all that was taken: the last gaps stand outside of the tree. */
#ifndef PS_CORE_BASE_GAPS_H
#define PS_CORE_BASE_GAPS_H

#include "core/base/error.h"
#include "core/base/types.h"

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

/* The blocks of all trees, and until when nothing is asked for any more; PS_GAPS_NEW at first. */
typedef struct ps_gaps {
        ps_gaps_block *block;
        uint32_t n, cap;       /* blocks that were ever in use; the first stands for "none" */
        uint32_t free, n_free; /* a list of those that are not in use any more, linked by child[0] */
        ps_time retired;
} ps_gaps;

#define PS_GAPS_NEW ((ps_gaps){.retired = INT64_MIN})

typedef struct ps_gap {
        ps_time begin, end; /* begin == end: none */
} ps_gap;

enum { PS_GAPS_RECENT = 2 };

/* The gaps of one line, in the order of time: those in the blocks, the recent ones, all from `free_from` on.
 */
typedef struct ps_gaps_tree {
        ps_time free_from;
        ps_gap recent[PS_GAPS_RECENT];
        ps_time tree_end;      /* where the last of those in the blocks ends */
        uint32_t root, height; /* a block, 0: there are none; the levels of blocks below it */
} ps_gaps_tree;

#define PS_GAPS_ALL_FREE ((ps_gaps_tree){.free_from = INT64_MIN, .tree_end = INT64_MIN})

void ps_gaps_free(ps_gaps *gaps);

/* Takes the first `duration` of free time that begins at `from` or later; *begin says when. Without a
 * duration, nothing is taken, and *begin is the first moment that has not busy time on both sides. PS_E_INPUT
 * when there is no such time before PS_TIME_MAX; PS_E_NOMEM leaves all as it was. */
ps_status ps_gaps_take(ps_gaps *gaps, ps_gaps_tree *tree, ps_time from, ps_time duration, ps_time *begin);

/* From now on nothing earlier may be asked for, in no tree. */
void ps_gaps_retire(ps_gaps *gaps, ps_time time);

/* Gives back the blocks whose gaps ended before that. */
void ps_gaps_forget(ps_gaps *gaps, ps_gaps_tree *tree);

/* Blocks in use. */
static inline uint32_t ps_gaps_used(const ps_gaps *gaps)
{
        return gaps->n - gaps->n_free;
}

#endif
