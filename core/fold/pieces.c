/* pieces.c - where a location is between its operations, while it is folded: see pieces.h.
 *
 * The time since the last operation is cut wherever a region is entered or left, and what was in the same
 * path is put together at once, so that memory follows the paths that are met and not how often. A row that
 * turns out to have begun earlier than now takes back what was charged since. */
#include "core/fold/piecing.h"

#include "core/base/vector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Room at first, for so many events a piece and a gap: it costs nothing until it is used, and copying blocks
 * that grow does. Of what a trace promises no more is believed than MOST_PROMISED. */
enum { EVENTS_A_PIECE = 2, EVENTS_A_GAP = 3, MOST_PROMISED = 1 << 18 };

/* Of the room for pieces so much is kept for rows, which do not ask. */
enum { KEPT_FOR_ROWS = ROW_FRESH };

static void set_room(struct ps_piecing *p)
{
        uint32_t room = p->piece.cap - KEPT_FOR_ROWS;
        p->room = p->sampled ? 0 : room < p->most ? room : p->most;
}

ps_status ps_builder_keep_pieces(ps_builder *b, uint32_t most, ps_error *err)
{
        uint64_t promised = b->defs->locations.row[b->location].n_events;
        uint32_t n = promised < MOST_PROMISED ? (uint32_t)promised : MOST_PROMISED;
        struct ps_piecing *p = b->pieces = calloc(1, sizeof(*p));
        if (!p ||
            ps_memory_grow(&p->piece.row, &p->piece.cap, 2 * KEPT_FOR_ROWS + n / EVENTS_A_PIECE,
                           sizeof(*p->piece.row)) ||
            ps_memory_grow(&p->end.row, &p->end.cap, 2 * ROW_FRESH + n / EVENTS_A_GAP, sizeof(*p->end.row)))
                return PS_NOMEM(err, "pieces", 1);
        p->most = most;
        set_room(p);
        p->since = PS_TIME_MAX;
        p->runs = p->next_runs = GAP_PLAIN;
        b->is_watched |= WATCH_PIECES;
        return PS_OK;
}

static void stop(struct ps_piecing *p)
{
        p->is_full = true;
        p->runs = p->next_runs = 0;
}

int ps_builder_make_piece_room(ps_builder *b)
{
        struct ps_piecing *p = b->pieces;
        if (p->piece.n > p->most)
                stop(p);
        int failed = p->end.cap <= b->n_rows + ROW_FRESH &&
                     ps_memory_grow(&p->end.row, &p->end.cap, ROW_FRESH, sizeof(*p->end.row));
        if (!failed && !p->is_full && p->piece.cap - p->piece.n <= KEPT_FOR_ROWS) {
                failed = ps_memory_grow(&p->piece.row, &p->piece.cap, KEPT_FOR_ROWS, sizeof(*p->piece.row));
                set_room(p);
        }
        return failed ? -1 : 0;
}

void ps_builder_be_sampled(struct ps_piecing *p, ps_path node)
{
        p->sampled = node;
        set_room(p);
}

void ps_builder_free_pieces(ps_builder *b)
{
        if (!b->pieces)
                return;
        free(b->pieces->newest);
        free(b->pieces->piece.row);
        free(b->pieces->samples.row);
        free(b->pieces->end.row);
        free(b->pieces);
}

/* -- charging -- */

static bool make_newest(ps_builder *b)
{
        struct ps_piecing *p = b->pieces;
        uint32_t *grown = realloc(p->newest, b->tree.cap * sizeof(*grown));
        if (!grown) {
                b->status = PS_NOMEM(&b->pool->err, "call paths", b->tree.cap);
                return false;
        }
        memset(grown + p->n_newest, 0, (b->tree.cap - p->n_newest) * sizeof(*grown));
        p->newest = grown;
        p->n_newest = b->tree.cap;
        return true;
}

/* The gap's piece of this path, which may still grow, or none: behind the last one. The gap has pieces. Where
 * none is remembered it may be the first one, so that of gaps of one piece nothing is to be remembered. */
static inline uint32_t newest_of(const struct ps_piecing *p, ps_path path)
{
        uint32_t n = p->piece.n, i = p->newest[path];
        if (i < p->first || i >= n || p->piece.row[i].path != path)
                i = p->first;
        return p->piece.row[i].path == path ? i : n;
}

