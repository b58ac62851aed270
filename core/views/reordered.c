/* reordered.c - see reordered.h. A message that comes later is waited for behind those that are there:
 * whoever received in the order of sending has never waited longer for the first k messages, so that no
 * circle of waiting arises that was not there before. */
#include "core/views/reordered.h"

#include "core/base/arena.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct move {
        ps_time sent;
        ps_op row;
} move;

typedef struct reordering {
        const ps_trace *trace;
        ps_reordered *out;
        ps_time *earliest; /* by row: when the first of the messages that are received from there on was sent
                            */
        move *moves;       /* of one window */
        ps_op *to;         /* by row: the one whose place it takes */
} reordering;

/* The receive that is over with the row: itself, or the one whose request is waited for. PS_NONE: there is
 * none, or several. */
static ps_op received_in(const ps_ops *ops, ps_op row)
{
        const ps_kind_info *kind = &ps_kinds[ops->kind[row]];
        if (kind->cls == PS_C_RECV && kind->traits & PS_T_BLOCKING)
                return row;
        if (ops->kind[row] != PS_K_WAIT || ops->tag[row] != 1)
                return PS_NONE;
        ps_op posted = ops->completed[ops->link[row]];
        return ps_kinds[ops->kind[posted]].cls == PS_C_RECV ? posted : PS_NONE;
}

/* The parts of a call refer to rows; a probe is about the row behind it. */
static bool can_move(const ps_ops *ops, ps_op row)
{
        const uint8_t other = PS_OP_PART | PS_OP_BARE | PS_OP_TRUNCATED;
        bool asks = row && ps_kinds[ops->kind[row - 1]].cls == PS_C_PROBE;
        ps_op receive = received_in(ops, row);
        return receive != PS_NONE && ops->flags[receive] & PS_OP_MATCHED && !(ops->flags[row] & other) &&
               !asks && !ps_op_continues(ops, row + 1);
}

/* Nothing is waited for before it is posted. */
static bool can_move_to(const ps_ops *ops, ps_op row, ps_op first)
{
        if (!can_move(ops, row))
                return 0;
        ps_op receive = received_in(ops, row);
        return receive == row || receive < first;
}

static ps_time sent_at(const ps_trace *trace, ps_loc loc, ps_op row)
{
        const ps_ops *ops = &trace->ops[loc];
        ps_op receive = received_in(ops, row);
        return trace->measured.enter[ops->peer[receive]][ops->link[receive]];
}

static int compare_moves(const void *a, const void *b)
{
        const move *x = a, *y = b;
        if (x->sent != y->sent)
                return x->sent > y->sent ? 1 : -1;
        return (x->row > y->row) - (x->row < y->row);
}

/* From a late row to the last one behind it that was sent before. Returns the row behind the window. */
static ps_op sort_window(reordering *w, ps_loc loc, ps_op first)
{
        const ps_ops *ops = &w->trace->ops[loc];
        ps_time late = sent_at(w->trace, loc, first);
        ps_op row = first, behind = first;
        uint32_t n = 0, k = 0;
        for (; row < ops->n && (row == first || w->earliest[row] < late); row++) {
                if (!can_move_to(ops, row, first))
                        continue;
                ps_time sent = sent_at(w->trace, loc, row);
                late = sent > late ? sent : late;
                w->moves[n++] = (move){sent, row};
                behind = row + 1;
        }
        qsort(w->moves, n, sizeof(*w->moves), compare_moves);
        for (ps_op place = first; place < behind; place++)
                if (can_move_to(ops, place, first))
                        w->to[w->moves[k++].row] = place;
        return behind;
}

/* -- columns -- */

#define PERMUTED(column) permuted(w, ops->column, sizeof(*ops->column), ops->n)

static void *permuted(reordering *w, const void *column, size_t size, ps_op n)
{
        char *copy = ps_arena_alloc(w->out->arena, (size_t)n + 1, size);
        for (ps_op row = 0; copy && row < n; row++)
                memcpy(copy + (size_t)w->to[row] * size, (const char *)column + (size_t)row * size, size);
        return copy;
}

static int compare_wide(const void *a, const void *b)
{
        const struct ps_wide *x = a, *y = b;
        if (x->op != y->op)
                return x->op > y->op ? 1 : -1;
        return (x->is_post > y->is_post) - (x->is_post < y->is_post);
}

