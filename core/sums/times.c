/* times.c - see times.h. */
#include "core/sums/times.h"

#include "core/base/memory.h"
#include "core/model/kinds.h"

#include <stdlib.h>

const ps_time_info ps_time_infos[PS_TIME_KINDS] = {
#define PS_TIME(id, key, title, nature) {key, title, PS_TIME_IS_##nature},
#include "core/sums/times.def"
#undef PS_TIME
};

/* -- what a region's own time is -- */

static ps_time_kind kind_of_operation(uint8_t kind)
{
        static const uint8_t kinds[] = {
                [PS_C_SEND] = PS_TIME_TRANSFER,     [PS_C_RECV] = PS_TIME_TRANSFER,
                [PS_C_SENDRECV] = PS_TIME_TRANSFER, [PS_C_PROBE] = PS_TIME_TRANSFER,
                [PS_C_COMPLETE] = PS_TIME_TRANSFER, [PS_C_REQUEST] = PS_TIME_LIBRARY,
                [PS_C_COLL] = PS_TIME_TRANSFER,     [PS_C_RMA] = PS_TIME_TRANSFER,
                [PS_C_RMA_SYNC] = PS_TIME_TRANSFER, [PS_C_THREAD] = PS_TIME_RUNTIME,
                [PS_C_LOCK] = PS_TIME_RUNTIME,      [PS_C_TASK] = PS_TIME_RUNTIME,
        };
        if (ps_kinds[kind].traits & PS_T_TEAM)
                return PS_TIME_RUNTIME;
        if (ps_kinds[kind].traits & PS_T_LIFE || kind == PS_K_COMM_MANAGE)
                return PS_TIME_LIBRARY;
        return (ps_time_kind)kinds[ps_kinds[kind].cls];
}

static ps_time_kind kind_of_region(const ps_region_def *region)
{
        if (region->kind != PS_K_NONE)
                return kind_of_operation(region->kind);
        if (region->is_of_files)
                return PS_TIME_FILES;
        switch (region->paradigm) {
        case PS_PARADIGM_MPI:
        case PS_PARADIGM_SHMEM:
        case PS_PARADIGM_PGAS:
                return PS_TIME_LIBRARY;
        case PS_PARADIGM_RECORDER:
                return PS_TIME_RUNTIME;
        case PS_PARADIGM_ACCELERATOR:
                return PS_TIME_DEVICE;
        default:
                return PS_TIME_COMPUTATION;
        }
}

/* A region that the trace says is waiting belongs to the operation around it, of which the patterns tell what
 * was waiting; outside of any it is waiting. */
ps_status ps_times_of_paths(uint8_t **out, const ps_trace *trace, ps_error *err)
{
        uint8_t *kind = *out = ps_memory_new(trace->n_paths + (size_t)1);
        if (!kind)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_path p = 0; p < trace->n_paths; p++) {
                const ps_path_node *node = &trace->paths[p];
                const ps_region_def *region =
                        node->region == PS_NONE ? NULL : &trace->defs.regions.row[node->region];
                kind[p] = (uint8_t)(region ? kind_of_region(region) : PS_TIME_COMPUTATION);
                if (region && region->idle)
                        kind[p] = kind[node->parent] == PS_TIME_COMPUTATION ? PS_TIME_WAITING
                                                                            : kind[node->parent];
        }
        return PS_OK;
}

/* -- one location -- */

/* Takes `time` off one kind, as far as it has so much, and gives it to another one. */
static void move_time(ps_time *time, ps_time_kind from, ps_time_kind to, ps_time by)
{
        by = by < time[from] ? by : time[from];
        if (by > 0 && from != to) {
                time[from] -= by;
                time[to] += by;
        }
}

/* A process computes from its first to its last event also where nothing is recorded; its further threads
 * only where they are in a region: what is between is no work of theirs. Where clocks were corrected,
 * operations may be a little longer than the time that there is. */
