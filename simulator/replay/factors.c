/* factors.c - how much longer or shorter computations are.
 *
 * Between two operations a location may have been in several call paths and visits of regions. Where the
 * trace tells its pieces (core/model/pieces.h) each of them is changed by itself, exactly; otherwise regions
 * are told apart by an estimate (flow.c). The processor's factor is that of the whole computation. */
#include "simulator/replay/changes.h"
#include "simulator/replay/slots.h"

#include "core/model/paths.h"

#include <stdlib.h>

/* -- what holds at all locations -- */

static double factor_of_machine(const ps_trace *trace, const ps_scenario *s, ps_region region)
{
        if (!s->machine || !s->machine->n_region_ratios)
                return 1;
        return 1 / ps_machine_region_ratio(s->machine,
                                           ps_defs_str(&trace->defs, trace->defs.regions.row[region].name));
}

static bool holds_everywhere(const ps_work_edit *e)
{
        return e->change == PS_WORK_SCALE && !e->processes && !e->is_stretch;
}

/* Parents come first; a region inside of itself counts once. */
void ps_replay_path_factors(const run *r, const ps_changes *c, uint32_t lane, double *by_region,
                            double *factor)
{
        const ps_trace *trace = r->replay->trace;
        const ps_scenario *s = lane_of(r, lane);
        uint32_t width = r->width;
        for (ps_region region = 0; region < trace->defs.regions.n; region++)
                by_region[region] = factor_of_machine(trace, s, region);
        factor[lane] = 1;
        for (ps_path p = 1; p < trace->n_paths; p++) {
                ps_region region = trace->paths[p].region;
                double own = region == PS_NONE || c->is_inner[p] ? 1 : by_region[region];
                factor[(size_t)p * width + lane] =
                        factor[(size_t)trace->paths[p].parent * width + lane] * own;
        }
        for (uint32_t e = 0; e < s->n_works; e++)
                for (ps_path p = 0; holds_everywhere(&s->works[e]) && p < trace->n_paths; p++)
                        if (s->works[e].paths[p] & PS_WORK_IS_IN)
                                factor[(size_t)p * width + lane] *= s->works[e].factor;
}

static void touch_paths(ps_changes *c, const run *r, uint32_t lane)
{
        const ps_scenario *s = lane_of(r, lane);
        for (ps_path p = 0; p < r->replay->trace->n_paths; p++) {
                bool is_touched = c->factor[(size_t)p * r->width + lane] != 1;
                for (uint32_t e = 0; e < s->n_works; e++)
                        is_touched |= s->works[e].is_stretch || s->works[e].paths[p] & PS_WORK_IS_IN;
                c->touched[p] |= (uint8_t)(is_touched << lane);
        }
}

static ps_status find_factors(ps_changes *c, const run *r, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        double *by_region = calloc((size_t)trace->defs.regions.n + 1, sizeof(*by_region));
        c->factor = calloc((size_t)trace->n_paths + 1, r->width * sizeof(*c->factor));
        c->touched = calloc((size_t)trace->n_paths + 1, 1);
        ps_status status =
                by_region && c->factor && c->touched ? PS_OK : PS_NOMEM(err, "call paths", trace->n_paths);
        for (uint32_t w = 0; w < r->width && status == PS_OK; w++) {
                ps_replay_path_factors(r, c, w, by_region, c->factor);
                touch_paths(c, r, w);
        }
        free(by_region);
        return status;
}

/* Nothing is computed in operations, nor where the trace says that somebody waits. */
static ps_status find_computing(ps_changes *c, const ps_trace *trace, ps_error *err)
{
        c->computes = calloc((size_t)trace->n_paths + 1, 1);
        if (!c->computes)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        c->computes[0] = 1;
        for (ps_path p = 1; p < trace->n_paths; p++) {
                const ps_region_def *def = ps_path_region(trace, p);
                c->computes[p] = c->computes[trace->paths[p].parent] &&
                                 (!def || (def->kind == PS_K_NONE && !def->idle));
        }
        return PS_OK;
}

/* -- what changes -- */

bool ps_replay_knows_pieces(const ps_replay *replay)
{
        return replay->trace->pieces && (replay->over || replay->timing == &replay->trace->measured);
}

