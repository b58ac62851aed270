/* operations.c - operations, messages and collective operations. There may be too many to keep a row of each:
 * a thread has a few, which it fills in turn. */
#include "library/api/handle.h"

#include <stdatomic.h>
#include <stdlib.h>

/* -- operations -- */

size_t patscan_operation_count(const patscan_trace *trace, size_t location)
{
        return location < trace->trace->n_locs ? trace->trace->ops[location].n : 0;
}

static patscan_operation_row operation_row(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        ps_class cls = ps_kinds[ops->kind[ref.op]].cls;
        bool is_matched = ops->flags[ref.op] & PS_OP_MATCHED, has_tag = cls == PS_C_SEND || cls == PS_C_RECV;
        bool is_sized = has_tag || cls == PS_C_COLL || cls == PS_C_RMA;
        ps_ref partner = ps_op_partner(trace, ref);
        ps_ref done = ps_op_completion(trace, ref);
        bool goes_on = ps_op_goes_on(ops, ref.op) && done.loc == ref.loc;

        return (patscan_operation_row){
                .kind = ps_kinds[ops->kind[ref.op]].name,
                .location = ref.loc,
                .callpath = ps_op_path(ops, ref.op),
                .begin_s = ps_time_seconds(trace->measured.enter[ref.loc][ref.op]),
                .end_s = ps_time_seconds(trace->measured.leave[ref.loc][ref.op]),
                .peer = (has_tag && is_matched) || cls == PS_C_RMA ? ps_op_peer(ops, ref.op) : PATSCAN_NONE,
                .peer_operation = partner.op,
                .tag = has_tag ? ps_op_tag(ops, ref.op) : PATSCAN_NONE,
                .collective = cls == PS_C_COLL && is_matched ? trace->members[ops->link[ref.op]].coll
                                                             : PATSCAN_NONE,
                .completed_by = goes_on ? done.op : PATSCAN_NONE,
                .bytes = is_sized ? ps_op_bytes(ops, ref.op) : 0,
                .is_part = (ops->flags[ref.op] & PS_OP_PART) != 0};
}

const patscan_operation_row *patscan_operation(const patscan_trace *trace, size_t location, size_t i)
{
        static _Thread_local patscan_operation_row kept[PATSCAN_ROWS_KEPT];
        static _Thread_local unsigned at;

        if (i >= patscan_operation_count(trace, location))
                return NULL;
        patscan_operation_row *row = &kept[at++ % PATSCAN_ROWS_KEPT];
        *row = operation_row(trace->trace, (ps_ref){(ps_loc)location, (ps_op)i});
        return row;
}

/* -- messages -- */

/* Where every INDEX_EVERYth message stands; from there on they are counted. */
enum { INDEX_EVERY = 64 };

typedef struct ps_message_index {
        size_t n;
        ps_ref row[];
} ps_message_index;

static bool is_message(const ps_trace *trace, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &trace->ops[loc];
        return (ops->flags[op] & PS_OP_MATCHED) && ps_kinds[ops->kind[op]].cls == PS_C_SEND;
}

static ps_message_index *index_messages(const ps_trace *trace)
{
        ps_message_index *index =
                malloc(sizeof(*index) + (trace->n_operations / INDEX_EVERY + 1) * sizeof(*index->row));

        if (!index)
                return NULL;
        index->n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (ps_op op = 0; op < trace->ops[loc].n; op++)
                        if (is_message(trace, loc, op) && index->n++ % INDEX_EVERY == 0)
                                index->row[(index->n - 1) / INDEX_EVERY] = (ps_ref){loc, op};
        return index;
}

static const ps_message_index *message_index(const patscan_trace *handle)
{
        // NOLINTNEXTLINE(performance-no-int-to-ptr): const goes; what is told of the trace stays the same
        patscan_trace *trace = (patscan_trace *)(uintptr_t)handle;
        ps_message_index *index = atomic_load(&trace->messages);

        if (index)
                return index;
        pthread_mutex_lock(&trace->lock);
        index = atomic_load(&trace->messages);
        if (!index)
                atomic_store(&trace->messages, index = index_messages(trace->trace));
        pthread_mutex_unlock(&trace->lock);
        return index;
}

