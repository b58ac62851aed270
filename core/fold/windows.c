/* windows.c - what the records of windows do to the rows. Those in calls of their own sort, as most are, come
 * right from where they are decoded; the rest as events. */
#include "core/fold/sink.h"

static ps_comm comm_of_window(const ps_builder *b, uint32_t window)
{
        return window < b->defs->windows.n ? b->defs->windows.row[window].comm : PS_NONE;
}

static ps_fold_window window_of(const ps_event *e)
{
        return (ps_fold_window){e->ref, e->peer, e->bytes, e->request};
}

static void note_window(ps_builder *b, const ps_event *e)
{
        if (comm_of_window(b, e->ref) == PS_NONE)
                ps_builder_note(b, PS_I_COMM_INVALID, e);
}

/* What a row of `before` says with a target: kept by both, a glance away. */
struct target {
        uint64_t bytes;
        uint32_t window, rank, before, call;
};

enum { TARGETS = 64 };

/* NULL: there is no memory, and nothing is kept. */
static struct target *target_at(ps_builder *b, uint32_t before, uint32_t rank)
{
        if (!b->targets && (b->targets = ps_memory_new(TARGETS * sizeof(*b->targets))))
                for (int i = 0; i < TARGETS; i++)
                        b->targets[i] = (struct target){.before = PS_NONE};
        return b->targets ? &b->targets[(before + 5 * rank) % TARGETS] : NULL;
}

/* Window, length, and the location behind the rank. */
static void find_target(ps_builder *b, ps_op op, const ps_fold_window *w)
{
        struct ps_call call = ps_rows_said(b, op);
        ps_comm comm = comm_of_window(b, w->window);
        call.comm = w->window;
        call.bytes = w->bytes;
        if (comm != PS_NONE)
                call.peer = b->defs->comms.row[comm].team ? ps_builder_pgas_target(b, comm, w->rank)
                                                          : ps_fold_peer(b, comm, w->rank);
        ps_rows_say(b, op, &call);
}

static void say_target(ps_builder *b, ps_op op, const ps_fold_window *w)
{
        const uint32_t before = CELL(b, call, op);
        struct target *t = target_at(b, before, w->rank);
        if (t && t->before == before && t->rank == w->rank && t->window == w->window &&
            t->bytes == w->bytes) {
                CELL(b, call, op) = t->call;
                return;
        }
        find_target(b, op, w);
        if (t && !ps_rows_call(b, op)->varies)
                *t = (struct target){w->bytes, w->window, w->rank, before, CELL(b, call, op)};
}

static void begin_transfer(ps_builder *b, ps_op op, const ps_fold_window *w)
{
        say_target(b, op, w);
        if (!ps_ids_give_new(&b->requests, SPACE_RMA, w->id, op))
                ps_requests_open(b, SPACE_RMA, w->id, op);
}

void ps_builder_on_transfer(ps_builder *b, const ps_event *e)
{
        ps_kind kind = e->kind == PS_EV_RMA_PUT   ? PS_K_PUT
                       : e->kind == PS_EV_RMA_GET ? PS_K_GET
                                                  : PS_K_ATOMIC;
        ps_op op = ps_builder_begin_row(b, kind, e);
        if (op == PS_NONE)
                return;
        const ps_fold_window w = window_of(e);
        begin_transfer(b, op, &w);
        note_window(b, e);
}

/* What a call waits for is at a window. */
static void wait_at_window(ps_builder *b, ps_op op, uint32_t window)
{
        if (ps_kinds[CELL(b, kind, op)].cls == PS_C_COMPLETE && ps_rows_call(b, op)->comm == PS_NONE)
                SAY(b, op, comm, window);
}

void ps_builder_on_window_wait(ps_builder *b, const ps_event *e)
{
        const struct frame *f = ps_fold_top(b);
        if (f->row != PS_NONE)
                wait_at_window(b, f->row, e->ref);
}

static ps_op drop_transfer(ps_builder *b, uint64_t id)
{
        ps_ids_page *page = ps_ids_find_near(&b->requests, SPACE_RMA, id);
        if (!page)
                return ps_ids_drop(&b->requests, SPACE_RMA, id);
        ps_op op = *ps_ids_row(page, id);
        ps_ids_remove_near(page, id);
        return op;
}

static void end_transfer(ps_builder *b, const struct frame *top, const ps_fold_window *w)
{
        ps_op start = drop_transfer(b, w->id);
        if (start == PS_NONE || top->row == PS_NONE)
                return;
        CELL(b, done, start) = top->row;
        wait_at_window(b, top->row, w->window);
}

void ps_builder_on_transferred(ps_builder *b, const ps_event *e)
{
        const ps_fold_window w = window_of(e);
        end_transfer(b, ps_fold_top(b), &w);
}