static void free_levels(ps_changes *c, uint32_t n_locs)
{
        for (uint32_t w = 0; w < LANES_MAX; w++) {
                bool is_another = 1;
                for (uint32_t before = 0; before < w; before++)
                        is_another &= c->levels[before] != c->levels[w];
                if (is_another)
                        ps_replay_levels_free(c->levels[w], n_locs);
        }
}

static void free_changes(ps_changes *c, const ps_trace *trace)
{
        if (!c)
                return;
        for (ps_loc loc = 0; c->flow && loc < trace->n_locs; loc++) {
                free(c->flow[loc].home);
                free(c->flow[loc].factor);
        }
        free_levels(c, trace->n_locs);
        free(c->is_inner);
        free(c->computes);
        free(c->touched);
        free(c->factor);
        free(c->flow);
        free(c);
}

static ps_status find_levels(ps_changes *c, const run *r, uint32_t lane, ps_error *err)
{
        const ps_scenario *s = lane_of(r, lane);
        for (uint32_t before = 0; before < lane; before++)
                if (lane_of(r, before)->works == s->works && lane_of(r, before)->n_works == s->n_works) {
                        c->levels[lane] = c->levels[before];
                        return PS_OK;
                }
        return ps_replay_levels_new(&c->levels[lane], r->replay->trace, s, err);
}

static ps_status change_pieces(ps_changes *c, const run *r, ps_error *err)
{
        PS_TRY(find_computing(c, r->replay->trace, err));
        PS_TRY(find_factors(c, r, err));
        for (uint32_t w = 0; w < r->width; w++)
                PS_TRY(find_levels(c, r, w, err));
        return ps_replay_levels_fill(c, r->replay, err);
}

static ps_status find_changes(run *r, ps_error *err)
{
        ps_changes *c = r->changes = calloc(1, sizeof(*c));
        if (!c)
                return PS_NOMEM(err, "regions", 1);
        PS_TRY(ps_paths_find_inner(&c->is_inner, r->replay->trace, err));
        return ps_replay_knows_pieces(r->replay) ? change_pieces(c, r, err)
                                                 : ps_replay_estimate_flow(c, r, err);
}

/* -- a computation -- */

/* Edits that do not hold everywhere. */
static double factor_here(const ps_scenario *s, const ps_trace *trace, ps_loc loc, ps_op gap, ps_path path)
{
        double factor = 1;
        for (uint32_t i = 0; i < s->n_works; i++) {
                const ps_work_edit *e = &s->works[i];
                if (e->change == PS_WORK_SCALE && !holds_everywhere(e) && is_about(e, trace, loc) &&
                    (e->is_stretch ? is_between(e, trace, loc, gap) : e->paths[path] & PS_WORK_IS_IN))
                        factor *= e->factor;
        }
        return factor;
}

/* By how much the piece becomes longer, in each lane. */
static void add_piece(const run *r, ps_loc loc, ps_op gap, uint32_t i, double more[LANES_MAX])
{
        const ps_changes *c = r->changes;
        const ps_trace *trace = r->replay->trace;
        const ps_piece *piece = &trace->pieces[loc].piece[i];
        double time = (double)piece->time;
        if (piece->path == PS_NONE || !c->computes[piece->path])
                return;
        const double *factor = c->factor + (size_t)piece->path * r->width;
        for (uint32_t lanes = c->touched[piece->path]; lanes; lanes &= lanes - 1) {
                uint32_t w = (uint32_t)__builtin_ctz(lanes);
                double level = c->levels[w] ? ps_replay_level(c->levels[w], trace, loc, gap, i) : time;
                more[w] +=
                        level * factor[w] * factor_here(lane_of(r, w), trace, loc, gap, piece->path) - time;
        }
}

static ps_time in_range(double time)
{
        return time <= 0 ? 0 : time < (double)REPLAY_COST_LIMIT ? (ps_time)(time + 0.5) : REPLAY_COST_LIMIT;
}

void ps_replay_compute(const run *r, ps_loc loc, ps_op row, ps_time time, ps_time changed[LANES_MAX])
{
        const double *cpu = r->cpu + (size_t)loc * r->width;
        const region_share *flow = r->changes && r->changes->flow ? &r->changes->flow[loc] : NULL;
        double more[LANES_MAX] = {0};
        if (r->changes && !flow) {
                const ps_pieces *p = &r->replay->trace->pieces[loc];
                for (uint32_t i = ps_pieces_first(p, row); i < p->end[row]; i++)
                        add_piece(r, loc, row, i, more);
        }
        for (uint32_t w = 0; w < r->width; w++) {
                double factor = flow ? cpu[w] * flow->factor[(size_t)flow->home[row] * r->width + w] : cpu[w];
                changed[w] = factor == 1 && more[w] == 0 ? time : in_range(((double)time + more[w]) * factor);
        }
}

