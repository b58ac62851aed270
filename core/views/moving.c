/* moving.c - see moving.h. */
#include "core/views/moving.h"
#include "core/base/arena.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/model/pieces.h"

#include <assert.h>
#include <string.h>

#define NEW(type, n) PS_ARENA_NEW(a->out->arena, type, (n))

ps_status ps_moving_begin(ps_reordered *out, const ps_trace *trace, ps_error *err)
{
        size_t n = trace->n_locs + (size_t)1;
        *out = (ps_reordered){.arena = ps_arena_new()};
        out->trace = *trace;
        out->calls = trace->measured;
        if (!out->arena)
                return PS_NOMEM(err, "locations", n);
        out->trace.ops = PS_ARENA_NEW(out->arena, ps_ops, n);
        out->trace.info = PS_ARENA_NEW(out->arena, ps_location_info, n);
        out->trace.pieces = trace->pieces ? PS_ARENA_NEW(out->arena, ps_pieces, n) : NULL;
        out->calls.enter = PS_ARENA_NEW(out->arena, ps_time *, n);
        out->calls.leave = PS_ARENA_NEW(out->arena, ps_time *, n);
        out->gap = PS_ARENA_NEW(out->arena, ps_time *, n);
        if (!out->trace.ops || !out->trace.info || (trace->pieces && !out->trace.pieces) || !out->gap ||
            !out->calls.enter || !out->calls.leave)
                return PS_NOMEM(err, "locations", n);
        memcpy(out->trace.ops, trace->ops, trace->n_locs * sizeof(*trace->ops));
        memcpy(out->trace.info, trace->info, trace->n_locs * sizeof(*trace->info));
        if (trace->pieces)
                memcpy(out->trace.pieces, trace->pieces, trace->n_locs * sizeof(*trace->pieces));
        memcpy(out->calls.enter, trace->measured.enter, trace->n_locs * sizeof(ps_time *));
        memcpy(out->calls.leave, trace->measured.leave, trace->n_locs * sizeof(ps_time *));
        return PS_OK;
}

ps_ref ps_moving_place(const ps_moving *a, ps_ref at)
{
        return at.loc < a->trace->n_locs && a->to[at.loc] && at.op < a->trace->ops[at.loc].n
                       ? a->to[at.loc][at.op]
                       : at;
}

static ps_status find_places(ps_moving *a, ps_error *err)
{
        a->to = NEW(ps_ref *, a->trace->n_locs + (size_t)1);
        a->first_call = NEW(uint32_t, a->trace->n_locs + (size_t)1);
        if (!a->to || !a->first_call)
                return PS_NOMEM(err, "locations", a->trace->n_locs);
        for (ps_loc loc = 0; loc < a->trace->n_locs; loc++)
                if (a->rows[loc].row && !(a->to[loc] = NEW(ps_ref, a->trace->ops[loc].n + (size_t)1)))
                        return PS_NOMEM(err, "operations", a->trace->ops[loc].n);
        for (ps_loc loc = 0; loc < a->trace->n_locs; loc++)
                for (uint32_t i = 0; i < a->rows[loc].n; i++) {
                        assert(a->rows[loc].row);
                        ps_ref from = a->rows[loc].row[i];
                        assert(a->to[from.loc]); /* whose rows go elsewhere has a list itself */
                        a->to[from.loc][from.op] = (ps_ref){loc, i};
                }
        return PS_OK;
}

/* -- columns -- */

/* By location and row, of any column. */
#define MOVED(column) moved_column(a, loc, offsetof(ps_ops, column), sizeof(*a->trace->ops->column))

static void *moved_column(const ps_moving *a, ps_loc loc, size_t column, size_t size)
{
        const ps_rows *rows = &a->rows[loc];
        char *copy = ps_arena_alloc(a->out->arena, rows->n + (size_t)1, size);
        for (uint32_t i = 0; copy && i < rows->n; i++) {
                const char *from;
                memcpy(&from, (const char *)&a->trace->ops[rows->row[i].loc] + column, sizeof(from));
                memcpy(copy + i * size, from + rows->row[i].op * size, size);
        }
        return copy;
}

