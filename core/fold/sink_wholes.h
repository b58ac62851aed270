/* sink_wholes.h - the part of sink.h about calls whose records are folded at once: they need no frame, where
 * nobody asks where the location is but for pieces. */
#ifndef PS_CORE_FOLD_SINK_WHOLES_H
#define PS_CORE_FOLD_SINK_WHOLES_H

#include "core/fold/sink_colls.h"

/* When a call, and what its records tell of, began and ended. */
typedef struct ps_fold_times {
        ps_time enter, begin, end, leave;
} ps_fold_times;

/* Are these distances such as rows have? */
PS_FOLD_INLINE bool ps_fold_are_short(const ps_fold_times *t)
{
        return ((uint64_t)(t->begin - t->enter) | (uint64_t)(t->leave - t->end)) < UINT32_MAX;
}

/* The row that such a call at this node will have, if that may be; else NULL. */
PS_FOLD_INLINE struct row_block *ps_fold_whole_row(ps_builder *b, const struct node *node, uint32_t *at)
{
        if (!ps_fold_has_row(b))
                return NULL;
        *at = b->n_rows % ROW_BLOCK;
        b->newest->call[*at] = node->call;
        return b->newest;
}

/* It has it. */
PS_FOLD_INLINE void ps_fold_put_whole(ps_builder *b, struct frame *top, struct node *node,
                                      struct row_block *rows, uint32_t at, const ps_fold_times *t)
{
        const ps_time inclusive = t->leave - t->enter;
        rows->enter[at] = t->enter;
        rows->leave[at] = t->leave;
        rows->kind[at] = node->kind;
        rows->flags[at] = node->flags;
        node->visits++;
        node->inclusive += inclusive;
        node->exclusive += inclusive;
        top->below += inclusive;
        if (b->is_watched && !ps_piecing_enters_call(b, top->node, t->enter))
                ps_builder_enter_call(b, top->node, (ps_path)(node - b->tree.node), t->enter);
        b->n_rows++;
        b->left_since = t->leave;
}

/* A call that sends or receives one message. */
PS_FOLD_INLINE bool ps_fold_call_of_message(ps_builder *b, struct frame *top, struct node *node, bool is_recv,
                                            const ps_fold_message *m, const ps_fold_times *t)
{
        uint32_t at;
        struct row_block *rows;
        if (!ps_fold_are_short(t) || !(rows = ps_fold_whole_row(b, node, &at)) ||
            !ps_fold_knows(b, rows, at, m, true))
                return false;
        ps_fold_put_whole(b, top, node, rows, at, t);
        if (is_recv)
                rows->post[at] = (uint32_t)(t->leave - t->end);
        else
                rows->pre[at] = (uint32_t)(t->begin - t->enter);
        ps_fold_fill(rows, at, m);
        return true;
}

/* One that begins to, and does not block; `m`: NULL: not known yet. */
PS_FOLD_INLINE bool ps_fold_call_starts_message(ps_builder *b, struct frame *top, struct node *node,
                                                const ps_fold_message *m, uint64_t request,
                                                const ps_fold_times *t)
{
        uint32_t at;
        struct row_block *rows;
        if (!ps_fold_are_short(t) || !(rows = ps_fold_whole_row(b, node, &at)) ||
            (m && !ps_fold_knows(b, rows, at, m, true)) ||
            !ps_ids_give_new_near(&b->requests, SPACE_REQUEST, request, b->n_rows))
                return false;
        ps_fold_put_whole(b, top, node, rows, at, t);
        rows->pre[at] = (uint32_t)(t->begin - t->enter);
        if (m)
                ps_fold_fill(rows, at, m);
        return true;
}

/* A call of one collective operation. */
PS_FOLD_INLINE bool ps_fold_call_of_coll(ps_builder *b, struct frame *top, struct node *node,
                                         const ps_fold_coll *coll, const ps_fold_times *t)
{
        uint32_t at;
        struct row_block *rows;
        if (!ps_fold_are_short(t) || b->received.n == b->received.cap || ps_kind_is_of_team(node->kind) ||
            !(rows = ps_fold_whole_row(b, node, &at)) || !ps_fold_knows(b, rows, at, &coll->says, true))
                return false;
        ps_fold_put_whole(b, top, node, rows, at, t);
        rows->pre[at] = (uint32_t)(t->begin - t->enter);
        rows->post[at] = (uint32_t)(t->leave - t->end);
        rows->kind[at] = (uint8_t)coll->says.at->rank;
        rows->call[at] = coll->says.at->call;
        rows->link[at] = b->received.n;
        b->received.row[b->received.n++] = coll->received;
        return true;
}

/* A call that begins one, and does not block; nothing ends in it. */
PS_FOLD_INLINE bool ps_fold_call_starts_coll(ps_builder *b, struct frame *top, struct node *node,
                                             uint64_t request, const ps_fold_times *t)
{
        uint32_t at;
        struct row_block *rows;
        if (!ps_fold_are_short(t) || b->received.n == b->received.cap || ps_kind_is_of_team(node->kind) ||
            !(rows = ps_fold_whole_row(b, node, &at)) ||
            !ps_ids_give_new_near(&b->requests, SPACE_REQUEST, request, b->n_rows))
                return false;
        ps_fold_put_whole(b, top, node, rows, at, t);
        rows->pre[at] = (uint32_t)(t->begin - t->enter);
        rows->flags[at] |= PS_OP_NONBLOCKING;
        rows->link[at] = b->received.n;
        b->received.row[b->received.n++] = 0;
        return true;
}

/* One that completes what was begun before, and nothing else: *start is the row of that. `m` as above. */
PS_FOLD_INLINE bool ps_fold_call_completes(ps_builder *b, struct frame *top, struct node *node, int what,
                                           const ps_fold_message *m, uint64_t request, const ps_fold_times *t,
                                           ps_op *start)
{
        uint32_t at;
        struct row_block *rows;
        ps_ids_page *open = ps_ids_find_near(&b->requests, SPACE_REQUEST, request);
        if (!open || !ps_fold_are_short(t) || !(rows = ps_fold_whole_row(b, node, &at)))
                return false;
        const ps_op done = b->n_rows;
        *start = *ps_ids_row(open, request);
        struct row_block *begun = ps_rows_block(b, *start);
        const uint32_t begun_at = *start % ROW_BLOCK;
        if (!ps_fold_is_completed(what, begun->kind[begun_at]) ||
            (m && !ps_fold_knows(b, begun, begun_at, m, true)))
                return false;
        ps_ids_remove_near(open, request);
        ps_fold_put_whole(b, top, node, rows, at, t);
        (void)ps_fold_note_completed(b, done, *start, true); /* the first of them */
        begun->done[begun_at] = done;
        begun->post[begun_at] = (uint32_t)(t->leave - t->end);
        return true;
}

#include "core/fold/sink_windows.h"

#endif
