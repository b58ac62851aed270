/* records.c - what the records of messages, collective operations, and windows do to the rows.
 *
 * A call with several records of a kind (Startall, Sendrecv) gets further rows with the same times
 * (PS_OP_PART); a record outside of any call gets a row without duration (PS_OP_BARE). Nothing here looks at
 * another location. */
#include "core/fold/builder.h"

/* -- rows -- */

struct row *ps_builder_bare_row(ps_builder *b, ps_kind kind, ps_time time)
{
        struct frame *f = top_frame(b);
        struct row *row = ps_rows_add(b, kind, f ? f->node : 0, time);
        if (row) {
                row->leave = time;
                row->flags = PS_OP_BARE;
                ps_builder_begin_gap(b, time);
        }
        return row;
}

static struct row *part_row(ps_builder *b, struct frame *f, ps_kind kind)
{
        struct row *row = ps_rows_add(b, kind, f->node, f->enter);
        if (!row)
                return NULL;
        if (f->row == PS_NONE) {
                f->row = b->n_rows - 1;
        } else {
                row->flags = PS_OP_PART;
                row_at(b, f->last)->next = b->n_rows - 1;
        }
        f->last = b->n_rows - 1;
        return row;
}

/* The kind that a record of kind `record` has inside a call of kind `call`: the call knows the mode, the
 * record what happened. */
static ps_kind refine(ps_kind record, ps_kind call)
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
static struct row *claim_row(ps_builder *b, ps_kind kind, const ps_event *e, ps_op *op)
{
        struct frame *f = top_frame(b);
        struct row *row;
        if (!f || !is_library(region_of(b, f->region))) {
                row = ps_builder_bare_row(b, kind, e->time);
                *op = b->n_rows - 1;
                return row;
        }
        ps_kind call = kind_of(b, f->region);
        if (kind != call)
                kind = refine(kind, call);
        if (f->row != PS_NONE && !f->used && (kind == call || may_fill_row(kind, call))) {
                row = row_at(b, f->row);
                row->kind = (uint8_t)kind;
                *op = f->row;
        } else {
                row = part_row(b, f, kind);
                *op = b->n_rows - 1;
        }
        f->used = 1;
        if (row && call == PS_K_START)
                row->flags |= PS_OP_PERSISTENT;
        if (row)
                row->pre = ps_rows_distance(b, *op, 0, e->time - f->enter);
        return row;
}