/* Windows of MPI have collectives of their own; those of PGAS programs are those of a communicator. */
static void say_collective(ps_builder *b, ps_op op, const ps_fold_window *w, uint8_t otherwise)
{
        uint8_t *kind = &CELL(b, kind, op);
        struct ps_call call = ps_rows_said(b, op);
        if (*kind == PS_K_COLLECTIVE || *kind == PS_K_RMA_COLLECTIVE)
                *kind = otherwise;
        call.comm = ps_kinds[*kind].traits & PS_T_RMA ? w->window : comm_of_window(b, w->window);
        call.bytes = w->bytes;
        ps_rows_say(b, op, &call);
}

static bool is_pgas(const ps_builder *b, uint32_t window)
{
        ps_comm comm = comm_of_window(b, window);
        return comm != PS_NONE && b->defs->comms.row[comm].pgas;
}

void ps_builder_on_window_coll(ps_builder *b, const ps_event *e)
{
        ps_op op = ps_builder_end_coll(b, e, PS_K_RMA_COLLECTIVE);
        if (op == PS_NONE)
                return;
        const ps_fold_window w = window_of(e);
        say_collective(b, op, &w, is_pgas(b, e->ref) ? e->op : PS_K_RMA_COLLECTIVE);
        ps_fold_received(b, op, e->received);
        note_window(b, e);
        if (is_pgas(b, e->ref)) {
                ps_builder_pgas_root(b, op, e->peer);
                ps_builder_pgas_level(b, op, top_frame(b), e->tag);
        }
        ps_fold_await_end(b, op, op, e->time);
}

/* Synchronisation of a window without a collective: the call's row learns of window, target and group. */
static bool is_sync(const ps_builder *b, const struct frame *top)
{
        return top->row != PS_NONE && ps_kinds[CELL(b, kind, top->row)].cls == PS_C_RMA_SYNC;
}

void ps_builder_on_group_sync(ps_builder *b, const ps_event *e)
{
        const struct frame *top = ps_fold_top(b);
        const ps_fold_window w = window_of(e);
        if (!is_sync(b, top))
                return;
        say_target(b, top->row, &w);
        note_window(b, e);
        CELL(b, tag, top->row) = e->comm;
}

static void say_lock(ps_builder *b, ps_op op, const ps_fold_window *w)
{
        say_target(b, op, &(ps_fold_window){w->window, w->rank, w->id, w->id});
        CELL(b, link, op) = 0;
}

static void give_back(ps_builder *b, ps_op op, ps_time time)
{
        CELL(b, pre, op) = ps_rows_distance(b, op, 0, time - CELL(b, enter, op));
}

void ps_builder_on_window_lock(ps_builder *b, const ps_event *e)
{
        const struct frame *top = ps_fold_top(b);
        const ps_fold_window w = window_of(e);
        if (!is_sync(b, top))
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

/* Nothing is to be noted of the window, no portion has it, and nobody else says what such a record means. */
static bool is_plain(const ps_builder *b, const struct frame *top, const ps_fold_window *w)
{
        return !b->debts && !(top->marks & (MARK_PGAS | MARK_INNER)) &&
               comm_of_window(b, w->window) != PS_NONE;
}

bool ps_fold_transfer(ps_builder *b, struct frame *top, ps_kind kind, const ps_fold_window *w, ps_time time)
{
        if (top->awaits != AWAITS_OTHER || CELL(b, kind, top->row) != kind || !is_plain(b, top, w))
                return false;
        top->awaits = AWAITS_NOTHING;
        CELL(b, pre, top->row) = ps_rows_distance(b, top->row, 0, time - top->enter);
        begin_transfer(b, top->row, w);
        return true;
}

bool ps_fold_transferred(ps_builder *b, const struct frame *top, const ps_fold_window *w)
{
        if (!is_plain(b, top, w))
                return false;
        end_transfer(b, top, w);
        return true;
}

bool ps_fold_window_lock(ps_builder *b, const struct frame *top, const ps_fold_window *w, uint8_t how)
{
        if (!is_sync(b, top) || !is_plain(b, top, w))
                return false;
        say_lock(b, top->row, w);
        CELL(b, tag, top->row) = how;
        return true;
}

bool ps_fold_window_unlock(ps_builder *b, const struct frame *top, const ps_fold_window *w, ps_time time)
{
        if (!is_sync(b, top) || !is_plain(b, top, w))
                return false;
        say_lock(b, top->row, w);
        give_back(b, top->row, time);
        return true;
}

bool ps_fold_end_window_coll(ps_builder *b, struct frame *top, const ps_fold_window *w, uint64_t received,
                             ps_time time)
{
        ps_op op = top->coll;
        if (op == PS_NONE || !is_plain(b, top, w) || is_pgas(b, w->window))
                return false;
        top->coll = PS_NONE;
        top->marks &= (uint8_t)~MARK_COLL;
        say_collective(b, op, w, PS_K_RMA_COLLECTIVE);
        ps_fold_received(b, op, received);
        ps_fold_await_end(b, op, op, time);
        return true;
}
