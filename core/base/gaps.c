/* gaps.c - a B-tree, because it is flatter than a binary tree: what a search costs is the cache lines that it
 * has to wait for. Blocks that lose entries are not merged, only freed when empty: time goes on, and what
 * lies behind is forgotten as a whole. The last gaps, where most of what is asked for is, are not in it.
 *
 * Recursion goes as deep as the tree is high, a dozen levels or so at most. */
#include "core/base/gaps.h"
#include "core/base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct ps_gaps_entry entry;

typedef struct search {
        ps_gaps *gaps;
        ps_time from, duration, end; /* end: the earliest possible */
        ps_time begin;               /* the answer */
        uint32_t sibling;            /* a new block to the right of the one that was worked on, or 0 */
} search;

/* -- blocks -- */

/* Enough for what one search may need, so that it can neither fail half-way nor move the blocks. */
static bool reserve(ps_gaps *gaps, uint32_t n_blocks)
{
        if (gaps->n_free >= n_blocks || gaps->cap - gaps->n > n_blocks)
                return true;
        uint32_t cap = gaps->cap ? 2 * gaps->cap : 64;
        ps_gaps_block *bigger = cap > gaps->cap ? ps_memory_new(cap * sizeof *bigger) : NULL;
        if (!bigger)
                return false;
        if (gaps->cap)
                memcpy(bigger, gaps->block, ((size_t)gaps->n + 1) * sizeof *bigger);
        free(gaps->block);
        gaps->block = bigger;
        gaps->cap = cap;
        return true;
}

static uint32_t new_block(ps_gaps *gaps)
{
        uint32_t block = gaps->free;
        if (block) {
                gaps->free = gaps->block[block].child[0];
                gaps->n_free--;
        } else {
                block = ++gaps->n;
        }
        gaps->block[block].n = 0;
        return block;
}

static void free_block(ps_gaps *gaps, uint32_t block)
{
        gaps->block[block].child[0] = gaps->free;
        gaps->free = block;
        gaps->n_free++;
}

static void free_blocks(ps_gaps *gaps, uint32_t block, uint32_t height)
{
        for (uint32_t i = 0; height > 0 && i < gaps->block[block].n; i++)
                free_blocks(gaps, gaps->block[block].child[i], height - 1);
        free_block(gaps, block);
}

/* What the block is as an entry of the one above. */
static entry sum_of_block(const ps_gaps_block *block)
{
        entry sum = {block->entry[block->n - 1].end, 0};
        for (uint32_t i = 0; i < block->n; i++)
                sum.longest = block->entry[i].longest > sum.longest ? block->entry[i].longest : sum.longest;
        return sum;
}

static void move_entries(ps_gaps_block *to, uint32_t at, const ps_gaps_block *from, uint32_t first,
                         uint32_t n)
{
        memmove(&to->entry[at], &from->entry[first], n * sizeof *to->entry);
        memmove(&to->child[at], &from->child[first], n * sizeof *to->child);
}

static void put_entry(ps_gaps_block *block, uint32_t at, entry what, uint32_t child)
{
        move_entries(block, at + 1, block, at, block->n - at);
        block->entry[at] = what;
        block->child[at] = child;
        block->n++;
}

static void drop_gap(ps_gaps_block *block, uint32_t at)
{
        move_entries(block, at, block, at + 1, block->n - at - 1);
        block->n--;
}

/* Puts an entry, and if the block is full its later half into a new one; when time goes on, the later half is
 * but the entry itself. */
static void insert_entry(search *s, uint32_t block, uint32_t at, entry what, uint32_t child)
{
        ps_gaps_block *b = &s->gaps->block[block];
        s->sibling = 0;
        if (b->n < PS_GAPS_WIDTH) {
                put_entry(b, at, what, child);
                return;
        }
        s->sibling = new_block(s->gaps);
        ps_gaps_block *later = &s->gaps->block[s->sibling];
        uint32_t kept = at == b->n ? b->n : b->n / 2;
        later->n = b->n - kept;
        move_entries(later, 0, b, kept, later->n);
        b->n = kept;
        if (at >= kept)
                put_entry(later, at - kept, what, child);
        else
                put_entry(b, at, what, child);
}

/* -- searching -- */

static ps_time begin_of(const entry *gap)
{
        return (ps_time)((uint64_t)gap->end - gap->longest);
}

