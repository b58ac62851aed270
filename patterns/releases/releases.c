/* releases.c - a table of releases for each search, sorted by the call that waited. */
#include "patterns/releases/releases.h"

#include "core/base/memory.h"
#include "core/base/radix.h"
#include "core/base/search.h"
#include "core/load/share.h"
#include "patterns/releases/search.h"

#include <stdlib.h>

enum { LOCKS, EPOCHS, ATOMICS };
_Static_assert((int)ATOMICS + 1 == (int)PS_RELEASE_SEARCHES, "each is near something of its own");

static const struct search *const searches[] = {
        [LOCKS] = &ps_search_locks, [EPOCHS] = &ps_search_epochs, [ATOMICS] = &ps_search_atomics};

/* Which of them finds a sort of releases. */
static const uint8_t search_of[] = {[PS_RELEASED_BY_UNLOCK] = LOCKS,
                                    [PS_RELEASED_BY_TARGET] = LOCKS,
                                    [PS_RELEASED_BY_POST] = EPOCHS,
                                    [PS_RELEASED_BY_COMPLETE] = EPOCHS,
                                    [PS_RELEASED_BY_ATOMIC] = ATOMICS};

struct ps_releases {
        ps_dealt_rows by[PS_RELEASE_SEARCHES];
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
                         ps_error *err)
{
        uint64_t n = 0;
        for (unsigned k = PS_K_PUT; k < PS_K_COUNT; k++)
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

/* Of a search nothing is left but the latest release of each call. */
static ps_status find_one(struct finder *f, const struct search *search, bool is_shared, ps_error *err)
{
        ps_dealt_rows rows = {NULL, 0, 0};
        ps_status status = collect(&rows, f, search, err);
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

/* No more room than there are. */
static void shrink(ps_dealt_rows *rows)
{
        ps_release *kept = rows->n ? realloc(rows->row, rows->n * sizeof(*kept)) : NULL;
        if (kept)
                *rows = (ps_dealt_rows){kept, rows->n, rows->n};
}

static ps_status make(ps_releases **out, const ps_trace *trace, const ps_timing *timing, bool is_shared,
                      ps_error *err)
{
        ps_releases *made = calloc(1, sizeof(*made));
        uint64_t count[PS_K_COUNT] = {0}, *kinds = find_kinds(trace, count, is_shared);
        ps_status status = made && kinds ? PS_OK : PS_NOMEM(err, "one-sided calls", 1);
        if (is_shared)
                status = ps_exchange_agree(trace->spread->x, status, err);
        for (int i = 0; made && kinds && i < PS_RELEASE_SEARCHES && status == PS_OK; i++) {
                struct finder f = {.trace = trace, .timing = timing, .kinds = kinds, .count = count};
                status = find_one(&f, searches[i], is_shared, err);
                shrink(&f.found);
                made->by[i] = f.found;
        }
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
        return make(out, trace, timing, false, err);
}

ps_status ps_releases_together(ps_releases **out, const ps_trace *trace, ps_error *err)
{
        return make(out, trace, &trace->measured, true, err);
}

void ps_releases_free(ps_releases *r)
{
        for (int i = 0; r && i < PS_RELEASE_SEARCHES; i++)
                free(r->by[i].row);
        free(r);
}

/* The first of a call or of those behind it, which is mostly that found last or the one behind it. */
__attribute__((always_inline)) static inline uint32_t first_of(const ps_dealt_rows *by, uint64_t place,
                                                               uint32_t *near)
{
        const ps_release *row = by->row;
        const uint32_t last = *near;
        uint32_t low = 0, end = by->n;
        if (last < end && ps_ref_place(row[last].at) < place) {
                if (last + 1 < end && ps_ref_place(row[last + 1].at) >= place)
                        return *near = last + 1;
        } else if (last < end && (!last || ps_ref_place(row[last - 1].at) < place)) {
                return last;
        }
        PS_SEARCH_NEAR(low, end, last, i, ps_ref_place(row[i].at) < place);
        PS_SEARCH(low, end, i, ps_ref_place(row[i].at) < place);
        return *near = low;
}

/* There is at most one of each sort, one behind the other. */
const ps_release *ps_releases_find(const ps_releases *r, ps_ref at, ps_release_sort sort,
                                   ps_releases_near *near)
{
        const int search = search_of[sort];
        const ps_dealt_rows *by = &r->by[search];
        const ps_release *row = by->row;
        const uint64_t place = ps_ref_place(at);
        uint32_t i = first_of(by, place, &near->at[search]);
        for (; i < by->n && ps_ref_place(row[i].at) == place; i++)
                if (row[i].sort == sort)
                        return &row[i];
        return NULL;
}

const ps_release *ps_releases_of_lock(const ps_releases *r, ps_ref at, ps_releases_near *near)
{
        const ps_dealt_rows *by = &r->by[LOCKS];
        const ps_release *row = by->row;
        const uint32_t i = first_of(by, ps_ref_place(at), &near->at[LOCKS]);
        return i < by->n && ps_ref_place(row[i].at) == ps_ref_place(at) ? &row[i] : NULL;
}

void ps_releases_find_next(const ps_releases *r, ps_ref from, ps_releases_near *near)
{
        near->location = from.loc + 1;
        near->from = from.op;
        near->next = PS_NONE;
        for (int search = 0; search < PS_RELEASE_SEARCHES; search++) {
                const ps_dealt_rows *by = &r->by[search];
                const ps_release *row = by->row;
                const uint32_t i = by->n ? first_of(by, ps_ref_place(from), &near->at[search]) : 0;
                if (i < by->n && row[i].at.loc == from.loc && row[i].at.op < near->next)
                        near->next = row[i].at.op;
        }
}
