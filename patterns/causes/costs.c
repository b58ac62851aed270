/* costs.c - see costs.h. */
#include "patterns/causes/costs.h"

#include "core/base/parallel.h"
#include "core/base/radix.h"

static uint64_t by_path(const void *cost)
{
        return ((const ps_delay_cost *)cost)->path;
}

enum { FEW_COSTS = 32 };

/* Most locations have few. */
static ps_status sort_costs(ps_delay_cost *cost, uint32_t n, ps_error *err)
{
        if (n > FEW_COSTS)
                return ps_radix_sort(cost, n, sizeof(*cost), (ps_row_number *[]){by_path}, 1)
                               ? PS_NOMEM(err, "costs", n)
                               : PS_OK;
        for (uint32_t i = 1; i < n; i++) {
                const ps_delay_cost at = cost[i];
                uint32_t k = i;
                for (; k && cost[k - 1].path > at.path; k--)
                        cost[k] = cost[k - 1];
                cost[k] = at;
        }
        return PS_OK;
}

static ps_status order_costs(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct delaying *d = ctx;
        (void)worker;
        return sort_costs(d->out->cost + d->costs[loc], d->costs[loc + 1] - d->costs[loc], err);
}

ps_status ps_costs_order(struct delaying *d, ps_error *err)
{
        return ps_parallel_for(d->options.n_threads, d->trace->n_locs, order_costs, d, err);
}
