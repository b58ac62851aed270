/* efficiency.c - useful time, from the sums of the call tree. */
#include "patterns/engine/efficiency.h"

#include "core/model/kinds.h"

static int is_useful(const ps_trace *trace, ps_path path)
{
        ps_region region = trace->paths[path].region;
        if (region == PS_NONE)
                return 1;
        const ps_region_def *def = &trace->defs.regions.row[region];
        return def->kind == PS_K_NONE && def->paradigm != PS_PARADIGM_MPI &&
               def->paradigm != PS_PARADIGM_SHMEM && def->paradigm != PS_PARADIGM_PGAS &&
               def->paradigm != PS_PARADIGM_RECORDER;
}

/* A process computes from its first to its last event also where nothing is recorded; its further threads
 * only where they are in a region: what is between is no work of theirs. */
static ps_time useful_time(const ps_trace *trace, const ps_timing *timing, ps_loc loc)
{
        const ps_location_info *info = ps_timing_info(trace, timing, loc);
        int is_first = trace->defs.locations.row[loc].thread == 0;
        ps_time useful = is_first ? ps_time_sub(info->last, info->first) - info->off : 0;
        for (uint32_t i = 0; i < info->n_uses; i++) {
                const ps_path_use *use = &info->uses[i];
                if (is_first && !is_useful(trace, use->path))
                        useful = ps_time_sub(useful, use->exclusive);
                else if (!is_first && is_useful(trace, use->path))
                        useful = ps_time_add(useful, use->exclusive);
        }
        return useful > 0 ? useful : 0;
}

ps_efficiency ps_efficiency_of(const ps_trace *trace, const ps_timing *timing)
{
        double sum = 0, longest = 0, duration = (double)timing->duration;
        uint32_t n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                if (trace->defs.locations.row[loc].type != PS_LOCATION_CPU || !trace->info[loc].n_events)
                        continue;
                double useful = (double)useful_time(trace, timing, loc);
                sum += useful;
                longest = useful > longest ? useful : longest;
                n++;
        }
        if (!n || longest <= 0 || duration <= 0)
                return (ps_efficiency){0};
        return (ps_efficiency){.is_known = 1,
                               .parallel = sum / n / duration,
                               .load_balance = sum / n / longest,
                               .communication = longest / duration};
}

void ps_efficiency_split(ps_efficiency *e, ps_time run, ps_time ideal)
{
        if (!e->is_known || run <= 0 || ideal <= 0)
                return;
        e->is_split = 1;
        e->transfer = (double)ideal / (double)run;
        e->serialization = e->communication / e->transfer;
}
