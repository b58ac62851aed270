/* rearranged.c - a trace in which locations have other rows. Messages keep both of their ends, and calls
 * their times; what refers to rows is told where they are now. */
#include "core/base/arena.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "core/views/moving.h"

#include <stdlib.h>
#include <string.h>

#define NEW(type, n) PS_ARENA_NEW(a->out->arena, type, (n))

/* -- computations -- */

/* From where the row begins to where the next one does. */
static ps_time length_of(const ps_trace *trace, ps_ref at)
{
        const ps_time *enter = trace->measured.enter[at.loc];
        return (at.op + 1 < trace->ops[at.loc].n ? enter[at.op + 1] : trace->info[at.loc].last) -
               enter[at.op];
}

static ps_time scaled(ps_time time, double scale)
{
        return time > 0 && (scale < 1 || scale > 1) ? (ps_time)((double)time * scale + 0.5) : time;
}

static ps_time gap_behind(const ps_trace *trace, ps_ref at)
{
        return length_of(trace, at) -
               (trace->measured.leave[at.loc][at.op] - trace->measured.enter[at.loc][at.op]);
}

static ps_status move_gaps(const ps_moving *a, ps_loc loc, ps_error *err)
{
        const ps_trace *trace = a->trace;
        const ps_rows *rows = &a->rows[loc];
        ps_location_info *info = &a->out->trace.info[loc];
        ps_time *gap = a->out->gap[loc] = NEW(ps_time, rows->n + (size_t)1);
        if (!gap)
                return PS_NOMEM(err, "operations", rows->n);
        gap[0] = (trace->ops[loc].n ? trace->measured.enter[loc][0] : info->last) - info->first;
        ps_time sum = gap[0];
        for (uint32_t i = 0; i < rows->n; i++) {
                ps_time before = gap_behind(trace, rows->row[i]);
                gap[i + 1] = scaled(before, rows->scale[i]);
                sum += length_of(trace, rows->row[i]) + (gap[i + 1] - before);
        }
        info->last = info->first + (sum > 0 ? sum : 0);
        return PS_OK;
}

static ps_status move_pieces(const ps_moving *a, ps_loc loc, ps_error *err)
{
        const ps_pieces *before = a->trace->pieces;
        const ps_rows *rows = &a->rows[loc];
        ps_pieces *p = &a->out->trace.pieces[loc];
        uint32_t n = 0;
        p->end = NEW(uint32_t, rows->n + (size_t)1);
        if (!p->end)
                return PS_NOMEM(err, "pieces of computation", rows->n);
        for (uint32_t gap = 0; gap <= rows->n; gap++) {
                ps_ref from = gap ? rows->row[gap - 1] : (ps_ref){loc, 0};
                const ps_pieces *of = &before[from.loc];
                n += of->end[from.op + (gap > 0)] - ps_pieces_first(of, from.op + (gap > 0));
                p->end[gap] = n;
        }
        p->n = n;
        p->piece = NEW(ps_piece, n + (size_t)1);
        if (!p->piece)
                return PS_NOMEM(err, "pieces of computation", n);
        for (uint32_t gap = 0; gap <= rows->n; gap++) {
                ps_ref from = gap ? rows->row[gap - 1] : (ps_ref){loc, 0};
                const ps_pieces *of = &before[from.loc];
                uint32_t first = ps_pieces_first(p, gap);
                if (p->end[gap] > first)
                        memcpy(&p->piece[first], &of->piece[ps_pieces_first(of, from.op + (gap > 0))],
                               (p->end[gap] - first) * sizeof(*p->piece));
                for (uint32_t i = first; gap && i < p->end[gap]; i++)
                        p->piece[i].time = scaled(p->piece[i].time, rows->scale[gap - 1]);
        }
        return PS_OK;
}

/* -- call paths -- */

typedef struct path_sums {
        ps_time *exclusive, *inclusive; /* by path: how much longer */
        int64_t *visits;                /* by path: how many more */
        uint8_t *is_used;               /* by path */
} path_sums;

