/* sink.h - folds what is plain where it is decoded, so that no event is made of it.
 *
 * Nearly all records of a trace enter or leave a region, or are the only ones of their sort in a call of that
 * sort. What these do to call tree, rows and requests stands here, inline. Each function gives false, and
 * nothing has changed, where there is more to it: such a record goes the long way, as an event, through
 * ps_builder_add. */
#ifndef PS_CORE_FOLD_SINK_H
#define PS_CORE_FOLD_SINK_H

#include "core/fold/sink_calls.h"

/* A message as its record tells it. */
typedef struct ps_fold_message {
        struct address *at;
        uint32_t tag;
        uint64_t bytes;
} ps_fold_message;

/* -- records in calls -- */

/* `op` has ended in a call that goes on: how long before the call does is known when it is left. */
PS_FOLD_INLINE void ps_fold_await_end(ps_builder *b, ps_op op, ps_op in, ps_time time)
{
        if (is_open(b, in))
                PUSH(b, b->completions, (struct completion){time, op});
}

/* What tells the communicator of an address that begins with these bytes: behind the number of those of its
 * rank, and these, the number of its own. */
static inline uint32_t ps_fold_comm_bytes(uint64_t next)
{
        uint64_t comm = next >> (next & 3) * 8 >> 8;
        return comm & 0xff ? (uint32_t)comm : 0;
}

/* Where an address is kept that begins with these bytes: three tell it, and neighbours are told apart; where
 * there are many communicators, theirs, too. Calls of neighbouring paths that tell the same are kept side by
 * side, as programs go from one to the next. */
PS_FOLD_INLINE struct address *ps_fold_address(const ps_builder *b, uint64_t next, ps_path in)
{
        uint32_t tells = (uint32_t)(next << 8);
        if (b->addresses.are_of_many)
                tells ^= ps_fold_comm_bytes(next) & 0xffffff;
        return &b->addresses.row[(tells * UINT32_C(0x9e379e37) + (in << b->addresses.shift)) >>
                                 b->addresses.shift];
}

/* The address at that place becomes this one, of a communicator that the trace defines; NULL: nobody is
 * there.
 */
static inline struct address *ps_fold_find_address(ps_builder *b, uint64_t next, ps_path in, ps_comm comm,
                                                   uint32_t rank)
{
        if (ps_fold_address(b, next, in)->is_there)
                ps_addresses_take(b, &b->addresses);
        struct address *a = ps_fold_address(b, next, in);
        ps_loc location = ps_builder_location(b, ps_defs_peer(b->defs, comm, rank, b->process));
        *a = (struct address){.known = PS_NO_RECORD,
                              .known_size = PS_NO_RECORD_SIZE,
                              .is_there = location != PS_NONE,
                              .comm = comm,
                              .rank = rank,
                              .location = location,
                              .before = PS_NONE,
                              .varying = PS_NONE};
        return a->is_there ? a : NULL;
}

/* The location behind a rank, or PS_NONE. */
static inline ps_loc ps_fold_peer(ps_builder *b, ps_comm comm, uint32_t rank)
{
        const struct address *a = ps_fold_address(b, rank ^ comm, 0);
        if (!a->is_there || a->rank != rank || a->comm != comm)
                a = ps_fold_find_address(b, rank ^ comm, 0, comm, rank);
        return a ? a->location : PS_NONE;
}

/* Of the functions below each has two forms. `is_quick`: it calls nothing, which leaves it its registers, and
 * is false where it would have to. */
PS_FOLD_INLINE bool ps_fold_is_short(ps_time distance)
{
        return (uint64_t)distance < UINT32_MAX;
}

PS_FOLD_INLINE bool ps_fold_has_completions(const ps_builder *b)
{
        return b->completions.n != b->completions.cap;
}

