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

static inline void ps_piecing_add(struct ps_piecing *p, ps_time time, ps_path path, bool begins)
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

/* It enters the operation `node`, and has been above it since the one before: so it is mostly. */
PS_FOLD_INLINE bool ps_piecing_end_gap(ps_builder *b, ps_path node, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        ps_path path = ps_piecing_place(b);
        assert(p || b->is_watched != WATCH_PIECES);
        if (b->is_watched != WATCH_PIECES || !p->runs || p->end.n == p->end.cap ||
            b->tree.node[node].place.parent != path)
                return false;
        if (p->piece.n > p->first || p->begun) {
                if (!ps_piecing_charge(p, enter, path))
                        return false;
        } else {
                if (enter <= p->since || p->sampled || p->piece.n >= p->room)
                        return false;
                ps_piecing_add(p, enter - p->since, path, false);
                p->since = enter;
        }
        p->left = 0;
        p->runs = 0;
        p->first = p->piece.n;
        p->end.row[p->end.n++] = p->first;
        return true;
}

/* It enters a region. */
PS_FOLD_INLINE void ps_builder_enter_watched(ps_builder *b, ps_path node, const ps_region_def *def,
                                             ps_time time)
{
        struct ps_piecing *p = b->pieces;
        ps_path path = ps_piecing_place(b);
        assert(p || b->is_watched != WATCH_PIECES);
        if (b->is_watched != WATCH_PIECES || b->tree.node[node].place.parent != path ||
            (p->runs && !ps_piecing_charge(p, time, path))) {
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