/* What a row and the computation behind it add to the times of paths. */
static void add_operation_time(path_sums *s, const ps_trace *trace, ps_ref at, double scale, int sign)
{
        const ps_ops *ops = &trace->ops[at.loc];
        ps_path path = ps_op_path(ops, at.op);
        if (!(ops->flags[at.op] & (PS_OP_PART | PS_OP_BARE))) {
                s->exclusive[path] +=
                        sign * (trace->measured.leave[at.loc][at.op] - trace->measured.enter[at.loc][at.op]);
                s->visits[path] += sign;
                s->is_used[path] = 1;
        }
        if (!trace->pieces)
                return;
        const ps_pieces *p = &trace->pieces[at.loc];
        for (uint32_t i = ps_pieces_first(p, at.op + 1); i < p->end[at.op + 1]; i++) {
                if (p->piece[i].path == PS_NONE)
                        continue;
                s->exclusive[p->piece[i].path] += sign * scaled(p->piece[i].time, scale);
                s->visits[p->piece[i].path] += sign * (int64_t)p->piece[i].begins;
                s->is_used[p->piece[i].path] = 1;
        }
}

static void compare_rows(path_sums *s, const ps_moving *a, ps_loc loc)
{
        const ps_trace *trace = a->trace;
        memset(s->exclusive, 0, trace->n_paths * sizeof(*s->exclusive));
        memset(s->inclusive, 0, trace->n_paths * sizeof(*s->inclusive));
        memset(s->visits, 0, trace->n_paths * sizeof(*s->visits));
        memset(s->is_used, 0, trace->n_paths);
        for (uint32_t i = 0; i < a->rows[loc].n; i++)
                if (a->rows[loc].row[i].loc != loc)
                        add_operation_time(s, trace, a->rows[loc].row[i], a->rows[loc].scale[i], 1);
        for (ps_op row = 0; row < trace->ops[loc].n; row++)
                if (a->to[loc][row].loc != loc)
                        add_operation_time(s, trace, (ps_ref){loc, row}, 1, -1);
        for (ps_path path = trace->n_paths; path-- > 0;) {
                s->inclusive[path] += s->exclusive[path];
                if (!path)
                        continue;
                s->inclusive[trace->paths[path].parent] += s->inclusive[path];
                s->is_used[trace->paths[path].parent] |= s->is_used[path];
        }
        s->is_used[0] = 0;
}

static ps_time not_less(ps_time time)
{
        return time > 0 ? time : 0;
}

static ps_status move_uses(path_sums *s, const ps_moving *a, ps_loc loc, ps_error *err)
{
        const ps_location_info *before = &a->trace->info[loc];
        ps_location_info *info = &a->out->trace.info[loc];
        uint32_t n = before->n_uses, at = 0;
        compare_rows(s, a, loc);
        for (ps_path path = 0; path < a->trace->n_paths; path++)
                n += s->is_used[path];
        info->uses = NEW(ps_path_use, n + (size_t)1);
        if (!info->uses)
                return PS_NOMEM(err, "call paths", n);
        info->n_uses = 0;
        for (ps_path path = 0; path < a->trace->n_paths; path++) {
                bool was_used = at < before->n_uses && before->uses[at].path == path;
                if (!was_used && !s->is_used[path])
                        continue;
                ps_path_use use = was_used ? before->uses[at++] : (ps_path_use){.path = path};
                int64_t visits = (int64_t)use.visits + s->visits[path];
                use.exclusive = not_less(use.exclusive + s->exclusive[path]);
                use.inclusive = not_less(use.inclusive + s->inclusive[path]);
                use.visits = visits > 0 ? (uint64_t)visits : 0;
                info->uses[info->n_uses++] = use;
        }
        return PS_OK;
}

static ps_status move_computations(const ps_moving *a, ps_error *err)
{
        const ps_trace *trace = a->trace;
        size_t n = trace->n_paths + (size_t)1;
        path_sums s = {NEW(ps_time, n), NEW(ps_time, n), NEW(int64_t, n), NEW(uint8_t, n)};
        if (!s.exclusive || !s.inclusive || !s.visits || !s.is_used)
                return PS_NOMEM(err, "call paths", n);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                if (!a->to[loc])
                        continue;
                PS_TRY(move_gaps(a, loc, err));
                if (trace->pieces)
                        PS_TRY(move_pieces(a, loc, err));
                PS_TRY(move_uses(&s, a, loc, err));
        }
        return PS_OK;
}

