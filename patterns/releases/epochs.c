/* epochs.c - MPI_Win_post and MPI_Win_start, MPI_Win_complete and MPI_Win_wait: which belong together.
 *
 * For each window, origin and target the k-th post of the target is what the k-th start of the origin waits
 * for, and its k-th complete is what the target's k-th wait waits for. A call names a group, so that it is
 * part of as many such pairs as the group has members. */
#include "core/base/memory.h"
#include "core/base/radix.h"
#include "patterns/releases/search.h"

#include <stdlib.h>

/* Parts for each operation of the trace: whoever opens a window to many also transfers data to many, but a
 * hostile trace could name large groups often. */
enum { PARTS_PER_OPERATION = 64 };

/* One call as seen by one of its partners, or a transfer. */
struct part {
        uint32_t window;
        ps_proc origin, target;
        uint16_t side; /* SIDE_POST, SIDE_WAIT: the target's; SIDE_ORIGIN: all of the origin's */
        uint16_t kind;
        ps_time enter, leave;
        ps_ref ref;
};

enum { SIDE_POST, SIDE_WAIT, SIDE_ORIGIN };

static bool same_pair(const struct part *x, const struct part *y)
{
        return x->window == y->window && x->origin == y->origin && x->target == y->target;
}

#define KEY(name, value)                                                                                     \
        static uint64_t name(const void *row)                                                                \
        {                                                                                                    \
                const struct part *part = row;                                                               \
                return value;                                                                                \
        }
KEY(window_and_origin, (uint64_t)part->window << 32 | part->origin)
KEY(target_and_side, (uint64_t)part->target << 16 | part->side)
KEY(time_of, ps_radix_signed(part->enter))
KEY(place_of, ps_ref_place(part->ref))
#undef KEY
static ps_row_number *const keys[] = {window_and_origin, target_and_side, time_of, place_of};

static ps_status add_part(ps_dealt_rows *to, const struct finder *f, const struct part *part, ps_error *err)
{
        uint64_t most = PARTS_PER_OPERATION * (f->trace->n_operations + 1024);
        if (to->n >= most || ps_memory_room(&to->row, to->n, &to->cap, 16, sizeof(*part)))
                return PS_NOMEM(err, "partners of window calls", to->n);
        ((struct part *)to->row)[to->n++] = *part;
        return PS_OK;
}

static ps_status add_group(ps_dealt_rows *to, const struct finder *f, struct part part, uint32_t group,
                           ps_error *err)
{
        const ps_defs *defs = &f->trace->defs;
        if (group >= defs->groups.n)
                return PS_OK;
        for (uint32_t i = 0; i < defs->groups.row[group].n_members; i++) {
                ps_proc member = defs->groups.row[group].members[i];
                if (member == PS_NONE)
                        continue;
                *(part.side == SIDE_ORIGIN ? &part.target : &part.origin) = member;
                PS_TRY(add_part(to, f, &part, err));
        }
        return PS_OK;
}

/* `accesses`: a group has been opened for access and not closed yet. */
static ps_status add_row(ps_dealt_rows *to, const struct finder *f, ps_ref ref, bool *accesses, ps_error *err)
{
        const ps_trace *trace = f->trace;
        const ps_ops *ops = &trace->ops[ref.loc];
        ps_proc own = ps_trace_process(trace, ref.loc);
        uint8_t kind = ops->kind[ref.op];
        struct part part = {.window = ps_op_comm(ops, ref.op),
                            .origin = own,
                            .target = own,
                            .enter = f->timing->enter[ref.loc][ref.op],
                            .leave = f->timing->leave[ref.loc][ref.op],
                            .ref = ref,
                            .side = kind == PS_K_WIN_POST   ? SIDE_POST
                                    : kind == PS_K_WIN_WAIT ? SIDE_WAIT
                                                            : SIDE_ORIGIN,
                            .kind = kind};
        if (part.window == PS_NONE)
                return PS_OK;
        if (ps_kinds[kind].cls == PS_C_RMA) {
                part.target = ps_trace_process(trace, ps_op_peer(ops, ref.op));
                return *accesses && part.target != PS_NONE ? add_part(to, f, &part, err) : PS_OK;
        }
        *accesses = kind == PS_K_WIN_START || (*accesses && kind != PS_K_WIN_COMPLETE);
        return add_group(to, f, part, ps_op_tag(ops, ref.op), err);
}

