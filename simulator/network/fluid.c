/* fluid.c - see fluid.h.
 *
 * What a message has left is only brought up to date when its rate changes, so that rounding does not add up
 * and messages whose rate stays end when they were said to. */
#include "simulator/network/fluid.h"

#include "core/base/heap.h"
#include "core/base/map.h"
#include "core/base/vector.h"
#include "simulator/network/routes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares that differ by less are the same, but for rounding. */
static const double AS_GOOD_AS = 1 + 1e-12;

typedef struct flow {
        uint64_t name;
        uint32_t first, n_hops; /* its route: rows of links, in `hops` */
        ps_time since, end;     /* when its rate changed; when it is through if it does not change again */
        double left, rate;      /* bytes, then; in a picosecond */
} flow;

/* That will begin. */
typedef struct beginning {
        ps_time at;
        uint64_t number; /* of messages that begin at the same time the one that was told of first comes first
                          */
        flow flow;
} beginning;

typedef struct shared {
        double rate; /* of all who share it */
        double left; /* of that, while rates are worked out */
        uint32_t link, n_open;
} shared;

struct ps_fluid {
        const ps_network *network;
        ps_routes *routes;
        double ps_per_byte, most; /* most: the rate of a message that shares nothing */
        ps_map rows;              /* of links that were used: (link, 0), + 1 */
        PS_VECTOR(shared) links;
        PS_VECTOR(uint32_t) hops; /* of all routes */
        ps_map known;             /* (from, to): first in `hops`, + 1 */
        beginning *waiting;       /* a heap */
        uint32_t n_waiting, cap_waiting;
        flow *moving; /* in the order in which they began */
        double *rates;
        uint32_t n_moving, cap_moving, cap_rates;
        uint64_t n_begun;
        ps_time now, next;
        bool is_settled; /* rates and `next` are known */
};

ps_status ps_fluid_new(ps_fluid **out, const ps_network *network, double ps_per_byte,
                       double least_ps_per_byte, ps_error *err)
{
        if (!isfinite(ps_per_byte) || ps_per_byte < 0 || !isfinite(least_ps_per_byte) ||
            least_ps_per_byte < 0)
                return PS_FAIL(err, PS_E_USAGE,
                               "the time per byte must be 0 or more: ps_per_byte=%g, least_ps_per_byte=%g",
                               ps_per_byte, least_ps_per_byte);
        ps_fluid *f = calloc(1, sizeof(*f));
        if (!f)
                return PS_NOMEM(err, "flows", 1);
        f->network = network;
        f->ps_per_byte = ps_per_byte;
        f->most = 1 / least_ps_per_byte;
        f->now = INT64_MIN;
        ps_status status = ps_routes_new(&f->routes, network, err);
        if (status == PS_OK)
                *out = f;
        else
                ps_fluid_free(f);
        return status;
}

void ps_fluid_free(ps_fluid *f)
{
        if (!f)
                return;
        ps_routes_free(f->routes);
        ps_map_free(&f->rows);
        ps_map_free(&f->known);
        free(f->links.row);
        free(f->hops.row);
        free(f->waiting);
        free(f->moving);
        free(f->rates);
        free(f);
}

/* -- routes -- */

/* PS_NONE when there is no memory. */
static uint32_t link_row(ps_fluid *f, uint32_t link)
{
        ps_time *at = ps_map_at(&f->rows, link, 0, 0);
        if (!at)
                return PS_NONE;
        if (!*at) {
                double weight = ps_network_link_at(f->network, link).weight;
                if (PS_PUSH(f->links, ((shared){.rate = weight / f->ps_per_byte, .link = link})))
                        return PS_NONE;
                *at = f->links.n;
        }
        return (uint32_t)(*at - 1);
}

/* Each route is kept once, with its length before it. */
static ps_status keep_route(ps_fluid *f, uint32_t from, uint32_t to, ps_time *at, ps_error *err)
{
        const uint32_t *route;
        uint32_t n = 0, first = f->hops.n;
        PS_TRY(ps_routes_find(f->routes, from, to, &route, &n, err));
        bool has_failed = PS_PUSH(f->hops, n);
        for (uint32_t i = 0; i < n && !has_failed; i++) {
                uint32_t row = link_row(f, route[i]);
                has_failed = row == PS_NONE || PS_PUSH(f->hops, row);
        }
        if (has_failed)
                return PS_NOMEM(err, "routes", f->hops.n);
        *at = (ps_time)first + 1;
        return PS_OK;
}

static bool is_first(const beginning *a, const beginning *b)
{
        return a->at != b->at ? a->at < b->at : a->number < b->number;
}

PS_HEAP(beginnings, beginning, is_first)

ps_status ps_fluid_begin(ps_fluid *f, uint32_t from, uint32_t to, uint64_t bytes, ps_time at, uint64_t name,
                         ps_error *err)
{
        ps_time *route = ps_map_at(&f->known, from, to, 0);
        uint32_t n = f->n_waiting + f->n_moving;
        if (!route || PS_ROOM(f->waiting, f->n_waiting, f->cap_waiting) ||
            PS_ROOM(f->moving, n, f->cap_moving) || PS_ROOM(f->rates, n, f->cap_rates))
                return PS_NOMEM(err, "messages under way", f->n_waiting);
        if (!*route)
                PS_TRY(keep_route(f, from, to, route, err));
        beginning b = {.at = at > f->now ? at : f->now, .number = f->n_begun++};
        uint32_t first = (uint32_t)(*route - 1);
        b.flow =
                (flow){.name = name, .first = first + 1, .n_hops = f->hops.row[first], .left = (double)bytes};
        beginnings_rise(f->waiting, f->n_waiting++, b);
        return PS_OK;
}