/* Waiting that is a region of its own, behind the operation that it follows. */
static ps_status move_idle(const ps_moving *a, ps_loc loc, ps_error *err)
{
        const ps_trace *trace = a->trace;
        const ps_rows *rows = &a->rows[loc];
        ps_location_info *info = &a->out->trace.info[loc];
        PS_VECTOR(ps_idle) idle = {0};
        for (uint32_t i = 0; i < trace->info[loc].n_idle; i++)
                if (trace->info[loc].idle[i].after == PS_NONE && PS_PUSH(idle, trace->info[loc].idle[i]))
                        return PS_NOMEM(err, "idle times", i);
        for (uint32_t row = 0; row < rows->n; row++) {
                const ps_location_info *of = &trace->info[rows->row[row].loc];
                for (uint32_t i = 0; i < of->n_idle; i++) {
                        ps_idle here = of->idle[i];
                        if (here.after != rows->row[row].op)
                                continue;
                        here.after = row;
                        if (PS_PUSH(idle, here))
                                return PS_NOMEM(err, "idle times", i);
                }
        }
        info->idle = idle.row;
        info->n_idle = idle.n;
        return ps_arena_adopt(a->out->arena, idle.row) ? PS_NOMEM(err, "idle times", idle.n) : PS_OK;
}

static int compare_foreign(const void *a, const void *b)
{
        const ps_foreign *x = a, *y = b;
        return ps_refs_compare(&x->start, &y->start);
}

static ps_status move_references(const ps_moving *a, ps_error *err)
{
        const ps_trace *trace = a->trace;
        ps_trace *out = &a->out->trace;
        out->members = NEW(ps_member, trace->n_members + (size_t)1);
        out->foreign = NEW(ps_foreign, trace->n_foreign + (size_t)1);
        if (!out->members || !out->foreign)
                return PS_NOMEM(err, "collective operations", trace->n_members);
        for (uint32_t i = 0; i < trace->n_members; i++) {
                out->members[i] = trace->members[i];
                out->members[i].ref = ps_moving_place(a, trace->members[i].ref);
        }
        for (uint32_t i = 0; i < trace->n_foreign; i++)
                out->foreign[i] = (ps_foreign){ps_moving_place(a, trace->foreign[i].start),
                                               ps_moving_place(a, trace->foreign[i].done)};
        if (trace->n_foreign)
                qsort(out->foreign, trace->n_foreign, sizeof(*out->foreign), compare_foreign);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                if (a->to[loc])
                        PS_TRY(move_idle(a, loc, err));
        return PS_OK;
}

static ps_status move_focus(const ps_moving *a, ps_error *err)
{
        const ps_focus *before = a->trace->measured.focus;
        if (!before || !before->moments)
                return PS_OK;
        ps_focus *focus = NEW(ps_focus, 1);
        ps_moment *moments = NEW(ps_moment, 2 * (size_t)before->n_spans);
        if (!focus || !moments)
                return PS_NOMEM(err, "spans of time", before->n_spans);
        *focus = *before;
        focus->moments = moments;
        for (uint32_t i = 0; i < 2 * before->n_spans; i++) {
                moments[i] = before->moments[i];
                moments[i].after = ps_moving_place(a, moments[i].after);
        }
        a->out->trace.measured.focus = a->out->calls.focus = focus;
        return PS_OK;
}

/* -- all of it -- */

ps_status ps_rearranged_new(ps_reordered *out, const ps_trace *trace, const ps_rows *rows, ps_error *err)
{
        ps_moving a = {.trace = trace, .rows = rows, .out = out};
        ps_status status = ps_moving_begin(out, trace, err);
        PS_THEN(status, ps_moving_rows(&a, err));
        out->trace.measured.enter = out->calls.enter;
        out->trace.measured.leave = out->calls.leave;
        PS_THEN(status, move_computations(&a, err));
        PS_THEN(status, move_references(&a, err));
        PS_THEN(status, move_focus(&a, err));
        return status;
}