static struct ps_wide *permuted_wide(const reordering *w, const ps_ops *ops)
{
        struct ps_wide *copy = PS_ARENA_NEW(w->out->arena, struct ps_wide, ops->n_wide + (size_t)1);
        for (uint32_t i = 0; copy && i < ops->n_wide; i++) {
                copy[i] = ops->wide[i];
                copy[i].op = w->to[copy[i].op];
        }
        if (copy && ops->n_wide)
                qsort(copy, ops->n_wide, sizeof(*copy), compare_wide);
        return copy;
}

/* What is computed stays where it was measured. */
static ps_time *gaps_of(const reordering *w, ps_loc loc)
{
        const ps_timing *measured = &w->trace->measured;
        const ps_location_info *info = &w->trace->info[loc];
        ps_op n = w->trace->ops[loc].n;
        ps_time *gap = PS_ARENA_NEW(w->out->arena, ps_time, n + (size_t)1);
        for (ps_op row = 0; gap && row <= n; row++)
                gap[row] = (row < n ? measured->enter[loc][row] : info->last) -
                           (row ? measured->leave[loc][row - 1] : info->first);
        return gap;
}

/* Who completes what moved with the calls; the groups of `completed` stay where they are. */
static ps_status relink_requests(const reordering *w, const ps_ops *ops, ps_ops *out, ps_error *err)
{
        size_t n = ops->n_completed + (size_t)1;
        ps_op *completed = PS_ARENA_NEW(w->out->arena, ps_op, n),
              *from = ps_memory_new((ops->n + (size_t)1) * sizeof(*from));
        ps_op place = 0;
        if (!completed || !from) {
                free(from);
                return PS_NOMEM(err, "requests", n);
        }
        if (ops->n_completed)
                memcpy(completed, ops->completed, ops->n_completed * sizeof(*completed));
        out->completed = completed;
        for (ps_op row = 0; row < ops->n; row++)
                from[w->to[row]] = row;
        for (ps_op row = 0; row < ops->n; row++) {
                if (out->kind[row] != PS_K_WAIT || out->tag[row] != 1)
                        continue;
                while (ops->kind[place] != PS_K_WAIT || ops->tag[place] != 1)
                        place++;
                out->link[row] = ops->link[place++];
                completed[out->link[row]] = ops->completed[ops->link[from[row]]];
                out->done[w->to[completed[out->link[row]]]] = row;
        }
        free(from);
        return PS_OK;
}

static ps_status permute_location(reordering *w, ps_loc loc, ps_error *err)
{
        const ps_ops *ops = &w->trace->ops[loc];
        ps_ops *out = &w->out->trace.ops[loc];
        ps_timing *calls = &w->out->calls;
        out->kind = PERMUTED(kind);
        out->flags = PERMUTED(flags);
        out->path = PERMUTED(path);
        out->peer = PERMUTED(peer);
        out->comm = PERMUTED(comm);
        out->tag = PERMUTED(tag);
        out->link = PERMUTED(link);
        out->done = PERMUTED(done);
        out->pre = PERMUTED(pre);
        out->post = PERMUTED(post);
        out->bytes = PERMUTED(bytes);
        out->wide = permuted_wide(w, ops);
        calls->enter[loc] = permuted(w, w->trace->measured.enter[loc], sizeof(ps_time), ops->n);
        calls->leave[loc] = permuted(w, w->trace->measured.leave[loc], sizeof(ps_time), ops->n);
        w->out->gap[loc] = gaps_of(w, loc);
        bool is_all = out->kind && out->flags && out->path && out->peer && out->comm && out->tag &&
                      out->link && out->done && out->pre && out->post && out->bytes && out->wide &&
                      calls->enter[loc] && calls->leave[loc] && w->out->gap[loc];
        PS_TRY(is_all ? PS_OK : PS_NOMEM(err, "operations", ops->n));
        return relink_requests(w, ops, out, err);
}

/* -- a location -- */

static void find_earliest(reordering *w, ps_loc loc)
{
        const ps_ops *ops = &w->trace->ops[loc];
        ps_time earliest = PS_TIME_MAX;
        for (ps_op row = ops->n; row-- > 0;) {
                if (can_move(ops, row)) {
                        ps_time sent = sent_at(w->trace, loc, row);
                        earliest = sent < earliest ? sent : earliest;
                }
                w->earliest[row] = earliest;
        }
}

