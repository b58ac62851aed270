/* locks.c - those who lock or unlock a window wait for whoever holds the lock, or, where the library makes no
 * progress by itself, for their target. Of locks of threads see threads.h. */
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/sums/handovers.h"
#include "patterns/releases/search.h"

#include <stdlib.h>

/* Those of threads are found elsewhere. */
static ps_status collect(ps_dealt_rows *to, const struct finder *f, ps_loc location, ps_error *err)
{
        ps_lock_uses uses = {to->row, to->n, to->cap};
        ps_status status = ps_lock_uses_add(&uses, f->trace, f->timing, location, false, err);
        *to = (ps_dealt_rows){uses.row, uses.n, uses.cap};
        return status;
}

/* A lock of a PGAS program is nobody's: any process will do, if it is the same for all who use the lock. */
static ps_proc about(const ps_trace *trace, const void *row)
{
        const ps_lock_use *use = row;
        return use->target != PS_NONE
                       ? ps_trace_process(trace, use->target)
                       : (ps_proc)(ps_hash_pair(use->id, use->window) % trace->defs.processes.n);
}

/* A location as a target. Of the threads of a process any may be that, so that nothing is known of them. */
enum { UNKNOWN, ORDERED, UNORDERED };

struct target {
        const ps_time *enter, *leave;
        ps_op n, near;  /* near: what was found last; n: 0 of several threads */
        uint32_t order; /* do its operations stand in order of time? */
};

static uint32_t order_of(const ps_time *enter, ps_op n)
{
        ps_op op = 1;
        while (op < n && enter[op - 1] <= enter[op])
                op++;
        return op < n ? UNORDERED : ORDERED;
}

static void describe_target(struct target *t, const struct finder *f, ps_loc location)
{
        const ps_defs *defs = &f->trace->defs;
        *t = (struct target){.enter = f->timing->enter[location], .leave = f->timing->leave[location]};
        if (defs->processes.row[defs->locations.row[location].process].n_locs == 1)
                t->n = f->trace->ops[location].n;
        t->order = order_of(t->enter, t->n);
}

/* The call with which the target, which was outside of the library as this one began, came in; PS_NONE: it
 * was inside, or nothing is known. */
static inline ps_op first_after(struct target *t, ps_time begun)
{
        const ps_time *enter = t->enter;
        ps_op low = 0, end = t->n;
        if (t->order == ORDERED)
                PS_SEARCH_NEXT(low, end, t->near, i, enter[i] <= begun);
        PS_BISECT(low, end, middle, enter[middle] <= begun);
        t->near = low;
        return low > 0 && low < t->n && t->leave[low - 1] <= begun ? low : PS_NONE;
}

static inline bool may_wait_for_target(const ps_lock_use *use)
{
        return use->takes && use->target != PS_NONE && use->target != use->ref.loc;
}

static inline ps_status find_target(struct finder *f, struct target *t, const ps_lock_use *use, ps_error *err)
{
        if (t->order == UNKNOWN)
                describe_target(t, f, use->target);
        const ps_op by = first_after(t, use->enter);
        if (by == PS_NONE || t->enter[by] > use->leave)
                return PS_OK;
        return ps_releases_add(f,
                               &(ps_release){.at = use->ref,
                                             .by = {use->target, by},
                                             .until = t->enter[by],
                                             .transferred = PS_NEVER_BEGUN,
                                             .sort = PS_RELEASED_BY_TARGET},
                               err);
}

static inline ps_status add_holder(struct finder *f, const ps_lock_uses *uses, const ps_lock_use *use,
                                   ps_error *err)
{
        const ps_handover found = ps_handover_to(uses, use);
        return ps_releases_add(f,
                               &(ps_release){.at = found.at,
                                             .by = found.by,
                                             .until = found.until,
                                             .transferred = PS_NEVER_BEGUN,
                                             .sort = PS_RELEASED_BY_UNLOCK},
                               err);
}

/* In the order of the calls, which is mostly that of what is looked up later. Who waited for a holder is not
 * asked about the target. */
static ps_status find_each(struct finder *f, struct target *targets, const ps_lock_uses *uses, ps_error *err)
{
        for (ps_lock_use *use = uses->row, *end = use + uses->n; use < end;)
                for (const ps_lock_use *stop = ps_lock_uses_stretch(use, end); use < stop; use++) {
                        if (use->from != PS_NONE)
                                PS_TRY(add_holder(f, uses, use, err));
                        else if (may_wait_for_target(use))
                                PS_TRY(find_target(f, &targets[use->target], use, err));
                }
        return PS_OK;
}

static ps_status find(struct finder *f, const ps_dealt_rows *rows, ps_error *err)
{
        const ps_lock_uses uses = {rows->row, rows->n, rows->cap};
        if (!uses.n) /* there may be no row to look at either */
                return PS_OK;
        ps_status status = ps_handovers_of(&uses, err);
        struct target *targets = ps_memory_zeroed(f->trace->n_locs + (size_t)1, sizeof(*targets));
        if (!targets)
                PS_THEN(status, PS_NOMEM(err, "locks", uses.n));
        PS_THEN(status, find_each(f, targets, &uses, err));
        free(targets);
        return status;
}

const struct search ps_search_locks = {sizeof(ps_lock_use),
                                       PS_RARE_KIND(PS_K_WIN_LOCK) | PS_RARE_KIND(PS_K_WIN_UNLOCK),
                                       collect,
                                       about,
                                       find,
                                       PS_K_SEND};