static ps_time *moved_times(const ps_moving *a, ps_loc loc, ps_time *const *times)
{
        const ps_rows *rows = &a->rows[loc];
        ps_time *copy = NEW(ps_time, rows->n + (size_t)1);
        for (uint32_t i = 0; copy && i < rows->n; i++)
                copy[i] = times[rows->row[i].loc][rows->row[i].op];
        return copy;
}

static bool has_partner(const ps_ops *ops, ps_op row)
{
        ps_class cls = ps_kinds[ops->kind[row]].cls;
        return (cls == PS_C_SEND || cls == PS_C_RECV) && ops->flags[row] & PS_OP_MATCHED;
}

/* What rows say of other rows. */
static void tell_places(const ps_moving *a, ps_loc loc, ps_ops *ops)
{
        uint32_t n_completed = 0;
        for (ps_op row = 0; row < ops->n; row++) {
                ps_ref from = a->rows[loc].row[row];
                const ps_ops *before = &a->trace->ops[from.loc];
                if (has_partner(ops, row)) {
                        ps_ref other = ps_moving_place(a, (ps_ref){ps_op_peer(ops, row), ops->link[row]});
                        ops->peer[row] = other.loc;
                        ops->link[row] = other.op;
                }
                if (ops->done[row] < before->n)
                        ops->done[row] = ps_moving_place(a, (ps_ref){from.loc, ops->done[row]}).op;
                if (ps_kinds[ops->kind[row]].cls != PS_C_COMPLETE)
                        continue;
                ops->link[row] = n_completed;
                ops->flags[row] &= (uint8_t)~PS_OP_IN_A_ROW;
                for (uint32_t i = 0; i < ps_op_tag(ops, row); i++) {
                        const ps_ref completed = {from.loc, ps_op_completed(before, from.op, i)};
                        ops->completed[n_completed++] = ps_moving_place(a, completed).op;
                }
        }
        ops->n_completed = n_completed;
        ops->has_completed = n_completed > 0;
}

static uint32_t count_completed(const ps_ops *ops)
{
        uint32_t n = 0;
        for (ps_op row = 0; row < ops->n; row++)
                n += ps_kinds[ops->kind[row]].cls == PS_C_COMPLETE ? ps_op_tag(ops, row) : 0;
        return n;
}

/* The first one of this row, or of one behind it. */
static uint32_t first_wide(const ps_ops *ops, ps_op row)
{
        uint32_t low = 0;
        PS_SEARCH(low, ops->n_wide, i, ops->wide[i].op < row)
        return low;
}

static ps_status move_wide(const ps_moving *a, ps_loc loc, ps_ops *ops, ps_error *err)
{
        uint32_t n = 0;
        for (int pass = 0; pass < 2; pass++) {
                for (ps_op row = 0; row < ops->n; row++) {
                        ps_ref from = a->rows[loc].row[row];
                        const ps_ops *before = &a->trace->ops[from.loc];
                        for (uint32_t i = first_wide(before, from.op);
                             i < before->n_wide && before->wide[i].op == from.op; i++, n++)
                                if (pass) {
                                        ops->wide[n] = before->wide[i];
                                        ops->wide[n].op = row;
                                }
                }
                if (pass)
                        break;
                ops->wide = NEW(struct ps_wide, n + (size_t)1);
                if (!ops->wide)
                        return PS_NOMEM(err, "operations", n);
                ops->n_wide = n;
                n = 0;
        }
        return PS_OK;
}

