/* pieces.c - see pieces.h.
 *
 * The correction of clocks moves single ends of operations forward, by less than their noise. What an
 * operation that ends later takes from the computation after it was done first in it; what an operation that
 * begins later leaves to the computation before it is done last. */
#include "core/model/pieces.h"

#include "core/base/memory.h"

static void shorten(ps_piece *piece, uint32_t n, ps_time by)
{
        for (uint32_t i = 0; i < n && by > 0; i++) {
                ps_time part = piece[i].time < by ? piece[i].time : by;
                piece[i].time -= part;
                by -= part;
        }
}

/* Where a gap without pieces is: in the caller of the operation that it is before, or behind the last one. */
static ps_path caller(const ps_trace *trace, ps_loc loc, ps_op gap)
{
        ps_op n = trace->ops[loc].n;
        return n ? ps_op_caller(trace, (ps_ref){loc, gap < n ? gap : n - 1}) : 0;
}

/* What there was may be somebody else's, too: it stays. */
static ps_status add_new(ps_trace *trace, ps_loc loc, uint32_t n_new, ps_error *err)
{
        ps_pieces *p = &trace->pieces[loc];
        ps_piece *all = ps_memory_new(((size_t)p->n + n_new) * sizeof(*all));
        uint32_t *ends = ps_memory_new((trace->ops[loc].n + (size_t)1) * sizeof(*ends)), n = 0, from = 0;
        const int failed = ps_arena_adopt(trace->arena, all) | ps_arena_adopt(trace->arena, ends);
        if (!all || !ends || failed)
                return PS_NOMEM(err, "pieces", p->n);
        for (ps_op gap = 0; gap <= trace->ops[loc].n; gap++) {
                uint32_t end = p->end[gap];
                if (from == end && ps_gap(trace, &trace->measured, loc, gap) > 0)
                        all[n++] = (ps_piece){0, caller(trace, loc, gap), 0};
                while (from < end)
                        all[n++] = p->piece[from++];
                ends[gap] = n;
        }
        p->end = ends;
        p->piece = all;
        p->n = n;
        return PS_OK;
}

/* How many gaps have grown from nothing, and so have no piece to fit. */
static uint32_t fit(ps_trace *trace, ps_loc loc)
{
        ps_pieces *p = &trace->pieces[loc];
        uint32_t n_new = 0, first = 0;
        for (ps_op gap = 0; gap <= trace->ops[loc].n; gap++) {
                uint32_t end = p->end[gap];
                ps_time more = ps_gap(trace, &trace->measured, loc, gap);
                for (uint32_t i = first; i < end; i++)
                        more = ps_time_sub(more, p->piece[i].time);
                if (more > 0 && first == end)
                        n_new++;
                else if (more > 0)
                        p->piece[end - 1].time += more;
                else if (more < 0)
                        shorten(p->piece + first, end - first, -more);
                first = end;
        }
        return n_new;
}

ps_status ps_pieces_settle_of(ps_trace *trace, ps_loc loc, ps_error *err)
{
        bool is_as_recorded = !trace->clock.repaired && !trace->clock.moved;
        const ps_pieces *p = &trace->pieces[loc];
        if (!p->end || (is_as_recorded && p->adds_up))
                return PS_OK;
        uint32_t n_new = fit(trace, loc);
        PS_TRY(n_new ? add_new(trace, loc, n_new, err) : PS_OK);
        if (n_new)
                fit(trace, loc);
        return PS_OK;
}

ps_status ps_pieces_settle(ps_trace *trace, ps_error *err)
{
        for (ps_loc loc = 0; trace->pieces && loc < trace->n_locs; loc++)
                PS_TRY(ps_pieces_settle_of(trace, loc, err));
        return PS_OK;
}
