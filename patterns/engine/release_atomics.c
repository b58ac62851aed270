/* release_atomics.c - atomic operations of PGAS programs that begin while another one goes on, on memory of
 * the same thread. */
#include "core/base/search.h"
#include "patterns/table/pattern.h"

#include "core/base/vector.h"
#include "patterns/engine/releases.h"

#include <stdlib.h>

struct atomic {
        uint32_t target;
        ps_time enter, leave;
        ps_ref ref;
};

struct atomics {
        struct atomic *at;
        uint32_t n, cap;
};

static int compare_atomics(const void *a, const void *b)
{
        const struct atomic *x = a, *y = b;
        PS_ORDER_BY(x->target, y->target);
        PS_ORDER_BY(x->enter, y->enter);
        return ps_refs_compare(&x->ref, &y->ref);
}

static ps_status collect_atomics(struct atomics *all, const struct ps_release_finder *f, ps_error *err)
{
        for (ps_loc loc = 0; loc < f->trace->n_locs; loc++) {
                const ps_ops *ops = &f->trace->ops[loc];
                for (ps_op op = 0; op < ops->n; op++) {
                        if (ops->kind[op] != PS_K_ATOMIC || !ps_op_is_pgas(f->trace, (ps_ref){loc, op}))
                                continue;
                        if (PS_ROOM(all->at, all->n, all->cap))
                                return PS_NOMEM(err, "atomic operations", all->cap);
                        all->at[all->n++] = (struct atomic){ps_op_peer(ops, op),
                                                            f->timing->enter[loc][op],
                                                            f->timing->leave[loc][op],
                                                            {loc, op}};
                }
        }
        return PS_OK;
}

static ps_status release(const struct ps_release_finder *f, const struct atomic *at, const struct atomic *by,
                         ps_error *err)
{
        return ps_releases_add(f->out,
                               &(ps_release){.at = at->ref,
                                             .by = by->ref,
                                             .until = by->leave < at->leave ? by->leave : at->leave,
                                             .transferred = PS_NEVER_BEGUN,
                                             .sort = PS_RELEASED_BY_ATOMIC},
                               err);
}

/* Who began later waited, if anybody did: at most until the one before it that ends last is over. */
static ps_status release_in_turn(struct atomics *all, const struct ps_release_finder *f, ps_error *err)
{
        PS_TRY(collect_atomics(all, f, err));
        if (all->n)
                qsort(all->at, all->n, sizeof(*all->at), compare_atomics);
        const struct atomic *last = NULL;
        for (uint32_t i = 0; i < all->n; i++) {
                const struct atomic *now = &all->at[i];
                if (last && last->target != now->target)
                        last = NULL;
                if (last && last->leave > now->enter && last->ref.loc != now->ref.loc)
                        PS_TRY(release(f, now, last, err));
                if (!last || now->leave > last->leave)
                        last = now;
        }
        return PS_OK;
}

ps_status ps_release_atomics(const struct ps_release_finder *f, ps_error *err)
{
        struct atomics all = {0};
        ps_status status = release_in_turn(&all, f, err);
        free(all.at);
        return status;
}
