/* drift.c - see drift.h. */
#include "app/whatif/drift.h"

#include "patterns/engine/intervals.h"

#include <math.h>

static double share_of(const ps_drift *drift, ps_time time)
{
        return drift->measured > 0 ? (double)time / (double)drift->measured : 0;
}

static void find_worst_rank(ps_drift *drift, const ps_trace *trace, const ps_replayed *run)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                if (!trace->info[loc].n_events)
                        continue;
                double off = share_of(drift, ps_time_sub(run->end[loc], trace->info[loc].last));
                if (fabs(off) <= fabs(drift->rank))
                        continue;
                drift->rank = off;
                drift->worst_rank = trace->defs.locations.row[loc].process;
        }
}

static ps_status find_worst_interval(ps_drift *drift, char *name, const ps_replays *replays,
                                     const char *const *names, unsigned n_names, ps_error *err)
{
        const ps_timing *timings[] = {&replays->trace->measured, replays->run[PS_REPLAYED_RECORDED].timing};
        ps_intervals *trees[2] = {NULL, NULL};
        ps_status status = PS_OK;
        for (int i = 0; i < 2 && status == PS_OK; i++)
                status = ps_intervals_of(&trees[i], replays->trace, timings[i], NULL, names, n_names, err);
        for (uint32_t i = 1; status == PS_OK && i < trees[0]->n; i++) {
                double off = share_of(drift, ps_time_sub(trees[1]->row[i].longest, trees[0]->row[i].longest));
                if (drift->worst_interval && fabs(off) <= fabs(drift->interval))
                        continue;
                drift->interval = off;
                ps_interval_title(name, trees[0], i);
                drift->worst_interval = name;
        }
        ps_intervals_free(trees[0]);
        ps_intervals_free(trees[1]);
        return status;
}

ps_status ps_drift_find(ps_drift *drift, char name[PS_DRIFT_NAME_ROOM], const ps_replays *replays,
                        const char *const *names, unsigned n_names, ps_error *err)
{
        const ps_replayed *run = &replays->run[PS_REPLAYED_RECORDED];
        drift->measured = replays->trace->measured.duration;
        drift->replayed = run->total;
        drift->total = share_of(drift, ps_time_sub(run->total, drift->measured));
        find_worst_rank(drift, replays->trace, run);
        ps_status status = find_worst_interval(drift, name, replays, names, n_names, err);
        drift->is_exceeded =
                fmax(fmax(fabs(drift->total), fabs(drift->rank)), fabs(drift->interval)) > drift->limit;
        return status;
}
