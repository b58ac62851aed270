/* releases.c - what each search finds, put together in the order of the calls that waited. */
#include "patterns/releases/releases.h"

#include "core/base/memory.h"
#include "core/base/radix.h"
#include "core/base/search.h"
#include "core/load/share.h"
#include "core/order/runs.h"
#include "patterns/releases/search.h"

#include <stdlib.h>

static const struct search *const searches[] = {&ps_search_locks, &ps_search_atomics, &ps_search_epochs,
                                                &ps_search_changes};
enum { N_SEARCHES = sizeof(searches) / sizeof(*searches), FIRST_BEGUN = 2 };

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

#define KEY(name, value)                                                                                     \
        static uint64_t name(const void *row)                                                                \
        {                                                                                                    \
                const ps_release *release = row;                                                             \
                return value;                                                                                \
        }
KEY(place_of, ps_ref_place(release->at))
KEY(sort_of, release->sort)
KEY(backward_of, ~ps_radix_signed(release->until))
KEY(giver_of, ps_ref_place(release->by))
#undef KEY

/* Of one call the latest first. */
static ps_row_number *const release_keys[] = {place_of, sort_of, backward_of, giver_of};

/* As searches mostly find them: each of another call, in the order of these. */
static bool are_in_order(const ps_release *at, uint32_t n)
{
        uint32_t i = 1;
        while (i < n && ps_ref_place(at[i - 1].at) < ps_ref_place(at[i].at))
                i++;
        return i >= n;
}

/* One release is left of each call and sort: it is over when the last has come. */
static ps_status keep_latest(ps_dealt_rows *rows, ps_error *err)
{
        ps_release *at = rows->row;
        uint32_t n = 0;
        if (are_in_order(at, rows->n))
                return PS_OK;
        if (ps_radix_sort(at, rows->n, sizeof(*at), release_keys,
                          sizeof(release_keys) / sizeof(*release_keys)) != 0)
                return PS_NOMEM(err, "one-sided calls", rows->n);
        for (uint32_t i = 0; i < rows->n; i++) {
                if (n && compare_places(&at[n - 1], &at[i]) == 0) {
                        if (at[i].transferred > at[n - 1].transferred)
                                at[n - 1].transferred = at[i].transferred;
                        continue;
                }
                at[n++] = at[i];
        }
        rows->n = n;
        return PS_OK;
}

/* Most traces have no such calls, and should not pay for them. */
static uint64_t *find_kinds(const ps_trace *trace, uint64_t *count, bool is_shared)
{
        uint64_t *kinds = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*kinds));
        for (ps_loc l = 0; kinds && l < trace->n_locs; l++)
                if (!is_shared || ps_share_is_here(trace, l))
                        kinds[l] = ps_ops_rare_kinds(&trace->ops[l], count);
        return kinds;
}

