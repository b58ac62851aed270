/* finish.c - from the builders of all locations to the tables of a trace, and requests that one thread of a
 * process started and another completed. */
#include "core/base/search.h"
#include "core/fold/builder.h"

#include "core/base/parallel.h"
#include "core/base/radix.h"
#include "core/base/vector.h"

#include <stdlib.h>

/* An open request of a process, or a completion that looks for one. */
struct loose {
        uint64_t id;
        ps_time time;
        ps_builder *builder;
        ps_op op;              /* the row that started, or the one that completed */
        const ps_event *event; /* of a completion; NULL: a start */
};

static int compare_loose(const void *a, const void *b)
{
        const struct loose *x = a, *y = b;
        PS_ORDER_BY(x->id, y->id);
        PS_ORDER_BY(x->time, y->time);
        if (!x->event != !y->event)
                return x->event ? 1 : -1;
        PS_ORDER_BY(x->builder->location, y->builder->location);
        return PS_ORDER(x->op, y->op);
}

static void note_event(const struct loose *l, ps_issue_kind kind)
{
        ps_issue_note(l->builder->issues, kind,
                      (ps_place){l->builder->location, 0, l->event->offset, l->event->time});
}

static int keep_calls(ps_builder *b)
{
        int failed = 0;
        for (uint32_t i = 0; i < b->ops.n_calls && !failed; i++)
                failed = PS_PUSH(b->late, b->ops.calls[i]);
        return failed;
}

/* What the row's call says is known late. */
static void say(ps_builder *b, ps_op op, const struct ps_call *call)
{
        if (!b->late.row && keep_calls(b))
                b->status = PS_E_NOMEM;
        uint32_t at = ps_call_recent(b->late.row, b->late.n, call);
        if (at == b->late.n && PS_PUSH(b->late, *call))
                b->status = PS_E_NOMEM;
        if (b->status != PS_OK)
                return;
        b->ops.calls = b->late.row;
        b->ops.n_calls = b->late.n;
        b->ops.call[op] = at;
        b->ops.peer[op] = call->peer;
}

/* What the completion says goes to the row that was started elsewhere. */
static void apply_completion(const struct loose *start, const struct loose *done)
{
        ps_builder *b = start->builder;
        ps_ops *ops = &b->ops;
        ps_op op = start->op;
        const ps_event *e = done->event;
        ps_time distance = done->builder->leave[done->op] - e->time;
        ops->flags[op] |= PS_OP_ELSEWHERE;
        ops->post[op] = ps_rows_distance(b, op, 1, distance);
        if (e->kind == PS_EV_REQUEST_CANCELLED)
                ops->flags[op] |= PS_OP_CANCELLED;
        if (e->kind != PS_EV_IRECV && e->kind != PS_EV_NBC_DONE)
                return;
        struct ps_call call = ops->calls[ops->call[op]];
        call.comm = e->comm;
        call.bytes = e->bytes;
        call.varies = 0;
        ps_proc peer = ps_defs_peer(b->defs, e->comm, e->peer, b->process);
        if (e->comm == PS_NONE)
                note_event(done, PS_I_COMM_INVALID);
        if (e->kind == PS_EV_NBC_DONE) {
                ops->kind[op] = ops->kind[op] == PS_K_COLLECTIVE ? e->op : ops->kind[op];
                call.peer = e->peer == PS_ROOT_SELF ? b->process : peer;
                say(b, op, &call);
                b->received.row[ops->link[op]] = e->received;
                return;
        }
        ops->link[op] = e->peer;
        ops->tag[op] = e->tag;
        call.peer = ps_builder_location(b, peer);
        say(b, op, &call);
        if (e->comm != PS_NONE && call.peer == PS_NONE)
                note_event(done, PS_I_PEER_INVALID);
}

static void note_loose(const struct loose *l)
{
        ps_place place = {l->builder->location, 0, UINT64_MAX, l->time};
        ps_issue_note(l->builder->issues, l->event ? PS_I_REQUEST_UNKNOWN : PS_I_REQUEST_OPEN, place);
}