bool ps_piecing_charge(struct ps_piecing *p, ps_path path, ps_time now)
{
        ps_time time = now - p->since;
        ps_path begun = p->begun;
        uint32_t n = p->piece.n, first = p->first, begins = begun != 0;
        p->runs = GAP_CHARGED;
        if (time <= 0 || n >= p->room || (begins && begun != path))
                return false;
        ps_piece *piece = p->piece.row + n;
        if (n != first) {
                if (path >= p->n_newest)
                        return false;
                uint32_t newest = p->newest[path], at = newest - first < n - first ? newest : first;
                ps_piece *before = p->piece.row + at;
                if (before->path != path && at != first)
                        return false;
                if (before->path == path && before->begins >= begins)
                        piece = before;
                else
                        p->newest[path] = n;
        }
        if (piece == p->piece.row + n) {
                *piece = (ps_piece){time, path, begins};
                p->piece.n = n + 1;
        } else {
                piece->time += time;
                piece->begins += begins;
        }
        p->since = now;
        p->begun = 0;
        return true;
}

/* Puts it to the newest of its path, unless a visit begins there; whether it did. */
static inline int grows(struct ps_piecing *p, ps_time time, ps_path path, uint32_t begins)
{
        uint32_t i = path == PS_NONE ? p->piece.n - 1 : newest_of(p, path);
        ps_piece *piece = &p->piece.row[i];
        if (i >= p->piece.n || piece->path != path || (begins && !piece->begins))
                return 0;
        piece->time += time;
        piece->begins += begins;
        return 1;
}

static void add_piece(ps_builder *b, ps_time time, ps_path path, uint32_t begins)
{
        struct ps_piecing *p = b->pieces;
        if (path != PS_NONE && path >= p->n_newest && !make_newest(b))
                return;
        if (p->piece.n > p->first && grows(p, time, path, begins))
                return;
        if (p->piece.n >= p->most) {
                stop(p);
                return;
        }
        if (ps_builder_make_piece_room(b) < 0) {
                b->status = PS_NOMEM(&b->pool->err, "pieces", p->piece.n);
                return;
        }
        if (path != PS_NONE)
                p->newest[path] = p->piece.n;
        p->piece.row[p->piece.n++] = (ps_piece){time, path, begins};
}

/* What was entered counts as a visit, whether or not it takes any time before the next region. */
static void add_begun(ps_builder *b)
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
 * If they have none, because so far was not unwound, what follows tells more than nothing does. */
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

/* What was left last was called from there, below what is open; 0: nowhere else. */
static ps_path below_of(const ps_builder *b)
{
        ps_path left = b->pieces->left, caller = left ? b->tree.node[left].place.parent : 0;
        return caller != ps_piecing_place(b) ? caller : 0;
}

/* `caller`: what it enters now was called from there; PS_NONE: it enters nothing. */
static void charge_piece(ps_builder *b, ps_time now, ps_path caller)
{
        struct ps_piecing *p = b->pieces;
        if (!p || !p->runs)
                return;
        ps_time time = now - p->since;
        ps_path sampled = p->sampled;
        p->runs = GAP_CHARGED;
        p->next_runs = GAP_PLAIN;
        if (sampled)
                ps_builder_be_sampled(p, 0);
        if (time <= 0) {
                add_begun(b);
                return;
        }
        ps_path path = b->is_off ? PS_NONE : ps_piecing_place(b);
        if (caller != PS_NONE && caller != path && path != PS_NONE) {
                ps_path below = below_of(b);
                path = below ? common(&b->tree, below, caller, path) : caller;
                path = path ? path : caller;
        }
        path = sampled && path != PS_NONE ? sampled : path;
        p->since = now;
        uint32_t begins = p->begun == path && path;
        if (!begins)
                add_begun(b);
        p->begun = 0;
        add_piece(b, time, path, begins);
}

void ps_builder_charge_sample(ps_builder *b, ps_time until)
{
        struct ps_piecing *p = b->pieces;
        if (until <= p->since)
                return;
        add_begun(b);
        add_piece(b, until - p->since, p->sampled, 0);
        p->since = until;
}