/* -- call paths -- */

/* use_of: by path, + 1; all 0. What is never entered is outside of all regions that are. */
static void add_path_times(ps_path_times *out, const run *r, ps_loc loc, uint32_t *use_of)
{
        const ps_trace *trace = r->replay->trace;
        const ps_location_info *info = &trace->info[loc];
        const ps_pieces *p = &trace->pieces[loc];
        double *longer = out->longer + out->first[loc];
        for (uint32_t u = 0; u < info->n_uses; u++)
                use_of[info->uses[u].path] = u + 1;
        for (ps_op row = 0; row <= trace->ops[loc].n; row++)
                for (uint32_t i = ps_pieces_first(p, row); i < p->end[row]; i++) {
                        if (p->piece[i].path == PS_NONE || !is_replayed(r->replay, loc, row))
                                continue;
                        uint32_t use = use_of[p->piece[i].path];
                        add_piece(r, loc, row, i, &longer[use ? use - 1 : info->n_uses]);
                }
        for (uint32_t u = 0; u < info->n_uses; u++)
                use_of[info->uses[u].path] = 0;
}

static ps_status make_factors_room(ps_path_times *out, const ps_trace *trace, ps_error *err)
{
        size_t n = 0;
        *out = (ps_path_times){.first = calloc((size_t)trace->n_locs + 1, sizeof(*out->first))};
        for (ps_loc loc = 0; out->first && loc < trace->n_locs; loc++) {
                out->first[loc] = n;
                n += trace->info[loc].n_uses + (size_t)1;
        }
        out->longer = calloc(n + LANES_MAX, sizeof(*out->longer));
        return out->first && out->longer ? PS_OK : PS_NOMEM(err, "call paths", n);
}

ps_status ps_replay_path_times(ps_path_times *out, const ps_replay *replay, const ps_scenario *scenario,
                               ps_error *err)
{
        const ps_trace *trace = replay->trace;
        run r = {.replay = replay, .lane = {scenario}, .n_lanes = 1, .width = 1};
        uint32_t *use_of = calloc((size_t)trace->n_paths + 1, sizeof(*use_of));
        ps_status status = make_factors_room(out, trace, err);
        if (status == PS_OK && !use_of)
                status = PS_NOMEM(err, "call paths", trace->n_paths);
        PS_THEN(status, find_changes(&r, err));
        if (status == PS_OK && r.changes->flow)
                status = ps_replay_flow_times(out, &r, r.changes, err);
        else
                for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++)
                        add_path_times(out, &r, loc, use_of);
        free(use_of);
        ps_replay_factors_free(&r);
        return status;
}

void ps_path_times_clear(ps_path_times *times)
{
        free(times->first);
        free(times->longer);
        *times = (ps_path_times){0};
}

/* -- all of it -- */

static double factor_of_process(const ps_scenario *s, uint32_t process)
{
        double factor = s->cpu_of_process ? s->cpu_of_process[process] : 1;
        return s->machine ? factor / ps_machine_cpu_ratio(s->machine, process) : factor;
}

static bool changes_regions(const ps_scenario *s)
{
        return s->n_works || (s->machine && s->machine->n_region_ratios);
}

ps_status ps_replay_factors_new(run *r, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        bool is_changed = false, has_regions = 0;
        for (uint32_t w = 0; w < r->n_lanes; w++)
                has_regions |= changes_regions(r->lane[w]);
        r->cpu = malloc(((size_t)trace->n_locs + 1) * r->width * sizeof(*r->cpu));
        if (!r->cpu)
                return PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (uint32_t w = 0; w < r->width; w++) {
                        double factor =
                                factor_of_process(lane_of(r, w), trace->defs.locations.row[loc].process);
                        r->cpu[(size_t)loc * r->width + w] = factor;
                        is_changed |= factor != 1;
                }
        if (has_regions)
                return find_changes(r, err);
        if (!is_changed)
                ps_replay_factors_free(r);
        return PS_OK;
}

void ps_replay_factors_free(run *r)
{
        free_changes(r->changes, r->replay->trace);
        free(r->cpu);
        r->changes = NULL;
        r->cpu = NULL;
}
