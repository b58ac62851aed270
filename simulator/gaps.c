/* gaps.c - a treap: a search tree by time that is a heap by a hash of the row, and so as deep as a random
 * tree, in whatever order it grows. Recursion goes no deeper than that: some 60 for as many rows as there can
 * be. */
#include "simulator/gaps.h"
#include "core/hash.h"

#include <stdlib.h>

static uint64_t length_of(const ps_gap *gap)
{
        return (uint64_t)gap->end - (uint64_t)gap->begin; /* may be more than a ps_time holds */
}

static int is_above(uint32_t a, uint32_t b)
{
        uint64_t x = ps_hash_mix(a), y = ps_hash_mix(b);
        return x != y ? x > y : a > b;
}

/* Row 0 stands for "none" and is never longer than anything. */
static void pull(ps_gaps *gaps, uint32_t row)
{
        ps_gap *gap = &gaps->row[row];
        uint64_t left = gaps->row[gap->left].longest, right = gaps->row[gap->right].longest;
        gap->longest = length_of(gap);
        gap->longest = left > gap->longest ? left : gap->longest;
        gap->longest = right > gap->longest ? right : gap->longest;
}

static uint32_t new_row(ps_gaps *gaps, ps_time begin, ps_time end)
{
        uint32_t row = gaps->free;
        if (row) {
                gaps->free = gaps->row[row].left;
        } else {
                if (gaps->n + 1 >= gaps->cap) {
                        uint32_t cap = gaps->cap ? 2 * gaps->cap : 64;
                        ps_gap *bigger = cap > gaps->cap ? realloc(gaps->row, cap * sizeof *bigger) : NULL;
                        if (!bigger)
                                return 0;
                        gaps->row = bigger;
                        gaps->cap = cap;
                        gaps->row[0] = (ps_gap){0};
                }
                row = ++gaps->n;
        }
        gaps->n_used++;
        gaps->row[row] = (ps_gap){.begin = begin, .end = end};
        pull(gaps, row);
        return row;
}

static void free_row(ps_gaps *gaps, uint32_t row)
{
        gaps->row[row].left = gaps->free;
        gaps->free = row;
        gaps->n_used--;
}

static void free_tree(ps_gaps *gaps, uint32_t tree)
{
        if (!tree)
                return;
        free_tree(gaps, gaps->row[tree].left);
        free_tree(gaps, gaps->row[tree].right);
        free_row(gaps, tree);
}

/* -- the tree -- */

static void split(ps_gaps *gaps, uint32_t tree, ps_time key, uint32_t *before, uint32_t *after)
{
        if (!tree) {
                *before = *after = 0;
                return;
        }
        ps_gap *gap = &gaps->row[tree];
        if (gap->begin < key) {
                *before = tree;
                split(gaps, gap->right, key, &gap->right, after);
        } else {
                *after = tree;
                split(gaps, gap->left, key, before, &gap->left);
        }
        pull(gaps, tree);
}

static uint32_t join(ps_gaps *gaps, uint32_t before, uint32_t after)
{
        if (!before || !after)
                return before | after;
        if (is_above(before, after)) {
                gaps->row[before].right = join(gaps, gaps->row[before].right, after);
                pull(gaps, before);
                return before;
        }
        gaps->row[after].left = join(gaps, before, gaps->row[after].left);
        pull(gaps, after);
        return after;
}

static uint32_t *child_towards(ps_gaps *gaps, uint32_t tree, ps_time key)
{
        ps_gap *gap = &gaps->row[tree];
        return key < gap->begin ? &gap->left : &gap->right;
}

static uint32_t insert(ps_gaps *gaps, uint32_t tree, uint32_t row)
{
        ps_gap *gap = &gaps->row[row];
        if (!tree || is_above(row, tree)) {
                split(gaps, tree, gap->begin, &gap->left, &gap->right);
                pull(gaps, row);
                return row;
        }
        uint32_t *child = child_towards(gaps, tree, gap->begin);
        *child = insert(gaps, *child, row);
        pull(gaps, tree);
        return tree;
}

