/* replayed_records.c - see replayed_records.h. The inverse of core/fold/records.c. */
#include "core/views/replayed_records.h"

#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

/* -- the list -- */

static void put_record(ps_records *r, uint32_t first, ps_event event)
{
        ps_record_list *l = &r->list;
        if (PS_ROOM(l->at, l->n, l->cap)) {
                l->failed = 1;
                return;
        }
        event.code = UINT16_MAX; /* no type of record of the format */
        uint32_t i = l->n++;
        for (; i > first && l->at[i - 1].time > event.time; i--)
                l->at[i] = l->at[i - 1];
        l->at[i] = event;
}

/* -- ranks -- */

static void learn_ranks(ps_records *r, ps_comm comm)
{
        const ps_comm_def *def = &r->trace->defs.comms.row[comm];
        const uint32_t *groups[] = {def->members, def->members_b}, n[] = {def->n_members, def->n_members_b};
        r->has_ranks[comm] = 1;
        for (int g = 0; g < 2; g++)
                for (uint32_t i = 0; i < n[g]; i++)
                        if (groups[g][i] != PS_NONE && !ps_map_at(&r->ranks, comm, groups[g][i], i))
                                r->list.failed = 1;
}

/* The members of a team are locations, and both groups of an intercommunicator count from 0. */
static uint32_t rank_of(ps_records *r, ps_comm comm, uint32_t member)
{
        if (comm >= r->trace->defs.comms.n || member == PS_NONE)
                return PS_NONE;
        if (r->trace->defs.comms.row[comm].self)
                return 0;
        if (!r->has_ranks[comm])
                learn_ranks(r, comm);
        return (uint32_t)ps_map_get(&r->ranks, comm, member, PS_NONE);
}

/* -- rows -- */

static uint64_t request_of(ps_ref start)
{
        return ps_ref_place(start) + 1;
}

static ps_event message_of(ps_records *r, ps_ref ref, ps_event_kind kind, ps_time time)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        return (ps_event){.kind = (uint8_t)kind,
                          .time = time,
                          .peer = rank_of(r, ps_op_comm(ops, ref.op),
                                          ps_trace_process(r->trace, ps_op_peer(ops, ref.op))),
                          .comm = ps_op_comm(ops, ref.op),
                          .tag = ps_op_tag(ops, ref.op),
                          .bytes = ps_op_bytes(ops, ref.op),
                          .request = request_of(ref)};
}

/* A row without a communicator is a call that no record tells of. */
static void add_send(ps_records *r, ps_ref ref, uint32_t first)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        int blocks = ps_kinds[ops->kind[ref.op]].traits & PS_T_BLOCKING;
        if (ps_op_comm(ops, ref.op) != PS_NONE)
                put_record(r, first,
                           message_of(r, ref, blocks ? PS_EV_SEND : PS_EV_ISEND,
                                      ps_op_record_begin(r->trace, r->timing, ref)));
}

static void add_receive(ps_records *r, ps_ref ref, uint32_t first)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        if (!(ps_kinds[ops->kind[ref.op]].traits & PS_T_BLOCKING))
                put_record(r, first,
                           (ps_event){.kind = PS_EV_IRECV_POST,
                                      .time = ps_op_record_begin(r->trace, r->timing, ref),
                                      .request = request_of(ref)});
        else if (ps_op_comm(ops, ref.op) != PS_NONE)
                put_record(r, first,
                           message_of(r, ref, PS_EV_RECV, ps_op_record_end(r->trace, r->timing, ref)));
}

static uint64_t received_by(const ps_records *r, ps_ref ref)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        return ops->flags[ref.op] & PS_OP_MATCHED ? r->trace->members[ops->link[ref.op]].received : 0;
}

static ps_event collective_of(ps_records *r, ps_ref ref, ps_event_kind kind, ps_time time)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        ps_event e = message_of(r, ref, kind, time);
        e.op = ops->kind[ref.op];
        e.received = received_by(r, ref);
        e.peer = rank_of(r, ps_op_comm(ops, ref.op), ps_op_peer(ops, ref.op));
        if (e.comm < r->trace->defs.comms.n && r->trace->defs.comms.row[e.comm].inter &&
            ps_op_peer(ops, ref.op) == ps_trace_process(r->trace, ref.loc))
                e.peer = PS_ROOT_SELF;
        return e;
}

/* Of a window. */
static void add_window_collective(ps_records *r, ps_ref ref, uint32_t first)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        uint32_t window = ps_op_comm(ops, ref.op);
        ps_comm comm = window < r->trace->defs.windows.n ? r->trace->defs.windows.row[window].comm : PS_NONE;
        put_record(r, first,
                   (ps_event){.kind = PS_EV_RMA_COLL_BEGIN,
                              .time = ps_op_record_begin(r->trace, r->timing, ref)});
        put_record(r, first,
                   (ps_event){.kind = PS_EV_RMA_COLL_END,
                              .time = ps_op_record_end(r->trace, r->timing, ref),
                              .op = ops->kind[ref.op],
                              .ref = window,
                              .peer = rank_of(r, comm, ps_op_peer(ops, ref.op)),
                              .bytes = ps_op_bytes(ops, ref.op),
                              .received = received_by(r, ref)});
}