/* `list` is sorted: of each id the completions take the starts in order of time. */
static ps_status tie_loose(const struct loose *list, size_t n, ps_error *err)
{
        ps_status status = PS_OK;
        size_t start = 0; /* the oldest start that may still be free */
        for (size_t i = 0; i < n && status == PS_OK; i++) {
                if (!list[i].event)
                        continue;
                for (; start < i && (list[start].event || list[start].id != list[i].id); start++)
                        if (!list[start].event)
                                note_loose(&list[start]);
                const struct loose *begun = &list[start];
                if (start == i ||
                    !ps_event_completes(list[i].event->kind, begun->builder->ops.kind[begun->op])) {
                        note_loose(&list[i]);
                        start += start == i;
                        continue;
                }
                apply_completion(begun, &list[i]);
                ps_foreign pair = {{list[start].builder->location, list[start].op},
                                   {list[i].builder->location, list[i].op}};
                if (begun->builder->status != PS_OK)
                        status = PS_NOMEM(err, "distances", i);
                else if (PS_PUSH(begun->builder->foreign, pair))
                        status = PS_NOMEM(err, "requests", begun->builder->foreign.n);
                start++;
        }
        for (; start < n; start++)
                if (!list[start].event)
                        note_loose(&list[start]);
        return status;
}

static size_t count_loose(const ps_builder *b)
{
        return b ? (size_t)b->lost.n + b->orphans.n : 0;
}

static size_t collect_loose(ps_builder *b, struct loose *out)
{
        size_t n = 0;
        for (uint32_t i = 0; i < b->lost.n; i++) {
                ps_op op = b->lost.row[i].row;
                out[n++] = (struct loose){b->lost.row[i].id, b->enter[op], b, op, NULL};
        }
        for (uint32_t i = 0; i < b->orphans.n; i++) {
                const struct orphan *o = &b->orphans.row[i];
                out[n++] = (struct loose){o->event.request, o->event.time, b, o->done, &o->event};
        }
        return n;
}

static uint64_t number_of_wide(const void *row)
{
        const struct ps_wide *wide = row;
        return (uint64_t)wide->op << 1 | wide->is_post;
}

static int compare_wide(const void *a, const void *b)
{
        return PS_ORDER(number_of_wide(a), number_of_wide(b));
}

/* Nothing is left to be tied. */
static void settle(ps_builder *b)
{
        static ps_row_number *const number = number_of_wide;
        b->lost.n = b->orphans.n = 0;
        if (ps_radix_sort(b->wide.row, b->wide.n, sizeof(*b->wide.row), &number, 1) < 0)
                qsort(b->wide.row, b->wide.n, sizeof(*b->wide.row), compare_wide);
}

static ps_status tie_process(const ps_defs *defs, ps_proc p, ps_builder **builders, ps_error *err)
{
        const ps_process_def *process = &defs->processes.row[p];
        size_t n = 0;
        for (uint32_t i = 0; i < process->n_locs; i++)
                n += count_loose(builders[defs->by_process[process->first + i]]);
        if (!n)
                return PS_OK;
        struct loose *list = malloc(n * sizeof(*list));
        if (!list)
                return PS_NOMEM(err, "requests", n);
        n = 0;
        for (uint32_t i = 0; i < process->n_locs; i++) {
                ps_builder *b = builders[defs->by_process[process->first + i]];
                n += b ? collect_loose(b, list + n) : 0;
        }
        qsort(list, n, sizeof(*list), compare_loose);
        ps_status status = tie_loose(list, n, err);
        free(list);
        return status;
}

ps_status ps_build_tie(const ps_defs *defs, ps_builder **builders, ps_error *err)
{
        for (ps_proc p = 0; p < defs->processes.n; p++)
                PS_TRY(tie_process(defs, p, builders, err));
        for (ps_loc l = 0; l < defs->locations.n; l++)
                if (builders[l])
                        settle(builders[l]);
        return PS_OK;
}

void ps_builder_rows(const ps_builder *builder, ps_ops *ops, ps_time **enter, ps_time **leave)
{
        *ops = builder->ops;
        ops->wide = builder->wide.row;
        ops->n_wide = builder->wide.n;
        *enter = builder->enter;
        *leave = builder->leave;
}

static int compare_foreign(const void *a, const void *b)
{
        const ps_foreign *x = a, *y = b;
        return ps_refs_compare(&x->start, &y->start);
}

