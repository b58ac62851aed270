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

/* The innermost region that is open. */
PS_FOLD_INLINE ps_path ps_piecing_place(const ps_builder *b)
{
        return b->stack.n ? b->stack.row[b->stack.n - 1].node : 0;
}

/* All is charged, and the operation `op` is begun. There is room for its gap, as for its row, and for one
 * piece a row: see ps_builder_make_piece_room. */
PS_FOLD_INLINE void ps_piecing_close(struct ps_piecing *p, ps_op op)
{
        uint32_t n = p->piece.n;
        p->runs = 0;
        p->first = n;
        p->end.row[op] = n;
}

/* -- where only pieces are asked for -- */

/* It enters an operation right from `above`, and mostly has been there since the one before. */
PS_FOLD_INLINE void ps_piecing_enter_call(ps_builder *b, ps_path above, ps_path node, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        assert(p);
        ps_time time = enter - p->since;
        if (p->runs != GAP_PLAIN || time <= 0) {
                ps_builder_enter_call(b, above, node, enter);
                return;
        }
        p->left = 0;
        p->piece.row[p->piece.n++] = (ps_piece){time, above, 0};
        ps_piecing_close(p, b->n_rows);
}

/* It enters a region of the program's own right from `above`. */
PS_FOLD_INLINE void ps_piecing_enter(ps_builder *b, ps_path above, ps_path node, ps_time time)
{
        struct ps_piecing *p = b->pieces;
        assert(p);
        if (!p->runs)
                p->left = 0;
        else if (ps_piecing_charge(p, above, time))
                p->left = 0, p->begun = node;
        else
                ps_builder_enter_slowly(b, node, time);
}

/* It leaves the innermost region: mostly that of an operation, in which nothing is charged. */
PS_FOLD_INLINE void ps_piecing_leave(ps_builder *b, ps_path path, ps_time time)
{
        struct ps_piecing *p = b->pieces;
        assert(p);
        if (!p->runs || ps_piecing_charge(p, path, time))
                p->left = path;
        else
                ps_builder_leave_slowly(b, b->stack.n - 1, time);
}

/* -- whatever is asked for -- */

/* An operation has ended. */
PS_FOLD_INLINE void ps_piecing_begin_gap(struct ps_piecing *p, ps_time leave)
{
        p->runs = p->next_runs;
        p->since = leave;
}

PS_FOLD_INLINE void ps_builder_begin_gap(ps_builder *b, ps_time leave)
{
        if (b->pieces)
                ps_piecing_begin_gap(b->pieces, leave);
}

/* An operation is begun, whose row is the next one: mostly, entering the region of the call has just charged
 * all. */
static inline void ps_builder_end_gap(ps_builder *b, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        if (!p)
                return;
        if (!p->runs || p->since != enter || p->begun)
                ps_builder_end_gap_slowly(b, enter);
        else
                ps_piecing_close(p, b->n_rows);
}

#endif