PS_FOLD_INLINE void ps_fold_complete_at(ps_builder *b, ps_op start, ps_time time, bool is_quick)
{
        if (is_quick)
                b->completions.row[b->completions.n++] = (struct completion){time, start};
        else
                PUSH(b, b->completions, (struct completion){time, start});
}

/* The address is said once more with another length, while lengths are not looked for. */
PS_FOLD_INLINE bool ps_fold_learns_length(ps_builder *b, struct address *a, uint64_t bytes)
{
        struct ps_call call = b->calls.list.row[a->call];
        call.bytes = bytes;
        uint32_t number = ps_calls_number_near(&b->calls, &call);
        if (number == PS_NONE)
                return false;
        a->bytes = bytes;
        a->call = number;
        return true;
}

/* Is it known at the address what a row says of which `call` is all that it says so far? In the quick form
 * only if that was so the last time, but for the length. */
PS_FOLD_INLINE bool ps_fold_knows(ps_builder *b, struct row_block *rows, uint32_t at,
                                  const ps_fold_message *m, bool is_quick)
{
        struct address *a = m->at;
        const uint32_t call = rows->call[at];
        if (__builtin_expect(a->before == call && a->bytes == m->bytes, 1))
                return true;
        if (a->varying != call || m->bytes > UINT32_MAX) {
                if (is_quick)
                        return a->before == call && ps_fold_learns_length(b, a, m->bytes);
                if (!ps_rows_learn_call(b, a, call, m->bytes))
                        return false;
                if (a->varying != call || m->bytes > UINT32_MAX)
                        return true;
        }
        a->before = PS_NONE;
        a->call = a->own;
        rows->length[at] = (uint32_t)m->bytes;
        return true;
}

PS_FOLD_INLINE void ps_fold_fill(struct row_block *rows, uint32_t at, const ps_fold_message *m)
{
        rows->call[at] = m->at->call;
        rows->tag[at] = m->tag;
        rows->link[at] = m->at->rank;
}

/* `top` is the innermost call: here, and where requests and collective operations begin, its row must still
 * wait for such a record. */
PS_FOLD_INLINE bool ps_fold_send(ps_builder *b, struct frame *top, const ps_fold_message *m, ps_time time,
                                 bool is_quick)
{
        ps_time pre = time - top->enter;
        if (top->awaits != AWAITS_SEND || (is_quick && !ps_fold_is_short(pre)))
                return false;
        struct row_block *rows = ps_rows_block(b, top->row);
        uint32_t at = top->row % ROW_BLOCK;
        if (!ps_fold_knows(b, rows, at, m, is_quick))
                return false;
        top->awaits = AWAITS_NOTHING;
        rows->pre[at] = ps_rows_distance(b, top->row, 0, pre);
        ps_fold_fill(rows, at, m);
        return true;
}

PS_FOLD_INLINE bool ps_fold_recv(ps_builder *b, struct frame *top, const ps_fold_message *m, ps_time time,
                                 bool is_quick)
{
        if (top->awaits != AWAITS_RECV || (is_quick && !ps_fold_has_completions(b)))
                return false;
        struct row_block *rows = ps_rows_block(b, top->row);
        uint32_t at = top->row % ROW_BLOCK;
        if (!ps_fold_knows(b, rows, at, m, is_quick))
                return false;
        top->awaits = AWAITS_NOTHING;
        ps_fold_fill(rows, at, m);
        ps_fold_complete_at(b, top->row, time, is_quick);
        return true;
}

/* -- requests -- */

