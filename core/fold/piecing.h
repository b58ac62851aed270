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
        p->end.row[op] = p->piece.n;
}

/* There are too many. */
static inline void ps_piecing_stop(struct ps_piecing *p)
{
        p->is_full = true;
        p->next = 0;
        p->gap = PS_NONE;
}

/* Is this a gap, or does an operation go on? Somebody has asked. */
static inline bool ps_piecing_runs(const ps_builder *b)
{
        return b->pieces->gap == b->n_rows;
}

static inline void ps_piecing_put(struct ps_piecing *p, ps_time time, ps_path path, uint32_t begins)
{
        p->piece.row[p->piece.n++] = (ps_piece){time, path, begins};
}

/* The path has a place in `newest`. */
static inline void ps_piecing_put_newest(struct ps_piecing *p, ps_time time, ps_path path, uint32_t begins)
{
        ps_piecing_put(p, time, path, begins);
        p->newest[path] = p->piece.n;
}

static inline void ps_piecing_grow(ps_piece *piece, ps_time time, uint32_t begins)
{
        piece->time += time;
        piece->begins += begins;
}

/* The location has been in `path` until now, for at least so long, in a gap that is known; false, and nothing
 * has changed, where there is more to it. It calls nothing, so that whoever is plain needs no stack. */
PS_FOLD_INLINE bool ps_piecing_charge(struct ps_piecing *p, ps_path path, ps_time now, ps_time least)
{
        const ps_time time = now - p->since;
        const ps_path begun = p->begun;
        if (time < least || path >= p->n_newest || (begun && begun != path))
                return false;
        const uint32_t newest = p->newest[path], begins = begun != 0;
        if (newest > p->quick && !begun) {
                p->piece.row[newest - 1].time += time;
                p->since = now;
                return true;
        }
        if (newest > p->quick && p->piece.row[newest - 1].begins >= begins)
                ps_piecing_grow(&p->piece.row[newest - 1], time, begins);
        else if (p->piece.n < p->room)
                ps_piecing_put_newest(p, time, path, begins);
        else
                return false;
        p->since = now;
        p->begun = 0;
        return true;
}

/* An operation begins that is not entered, perhaps as soon as the region was around it: false, and nothing
 * has changed, where the gap before it is not plain. */
PS_FOLD_INLINE bool ps_piecing_ends_gap(ps_builder *b, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        if (!ps_piecing_runs(b) || b->is_off ||
            !((p->since == enter && !p->begun) || ps_piecing_charge(p, ps_piecing_place(b), enter, 0)))
                return false;
        ps_piecing_close(p, b->n_rows);
        return true;
}

/* Since when the gap runs, where nobody has asked in it, and what was done last was to leave an operation; or
 * PS_TIME_MAX or ROW_OPEN, which is later than all. */
PS_FOLD_INLINE ps_time ps_piecing_fresh(const ps_builder *b)
{
        uint32_t at = b->n_rows % ROW_BLOCK;
        assert(b->pieces);
        return at && b->pieces->gap != b->n_rows ? b->newest->leave[at - 1] : PS_TIME_MAX;
}

/* Only pieces are asked for, and it enters an operation right from `above`. Mostly it has been there since
 * the one before; then nobody has to know that a gap began. Else it is false: see ps_builder_enter_call(). */
PS_FOLD_INLINE bool ps_piecing_enters_call(ps_builder *b, ps_path above, ps_time enter)
{
        struct ps_piecing *p = b->pieces;
        ps_time since = ps_piecing_fresh(b);
        if (enter <= since || p->next != GAP_PLAIN)
                return false;
        p->piece.row[p->piece.n++] = (ps_piece){enter - since, above, 0};
        ps_piecing_close(p, b->n_rows);
        return true;
}

/* Does a row begin together with the one before it, as the receive of an MPI_Sendrecv does with its send?
 * Then there is no gap between them. */
PS_FOLD_INLINE bool ps_piecing_goes_on(const ps_builder *b, ps_time enter)
{
        const uint32_t at = b->n_rows % ROW_BLOCK;
        return at && b->newest->enter[at - 1] == enter && b->newest->leave[at - 1] >= ROW_OPEN &&
               !ps_piecing_runs(b);
}

/* An operation is begun that was not told before: see ps_builder_end_gap. */
PS_FOLD_INLINE void ps_piecing_end_gap(ps_builder *b, ps_time enter)
{
        if (b->pieces && ps_piecing_goes_on(b, enter))
                ps_piecing_close(b->pieces, b->n_rows);
        else
                ps_builder_end_gap(b, enter);
}

/* An operation has ended that is not left. */
PS_FOLD_INLINE void ps_builder_begin_gap(ps_builder *b, ps_time leave)
{
        struct ps_piecing *p = b->pieces;
        if (!p)
                return;
        p->gap = p->next ? b->n_rows : PS_NONE;
        p->first = p->piece.n;
        p->quick = p->sampled ? PS_NONE : p->first;
        p->since = leave;
}

#endif