/* The barriers of teams have no records: the region is the barrier. */
static void add_collective(ps_records *r, ps_ref ref, uint32_t first)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        uint16_t traits = ps_kinds[ops->kind[ref.op]].traits;
        if (ops->flags[ref.op] & PS_OP_NONBLOCKING) {
                put_record(r, first,
                           (ps_event){.kind = PS_EV_NBC_REQUEST,
                                      .time = ps_op_record_begin(r->trace, r->timing, ref),
                                      .request = request_of(ref)});
                return;
        }
        if (traits & PS_T_TEAM || ps_op_comm(ops, ref.op) == PS_NONE)
                return;
        if (traits & PS_T_RMA) {
                add_window_collective(r, ref, first);
                return;
        }
        if (!(ops->flags[ref.op] & PS_OP_BARE))
                put_record(r, first,
                           (ps_event){.kind = PS_EV_COLL_BEGIN,
                                      .time = ps_op_record_begin(r->trace, r->timing, ref)});
        put_record(r, first,
                   collective_of(r, ref, PS_EV_COLL_END, ps_op_record_end(r->trace, r->timing, ref)));
}

static void complete(ps_records *r, ps_ref start, uint32_t first)
{
        const ps_ops *ops = &r->trace->ops[start.loc];
        ps_time time = ps_op_record_end(r->trace, r->timing, start);
        ps_class cls = ps_kinds[ops->kind[start.op]].cls;
        if (ops->flags[start.op] & PS_OP_CANCELLED)
                put_record(r, first, message_of(r, start, PS_EV_REQUEST_CANCELLED, time));
        else if (cls == PS_C_SEND)
                put_record(r, first, message_of(r, start, PS_EV_ISEND_DONE, time));
        else if (cls == PS_C_RECV)
                put_record(r, first, message_of(r, start, PS_EV_IRECV, time));
        else if (cls == PS_C_COLL)
                put_record(r, first, collective_of(r, start, PS_EV_NBC_DONE, time));
}

static void add_completion(ps_records *r, ps_ref ref, uint32_t first)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        for (uint32_t i = 0; i < ps_op_tag(ops, ref.op); i++)
                complete(r, (ps_ref){ref.loc, ps_op_completed(ops, ref.op, i)}, first);
        uint32_t low = 0;
        PS_SEARCH(low, r->trace->n_foreign, middle, ps_refs_compare(&r->foreign[middle].done, &ref) < 0);
        for (; low < r->trace->n_foreign && !ps_refs_compare(&r->foreign[low].done, &ref); low++)
                complete(r, r->foreign[low].start, first);
}

static ps_event transfer_of(ps_records *r, ps_ref ref, ps_event_kind kind, ps_time time)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        uint32_t window = ps_op_comm(ops, ref.op);
        ps_comm comm = window < r->trace->defs.windows.n ? r->trace->defs.windows.row[window].comm : PS_NONE;
        int of_locations = comm != PS_NONE && r->trace->defs.comms.row[comm].team;
        uint32_t target = ps_op_peer(ops, ref.op);
        return (ps_event){
                .kind = (uint8_t)kind,
                .time = time,
                .ref = window,
                .peer = rank_of(r, comm, of_locations ? target : ps_trace_process(r->trace, target)),
                .bytes = ps_op_bytes(ops, ref.op),
                .request = request_of(ref)};
}

static void add_transfer(ps_records *r, ps_ref ref, uint32_t first)
{
        static const uint8_t events[PS_K_COUNT] = {
                [PS_K_PUT] = PS_EV_RMA_PUT, [PS_K_GET] = PS_EV_RMA_GET, [PS_K_ATOMIC] = PS_EV_RMA_ATOMIC};
        const ps_ops *ops = &r->trace->ops[ref.loc];
        if (ps_op_comm(ops, ref.op) != PS_NONE)
                put_record(r, first,
                           transfer_of(r, ref, (ps_event_kind)events[ops->kind[ref.op]],
                                       ps_op_record_begin(r->trace, r->timing, ref)));
}

void ps_records_add_transfer_end(ps_records *r, ps_ref start, ps_ref done, uint32_t first)
{
        put_record(r, first,
                   transfer_of(r, start, PS_EV_RMA_DONE_LOCAL, r->timing->leave[done.loc][done.op]));
}

