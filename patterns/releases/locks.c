/* locks.c - those who lock or unlock a window wait for whoever holds the lock, or, where the library makes no
 * progress by itself, for their target. Of locks of threads see threads.h. */
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/sums/handovers.h"
#include "patterns/releases/search.h"

#include <stdlib.h>

/* Those of threads are found elsewhere. */
static void drop_threads(ps_lock_uses *uses, uint32_t from)
{
        uint32_t n = from;
        for (uint32_t i = from; i < uses->n; i++)
                if (uses->row[i].kind == PS_K_WIN_LOCK || uses->row[i].kind == PS_K_WIN_UNLOCK)
                        uses->row[n++] = uses->row[i];
        uses->n = n;
}

static ps_status collect(ps_dealt_rows *to, const struct finder *f, ps_loc location, ps_error *err)
{
        ps_lock_uses uses = {to->row, to->n, to->cap};
        ps_status status = ps_lock_uses_add(&uses, f->trace, f->timing, location, err);
        drop_threads(&uses, to->n);
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

/* Of locations that are targets: do their operations stand in order of time? */
enum { UNKNOWN, ORDERED, UNORDERED };

struct targets {
        uint8_t *order; /* by location */
        ps_op *near;    /* what was found last */
};

static bool is_ordered(const struct finder *f, struct targets *t, ps_loc target)
{
        const ps_time *enter = f->timing->enter[target];
        if (t->order[target] == UNKNOWN) {
                ps_op op = 1, n = f->trace->ops[target].n;
                while (op < n && enter[op - 1] <= enter[op])
                        op++;
                t->order[target] = op < n ? UNORDERED : ORDERED;
        }
        return t->order[target] == ORDERED;
}

/* The call with which the target, which was outside of the library as this one began, came in; PS_NONE: it
 * was inside, or nothing is known. */
static ps_op first_after(const struct finder *f, struct targets *t, ps_loc target, ps_time begun)
{
        const ps_time *enter = f->timing->enter[target];
        ps_op low = 0, n = f->trace->ops[target].n, end = n;
        if (is_ordered(f, t, target))
                PS_SEARCH_NEAR(low, end, t->near[target], i, enter[i] <= begun);
        PS_BISECT(low, end, middle, enter[middle] <= begun);
        t->near[target] = low;
        return low > 0 && low < n && f->timing->leave[target][low - 1] <= begun ? low : PS_NONE;
}

static ps_status find_target(struct finder *f, struct targets *t, const ps_lock_use *use, ps_error *err)
{
        const ps_defs *defs = &f->trace->defs;
        ps_loc target = use->target;
        if (!use->takes || target == PS_NONE || target == use->ref.loc ||
            defs->processes.row[defs->locations.row[target].process].n_locs != 1)
                return PS_OK;
        ps_op by = first_after(f, t, target, use->enter);
        if (by == PS_NONE || f->timing->enter[target][by] > use->leave)
                return PS_OK;
        return ps_releases_add(f,
                               &(ps_release){.at = use->ref,
                                             .by = {target, by},
                                             .until = f->timing->enter[target][by],
                                             .transferred = PS_NEVER_BEGUN,
                                             .sort = PS_RELEASED_BY_TARGET},
                               err);
}

static ps_status add_holder(struct finder *f, const ps_handover *found, ps_error *err)
{
        return ps_releases_add(f,
                               &(ps_release){.at = found->at,
                                             .by = found->by,
                                             .until = found->until,
                                             .transferred = PS_NEVER_BEGUN,
                                             .sort = PS_RELEASED_BY_UNLOCK},
                               err);
}

/* In the order of the calls, which is mostly that of what is looked up later. */
static ps_status find(struct finder *f, const ps_dealt_rows *rows, ps_error *err)
{
        ps_lock_uses uses = {rows->row, rows->n, rows->cap};
        ps_handovers found;
        ps_status status = ps_handovers_of(&found, &uses, err);
        const size_t n_locs = f->trace->n_locs + (size_t)1;
        struct targets targets = {ps_memory_zeroed(n_locs, 1), ps_memory_zeroed(n_locs, sizeof(ps_op))};
        if (!targets.order || !targets.near)
                PS_THEN(status, PS_NOMEM(err, "locks", uses.n));
        for (uint32_t i = 0, k = 0; i < uses.n && status == PS_OK; i++) {
                if (k < found.n && ps_refs_compare(&found.row[k].at, &uses.row[i].ref) == 0)
                        status = add_holder(f, &found.row[k++], err);
                PS_THEN(status, find_target(f, &targets, &uses.row[i], err));
        }
        free(targets.order);
        free(targets.near);
        free(found.row);
        return status;
}

const struct search ps_search_locks = {sizeof(ps_lock_use),
                                       PS_RARE_KIND(PS_K_WIN_LOCK) | PS_RARE_KIND(PS_K_WIN_UNLOCK), collect,
                                       about, find};
