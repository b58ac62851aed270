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
        if (b->is_watched != WATCH_PIECES || p->runs != GAP_PLAIN || above == PS_NONE)
                return false;
        uint32_t n = p->piece.n;
        ps_time time = enter - p->since;
        if (time <= 0 || n >= p->room || p->end.n == p->end.cap)
                return false;
        ps_piecing_add(p, time, above, false);
        n++;
        p->since = enter;
        p->left = 0;
        p->runs = 0;
        p->first = n;
        p->end.row[p->end.n++] = n;
        return true;
}

/* It leaves the innermost region: mostly that of an operation, in which nothing is charged. */
PS_FOLD_INLINE void ps_builder_leave_watched(ps_builder *b, ps_path path, ps_time time)
{
        assert(b->pieces || b->is_watched != WATCH_PIECES);
        if (b->is_watched == WATCH_PIECES && !b->pieces->runs)
                b->pieces->left = path;
        else
                ps_builder_leave_charged(b, path, time);
}

/* An operation has ended. */
PS_FOLD_INLINE void ps_builder_begin_gap(ps_builder *b, ps_time leave)
{
        struct ps_piecing *p = b->pieces;
        if (!p)
                return;
        p->runs = p->next_runs;
        p->since = leave;
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