/* Starts what `m` (NULL: not known yet) and the request stand for: AWAITS_ISEND or AWAITS_IRECV. */
PS_FOLD_INLINE bool ps_fold_start(ps_builder *b, struct frame *top, uint8_t what, const ps_fold_message *m,
                                  uint64_t request, ps_time time, bool is_quick)
{
        ps_time pre = time - top->enter;
        if (top->awaits != what || (is_quick && !ps_fold_is_short(pre)))
                return false;
        struct row_block *rows = ps_rows_block(b, top->row);
        uint32_t at = top->row % ROW_BLOCK;
        if (m && !ps_fold_knows(b, rows, at, m, is_quick))
                return false;
        if (!(is_quick ? ps_ids_give_new_near(&b->requests, SPACE_REQUEST, request, top->row)
                       : ps_ids_give_new(&b->requests, SPACE_REQUEST, request, top->row)))
                return false;
        top->awaits = AWAITS_NOTHING;
        rows->pre[at] = ps_rows_distance(b, top->row, 0, pre);
        if (m)
                ps_fold_fill(rows, at, m);
        return true;
}

/* Is the call one that completes others? */
PS_FOLD_INLINE bool ps_fold_completes(struct frame *top)
{
        if (top->completion == PS_NONE) {
                if (top->awaits != AWAITS_DONE && top->awaits != AWAITS_ONE)
                        return false;
                top->completion = top->row;
                top->awaits = AWAITS_NOTHING;
        }
        return true;
}

/* What a record completes. */
enum { COMPLETES_SEND, COMPLETES_RECV, COMPLETES_COLL };

PS_FOLD_INLINE bool ps_fold_is_completed(int what, uint8_t kind)
{
        return what == COMPLETES_SEND   ? ps_kind_sends(kind)
               : what == COMPLETES_RECV ? ps_kind_receives(kind)
                                        : ps_kinds[kind].cls == PS_C_COLL;
}

PS_FOLD_INLINE void ps_fold_list(ps_builder *b, ps_op start, bool is_quick)
{
        if (is_quick)
                b->completed.row[b->completed.n++] = start;
        else
                PUSH(b, b->completed, start);
}

/* Row `done` completes one more. Mostly it is the one behind the last, and the first one tells all; else all
 * are listed. */
PS_FOLD_INLINE bool ps_fold_note_completed(ps_builder *b, ps_op done, ps_op start, bool is_quick)
{
        struct row_block *rows = ps_rows_block(b, done);
        const uint32_t at = done % ROW_BLOCK, n = rows->tag[at];
        const bool is_in_a_row = rows->flags[at] & PS_OP_IN_A_ROW;
        if (!n) {
                rows->link[at] = start;
                rows->flags[at] |= PS_OP_IN_A_ROW;
                b->ops.has_completed = true;
        } else if (!is_in_a_row || start != rows->link[at] + n) {
                if (is_quick && (is_in_a_row || b->completed.n == b->completed.cap))
                        return false;
                if (!is_quick && is_in_a_row)
                        ps_rows_list_completed(b, done);
                ps_fold_list(b, start, is_quick);
        }
        rows->tag[at] = n + 1;
        return true;
}

/* Completes it in the innermost call: *out is the row that started it. */
PS_FOLD_INLINE bool ps_fold_complete_as(ps_builder *b, struct frame *top, int what, const ps_fold_message *m,
                                        uint64_t request, ps_time time, bool is_quick, ps_op *out)
{
        ps_ids_page *open = is_quick ? ps_ids_find_near(&b->requests, SPACE_REQUEST, request)
                                     : ps_ids_find(&b->requests, SPACE_REQUEST, request);
        if (!open || (is_quick && !ps_fold_has_completions(b)))
                return false;
        ps_op start = *out = *ps_ids_row(open, request);
        struct row_block *rows = ps_rows_block(b, start);
        uint32_t at = start % ROW_BLOCK;
        if (!ps_fold_is_completed(what, rows->kind[at]) || (m && !ps_fold_knows(b, rows, at, m, is_quick)) ||
            !ps_fold_completes(top) || !ps_fold_note_completed(b, top->completion, start, is_quick))
                return false;
        if (is_quick)
                ps_ids_remove_near(open, request);
        else
                ps_ids_remove(&b->requests, open, request);
        rows->done[at] = top->completion;
        ps_fold_complete_at(b, start, time, is_quick);
        return true;
}