static ps_status collect(ps_dealt_rows *to, const struct finder *f, ps_loc location, ps_error *err)
{
        const ps_ops *ops = &f->trace->ops[location];
        bool accesses = false;
        for (ps_op op = ps_ops_seek(ops, 0, PS_K_PUT); op < ops->n; op++) {
                uint8_t kind = ops->kind[op];
                if (ps_kinds[kind].cls == PS_C_RMA || kind == PS_K_WIN_START || kind == PS_K_WIN_COMPLETE ||
                    kind == PS_K_WIN_POST || kind == PS_K_WIN_WAIT)
                        PS_TRY(add_row(to, f, (ps_ref){location, op}, &accesses, err));
        }
        return PS_OK;
}

static ps_proc about(const ps_trace *trace, const void *row)
{
        (void)trace;
        return ((const struct part *)row)->target;
}

static ps_status release(struct finder *f, const struct part *at, const struct part *by, ps_time transferred,
                         ps_error *err)
{
        return ps_releases_add(f,
                               &(ps_release){.at = at->ref,
                                             .by = by->ref,
                                             .until = by->enter,
                                             .transferred = transferred,
                                             .sort = by->kind == PS_K_WIN_POST ? PS_RELEASED_BY_POST
                                                                               : PS_RELEASED_BY_COMPLETE},
                               err);
}

/* One window, origin and target: at[0 .. end). */
static ps_status match_pair(struct finder *f, const struct part *at, uint32_t end, ps_error *err)
{
        uint32_t post = 0, posts_end = 0, wait, waits_end, n_started = 0;
        while (posts_end < end && at[posts_end].side == SIDE_POST)
                posts_end++;
        for (waits_end = posts_end; waits_end < end && at[waits_end].side == SIDE_WAIT;)
                waits_end++;
        wait = posts_end;
        ps_time transferred = PS_NEVER_BEGUN;
        for (const struct part *part = at + waits_end; part < at + end; part++) {
                if (part->kind == PS_K_WIN_START) {
                        post = n_started++;
                        transferred = PS_NEVER_BEGUN;
                }
                if (n_started && post < posts_end)
                        PS_TRY(release(f, part, &at[post], PS_NEVER_BEGUN, err));
                if (ps_kinds[part->kind].cls == PS_C_RMA)
                        transferred = part->leave;
                if (part->kind == PS_K_WIN_COMPLETE && wait < waits_end)
                        PS_TRY(release(f, &at[wait++], part, transferred, err));
        }
        return PS_OK;
}

static ps_status find(struct finder *f, const ps_dealt_rows *rows, ps_error *err)
{
        struct part *at = rows->row;
        if (ps_radix_sort(at, rows->n, sizeof(*at), keys, sizeof(keys) / sizeof(*keys)) != 0)
                return PS_NOMEM(err, "partners of window calls", rows->n);
        for (uint32_t first = 0, end; first < rows->n; first = end) {
                for (end = first + 1; end < rows->n && same_pair(&at[first], &at[end]);)
                        end++;
                PS_TRY(match_pair(f, at + first, end - first, err));
        }
        return PS_OK;
}

const struct search ps_search_epochs = {sizeof(struct part),
                                        PS_RARE_KIND(PS_K_WIN_START) | PS_RARE_KIND(PS_K_WIN_COMPLETE) |
                                                PS_RARE_KIND(PS_K_WIN_POST) | PS_RARE_KIND(PS_K_WIN_WAIT),
                                        collect,
                                        about,
                                        find,
                                        PS_K_SEND};
