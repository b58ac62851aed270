/* reordered.c - see reordered.h. A message that comes later is waited for behind those that are there:
 * whoever received in the order of sending has never waited longer for the first k messages, so that no
 * circle of waiting arises that was not there before. */
#include "core/base/arena.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/views/moving.h"

#include <stdlib.h>

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
        ps_rows *rows;     /* by location */
} reordering;

/* The receive that is over with the row: itself, or the one whose request is waited for. PS_NONE: there is
 * none, or several. */
static ps_op received_in(const ps_ops *ops, ps_op row)
{
        const ps_kind_info *kind = &ps_kinds[ops->kind[row]];
        if (kind->cls == PS_C_RECV && kind->traits & PS_T_BLOCKING)
                return row;
        if (ops->kind[row] != PS_K_WAIT || ps_op_tag(ops, row) != 1)
                return PS_NONE;
        ps_op posted = ps_op_completed(ops, row, 0);
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
        return trace->measured.enter[ps_op_peer(ops, receive)][ops->link[receive]];
}

static int compare_moves(const void *a, const void *b)
{
        const move *x = a, *y = b;
        PS_ORDER_BY(x->sent, y->sent);
        return PS_ORDER(x->row, y->row);
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

static ps_status keep_places(const reordering *w, ps_loc loc, ps_error *err)
{
        ps_op n = w->trace->ops[loc].n;
        ps_ref *rows = PS_ARENA_NEW(w->out->arena, ps_ref, n);
        w->out->gap[loc] = gaps_of(w, loc);
        if (!rows || !w->out->gap[loc])
                return PS_NOMEM(err, "operations", n);
        for (ps_op row = 0; row < n; row++)
                rows[w->to[row]] = (ps_ref){loc, row};
        w->rows[loc] = (ps_rows){.row = rows, .n = n};
        return PS_OK;
}

static ps_status reorder_location(reordering *w, const ps_ref *late, uint32_t n, ps_error *err)
{
        ps_loc loc = late->loc;
        const ps_ops *ops = &w->trace->ops[loc];
        ps_op behind = 0;
        bool has_moved = false;
        find_earliest(w, loc);
        for (ps_op row = 0; row < ops->n; row++)
                w->to[row] = row;
        for (uint32_t i = 0; i < n; i++)
                if (late[i].op >= behind && can_move(ops, late[i].op))
                        behind = sort_window(w, loc, late[i].op);
        for (ps_op row = 0; row < ops->n; row++)
                has_moved |= w->to[row] != row;
        return has_moved ? keep_places(w, loc, err) : PS_OK;
}

static ps_status make_reordering_room(reordering *w, const ps_trace *trace, ps_error *err)
{
        size_t most = 1;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                most = trace->ops[loc].n >= most ? trace->ops[loc].n + (size_t)1 : most;
        w->earliest = ps_memory_new(most * sizeof(*w->earliest));
        w->moves = ps_memory_new(most * sizeof(*w->moves));
        w->to = ps_memory_new(most * sizeof(*w->to));
        w->rows = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*w->rows));
        return w->earliest && w->moves && w->to && w->rows ? PS_OK : PS_NOMEM(err, "operations", most);
}

ps_status ps_reordered_new(ps_reordered *out, const ps_trace *trace, const ps_ref *late, uint32_t n,
                           ps_error *err)
{
        reordering w = {.trace = trace, .out = out};
        ps_status status = ps_moving_begin(out, trace, err);
        PS_THEN(status, make_reordering_room(&w, trace, err));
        for (uint32_t i = 0, end; i < n && status == PS_OK; i = end) {
                for (end = i + 1; end < n && late[end].loc == late[i].loc;)
                        end++;
                status = reorder_location(&w, &late[i], end - i, err);
        }
        PS_THEN(status, ps_moving_rows(&(ps_moving){.trace = trace, .rows = w.rows, .out = out}, err));
        free(w.earliest);
        free(w.moves);
        free(w.to);
        free(w.rows);
        return status;
}

void ps_reordered_clear(ps_reordered *reordered)
{
        ps_arena_free(reordered->arena);
        *reordered = (ps_reordered){0};
}
