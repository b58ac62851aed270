/* build.c - what each event does to the stack, the rows and the call tree of its location.
 *
 * A call of the library is an Enter, a few records in between, and a Leave. Entering the region of such a
 * call makes a row; the records fill it in. A call with several records of a kind (Startall, Sendrecv) gets
 * further rows with the same times (PS_OP_PART); a record outside of any call gets a row without duration
 * (PS_OP_BARE). Nothing here looks at another location. */
#include "core/builder.h"

#include <stdlib.h>
#include <string.h>

/* A region that is left out of order is looked for this deep; recorders misplace a leave by a level or two,
 * and a hostile trace must not make each leave cost a walk over all that is open. */
enum { MISNEST_DEPTH = 256 };

static ps_place place_of(const ps_builder *b, const ps_event *e)
{
        return (ps_place){b->location, 0, e->offset, e->time};
}

static void note(ps_builder *b, ps_issue_kind kind, const ps_event *e)
{
        ps_issue_note(&b->issues, kind, place_of(b, e));
}

static struct frame *top_frame(ps_builder *b)
{
        return b->stack.n ? &b->stack.at[b->stack.n - 1] : NULL;
}

static const ps_region_def *region_of(const ps_builder *b, ps_region region)
{
        return region < b->defs->regions.n ? &b->defs->regions.row[region] : NULL;
}

static ps_kind kind_of(const ps_builder *b, ps_region region)
{
        const ps_region_def *def = region_of(b, region);
        return def ? (ps_kind)def->kind : PS_K_NONE;
}

/* -- rows
 * ---------------------------------------------------------------------------------------------------- */

static uint32_t team_now(const ps_builder *b)
{
        return b->teams.n ? b->teams.at[b->teams.n - 1] : PS_NONE;
}

