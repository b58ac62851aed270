/* releases.c - the table of releases, sorted by the call that waited. */
#include "patterns/engine/releases.h"

#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/sums/handovers.h"
#include "patterns/table/pattern.h"

#include <stdlib.h>

struct ps_releases {
        ps_release *at;
        uint32_t n, cap;
};

ps_status ps_releases_add(ps_releases *r, const ps_release *release, ps_error *err)
{
        return PS_APPEND(r->at, r->n, r->cap, *release) ? PS_NOMEM(err, "one-sided calls", r->cap) : PS_OK;
}

static int compare_places(const ps_release *x, const ps_release *y)
{
        PS_ORDER_BY(x->at.loc, y->at.loc);
        PS_ORDER_BY(x->at.op, y->at.op);
        return (int)x->sort - (int)y->sort;
}

/* Of one call the latest first. */
static int compare_releases(const void *a, const void *b)
{
        const ps_release *x = a, *y = b;
        int places = compare_places(x, y);
        if (places)
                return places;
        PS_ORDER_BY(y->until, x->until);
        return ps_refs_compare(&x->by, &y->by);
}

/* One release is left of each call and sort: it is over when the last has come. */
static void keep_latest(ps_releases *r)
{
        uint32_t n = 0;
        if (r->n)
                qsort(r->at, r->n, sizeof(*r->at), compare_releases);
        for (uint32_t i = 0; i < r->n; i++) {
                if (n && compare_places(&r->at[n - 1], &r->at[i]) == 0) {
                        if (r->at[i].transferred > r->at[n - 1].transferred)
                                r->at[n - 1].transferred = r->at[i].transferred;
                        continue;
                }
                r->at[n++] = r->at[i];
        }
        r->n = n;
}

/* Most traces have no one-sided calls, and should not pay for them. */
bool ps_releases_are_one_sided(const ps_trace *trace)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                for (ps_op op = 0; (op = ps_ops_seek(ops, op, PS_K_PUT)) < ops->n; op++) {
                        ps_class cls = ps_kinds[ops->kind[op]].cls;
                        if (cls == PS_C_RMA || cls == PS_C_RMA_SYNC)
                                return true;
                }
        }
        return false;
}

static ps_status add_locks(const struct ps_release_finder *finder, ps_error *err)
{
        ps_handovers found;
        ps_status status = ps_handovers_find(&found, finder->trace, finder->timing, err);
        for (uint32_t i = 0; i < found.n && status == PS_OK; i++)
                status = ps_releases_add(finder->out,
                                         &(ps_release){.at = found.row[i].at,
                                                       .by = found.row[i].by,
                                                       .until = found.row[i].until,
                                                       .transferred = PS_NEVER_BEGUN,
                                                       .sort = PS_RELEASED_BY_UNLOCK},
                                         err);
        free(found.row);
        return status;
}

ps_status ps_releases_new(ps_releases **out, const ps_trace *trace, const ps_timing *timing,
                          ps_time tolerance, ps_error *err)
{
        *out = calloc(1, sizeof(**out));
        if (!*out)
                return PS_NOMEM(err, "one-sided calls", 1);
        const struct ps_release_finder finder = {trace, timing, tolerance, *out};
        ps_status status = add_locks(&finder, err);
        if (ps_releases_are_one_sided(trace)) {
                PS_THEN(status, ps_release_epochs(&finder, err));
                PS_THEN(status, ps_release_atomics(&finder, err));
        }
        if (status != PS_OK) {
                ps_releases_free(*out);
                *out = NULL;
                return status;
        }
        keep_latest(*out);
        return PS_OK;
}

void ps_releases_free(ps_releases *r)
{
        if (!r)
                return;
        free(r->at);
        free(r);
}

const ps_release *ps_releases_find(const ps_releases *r, ps_ref at, ps_release_sort sort)
{
        ps_release key = {.at = at, .sort = (uint8_t)sort};
        uint32_t low = 0;
        PS_SEARCH(low, r->n, middle, compare_places(&r->at[middle], &key) < 0);
        return low < r->n && compare_places(&r->at[low], &key) == 0 ? &r->at[low] : NULL;
}