static uint32_t remove_row(ps_gaps *gaps, uint32_t tree, uint32_t row)
{
        if (tree == row)
                return join(gaps, gaps->row[row].left, gaps->row[row].right);
        uint32_t *child = child_towards(gaps, tree, gaps->row[row].begin);
        *child = remove_row(gaps, *child, row);
        pull(gaps, tree);
        return tree;
}

/* After the length of a row changed. */
static void pull_path(ps_gaps *gaps, uint32_t tree, uint32_t row)
{
        if (tree != row)
                pull_path(gaps, *child_towards(gaps, tree, gaps->row[row].begin), row);
        pull(gaps, tree);
}

/* The first gap that ends at `end` or later and is long enough. One that begins before the time asked for and
 * ends late enough is long enough. */
static uint32_t first_fit(const ps_gaps *gaps, uint32_t tree, ps_time end, uint64_t duration)
{
        const ps_gap *gap = &gaps->row[tree];
        if (!tree || gap->longest < duration)
                return 0;
        if (gap->end < end)
                return first_fit(gaps, gap->right, end, duration);
        uint32_t found = first_fit(gaps, gap->left, end, duration);
        if (found)
                return found;
        return length_of(gap) >= duration ? tree : first_fit(gaps, gap->right, end, duration);
}

/* -- what others see -- */

void ps_gaps_free(ps_gaps *gaps)
{
        free(gaps->row);
        *gaps = (ps_gaps){0};
}

uint32_t ps_gaps_tree(ps_gaps *gaps)
{
        return new_row(gaps, INT64_MIN, PS_TIME_MAX);
}

/* Takes [begin, end) out of the gap. */
static int cut(ps_gaps *gaps, uint32_t *tree, uint32_t row, ps_time begin, ps_time end)
{
        ps_time gap_begin = gaps->row[row].begin, gap_end = gaps->row[row].end;
        if (gap_begin < begin && end < gap_end) {
                uint32_t rest = new_row(gaps, end, gap_end);
                if (!rest)
                        return 0;
                gaps->row[row].end = begin;
                pull_path(gaps, *tree, row);
                *tree = insert(gaps, *tree, rest);
        } else if (gap_begin == begin && gap_end == end) {
                *tree = remove_row(gaps, *tree, row);
                free_row(gaps, row);
        } else {
                *(gap_begin < begin ? &gaps->row[row].end : &gaps->row[row].begin) =
                        gap_begin < begin ? begin : end;
                pull_path(gaps, *tree, row);
        }
        return 1;
}

int ps_gaps_take(ps_gaps *gaps, uint32_t *tree, ps_time from, ps_time duration, ps_time *begin)
{
        ps_time end;
        if (__builtin_add_overflow(from, duration, &end))
                return 0;
        uint32_t row = first_fit(gaps, *tree, end, (uint64_t)duration);
        if (!row)
                return 0;
        *begin = gaps->row[row].begin > from ? gaps->row[row].begin : from;
        return duration == 0 || cut(gaps, tree, row, *begin, *begin + duration);
}

/* The tree without the gaps that end before `time`. */
static uint32_t drop_before(ps_gaps *gaps, uint32_t tree, ps_time time)
{
        if (!tree)
                return 0;
        ps_gap *gap = &gaps->row[tree];
        if (gap->end >= time) {
                gap->left = drop_before(gaps, gap->left, time);
                pull(gaps, tree);
                return tree;
        }
        uint32_t right = gap->right;
        free_tree(gaps, gap->left);
        free_row(gaps, tree);
        return drop_before(gaps, right, time);
}

void ps_gaps_forget(ps_gaps *gaps, uint32_t *tree, ps_time time)
{
        *tree = drop_before(gaps, *tree, time);
}