/* The tables of all locations that rows come from, one behind the other. */
static bool move_calls(const ps_moving *a, ps_loc loc, ps_ops *ops)
{
        const ps_ref *from = a->rows[loc].row;
        const ps_ops *before = a->trace->ops;
        for (ps_op row = 0; row < ops->n; row++)
                a->first_call[from[row].loc] = PS_NONE;
        for (ps_op row = 0; row < ops->n; row++)
                if (a->first_call[from[row].loc] == PS_NONE) {
                        a->first_call[from[row].loc] = ops->n_calls;
                        ops->n_calls += before[from[row].loc].n_calls;
                }
        ops->calls = NEW(struct ps_call, ops->n_calls);
        for (ps_op row = 0; ops->calls && row < ops->n; row++) {
                const ps_ops *there = &before[from[row].loc];
                ops->calls[a->first_call[from[row].loc] + ops->call[row]] = there->calls[ops->call[row]];
                ops->call[row] += a->first_call[from[row].loc];
                ops->peer[row] = ps_op_peer(there, from[row].op);
                ops->length[row] = there->length ? there->length[from[row].op] : 0;
        }
        return ops->calls;
}

static ps_status move_rows(const ps_moving *a, ps_loc loc, ps_error *err)
{
        ps_ops *ops = &a->out->trace.ops[loc];
        ps_timing *calls = &a->out->calls;
        *ops = (ps_ops){.n = a->rows[loc].n,
                        .kind = MOVED(kind),
                        .flags = MOVED(flags),
                        .call = MOVED(call),
                        .tag = MOVED(tag),
                        .peer = NEW(uint32_t, a->rows[loc].n),
                        .length = NEW(uint32_t, a->rows[loc].n),
                        .has_length = true,
                        .link = MOVED(link),
                        .done = MOVED(done),
                        .pre = MOVED(pre),
                        .post = MOVED(post)};
        calls->enter[loc] = moved_times(a, loc, a->trace->measured.enter);
        calls->leave[loc] = moved_times(a, loc, a->trace->measured.leave);
        bool is_all = ops->kind && ops->flags && ops->call && ops->tag && ops->peer && ops->link &&
                      ops->done && ops->pre && ops->post && calls->enter[loc] && calls->leave[loc] &&
                      move_calls(a, loc, ops);
        if (is_all)
                ops->completed = NEW(uint32_t, count_completed(ops) + (size_t)1);
        if (!is_all || !ops->completed)
                return PS_NOMEM(err, "operations", ops->n);
        tell_places(a, loc, ops);
        return move_wide(a, loc, ops, err);
}

/* Who stays where it was may have talked to somebody who did not. */
static ps_status tell_others(const ps_moving *a, ps_loc loc, ps_error *err)
{
        const ps_ops *before = &a->trace->ops[loc];
        ps_ops *ops = &a->out->trace.ops[loc];
        for (ps_op row = 0; row < before->n; row++) {
                if (!has_partner(before, row) || !a->to[ps_op_peer(before, row)])
                        continue;
                if (ops->link == before->link) {
                        ops->peer = NEW(uint32_t, before->n);
                        ops->link = NEW(uint32_t, before->n);
                        if (!ops->peer || !ops->link)
                                return PS_NOMEM(err, "operations", before->n);
                        for (ps_op i = 0; i < before->n; i++)
                                ops->peer[i] = ps_op_peer(before, i);
                        memcpy(ops->link, before->link, before->n * sizeof(*ops->link));
                }
                ps_ref other = ps_moving_place(a, (ps_ref){ps_op_peer(before, row), before->link[row]});
                ops->peer[row] = other.loc;
                ops->link[row] = other.op;
        }
        return PS_OK;
}

ps_status ps_moving_rows(ps_moving *a, ps_error *err)
{
        PS_TRY(find_places(a, err));
        for (ps_loc loc = 0; loc < a->trace->n_locs; loc++) {
                const ps_rows *rows = &a->rows[loc];
                PS_TRY(rows->row ? move_rows(a, loc, err) : tell_others(a, loc, err));
                for (uint32_t i = 0; rows->row && i < rows->n; i++)
                        a->out->n_moved += rows->row[i].loc != loc || rows->row[i].op != i;
        }
        return PS_OK;
}
