/* flow.c - how much longer or shorter computations are where a trace has no pieces
 * (core/model/pieces.h): an estimate from sums.
 *
 * Such a trace says how long each location was in each call path, and which operations were called from
 * where; it does not say where the time between two operations was spent. Between two operations control went
 * from the one's caller to the other's; the deepest path that both have in common is the computation's home.
 * The times of call paths are poured into those homes: a path without calls of its own goes to the one it was
 * called from, and what is too much in one place flows along the tree to where there is too little. So sums
 * are kept, and the share that a region has in a computation is the share that it has in its home. */
#include "simulator/replay/changes.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t *depths_of(const ps_trace *trace)
{
        uint32_t *depth = calloc((size_t)trace->n_paths + 1, sizeof(*depth));
        for (ps_path p = 1; depth && p < trace->n_paths; p++)
                depth[p] = depth[trace->paths[p].parent] + 1;
        return depth;
}

static ps_path common(const ps_trace *trace, const uint32_t *depth, ps_path a, ps_path b)
{
        while (a != b)
                if (depth[a] >= depth[b])
                        a = trace->paths[a].parent;
                else
                        b = trace->paths[b].parent;
        return a;
}

/* The computation before a row, or after the last one. */
static ps_path home_of(const ps_trace *trace, const uint32_t *depth, ps_loc loc, ps_op row)
{
        ps_op n = trace->ops[loc].n;
        if (row == 0 || row == n)
                return n ? ps_op_caller(trace, (ps_ref){loc, row ? row - 1 : 0}) : 0;
        return common(trace, depth, ps_op_caller(trace, (ps_ref){loc, row - 1}),
                      ps_op_caller(trace, (ps_ref){loc, row}));
}

/* -- the regions that change -- */

typedef struct pouring {
        const run *r;
        const ps_changes *all;
        uint32_t *depth;
        double *time;   /* of a path: its own, and what flowed to it */
        double *needed; /* of a path: by the computations at home in it; then by all below, less their time */
        double *part;   /* [path][lane]: time as it will be */
        double *factor; /* [path][lane]: of the path's own time */
        double *by_region;
        double *everywhere;         /* [path][lane]: what holds at all locations */
        uint8_t *holds;             /* of a path: computations are at home in it or below */
        double *of_edit[LANES_MAX]; /* [edit][location]: its factor */
} pouring;

static bool is_operation(const ps_trace *trace, ps_path path)
{
        const ps_region_def *region = ps_path_region(trace, path);
        return region && region->kind != PS_K_NONE;
}

/* What the location computes in the paths of the edit; -1: it visits none. */
static ps_time time_in(const ps_trace *trace, ps_loc loc, const ps_work_edit *e)
{
        const ps_location_info *info = &trace->info[loc];
        ps_time sum = 0, all = 0;
        int visits = e->is_rest && info->n_events && trace->defs.locations.row[loc].type == PS_LOCATION_CPU;
        for (uint32_t i = 0; i < info->n_uses; i++) {
                all = ps_time_add(all, info->uses[i].exclusive);
                if (is_operation(trace, info->uses[i].path) ||
                    !(e->paths[info->uses[i].path] & PS_WORK_IS_IN))
                        continue;
                visits = 1;
                sum = ps_time_add(sum, info->uses[i].exclusive);
        }
        if (e->paths[0] & PS_WORK_IS_IN && visits) /* what is outside of all regions */
                sum = ps_time_add(sum, info->last - info->first - info->off - all);
        return !visits ? -1 : sum > 0 ? sum : 0;
}

/* Among the locations whose threads have the number, or all: one visit of each. own[], times[]: room for all.
 */
static void compare_threads(const ps_trace *trace, const ps_work_edit *e, uint32_t thread, const ps_time *own,
                            ps_time *times, double *factor)
{
        uint32_t n = 0;
        compared_times all = {0};
        for (int pass = 0; pass < 2; pass++) {
                for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                        if (own[loc] < 0 || (e->is_rest && trace->defs.locations.row[loc].thread != thread))
                                continue;
                        if (!pass)
                                times[n++] = own[loc];
                        else if (own[loc] > 0 && is_about(e, trace, loc))
                                factor[loc] = ps_replay_goal(e, &all, own[loc]) / (double)own[loc];
                }
                all = ps_replay_compare_times(times, n);
        }
}

