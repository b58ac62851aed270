/* sink.h - folds what is plain where it is decoded, so that no event is made of it.
 *
 * Nearly all records of a trace enter or leave a region, or are the only ones of their sort in a call of that
 * sort. What these do to call tree, rows and requests stands here, inline. Each function gives false, and
 * nothing has changed, where there is more to it: such a record goes the long way, as an event, through
 * ps_builder_add. */
#ifndef PS_CORE_FOLD_SINK_H
#define PS_CORE_FOLD_SINK_H

#include "core/fold/piecing.h"

#include <assert.h>
#include <string.h>

/* A message as its record tells it: the communicator is one that the trace defines. */
typedef struct ps_fold_message {
        ps_comm comm;
        uint32_t rank, tag;
        uint64_t bytes;
} ps_fold_message;

/* -- calls -- */

/* May records be folded here now? The first event, and those behind the end, go the long way. */
PS_FOLD_INLINE bool ps_fold_is_ready(const ps_builder *b)
{
        return b->info.n_events && !b->has_ended && b->status == PS_OK && !b->visits.is_wanted;
}

/* `n` records were folded, the last at `time`; each was counted by its code. */
PS_FOLD_INLINE void ps_fold_note_events(ps_builder *b, uint64_t n, ps_time time)
{
        b->info.n_events += n;
        b->info.last = n ? time : b->info.last;
}

PS_FOLD_INLINE void ps_fold_count(ps_builder *b, unsigned code)
{
        b->info.events_by_code[code]++;
}

PS_FOLD_INLINE ps_op ps_fold_add_row(ps_builder *b, ps_kind kind, ps_path path, ps_time enter,
                                     bool is_watched)
{
        ps_op op = b->n_rows;
        if (op % ROW_FRESH == 0 && ps_rows_room(b) < 0)
                return PS_NONE;
        if (is_watched)
                ps_builder_end_gap(b, enter);
        b->n_rows = op + 1;
        CELL(b, enter, op) = enter;
        CELL(b, path, op) = path;
        CELL(b, kind, op) = (uint8_t)kind;
        if (ps_kinds[kind].cls == PS_C_COLL) {
                CELL(b, link, op) = b->received.n;
                PUSH(b, b->received, 0);
        } else if (ps_kinds[kind].cls == PS_C_COMPLETE) {
                CELL(b, link, op) = b->completed.n;
        }
        return op;
}

PS_FOLD_INLINE bool ps_fold_is_child(const ps_path_node *place, ps_path parent, ps_region region)
{
        uint64_t where, site, frame, plain;
        memcpy(&where, &place->parent, sizeof(where));
        memcpy(&site, &place->site_file, sizeof(site));
        memcpy(&frame, &place->frame_file, sizeof(frame));
        memcpy(&plain, (uint32_t[]){parent, region}, sizeof(plain));
        return where == plain && !(site | frame);
}

/* The frame at the top of the stack; NULL: nothing is open. */
PS_FOLD_INLINE struct frame *ps_fold_top(const ps_builder *b)
{
        return b->stack.n ? &b->stack.row[b->stack.n - 1] : NULL;
}

/* May a region be entered without more to it than a frame and a row? */
PS_FOLD_INLINE bool ps_fold_may_enter(const ps_builder *b, const ps_region_def *def,
                                      const struct frame *outer)
{
        return def->is_plain && b->stack.n != b->stack.cap &&
               !(outer && outer->marks & (MARK_PGAS | MARK_INNER));
}

/* `above`: where it is entered from, if `node` lies right below that, or PS_NONE. */
PS_FOLD_INLINE void ps_fold_push(ps_builder *b, ps_path above, ps_path node, ps_region region, ps_time time,
                                 bool is_watched)
{
        const ps_region_def *def = &b->defs->regions.row[region];
        b->tree.node[node].use.visits++;
        bool has_gap = is_watched && def->kind != PS_K_NONE && ps_piecing_end_gap(b, above, time);
        if (is_watched && !has_gap)
                ps_builder_enter_watched(b, above, node, def, time);
        assert(b->stack.row); /* there is room in it */
        struct frame *f = &b->stack.row[b->stack.n];
        *f = (struct frame){.node = node,
                            .region = region,
                            .enter = time,
                            .row = PS_NONE,
                            .last = PS_NONE,
                            .coll = PS_NONE,
                            .completion = PS_NONE,
                            .pending = b->completions.n,
                            .def = def};
        b->stack.n++;
        if (def->kind == PS_K_NONE)
                return;
        f->row = f->last = ps_fold_add_row(b, (ps_kind)def->kind, node, time, is_watched && !has_gap);
        if (def->nonblocking && f->row != PS_NONE)
                CELL(b, flags, f->row) = PS_OP_NONBLOCKING;
}

/* `region` is one that the trace defines, its call without a known site; `is_watched` is what the builder
 * says, which only what is not plain can change. */
