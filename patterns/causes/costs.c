/* costs.c - see costs.h. */
#include "patterns/causes/costs.h"

#include "core/base/parallel.h"
#include "core/base/search.h"

#include <stdlib.h>

static int compare_costs(const void *a, const void *b)
{
        const ps_delay_cost *x = a, *y = b;
        return PS_ORDER(x->path, y->path);
}

enum { FEW_COSTS = 32 };

/* Few are ordered before qsort() has looked for memory, and most locations have few. */
static void sort_costs(ps_delay_cost *cost, uint32_t n)
{
        if (n > FEW_COSTS)
                qsort(cost, n, sizeof(*cost), compare_costs);
        for (uint32_t i = 1; n <= FEW_COSTS && i < n; i++) {
                const ps_delay_cost at = cost[i];
                uint32_t k = i;
                for (; k && cost[k - 1].path > at.path; k--)
                        cost[k] = cost[k - 1];
                cost[k] = at;
        }
}

static ps_status order_costs(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct delaying *d = ctx;
        (void)worker;
        (void)err;
        sort_costs(d->out->cost + d->costs[loc], d->costs[loc + 1] - d->costs[loc]);
        return PS_OK;
}

ps_status ps_costs_order(struct delaying *d, ps_error *err)
{
        return ps_parallel_for(d->options.n_threads, d->trace->n_locs, order_costs, d, err);
}

void ps_costs_add_inherited(struct delaying *d, const struct waiting *w, ps_time passed)
{
        ps_delay_cost *cost = d->out->cost + d->costs[w->by.loc];
        const struct part *const largest = d->parts[w->by.loc].row + w->part, *part = largest;
        ps_time left = passed;
        if (!w->excess)
                return;
        while (!part->is_last) {
                part++;
                ps_time time = share_of_part(w, passed, part);
                left -= time;
                cost[part->cost].indirect += time;
        }
        cost[largest->cost].indirect += left;
}
