/* visits.c - balance: what a location computes in its n-th visit of a region becomes what those who
 * have an n-th visit compute in it on average. */
#include "simulator/replay/changes.h"

#include <stdlib.h>

/* Computations that are compared with one another. */
typedef struct equals {
        ps_time sum;
        uint32_t n;
} equals;

typedef struct balancing {
        ps_changes *c;
        const ps_replay *replay;
        ps_time **own;     /* [location][visit] */
        ps_time *own_rest; /* by location */
        equals *visit;     /* those of group g from first[g] on */
        size_t *first;
        equals *rest; /* by the number of the thread in its process */
} balancing;

static double mean_of(const equals *e)
{
        return e->n ? (double)e->sum / e->n : 0;
}

static void add(equals *e, ps_time time)
{
        e->sum = ps_time_add(e->sum, time);
        e->n++;
}

/* -- what each one computes -- */

static void add_up_gap(balancing *b, ps_loc loc, ps_op gap)
{
        const ps_pieces *p = &b->replay->trace->pieces[loc];
        for (uint32_t i = ps_pieces_first(p, gap); i < p->end[gap]; i++) {
                const ps_piece *piece = &p->piece[i];
                if (piece->path == PS_NONE || !b->c->computes[piece->path])
                        continue;
                ps_time *own = piece->visit == PS_NONE ? &b->own_rest[loc] : &b->own[loc][piece->visit];
                *own = ps_time_add(*own, piece->time);
                if (piece->visit != PS_NONE && b->c->visits[loc][piece->visit].first == PS_NONE)
                        b->c->visits[loc][piece->visit].first = i;
        }
}

static ps_status add_up(balancing *b, ps_loc loc, ps_error *err)
{
        uint32_t n = b->replay->trace->pieces[loc].n_visits;
        b->own[loc] = calloc((size_t)n + 1, sizeof(**b->own));
        b->c->visits[loc] = malloc(((size_t)n + 1) * sizeof(**b->c->visits));
        if (!b->own[loc] || !b->c->visits[loc])
                return PS_NOMEM(err, "visits", n);
        for (uint32_t v = 0; v < n; v++)
                b->c->visits[loc][v] = (visit_change){1, 0, PS_NONE};
        for (ps_op gap = 0; gap <= b->replay->trace->ops[loc].n; gap++)
                if (is_replayed(b->replay, loc, gap))
                        add_up_gap(b, loc, gap);
        return PS_OK;
}

/* -- the means -- */

static int takes_part(const ps_trace *trace, ps_loc loc)
{
        return trace->defs.locations.row[loc].type == PS_LOCATION_CPU && trace->info[loc].n_events;
}

static equals *equals_of(const balancing *b, const ps_visit *visit)
{
        return &b->visit[b->first[visit->group] + visit->n];
}

static ps_status find_equals(balancing *b, ps_error *err)
{
        const ps_trace *trace = b->replay->trace;
        size_t n_groups = trace->defs.regions.n, n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (uint32_t v = 0; v < trace->pieces[loc].n_visits; v++) {
                        const ps_visit *visit = &trace->pieces[loc].visit[v];
                        size_t *most = &b->first[visit->group + 1];
                        *most = visit->n + (size_t)1 > *most ? visit->n + (size_t)1 : *most;
                }
        for (size_t g = 1; g <= n_groups; g++)
                b->first[g] += b->first[g - 1];
        n = b->first[n_groups];
        b->visit = calloc(n + 1, sizeof(*b->visit));
        if (!b->visit)
                return PS_NOMEM(err, "visits", n);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                for (uint32_t v = 0; v < trace->pieces[loc].n_visits; v++)
                        add(equals_of(b, &trace->pieces[loc].visit[v]), b->own[loc][v]);
                if (takes_part(trace, loc))
                        add(&b->rest[trace->defs.locations.row[loc].thread], b->own_rest[loc]);
        }
        return PS_OK;
}

static void change_location(balancing *b, ps_loc loc)
{
        const ps_trace *trace = b->replay->trace;
        for (uint32_t v = 0; v < trace->pieces[loc].n_visits; v++) {
                visit_change *change = &b->c->visits[loc][v];
                double mean = mean_of(equals_of(b, &trace->pieces[loc].visit[v]));
                if (b->own[loc][v] > 0)
                        change->factor = mean / (double)b->own[loc][v];
                else
                        change->added = mean;
        }
        b->c->rest[loc] = 1;
        if (takes_part(trace, loc) && b->own_rest[loc] > 0)
                b->c->rest[loc] =
                        mean_of(&b->rest[trace->defs.locations.row[loc].thread]) / (double)b->own_rest[loc];
}

ps_status ps_replay_balance_visits(ps_changes *c, const ps_replay *replay, ps_error *err)
{
        size_t n = (size_t)replay->trace->n_locs + 1;
        balancing b = {.c = c,
                       .replay = replay,
                       .own = calloc(n, sizeof(ps_time *)),
                       .own_rest = calloc(n, sizeof(ps_time)),
                       .first = calloc((size_t)replay->trace->defs.regions.n + 1, sizeof(size_t)),
                       .rest = calloc(n, sizeof(equals))};
        c->visits = calloc(n, sizeof(*c->visits));
        c->rest = calloc(n, sizeof(*c->rest));
        ps_status status = b.own && b.own_rest && b.first && b.rest && c->visits && c->rest
                                   ? PS_OK
                                   : PS_NOMEM(err, "locations", n);
        for (ps_loc loc = 0; loc < replay->trace->n_locs && status == PS_OK; loc++)
                status = add_up(&b, loc, err);
        PS_THEN(status, find_equals(&b, err));
        for (ps_loc loc = 0; loc < replay->trace->n_locs && status == PS_OK; loc++)
                change_location(&b, loc);
        for (ps_loc loc = 0; b.own && loc < replay->trace->n_locs; loc++)
                free(b.own[loc]);
        free(b.own);
        free(b.own_rest);
        free(b.visit);
        free(b.first);
        free(b.rest);
        return status;
}