/* The row of the call in which requests are completed now. */
static ps_op completion_row(ps_builder *b, ps_time time)
{
        struct frame *f = top_frame(b);
        if (!f || !is_library(region_of(b, f->region)))
                return ps_builder_bare_row(b, PS_K_WAIT, time) ? b->n_rows - 1 : PS_NONE;
        if (f->completion != PS_NONE)
                return f->completion;
        if (f->row != PS_NONE && ps_kinds[row_at(b, f->row)->kind].cls == PS_C_COMPLETE)
                f->completion = f->row;
        else if (part_row(b, f, PS_K_WAIT))
                f->completion = b->n_rows - 1;
        f->used = 1;
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

static void fill_message(ps_builder *b, struct row *row, const ps_event *e)
{
        row->comm = e->comm;
        row->tag = e->tag;
        row->bytes = e->bytes;
        if (e->comm == PS_NONE) {
                ps_builder_note(b, PS_I_COMM_INVALID, e);
                return;
        }
        row->peer = ps_builder_location(b, ps_defs_peer(b->defs, e->comm, e->peer, b->process));
        row->link = e->peer;
        if (row->peer == PS_NONE)
                ps_builder_note(b, PS_I_PEER_INVALID, e);
}

static void fill_collective(ps_builder *b, struct row *row, const ps_event *e)
{
        row->comm = e->comm;
        row->bytes = e->bytes;
        if (row->link < b->received.n)
                b->received.row[row->link] = e->received;
        if (e->comm == PS_NONE)
                ps_builder_note(b, PS_I_COMM_INVALID, e);
        else if (e->peer == PS_ROOT_SELF)
                row->peer = b->process;
        else if (e->peer < PS_ROOT_SELF)
                row->peer = ps_defs_peer(b->defs, e->comm, e->peer, b->process);
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
        struct row *row = f && is_library(region_of(b, f->region)) ? part_row(b, f, kind)
                                                                   : ps_builder_bare_row(b, kind, e->time);
        if (!row)
                return PS_NONE;
        if (kind != PS_K_IRECV)
                row->flags |= PS_OP_NONBLOCKING;
        return b->n_rows - 1;
}

/* Ties the operation that the event completes to the call that does it. NULL when its start is not here; if
 * the process has other threads, it may be on one of them. */
static struct row *complete_request(ps_builder *b, const ps_event *e)
{
        ps_op start = ps_ids_get(&b->requests, SPACE_REQUEST, e->request);
        if (start != PS_NONE && ps_event_completes(e->kind, row_at(b, start)->kind))
                ps_ids_drop(&b->requests, SPACE_REQUEST, e->request);
        else
                start = PS_NONE; /* a request of another sort is not this one */
        ps_op done = completion_row(b, e->time);
        if (done == PS_NONE)
                return NULL;
        if (start == PS_NONE && b->one_of_many) {
                PUSH(b, b->orphans, (struct orphan){*e, done});
                return NULL;
        }
        if (start == PS_NONE)
                start = start_unseen(b, e);
        if (start == PS_NONE)
                return NULL;
        struct row *wait = row_at(b, done);
        struct row *row = row_at(b, start);
        row->done = done;
        wait->tag++;
        PUSH(b, b->completed, start);
        if (wait->leave == ROW_OPEN)
                PUSH(b, b->completions, (struct completion){e->time, start, done});
        return row;
}

static void start_message(ps_builder *b, const ps_event *e, ps_kind kind, bool is_request)
{
        ps_op op;
        struct row *row = claim_row(b, kind, e, &op);
        if (!row)
                return;
        if (e->kind != PS_EV_IRECV_POST)
                fill_message(b, row, e);
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
        ps_op op;
        struct row *row = claim_row(b, PS_K_RECV, e, &op);
        if (!row)
                return;
        fill_message(b, row, e);
        row->pre = 0;
        if (row->leave == ROW_OPEN)
                PUSH(b, b->completions, (struct completion){e->time, op, op});
}

static void on_isend_done(ps_builder *b, const ps_event *e)
{
        complete_request(b, e);
}

static void on_irecv(ps_builder *b, const ps_event *e)
{
        struct row *row = complete_request(b, e);
        if (row)
                fill_message(b, row, e);
}

static void on_cancelled(ps_builder *b, const ps_event *e)
{
        struct row *row = complete_request(b, e);
        if (row)
                row->flags |= PS_OP_CANCELLED;
}

static void on_coll_begin(ps_builder *b, const ps_event *e)
{
        ps_op op;
        struct frame *f = top_frame(b);
        if (!f || !is_library(region_of(b, f->region)))
                return; /* the bare row of its end is all of it */
        if (f->coll != PS_NONE)
                ps_builder_note(b, PS_I_COLL_UNENDED, e);
        if (claim_row(b, PS_K_COLLECTIVE, e, &op)) {
                f->coll = op;
                f->completion = PS_NONE;
        }
}

/* The row of the collective that has begun; one without a beginning gets a row. */
static struct row *ended_collective(ps_builder *b, const ps_event *e, ps_op *op)
{
        struct frame *f = top_frame(b);
        if (!f || f->coll == PS_NONE)
                return claim_row(b, (ps_kind)e->op, e, op);
        *op = f->coll;
        f->coll = PS_NONE;
        return row_at(b, *op);
}

static void on_coll_end(ps_builder *b, const ps_event *e)
{
        ps_op op;
        struct row *row = ended_collective(b, e, &op);
        if (!row)
                return;
        if (row->kind == PS_K_COLLECTIVE || (ps_kinds[row->kind].traits & PS_T_RMA))
                row->kind = e->op; /* a window's collective has a record of its own kind */
        fill_collective(b, row, e);
        if (row->leave == ROW_OPEN)
                PUSH(b, b->completions, (struct completion){e->time, op, op});
}

static void on_nbc_request(ps_builder *b, const ps_event *e)
{
        ps_op op;
        struct row *row = claim_row(b, PS_K_COLLECTIVE, e, &op);
        if (!row)
                return;
        row->flags |= PS_OP_NONBLOCKING;
        open_request(b, e, op);
}

static void on_nbc_done(ps_builder *b, const ps_event *e)
{
        struct row *row = complete_request(b, e);
        if (!row)
                return;
        if (row->kind == PS_K_COLLECTIVE)
                row->kind = e->op;
        fill_collective(b, row, e);
}

/* -- one-sided -- */

static ps_comm comm_of_window(const ps_builder *b, uint32_t window)
{
        return window < b->defs->windows.n ? b->defs->windows.row[window].comm : PS_NONE;
}

static void fill_target(ps_builder *b, struct row *row, const ps_event *e)
{
        row->comm = e->ref;
        row->bytes = e->bytes;
        ps_comm comm = comm_of_window(b, e->ref);
        if (comm == PS_NONE)
                ps_builder_note(b, PS_I_COMM_INVALID, e);
        else
                row->peer = ps_builder_pgas_target(b, comm, e->peer);
}

static void on_rma(ps_builder *b, const ps_event *e)
{
        ps_kind kind = e->kind == PS_EV_RMA_PUT   ? PS_K_PUT
                       : e->kind == PS_EV_RMA_GET ? PS_K_GET
                                                  : PS_K_ATOMIC;
        ps_op op;
        struct row *row = claim_row(b, kind, e, &op);
        if (!row)
                return;
        fill_target(b, row, e);
        ps_requests_open(b, SPACE_RMA, e->request, op);
}

/* What a call waits for is at a window. */
static void on_rma_wait(ps_builder *b, const ps_event *e)
{
        const struct frame *f = top_frame(b);
        struct row *wait = f && f->row != PS_NONE ? row_at(b, f->row) : NULL;
        if (wait && ps_kinds[wait->kind].cls == PS_C_COMPLETE && wait->comm == PS_NONE)
                wait->comm = e->ref;
}

static void on_rma_done(ps_builder *b, const ps_event *e)
{
        ps_op start = ps_ids_drop(&b->requests, SPACE_RMA, e->request);
        const struct frame *f = top_frame(b);
        if (start == PS_NONE || !f || f->row == PS_NONE)
                return;
        row_at(b, start)->done = f->row;
        on_rma_wait(b, e);
}

/* Windows of MPI have collectives of their own; those of PGAS programs are those of a communicator. */
static void fill_window_collective(ps_builder *b, struct row *row, const ps_event *e)
{
        ps_comm comm = comm_of_window(b, e->ref);
        int pgas = comm != PS_NONE && b->defs->comms.row[comm].pgas;
        if (row->kind == PS_K_COLLECTIVE || row->kind == PS_K_RMA_COLLECTIVE)
                row->kind = pgas ? e->op : PS_K_RMA_COLLECTIVE;
        row->comm = ps_kinds[row->kind].traits & PS_T_RMA ? e->ref : comm;
        row->bytes = e->bytes;
        if (row->link < b->received.n)
                b->received.row[row->link] = e->received;
        if (comm == PS_NONE)
                ps_builder_note(b, PS_I_COMM_INVALID, e);
        if (!pgas)
                return;
        ps_builder_pgas_root(b, row, e->peer);
        ps_builder_pgas_level(b, row, top_frame(b), e->tag);
}

static void on_rma_coll_end(ps_builder *b, const ps_event *e)
{
        ps_op op;
        struct row *row;
        struct frame *f = top_frame(b);
        if (f && f->coll != PS_NONE) {
                row = ended_collective(b, e, &op);
        } else {
                row = claim_row(b, PS_K_RMA_COLLECTIVE, e, &op);
        }
        if (!row)
                return;
        fill_window_collective(b, row, e);
        if (row->leave == ROW_OPEN)
                PUSH(b, b->completions, (struct completion){e->time, op, op});
}

/* Synchronisation of a window without a collective: the call's row learns of window, target and group. */
static struct row *sync_row(ps_builder *b, const ps_event *e)
{
        struct frame *f = top_frame(b);
        if (!f || f->row == PS_NONE || ps_kinds[row_at(b, f->row)->kind].cls != PS_C_RMA_SYNC)
                return NULL;
        struct row *row = row_at(b, f->row);
        fill_target(b, row, e);
        return row;
}

static void on_group_sync(ps_builder *b, const ps_event *e)
{
        struct row *row = sync_row(b, e);
        if (row)
                row->tag = e->comm;
}

static void on_rma_lock(ps_builder *b, const ps_event *e)
{
        struct row *row = sync_row(b, e);
        if (!row)
                return;
        row->bytes = e->request;
        row->link = 0;
        if (e->kind == PS_EV_RMA_LOCK_TRY)
                row->flags |= PS_OP_CANCELLED;
        if (e->kind == PS_EV_RMA_LOCK_RELEASE)
                row->pre = ps_rows_distance(b, top_frame(b)->row, 0, e->time - row->enter);
        else
                row->tag = e->op;
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
        [PS_EV_RMA_COLL_END] = on_rma_coll_end,
        [PS_EV_RMA_GROUP_SYNC] = on_group_sync,
        [PS_EV_RMA_WAIT_CHANGE] = on_rma_wait,
        [PS_EV_RMA_LOCK_REQUEST] = on_rma_lock,
        [PS_EV_RMA_LOCK_ACQUIRE] = on_rma_lock,
        [PS_EV_RMA_LOCK_TRY] = on_rma_lock,
        [PS_EV_RMA_LOCK_RELEASE] = on_rma_lock,
        [PS_EV_RMA_PUT] = on_rma,
        [PS_EV_RMA_GET] = on_rma,
        [PS_EV_RMA_ATOMIC] = on_rma,
        [PS_EV_RMA_DONE_LOCAL] = on_rma_done,
        [PS_EV_RMA_DONE_REMOTE] = on_rma_done,
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
