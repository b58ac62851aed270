/* walk_sites.c - the places of a PGAS program that communicate, compared with each other and over the
 * threads.
 *
 * Whoever has the rows of a location adds up what it does at each place. Then all are summed, and each is
 * held against the sums. */
#include "core/base/search.h"
#include "patterns/engine/walk_pgas.h"

#include "core/base/memory.h"
#include "core/base/vector.h"

#include <stdlib.h>

/* What all do there. */
struct total {
        uint64_t largest;
        ps_time sum, most;
        uint32_t n;
};

struct comparing {
        struct engine *engine;
        ps_analysis *analysis;
        struct total *total; /* by path */
        uint64_t all_ops;    /* of the location at hand */
};

static bool communicates(const ps_kind_info *kind)
{
        return kind->cls == PS_C_RMA || (kind->cls == PS_C_COLL && !(kind->traits & PS_T_BARRIER));
}

/* Calls of a location that say the same, inside of the focus: all are at one place. */
struct alike {
        uint64_t n;
        ps_time time;
        uint32_t place; /* the number of its row, counted from 1; 0: not known yet; PS_NONE: it has none */
        uint32_t nothing;
};

struct gathering {
        const struct engine *e;
        bool communicates[PS_K_COUNT];
        ps_span span;    /* the focus, or the first part of it */
        uint32_t *place; /* by path, as above, cleared behind each location */
        /* Of the location at hand. */
        struct sites *to;
        const ps_ops *ops;
        struct alike *alike; /* by number of the call */
};

static ps_status find_place(const struct gathering *g, struct alike *alike, ps_op op, ps_time begin,
                            ps_error *err)
{
        const ps_path path = ps_op_path(g->ops, op);
        struct sites *to = g->to;
        if (!g->e->is_pgas[path]) {
                alike->place = PS_NONE;
                return PS_OK;
        }
        if (!g->place[path]) {
                if (PS_ROOM(to->row, to->n, to->cap))
                        return PS_NOMEM(err, "places", to->n);
                to->row[to->n++] = (struct site){.path = path, .begin = begin};
                g->place[path] = to->n;
        }
        alike->place = g->place[path];
        return PS_OK;
}

static void add_bytes(struct site *site, uint64_t bytes, uint64_t times)
{
        uint64_t all;
        if (__builtin_mul_overflow(bytes, times, &all) ||
            __builtin_add_overflow(site->bytes, all, &site->bytes))
                site->bytes = UINT64_MAX;
        site->largest = bytes > site->largest ? bytes : site->largest;
}

/* Any part of a call that lies inside will do. */
static ps_status count_calls(const struct gathering *g, const ps_time *enter, const ps_time *leave,
                             ps_error *err)
{
        const ps_ops ops = *g->ops;
        const ps_focus *focus = g->e->timing->focus;
        const ps_span span = g->span;
        for (ps_op op = 0; op < ops.n; op++) {
                if (!g->communicates[ops.kind[op]])
                        continue;
                const ps_time begin = enter[op], end = leave[op];
                const bool is_inside =
                        begin >= span.begin && begin < span.end && begin <= end && end <= span.end;
                const ps_time inside = is_inside ? end - begin : ps_focus_clip(focus, begin, end);
                if (!is_inside && !inside && !ps_focus_clip(focus, begin, begin + 1))
                        continue;
                struct alike *alike = &g->alike[ops.call[op]];
                if (!alike->place)
                        PS_TRY(find_place(g, alike, op, begin, err));
                alike->n++;
                alike->time = ps_time_add(alike->time, inside);
                if (ops.length && ops.calls[ops.call[op]].varies && alike->place != PS_NONE)
                        add_bytes(&g->to->row[alike->place - 1], ops.length[op], 1);
        }
        return PS_OK;
}

static void add_up_calls(const struct gathering *g)
{
        for (uint32_t i = 0; i < g->ops->n_calls; i++) {
                const struct alike *alike = &g->alike[i];
                if (!alike->n || alike->place == PS_NONE)
                        continue;
                struct site *site = &g->to->row[alike->place - 1];
                site->ops += alike->n;
                site->time = ps_time_add(site->time, alike->time);
                if (!g->ops->calls[i].varies)
                        add_bytes(site, g->ops->calls[i].bytes, alike->n);
        }
        for (uint32_t i = 0; i < g->to->n; i++)
                g->place[g->to->row[i].path] = 0;
}