static void add_window_sync(ps_records *r, ps_ref ref, uint32_t first)
{
        const ps_ops *ops = &r->trace->ops[ref.loc];
        ps_kind kind = (ps_kind)ops->kind[ref.op];
        bool is_lock = kind == PS_K_WIN_LOCK || kind == PS_K_WIN_UNLOCK;
        if (ps_op_comm(ops, ref.op) == PS_NONE ||
            (!is_lock && ps_op_tag(ops, ref.op) >= r->trace->defs.groups.n))
                return;
        ps_event e = transfer_of(r, ref, PS_EV_RMA_GROUP_SYNC, ps_op_record_begin(r->trace, r->timing, ref));
        e.comm = ps_op_tag(ops, ref.op);
        if (is_lock) {
                e.kind = kind == PS_K_WIN_LOCK ? PS_EV_RMA_LOCK_ACQUIRE : PS_EV_RMA_LOCK_RELEASE;
                e.request = ps_op_bytes(ops, ref.op);
                e.op = (uint8_t)ps_op_tag(ops, ref.op);
        }
        put_record(r, first, e);
}

static void add_thread(ps_records *r, ps_ref ref, uint32_t first)
{
        static const uint8_t events[PS_K_COUNT] = {
                [PS_K_THREAD_FORK] = PS_EV_THREAD_FORK,     [PS_K_THREAD_JOIN] = PS_EV_THREAD_JOIN,
                [PS_K_THREAD_CREATE] = PS_EV_THREAD_CREATE, [PS_K_THREAD_WAIT] = PS_EV_THREAD_WAIT,
                [PS_K_TEAM_BEGIN] = PS_EV_TEAM_BEGIN,       [PS_K_TEAM_END] = PS_EV_TEAM_END,
                [PS_K_TASK_CREATE] = PS_EV_TASK_CREATE,     [PS_K_TASK_SWITCH] = PS_EV_TASK_SWITCH,
                [PS_K_TASK_COMPLETE] = PS_EV_TASK_COMPLETE, [PS_K_LOCK_ACQUIRE] = PS_EV_LOCK_ACQUIRE,
                [PS_K_LOCK_RELEASE] = PS_EV_LOCK_RELEASE,
        };
        const ps_ops *ops = &r->trace->ops[ref.loc];
        uint8_t kind = events[ops->kind[ref.op]];
        bool is_lock = ps_kinds[ops->kind[ref.op]].cls == PS_C_LOCK;
        if (!kind)
                return;
        put_record(r, first,
                   (ps_event){.kind = kind,
                              .time = r->timing->leave[ref.loc][ref.op],
                              .comm = ps_op_comm(ops, ref.op),
                              .peer = ps_op_peer(ops, ref.op),
                              .ref = is_lock ? ps_op_tag(ops, ref.op) : 0,
                              .tag = is_lock ? ops->link[ref.op] : ps_op_tag(ops, ref.op)});
}

void ps_records_add(ps_records *r, ps_ref ref, uint32_t first)
{
        static void (*const add[])(ps_records *, ps_ref, uint32_t) = {
                [PS_C_SEND] = add_send,       [PS_C_RECV] = add_receive, [PS_C_COMPLETE] = add_completion,
                [PS_C_COLL] = add_collective, [PS_C_RMA] = add_transfer, [PS_C_RMA_SYNC] = add_window_sync,
                [PS_C_THREAD] = add_thread,   [PS_C_LOCK] = add_thread,  [PS_C_TASK] = add_thread,
        };
        ps_class cls = ps_kinds[r->trace->ops[ref.loc].kind[ref.op]].cls;
        if (add[cls])
                add[cls](r, ref, first);
}

/* -- life -- */

static int by_completion(const void *a, const void *b)
{
        const ps_foreign *x = a, *y = b;
        int order = ps_refs_compare(&x->done, &y->done);
        return order ? order : ps_refs_compare(&x->start, &y->start);
}

ps_status ps_records_init(ps_records *r, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        *r = (ps_records){.trace = trace, .timing = timing};
        r->has_ranks = ps_memory_zeroed(trace->defs.comms.n + (size_t)1, 1);
        r->foreign = ps_memory_zeroed(trace->n_foreign + (size_t)1, sizeof(*r->foreign));
        if (!r->has_ranks || !r->foreign) {
                ps_records_clear(r);
                return PS_NOMEM(err, "communicators", trace->defs.comms.n);
        }
        if (trace->n_foreign)
                memcpy(r->foreign, trace->foreign, trace->n_foreign * sizeof(*r->foreign));
        qsort(r->foreign, trace->n_foreign, sizeof(*r->foreign), by_completion);
        return PS_OK;
}

void ps_records_clear(ps_records *r)
{
        ps_map_free(&r->ranks);
        free(r->has_ranks);
        free(r->foreign);
        free(r->list.at);
        *r = (ps_records){0};
}
