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
        const uint32_t *depth;
        double *time;   /* of a path: its own, and what flowed to it */
        double *needed; /* of a path: by the computations at home in it; then by all below, less their time */
        double *part;   /* [path][lane]: time as it will be */
        double *factor; /* [path][lane]: of the path's own time */
        double *by_region, *of_edit;
        uint8_t *holds;          /* of a path: computations are at home in it or below */
        double *mean[LANES_MAX]; /* by edit of the lane: of the locations that visit the region */
} pouring;

static bool is_inside(const ps_trace *trace, ps_path path, ps_region region)
{
        for (; path; path = trace->paths[path].parent)
                if (trace->paths[path].region == region)
                        return 1;
        return 0;
}

static bool is_operation(const ps_trace *trace, ps_path path)
{
        ps_region region = trace->paths[path].region;
        return region != PS_NONE && trace->defs.regions.row[region].kind != PS_K_NONE;
}

static double time_in(const ps_trace *trace, ps_loc loc, ps_region region)
{
        const ps_location_info *info = &trace->info[loc];
        double sum = 0;
        for (uint32_t i = 0; i < info->n_uses; i++)
                if (!is_operation(trace, info->uses[i].path) && is_inside(trace, info->uses[i].path, region))
                        sum += (double)info->uses[i].exclusive;
        return sum;
}

static double mean_in(const ps_trace *trace, ps_region region)
{
        double sum = 0;
        uint32_t n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                double time = time_in(trace, loc, region);
                sum += time;
                n += time > 0;
        }
        return n ? sum / n : 0;
}

/* The factor of an edit at one location. */
static double factor_of_edit(const pouring *c, uint32_t lane, uint32_t edit, ps_loc loc)
{
        const ps_region_edit *e = &lane_of(c->r, lane)->regions[edit];
        if (!e->balanced)
                return e->factor;
        double time = time_in(c->r->replay->trace, loc, e->region);
        return time > 0 ? e->factor * c->mean[lane][edit] / time : e->factor;
}

static void find_factors(pouring *c, ps_loc loc, uint32_t lane)
{
        for (uint32_t i = 0; i < lane_of(c->r, lane)->n_regions; i++)
                c->of_edit[i] = factor_of_edit(c, lane, i, loc);
        ps_replay_path_factors(c->r, c->all, lane, c->of_edit, c->by_region, c->factor);
}

/* -- pouring -- */

static void move(pouring *c, ps_path from, ps_path to, double time)
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

static void collect(pouring *c, ps_loc loc)
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
                        move(c, p, parent, c->time[p]);
                        continue;
                }
                c->holds[parent] = 1;
                c->needed[p] -= c->time[p];
                if (c->needed[p] < 0) {
                        move(c, p, parent, -c->needed[p]);
                        c->needed[p] = 0;
                }
                c->needed[parent] += c->needed[p];
        }
        for (ps_path p = 1; p < trace->n_paths; p++)
                if (c->holds[p] && c->needed[p] > 0)
                        move(c, trace->paths[p].parent, p, c->needed[p]);
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

static ps_status find_means(pouring *c, ps_error *err)
{
        for (uint32_t lane = 0; lane < c->r->width; lane++) {
                const ps_scenario *s = lane_of(c->r, lane);
                c->mean[lane] = calloc((size_t)s->n_regions + 1, sizeof(double));
                if (!c->mean[lane])
                        return PS_NOMEM(err, "regions", s->n_regions);
                for (uint32_t i = 0; i < s->n_regions; i++)
                        if (s->regions[i].balanced)
                                c->mean[lane][i] = mean_in(c->r->replay->trace, s->regions[i].region);
        }
        return PS_OK;
}

static ps_status make_room(pouring *c, ps_error *err)
{
        const run *r = c->r;
        const ps_trace *trace = r->replay->trace;
        size_t n = (size_t)trace->n_paths + 1, n_edits = 1;
        for (uint32_t w = 0; w < r->n_lanes; w++)
                n_edits += r->lane[w]->n_regions;
        c->time = calloc(n, sizeof(*c->time));
        c->needed = calloc(n, sizeof(*c->needed));
        c->part = calloc(n, r->width * sizeof(*c->part));
        c->factor = calloc(n, r->width * sizeof(*c->factor));
        c->by_region = calloc((size_t)trace->defs.regions.n + 1, sizeof(*c->by_region));
        c->of_edit = calloc(n_edits, sizeof(*c->of_edit));
        c->holds = calloc(n, 1);
        if (!c->depth || !c->time || !c->needed || !c->part || !c->factor || !c->by_region || !c->of_edit ||
            !c->holds)
                return PS_NOMEM(err, "call paths", n);
        return find_means(c, err);
}

ps_status ps_replay_estimate_flow(ps_changes *all, const run *r, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        uint32_t *depth = depths_of(trace);
        pouring c = {.r = r, .all = all, .depth = depth};
        all->flow = calloc((size_t)trace->n_locs + 1, sizeof(*all->flow));
        ps_status status = all->flow ? make_room(&c, err) : PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++) {
                for (uint32_t lane = 0; lane < r->width; lane++)
                        find_factors(&c, loc, lane);
                collect(&c, loc);
                pour(&c);
                status = store(&c, &all->flow[loc], loc, err);
        }
        for (uint32_t lane = 0; lane < LANES_MAX; lane++)
                free(c.mean[lane]);
        free(depth);
        free(c.time);
        free(c.needed);
        free(c.part);
        free(c.factor);
        free(c.by_region);
        free(c.of_edit);
        free(c.holds);
        return status;
}
