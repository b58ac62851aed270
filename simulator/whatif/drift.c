/* drift.c - how far the replay of the recording is from the measurement: as a whole, of the rank and of the
 * interval that are farthest off. */
#include "simulator/whatif/whatif.h"

#include <math.h>

static double share_of_replayed(const ps_drift *drift, ps_time time)
{
        return drift->measured > 0 ? (double)time / (double)drift->measured : 0;
}

static void find_worst_rank(ps_drift *drift, const ps_trace *trace, const ps_replayed *run)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                if (!trace->info[loc].n_events || trace->defs.locations.row[loc].type != PS_LOCATION_CPU)
                        continue;
                double off = share_of_replayed(drift, ps_time_sub(run->end[loc], trace->info[loc].last));
                if (fabs(off) <= fabs(drift->rank))
                        continue;
                drift->rank = off;
                drift->worst_rank = trace->defs.locations.row[loc].process;
        }
}

static void find_worst_interval(ps_drift *drift, const ps_intervals *measured, const ps_intervals *replayed)
{
        drift->worst_interval = 0;
        for (uint32_t i = 1; i < measured->n; i++) {
                double off = share_of_replayed(
                        drift, ps_time_sub(replayed->row[i].longest, measured->row[i].longest));
                if (drift->worst_interval && fabs(off) <= fabs(drift->interval))
                        continue;
                drift->interval = off;
                drift->worst_interval = i;
        }
}

void ps_drift_find(ps_drift *drift, const ps_replays *replays, const ps_intervals *measured,
                   const ps_intervals *replayed)
{
        const ps_replayed *run = &replays->run[PS_REPLAYED_RECORDED];
        drift->measured = replays->recorded->measured.duration;
        drift->replayed = run->total;
        drift->total = share_of_replayed(drift, ps_time_sub(run->total, drift->measured));
        find_worst_rank(drift, replays->recorded, run);
        find_worst_interval(drift, measured, replayed);
        drift->is_exceeded =
                fmax(fmax(fabs(drift->total), fabs(drift->rank)), fabs(drift->interval)) > drift->limit;
}
