/* pieces.c - where a location is between its operations, while it is folded: see pieces.h.
 *
 * The time since the last operation is cut wherever a region is entered or left, and what was in the same
 * path is put together at once, so that memory follows the paths that are met and not how often. A row that
 * turns out to have begun earlier than now takes back what was charged since. */
#include "core/fold/builder.h"

#include "core/base/vector.h"
#include "core/model/pieces.h"

#include <stdlib.h>
#include <string.h>

struct ps_piecing {
        uint32_t most;
        PS_VECTOR(ps_piece) piece;
        PS_VECTOR(uint32_t) end;
        uint32_t *newest, n_newest; /* by path: its piece that may still grow */
        uint32_t first;             /* piece of the gap under way */
        ps_path begun;              /* entered, and nothing charged there yet; 0: none */
        ps_path below; /* what was left last was called from there, below what is open; 0: nowhere else */
        ps_time since; /* up to when it is charged */
        uint8_t runs, is_full;
};

ps_status ps_builder_keep_pieces(ps_builder *b, uint32_t most, ps_error *err)
{
        struct ps_piecing *p = b->pieces = calloc(1, sizeof(*p));
        if (!p)
                return PS_NOMEM(err, "pieces", 1);
        p->most = most;
        p->since = INT64_MIN;
        p->runs = 1;
        b->is_watched = true;
        return PS_OK;
}

void ps_builder_free_pieces(ps_builder *b)
{
        if (!b->pieces)
                return;
        free(b->pieces->newest);
        free(b->pieces->piece.row);
        free(b->pieces->end.row);
        free(b->pieces);
}

/* -- charging -- */

static bool make_newest(ps_builder *b, ps_path path)
{
        struct ps_piecing *p = b->pieces;
        if (path < p->n_newest)
                return true;
        uint32_t *grown = realloc(p->newest, b->tree.cap * sizeof(*grown));
        if (!grown) {
                b->status = PS_NOMEM(&b->err, "call paths", b->tree.cap);
                return false;
        }
        memset(grown + p->n_newest, 0, (b->tree.cap - p->n_newest) * sizeof(*grown));
        p->newest = grown;
        p->n_newest = b->tree.cap;
        return true;
}

/* The one of this path that may still grow; NULL: there is none. */
static inline ps_piece *growing(const struct ps_piecing *p, ps_path path)
{
        uint32_t i = path == PS_NONE ? p->piece.n - 1 : p->newest[path];
        return i >= p->first && i < p->piece.n && p->piece.row[i].path == path ? &p->piece.row[i] : NULL;
}

static void add_piece(ps_builder *b, ps_time time, ps_path path, uint32_t begins)
{
        struct ps_piecing *p = b->pieces;
        if (path != PS_NONE && !make_newest(b, path))
                return;
        ps_piece *grows = growing(p, path);
        if (grows && (grows->begins || !begins)) {
                grows->time += time;
                grows->begins += begins;
                return;
        }
        if (p->piece.n == p->most) {
                p->is_full = true;
                p->runs = 0;
                return;
        }
        if (path != PS_NONE)
                p->newest[path] = p->piece.n;
        PUSH(b, p->piece, ((ps_piece){time, path, begins}));
}

/* What was entered counts as a visit, whether or not it takes any time before the next region. */
static inline void add_begun(ps_builder *b)
{
        ps_path begun = b->pieces->begun;
        b->pieces->begun = 0;
        if (begun)
                add_piece(b, 0, begun, 1);
}

enum { UNWOUND_DEPTH = 1024 };

static uint32_t depth_of(const struct tree *tree, ps_path path)
{
        uint32_t depth = 0;
        for (; path && depth < UNWOUND_DEPTH; path = tree->node[path].place.parent)
                depth++;
        return depth;
}

/* Who unwinds the stack at calls enters nothing but those: between one that was called from `a` and one from
 * `b` the location has been in the deepest function that both have in common, wherever in it the calls stand.
 */
static ps_path common(const struct tree *tree, ps_path a, ps_path b, ps_path otherwise)
{
        if (a == b)
                return a;
        uint32_t in_a = depth_of(tree, a), in_b = depth_of(tree, b);
        for (; in_a > in_b; in_a--)
                a = tree->node[a].place.parent;
        for (; in_b > in_a; in_b--)
                b = tree->node[b].place.parent;
        ps_path deepest = a;
        for (; in_a && a != b; in_a--) {
                ps_path above = tree->node[a].place.parent;
                if (tree->node[a].place.region != tree->node[b].place.region)
                        deepest = above;
                a = above;
                b = tree->node[b].place.parent;
        }
        return a == b ? deepest : otherwise;
}

