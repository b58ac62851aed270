/* efficiency.c - what follows from useful time. */
#include "patterns/engine/efficiency.h"

#include <math.h>

ps_efficiency ps_efficiency_of(const ps_times *times, ps_time length)
{
        double sum = (double)ps_times_all_own(times), longest = 0, n = times->n_told;
        for (ps_loc loc = 0; loc < times->n_locs; loc++)
                longest = fmax(longest, (double)ps_times_own(times, loc));
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