static entry gap_between(ps_time begin, ps_time end)
{
        return (entry){end, (uint64_t)end - (uint64_t)begin}; /* may be longer than a ps_time can say */
}

/* Takes what is asked for out of entry `at` of a leaf. */
static void cut_entry(search *s, uint32_t leaf, uint32_t at)
{
        ps_gaps_block *b = &s->gaps->block[leaf];
        ps_time gap_begin = begin_of(&b->entry[at]), gap_end = b->entry[at].end;
        s->begin = gap_begin > s->from ? gap_begin : s->from;
        ps_time end = s->begin + s->duration;
        if (s->duration == 0)
                return;
        if (gap_begin < s->begin) {
                b->entry[at] = gap_between(gap_begin, s->begin);
                if (end < gap_end)
                        insert_entry(s, leaf, at + 1, gap_between(end, gap_end), 0);
        } else if (end < gap_end) {
                b->entry[at] = gap_between(end, gap_end);
        } else {
                drop_gap(b, at);
        }
}

/* After something was taken below entry `at`. */
static void update(search *s, uint32_t block, uint32_t at)
{
        ps_gaps_block *b = &s->gaps->block[block];
        uint32_t child = b->child[at], sibling = s->sibling;
        if (s->gaps->block[child].n == 0) {
                free_block(s->gaps, child);
                drop_gap(b, at);
                return;
        }
        b->entry[at] = sum_of_block(&s->gaps->block[child]);
        if (sibling)
                insert_entry(s, block, at + 1, sum_of_block(&s->gaps->block[sibling]), sibling);
}

/* The first gap that ends at `end` or later and is long enough; one that begins before `from` and ends late
 * enough is long enough. Only the first block that ends late enough may promise a gap and not have it. */
static bool take_from(search *s, uint32_t block, uint32_t height)
{
        const ps_gaps_block *b = &s->gaps->block[block];
        uint32_t i = 0;
        while (i < b->n && b->entry[i].end < s->end)
                i++;
        for (; i < b->n; i++) {
                if (b->entry[i].longest < (uint64_t)s->duration)
                        continue;
                if (height == 0) {
                        cut_entry(s, block, i);
                        return true;
                }
                if (take_from(s, b->child[i], height - 1)) {
                        update(s, block, i);
                        return true;
                }
        }
        return false;
}

/* Behind all others. */
static void append_gap(search *s, uint32_t block, uint32_t height, entry gap)
{
        uint32_t last = s->gaps->block[block].n - 1;
        if (height == 0) {
                insert_entry(s, block, last + 1, gap, 0);
                return;
        }
        append_gap(s, s->gaps->block[block].child[last], height - 1, gap);
        update(s, block, last);
}

/* A root that was split gets a new one above it; a root with one block below it is not needed, nor an empty
 * one. */
static void settle_root(ps_gaps *gaps, ps_gaps_tree *tree, uint32_t sibling)
{
        if (sibling) {
                uint32_t root = new_block(gaps);
                put_entry(&gaps->block[root], 0, sum_of_block(&gaps->block[tree->root]), tree->root);
                put_entry(&gaps->block[root], 1, sum_of_block(&gaps->block[sibling]), sibling);
                tree->root = root;
                tree->height++;
        }
        while (tree->height > 0 && gaps->block[tree->root].n == 1) {
                uint32_t child = gaps->block[tree->root].child[0];
                free_block(gaps, tree->root);
                tree->root = child;
                tree->height--;
        }
        const ps_gaps_block *root = &gaps->block[tree->root];
        if (root->n > 0) {
                tree->tree_end = root->entry[root->n - 1].end;
                return;
        }
        free_block(gaps, tree->root);
        tree->root = tree->height = 0;
        tree->tree_end = INT64_MIN;
}

/* -- the last gaps -- */

/* Puts a gap behind those in the blocks. */
static ps_status keep_gap(ps_gaps *gaps, ps_gaps_tree *tree, ps_gap gap)
{
        search s = {.gaps = gaps};
        if (gap.begin == gap.end || gap.end < gaps->retired)
                return PS_OK;
        ps_gaps_forget(gaps, tree);
        if (!reserve(gaps, tree->height + 2))
                return PS_E_NOMEM;
        if (tree->root)
                append_gap(&s, tree->root, tree->height, gap_between(gap.begin, gap.end));
        else
                put_entry(&gaps->block[tree->root = new_block(gaps)], 0, gap_between(gap.begin, gap.end), 0);
        settle_root(gaps, tree, s.sibling);
        return PS_OK;
}