size_t patscan_message_count(const patscan_trace *trace)
{
        const ps_message_index *index = message_index(trace);
        return index ? index->n : 0;
}

static ps_ref next_message(const ps_trace *trace, ps_ref at)
{
        do {
                at.op++;
                while (at.op >= trace->ops[at.loc].n)
                        at = (ps_ref){at.loc + 1, 0};
        } while (!is_message(trace, at.loc, at.op));
        return at;
}

static patscan_message_row message_row(const ps_trace *trace, ps_ref send)
{
        const ps_ops *ops = &trace->ops[send.loc];
        ps_ref receive = ps_op_partner(trace, send), done = ps_op_completion(trace, receive);

        return (patscan_message_row){
                .sender = send.loc,
                .receiver = receive.loc,
                .send = send.op,
                .receive = receive.op,
                .tag = ps_op_tag(ops, send.op),
                .bytes = ps_op_bytes(ops, send.op),
                .send_s = ps_time_seconds(trace->measured.enter[send.loc][send.op]),
                .receive_s = done.op == PS_NONE ? ps_made_rows_seconds(0, false)
                                                : ps_time_seconds(trace->measured.leave[done.loc][done.op])};
}

const patscan_message_row *patscan_message(const patscan_trace *trace, size_t i)
{
        static _Thread_local patscan_message_row kept[PATSCAN_ROWS_KEPT];
        static _Thread_local unsigned at;
        const ps_message_index *index = message_index(trace);

        if (!index || i >= index->n)
                return NULL;
        ps_ref send = index->row[i / INDEX_EVERY];
        for (size_t n = i % INDEX_EVERY; n; n--)
                send = next_message(trace->trace, send);
        patscan_message_row *row = &kept[at++ % PATSCAN_ROWS_KEPT];
        *row = message_row(trace->trace, send);
        return row;
}

/* -- collective operations -- */

size_t patscan_collective_count(const patscan_trace *trace)
{
        return trace->trace->n_colls;
}

static void add_member(patscan_collective_row *row, const ps_trace *trace, const ps_member *member,
                       bool is_first)
{
        ps_ref ref = member->ref, done = ps_op_completion(trace, ref);
        double begin = ps_time_seconds(trace->measured.enter[ref.loc][ref.op]);

        row->sent_bytes += ps_op_bytes(&trace->ops[ref.loc], ref.op);
        row->received_bytes += member->received;
        row->first_begin_s = is_first || begin < row->first_begin_s ? begin : row->first_begin_s;
        row->last_begin_s = is_first || begin > row->last_begin_s ? begin : row->last_begin_s;
        if (done.op == PS_NONE)
                return;
        double end = ps_time_seconds(trace->measured.leave[done.loc][done.op]);
        row->last_end_s = !(end <= row->last_end_s) ? end : row->last_end_s;
}

static patscan_collective_row collective_row(const ps_trace *trace, const ps_coll *coll)
{
        patscan_collective_row row = {.kind = ps_kinds[coll->kind].name,
                                      .members = coll->n,
                                      .root = coll->root == PS_NONE ? PATSCAN_NONE
                                                                    : trace->members[coll->root].ref.loc,
                                      .complete = coll->complete != 0,
                                      .last_end_s = ps_made_rows_seconds(0, false)};

        for (uint32_t i = 0; i < coll->n; i++)
                add_member(&row, trace, &trace->members[coll->first + i], i == 0);
        return row;
}

const patscan_collective_row *patscan_collective(const patscan_trace *trace, size_t i)
{
        static _Thread_local patscan_collective_row kept[PATSCAN_ROWS_KEPT];
        static _Thread_local unsigned at;

        if (i >= trace->trace->n_colls)
                return NULL;
        patscan_collective_row *row = &kept[at++ % PATSCAN_ROWS_KEPT];
        *row = collective_row(trace->trace, &trace->trace->colls[i]);
        return row;
}
