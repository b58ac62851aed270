/* exchange.c - see exchange.h: one function a model, which says for each processor when it is through. */
#include "simulator/cost/exchange.h"

#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

/* -- one message at a time -- */

/* The two ends of a message wait for its end only; the others know nothing of it. */
static void over_bus(const ps_exchange *x)
{
        ps_time clock = 0;
        for (size_t i = 0; i < x->n; i++) {
                const ps_transfer *t = &x->transfers[i];
                clock = ps_time_add(clock,
                                    ps_machine_flight(x->machine, t->source, t->destination, t->bytes));
                x->done[t->source] = x->done[t->destination] = clock;
        }
}

static void all_until(const ps_exchange *x, ps_time end)
{
        for (size_t i = 0; i < x->n; i++)
                x->done[x->transfers[i].source] = x->done[x->transfers[i].destination] = end;
}

static const ps_transfer *find_transfer(const ps_exchange *x, uint32_t source, uint32_t destination)
{
        const ps_transfer *t = x->transfers;
        size_t low = 0;
        PS_SEARCH(low, x->n, i,
                  t[i].source < source || (t[i].source == source && t[i].destination < destination));
        return low < x->n && t[low].source == source && t[low].destination == destination ? &t[low] : NULL;
}

ps_time ps_over_channels(const ps_machine *machine, uint32_t n_ranks, ps_time time)
{
        uint32_t least = machine->channels < n_ranks ? machine->channels : n_ranks;
        if (least < 2)
                return time;
        return time / least + (time % least * 2 >= least); /* to nearest */
}

/* A channel goes both ways at once: of two messages between the same processors the larger one counts. */
static void over_myrinet(const ps_exchange *x)
{
        ps_time sum = 0;
        for (size_t i = 0; i < x->n; i++) {
                const ps_transfer *t = &x->transfers[i];
                const ps_transfer *back = find_transfer(x, t->destination, t->source);
                if (back &&
                    (back->bytes > t->bytes || (back->bytes == t->bytes && t->source > t->destination)))
                        continue;
                sum = ps_time_add(sum, ps_machine_flight(x->machine, t->source, t->destination, t->bytes));
        }
        all_until(x, ps_over_channels(x->machine, x->n_ranks, sum));
}

/* -- a grid that passes on -- */

/* The longest way counts, and the largest message that goes it. */
static void over_grid(const ps_exchange *x, const ps_grid *grid, ps_pipelining pipelining)
{
        uint32_t longest = 0;
        uint64_t bytes = 0;
        for (size_t i = 0; i < x->n; i++) {
                const ps_transfer *t = &x->transfers[i];
                uint32_t distance = ps_grid_distance(grid, t->source, t->destination);
                if (distance < longest)
                        continue;
                if (distance > longest || t->bytes > bytes)
                        bytes = t->bytes;
                longest = distance;
        }
        all_until(x, ps_pipeline_time(&x->machine->link, longest, bytes, pipelining));
}

/* -- everybody at once, a port for each direction -- */

typedef struct port {
        ps_time busy, rest; /* the sum of what it carries, and the longest way behind it */
} port;

static void take_leg(port *p, ps_time busy, ps_time whole)
{
        ps_time rest = ps_time_sub(whole, busy);
        p->busy = ps_time_add(p->busy, busy);
        p->rest = rest > p->rest ? rest : p->rest;
}

static ps_status over_ports(const ps_exchange *x, ps_error *err)
{
        port *ports = calloc((size_t)x->n_ranks + 1, 2 * sizeof(*ports)); /* of each rank: out, in */
        if (!ports)
                return PS_NOMEM(err, "ports", x->n_ranks);
        for (size_t i = 0; i < x->n; i++) {
                const ps_transfer *t = &x->transfers[i];
                uint32_t from = t->source, to = t->destination;
                ps_time whole = ps_machine_p2p(x->machine, from, to, t->bytes);
                take_leg(&ports[2 * (size_t)from], ps_machine_port(x->machine, 0, from, to, t->bytes), whole);
                take_leg(&ports[2 * (size_t)to + 1], ps_machine_port(x->machine, 1, from, to, t->bytes),
                         whole);
        }
        for (uint32_t i = 0; i < x->n_ranks; i++) {
                const port *own = &ports[2 * (size_t)i];
                ps_time out = ps_time_add(own[0].busy, own[0].rest);
                ps_time in = ps_time_add(own[1].busy, own[1].rest);
                x->done[i] = out > in ? out : in;
        }
        free(ports);
        return PS_OK;
}

/* -- all models -- */

static ps_status run_exchange(const ps_exchange *x, const ps_grid *grid, ps_pipelining pipelining,
                              ps_error *err)
{
        switch (x->machine->model) {
        case PS_MODEL_BUS:
                over_bus(x);
                return PS_OK;
        case PS_MODEL_MYRINET:
                over_myrinet(x);
                return PS_OK;
        case PS_MODEL_TRANSPUTER:
                over_grid(x, grid, pipelining);
                return PS_OK;
        case PS_MODEL_CLUSTER:
                return ps_exchange_clusters(x, err);
        case PS_MODEL_DIMEMAS:
                return ps_exchange_buses(x, err);
        default:
                return over_ports(x, err);
        }
}

static ps_status check_exchange(const ps_machine *machine, const ps_grid *grid, const ps_transfer *transfers,
                                size_t n, ps_error *err)
{
        uint32_t count = ps_grid_count(grid);
        if (!count || count > PS_MACHINE_RANKS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "no machine has so many processors: processors=%u, most=%d",
                               count, PS_MACHINE_RANKS_MAX);
        for (size_t i = 0; i < n; i++) {
                const ps_transfer *t = &transfers[i];
                int sorted = !i || t[-1].source < t->source ||
                             (t[-1].source == t->source && t[-1].destination < t->destination);
                if (t->source >= count || t->destination >= count || t->source == t->destination || !sorted)
                        return PS_FAIL(err, PS_E_USAGE,
                                       "not a merged transfer: source=%u, destination=%u, processors=%u",
                                       t->source, t->destination, count);
        }
        return ps_machine_fit(machine, count, err);
}

ps_status ps_exchange_time(ps_time *out, ps_time *done, const ps_machine *machine, const ps_grid *grid,
                           ps_pipelining pipelining, const ps_transfer *transfers, size_t n, ps_error *err)
{
        ps_exchange x = {machine, transfers, n, ps_grid_count(grid), done};
        ps_status status = check_exchange(machine, grid, transfers, n, err);

        *out = 0;
        if (status != PS_OK)
                return status;
        if (!done && !(x.done = malloc(x.n_ranks * sizeof(*x.done))))
                return PS_NOMEM(err, "processors", x.n_ranks);
        memset(x.done, 0, x.n_ranks * sizeof(*x.done));
        status = run_exchange(&x, grid, pipelining, err);
        for (uint32_t i = 0; i < x.n_ranks && status == PS_OK; i++)
                *out = x.done[i] > *out ? x.done[i] : *out;
        if (!done)
                free(x.done);
        return status;
}
