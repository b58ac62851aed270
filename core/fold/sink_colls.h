/* sink_colls.h - the part of sink.h about collective operations, which stands behind all others. */
#ifndef PS_CORE_FOLD_SINK_COLLS_H
#define PS_CORE_FOLD_SINK_COLLS_H

#include "core/fold/sink.h"
#include "core/fold/sink_known.h"

/* What the record of a collective operation tells that is the same again and again: the address holds its
 * communicator, its kind as the rank, and its root's process as the location. */
typedef struct ps_fold_coll {
        ps_fold_message says;
        uint64_t received;
} ps_fold_coll;

/* The process that a root is, which is a rank, PS_ROOT_SELF or PS_NONE. */
static inline ps_proc ps_fold_root(const ps_builder *b, ps_comm comm, uint32_t root, ps_proc otherwise)
{
        return root == PS_ROOT_SELF  ? b->process
               : root < PS_ROOT_SELF ? ps_defs_peer(b->defs, comm, root, b->process)
                                     : otherwise;
}

/* The kind of its row, which the record tells only where the call does not name the operation, or is of one
 * of the sorts `unnamed`. */
PS_FOLD_INLINE uint8_t ps_fold_coll_kind(uint8_t of_call, uint8_t of_record, uint16_t unnamed)
{
        return of_call == PS_K_COLLECTIVE || ps_kinds[of_call].traits & unnamed ? of_record : of_call;
}

/* What such a record tells, which begins with these bytes. Its kind is that of the call at this node, if that
 * is one of it and names one; of calls that complete others the record's. */
static inline struct address *ps_fold_learn_coll(ps_builder *b, uint64_t bytes, ps_path in, ps_kind kind,
                                                 ps_comm comm, uint32_t root)
{
        const struct node *node = &b->tree.node[in];
        const bool names = node->kind < PS_K_COUNT && ps_kinds[node->kind].cls == PS_C_COLL;
        const struct address is = {.known = bytes,
                                   .is_there = true,
                                   .keeps_peer = root > PS_ROOT_SELF,
                                   .comm = comm,
                                   .rank = names ? ps_fold_coll_kind(node->kind, (uint8_t)kind, PS_T_RMA)
                                                 : (uint8_t)kind,
                                   .location = ps_fold_root(b, comm, root, PS_NONE),
                                   .before = PS_NONE,
                                   .varying = PS_NONE};
        return ps_fold_keep(b, &b->collectives, in, &is);
}

PS_FOLD_INLINE void ps_fold_received(ps_builder *b, ps_op op, uint64_t bytes)
{
        if (CELL(b, link, op) < b->received.n)
                b->received.row[CELL(b, link, op)] = bytes;
}

/* The row learns what the record tells. */
PS_FOLD_INLINE void ps_fold_fill_coll(ps_builder *b, ps_op op, const ps_fold_coll *coll, uint16_t unnamed)
{
        struct row_block *rows = ps_rows_block(b, op);
        uint32_t at = op % ROW_BLOCK;
        rows->kind[at] = ps_fold_coll_kind(rows->kind[at], (uint8_t)coll->says.at->rank, unnamed);
        rows->call[at] = coll->says.at->call;
        ps_fold_received(b, op, coll->received);
}

PS_FOLD_INLINE bool ps_fold_begin_coll(ps_builder *b, struct frame *top, ps_time time)
{
        if (top->awaits != AWAITS_COLL || top->coll != PS_NONE)
                return false;
        top->awaits = AWAITS_NOTHING;
        top->coll = top->row;
        top->marks |= MARK_COLL;
        top->completion = PS_NONE;
        CELL(b, pre, top->row) = ps_rows_distance(b, top->row, 0, time - top->enter);
        return true;
}

/* `unnamed`: as above; a collective of a window has a record of its own kind. */
PS_FOLD_INLINE bool ps_fold_end_coll(ps_builder *b, struct frame *top, const ps_fold_coll *coll,
                                     uint16_t unnamed, ps_time time, bool is_quick)
{
        ps_op op = top->coll;
        if (op == PS_NONE || (is_quick && !ps_fold_has_completions(b)) ||
            !ps_fold_knows(b, ps_rows_block(b, op), op % ROW_BLOCK, &coll->says, is_quick))
                return false;
        top->coll = PS_NONE;
        top->marks &= (uint8_t)~MARK_COLL;
        ps_fold_fill_coll(b, op, coll, unnamed);
        if (is_open(b, op))
                ps_fold_complete_at(b, op, time, is_quick);
        return true;
}

/* Begins one that does not block, in a call of its own or, unless that has to be quick, in one that starts
 * what is persistent. */
PS_FOLD_INLINE bool ps_fold_start_coll(ps_builder *b, struct frame *top, uint64_t request, ps_time time,
                                       bool is_quick)
{
        if (!ps_fold_start(b, top, AWAITS_COLL, NULL, request, time, is_quick) &&
            (is_quick || ps_fold_node(b, top)->kind != PS_K_START ||
             !ps_fold_one_of_several(b, top, PS_K_COLLECTIVE, NULL, &request, time)))
                return false;
        CELL(b, flags, top->last) |= PS_OP_NONBLOCKING;
        return true;
}

/* Completes it in the innermost call. */
PS_FOLD_INLINE bool ps_fold_complete_coll(ps_builder *b, struct frame *top, const ps_fold_coll *coll,
                                          uint64_t request, ps_time time, bool is_quick)
{
        ps_op start;
        if (!ps_fold_complete_as(b, top, COMPLETES_COLL, &coll->says, request, time, is_quick, &start))
                return false;
        ps_fold_fill_coll(b, start, coll, 0);
        return true;
}

#include "core/fold/sink_wholes.h"

#endif
