/* windows.c - what the records of windows do to the rows. Those in calls of their own sort, as most are, come
 * right from where they are decoded; the rest as events. */
#include "core/fold/sink.h"

/* What an event tells of a window: `id`: of the transfer or the lock. */
struct said {
        uint32_t window, rank;
        uint64_t bytes, id;
};

static struct said said_by(const ps_event *e)
{
        return (struct said){e->ref, e->peer, e->bytes, e->request};
}

static void note_window(ps_builder *b, const ps_event *e)
{
        if (ps_fold_comm_of_window(b, e->ref) == PS_NONE)
                ps_builder_note(b, PS_I_COMM_INVALID, e);
}

static ps_loc target_of(ps_builder *b, ps_comm comm, uint32_t rank)
{
        return b->defs->comms.row[comm].team ? ps_builder_pgas_target(b, comm, rank)
                                             : ps_fold_peer(b, comm, rank);
}

/* Window, length, and the location behind the rank. */
static void say_target(ps_builder *b, ps_op op, const struct said *w)
{
        struct ps_call call = ps_rows_said(b, op);
        ps_comm comm = ps_fold_comm_of_window(b, w->window);
        call.comm = w->window;
        call.bytes = w->bytes;
        if (comm != PS_NONE)
                call.peer = target_of(b, comm, w->rank);
        ps_rows_say(b, op, &call);
}

void ps_builder_on_transfer(ps_builder *b, const ps_event *e)
{
        ps_kind kind = e->kind == PS_EV_RMA_PUT   ? PS_K_PUT
                       : e->kind == PS_EV_RMA_GET ? PS_K_GET
                                                  : PS_K_ATOMIC;
        ps_op op = ps_builder_begin_row(b, kind, e);
        if (op == PS_NONE)
                return;
        const struct said w = said_by(e);
        say_target(b, op, &w);
        if (!ps_ids_give_new(&b->requests, SPACE_RMA, w.id, op))
                ps_requests_open(b, SPACE_RMA, w.id, op);
        note_window(b, e);
}

/* What a call waits for is at a window. */
void ps_fold_wait_at_window(ps_builder *b, ps_op op, uint32_t window)
{
        if (ps_kinds[CELL(b, kind, op)].cls == PS_C_COMPLETE && ps_rows_call(b, op)->comm == PS_NONE)
                SAY(b, op, comm, window);
}

void ps_builder_on_window_wait(ps_builder *b, const ps_event *e)
{
        const struct frame *f = ps_fold_top(b);
        if (f->row != PS_NONE)
                ps_fold_wait_at_window(b, f->row, e->ref);
}

void ps_builder_on_transferred(ps_builder *b, const ps_event *e)
{
        const ps_op start = ps_fold_end_under_way(b, SPACE_RMA, e->request), call = ps_fold_top(b)->row;
        if (start == PS_NONE || call == PS_NONE)
                return;
        CELL(b, done, start) = call;
        ps_fold_wait_at_window(b, call, e->ref);
}

/* Windows of MPI have collectives of their own; those of PGAS programs are those of a communicator. */
static void say_collective(ps_builder *b, ps_op op, const struct said *w, uint8_t otherwise)
{
        uint8_t *kind = &CELL(b, kind, op);
        struct ps_call call = ps_rows_said(b, op);
        if (*kind == PS_K_COLLECTIVE || *kind == PS_K_RMA_COLLECTIVE)
                *kind = otherwise;
        call.comm = ps_kinds[*kind].traits & PS_T_RMA ? w->window : ps_fold_comm_of_window(b, w->window);
        call.bytes = w->bytes;
        ps_rows_say(b, op, &call);
}

static bool is_pgas(const ps_builder *b, uint32_t window)
{
        ps_comm comm = ps_fold_comm_of_window(b, window);
        return comm != PS_NONE && b->defs->comms.row[comm].pgas;
}

void ps_builder_on_window_coll(ps_builder *b, const ps_event *e)
{
        ps_op op = ps_builder_end_coll(b, e, PS_K_RMA_COLLECTIVE);
        if (op == PS_NONE)
                return;
        const struct said w = said_by(e);
        say_collective(b, op, &w, is_pgas(b, e->ref) ? e->op : PS_K_RMA_COLLECTIVE);
        ps_fold_received(b, op, e->received);
        note_window(b, e);
        if (is_pgas(b, e->ref)) {
                ps_builder_pgas_root(b, op, e->peer);
                ps_builder_pgas_level(b, op, top_frame(b), e->tag);
        }
        ps_fold_await_end(b, op, op, e->time);
}

void ps_builder_on_group_sync(ps_builder *b, const ps_event *e)
{
        const struct frame *top = ps_fold_top(b);
        const struct said w = said_by(e);
        if (!ps_fold_is_sync(b, top))
                return;
        say_target(b, top->row, &w);
        note_window(b, e);
        CELL(b, tag, top->row) = e->comm;
}

static void say_lock(ps_builder *b, ps_op op, const struct said *w)
{
        say_target(b, op, &(struct said){w->window, w->rank, w->id, w->id});
        CELL(b, link, op) = 0;
}

static void give_back(ps_builder *b, ps_op op, ps_time time)
{
        CELL(b, pre, op) = ps_rows_distance(b, op, 0, time - CELL(b, enter, op));
}

void ps_builder_on_window_lock(ps_builder *b, const ps_event *e)
{
        const struct frame *top = ps_fold_top(b);
        const struct said w = said_by(e);
        if (!ps_fold_is_sync(b, top))
                return;
        say_lock(b, top->row, &w);
        note_window(b, e);
        if (e->kind == PS_EV_RMA_LOCK_TRY)
                CELL(b, flags, top->row) |= PS_OP_CANCELLED;
        if (e->kind == PS_EV_RMA_LOCK_RELEASE)
                give_back(b, top->row, e->time);
        else
                CELL(b, tag, top->row) = e->op;
}

/* -- where they are decoded -- */

struct address *ps_fold_learn_target(ps_builder *b, uint64_t bytes, ps_path in, uint32_t window,
                                     uint32_t rank)
{
        const ps_comm comm = ps_fold_comm_of_window(b, window);
        if (comm == PS_NONE)
                return NULL;
        const struct address is = {.known = bytes,
                                   .is_there = true,
                                   .comm = window,
                                   .rank = rank,
                                   .location = target_of(b, comm, rank),
                                   .before = PS_NONE,
                                   .varying = PS_NONE};
        return ps_fold_keep(b, &b->targets, in, &is);
}

struct address *ps_fold_learn_window_coll(ps_builder *b, uint64_t bytes, ps_path in, uint32_t window,
                                          uint32_t root)
{
        const ps_comm comm = ps_fold_comm_of_window(b, window);
        const bool is_threads = is_pgas(b, window);
        const ps_loc named = is_threads ? ps_builder_pgas_thread(b, comm, root) : PS_NONE;
        const struct address is = {.known = bytes,
                                   .is_there = true,
                                   .keeps_peer = named == PS_NONE,
                                   .comm = is_threads ? comm : window,
                                   .rank = is_threads ? PS_K_NONE : PS_K_RMA_COLLECTIVE,
                                   .location = named,
                                   .before = PS_NONE,
                                   .varying = PS_NONE};
        return comm == PS_NONE ? NULL : ps_fold_keep(b, &b->targets, in, &is);
}
