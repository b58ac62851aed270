/* pieces.c - room for what a location computes between its operations, and what becomes of it: see pieces.h.
 */
#include "core/fold/piecing.h"

#include "core/base/blocks.h"
#include "core/base/vector.h"

#include <stdlib.h>

/* Room at first, for so many events a piece and a gap: it costs nothing until it is used, unless it lies in a
 * file, and copying blocks that grow does. No more events are believed in than MOST_EXPECTED. */
enum { EVENTS_A_PIECE = 1, EVENTS_A_GAP = 3, MOST_EXPECTED = PS_AT_ONCE(1 << 18, 1 << 10) };

/* Of the room for pieces so much is kept for rows, which do not ask. */
enum { KEPT_FOR_ROWS = ROW_FRESH };

static void set_room(struct ps_piecing *p)
{
        uint32_t room = p->piece.cap - KEPT_FOR_ROWS;
        p->room = p->sampled ? 0 : room < p->most ? room : p->most;
        p->quick = p->sampled ? PS_NONE : p->first;
}

ps_status ps_builder_keep_pieces(ps_builder *b, uint32_t most, uint64_t n_events, ps_error *err)
{
        uint32_t n = n_events < MOST_EXPECTED ? (uint32_t)n_events : MOST_EXPECTED;
        struct ps_piecing *p = b->pieces = calloc(1, sizeof(*p));
        if (!p ||
            ps_memory_grow(&p->piece.row, &p->piece.cap, 2 * KEPT_FOR_ROWS + n / EVENTS_A_PIECE,
                           sizeof(*p->piece.row)) ||
            ps_memory_grow(&p->end.row, &p->end.cap, 2 * ROW_FRESH + n / EVENTS_A_GAP, sizeof(*p->end.row)))
                return PS_NOMEM(err, "pieces", 1);
        p->most = most;
        set_room(p);
        p->since = PS_TIME_MAX;
        p->in = PS_NONE;
        p->next = GAP_PLAIN;
        b->is_watched |= WATCH_PIECES;
        return PS_OK;
}

int ps_builder_make_piece_room(ps_builder *b)
{
        struct ps_piecing *p = b->pieces;
        if (p->piece.n > p->most)
                ps_piecing_stop(p);
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

bool ps_builder_pieces(const ps_builder *b, ps_pieces *pieces)
{
        const struct ps_piecing *p = b->pieces;
        *pieces =
                (ps_pieces){.end = p->end.row, .piece = p->piece.row, .n = p->piece.n, .adds_up = !p->is_odd};
        return !p->is_full;
}

void ps_builder_map_pieces(ps_builder *b, const ps_path *map)
{
        ps_path changed = 0;
        while (changed < b->tree.n && map[changed] == changed)
                changed++;
        if (changed == b->tree.n || !b->pieces)
                return;
        ps_piece *piece = b->pieces->piece.row, *behind = piece + b->pieces->piece.n;
        ps_blocks_look();
        if (!b->pieces->is_off) {
#pragma GCC unroll 4
                for (; piece < behind; piece++)
                        piece->path = map[piece->path];
        }
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
