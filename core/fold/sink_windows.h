/* sink_windows.h - the part of sink.h about records of windows, which belong to the call at the top. */
#ifndef PS_CORE_FOLD_SINK_WINDOWS_H
#define PS_CORE_FOLD_SINK_WINDOWS_H

#include "core/fold/sink_wholes.h"

/* windows.c: the target that a record tells which begins with these bytes: its address holds the window as
 * its communicator; or the collective operation, for which it has a kind as the others have, or PS_K_NONE in
 * PGAS programs. NULL: there is more to it. */
struct address *ps_fold_learn_target(ps_builder *b, uint64_t bytes, ps_path in, uint32_t window,
                                     uint32_t rank);
struct address *ps_fold_learn_window_coll(ps_builder *b, uint64_t bytes, ps_path in, uint32_t window,
                                          uint32_t root);
/* A transfer that the call completes was at this window. */
void ps_fold_wait_at_window(ps_builder *b, ps_op op, uint32_t window);

PS_FOLD_INLINE ps_comm ps_fold_comm_of_window(const ps_builder *b, uint32_t window)
{
        return window < b->defs->windows.n ? b->defs->windows.row[window].comm : PS_NONE;
}

/* Does no portion have the call, and is it none below another, which says what such a record means? Else
 * nothing below may be asked for. */
PS_FOLD_INLINE bool ps_fold_is_of_window(const ps_builder *b, const struct frame *top)
{
        return !b->debts && !(top->marks & MARK_INNER);
}

/* One is under way from now on, whatever of that number was: some recorders number transfers anew only once
 * others are over. `space`: what it is. */
PS_FOLD_INLINE bool ps_fold_get_under_way(ps_builder *b, uint32_t space, uint64_t id, ps_op op, bool is_quick)
{
        if (ps_ids_give_new_near(&b->requests, space, id, op))
                return true;
        ps_ids_page *page = ps_ids_find_near(&b->requests, space, id);
        if (page)
                *ps_ids_row(page, id) = op;
        else if (!is_quick)
                ps_requests_open(b, space, id, op);
        return page || !is_quick;
}

/* A transfer is begun, in a call of its own: PS_K_PUT, PS_K_GET or PS_K_ATOMIC. */
PS_FOLD_INLINE bool ps_fold_transfer(ps_builder *b, struct frame *top, ps_kind kind, const ps_fold_message *m,
                                     uint64_t id, ps_time time, bool is_quick)
{
        const ps_time pre = time - top->enter;
        if (top->awaits != AWAITS_TRANSFER || (is_quick && !ps_fold_is_short(pre)))
                return false;
        const ps_op op = top->row;
        struct row_block *rows = ps_rows_block(b, op);
        const uint32_t at = op % ROW_BLOCK;
        if (rows->kind[at] != kind || !ps_fold_knows(b, rows, at, m, is_quick))
                return false;
        if (!ps_fold_get_under_way(b, SPACE_RMA, id, op, is_quick))
                return false;
        top->awaits = AWAITS_NOTHING;
        rows->pre[at] = ps_rows_distance(b, op, 0, pre);
        rows->call[at] = m->at->call;
        return true;
}

/* A call of one transfer, which is all that happens in it; `is_over`: and is over with it. */
PS_FOLD_INLINE bool ps_fold_call_of_transfer(ps_builder *b, struct frame *top, struct node *node,
                                             const ps_fold_message *m, uint64_t id, bool is_over,
                                             const ps_fold_times *t)
{
        const ps_op op = b->n_rows;
        uint32_t at;
        struct row_block *rows;
        if (!ps_fold_are_short(t) || !(rows = ps_fold_whole_row(b, node, &at)) ||
            !ps_fold_knows(b, rows, at, m, true))
                return false;
        if (is_over ? b->requests.n_far || ps_ids_find_near(&b->requests, SPACE_RMA, id)
                    : !ps_fold_get_under_way(b, SPACE_RMA, id, op, true))
                return false;
        ps_fold_put_whole(b, top, node, rows, at, t);
        rows->pre[at] = (uint32_t)(t->begin - t->enter);
        rows->call[at] = m->at->call;
        if (is_over)
                rows->done[at] = op;
        return true;
}

/* The row that began one, which is not under way any more; PS_NONE: it is not known. */
PS_FOLD_INLINE ps_op ps_fold_end_under_way(ps_builder *b, uint32_t space, uint64_t id)
{
        ps_ids_page *page = ps_ids_find_near(&b->requests, space, id);
        if (!page)
                return b->requests.n_far ? ps_ids_drop(&b->requests, space, id) : PS_NONE;
        const ps_op op = *ps_ids_row(page, id);
        ps_ids_remove_near(page, id);
        return op;
}

/* It is over, in the call at the top. */
PS_FOLD_INLINE bool ps_fold_transferred(ps_builder *b, const struct frame *top, uint32_t window, uint64_t id,
                                        bool is_quick)
{
        const ps_op call = top->row;
        if (ps_fold_comm_of_window(b, window) == PS_NONE ||
            (is_quick &&
             (b->requests.n_far || call == PS_NONE || ps_kinds[CELL(b, kind, call)].cls == PS_C_COMPLETE)))
                return false;
        const ps_op start = ps_fold_end_under_way(b, SPACE_RMA, id);
        if (start == PS_NONE || call == PS_NONE)
                return true;
        CELL(b, done, start) = call;
        if (!is_quick)
                ps_fold_wait_at_window(b, call, window);
        return true;
}

