/* replay_factors.c - how much longer or shorter computations are. */
#include "simulator/replay_run.h"

#include <stdlib.h>

void ps_replay_factors(const run *r, ps_loc loc, ps_op row, double factor[LANES_MAX])
{
        (void)row;
        for (uint32_t w = 0; w < r->width; w++)
                factor[w] = r->cpu[(size_t)loc * r->width + w];
}

static double factor_of_process(const ps_scenario *s, uint32_t process)
{
        double factor = s->cpu_of_process ? s->cpu_of_process[process] : 1;
        return s->machine ? factor / ps_machine_cpu_ratio(s->machine, process) : factor;
}

ps_status ps_replay_factors_new(run *r, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        int is_changed = 0;
        r->cpu = malloc(((size_t)trace->n_locs + 1) * r->width * sizeof(*r->cpu));
        if (!r->cpu)
                return PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (uint32_t w = 0; w < r->width; w++) {
                        const ps_scenario *s = r->lane[w < r->n_lanes ? w : 0];
                        double factor = factor_of_process(s, trace->defs.locations.row[loc].process);
                        r->cpu[(size_t)loc * r->width + w] = factor;
                        is_changed |= factor != 1;
                }
        if (!is_changed)
                ps_replay_factors_free(r);
        return PS_OK;
}

void ps_replay_factors_free(run *r)
{
        free(r->cpu);
        r->cpu = NULL;
}