static ps_status reorder_location(reordering *w, const ps_ref *late, uint32_t n, ps_error *err)
{
        ps_loc loc = late->loc;
        const ps_ops *ops = &w->trace->ops[loc];
        ps_op behind = 0;
        uint64_t moved = 0;
        find_earliest(w, loc);
        for (ps_op row = 0; row < ops->n; row++)
                w->to[row] = row;
        for (uint32_t i = 0; i < n; i++)
                if (late[i].op >= behind && can_move(ops, late[i].op))
                        behind = sort_window(w, loc, late[i].op);
        for (ps_op row = 0; row < ops->n; row++)
                moved += w->to[row] != row;
        w->out->n_moved += moved;
        return moved ? permute_location(w, loc, err) : PS_OK;
}

/* Senders are told where their messages are received now: of a location that is not moved itself. */
static ps_status link_senders(reordering *w, ps_error *err)
{
        ps_trace *out = &w->out->trace;
        for (ps_loc loc = 0; loc < out->n_locs; loc++) {
                const ps_ops *ops = &out->ops[loc];
                for (ps_op row = 0; out->ops[loc].kind != w->trace->ops[loc].kind && row < ops->n; row++) {
                        if (!can_move(ops, row) || received_in(ops, row) != row)
                                continue;
                        ps_ops *sender = &out->ops[ops->peer[row]];
                        const ps_ops *before = &w->trace->ops[ops->peer[row]];
                        if (sender->link == before->link && before->n) {
                                sender->link = PS_ARENA_NEW(w->out->arena, uint32_t, before->n);
                                if (!sender->link)
                                        return PS_NOMEM(err, "operations", before->n);
                                memcpy(sender->link, before->link, before->n * sizeof(*before->link));
                        }
                        sender->link[ops->link[row]] = row;
                }
        }
        return PS_OK;
}

static ps_status copy_tables(ps_reordered *out, const ps_trace *trace, ps_error *err)
{
        size_t n = trace->n_locs + (size_t)1;
        out->arena = ps_arena_new();
        out->trace = *trace;
        out->calls = trace->measured;
        if (!out->arena)
                return PS_NOMEM(err, "locations", n);
        out->trace.ops = PS_ARENA_NEW(out->arena, ps_ops, n);
        out->calls.enter = PS_ARENA_NEW(out->arena, ps_time *, n);
        out->calls.leave = PS_ARENA_NEW(out->arena, ps_time *, n);
        out->gap = PS_ARENA_NEW(out->arena, ps_time *, n);
        if (!out->trace.ops || !out->calls.enter || !out->calls.leave || !out->gap)
                return PS_NOMEM(err, "locations", n);
        memcpy(out->trace.ops, trace->ops, trace->n_locs * sizeof(*trace->ops));
        memcpy(out->calls.enter, trace->measured.enter, trace->n_locs * sizeof(ps_time *));
        memcpy(out->calls.leave, trace->measured.leave, trace->n_locs * sizeof(ps_time *));
        return PS_OK;
}

static ps_status make_room(reordering *w, const ps_trace *trace, ps_error *err)
{
        size_t most = 1;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                most = trace->ops[loc].n >= most ? trace->ops[loc].n + (size_t)1 : most;
        w->earliest = ps_memory_new(most * sizeof(*w->earliest));
        w->moves = ps_memory_new(most * sizeof(*w->moves));
        w->to = ps_memory_new(most * sizeof(*w->to));
        return w->earliest && w->moves && w->to ? PS_OK : PS_NOMEM(err, "operations", most);
}

ps_status ps_reordered_new(ps_reordered *out, const ps_trace *trace, const ps_ref *late, uint32_t n,
                           ps_error *err)
{
        reordering w = {.trace = trace, .out = out};
        *out = (ps_reordered){0};
        ps_status status = copy_tables(out, trace, err);
        PS_THEN(status, make_room(&w, trace, err));
        for (uint32_t i = 0, end; i < n && status == PS_OK; i = end) {
                for (end = i + 1; end < n && late[end].loc == late[i].loc;)
                        end++;
                status = reorder_location(&w, &late[i], end - i, err);
        }
        PS_THEN(status, link_senders(&w, err));
        free(w.earliest);
        free(w.moves);
        free(w.to);
        return status;
}

void ps_reordered_clear(ps_reordered *reordered)
{
        ps_arena_free(reordered->arena);
        *reordered = (ps_reordered){0};
}