PS_FOLD_INLINE bool ps_fold_enter(ps_builder *b, ps_region region, ps_time time, bool is_watched)
{
        struct frame *outer = ps_fold_top(b);
        if (!ps_fold_may_enter(b, &b->defs->regions.row[region], outer))
                return false;
        ps_path parent = outer ? outer->node : 0;
        ps_path node = ps_tree_guess(&b->tree, parent);
        if (ps_fold_is_child(&b->tree.node[node].place, parent, region))
                b->tree.node[parent].last = node;
        else if (!(node = ps_builder_find_node(b, parent, &(ps_event){.ref = region})))
                return false;
        ps_fold_push(b, parent, node, region, time, is_watched);
        return true;
}

/* The same for a calling context that the trace defines. Where it was never entered before it goes the long
 * way, which makes its node. */
PS_FOLD_INLINE bool ps_fold_enter_context(ps_builder *b, uint32_t context, ps_time time, bool is_watched)
{
        ps_path node = b->node_of_context ? b->node_of_context[context] : 0;
        ps_region region = b->defs->contexts.row[context].region;
        if (!node || region >= b->defs->regions.n ||
            !ps_fold_may_enter(b, &b->defs->regions.row[region], ps_fold_top(b)))
                return false;
        ps_fold_push(b, is_watched ? ps_piecing_above(b, node) : 0, node, region, time, is_watched);
        return true;
}

/* The rows of a call get its end, and what ended in it its distance from there. */
PS_FOLD_INLINE void ps_fold_close_rows(ps_builder *b, const struct frame *f, ps_time time, bool is_watched)
{
        for (ps_op op = f->row, next; op != PS_NONE; op = next) {
                next = (ps_op)CELL(b, leave, op);
                CELL(b, leave, op) = time;
        }
        if (is_watched && f->last == b->n_rows - 1)
                ps_builder_begin_gap(b, time);
        for (; b->completions.n > f->pending; b->completions.n--) {
                const struct completion *c = &b->completions.row[b->completions.n - 1];
                CELL(b, post, c->start) = ps_rows_distance(b, c->start, 1, time - c->time);
        }
}

/* Charges a frame's time to its node and to the frame below it, and closes its rows. */
PS_FOLD_INLINE void ps_fold_settle(ps_builder *b, struct frame *f, ps_time time, bool is_watched)
{
        ps_time inclusive = time - f->enter;
        b->left_since = time;
        ps_path_use *use = &b->tree.node[f->node].use;
        use->inclusive += inclusive;
        use->exclusive += inclusive - f->below;
        if (f > b->stack.row)
                f[-1].below += inclusive - f->overlap;
        if (f->row != PS_NONE)
                ps_fold_close_rows(b, f, time, is_watched);
}

PS_FOLD_INLINE bool ps_fold_leave(ps_builder *b, ps_region region, ps_time time, bool is_watched)
{
        struct frame *f = ps_fold_top(b);
        if (!f || f->region != region || f->coll != PS_NONE || f->marks & ~MARK_INNER)
                return false;
        if (is_watched)
                ps_builder_leave_watched(b, f->node, time);
        ps_fold_settle(b, f, time, is_watched);
        b->stack.n--;
        return true;
}

/* -- records in calls -- */

/* `op` has ended in a call that goes on: how long before the call does is known when it is left. */
PS_FOLD_INLINE void ps_fold_await_end(ps_builder *b, ps_op op, ps_op in, ps_time time)
{
        if (is_open(b, in))
                PUSH(b, b->completions, (struct completion){time, op});
}

PS_FOLD_INLINE void ps_fold_received(ps_builder *b, ps_op op, uint64_t bytes)
{
        if (CELL(b, link, op) < b->received.n)
                b->received.row[CELL(b, link, op)] = bytes;
}

/* The location behind a rank, or PS_NONE. */
PS_FOLD_INLINE ps_loc ps_fold_peer(ps_builder *b, ps_comm comm, uint32_t rank)
{
        struct peer *known = &b->peers[(rank ^ comm) % PEERS_KNOWN];
        if (known->rank != rank || known->comm != comm)
                *known = (struct peer){comm, rank,
                                       ps_builder_location(b, ps_defs_peer(b->defs, comm, rank, b->process))};
        return known->location;
}

PS_FOLD_INLINE void ps_fold_fill(ps_builder *b, ps_op op, const ps_fold_message *m, ps_loc peer)
{
        CELL(b, comm, op) = m->comm;
        CELL(b, tag, op) = m->tag;
        CELL(b, bytes, op) = m->bytes;
        CELL(b, peer, op) = peer;
        CELL(b, link, op) = m->rank;
}

/* The innermost call, if its row still waits for a record of this sort. A record of a message only fits a
 * call that `blocks` as it does. */