static void fill_times(ps_time *time, const ps_trace *trace, const ps_timing *timing,
                       const uint8_t *kind_of_path, ps_loc loc)
{
        const ps_location_info *info = ps_timing_info(trace, timing, loc);
        ps_focus_part part = ps_focus_part_of(trace, timing, loc);
        ps_time all = ps_focus_length(timing);
        ps_time alive = info->first > info->last ? 0 : ps_focus_clip(timing->focus, info->first, info->last);
        ps_time left = alive - part.off > 0 ? alive - part.off : 0;
        bool is_first = trace->defs.locations.row[loc].thread == false;
        left = left < all ? left : all;
        time[PS_TIME_NOT_RUNNING] = all - left;
        for (uint32_t i = 0; i < part.n_uses; i++) {
                ps_time own = part.uses[i].exclusive < left ? part.uses[i].exclusive : left;
                time[kind_of_path[part.uses[i].path]] += own;
                left -= own;
        }
        time[is_first ? PS_TIME_COMPUTATION : PS_TIME_NOT_RUNNING] += left;
}

static void fill_location(ps_times *t, const ps_trace *trace, const ps_timing *timing,
                          const uint8_t *kind_of_path, const ps_time_moves *moves, ps_loc loc)
{
        ps_time time[PS_TIME_KINDS] = {0};
        fill_times(time, trace, timing, kind_of_path, loc);
        for (unsigned from = 0; from < PS_TIME_KINDS; from++)
                for (unsigned to = 0; to < PS_TIME_KINDS; to++)
                        move_time(time, (ps_time_kind)from, (ps_time_kind)to, moves[loc].moved[from][to]);
        for (unsigned kind = 0; kind < PS_TIME_KINDS; kind++) {
                t->time[(size_t)kind * t->n_locs + loc] = time[kind];
                t->sum[kind] = ps_time_add(t->sum[kind], time[kind]);
                t->all = ps_time_add(t->all, time[kind]);
        }
        t->n_told++;
}

ps_status ps_times_make(ps_times **out, const ps_trace *trace, const ps_timing *timing,
                        const ps_time_moves *moves, ps_error *err)
{
        ps_times *t = calloc(1, sizeof(*t));
        uint8_t *kind_of_path = NULL;
        ps_status status = t ? ps_times_of_paths(&kind_of_path, trace, err) : PS_NOMEM(err, "times", 1);
        *out = NULL;
        if (status == PS_OK) {
                t->n_locs = trace->n_locs;
                t->time = ps_memory_zeroed((size_t)PS_TIME_KINDS * (t->n_locs + (size_t)1), sizeof(*t->time));
                status = t->time ? PS_OK : PS_NOMEM(err, "locations", t->n_locs);
        }
        for (ps_loc loc = 0; status == PS_OK && loc < trace->n_locs; loc++)
                if (ps_focus_tells(trace, timing, loc))
                        fill_location(t, trace, timing, kind_of_path, moves, loc);
        free(kind_of_path);
        if (status == PS_OK)
                *out = t;
        else
                ps_times_free(t);
        return status;
}

void ps_times_free(ps_times *times)
{
        if (!times)
                return;
        free(times->time);
        free(times);
}

ps_time_kind ps_times_nth(const ps_times *times, size_t n)
{
        ps_time_kind kind = 0;
        for (; kind < PS_TIME_KINDS; kind++)
                if ((times->sum[kind] || (kind != PS_TIME_FILES && kind != PS_TIME_DEVICE)) && !n--)
                        break;
        return kind;
}

/* `step`: from what is of one kind to what is of the next one. */
static ps_time sum_of_nature(const ps_time *time, size_t step, ps_time_nature nature)
{
        ps_time sum = 0;
        for (unsigned kind = 0; kind < PS_TIME_KINDS; kind++)
                sum = ps_time_infos[kind].nature == nature ? ps_time_add(sum, time[kind * step]) : sum;
        return sum;
}

ps_time ps_times_own(const ps_times *times, ps_loc location)
{
        return sum_of_nature(times->time + location, times->n_locs, PS_TIME_IS_OWN);
}

ps_time ps_times_all_own(const ps_times *times)
{
        return sum_of_nature(times->sum, 1, PS_TIME_IS_OWN);
}

ps_time ps_times_lost(const ps_times *times)
{
        return sum_of_nature(times->sum, 1, PS_TIME_IS_LOST);
}

double ps_times_share(const ps_times *times, ps_time time)
{
        return times->all > 0 ? (double)time / (double)times->all : 0;
}