static struct row *bare_row(ps_builder *b, ps_kind kind, ps_time time)
{
        struct frame *f = top_frame(b);
        struct row *row = ps_rows_add(b, kind, f ? f->node : 0, time);
        if (row) {
                row->leave = time;
                row->flags = PS_OP_BARE;
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

/* Library code, of whatever kind: its records belong to the call. */
static int is_library(const ps_builder *b, ps_region region)
{
        const ps_region_def *def = region_of(b, region);
        if (!def)
                return 0;
        return def->kind != PS_K_NONE || def->paradigm == PS_PARADIGM_MPI ||
               def->paradigm == PS_PARADIGM_SHMEM || def->paradigm == PS_PARADIGM_PGAS;
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
static int fits(ps_kind record, ps_kind call)
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
        if (!f || !is_library(b, f->region)) {
                row = bare_row(b, kind, e->time);
                *op = b->n_rows - 1;
                return row;
        }
        ps_kind call = kind_of(b, f->region);
        if (kind != call)
                kind = refine(kind, call);
        if (f->row != PS_NONE && !f->used && (kind == call || fits(kind, call))) {
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
        if (!f || !is_library(b, f->region))
                return bare_row(b, PS_K_WAIT, time) ? b->n_rows - 1 : PS_NONE;
        if (f->completion != PS_NONE)
                return f->completion;
        if (f->row != PS_NONE && ps_kinds[row_at(b, f->row)->kind].cls == PS_C_COMPLETE)
                f->completion = f->row;
        else if (part_row(b, f, PS_K_WAIT))
                f->completion = b->n_rows - 1;
        f->used = 1;
        return f->completion;
}

/* -- partners
 * ------------------------------------------------------------------------------------------------- */

static uint32_t location_of(const ps_builder *b, ps_proc process)
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
                note(b, PS_I_COMM_INVALID, e);
                return;
        }
        row->peer = location_of(b, ps_defs_peer(b->defs, e->comm, e->peer, b->process));
        if (row->peer == PS_NONE)
                note(b, PS_I_PEER_INVALID, e);
}

static void fill_collective(ps_builder *b, struct row *row, const ps_event *e)
{
        row->comm = e->comm;
        row->bytes = e->bytes;
        if (row->link < b->received.n)
                b->received.at[row->link] = e->received;
        if (e->comm == PS_NONE)
                note(b, PS_I_COMM_INVALID, e);
        else if (e->peer == PS_ROOT_SELF)
                row->peer = b->process;
        else if (e->peer < PS_ROOT_SELF)
                row->peer = ps_defs_peer(b->defs, e->comm, e->peer, b->process);
}

/* -- requests
 * --------------------------------------------------------------------------------------------------- */

static void open_request(ps_builder *b, const ps_event *e, ps_op op)
{
        ps_op old;
        if (!ps_requests_open(b, SPACE_REQUEST, e->request, op, &old))
                return;
        note(b, PS_I_REQUEST_REUSED, e);
        PS_PUSH(b, b->lost, (struct request){e->request, old, SPACE_REQUEST, 1});
}

/* A completion without a start still tells of a message or a collective; without a row of its own all later
 * ones would match wrongly. */
static ps_op start_unseen(ps_builder *b, const ps_event *e)
{
        note(b, PS_I_REQUEST_UNKNOWN, e);
        struct frame *f = top_frame(b);
        ps_kind kind = e->kind == PS_EV_IRECV ? PS_K_IRECV : (ps_kind)e->op;
        if (e->kind != PS_EV_IRECV && e->kind != PS_EV_NBC_DONE)
                return PS_NONE;
        struct row *row = f && is_library(b, f->region) ? part_row(b, f, kind) : bare_row(b, kind, e->time);
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
        ps_op start = ps_requests_row(b, SPACE_REQUEST, e->request);
        if (start != PS_NONE && ps_event_completes(e->kind, row_at(b, start)->kind))
                ps_requests_close(b, SPACE_REQUEST, e->request);
        else
                start = PS_NONE; /* a request of another sort is not this one */
        ps_op done = completion_row(b, e->time);
        if (done == PS_NONE)
                return NULL;
        if (start == PS_NONE && b->one_of_many) {
                PS_PUSH(b, b->orphans, (struct orphan){*e, done});
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
        PS_PUSH(b, b->completed, start);
        if (wait->leave == ROW_OPEN)
                PS_PUSH(b, b->completions, (struct completion){e->time, start, done});
        return row;
}

/* While the recorder is off nothing is known: that time belongs to no region. */
static inline void charge_off(ps_builder *b, ps_time time)
{
        if (!b->is_off)
                return;
        struct frame *f = top_frame(b);
        b->info.off += time - b->off_since;
        if (f)
                f->below += time - b->off_since;
        b->off_since = time;
}

/* -- the stack
 * ---------------------------------------------------------------------------------------------------- */

/* The row of a call that is just entered. */
static void begin_call(ps_builder *b, struct frame *f, ps_kind kind)
{
        struct row *row = ps_rows_add(b, kind, f->node, f->enter);
        if (!row)
                return;
        f->row = f->last = b->n_rows - 1;
        if (b->defs->regions.row[f->region].nonblocking)
                row->flags |= PS_OP_NONBLOCKING;
        if (ps_kinds[kind].traits & PS_T_TEAM)
                row->comm = team_now(b);
}

static inline void push_frame(ps_builder *b, ps_path node, ps_region region, ps_time time)
{
        charge_off(b, time);
        if (b->stack.n == b->stack.cap && ps_vector_grow(b, &b->stack, sizeof(*b->stack.at), "stack") < 0)
                return;
        struct frame *f = &b->stack.at[b->stack.n++];
        *f = (struct frame){.node = node,
                            .region = region,
                            .enter = time,
                            .row = PS_NONE,
                            .last = PS_NONE,
                            .coll = PS_NONE,
                            .completion = PS_NONE,
                            .pending = b->completions.n};
        b->tree.node[node].use.visits++;
        ps_kind kind = kind_of(b, region);
        if (kind != PS_K_NONE)
                begin_call(b, f, kind);
}

/* Rows of one call share its end. */
static void close_rows(ps_builder *b, const struct frame *f, ps_time time, uint8_t flags)
{
        for (ps_op op = f->row; op != PS_NONE; op = row_at(b, op)->next) {
                row_at(b, op)->leave = time;
                row_at(b, op)->flags |= flags;
        }
        for (uint32_t i = f->pending; i < b->completions.n; i++) {
                const struct completion *c = &b->completions.at[i];
                row_at(b, c->start)->post = ps_rows_distance(b, c->start, 1, time - c->time);
        }
        b->completions.n = f->pending < b->completions.n ? f->pending : b->completions.n;
}

/* Charges a frame's time to its node and to the frame below it, and closes its rows. */
static inline void settle_frame(ps_builder *b, struct frame *f, ps_time time, uint8_t flags)
{
        ps_time inclusive = time - f->enter;
        ps_path_use *use = &b->tree.node[f->node].use;
        use->inclusive += inclusive;
        use->exclusive += inclusive - f->below;
        if (f > b->stack.at)
                f[-1].below += inclusive - f->overlap;
        if (f->row != PS_NONE)
                close_rows(b, f, time, flags);
}

static inline void pop_frame(ps_builder *b, ps_time time, uint8_t flags)
{
        charge_off(b, time);
        settle_frame(b, &b->stack.at[b->stack.n - 1], time, flags);
        b->stack.n--;
}

/* Takes frame number `at` out of the stack, which is not the top. Frames above it go on; the time that they
 * shared with it is charged once. */
static void take_out_frame(ps_builder *b, uint32_t at, ps_time time)
{
        charge_off(b, time);
        struct frame *f = &b->stack.at[at], *above = f + 1;
        ps_time shared = time - above->enter - above->overlap;
        f->below += shared;
        above->overlap += shared;
        settle_frame(b, f, time, 0);
        memmove(f, above, (b->stack.n - at - 1) * sizeof(*f));
        b->stack.n--;
}

/* Leaves a region that is not the innermost one. */
static void leave_outer(ps_builder *b, const ps_event *e, ps_region region)
{
        for (uint32_t depth = 1; depth < b->stack.n && depth < MISNEST_DEPTH; depth++) {
                uint32_t at = b->stack.n - 1 - depth;
                if (b->stack.at[at].region == region) {
                        note(b, PS_I_NEST_LEAVE, e);
                        take_out_frame(b, at, e->time);
                        return;
                }
        }
        note(b, PS_I_NEST_STRAY_LEAVE, e);
}

static inline void leave_region(ps_builder *b, const ps_event *e, ps_region region)
{
        struct frame *f = top_frame(b);
        if (!f || (region != f->region && region != PS_NONE)) {
                leave_outer(b, e, region);
                return;
        }
        if (f->coll != PS_NONE)
                note(b, PS_I_COLL_UNENDED, e);
        pop_frame(b, e->time, 0);
}

static void add_context_node(ps_builder *b, uint32_t context)
{
        const ps_context_def *def = &b->defs->contexts.row[context];
        const ps_context_def *parent = def->parent == PS_NONE ? NULL : &b->defs->contexts.row[def->parent];
        ps_path_node place = {.parent = parent ? b->node_of_context[def->parent] : 0,
                              .region = def->region,
                              .site_file = parent ? parent->file : 0,
                              .site_line = parent ? parent->line : 0,
                              .frame_file = def->file,
                              .frame_line = def->line};
        b->node_of_context[context] = ps_tree_child(&b->tree, &place);
        if (!b->node_of_context[context])
                b->status = PS_NOMEM(&b->err, "call paths", b->tree.n);
}

/* The node of a calling context, made together with those of its parents. */
static ps_path context_node(ps_builder *b, uint32_t context)
{
        if (!b->node_of_context)
                b->node_of_context = calloc(b->defs->contexts.n, sizeof(ps_path));
        if (!b->node_of_context) {
                b->status = PS_NOMEM(&b->err, "calling contexts", b->defs->contexts.n);
                return 0;
        }
        for (uint32_t at = context; at != PS_NONE && !b->node_of_context[at] && b->status == PS_OK;
             at = b->defs->contexts.row[at].parent)
                PS_PUSH(b, b->chain, at);
        while (b->chain.n && b->status == PS_OK)
                add_context_node(b, b->chain.at[--b->chain.n]);
        return b->node_of_context[context];
}

/* -- handlers, one for each kind of event
 * ---------------------------------------------------------------------------- */

/* The node of a region that is entered, not foreseen. */
static ps_path find_node(ps_builder *b, ps_path parent, const ps_event *e)
{
        ps_path_node place = {
                .parent = parent, .region = e->ref, .site_file = e->site_file, .site_line = e->site_line};
        ps_path node = ps_tree_child(&b->tree, &place);
        if (!node)
                b->status = PS_NOMEM(&b->err, "call paths", b->tree.n);
        return node;
}

static inline int is_entered(const ps_path_node *place, ps_path parent, const ps_event *e)
{
        return place->parent == parent && place->region == e->ref && place->site_line == e->site_line &&
               place->site_file == e->site_file && !place->frame_file && !place->frame_line;
}

static inline void on_enter(ps_builder *b, const ps_event *e)
{
        ps_path parent = b->stack.n ? b->stack.at[b->stack.n - 1].node : 0;
        ps_path node = ps_tree_guess(&b->tree, parent);
        if (e->ref == PS_NONE)
                note(b, PS_I_DEF_UNKNOWN, e);
        if (node && is_entered(&b->tree.node[node].place, parent, e))
                b->tree.node[parent].last = node;
        else
                node = find_node(b, parent, e);
        if (node)
                push_frame(b, node, e->ref, e->time);
}

static inline void on_leave(ps_builder *b, const ps_event *e)
{
        leave_region(b, e, e->ref);
}

static void on_context_enter(ps_builder *b, const ps_event *e)
{
        if (e->ref >= b->defs->contexts.n) {
                on_enter(b, &(ps_event){.time = e->time, .ref = PS_NONE, .offset = e->offset});
                return;
        }
        ps_path node = context_node(b, e->ref);
        if (node)
                push_frame(b, node, b->defs->contexts.row[e->ref].region, e->time);
}

static void on_context_leave(ps_builder *b, const ps_event *e)
{
        leave_region(b, e, e->ref < b->defs->contexts.n ? b->defs->contexts.row[e->ref].region : PS_NONE);
}

static void start_message(ps_builder *b, const ps_event *e, ps_kind kind, int is_request)
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
                PS_PUSH(b, b->completions, (struct completion){e->time, op, op});
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
        if (!f || !is_library(b, f->region))
                return; /* the bare row of its end is all of it */
        if (f->coll != PS_NONE)
                note(b, PS_I_COLL_UNENDED, e);
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
                PS_PUSH(b, b->completions, (struct completion){e->time, op, op});
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

/* -- one-sided
 * ------------------------------------------------------------------------------------------------- */

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
                note(b, PS_I_COMM_INVALID, e);
        else
                row->peer = location_of(b, ps_defs_peer(b->defs, comm, e->peer, b->process));
}

static void on_rma(ps_builder *b, const ps_event *e)
{
        ps_kind kind = e->kind == PS_EV_RMA_PUT   ? PS_K_PUT
                       : e->kind == PS_EV_RMA_GET ? PS_K_GET
                                                  : PS_K_ATOMIC;
        ps_op op, old;
        struct row *row = claim_row(b, kind, e, &op);
        if (!row)
                return;
        fill_target(b, row, e);
        ps_requests_open(b, SPACE_RMA, e->request, op, &old);
}

static void on_rma_done(ps_builder *b, const ps_event *e)
{
        ps_op start = ps_requests_close(b, SPACE_RMA, e->request);
        const struct frame *f = top_frame(b);
        if (start != PS_NONE && f && f->row != PS_NONE)
                row_at(b, start)->done = f->row;
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
        if (row->kind == PS_K_COLLECTIVE)
                row->kind = PS_K_RMA_COLLECTIVE;
        row->comm = e->ref;
        row->bytes = e->bytes;
        if (row->link < b->received.n)
                b->received.at[row->link] = e->received;
        if (comm_of_window(b, e->ref) == PS_NONE)
                note(b, PS_I_COMM_INVALID, e);
        if (row->leave == ROW_OPEN)
                PS_PUSH(b, b->completions, (struct completion){e->time, op, op});
}

/* Synchronisation of a window without a collective: the call's row learns of window, target and lock. */
static void on_rma_sync(ps_builder *b, const ps_event *e)
{
        struct frame *f = top_frame(b);
        if (!f || f->row == PS_NONE || ps_kinds[row_at(b, f->row)->kind].cls != PS_C_RMA_SYNC)
                return;
        struct row *row = row_at(b, f->row);
        fill_target(b, row, e);
        row->tag = e->kind == PS_EV_RMA_GROUP_SYNC ? e->comm : (uint32_t)e->request;
}

/* -- threads
 * ---------------------------------------------------------------------------------------------------- */

static void on_thread(ps_builder *b, const ps_event *e)
{
        static const uint8_t kinds[PS_EV_COUNT] = {
                [PS_EV_THREAD_FORK] = PS_K_THREAD_FORK,     [PS_EV_THREAD_JOIN] = PS_K_THREAD_JOIN,
                [PS_EV_THREAD_CREATE] = PS_K_THREAD_CREATE, [PS_EV_THREAD_WAIT] = PS_K_THREAD_WAIT,
                [PS_EV_TASK_CREATE] = PS_K_TASK_CREATE,     [PS_EV_TASK_SWITCH] = PS_K_TASK_SWITCH,
                [PS_EV_TASK_COMPLETE] = PS_K_TASK_COMPLETE, [PS_EV_TEAM_BEGIN] = PS_K_TEAM_BEGIN,
                [PS_EV_TEAM_END] = PS_K_TEAM_END,
        };
        struct row *row = bare_row(b, (ps_kind)kinds[e->kind], e->time);
        if (!row)
                return;
        row->comm = e->comm;
        row->tag = e->tag;
        row->peer = e->peer;
        if (e->kind == PS_EV_TEAM_BEGIN)
                PS_PUSH(b, b->teams, e->comm);
        else if (e->kind == PS_EV_TEAM_END && b->teams.n)
                b->teams.n--;
}

/* Waiting for a lock begins where the construct or call around it is entered and ends with the record. */
static void on_lock(ps_builder *b, const ps_event *e)
{
        int acquires = e->kind == PS_EV_LOCK_ACQUIRE;
        const struct frame *f = top_frame(b);
        const ps_region_def *def = f ? region_of(b, f->region) : NULL;
        int in_construct =
                def && (def->paradigm == PS_PARADIGM_OPENMP || def->paradigm == PS_PARADIGM_PTHREAD);
        struct row *row = bare_row(b, acquires ? PS_K_LOCK_ACQUIRE : PS_K_LOCK_RELEASE, e->time);
        if (!row)
                return;
        row->tag = e->ref;
        row->bytes = e->tag;
        if (acquires && in_construct) {
                row->enter = f->enter;
                row->flags = 0;
        }
}

static void on_measurement(ps_builder *b, const ps_event *e)
{
        if (!e->op && !b->is_off)
                note(b, PS_I_MEASUREMENT_OFF, e);
        charge_off(b, e->time);
        b->off_since = e->time;
        b->is_off = !e->op;
}

static void on_end(ps_builder *b, const ps_event *e)
{
        (void)e;
        b->has_ended = 1;
}

static void on_begin(ps_builder *b, const ps_event *e)
{
        (void)e;
        b->has_ended = 0;
}

typedef void handler(ps_builder *b, const ps_event *e);

/* Events without a row here are counted and change nothing. */
static handler *const handlers[PS_EV_COUNT] = {
        [PS_EV_ENTER] = on_enter,
        [PS_EV_LEAVE] = on_leave,
        [PS_EV_CONTEXT_ENTER] = on_context_enter,
        [PS_EV_CONTEXT_LEAVE] = on_context_leave,
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
        [PS_EV_RMA_GROUP_SYNC] = on_rma_sync,
        [PS_EV_RMA_LOCK_REQUEST] = on_rma_sync,
        [PS_EV_RMA_LOCK_ACQUIRE] = on_rma_sync,
        [PS_EV_RMA_LOCK_TRY] = on_rma_sync,
        [PS_EV_RMA_LOCK_RELEASE] = on_rma_sync,
        [PS_EV_RMA_PUT] = on_rma,
        [PS_EV_RMA_GET] = on_rma,
        [PS_EV_RMA_ATOMIC] = on_rma,
        [PS_EV_RMA_DONE_LOCAL] = on_rma_done,
        [PS_EV_RMA_DONE_REMOTE] = on_rma_done,
        [PS_EV_THREAD_FORK] = on_thread,
        [PS_EV_THREAD_JOIN] = on_thread,
        [PS_EV_THREAD_CREATE] = on_thread,
        [PS_EV_THREAD_WAIT] = on_thread,
        [PS_EV_TASK_CREATE] = on_thread,
        [PS_EV_TASK_SWITCH] = on_thread,
        [PS_EV_TASK_COMPLETE] = on_thread,
        [PS_EV_TEAM_BEGIN] = on_thread,
        [PS_EV_TEAM_END] = on_thread,
        [PS_EV_LOCK_ACQUIRE] = on_lock,
        [PS_EV_LOCK_RELEASE] = on_lock,
        [PS_EV_MEASUREMENT] = on_measurement,
        [PS_EV_PROGRAM_BEGIN] = on_begin,
        [PS_EV_PROGRAM_END] = on_end,
        [PS_EV_THREAD_BEGIN] = on_begin,
        [PS_EV_THREAD_END] = on_end,
};

/* -- life
 * ------------------------------------------------------------------------------------------------------- */

ps_status ps_builder_new(ps_builder **out, const ps_defs *defs, ps_loc location, ps_row_pool *pool,
                         ps_error *err)
{
        *out = NULL;
        ps_builder *b = calloc(1, sizeof(*b));
        if (!b)
                return PS_NOMEM(err, "builder", 1);
        b->defs = defs;
        b->location = location;
        b->pool = pool;
        b->process = defs->locations.row[location].process;
        b->one_of_many = defs->processes.row[b->process].n_locs > 1;
        b->info.first = PS_TIME_MAX;
        b->info.last = INT64_MIN;
        b->info.events_by_code = calloc(defs->codes.n + 1, sizeof(uint64_t));
        if (!b->info.events_by_code || ps_tree_init(&b->tree) < 0) {
                ps_builder_free(b);
                return PS_NOMEM(err, "builder", 1);
        }
        *out = b;
        return PS_OK;
}

void ps_builder_free(ps_builder *b)
{
        if (!b)
                return;
        void *blocks[] = {b->stack.at,        b->teams.at,       b->completed.at, b->received.at,
                          b->wide.at,         b->completions.at, b->lost.at,      b->orphans.at,
                          b->columns,         b->ops.completed,  b->ops.wide,     b->info.events_by_code,
                          b->node_of_context, b->chain.at};
        for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
                free(blocks[i]);
        ps_rows_free(b);
        ps_tree_free(&b->tree);
        free(b);
}

ps_status ps_builder_add(ps_builder *b, const ps_batch *batch, ps_error *err)
{
        for (uint32_t i = 0; i < batch->n && b->status == PS_OK; i++) {
                const ps_event *e = &batch->event[i];
                b->info.events_by_code[e->code]++;
                if (b->has_ended && e->kind != PS_EV_THREAD_BEGIN && e->kind != PS_EV_PROGRAM_BEGIN)
                        note(b, PS_I_EVENT_AFTER_END, e);
                if (e->kind == PS_EV_ENTER) /* these two are most of a trace */
                        on_enter(b, e);
                else if (e->kind == PS_EV_LEAVE)
                        on_leave(b, e);
                else if (handlers[e->kind])
                        handlers[e->kind](b, e);
        }
        if (batch->n) {
                if (!b->info.n_events)
                        b->info.first = batch->event[0].time;
                b->info.last = batch->event[batch->n - 1].time;
                b->info.n_events += batch->n;
        }
        if (b->status < 0 && err)
                *err = b->err;
        return b->status;
}

/* What is still open is closed at the last event; requests that nobody completed are kept for the other
 * threads of the process. */
static void close_all(ps_builder *b)
{
        ps_event last = {.time = b->info.n_events ? b->info.last : 0, .offset = UINT64_MAX};
        while (b->stack.n) {
                note(b, PS_I_NEST_OPEN, &last);
                pop_frame(b, last.time, PS_OP_TRUNCATED);
        }
        for (uint32_t i = 0; i < b->requests.n_slots; i++)
                if (b->requests.slot[i].used && b->requests.slot[i].space == SPACE_REQUEST)
                        PS_PUSH(b, b->lost, b->requests.slot[i]);
        charge_off(b, last.time);
}

ps_status ps_builder_end(ps_builder *b, ps_error *err)
{
        close_all(b);
        ps_status status = b->status;
        if (status < 0 && err)
                *err = b->err;
        if (status == PS_OK)
                status = ps_rows_freeze(b, err);
        ps_rows_free(b);
        free(b->stack.at);
        b->stack.at = NULL;
        free(b->node_of_context);
        b->node_of_context = NULL;
        return status;
}

ps_issues *ps_builder_issues(ps_builder *b)
{
        return &b->issues;
}

const uint64_t *ps_builder_received(const ps_builder *b, uint32_t *n)
{
        *n = b->received.n;
        return b->received.at;
}