void ps_builder_charge_rest(ps_builder *b, ps_time now)
{
        if (b->pieces && !b->stack.n && (below_of(b) || b->pieces->sampled))
                charge_piece(b, now, below_of(b));
}

/* -- visits -- */

void ps_builder_charge_watched(ps_builder *b, ps_time time)
{
        charge_piece(b, time, PS_NONE);
        ps_builder_charge_stay(b, time, 0);
}

void ps_builder_enter_slowly(ps_builder *b, ps_path node, ps_time time)
{
        struct ps_piecing *p = b->pieces;
        const ps_region_def *def = region_of(b, b->tree.node[node].place.region);
        charge_piece(b, time, b->tree.node[node].place.parent);
        ps_builder_charge_stay(b, time, 1);
        if (!p)
                return;
        p->left = 0;
        if (p->runs && def && ps_piecing_computes(def))
                p->begun = node;
}

void ps_builder_leave_slowly(ps_builder *b, uint32_t at, ps_time time)
{
        struct ps_piecing *p = b->pieces;
        if (p)
                p->left = at + 1 == b->stack.n ? b->stack.row[at].node : 0;
        ps_builder_charge_watched(b, time);
}

void ps_builder_enter_call(ps_builder *b, ps_path above, ps_path node, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        if (p->runs && ps_piecing_charge(p, above, enter)) {
                p->left = 0;
                ps_piecing_close(p, b->n_rows);
        } else {
                ps_builder_enter_slowly(b, node, enter);
                ps_builder_end_gap(b, enter);
        }
}

/* -- gaps -- */

/* The operation began before what was charged last had ended. */
static void take_back(struct ps_piecing *p, ps_time over)
{
        while (over > 0 && p->piece.n > p->first) {
                ps_piece *last = &p->piece.row[p->piece.n - 1];
                ps_time part = last->time < over ? last->time : over;
                last->time -= part;
                over -= part;
                p->piece.n -= !last->time;
        }
}

void ps_builder_end_gap_slowly(ps_builder *b, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        p->is_odd |= !p->runs || p->since > enter;
        charge_piece(b, enter, PS_NONE);
        if (p->runs && p->since > enter)
                take_back(p, p->since - enter);
        p->begun = 0;
        ps_piecing_close(p, b->n_rows);
}

/* -- the end -- */

void ps_builder_end_pieces(ps_builder *b)
{
        if (!b->pieces)
                return;
        struct ps_piecing *p = b->pieces;
        ps_builder_end_gap(b, b->info.n_events ? b->info.last : 0);
        p->end.n = b->n_rows + 1;
        p->is_full |= p->piece.n > p->most;
        ps_builder_share_samples(b);
        free(p->newest);
        p->newest = NULL;
}

bool ps_builder_has_pieces(const ps_builder *b)
{
        return !b || (b->pieces && !b->pieces->is_full);
}

void ps_builder_map_pieces(ps_builder *b, const ps_path *map)
{
        ps_path changed = 0;
        while (changed < b->tree.n && map[changed] == changed)
                changed++;
        if (changed == b->tree.n || !b->pieces)
                return;
        ps_piece *piece = b->pieces->piece.row, *behind = piece + b->pieces->piece.n;
        for (; piece < behind; piece++)
                if (piece->path != PS_NONE)
                        piece->path = map[piece->path];
}

/* A growing block has up to twice the room that it needs. */
static void *cut_block(void *block, size_t bytes)
{
        void *smaller = realloc(block, bytes ? bytes : 1);
        return smaller ? smaller : block;
}

ps_status ps_builder_give_pieces(ps_builder *b, ps_trace *trace, ps_error *err)
{
        struct ps_piecing *p = b->pieces;
        ps_pieces *out = &trace->pieces[b->location];
        *out = (ps_pieces){.end = cut_block(p->end.row, p->end.n * sizeof(*p->end.row)),
                           .piece = cut_block(p->piece.row, p->piece.n * sizeof(*p->piece.row)),
                           .n = p->piece.n,
                           .adds_up = !p->is_odd};
        p->end.row = NULL;
        p->piece.row = NULL;
        int failed = ps_arena_adopt(trace->arena, out->end) < 0;
        failed |= ps_arena_adopt(trace->arena, out->piece) < 0;
        return failed ? PS_NOMEM(err, "pieces", out->n) : PS_OK;
}
