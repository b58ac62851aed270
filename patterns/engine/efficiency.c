/* efficiency.c - what follows from useful time. */
#include "patterns/engine/efficiency.h"

ps_efficiency ps_efficiency_of(const ps_times *times, ps_time length)
{
        const ps_time *useful = ps_times_of_kind(times, PS_TIME_COMPUTATION);
        double sum = (double)times->sum[PS_TIME_COMPUTATION], longest = 0, n = times->n_told;
        for (ps_loc loc = 0; loc < times->n_locs; loc++)
                longest = (double)useful[loc] > longest ? (double)useful[loc] : longest;
        if (n <= 0 || longest <= 0 || length <= 0)
                return (ps_efficiency){0};
        return (ps_efficiency){.is_known = 1,
                               .parallel = sum / n / (double)length,
                               .load_balance = sum / n / longest,
                               .communication = longest / (double)length};
}

void ps_efficiency_split(ps_efficiency *e, ps_time run, ps_time ideal)
{
        if (!e->is_known || e->is_untold || run <= 0 || ideal <= 0)
                return;
        e->is_split = true;
        e->transfer = (double)ideal / (double)run;
        e->serialization = e->communication / e->transfer;
}