/* A receive or a send. */
PS_FOLD_INLINE bool ps_fold_complete(ps_builder *b, struct frame *top, bool is_recv, const ps_fold_message *m,
                                     uint64_t request, ps_time time, bool is_quick)
{
        ps_op start;
        if (!ps_fold_complete_as(b, top, is_recv ? COMPLETES_RECV : COMPLETES_SEND, m, request, time,
                                 is_quick, &start))
                return false;
        if (m)
                ps_fold_fill(ps_rows_block(b, start), start % ROW_BLOCK, m);
        return true;
}

/* -- calls of several messages or collective operations -- */

/* The kind of a row for a message in calls at this node: a Sendrecv has one for what it sends and one for
 * what it receives, and those that start persistent requests one for each. PS_K_NONE: of others, each has
 * one. */
PS_FOLD_INLINE ps_kind ps_fold_kind_of_several(const struct node *node, bool receives, bool has_request)
{
        if (node->kind == PS_K_SENDRECV_SEND && !has_request)
                return receives ? PS_K_SENDRECV_RECV : PS_K_SENDRECV_SEND;
        if (node->kind == PS_K_START && has_request)
                return receives ? PS_K_IRECV : PS_K_ISEND;
        return PS_K_NONE;
}

/* The row that comes next in such a call: its own where that waits for a record, or one more; collective
 * operations have one more, as they have a place in `received` from the start. */
PS_FOLD_INLINE ps_op ps_fold_next_of_several(const ps_builder *b, const struct frame *top, ps_kind kind)
{
        return top->awaits && kind != PS_K_COLLECTIVE ? top->row : b->n_rows;
}

PS_FOLD_INLINE ps_op ps_fold_row_of_several(ps_builder *b, struct frame *top, ps_kind kind)
{
        const struct node *node = ps_fold_node(b, top);
        ps_op op = ps_fold_next_of_several(b, top, kind);
        if (op == top->row) {
                CELL(b, kind, op) = (uint8_t)kind;
        } else {
                op = ps_fold_add_row(b, (uint8_t)kind, kind == PS_K_COLLECTIVE ? AWAITS_COLL : AWAITS_NOTHING,
                                     node->call, top->enter, b->is_watched);
                if (op == PS_NONE)
                        return op;
                CELL(b, flags, op) = PS_OP_PART;
                CELL(b, leave, top->last) = ROW_OPEN | op;
                top->last = op;
        }
        top->awaits = AWAITS_NOTHING;
        if (node->kind == PS_K_START)
                CELL(b, flags, op) |= PS_OP_PERSISTENT;
        return op;
}

/* One more in a call of the kind that such rows are for. `m`: NULL: not known yet; `request`: NULL:
 * it has none. */
PS_FOLD_INLINE bool ps_fold_one_of_several(ps_builder *b, struct frame *top, ps_kind kind,
                                           const ps_fold_message *m, const uint64_t *request, ps_time time)
{
        if (top->row == PS_NONE || (request && !ps_ids_give_new(&b->requests, SPACE_REQUEST, *request,
                                                                ps_fold_next_of_several(b, top, kind))))
                return false;
        ps_op op = ps_fold_row_of_several(b, top, kind);
        if (op == PS_NONE)
                return true; /* memory is out, and the builder's status tells */
        if (m && !ps_fold_knows(b, ps_rows_block(b, op), op % ROW_BLOCK, m, false)) {
                b->status = PS_NOMEM(&b->pool->err, "calls", b->calls.list.n);
                return true;
        }
        if (kind == PS_K_SENDRECV_RECV)
                ps_fold_complete_at(b, op, time, false);
        else
                CELL(b, pre, op) = ps_rows_distance(b, op, 0, time - top->enter);
        if (m)
                ps_fold_fill(ps_rows_block(b, op), op % ROW_BLOCK, m);
        return true;
}

#include "core/fold/sink_records.h"

#include "core/fold/sink_colls.h"

#endif