static ps_status gather_location(struct gathering *g, ps_loc loc, ps_error *err)
{
        const ps_timing *timing = g->e->timing;
        g->to = &g->e->sites[loc];
        g->ops = &g->e->trace->ops[loc];
        g->alike = ps_memory_zeroed(g->ops->n_calls + (size_t)1, sizeof(*g->alike));
        ps_status status = g->alike ? count_calls(g, timing->enter[loc], timing->leave[loc], err)
                                    : PS_NOMEM(err, "calls", g->ops->n_calls);
        if (status == PS_OK)
                add_up_calls(g);
        free(g->alike);
        return status;
}

static void begin_gathering(struct gathering *g, const struct engine *e)
{
        const ps_focus *focus = e->timing->focus;
        *g = (struct gathering){.e = e, .span = {INT64_MIN, PS_TIME_MAX}};
        if (focus)
                g->span = focus->n_spans ? focus->span[0] : (ps_span){0, 0};
        for (unsigned kind = 0; kind < PS_K_COUNT; kind++)
                g->communicates[kind] = communicates(&ps_kinds[kind]);
}

ps_status ps_walk_gather_sites(struct engine *e, ps_error *err)
{
        const ps_trace *trace = e->trace;
        struct gathering g;
        if (trace->defs.pgas_comm == PS_NONE || !e->rules.n_roots[PS_ON_SITE])
                return PS_OK;
        begin_gathering(&g, e);
        g.place = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*g.place));
        e->sites = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*e->sites));
        ps_status status = g.place && e->sites ? PS_OK : PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++)
                if (!e->others || ps_share_is_here(trace, loc))
                        status = gather_location(&g, loc, err);
        free(g.place);
        return status;
}

void ps_walk_free_sites(struct engine *e)
{
        for (ps_loc loc = 0; e->sites && loc < e->trace->n_locs; loc++)
                free(e->sites[loc].row);
        free(e->sites);
        e->sites = NULL;
}

static void add_up(struct comparing *s, const struct sites *sites)
{
        for (uint32_t i = 0; i < sites->n; i++) {
                const struct site *site = &sites->row[i];
                struct total *total = &s->total[site->path];
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

static int find_typical(struct comparing *s)
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
static bool book_place(struct local *l, uint32_t pattern, const struct site *site, ps_time lost)
{
        uint32_t before = l->findings.n;
        ps_walk_book(l,
                     &(ps_instance){.pattern = pattern,
                                    .at = {l->loc, PS_NONE},
                                    .partner = {PS_NONE, PS_NONE},
                                    .begin = site->begin,
                                    .lost = lost},
                     site->path, PS_NONE);
        if (l->findings.n == before)
                return false;
        l->findings.row[before].count = site->ops;
        return true;
}

static ps_status keep_place(struct comparing *s, ps_loc loc, const struct site *site, ps_error *err)
{
        ps_analysis *a = s->analysis;
        if (PS_ROOM(a->places, a->n_places, a->places_cap))
                return PS_NOMEM(err, "places", a->n_places);
        a->places[a->n_places++] =
                (ps_place_sums){loc, site->path, site->ops, s->all_ops, site->bytes, site->largest};
        return PS_OK;
}

static ps_status ask_place(struct local *l, struct comparing *s, const struct site *site, ps_error *err)
{
        const struct engine *e = s->engine;
        const struct total *total = &s->total[site->path];
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
                        n_found += book_place(l, root, site, lost);
        }
        if (l->status != PS_OK)
                return PS_NOMEM(err, "findings", l->findings.n);
        return n_found ? keep_place(s, l->loc, site, err) : PS_OK;
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

static ps_status ask_location(struct comparing *s, ps_loc loc, ps_error *err)
{
        const struct sites *sites = &s->engine->sites[loc];
        s->all_ops = 0;
        for (uint32_t i = 0; i < sites->n; i++)
                s->all_ops += sites->row[i].ops;
        for (uint32_t i = 0; i < sites->n; i++)
                PS_TRY(ask_place(&s->engine->local[loc], s, &sites->row[i], err));
        return PS_OK;
}

static ps_status compare_places(struct comparing *s, ps_error *err)
{
        const ps_trace *trace = s->engine->trace;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                add_up(s, &s->engine->sites[loc]);
        if (find_typical(s) < 0)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                PS_TRY(ask_location(s, loc, err));
        if (s->analysis->n_places)
                qsort(s->analysis->places, s->analysis->n_places, sizeof(*s->analysis->places), by_place);
        return PS_OK;
}

ps_status ps_walk_sites(struct engine *e, ps_analysis *a, ps_error *err)
{
        uint32_t n = e->trace->n_paths;
        struct comparing s = {.engine = e, .analysis = a, .total = ps_memory_zeroed(n, sizeof(*s.total))};
        ps_status status = s.total ? compare_places(&s, err) : PS_NOMEM(err, "call paths", n);
        free(s.total);
        return status;
}