/* -- rates -- */

static const uint32_t *route_of(const ps_fluid *f, const flow *of)
{
        return f->hops.row + of->first;
}

/* Everybody's share of the link that is scarcest. */
static double least_share(const ps_fluid *f)
{
        double share = f->most;
        for (uint32_t i = 0; i < f->n_moving; i++) {
                const uint32_t *route = route_of(f, &f->moving[i]);
                for (uint32_t k = 0; k < f->moving[i].n_hops && f->rates[i] < 0; k++) {
                        const shared *s = &f->links.row[route[k]];
                        double own = s->left / s->n_open;
                        share = own < share ? own : share;
                }
        }
        return share;
}

static bool is_held_back(const ps_fluid *f, const flow *of, double share)
{
        const uint32_t *route = route_of(f, of);
        for (uint32_t k = 0; k < of->n_hops; k++) {
                const shared *s = &f->links.row[route[k]];
                if (s->left / s->n_open <= share * AS_GOOD_AS)
                        return true;
        }
        return share >= f->most;
}

static void give_rate(ps_fluid *f, uint32_t i, double share)
{
        const uint32_t *route = route_of(f, &f->moving[i]);
        f->rates[i] = share;
        for (uint32_t k = 0; k < f->moving[i].n_hops; k++) {
                shared *s = &f->links.row[route[k]];
                s->left = isinf(s->left) ? s->left : fmax(0, s->left - share);
                s->n_open--;
        }
}

static void open_links(ps_fluid *f)
{
        for (uint32_t i = 0; i < f->n_moving; i++) {
                const uint32_t *route = route_of(f, &f->moving[i]);
                f->rates[i] = -1;
                for (uint32_t k = 0; k < f->moving[i].n_hops; k++) {
                        shared *s = &f->links.row[route[k]];
                        s->left = s->rate;
                        s->n_open++;
                }
        }
}

static ps_time end_at(const flow *of)
{
        double takes = isinf(of->rate) ? 0 : of->left / of->rate;
        return takes < (double)(PS_TIME_MAX / 2) ? ps_time_add(of->since, (ps_time)llrint(takes))
                                                 : PS_TIME_MAX - 1;
}

static void set_rate(ps_fluid *f, flow *of, double rate)
{
        if (of->rate == rate)
                return;
        double passed = of->rate > 0 ? of->rate * (double)(f->now - of->since) : 0;
        of->left = of->left > passed ? of->left - passed : 0;
        of->since = f->now;
        of->rate = rate;
        of->end = end_at(of);
}

/* In each round those who share the scarcest links get their share of it, and the others what is left. */
static void work_out_rates(ps_fluid *f)
{
        open_links(f);
        for (uint32_t n_left = f->n_moving; n_left;) {
                double share = least_share(f);
                for (uint32_t i = 0; i < f->n_moving; i++) {
                        if (f->rates[i] >= 0 || !is_held_back(f, &f->moving[i], share))
                                continue;
                        give_rate(f, i, share);
                        n_left--;
                }
        }
        for (uint32_t i = 0; i < f->n_moving; i++)
                set_rate(f, &f->moving[i], f->rates[i]);
}

/* -- events -- */

static uint32_t first_to_end(const ps_fluid *f)
{
        uint32_t first = 0;
        for (uint32_t i = 1; i < f->n_moving; i++)
                if (f->moving[i].end < f->moving[first].end)
                        first = i;
        return first;
}

static ps_time first_to_begin(const ps_fluid *f)
{
        return f->n_waiting ? f->waiting[0].at : PS_TIME_MAX;
}

/* Others may begin or end at the same time: rates are needed only when time goes on. */
static void settle(ps_fluid *f)
{
        if (f->is_settled || first_to_begin(f) <= f->now)
                return;
        work_out_rates(f);
        f->next = f->n_moving ? f->moving[first_to_end(f)].end : PS_TIME_MAX;
        f->is_settled = true;
}

static bool ends_first(const ps_fluid *f)
{
        return f->is_settled && f->next <= first_to_begin(f);
}

ps_time ps_fluid_next(ps_fluid *f)
{
        settle(f);
        return ends_first(f) ? f->next : first_to_begin(f);
}

static void take_first(ps_fluid *f)
{
        flow of = f->waiting[0].flow;
        of.since = f->now;
        of.rate = -1;
        f->moving[f->n_moving++] = of;
        beginning last = f->waiting[--f->n_waiting];
        if (f->n_waiting)
                beginnings_sink(f->waiting, f->n_waiting, 0, last);
        f->is_settled = false;
}

static flow drop_first(ps_fluid *f)
{
        uint32_t i = first_to_end(f);
        flow through = f->moving[i];
        f->n_moving--;
        memmove(&f->moving[i], &f->moving[i + 1], (f->n_moving - i) * sizeof(*f->moving));
        f->is_settled = false;
        return through;
}

bool ps_fluid_step(ps_fluid *f, uint64_t *name, uint32_t *hops)
{
        f->now = ps_fluid_next(f);
        if (!ends_first(f)) {
                take_first(f);
                return false;
        }
        flow through = drop_first(f);
        *name = through.name;
        *hops = through.n_hops;
        return true;
}