static void compare_locations(const ps_trace *trace, const ps_work_edit *e, ps_time *own, double *factor)
{
        uint32_t last = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                uint32_t thread = trace->defs.locations.row[loc].thread;
                own[loc] = time_in(trace, loc, e);
                last = e->is_rest && thread < trace->n_locs && thread > last ? thread : last;
        }
        for (uint32_t thread = 0; thread <= last; thread++)
                compare_threads(trace, e, thread, own, own + trace->n_locs, factor);
}

static void find_factors(pouring *c, ps_loc loc, uint32_t lane)
{
        const ps_trace *trace = c->r->replay->trace;
        const ps_scenario *s = lane_of(c->r, lane);
        for (ps_path p = 0; p < trace->n_paths; p++) {
                double *factor = &c->factor[(size_t)p * c->r->width + lane];
                *factor = c->everywhere[(size_t)p * c->r->width + lane];
                for (uint32_t e = 0; e < s->n_works; e++)
                        if (s->works[e].paths[p] & PS_WORK_IS_IN)
                                *factor *= c->of_edit[lane][(size_t)e * trace->n_locs + loc];
        }
}

/* -- pouring -- */

static void pour_time(pouring *c, ps_path from, ps_path to, double time)
{
        uint32_t width = c->r->width;
        double share = c->time[from] > 0 ? time / c->time[from] : 0;
        share = share < 1 ? share : 1;
        for (uint32_t w = 0; w < width; w++) {
                double part = c->part[(size_t)from * width + w] * share;
                c->part[(size_t)from * width + w] -= part;
                c->part[(size_t)to * width + w] += part;
        }
        c->time[to] += c->time[from] * share;
        c->time[from] -= c->time[from] * share;
}

static void collect_computed(pouring *c, ps_loc loc)
{
        const run *r = c->r;
        const ps_trace *trace = r->replay->trace;
        const ps_location_info *info = &trace->info[loc];
        for (ps_path p = 0; p < trace->n_paths; p++) {
                c->time[p] = c->needed[p] = 0;
                c->holds[p] = 0;
                for (uint32_t w = 0; w < r->width; w++)
                        c->part[(size_t)p * r->width + w] = 0;
        }
        for (uint32_t i = 0; i < info->n_uses; i++) {
                ps_path p = info->uses[i].path;
                if (is_operation(trace, p))
                        continue;
                c->time[p] = (double)info->uses[i].exclusive;
                for (uint32_t w = 0; w < r->width; w++)
                        c->part[(size_t)p * r->width + w] = c->time[p] * c->factor[(size_t)p * r->width + w];
        }
        for (ps_op row = 0; row <= trace->ops[loc].n; row++) {
                ps_path home = home_of(trace, c->depth, loc, row);
                c->needed[home] += (double)ps_gap(trace, r->replay->timing, loc, row);
                c->holds[home] = 1;
        }
}

static void pour(pouring *c)
{
        const ps_trace *trace = c->r->replay->trace;
        for (ps_path p = trace->n_paths; p-- > 1;) { /* children before their parents */
                ps_path parent = trace->paths[p].parent;
                if (!c->holds[p]) {
                        pour_time(c, p, parent, c->time[p]);
                        continue;
                }
                c->holds[parent] = 1;
                c->needed[p] -= c->time[p];
                if (c->needed[p] < 0) {
                        pour_time(c, p, parent, -c->needed[p]);
                        c->needed[p] = 0;
                }
                c->needed[parent] += c->needed[p];
        }
        for (ps_path p = 1; p < trace->n_paths; p++)
                if (c->holds[p] && c->needed[p] > 0)
                        pour_time(c, trace->paths[p].parent, p, c->needed[p]);
}

static ps_status store(const pouring *c, region_share *share, ps_loc loc, ps_error *err)
{
        const run *r = c->r;
        const ps_trace *trace = r->replay->trace;
        ps_op n = trace->ops[loc].n;
        uint32_t n_homes = 0, *number = malloc(((size_t)trace->n_paths + 1) * sizeof(*number));
        share->home = malloc(((size_t)n + 1) * sizeof(*share->home));
        share->factor = malloc(((size_t)trace->n_paths + 1) * r->width * sizeof(*share->factor));
        if (!number || !share->home || !share->factor) {
                free(number);
                return PS_NOMEM(err, "computations", n);
        }
        for (ps_path p = 0; p < trace->n_paths; p++)
                number[p] = PS_NONE;
        for (ps_op row = 0; row <= n; row++) {
                ps_path p = home_of(trace, c->depth, loc, row);
                assert(p < trace->n_paths);
                if (number[p] == PS_NONE) {
                        for (uint32_t w = 0; w < r->width; w++)
                                share->factor[(size_t)n_homes * r->width + w] =
                                        c->time[p] > 0 ? c->part[(size_t)p * r->width + w] / c->time[p]
                                                       : c->factor[(size_t)p * r->width + w];
                        number[p] = n_homes++;
                }
                share->home[row] = number[p];
        }
        free(number);
        return PS_OK;
}

