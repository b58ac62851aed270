/* fold.c - the life of a builder, its stack of open regions, and its part of the call tree.
 *
 * A call of the library is an Enter, a few records in between, and a Leave. Entering the region of such a
 * call makes a row; the records fill it in (records.c); leaving gives it its end. */
#include "core/fold/sink.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A region that is left out of order is looked for this deep; recorders misplace a leave by a level or two,
 * and a hostile trace must not make each leave cost a walk over all that is open. */
enum { MISNEST_DEPTH = 256, IDLE_ROWS = 256 };

/* -- the stack -- */

/* The row of a call that is just entered. */
static void begin_call(ps_builder *b, struct frame *f, const ps_region_def *def, const ps_event *e)
{
        ps_kind kind = (ps_kind)def->kind;
        bool is_pgas = ps_paradigm_is_pgas(def->paradigm);
        f->marks |= marks_of(def);
        if (kind == PS_K_FINALIZE)
                ps_builder_begin_stays(b, f->enter);
        if (is_pgas && f->marks & MARK_INNER)
                return;
        ps_op op = ps_rows_add(b, kind, f->node, f->enter);
        if (op == PS_NONE)
                return;
        f->row = f->last = op;
        f->awaits = awaits_of(kind);
        if (def->nonblocking)
                CELL(b, flags, op) |= PS_OP_NONBLOCKING;
        if (ps_kind_is_of_team(kind))
                ps_rows_say_team(b, op);
        if (is_pgas)
                ps_builder_begin_pgas(b, f->row, e);
}

static void begin_visit(ps_builder *b, struct frame *f)
{
        if (!b->visits.is_wanted[f->region])
                return;
        f->marks |= MARK_VISITED;
        if (!b->visits.depth++)
                b->visits.since = f->enter;
}

int ps_builder_deepen(ps_builder *b)
{
        uint32_t cap = b->floor ? b->stack.cap + 1 : 0;
        if (ps_memory_grow(&b->floor, &cap, 16, sizeof(*b->floor)))
                return -1;
        b->floor[0] = (struct frame){.region = PS_NONE,
                                     .row = PS_NONE,
                                     .last = PS_NONE,
                                     .coll = PS_NONE,
                                     .completion = PS_NONE,
                                     .marks = MARK_FLOOR};
        b->stack.row = b->floor + 1;
        b->stack.cap = cap - 1;
        return 0;
}

static void push_frame(ps_builder *b, ps_path node, ps_region region, const ps_event *e)
{
        const ps_region_def *def = region_of(b, region);
        if (__builtin_expect(b->is_watched, 0))
                ps_builder_enter_slowly(b, node, e->time);
        if (b->stack.n == b->stack.cap && ps_builder_deepen(b) < 0) {
                b->status = PS_NOMEM(&b->pool->err, "stack", b->stack.n);
                return;
        }
        struct frame *f = &b->stack.row[b->stack.n++];
        int inner = f[-1].marks & (MARK_PGAS | MARK_INNER);
        *f = (struct frame){.node = node,
                            .region = region,
                            .enter = e->time,
                            .row = PS_NONE,
                            .last = PS_NONE,
                            .coll = PS_NONE,
                            .completion = PS_NONE,
                            .pending = b->completions.n,
                            .marks = inner ? MARK_INNER : 0};
        b->tree.node[node].visits++;
        if (!def)
                return;
        f->marks |= def->idle ? MARK_IDLE : 0;
        if (__builtin_expect(b->visits.is_wanted != NULL, 0))
                begin_visit(b, f);
        if (def->kind != PS_K_NONE)
                begin_call(b, f, def, e);
}

/* Keeps a region that is waiting: see ps_idle. Operations that were begun inside of it do not count; where
 * there are many, it is none. */