PS_FOLD_INLINE struct frame *ps_fold_claimed(const ps_builder *b, ps_class cls, bool blocks)
{
        struct frame *f = ps_fold_top(b);
        if (!f || f->row == PS_NONE || f->used)
                return NULL;
        const ps_kind_info *call = &ps_kinds[f->def->kind];
        return call->cls == cls && (cls == PS_C_COLL || !(call->traits & PS_T_BLOCKING) == !blocks) ? f
                                                                                                    : NULL;
}

PS_FOLD_INLINE bool ps_fold_send(ps_builder *b, const ps_fold_message *m, ps_time time)
{
        struct frame *f = ps_fold_claimed(b, PS_C_SEND, true);
        ps_loc peer = f ? ps_fold_peer(b, m->comm, m->rank) : PS_NONE;
        if (peer == PS_NONE)
                return false;
        f->used = 1;
        CELL(b, pre, f->row) = ps_rows_distance(b, f->row, 0, time - f->enter);
        ps_fold_fill(b, f->row, m, peer);
        return true;
}

PS_FOLD_INLINE bool ps_fold_recv(ps_builder *b, const ps_fold_message *m, ps_time time)
{
        struct frame *f = ps_fold_claimed(b, PS_C_RECV, true);
        ps_loc peer = f ? ps_fold_peer(b, m->comm, m->rank) : PS_NONE;
        if (peer == PS_NONE)
                return false;
        f->used = 1;
        ps_fold_fill(b, f->row, m, peer);
        PUSH(b, b->completions, (struct completion){time, f->row});
        return true;
}

/* -- requests -- */

/* Starts what `m` (NULL: not known yet) and the request stand for. */
PS_FOLD_INLINE bool ps_fold_start(ps_builder *b, ps_class cls, const ps_fold_message *m, uint64_t request,
                                  ps_time time)
{
        struct frame *f = ps_fold_claimed(b, cls, false);
        ps_loc peer = f && m ? ps_fold_peer(b, m->comm, m->rank) : PS_NONE;
        if (!f || (m && peer == PS_NONE) || !ps_ids_give_new(&b->requests, SPACE_REQUEST, request, f->row))
                return false;
        f->used = 1;
        CELL(b, pre, f->row) = ps_rows_distance(b, f->row, 0, time - f->enter);
        if (m)
                ps_fold_fill(b, f->row, m, peer);
        return true;
}

/* Completes it in the innermost call. */
PS_FOLD_INLINE bool ps_fold_complete(ps_builder *b, ps_class cls, const ps_fold_message *m, uint64_t request,
                                     ps_time time)
{
        ps_id *open = ps_ids_find(&b->requests, SPACE_REQUEST, request);
        struct frame *f = ps_fold_top(b);
        if (!open || !f || ps_kinds[CELL(b, kind, open->row)].cls != cls)
                return false;
        ps_loc peer = m ? ps_fold_peer(b, m->comm, m->rank) : PS_NONE;
        if (m && peer == PS_NONE)
                return false;
        if (f->completion == PS_NONE) {
                if (f->row == PS_NONE || ps_kinds[CELL(b, kind, f->row)].cls != PS_C_COMPLETE)
                        return false;
                f->completion = f->row;
                f->used = 1;
        }
        ps_op start = open->row;
        ps_ids_remove(&b->requests, open);
        CELL(b, done, start) = f->completion;
        CELL(b, tag, f->completion)++;
        PUSH(b, b->completed, start);
        PUSH(b, b->completions, (struct completion){time, start});
        if (m)
                ps_fold_fill(b, start, m, peer);
        return true;
}

/* -- collective operations -- */

PS_FOLD_INLINE bool ps_fold_begin_coll(ps_builder *b, ps_time time)
{
        struct frame *f = ps_fold_claimed(b, PS_C_COLL, true);
        if (!f || f->coll != PS_NONE)
                return false;
        f->used = 1;
        f->coll = f->row;
        f->completion = PS_NONE;
        CELL(b, pre, f->row) = ps_rows_distance(b, f->row, 0, time - f->enter);
        return true;
}

/* `root` is a rank, PS_ROOT_SELF or PS_NONE. */
PS_FOLD_INLINE bool ps_fold_end_coll(ps_builder *b, ps_kind kind, ps_comm comm, uint32_t root, uint64_t sent,
                                     uint64_t received, ps_time time)
{
        struct frame *f = ps_fold_top(b);
        if (!f || f->coll == PS_NONE)
                return false;
        ps_op op = f->coll;
        uint8_t *is = &CELL(b, kind, op);
        f->coll = PS_NONE;
        if (*is == PS_K_COLLECTIVE || ps_kinds[*is].traits & PS_T_RMA)
                *is = (uint8_t)kind;
        CELL(b, comm, op) = comm;
        CELL(b, bytes, op) = sent;
        ps_fold_received(b, op, received);
        if (root == PS_ROOT_SELF)
                CELL(b, peer, op) = b->process;
        else if (root < PS_ROOT_SELF)
                CELL(b, peer, op) = ps_defs_peer(b->defs, comm, root, b->process);
        ps_fold_await_end(b, op, op, time);
        return true;
}

#endif
