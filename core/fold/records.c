/* records.c - what the records of messages and collective operations do to the rows.
 *
 * A call with several records of a kind (Startall, Sendrecv) gets further rows with the same times
 * (PS_OP_PART); a record outside of any call gets a row without duration (PS_OP_BARE). Nothing here looks at
 * another location. */
#include "core/fold/sink.h"

/* -- rows -- */

ps_op ps_builder_bare_row(ps_builder *b, ps_kind kind, ps_time time)
{
        uint32_t call = ps_rows_call_of(b, ps_fold_top(b)->node);
        return b->calls.list.n ? ps_fold_bare_row(b, kind, awaits_of(kind), call, time, b->is_watched)
                               : PS_NONE;
}

static ps_op part_row(ps_builder *b, struct frame *f, ps_kind kind)
{
        ps_op op = ps_rows_add(b, kind, f->node, f->enter);
        if (op == PS_NONE)
                return op;
        if (f->row == PS_NONE) {
                f->row = op;
        } else {
                CELL(b, flags, op) = PS_OP_PART;
                CELL(b, leave, f->last) = ROW_OPEN | op;
        }
        f->last = op;
        return op;
}

/* The kind that a record of kind `record` has inside a call of kind `call`: the call knows the mode, the
 * record what happened. */
static ps_kind refine_kind(ps_kind record, ps_kind call)
{
        if (call == PS_K_NONE)
                return record;
        const ps_kind_info *r = &ps_kinds[record], *c = &ps_kinds[call];
        if (call == PS_K_SENDRECV_SEND && (r->traits & PS_T_BLOCKING))
                return r->cls == PS_C_SEND ? PS_K_SENDRECV_SEND : PS_K_SENDRECV_RECV;
        if (r->cls != c->cls)
                return record;
        if (r->cls == PS_C_COLL)
                return call == PS_K_COLLECTIVE ? record : call;
        return (r->traits & PS_T_BLOCKING) == (c->traits & PS_T_BLOCKING) ? call : record;
}

/* May a record of this kind fill in the row that the call's Enter made? */
static bool may_fill_row(ps_kind record, ps_kind call)
{
        ps_class r = ps_kinds[record].cls, c = ps_kinds[call].cls;
        return r == c || (call == PS_K_SENDRECV_SEND && r == PS_C_RECV) ||
               (call == PS_K_START && r != PS_C_COLL); /* those have a place in `received` from the start */
}

/* The row for a record of kind `kind`: the call's own one if it is free and fits, another one of the same
 * call, or a bare one. */
static ps_op claim_row(ps_builder *b, ps_kind kind, const ps_event *e)
{
        struct frame *f = top_frame(b);
        const ps_region_def *def = f ? region_of(b, f->region) : NULL;
        if (!is_library(def))
                return ps_builder_bare_row(b, kind, e->time);
        ps_kind call = (ps_kind)def->kind;
        if (kind != call)
                kind = refine_kind(kind, call);
        ps_op op = f->row;
        if (op != PS_NONE && f->awaits && (kind == call || may_fill_row(kind, call)))
                CELL(b, kind, op) = (uint8_t)kind;
        else
                op = part_row(b, f, kind);
        f->awaits = AWAITS_NOTHING;
        if (op != PS_NONE && call == PS_K_START)
                CELL(b, flags, op) |= PS_OP_PERSISTENT;
        return op;
}

/* The same for a record of a begin. */
ps_op ps_builder_begin_row(ps_builder *b, ps_kind kind, const ps_event *e)
{
        ps_op op = claim_row(b, kind, e);
        if (op != PS_NONE)
                CELL(b, pre, op) = ps_rows_distance(b, op, 0, e->time - CELL(b, enter, op));
        return op;
}

/* The row of the call in which requests are completed now. */
static ps_op completion_row(ps_builder *b, ps_time time)
{
        struct frame *f = top_frame(b);
        if (!is_library_call(b, f))
                return ps_builder_bare_row(b, PS_K_WAIT, time);
        if (f->completion != PS_NONE)
                return f->completion;
        if (f->row != PS_NONE && ps_kinds[CELL(b, kind, f->row)].cls == PS_C_COMPLETE)
                f->completion = f->row;
        else
                f->completion = part_row(b, f, PS_K_WAIT);
        f->awaits = AWAITS_NOTHING;
        return f->completion;
}

/* -- partners -- */

uint32_t ps_builder_location(const ps_builder *b, ps_proc process)
{
        if (process == PS_NONE)
                return PS_NONE;
        const ps_process_def *def = &b->defs->processes.row[process];
        return def->n_locs ? b->defs->by_process[def->first] : PS_NONE;
}