static void keep_idle(ps_builder *b, const struct frame *f, ps_time time)
{
        ps_op after = b->n_rows, least = after > IDLE_ROWS ? after - IDLE_ROWS : 0;
        while (after > least && CELL(b, enter, after - 1) > f->enter)
                after--;
        if (after == least && least)
                return;
        ps_op op = after ? after - 1 : PS_NONE;
        int inside = after && is_open(b, op);
        ps_time from = !after ? b->info.first : inside ? CELL(b, enter, op) : CELL(b, leave, op);
        PUSH(b, b->idle, (ps_idle){op, (uint8_t)inside, f->enter - from, time - from});
}

static void settle_marked(ps_builder *b, const struct frame *f, ps_time time)
{
        if (f->marks & MARK_IDLE)
                keep_idle(b, f, time);
        if (f->marks & MARK_VISITED && !--b->visits.depth)
                PUSH(b, b->visits.list, (ps_span){b->visits.since, time});
}

static void settle_frame(ps_builder *b, struct frame *f, ps_time time)
{
        ps_fold_settle(b, f, ps_fold_node(b, f), time);
        if (f->row != PS_NONE)
                ps_fold_close_rows(b, f, time);
        if (f->marks & (MARK_IDLE | MARK_VISITED))
                settle_marked(b, f, time);
        if (f->marks & MARK_MODES)
                ps_builder_end_pgas(b, f);
}

static void pop_frame(ps_builder *b, ps_time time)
{
        assert(b->stack.row && b->stack.n > 0);
        struct frame *f = &b->stack.row[b->stack.n - 1];
        if (__builtin_expect(b->is_watched, 0))
                ps_builder_leave_slowly(b, b->stack.n - 1, time);
        settle_frame(b, f, time);
        b->stack.n--;
}

/* Takes frame number `at` out of the stack, which is not the top. Frames above it go on; the time that they
 * shared with it is charged once. */
static void take_out_frame(ps_builder *b, uint32_t at, ps_time time)
{
        if (b->is_watched)
                ps_builder_leave_slowly(b, at, time);
        struct frame *f = &b->stack.row[at], *above = f + 1;
        ps_time shared = time - above->enter - above->overlap;
        f->below += shared;
        above->overlap += shared;
        settle_frame(b, f, time);
        if (b->is_watched)
                ps_builder_left_outer(b);
        memmove(f, above, (b->stack.n - at - 1) * sizeof(*f));
        b->stack.n--;
}

/* Leaves a region that is not the innermost one. */
static void leave_outer(ps_builder *b, const ps_event *e, ps_region region)
{
        for (uint32_t depth = 1; depth < b->stack.n && depth < MISNEST_DEPTH; depth++) {
                uint32_t at = b->stack.n - 1 - depth;
                assert(b->stack.row);
                if (b->stack.row[at].region == region) {
                        ps_builder_note(b, PS_I_NEST_LEAVE, e);
                        take_out_frame(b, at, e->time);
                        return;
                }
        }
        ps_builder_note(b, PS_I_NEST_STRAY_LEAVE, e);
}

static void leave_region(ps_builder *b, const ps_event *e, ps_region region)
{
        struct frame *f = top_frame(b);
        if (b->debts && b->stack.n == 1) {
                ps_builder_owe_leave(b, region, e->time);
                return;
        }
        if (!f || (region != f->region && region != PS_NONE)) {
                leave_outer(b, e, region);
                return;
        }
        if (f->marks & MARK_COLL)
                ps_builder_note(b, PS_I_COLL_UNENDED, e);
        pop_frame(b, e->time);
}

/* Whoever unwinds the stack tells in each frame where it is at work, so that a call stands where the frame
 * around it is. Whoever knows only where a library was called tells it of the call itself. */
static const ps_context_def *caller_of(const ps_builder *b, const ps_context_def *def)
{
        const ps_context_def *parent = def->parent == PS_NONE ? NULL : &b->defs->contexts.row[def->parent];
        return (!parent || !parent->line) && is_library(region_of(b, def->region)) ? def : parent;
}

