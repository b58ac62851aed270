/* release_epochs.c - MPI_Win_post and MPI_Win_start, MPI_Win_complete and MPI_Win_wait: which belong
 * together.
 *
 * For each window, origin and target the k-th post of the target is what the k-th start of the origin waits
 * for, and its k-th complete is what the target's k-th wait waits for. A call names a group, so that it is
 * part of as many such pairs as the group has members. */
#include "core/base/search.h"
#include "patterns/table/pattern.h"

#include "core/base/vector.h"
#include "patterns/engine/releases.h"

#include <stdlib.h>

/* Parts for each operation of the trace: whoever opens a window to many also transfers data to many, but a
 * hostile trace could name large groups often. */
enum { PARTS_PER_OPERATION = 64 };

/* One call as seen by one of its partners, or a transfer. */
struct part {
        uint32_t window;
        ps_proc origin, target;
        ps_time time; /* when the call began */
        ps_ref ref;
        uint8_t side; /* SIDE_POST, SIDE_WAIT: the target's; SIDE_ORIGIN: all of the origin's */
        uint8_t kind;
};

enum { SIDE_POST, SIDE_WAIT, SIDE_ORIGIN };

struct parts {
        const struct ps_release_finder *finder;
        struct part *at;
        uint32_t n, cap;
        uint64_t most;
};

static bool same_pair(const struct part *x, const struct part *y)
{
        return x->window == y->window && x->origin == y->origin && x->target == y->target;
}

static int compare_parts(const void *a, const void *b)
{
        const struct part *x = a, *y = b;
        PS_ORDER_BY(x->window, y->window);
        PS_ORDER_BY(x->origin, y->origin);
        PS_ORDER_BY(x->target, y->target);
        if (x->side != y->side)
                return (int)x->side - (int)y->side;
        PS_ORDER_BY(x->time, y->time);
        return ps_refs_compare(&x->ref, &y->ref);
}

static ps_status add_part(struct parts *p, const struct part *part, ps_error *err)
{
        if (p->n >= p->most || PS_ROOM(p->at, p->n, p->cap))
                return PS_NOMEM(err, "partners of window calls", p->n);
        p->at[p->n++] = *part;
        return PS_OK;
}

static ps_status add_group(struct parts *p, struct part part, uint32_t group, ps_error *err)
{
        const ps_defs *defs = &p->finder->trace->defs;
        if (group >= defs->groups.n)
                return PS_OK;
        for (uint32_t i = 0; i < defs->groups.row[group].n_members; i++) {
                ps_proc member = defs->groups.row[group].members[i];
                if (member == PS_NONE)
                        continue;
                *(part.side == SIDE_ORIGIN ? &part.target : &part.origin) = member;
                PS_TRY(add_part(p, &part, err));
        }
        return PS_OK;
}

/* `accesses`: a group has been opened for access and not closed yet. */
static ps_status add_row(struct parts *p, ps_ref ref, int *accesses, ps_error *err)
{
        const ps_trace *trace = p->finder->trace;
        const ps_ops *ops = &trace->ops[ref.loc];
        ps_proc own = trace->defs.locations.row[ref.loc].process;
        uint8_t kind = ops->kind[ref.op];
        struct part part = {.window = ps_op_comm(ops, ref.op),
                            .origin = own,
                            .target = own,
                            .time = p->finder->timing->enter[ref.loc][ref.op],
                            .ref = ref,
                            .side = kind == PS_K_WIN_POST   ? SIDE_POST
                                    : kind == PS_K_WIN_WAIT ? SIDE_WAIT
                                                            : SIDE_ORIGIN,
                            .kind = kind};
        if (part.window == PS_NONE)
                return PS_OK;
        if (ps_kinds[kind].cls == PS_C_RMA) {
                if (!*accesses || ps_op_peer(ops, ref.op) == PS_NONE)
                        return PS_OK;
                part.target = trace->defs.locations.row[ps_op_peer(ops, ref.op)].process;
                return add_part(p, &part, err);
        }
        *accesses = kind == PS_K_WIN_START || (*accesses && kind != PS_K_WIN_COMPLETE);
        return add_group(p, part, ps_op_tag(ops, ref.op), err);
}

static ps_status collect_parts(struct parts *p, ps_error *err)
{
        const ps_trace *trace = p->finder->trace;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                int accesses = 0;
                for (ps_op op = 0; op < ops->n; op++) {
                        uint8_t kind = ops->kind[op];
                        if (ps_kinds[kind].cls == PS_C_RMA || kind == PS_K_WIN_START ||
                            kind == PS_K_WIN_COMPLETE || kind == PS_K_WIN_POST || kind == PS_K_WIN_WAIT)
                                PS_TRY(add_row(p, (ps_ref){loc, op}, &accesses, err));
                }
        }
        return PS_OK;
}

static ps_status release(const struct parts *p, const struct part *at, const struct part *by,
                         ps_time transferred, ps_error *err)
{
        return ps_releases_add(p->finder->out,
                               &(ps_release){.at = at->ref,
                                             .by = by->ref,
                                             .until = by->time,
                                             .transferred = transferred,
                                             .sort = by->kind == PS_K_WIN_POST ? PS_RELEASED_BY_POST
                                                                               : PS_RELEASED_BY_COMPLETE},
                               err);
}

/* One window, origin and target: parts[first .. end). */
static ps_status match_pair(const struct parts *p, uint32_t first, uint32_t end, ps_error *err)
{
        uint32_t post = first, posts_end, wait, waits_end, n_started = 0;
        for (posts_end = first; posts_end < end && p->at[posts_end].side == SIDE_POST;)
                posts_end++;
        for (waits_end = posts_end; waits_end < end && p->at[waits_end].side == SIDE_WAIT;)
                waits_end++;
        wait = posts_end;
        ps_time transferred = PS_NEVER_BEGUN;
        for (uint32_t i = waits_end; i < end; i++) {
                const struct part *part = &p->at[i];
                if (part->kind == PS_K_WIN_START) {
                        post = first + n_started++;
                        transferred = PS_NEVER_BEGUN;
                }
                if (n_started && post < posts_end)
                        PS_TRY(release(p, part, &p->at[post], PS_NEVER_BEGUN, err));
                if (ps_kinds[part->kind].cls == PS_C_RMA)
                        transferred = p->finder->timing->leave[part->ref.loc][part->ref.op];
                if (part->kind == PS_K_WIN_COMPLETE && wait < waits_end)
                        PS_TRY(release(p, &p->at[wait++], part, transferred, err));
        }
        return PS_OK;
}

static ps_status match_pairs(struct parts *p, ps_error *err)
{
        PS_TRY(collect_parts(p, err));
        if (p->n)
                qsort(p->at, p->n, sizeof(*p->at), compare_parts);
        for (uint32_t first = 0, end; first < p->n; first = end) {
                for (end = first + 1; end < p->n && same_pair(&p->at[first], &p->at[end]);)
                        end++;
                PS_TRY(match_pair(p, first, end, err));
        }
        return PS_OK;
}

ps_status ps_release_epochs(const struct ps_release_finder *finder, ps_error *err)
{
        struct parts p = {.finder = finder,
                          .most = PARTS_PER_OPERATION * (finder->trace->n_operations + 1024)};
        ps_status status = match_pairs(&p, err);
        free(p.at);
        return status;
}
