/* piecing.h - the computations between operations, where they are plain. That is nearly always, and at nearly
 * every record of a trace: so it is done in place. */
#ifndef PS_CORE_FOLD_PIECING_H
#define PS_CORE_FOLD_PIECING_H

#include "core/fold/builder.h"
#include "core/model/pieces.h"

#include <assert.h>

/* They are used in one loop for each format, which has its state in registers. */
#define PS_FOLD_INLINE __attribute__((always_inline)) static inline

/* In an operation, and where the trace says that somebody waits, nothing is computed, whatever is below. */
static inline bool ps_piecing_computes(const ps_region_def *def)
{
        return def->kind == PS_K_NONE && !def->idle;
}

PS_FOLD_INLINE void ps_piecing_add(struct ps_piecing *p, ps_time time, ps_path path, bool begins)
{
        p->piece.row[p->piece.n++] = (ps_piece){time, path, begins};
}

/* The gap's piece of this path, which may still grow, or none: behind the last one. The first one is looked
 * at first, so that of gaps of one piece nothing is to be remembered. */
PS_FOLD_INLINE uint32_t ps_piecing_newest(const struct ps_piecing *p, ps_path path)
{
        uint32_t n = p->piece.n, i = p->newest[path];
        if (n > p->first && i < p->first)
                i = p->first;
        return i >= p->first && i < n && p->piece.row[i].path == path ? i : n;
}

/* The location has been in `path` until now; false, and nothing has changed, where there is more to it. */
PS_FOLD_INLINE bool ps_piecing_charge(struct ps_piecing *p, ps_time now, ps_path path)
{
        ps_path begun = p->begun;
        ps_time time = now - p->since;
        uint32_t n = p->piece.n;
        if (time <= 0 || p->sampled || (begun && begun != path) || path >= p->n_newest || n >= p->room)
                return false;
        uint32_t i = ps_piecing_newest(p, path);
        ps_piece *piece = &p->piece.row[i];
        if (i < n && (!begun || piece->begins)) {
                piece->time += time;
                piece->begins += begun != 0;
        } else {
                p->newest[path] = n;
                ps_piecing_add(p, time, path, begun != 0);
        }
        p->since = now;
        p->begun = 0;
        return true;
}

/* The innermost region that is open. */
PS_FOLD_INLINE ps_path ps_piecing_place(const ps_builder *b)
{
        return b->stack.n ? b->stack.row[b->stack.n - 1].node : 0;
}

/* The same where `node` lies right below it; PS_NONE: it does not. */
PS_FOLD_INLINE ps_path ps_piecing_above(const ps_builder *b, ps_path node)
{
        ps_path path = ps_piecing_place(b);
        return b->tree.node[node].place.parent == path ? path : PS_NONE;
}

/* It enters an operation, and has been in `above`, right above it, since the one before: so it is mostly. */
PS_FOLD_INLINE bool ps_piecing_end_gap(ps_builder *b, ps_path above, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        assert(p || b->is_watched != WATCH_PIECES);
        if (b->is_watched != WATCH_PIECES || !p->runs || p->end.n == p->end.cap || above == PS_NONE)
                return false;
        uint32_t n = p->piece.n;
        if (n > p->first || p->begun) {
                if (!ps_piecing_charge(p, enter, above))
                        return false;
                n = p->piece.n;
        } else {
                ps_time time = enter - p->since;
                if (time <= 0 || p->sampled || n >= p->room)
                        return false;
                p->piece.row[n++] = (ps_piece){time, above, 0};
                p->piece.n = n;
                p->since = enter;
        }
        p->left = 0;
        p->runs = 0;
        p->first = n;
        p->end.row[p->end.n++] = n;
        return true;
}

/* It enters a region: from `above`, right above it, or from PS_NONE, which is elsewhere. */
PS_FOLD_INLINE void ps_builder_enter_watched(ps_builder *b, ps_path above, ps_path node,
                                             const ps_region_def *def, ps_time time)
{
        struct ps_piecing *p = b->pieces;
        assert(p || b->is_watched != WATCH_PIECES);
        if (b->is_watched != WATCH_PIECES || above == PS_NONE ||
            (p->runs && !ps_piecing_charge(p, time, above))) {
                ps_builder_enter_slowly(b, node, def, time);
                return;
        }
        p->left = 0;
        if (p->runs && def && ps_piecing_computes(def))
                p->begun = node;
}

/* It leaves the innermost region. */
PS_FOLD_INLINE void ps_builder_leave_watched(ps_builder *b, ps_path path, ps_time time)
{
        struct ps_piecing *p = b->pieces;
        assert(p || b->is_watched != WATCH_PIECES);
        if (b->is_watched != WATCH_PIECES || (p->runs && !ps_piecing_charge(p, time, path)))
                ps_builder_leave_slowly(b, b->stack.n - 1, time);
        else
                p->left = path;
}

/* An operation has ended. */
PS_FOLD_INLINE void ps_builder_begin_gap(ps_builder *b, ps_time leave)
{
        if (!b->pieces)
                return;
        b->pieces->runs = (uint8_t)!b->pieces->is_full;
        b->pieces->since = leave;
}

/* An operation is begun: mostly, entering the region of the call has just charged all. */
static inline void ps_builder_end_gap(ps_builder *b, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        if (!p)
                return;
        if (!p->runs || p->since != enter || p->begun || p->end.n == p->end.cap) {
                ps_builder_end_gap_slowly(b, enter);
                return;
        }
        p->runs = 0;
        p->first = p->piece.n;
        p->end.row[p->end.n++] = p->first;
}

#endif