static void add_context_node(ps_builder *b, uint32_t context)
{
        const ps_context_def *def = &b->defs->contexts.row[context], *caller = caller_of(b, def);
        ps_path_node place = {.parent = def->parent == PS_NONE ? 0 : b->node_of_context[def->parent],
                              .region = def->region,
                              .site_file = caller ? caller->file : 0,
                              .site_line = caller ? caller->line : 0,
                              .frame_file = def->file,
                              .frame_line = def->line};
        b->node_of_context[context] = ps_tree_child(&b->tree, &place);
        if (!b->node_of_context[context])
                b->status = PS_NOMEM(&b->pool->err, "call paths", b->tree.n);
}

ps_path ps_builder_make_context_node(ps_builder *b, uint32_t context)
{
        if (!b->node_of_context)
                b->node_of_context = calloc(b->defs->contexts.n, sizeof(ps_path));
        if (!b->node_of_context) {
                b->status = PS_NOMEM(&b->pool->err, "calling contexts", b->defs->contexts.n);
                return 0;
        }
        for (uint32_t at = context; at != PS_NONE && !b->node_of_context[at] && b->status == PS_OK;
             at = b->defs->contexts.row[at].parent)
                PUSH(b, b->chain, at);
        while (b->chain.n && b->status == PS_OK)
                add_context_node(b, b->chain.row[--b->chain.n]);
        return b->node_of_context[context];
}

/* -- handlers, one for each kind of event -- */

ps_path ps_builder_find_node(ps_builder *b, ps_path parent, const ps_event *e)
{
        ps_path_node place = {
                .parent = parent, .region = e->ref, .site_file = e->site_file, .site_line = e->site_line};
        ps_path node = ps_tree_child(&b->tree, &place);
        if (!node)
                b->status = PS_NOMEM(&b->pool->err, "call paths", b->tree.n);
        return node;
}

static inline bool is_entered(const ps_path_node *place, ps_path parent, const ps_event *e)
{
        return place->parent == parent && place->region == e->ref && place->site_line == e->site_line &&
               place->site_file == e->site_file && !place->frame_file && !place->frame_line;
}

static void on_enter(ps_builder *b, const ps_event *e)
{
        if (e->ref < b->defs->regions.n && b->defs->regions.row[e->ref].is_plain && !e->site_file &&
            !e->site_line && !b->visits.is_wanted && ps_fold_enter(b, ps_fold_top(b), e->ref, e->time))
                return;
        ps_path parent = b->stack.n ? b->stack.row[b->stack.n - 1].node : 0;
        ps_path node = ps_tree_guess(&b->tree, parent);
        if (e->ref == PS_NONE)
                ps_builder_note(b, PS_I_DEF_UNKNOWN, e);
        if (node && is_entered(&b->tree.place[node].is, parent, e))
                ps_tree_follow(&b->tree.node[parent], node);
        else
                node = ps_builder_find_node(b, parent, e);
        if (node)
                push_frame(b, node, e->ref, e);
}

static void on_leave(ps_builder *b, const ps_event *e)
{
        if (!ps_fold_leave(b, ps_fold_top(b), e->ref, e->time))
                leave_region(b, e, e->ref);
}

static void on_context_enter(ps_builder *b, const ps_event *e)
{
        if (e->ref >= b->defs->contexts.n) {
                on_enter(b,
                         &(ps_event){.time = e->time, .ref = PS_NONE, .peer = PS_NONE, .offset = e->offset});
                return;
        }
        ps_path node = ps_builder_context_node(b, e->ref);
        if (node)
                push_frame(b, node, b->defs->contexts.row[e->ref].region, e);
}

static void on_context_leave(ps_builder *b, const ps_event *e)
{
        leave_region(b, e, e->ref < b->defs->contexts.n ? b->defs->contexts.row[e->ref].region : PS_NONE);
}

