/* releases.c - the table of releases, sorted by the call that waited. */
#include "patterns/releases/releases.h"

#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/load/share.h"
#include "patterns/releases/search.h"

#include <stdlib.h>

static const struct search *const searches[] = {&ps_search_locks, &ps_search_epochs, &ps_search_atomics};
enum { N_SEARCHES = sizeof(searches) / sizeof(*searches) };

struct ps_releases {
        ps_release *at;
        uint32_t n;
        uint32_t sorts; /* a bit for each that there is */
};

ps_status ps_releases_add(struct finder *f, const ps_release *release, ps_error *err)
{
        ps_dealt_rows *to = &f->found;
        if (ps_memory_room(&to->row, to->n, &to->cap, 16, sizeof(*release)))
                return PS_NOMEM(err, "one-sided calls", to->n);
        ((ps_release *)to->row)[to->n++] = *release;
        return PS_OK;
}

static int compare_places(const ps_release *x, const ps_release *y)
{
        PS_ORDER_BY(x->at.loc, y->at.loc);
        PS_ORDER_BY(x->at.op, y->at.op);
        return PS_ORDER(x->sort, y->sort);
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
                r->sorts |= 1u << r->at[i].sort;
                r->at[n++] = r->at[i];
        }
        r->n = n;
}

/* Most traces have no such calls, and should not pay for them. */
static ps_status collect(const struct finder *f, ps_dealt_rows *rows, bool is_shared, ps_error *err)
{
        for (ps_loc l = 0; l < f->trace->n_locs; l++) {
                const ps_ops *ops = &f->trace->ops[l];
                if ((is_shared && !ps_share_is_here(f->trace, l)) || ps_ops_seek(ops, 0, PS_K_PUT) == ops->n)
                        continue;
                for (int i = 0; i < N_SEARCHES; i++)
                        PS_TRY(searches[i]->collect(&rows[i], f, l, err));
        }
        return PS_OK;
}

/* -- several processes -- */

/* Rows about a process of the program go to the one of ours that has it. */
struct dealing {
        const ps_trace *trace;
        ps_proc (*about)(const ps_trace *trace, const void *row);
};

static uint32_t owner_of(const void *ctx, const void *row)
{
        const struct dealing *d = ctx;
        ps_proc process = d->about(d->trace, row);
        return process == PS_NONE ? 0 : d->trace->spread->owner[process];
}

static ps_status deal(const ps_trace *trace, ps_dealt_rows *rows, size_t size,
                      ps_proc (*about)(const ps_trace *trace, const void *row), ps_status status,
                      ps_error *err)
{
        const struct dealing d = {trace, about};
        const ps_rows_deal how = {size / sizeof(int64_t), owner_of, &d};
        return ps_exchange_rows(trace->spread->x, rows, &how, status, err);
}

static ps_proc whose(const ps_trace *trace, const void *row)
{
        return ps_trace_process(trace, ((const ps_release *)row)->at.loc);
}

/* -- all of it -- */

static ps_status find_all(struct finder *f, ps_dealt_rows *rows, bool is_shared, ps_error *err)
{
        ps_status status = collect(f, rows, is_shared, err);
        for (int i = 0; is_shared && i < N_SEARCHES; i++)
                status = deal(f->trace, &rows[i], searches[i]->size, searches[i]->about, status, err);
        for (int i = 0; i < N_SEARCHES && status == PS_OK; i++)
                status = searches[i]->find(f, &rows[i], err);
        return is_shared ? deal(f->trace, &f->found, sizeof(ps_release), whose, status, err) : status;
}

static ps_status make(ps_releases **out, const ps_trace *trace, const ps_timing *timing, bool is_shared,
                      ps_error *err)
{
        struct finder f = {.trace = trace, .timing = timing};
        ps_dealt_rows rows[N_SEARCHES] = {{NULL, 0, 0}};
        ps_releases *made = calloc(1, sizeof(*made));
        ps_status status = find_all(&f, rows, is_shared, err);
        for (int i = 0; i < N_SEARCHES; i++)
                free(rows[i].row);
        PS_THEN(status, made ? PS_OK : PS_NOMEM(err, "one-sided calls", 1));
        *out = made;
        if (status != PS_OK) {
                free(f.found.row);
                free(made);
                *out = NULL;
                return status;
        }
        *made = (ps_releases){.at = f.found.row, .n = f.found.n};
        keep_latest(made);
        return PS_OK;
}

ps_status ps_releases_new(ps_releases **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        return make(out, trace, timing, false, err);
}

ps_status ps_releases_together(ps_releases **out, const ps_trace *trace, ps_error *err)
{
        return ps_exchange_agree(trace->spread->x, make(out, trace, &trace->measured, true, err), err);
}

void ps_releases_free(ps_releases *r)
{
        if (!r)
                return;
        free(r->at);
        free(r);
}

static uint64_t place_of(ps_ref ref)
{
        return (uint64_t)ref.loc << 32 | ref.op;
}

/* There is at most one of each sort, one behind the other. */
const ps_release *ps_releases_find(const ps_releases *r, ps_ref at, ps_release_sort sort)
{
        uint32_t low = 0;
        if (!(r->sorts >> sort & 1))
                return NULL;
        PS_SEARCH(low, r->n, i, place_of(r->at[i].at) < place_of(at));
        for (; low < r->n && place_of(r->at[low].at) == place_of(at); low++)
                if (r->at[low].sort == sort)
                        return &r->at[low];
        return NULL;
}