ps_status ps_build_foreign(ps_trace *trace, ps_builder **builders, ps_error *err)
{
        uint64_t n = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                n += builders[l] ? builders[l]->foreign.n : 0;
        if (!n)
                return PS_OK;
        trace->foreign = n < PS_NONE ? PS_ARENA_NEW(trace->arena, ps_foreign, n) : NULL;
        if (!trace->foreign)
                return PS_NOMEM(err, "requests", n);
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (uint32_t i = 0; builders[l] && i < builders[l]->foreign.n; i++)
                        trace->foreign[trace->n_foreign++] = builders[l]->foreign.row[i];
        qsort(trace->foreign, n, sizeof(*trace->foreign), compare_foreign);
        return PS_OK;
}

/* Hands over to the trace what does not stand with the columns. */
static ps_status take_over(ps_trace *trace, ps_builder *b, ps_error *err)
{
        void *blocks[] = {b->wide.row, b->idle.row, b->late.row};
        ps_builder_rows(b, &trace->ops[b->location], &trace->measured.enter[b->location],
                        &trace->measured.leave[b->location]);
        b->info.idle = b->idle.row;
        b->info.n_idle = b->idle.n;
        trace->info[b->location] = b->info;
        trace->n_events += b->info.n_events;
        trace->n_operations += b->ops.n;
        b->wide.row = NULL;
        b->idle.row = NULL;
        b->late.row = NULL;
        int failed = 0;
        for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
                failed |= ps_arena_adopt(trace->arena, blocks[i]);
        return failed ? PS_NOMEM(err, "operations", b->ops.n) : PS_OK;
}

static ps_status make_tables(ps_trace *trace, ps_error *err)
{
        trace->ops = PS_ARENA_NEW(trace->arena, ps_ops, trace->n_locs);
        trace->info = PS_ARENA_NEW(trace->arena, ps_location_info, trace->n_locs);
        trace->measured.enter = PS_ARENA_NEW(trace->arena, ps_time *, trace->n_locs);
        trace->measured.leave = PS_ARENA_NEW(trace->arena, ps_time *, trace->n_locs);
        if (!trace->ops || !trace->info || !trace->measured.enter || !trace->measured.leave)
                return PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                trace->info[l].first = PS_TIME_MAX;
                trace->info[l].last = INT64_MIN;
        }
        return PS_OK;
}

/* All locations' pieces or none: who edits a region edits it everywhere. */
static ps_status take_pieces(ps_trace *trace, ps_builder **builders, ps_error *err)
{
        bool has_all = true;
        ps_status status = PS_OK;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                has_all &= ps_builder_has_pieces(builders[l]);
        if (!has_all || !trace->n_locs)
                return PS_OK;
        trace->pieces = PS_ARENA_NEW(trace->arena, ps_pieces, trace->n_locs);
        if (!trace->pieces)
                return PS_NOMEM(err, "pieces", trace->n_locs);
        for (ps_loc l = 0; l < trace->n_locs && status == PS_OK; l++) {
                if (builders[l])
                        status = ps_builder_give_pieces(builders[l], trace, err);
                else if (!(trace->pieces[l].end = PS_ARENA_NEW(trace->arena, uint32_t, 1)))
                        status = PS_NOMEM(err, "pieces", 1);
        }
        return status;
}

static ps_status list_uses(void *builders, uint32_t i, unsigned worker, ps_error *err)
{
        ps_builder *b = ((ps_builder **)builders)[i];
        (void)worker;
        (void)err;
        if (b)
                ps_builder_list_uses(b);
        return PS_OK;
}

static ps_status list_all_uses(ps_trace *trace, ps_builder **builders, unsigned n_threads, ps_error *err)
{
        for (ps_loc l = 0; l < trace->n_locs; l++)
                if (builders[l] &&
                    !(builders[l]->info.uses = PS_ARENA_NEW(trace->arena, ps_path_use, builders[l]->tree.n)))
                        return PS_NOMEM(err, "call paths", builders[l]->tree.n);
        return ps_parallel_for(n_threads, trace->n_locs, list_uses, builders, err);
}

ps_status ps_build_finish(ps_trace *trace, ps_builder **builders, unsigned n_threads, ps_error *err)
{
        PS_TRY(make_tables(trace, err));
        PS_TRY(ps_build_foreign(trace, builders, err));
        PS_TRY(list_all_uses(trace, builders, n_threads, err));
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                ps_builder *b = builders[l];
                if (!b)
                        continue;
                if (b->issues)
                        ps_issues_merge(&trace->issues, b->issues);
                PS_TRY(take_over(trace, b, err));
        }
        return take_pieces(trace, builders, err);
}