static void on_end(ps_builder *b, const ps_event *e)
{
        (void)e;
        b->has_ended = true;
}

static void on_begin(ps_builder *b, const ps_event *e)
{
        (void)e;
        b->has_ended = false;
}

/* Of the other events those that ps_record_handlers has a row for change something; the rest is only counted.
 */
static const ps_event_handler handlers[PS_EV_COUNT] = {
        [PS_EV_ENTER] = on_enter,
        [PS_EV_LEAVE] = on_leave,
        [PS_EV_CONTEXT_ENTER] = on_context_enter,
        [PS_EV_CONTEXT_LEAVE] = on_context_leave,
        [PS_EV_SAMPLE] = ps_builder_on_sample,
        [PS_EV_MEASUREMENT] = ps_builder_on_measurement,
        [PS_EV_FLUSH] = ps_builder_on_flush,
        [PS_EV_PARAMETER] = ps_builder_on_parameter,
        [PS_EV_PROGRAM_BEGIN] = on_begin,
        [PS_EV_PROGRAM_END] = on_end,
        [PS_EV_THREAD_BEGIN] = on_begin,
        [PS_EV_THREAD_END] = on_end,
};

/* -- life -- */

ps_status ps_builder_new(ps_builder **out, const ps_defs *defs, ps_loc location, ps_row_pool *pool,
                         ps_error *err)
{
        *out = NULL;
        ps_builder *b = calloc(1, sizeof(*b));
        if (!b)
                return PS_NOMEM(err, "builder", 1);
        b->defs = defs;
        b->location = location;
        b->requests = PS_IDS_EMPTY;
        b->pool = pool;
        b->calls = ps_calls_new(room_like(pool->n_calls));
        b->process = defs->locations.row[location].process;
        b->one_of_many = defs->processes.row[b->process].n_locs > 1;
        b->left_since = INT64_MIN;
        b->info = (ps_location_info){.first = PS_TIME_MAX, .last = INT64_MIN};
        b->issues = calloc(1, sizeof(*b->issues));
        b->events_by_code = calloc(defs->codes.n + (size_t)1, sizeof(*b->events_by_code));
        if (!b->issues || !b->events_by_code || ps_addresses_init(b) < 0 ||
            ps_tree_init(&b->tree, room_like(pool->n_nodes)) < 0 || ps_builder_deepen(b) < 0) {
                ps_builder_free(b);
                return PS_NOMEM(err, "builder", 1);
        }
        *out = b;
        return PS_OK;
}

void ps_builder_keep_visits(ps_builder *b, const uint8_t *is_wanted)
{
        b->visits.is_wanted = is_wanted;
}

void ps_builder_free(ps_builder *b)
{
        if (!b)
                return;
        void *blocks[] = {b->issues,
                          b->events_by_code,
                          b->addresses.row,
                          b->collectives.row,
                          b->floor,
                          b->teams.row,
                          b->completed.row,
                          b->received.row,
                          b->wide.row,
                          b->completions.row,
                          b->lost.row,
                          b->orphans.row,
                          b->idle.row,
                          b->enter ? NULL : b->ops.completed, /* stand with the columns, like */
                          b->late.row,
                          b->foreign.row,
                          b->enter ? NULL : b->ops.calls, /* these */
                          b->node_of_context,
                          b->chain.row,
                          b->stays.list.row,
                          b->visits.list.row,
                          b->debts ? b->debts->list.row : NULL,
                          b->debts,
                          b->map};
        for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
                free(blocks[i]);
        ps_rows_free(b);
        ps_builder_free_pieces(b);
        ps_tree_free(&b->tree);
        free(b);
}

/* What happens below an operation of a PGAS program is how it is done. */
static bool is_inner_record(ps_builder *b, const ps_event *e)
{
        const struct frame *f = top_frame(b);
        return e->kind >= PS_EV_RMA_COLL_BEGIN && e->kind <= PS_EV_RMA_TEST && f && f->marks & MARK_INNER &&
               f->marks & MARK_PGAS;
}