/* Most calls of these kinds have a row each, so that rows need not move while there are more and more. */
static ps_status collect(ps_dealt_rows *rows, const struct finder *f, const struct search *search,
                         bool is_shared, ps_error *err)
{
        uint64_t n = 0;
        if (search->wants && !is_shared && !f->count[search->wants]) /* others may have some */
                return PS_OK;
        for (unsigned k = PS_K_PUT; k < PS_K_COUNT && !search->wants; k++)
                n += search->kinds & PS_RARE_KIND(k) ? f->count[k] : 0;
        if (n && n < PS_NONE && ps_memory_room(&rows->row, 0, &rows->cap, (uint32_t)n, search->size))
                return PS_NOMEM(err, "one-sided calls", n);
        for (ps_loc l = 0; l < f->trace->n_locs; l++)
                if (f->kinds[l] & search->kinds)
                        PS_TRY(search->collect(rows, f, l, err));
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

/* Of a search nothing is left but the latest release of each call. `status`: what became of those before. Who
 * failed takes part all the same where others wait for that. */
static ps_status find_one(struct finder *f, const struct search *search, bool is_shared, ps_status status,
                          ps_error *err)
{
        ps_dealt_rows rows = {NULL, 0, 0};
        PS_THEN(status, collect(&rows, f, search, is_shared, err));
        if (is_shared)
                status = deal(f->trace, &rows, search->size, search->about, status, err);
        PS_THEN(status, search->find(f, &rows, err));
        free(rows.row);
        PS_THEN(status, keep_latest(&f->found, err));
        if (!is_shared)
                return status;
        status = deal(f->trace, &f->found, sizeof(ps_release), whose, status, err);
        PS_THEN(status, keep_latest(&f->found, err));
        return status;
}

static inline bool is_before(const ps_release *a, const ps_release *b)
{
        const uint64_t x = ps_ref_place(a->at), y = ps_ref_place(b->at);
        return x != y ? x < y : a->sort < b->sort;
}

PS_RUNS(releases, ps_release, is_before)

/* What several searches have found. */
static ps_status join(ps_releases *r, const ps_dealt_rows *found, size_t n, ps_error *err)
{
        ps_release *row = n < PS_NONE ? ps_memory_new(2 * n * sizeof(*row)) : NULL;
        if (!row)
                return PS_NOMEM(err, "one-sided calls", n);
        *r = (ps_releases){row, 0};
        for (int i = 0; i < N_SEARCHES; i++) {
                ps_blocks_copy(row + r->n, found[i].row, found[i].n * sizeof(*row));
                r->n += found[i].n;
        }
        releases_sort(row, row + n, r->n);
        return PS_OK;
}

/* No more room than there are. Mostly one search has found all. */
static ps_status take_found(ps_releases *r, ps_dealt_rows *found, ps_error *err)
{
        size_t n = 0;
        ps_status status = PS_OK;
        for (int i = 0; i < N_SEARCHES; i++)
                n += found[i].n;
        for (int i = 0; i < N_SEARCHES && !r->n && n; i++)
                if (found[i].n == n) {
                        *r = (ps_releases){found[i].row, found[i].n};
                        found[i].row = NULL;
                }
        if (n && !r->n)
                status = join(r, found, n, err);
        ps_release *fits = r->n ? realloc(r->row, r->n * sizeof(*fits)) : NULL;
        if (fits)
                r->row = fits;
        return status;
}

/* By the searches from the first one on. */
static ps_status make(ps_releases **out, const ps_trace *trace, const ps_timing *timing, int first,
                      bool is_shared, ps_error *err)
{
        ps_releases *made = calloc(1, sizeof(*made));
        uint64_t count[PS_K_COUNT] = {0}, *kinds = find_kinds(trace, count, is_shared);
        ps_dealt_rows found[N_SEARCHES] = {{NULL, 0, 0}};
        ps_status status = made && kinds ? PS_OK : PS_NOMEM(err, "one-sided calls", 1);
        if (is_shared)
                status = ps_exchange_agree(trace->spread->x, status, err);
        const int n = status == PS_OK && kinds ? N_SEARCHES : 0;
        for (int i = first; i < n; i++) {
                struct finder f = {.trace = trace, .timing = timing, .kinds = kinds, .count = count};
                status = find_one(&f, searches[i], is_shared, status, err);
                found[i] = f.found;
        }
        PS_THEN(status, take_found(made, found, err));
        if (is_shared && n)
                status = ps_exchange_agree(trace->spread->x, status, err);
        for (int i = 0; i < N_SEARCHES; i++)
                free(found[i].row);
        free(kinds);
        *out = made;
        if (status == PS_OK)
                return PS_OK;
        ps_releases_free(made);
        *out = NULL;
        return status;
}

ps_status ps_releases_new(ps_releases **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        return make(out, trace, timing, 0, false, err);
}

ps_status ps_releases_begun(ps_releases **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        return make(out, trace, timing, FIRST_BEGUN, false, err);
}

ps_status ps_releases_together(ps_releases **out, const ps_trace *trace, ps_error *err)
{
        return make(out, trace, &trace->measured, 0, true, err);
}

void ps_releases_free(ps_releases *r)
{
        if (r)
                free(r->row);
        free(r);
}

uint32_t ps_releases_search(const ps_releases *r, uint64_t place, uint32_t near)
{
        const ps_release *row = r->row;
        uint32_t low = 0, end = r->n;
        PS_SEARCH_NEAR(low, end, near, i, ps_ref_place(row[i].at) < place);
        PS_SEARCH(low, end, i, ps_ref_place(row[i].at) < place);
        return low;
}

/* There is at most one of each sort, one behind the other. */
const ps_release *ps_releases_find(const ps_releases *r, ps_ref at, ps_release_sort sort,
                                   ps_releases_near *near)
{
        if (!r->n) /* nor a row to begin at */
                return NULL;
        const ps_release *row = r->row, *end = row + r->n;
        for (row += ps_releases_first(r, at, near); row < end && ps_ref_place(row->at) == ps_ref_place(at);
             row++)
                if (row->sort == sort)
                        return row;
        return NULL;
}
