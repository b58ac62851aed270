/* walk_sites.c - the places of a PGAS program that communicate, compared with each other and over the
 * threads.
 *
 * Works in two rounds over all locations: sums of each place first, then each location against them. */
#include "core/base/search.h"
#include "patterns/engine/walk.h"

#include "core/base/memory.h"
#include "core/base/vector.h"

#include <stdlib.h>

/* What one location does at one call path. */
struct site {
        uint64_t ops, bytes, largest;
        ps_time time, begin;
};

/* What all do there. */
struct total {
        uint64_t largest;
        ps_time sum, most;
        uint32_t n;
};

struct sites {
        struct engine *engine;
        ps_analysis *analysis;
        struct site *site;   /* by path, of the location at hand */
        ps_path *touched;    /* paths that it has been at */
        struct total *total; /* by path */
        uint64_t all_ops;    /* of the location at hand */
        uint32_t n_touched;
};

static bool communicates(const ps_trace *trace, ps_ref ref)
{
        const ps_kind_info *kind = &ps_kinds[trace->ops[ref.loc].kind[ref.op]];
        return (kind->cls == PS_C_RMA || (kind->cls == PS_C_COLL && !(kind->traits & PS_T_BARRIER))) &&
               ps_op_is_pgas(trace, ref);
}

static void gather_sites(struct sites *s, ps_loc loc)
{
        const struct engine *e = s->engine;
        const ps_ops *ops = &e->trace->ops[loc];
        while (s->n_touched)
                s->site[s->touched[--s->n_touched]] = (struct site){0};
        s->all_ops = 0;
        for (ps_op op = 0; op < ops->n; op++) {
                ps_time begin = e->timing->enter[loc][op], end = e->timing->leave[loc][op];
                ps_time inside = ps_focus_clip(e->timing->focus, begin, end);
                if (!communicates(e->trace, (ps_ref){loc, op}) ||
                    (!inside && !ps_focus_clip(e->timing->focus, begin, begin + 1)))
                        continue;
                struct site *site = &s->site[ps_op_path(ops, op)];
                if (!site->ops++) {
                        s->touched[s->n_touched++] = ps_op_path(ops, op);
                        site->begin = begin;
                }
                s->all_ops++;
                site->time = ps_time_add(site->time, inside);
                site->bytes += ps_op_bytes(ops, op) < UINT64_MAX - site->bytes ? ps_op_bytes(ops, op)
                                                                               : UINT64_MAX - site->bytes;
                site->largest = ps_op_bytes(ops, op) > site->largest ? ps_op_bytes(ops, op) : site->largest;
        }
}

static void add_up(struct sites *s)
{
        for (uint32_t i = 0; i < s->n_touched; i++) {
                const struct site *site = &s->site[s->touched[i]];
                struct total *total = &s->total[s->touched[i]];
                total->largest = site->largest > total->largest ? site->largest : total->largest;
                total->sum = ps_time_add(total->sum, site->time);
                total->most = later(total->most, site->time);
                total->n++;
        }
}

static int compare_sizes(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;
        return PS_ORDER(*x, *y);
}

static int find_typical(struct sites *s)
{
        uint32_t n = 0, n_paths = s->engine->trace->n_paths;
        uint64_t *sizes = ps_memory_new(n_paths * sizeof(*sizes));
        if (!sizes)
                return -1;
        for (uint32_t p = 0; p < n_paths; p++)
                if (s->total[p].largest)
                        sizes[n++] = s->total[p].largest;
        if (n) {
                qsort(sizes, n, sizeof(*sizes), compare_sizes);
                s->analysis->typical_bytes = sizes[(n - 1) / 2];
        }
        free(sizes);
        return 0;
}

/* A finding counts the operations of its place. */
static bool book_place(struct local *l, uint32_t pattern, const struct site *site, ps_path path, ps_time lost)
{
        uint32_t before = l->findings.n;
        ps_walk_book(l,
                     &(ps_instance){.pattern = pattern,
                                    .at = {l->loc, PS_NONE},
                                    .partner = {PS_NONE, PS_NONE},
                                    .begin = site->begin,
                                    .lost = lost},
                     path, PS_NONE);
        if (l->findings.n == before)
                return false;
        l->findings.row[before].count = site->ops;
        return true;
}

static ps_status keep_place(struct sites *s, ps_loc loc, ps_path path, ps_error *err)
{
        ps_analysis *a = s->analysis;
        const struct site *site = &s->site[path];
        if (PS_ROOM(a->places, a->n_places, a->places_cap))
                return PS_NOMEM(err, "places", a->n_places);
        a->places[a->n_places++] =
                (ps_place_sums){loc, path, site->ops, s->all_ops, site->bytes, site->largest};
        return PS_OK;
}

static ps_status ask_place(struct local *l, struct sites *s, ps_path path, ps_error *err)
{
        const struct engine *e = s->engine;
        const struct total *total = &s->total[path];
        const struct site *site = &s->site[path];
        const ps_site_view view = {.ops = site->ops,
                                   .all_ops = s->all_ops,
                                   .largest = site->largest,
                                   .typical = s->analysis->typical_bytes,
                                   .own = site->time,
                                   .mean = total->sum / total->n,
                                   .most = total->most,
                                   .n = total->n};
        int n_found = 0;
        for (uint32_t k = 0; k < e->rules.n_roots[PS_ON_SITE]; k++) {
                uint32_t root = e->rules.root[PS_ON_SITE][k];
                ps_time lost = ps_rules_site(&e->rules, root, &view);
                if (lost >= 0)
                        n_found += book_place(l, root, site, path, lost);
        }
        if (l->status != PS_OK)
                return PS_NOMEM(err, "findings", l->findings.n);
        return n_found ? keep_place(s, l->loc, path, err) : PS_OK;
}

static int by_place(const void *a, const void *b)
{
        const ps_place_sums *x = a, *y = b;
        PS_ORDER_BY(x->location, y->location);
        return PS_ORDER(x->path, y->path);
}

const ps_place_sums *ps_analysis_place(const ps_analysis *a, ps_loc location, ps_path path)
{
        const ps_place_sums key = {.location = location, .path = path};
        return a->n_places ? bsearch(&key, a->places, a->n_places, sizeof(key), by_place) : NULL;
}

static ps_status compare_places(struct sites *s, ps_error *err)
{
        const ps_trace *trace = s->engine->trace;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                gather_sites(s, loc);
                add_up(s);
        }
        if (find_typical(s) < 0)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                gather_sites(s, loc);
                for (uint32_t i = 0; i < s->n_touched; i++)
                        PS_TRY(ask_place(&s->engine->local[loc], s, s->touched[i], err));
        }
        if (s->analysis->n_places)
                qsort(s->analysis->places, s->analysis->n_places, sizeof(*s->analysis->places), by_place);
        return PS_OK;
}

ps_status ps_walk_sites(struct engine *e, ps_analysis *a, ps_error *err)
{
        uint32_t n = e->trace->n_paths;
        struct sites s = {.engine = e,
                          .analysis = a,
                          .site = ps_memory_zeroed(n, sizeof(*s.site)),
                          .touched = ps_memory_zeroed(n, sizeof(*s.touched)),
                          .total = ps_memory_zeroed(n, sizeof(*s.total))};
        ps_status status =
                s.site && s.touched && s.total ? compare_places(&s, err) : PS_NOMEM(err, "call paths", n);
        free(s.site);
        free(s.touched);
        free(s.total);
        return status;
}