static ps_status find_edits(pouring *c, ps_error *err)
{
        const ps_trace *trace = c->r->replay->trace;
        ps_time *times = calloc((size_t)trace->n_locs + 1, 2 * sizeof(*times));
        ps_status status = times ? PS_OK : PS_NOMEM(err, "locations", trace->n_locs);
        for (uint32_t lane = 0; lane < c->r->width && status == PS_OK; lane++) {
                const ps_scenario *s = lane_of(c->r, lane);
                size_t n = (size_t)s->n_works * trace->n_locs;
                double *of = c->of_edit[lane] = calloc(n + 1, sizeof(*of));
                ps_replay_path_factors(c->r, c->all, lane, c->by_region, c->everywhere);
                if (!of)
                        status = PS_NOMEM(err, "edits", n);
                for (size_t i = 0; of && i < n; i++)
                        of[i] = 1;
                for (uint32_t e = 0; of && e < s->n_works; e++)
                        if (s->works[e].change != PS_WORK_SCALE)
                                compare_locations(trace, &s->works[e], times, of + (size_t)e * trace->n_locs);
                        else
                                for (ps_loc loc = 0; s->works[e].processes && loc < trace->n_locs; loc++)
                                        of[(size_t)e * trace->n_locs + loc] =
                                                is_about(&s->works[e], trace, loc) ? s->works[e].factor : 1;
        }
        free(times);
        return status;
}

static ps_status make_flow_room(pouring *c, ps_error *err)
{
        const run *r = c->r;
        const ps_trace *trace = r->replay->trace;
        size_t n = (size_t)trace->n_paths + 1;
        c->depth = depths_of(trace);
        c->time = calloc(n, sizeof(*c->time));
        c->needed = calloc(n, sizeof(*c->needed));
        c->part = calloc(n, r->width * sizeof(*c->part));
        c->factor = calloc(n, r->width * sizeof(*c->factor));
        c->everywhere = calloc(n, r->width * sizeof(*c->everywhere));
        c->by_region = calloc((size_t)trace->defs.regions.n + 1, sizeof(*c->by_region));
        c->holds = calloc(n, 1);
        if (!c->depth || !c->time || !c->needed || !c->part || !c->factor || !c->everywhere ||
            !c->by_region || !c->holds)
                return PS_NOMEM(err, "call paths", n);
        return find_edits(c, err);
}

static void free_pouring(pouring *c)
{
        for (uint32_t lane = 0; lane < LANES_MAX; lane++)
                free(c->of_edit[lane]);
        free(c->depth);
        free(c->time);
        free(c->needed);
        free(c->part);
        free(c->factor);
        free(c->everywhere);
        free(c->by_region);
        free(c->holds);
}

ps_status ps_replay_estimate_flow(ps_changes *all, const run *r, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        pouring c = {.r = r, .all = all};
        all->flow = calloc((size_t)trace->n_locs + 1, sizeof(*all->flow));
        ps_status status = all->flow ? make_flow_room(&c, err) : PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++) {
                for (uint32_t lane = 0; lane < r->width; lane++)
                        find_factors(&c, loc, lane);
                collect_computed(&c, loc);
                pour(&c);
                status = store(&c, &all->flow[loc], loc, err);
        }
        free_pouring(&c);
        return status;
}

ps_status ps_replay_flow_times(ps_path_times *out, const run *r, const ps_changes *all, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        pouring c = {.r = r, .all = all};
        ps_status status = make_flow_room(&c, err);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++) {
                find_factors(&c, loc, 0);
                for (uint32_t u = 0; u < trace->info[loc].n_uses; u++) {
                        const ps_path_use *use = &trace->info[loc].uses[u];
                        if (!is_operation(trace, use->path))
                                out->longer[out->first[loc] + u] =
                                        (double)use->exclusive * (c.factor[use->path] - 1);
                }
        }
        free_pouring(&c);
        return status;
}