/* Synchronisation of a window without a collective: the call's row learns of window, target and group. */
PS_FOLD_INLINE bool ps_fold_is_sync(const ps_builder *b, const struct frame *top)
{
        return top->row != PS_NONE && ps_kinds[CELL(b, kind, top->row)].cls == PS_C_RMA_SYNC;
}

/* The call waits for what others do to memory behind this window. */
PS_FOLD_INLINE bool ps_fold_wait_change(ps_builder *b, const struct frame *top, uint32_t window,
                                        bool is_quick)
{
        const ps_op call = top->row;
        if (call == PS_NONE || ps_kinds[CELL(b, kind, call)].cls != PS_C_COMPLETE)
                return true;
        if (!is_quick)
                ps_fold_wait_at_window(b, call, window);
        return !is_quick;
}

/* Did a record before it say the same of the row? */
PS_FOLD_INLINE bool ps_fold_repeats(const struct row_block *rows, uint32_t at, const ps_fold_message *m)
{
        return m->at->before != PS_NONE && m->at->call == rows->call[at] && m->at->bytes == m->bytes;
}

/* A lock, whose id are the bytes, is asked for, got or not (`how`: OTF2's type of lock), or given back at
 * `gives`. */
PS_FOLD_INLINE bool ps_fold_window_lock(ps_builder *b, const struct frame *top, const ps_fold_message *m,
                                        const uint8_t *how, bool is_denied, ps_time gives, bool is_quick)
{
        const ps_op op = top->row;
        if (!ps_fold_is_sync(b, top))
                return false;
        struct row_block *rows = ps_rows_block(b, op);
        const uint32_t at = op % ROW_BLOCK;
        const ps_time pre = gives - rows->enter[at];
        if ((!how && is_quick && !ps_fold_is_short(pre)) ||
            !(ps_fold_repeats(rows, at, m) || ps_fold_knows(b, rows, at, m, is_quick)))
                return false;
        rows->call[at] = m->at->call;
        rows->link[at] = 0;
        if (is_denied)
                rows->flags[at] |= PS_OP_CANCELLED;
        if (how)
                rows->tag[at] = *how;
        else
                rows->pre[at] = ps_rows_distance(b, op, 0, pre);
        return true;
}

/* A call that asks for a lock and gets it, or gives it back at t->begin, which is all that happens in it, but
 * for a transfer that is over; `how`: as above. */
PS_FOLD_INLINE bool ps_fold_call_of_lock(ps_builder *b, struct frame *top, struct node *node,
                                         const ps_fold_message *m, const uint8_t *how, const ps_fold_times *t)
{
        uint32_t at;
        struct row_block *rows;
        if ((!how && !ps_fold_is_short(t->begin - t->enter)) || !(rows = ps_fold_whole_row(b, node, &at)) ||
            !ps_fold_knows(b, rows, at, m, true))
                return false;
        ps_fold_put_whole(b, top, node, rows, at, t);
        rows->call[at] = m->at->call;
        rows->link[at] = 0;
        if (how)
                rows->tag[at] = *how;
        else
                rows->pre[at] = (uint32_t)(t->begin - t->enter);
        return true;
}

/* Where the transfer stands that is under way; NULL: there is more to it. */
PS_FOLD_INLINE ps_ids_page *ps_fold_under_way(const ps_builder *b, uint32_t window, uint64_t id)
{
        return ps_fold_comm_of_window(b, window) == PS_NONE || b->requests.n_far
                       ? NULL
                       : ps_ids_find_near(&b->requests, SPACE_RMA, id);
}

/* It is over in this call. */
PS_FOLD_INLINE void ps_fold_end_in_call(ps_builder *b, ps_ids_page *page, uint64_t id, ps_op call)
{
        const ps_op start = *ps_ids_row(page, id);
        ps_ids_remove_near(page, id);
        CELL(b, done, start) = call;
}

/* A collective operation of a PGAS program has ended, which its call names. */
PS_FOLD_INLINE bool ps_fold_end_pgas_coll(ps_builder *b, struct frame *top, const ps_fold_coll *coll,
                                          uint32_t level, ps_time time, bool is_quick)
{
        const ps_op op = top->coll;
        const uint8_t kind = CELL(b, kind, op);
        if (kind == PS_K_COLLECTIVE || ps_kinds[kind].traits & PS_T_RMA ||
            (is_quick && b->defs->levels_are_out_modes) || !ps_fold_end_coll(b, top, coll, 0, time, is_quick))
                return false;
        if (!is_quick)
                ps_builder_pgas_level(b, op, top, level);
        return true;
}

/* A collective operation has ended that is the window's, unless its call says otherwise. */
PS_FOLD_INLINE bool ps_fold_end_window_coll(ps_builder *b, struct frame *top, const ps_fold_coll *coll,
                                            uint32_t level, ps_time time, bool is_quick)
{
        if (top->coll == PS_NONE)
                return false;
        if (coll->says.at->rank == PS_K_NONE)
                return ps_fold_end_pgas_coll(b, top, coll, level, time, is_quick);
        const uint8_t kind = CELL(b, kind, top->coll);
        return (kind == PS_K_COLLECTIVE || ps_kinds[kind].traits & PS_T_RMA) &&
               ps_fold_end_coll(b, top, coll, 0, time, is_quick);
}

#endif