static void fill_message(ps_builder *b, ps_op op, const ps_event *e)
{
        struct ps_call call = ps_rows_said(b, op);
        call.comm = e->comm;
        call.bytes = e->bytes;
        CELL(b, tag, op) = e->tag;
        if (e->comm == PS_NONE) {
                ps_builder_note(b, PS_I_COMM_INVALID, e);
                ps_rows_say(b, op, &call);
                return;
        }
        call.peer = ps_fold_peer(b, e->comm, e->peer);
        CELL(b, link, op) = e->peer;
        ps_rows_say(b, op, &call);
        if (call.peer == PS_NONE)
                ps_builder_note(b, PS_I_PEER_INVALID, e);
}

static void fill_collective(ps_builder *b, ps_op op, const ps_event *e)
{
        struct ps_call call = ps_rows_said(b, op);
        call.comm = e->comm;
        call.bytes = e->bytes;
        ps_fold_received(b, op, e->received);
        if (e->comm == PS_NONE)
                ps_builder_note(b, PS_I_COMM_INVALID, e);
        else
                call.peer = ps_fold_root(b, e->comm, e->peer, call.peer);
        ps_rows_say(b, op, &call);
}

/* -- requests -- */

static void open_request(ps_builder *b, const ps_event *e, ps_op op)
{
        ps_op old = ps_requests_open(b, SPACE_REQUEST, e->request, op);
        if (old == PS_NONE)
                return;
        ps_builder_note(b, PS_I_REQUEST_REUSED, e);
        PUSH(b, b->lost, (ps_id){e->request, old, SPACE_REQUEST});
}

/* A completion without a start still tells of a message or a collective; without a row of its own all later
 * ones would match wrongly. */
static ps_op start_unseen(ps_builder *b, const ps_event *e)
{
        ps_builder_note(b, PS_I_REQUEST_UNKNOWN, e);
        struct frame *f = top_frame(b);
        ps_kind kind = e->kind == PS_EV_IRECV ? PS_K_IRECV : (ps_kind)e->op;
        if (e->kind != PS_EV_IRECV && e->kind != PS_EV_NBC_DONE)
                return PS_NONE;
        ps_op op = is_library_call(b, f) ? part_row(b, f, kind) : ps_builder_bare_row(b, kind, e->time);
        if (op != PS_NONE && kind != PS_K_IRECV)
                CELL(b, flags, op) |= PS_OP_NONBLOCKING;
        return op;
}

/* Ties the operation that the event completes to the call that does it. PS_NONE when its start is not here;
 * if the process has other threads, it may be on one of them. */
static ps_op complete_request(ps_builder *b, const ps_event *e)
{
        ps_op start = ps_ids_get(&b->requests, SPACE_REQUEST, e->request);
        if (start != PS_NONE && ps_event_completes(e->kind, CELL(b, kind, start)))
                ps_ids_drop(&b->requests, SPACE_REQUEST, e->request);
        else
                start = PS_NONE; /* a request of another sort is not this one */
        ps_op done = completion_row(b, e->time);
        if (done == PS_NONE)
                return PS_NONE;
        if (start == PS_NONE && b->one_of_many) {
                PUSH(b, b->orphans, (struct orphan){*e, done});
                return PS_NONE;
        }
        if (start == PS_NONE)
                start = start_unseen(b, e);
        if (start == PS_NONE)
                return PS_NONE;
        CELL(b, done, start) = done;
        (void)ps_fold_note_completed(b, done, start, false);
        ps_fold_await_end(b, start, done, e->time);
        return start;
}

static void start_message(ps_builder *b, const ps_event *e, ps_kind kind, bool is_request)
{
        ps_op op = ps_builder_begin_row(b, kind, e);
        if (op == PS_NONE)
                return;
        if (e->kind != PS_EV_IRECV_POST)
                fill_message(b, op, e);
        if (is_request)
                open_request(b, e, op);
}

static void on_send(ps_builder *b, const ps_event *e)
{
        start_message(b, e, PS_K_SEND, 0);
}

static void on_isend(ps_builder *b, const ps_event *e)
{
        start_message(b, e, PS_K_ISEND, 1);
}

static void on_irecv_post(ps_builder *b, const ps_event *e)
{
        start_message(b, e, PS_K_IRECV, 1);
}

/* A receive is recorded when it is over, so that its distance counts from the call's end. */
static void on_recv(ps_builder *b, const ps_event *e)
{
        ps_op op = claim_row(b, PS_K_RECV, e);
        if (op == PS_NONE)
                return;
        fill_message(b, op, e);
        ps_fold_await_end(b, op, op, e->time);
}

static void on_isend_done(ps_builder *b, const ps_event *e)
{
        complete_request(b, e);
}

static void on_irecv(ps_builder *b, const ps_event *e)
{
        ps_op op = complete_request(b, e);
        if (op != PS_NONE)
                fill_message(b, op, e);
}

static void on_cancelled(ps_builder *b, const ps_event *e)
{
        ps_op op = complete_request(b, e);
        if (op != PS_NONE)
                CELL(b, flags, op) |= PS_OP_CANCELLED;
}