/* Behind recent gap `at` (-1: behind what is in the blocks); the first one makes room. */
static ps_status squeeze_in(ps_gaps *gaps, ps_gaps_tree *tree, int at, ps_gap gap)
{
        PS_TRY(keep_gap(gaps, tree, at < 0 ? gap : tree->recent[0]));
        if (at < 0)
                return PS_OK;
        for (int i = 0; i < at; i++)
                tree->recent[i] = tree->recent[i + 1];
        tree->recent[at] = gap;
        return PS_OK;
}

static bool is_wide_enough(const ps_gap *gap, const search *s)
{
        return s->end <= gap->end && gap->begin < gap->end &&
               (uint64_t)gap->end - (uint64_t)gap->begin >= (uint64_t)s->duration;
}

static ps_status cut_recent(search *s, ps_gaps_tree *tree, int at)
{
        ps_gap *gap = &tree->recent[at];
        s->begin = gap->begin > s->from ? gap->begin : s->from;
        ps_time end = s->begin + s->duration;
        if (s->duration == 0)
                return PS_OK;
        if (gap->begin == s->begin) {
                gap->begin = end;
        } else if (gap->end == end) {
                gap->end = s->begin;
        } else {
                ps_gap before = {gap->begin, s->begin}, after = {end, gap->end};
                if (squeeze_in(s->gaps, tree, at - 1, before) != PS_OK)
                        return PS_E_NOMEM;
                *gap = after;
        }
        return PS_OK;
}

static ps_status cut_rest(search *s, ps_gaps_tree *tree)
{
        ps_time end;
        s->begin = tree->free_from > s->from ? tree->free_from : s->from;
        if (__builtin_add_overflow(s->begin, s->duration, &end))
                return PS_E_INPUT;
        if (s->duration == 0)
                return PS_OK;
        if (tree->free_from < s->begin &&
            squeeze_in(s->gaps, tree, PS_GAPS_RECENT - 1, (ps_gap){tree->free_from, s->begin}) != PS_OK)
                return PS_E_NOMEM;
        tree->free_from = end;
        return PS_OK;
}

/* -- what others see -- */

void ps_gaps_free(ps_gaps *gaps)
{
        free(gaps->block);
        *gaps = PS_GAPS_NEW;
}

ps_status ps_gaps_take(ps_gaps *gaps, ps_gaps_tree *tree, ps_time from, ps_time duration, ps_time *begin)
{
        search s = {.gaps = gaps, .from = from, .duration = duration};
        assert(from >= gaps->retired && duration >= 0);
        if (__builtin_add_overflow(from, duration, &s.end))
                return PS_E_INPUT;
        int at = 0, is_kept = 0;
        if (tree->root && s.end <= tree->tree_end) {
                if (!reserve(gaps, tree->height + 2))
                        return PS_E_NOMEM;
                if ((is_kept = take_from(&s, tree->root, tree->height)))
                        settle_root(gaps, tree, s.sibling);
        }
        while (at < PS_GAPS_RECENT && !is_wide_enough(&tree->recent[at], &s))
                at++;
        ps_status status = is_kept               ? PS_OK
                           : at < PS_GAPS_RECENT ? cut_recent(&s, tree, at)
                                                 : cut_rest(&s, tree);
        *begin = s.begin;
        return status;
}

void ps_gaps_retire(ps_gaps *gaps, ps_time time)
{
        gaps->retired = time > gaps->retired ? time : gaps->retired;
}

/* What is left in the first branch goes with the rest of it. */
void ps_gaps_forget(ps_gaps *gaps, ps_gaps_tree *tree)
{
        uint32_t n = 0;
        if (!tree->root)
                return;
        ps_gaps_block *b = &gaps->block[tree->root];
        for (; n < b->n && b->entry[n].end < gaps->retired; n++)
                if (tree->height > 0)
                        free_blocks(gaps, b->child[n], tree->height - 1);
        if (n == 0)
                return;
        b->n -= n;
        move_entries(b, 0, b, n, b->n);
        settle_root(gaps, tree, 0);
}