void ps_builder_take(ps_builder *b, const ps_event *e)
{
        if (ps_record_handlers[e->kind] && !is_inner_record(b, e))
                ps_record_handlers[e->kind](b, e);
        else if (handlers[e->kind])
                handlers[e->kind](b, e);
}

ps_status ps_builder_add(ps_builder *b, const ps_batch *batch, ps_error *err)
{
        if (batch->n && !b->info.n_events) {
                b->info.first = batch->event[0].time;
                if (b->pieces)
                        b->pieces->since = b->info.first;
        }
        for (uint32_t i = 0; i < batch->n && b->status == PS_OK; i++) {
                const ps_event *e = &batch->event[i];
                b->events_by_code[e->code]++;
                if (b->has_flush && e->time > b->flush.begin)
                        ps_builder_charge_flush(b, e->time);
                if (b->has_ended && e->kind != PS_EV_THREAD_BEGIN && e->kind != PS_EV_PROGRAM_BEGIN)
                        ps_builder_note(b, PS_I_EVENT_AFTER_END, e);
                if (e->kind == PS_EV_ENTER) /* these two are most of a trace */
                        on_enter(b, e);
                else if (e->kind == PS_EV_LEAVE)
                        on_leave(b, e);
                else
                        ps_builder_take(b, e);
        }
        if (batch->n) {
                b->info.last = batch->event[batch->n - 1].time;
                b->info.n_events += batch->n;
        }
        if (b->status != PS_OK && err)
                *err = b->pool->err;
        return b->status;
}

static void truncate_rows(ps_builder *b, const struct frame *f)
{
        for (ps_op op = f->row; op != PS_NONE; op = (ps_op)CELL(b, leave, op))
                CELL(b, flags, op) |= PS_OP_TRUNCATED;
}

/* What is still open is closed at the last event; requests that nobody completed are kept for the other
 * threads of the process. */
static void close_all(ps_builder *b)
{
        ps_event last = {.time = b->info.n_events ? b->info.last : 0, .offset = UINT64_MAX};
        ps_builder_charge_rest(b, last.time);
        ps_builder_end_stays(b, last.time);
        while (b->stack.n) {
                ps_builder_note(b, PS_I_NEST_OPEN, &last);
                truncate_rows(b, top_frame(b));
                pop_frame(b, last.time);
        }
        uint64_t at = 0;
        for (ps_id open; ps_ids_next(&b->requests, &at, &open);)
                if (open.space == SPACE_REQUEST)
                        PUSH(b, b->lost, open);
        ps_builder_charge_watched(b, last.time);
        ps_builder_end_pieces(b);
}

/* There may be many locations, whose builders wait for each other. */
static void give_back(ps_builder *b)
{
        free(b->floor);
        b->floor = b->stack.row = NULL;
        free(b->node_of_context);
        b->node_of_context = NULL;
        ps_addresses_leave(b);
        free(b->completions.row);
        b->completions.row = NULL;
        b->pool->n_nodes = ps_tree_shrink(&b->tree);
        if (ps_issues_total(b->issues) || b->lost.n || b->orphans.n)
                return; /* who looks for their other ends may note something yet */
        free(b->issues);
        b->issues = NULL;
}

ps_status ps_builder_end(ps_builder *b, ps_error *err)
{
        close_all(b);
        ps_status status = b->status;
        if (status != PS_OK && err)
                *err = b->pool->err;
        PS_THEN(status, ps_rows_freeze(b, err));
        ps_rows_free(b);
        give_back(b);
        b->pool = NULL; /* it goes when all are read */
        return status;
}

ps_issues *ps_builder_issues(ps_builder *b)
{
        return b->issues;
}

const uint64_t *ps_builder_received(const ps_builder *b, uint32_t *n)
{
        *n = b->received.n;
        return b->received.row;
}