void ps_builder_charge_piece(ps_builder *b, ps_time now, ps_path caller)
{
        struct ps_piecing *p = b->pieces;
        if (!p || !p->runs)
                return;
        if (p->since == INT64_MIN)
                p->since = b->info.first;
        ps_time time = now - p->since;
        if (time <= 0) {
                add_begun(b);
                return;
        }
        ps_path path = b->is_off ? PS_NONE : b->stack.n ? b->stack.row[b->stack.n - 1].node : 0;
        if (caller != PS_NONE && caller != path && path != PS_NONE)
                path = p->below ? common(&b->tree, p->below, caller, path) : caller;
        p->since = now;
        uint32_t begins = p->begun == path && path;
        if (!begins)
                add_begun(b);
        p->begun = 0;
        add_piece(b, time, path, begins);
}

void ps_builder_charge_rest(ps_builder *b, ps_time now)
{
        if (b->pieces && !b->stack.n && b->pieces->below)
                ps_builder_charge_piece(b, now, b->pieces->below);
}

/* -- gaps -- */

void ps_builder_end_gap(ps_builder *b, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        if (!p)
                return;
        ps_builder_charge_piece(b, enter, PS_NONE);
        ps_time over = p->runs && p->since > enter ? p->since - enter : 0;
        while (over > 0 && p->piece.n > p->first) {
                ps_piece *last = &p->piece.row[p->piece.n - 1];
                ps_time part = last->time < over ? last->time : over;
                last->time -= part;
                over -= part;
                p->piece.n -= !last->time;
        }
        p->runs = 0;
        p->begun = 0;
        p->first = p->piece.n;
        PUSH(b, p->end, p->piece.n);
}

void ps_builder_begin_gap(ps_builder *b, ps_time leave)
{
        if (!b->pieces)
                return;
        b->pieces->runs = (uint8_t)!b->pieces->is_full;
        b->pieces->since = leave;
}

/* -- visits -- */

/* In an operation, and where the trace says that somebody waits, nothing is computed, whatever is below. */
static bool is_other(const ps_region_def *def)
{
        return def->kind != PS_K_NONE || def->idle;
}

void ps_builder_push_visit(ps_builder *b, ps_path node, ps_region region)
{
        struct ps_piecing *p = b->pieces;
        const ps_region_def *def = region_of(b, region);
        if (!p)
                return;
        p->below = 0;
        if (p->runs && def && !is_other(def))
                p->begun = node;
}

/* Open region number `at` is left. */
void ps_builder_pop_visit(ps_builder *b, uint32_t at)
{
        struct ps_piecing *p = b->pieces;
        if (!p)
                return;
        ps_path caller = b->tree.node[b->stack.row[at].node].place.parent;
        p->below = at + 1 == b->stack.n && caller != (at ? b->stack.row[at - 1].node : 0) ? caller : 0;
}

/* -- the end -- */

void ps_builder_end_pieces(ps_builder *b)
{
        if (!b->pieces)
                return;
        ps_builder_end_gap(b, b->info.n_events ? b->info.last : 0);
        free(b->pieces->newest);
        b->pieces->newest = NULL;
}

bool ps_builder_has_pieces(const ps_builder *b)
{
        return !b || (b->pieces && !b->pieces->is_full);
}

void ps_builder_map_pieces(ps_builder *b, const ps_path *map)
{
        for (uint32_t i = 0; b->pieces && i < b->pieces->piece.n; i++)
                if (b->pieces->piece.row[i].path != PS_NONE)
                        b->pieces->piece.row[i].path = map[b->pieces->piece.row[i].path];
}

/* A growing block has up to twice the room that it needs. */
static void *cut(void *block, size_t bytes)
{
        void *smaller = realloc(block, bytes ? bytes : 1);
        return smaller ? smaller : block;
}

ps_status ps_builder_give_pieces(ps_builder *b, ps_trace *trace, ps_error *err)
{
        struct ps_piecing *p = b->pieces;
        ps_pieces *out = &trace->pieces[b->location];
        *out = (ps_pieces){.end = cut(p->end.row, p->end.n * sizeof(*p->end.row)),
                           .piece = cut(p->piece.row, p->piece.n * sizeof(*p->piece.row)),
                           .n = p->piece.n};
        p->end.row = NULL;
        p->piece.row = NULL;
        int failed = ps_arena_adopt(trace->arena, out->end) < 0;
        failed |= ps_arena_adopt(trace->arena, out->piece) < 0;
        return failed ? PS_NOMEM(err, "pieces", out->n) : PS_OK;
}