static void on_coll_begin(ps_builder *b, const ps_event *e)
{
        struct frame *f = top_frame(b);
        if (!is_library_call(b, f))
                return; /* the bare row of its end is all of it */
        if (f->coll != PS_NONE)
                ps_builder_note(b, PS_I_COLL_UNENDED, e);
        ps_op op = ps_builder_begin_row(b, PS_K_COLLECTIVE, e);
        if (op == PS_NONE)
                return;
        f->coll = op;
        f->marks |= MARK_COLL;
        f->completion = PS_NONE;
}

/* The row of the collective that has begun; one without a beginning gets a row. */
ps_op ps_builder_end_coll(ps_builder *b, const ps_event *e, ps_kind kind)
{
        struct frame *f = top_frame(b);
        if (!f || f->coll == PS_NONE)
                return ps_builder_begin_row(b, kind, e);
        ps_op op = f->coll;
        f->coll = PS_NONE;
        f->marks &= (uint8_t)~MARK_COLL;
        return op;
}

static void on_coll_end(ps_builder *b, const ps_event *e)
{
        ps_op op = ps_builder_end_coll(b, e, (ps_kind)e->op);
        if (op == PS_NONE)
                return;
        uint8_t kind = CELL(b, kind, op);
        if (kind == PS_K_COLLECTIVE || (ps_kinds[kind].traits & PS_T_RMA))
                CELL(b, kind, op) = e->op; /* a window's collective has a record of its own kind */
        fill_collective(b, op, e);
        ps_fold_await_end(b, op, op, e->time);
}

static void on_nbc_request(ps_builder *b, const ps_event *e)
{
        ps_op op = ps_builder_begin_row(b, PS_K_COLLECTIVE, e);
        if (op == PS_NONE)
                return;
        CELL(b, flags, op) |= PS_OP_NONBLOCKING;
        open_request(b, e, op);
}

static void on_nbc_done(ps_builder *b, const ps_event *e)
{
        ps_op op = complete_request(b, e);
        if (op == PS_NONE)
                return;
        if (CELL(b, kind, op) == PS_K_COLLECTIVE)
                CELL(b, kind, op) = e->op;
        fill_collective(b, op, e);
}

const ps_event_handler ps_record_handlers[PS_EV_COUNT] = {
        [PS_EV_SEND] = on_send,
        [PS_EV_ISEND] = on_isend,
        [PS_EV_ISEND_DONE] = on_isend_done,
        [PS_EV_RECV] = on_recv,
        [PS_EV_IRECV_POST] = on_irecv_post,
        [PS_EV_IRECV] = on_irecv,
        [PS_EV_REQUEST_CANCELLED] = on_cancelled,
        [PS_EV_COLL_BEGIN] = on_coll_begin,
        [PS_EV_COLL_END] = on_coll_end,
        [PS_EV_NBC_REQUEST] = on_nbc_request,
        [PS_EV_NBC_DONE] = on_nbc_done,
        [PS_EV_RMA_COLL_BEGIN] = on_coll_begin,
        [PS_EV_RMA_COLL_END] = ps_builder_on_window_coll,
        [PS_EV_RMA_GROUP_SYNC] = ps_builder_on_group_sync,
        [PS_EV_RMA_WAIT_CHANGE] = ps_builder_on_window_wait,
        [PS_EV_RMA_LOCK_REQUEST] = ps_builder_on_window_lock,
        [PS_EV_RMA_LOCK_ACQUIRE] = ps_builder_on_window_lock,
        [PS_EV_RMA_LOCK_TRY] = ps_builder_on_window_lock,
        [PS_EV_RMA_LOCK_RELEASE] = ps_builder_on_window_lock,
        [PS_EV_RMA_PUT] = ps_builder_on_transfer,
        [PS_EV_RMA_GET] = ps_builder_on_transfer,
        [PS_EV_RMA_ATOMIC] = ps_builder_on_transfer,
        [PS_EV_RMA_DONE_LOCAL] = ps_builder_on_transferred,
        [PS_EV_RMA_DONE_REMOTE] = ps_builder_on_transferred,
        [PS_EV_THREAD_FORK] = ps_builder_on_thread,
        [PS_EV_THREAD_JOIN] = ps_builder_on_thread,
        [PS_EV_THREAD_CREATE] = ps_builder_on_thread,
        [PS_EV_THREAD_WAIT] = ps_builder_on_thread,
        [PS_EV_TASK_CREATE] = ps_builder_on_thread,
        [PS_EV_TASK_SWITCH] = ps_builder_on_thread,
        [PS_EV_TASK_COMPLETE] = ps_builder_on_thread,
        [PS_EV_TEAM_BEGIN] = ps_builder_on_thread,
        [PS_EV_TEAM_END] = ps_builder_on_thread,
        [PS_EV_LOCK_ACQUIRE] = ps_builder_on_lock,
        [PS_EV_LOCK_RELEASE] = ps_builder_on_lock,
};
