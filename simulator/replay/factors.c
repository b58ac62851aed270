/* factors.c - how much longer or shorter computations are.
 *
 * Between two operations a location may have been in several call paths and visits of regions. Where the
 * trace tells its pieces (core/model/pieces.h) each of them is changed by itself, exactly; otherwise regions
 * are told apart by an estimate (flow.c). The processor's factor is that of the whole computation. */
#include "simulator/replay/changes.h"
#include "simulator/replay/vectors.h"

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

static bool is_scaled_here(const ps_work_edit *e)
{
        return e->change == PS_WORK_SCALE && !holds_everywhere(e);
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
                if (!c->path[p].computes)
                        continue;
                bool is_scaled = c->factor[(size_t)p * r->width + lane] != 1, is_touched = is_scaled,
                     is_here = false;
                for (uint32_t e = 0; e < s->n_works; e++) {
                        bool is_in = s->works[e].is_stretch || s->works[e].paths[p] & PS_WORK_IS_IN;
                        is_touched |= is_in;
                        is_here |= is_in && is_scaled_here(&s->works[e]);
                }
                c->path[p].touched |= (uint16_t)(is_touched << lane);
                c->path[p].scaled |= (uint16_t)((is_scaled || is_here) << lane);
                c->path[p].scaled_here |= (uint16_t)(is_here << lane);
        }
}

/* The only edit that scales what not all compute, if it is about all gaps. */
static const ps_work_edit *find_only_here(const ps_scenario *s)
{
        const ps_work_edit *only = NULL;
        uint32_t n = 0;
        for (uint32_t e = 0; e < s->n_works; e++) {
                if (!is_scaled_here(&s->works[e]))
                        continue;
                only = &s->works[e];
                n++;
        }
        return n == 1 && !only->is_stretch ? only : NULL;
}

static ps_status find_factors(ps_changes *c, const run *r, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        double *by_region = calloc((size_t)trace->defs.regions.n + 1, sizeof(*by_region));
        c->factor = calloc((size_t)trace->n_paths + 1, r->width * sizeof(*c->factor));
        ps_status status = by_region && c->factor ? PS_OK : PS_NOMEM(err, "call paths", trace->n_paths);
        for (uint32_t w = 0; w < r->n_lanes && status == PS_OK; w++) {
                ps_replay_path_factors(r, c, w, by_region, c->factor);
                touch_paths(c, r, w);
                c->only_here[w] = find_only_here(lane_of(r, w));
        }
        free(by_region);
        return status;
}

/* Nothing is computed in operations, nor where the trace says that somebody waits. */
static ps_status find_computing(ps_changes *c, const ps_trace *trace, ps_error *err)
{
        c->path = calloc((size_t)trace->n_paths + 1, sizeof(*c->path));
        if (!c->path)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        c->path[0].computes = 1;
        for (ps_path p = 1; p < trace->n_paths; p++) {
                const ps_region_def *def = ps_path_region(trace, p);
                c->path[p].computes = c->path[trace->paths[p].parent].computes &&
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
        free(c->path);
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
        for (uint32_t w = 0; w < r->n_lanes; w++) {
                PS_TRY(find_levels(c, r, w, err));
                for (ps_path p = 0; c->levels[w] && p < r->replay->trace->n_paths; p++)
                        c->path[p].compared |=
                                (uint16_t)(c->path[p].touched & 1u << w &
                                           (uint32_t)ps_replay_levels_touch(c->levels[w], p) << w);
        }
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
                if (is_scaled_here(e) && is_about(e, trace, loc) &&
                    (e->is_stretch ? is_between(e, trace, loc, gap) : e->paths[path] & PS_WORK_IS_IN))
                        factor *= e->factor;
        }
        return factor;
}

/* What may change a piece, and in which lanes. */
static inline path_change change_of(const ps_changes *c, const ps_piece *piece)
{
        return piece->path != PS_NONE ? c->path[piece->path] : (path_change){0};
}

/* By how much the i-th piece, which is this one, becomes longer in the lane. */
ALWAYS_INLINE double longer_by(const run *r, ps_loc loc, ps_op gap, uint32_t i, ps_piece piece,
                               path_change path, uint32_t w)
{
        const ps_changes *c = r->changes;
        const ps_trace *trace = r->replay->trace;
        const double time = (double)piece.time;
        double changed = time;
        if (path.compared >> w & 1)
                changed = level_of(c->levels[w], trace, loc, gap, i, piece.path, time);
        if (path.scaled >> w & 1) {
                changed *= c->factor[(size_t)piece.path * r->width + w];
                const ps_work_edit *only = c->only_here[w];
                if (path.scaled_here >> w & 1 && !only)
                        changed *= factor_here(lane_of(r, w), trace, loc, gap, piece.path);
                else if (path.scaled_here >> w & 1 && is_about(only, trace, loc))
                        changed *= only->factor;
        }
        return changed - time;
}

static ps_time in_range(double time)
{
        return time <= 0 ? 0 : time < (double)REPLAY_COST_LIMIT ? (ps_time)(time + 0.5) : REPLAY_COST_LIMIT;
}

/* Where regions are told apart by an estimate. */
static bool compute_by_flow(const run *r, ps_loc loc, ps_op row, ps_time time, ps_time changed[LANES_MAX])
{
        const region_share *flow = &r->changes->flow[loc];
        for (uint32_t w = 0; w < r->width; w++) {
                double factor = r->cpu[(size_t)loc * r->width + w] *
                                flow->factor[(size_t)flow->home[row] * r->width + w];
                changed[w] = factor == 1 ? time : in_range((double)time * factor);
        }
        return true;
}

/* All pieces from `first` on, and all of it. */
static bool compute_several(const run *r, ps_loc loc, ps_op row, uint32_t first, ps_time time,
                            ps_time changed[LANES_MAX])
{
        double more[LANES_MAX] = {0};
        uint32_t lanes = r->cpu_changes[loc];
        const uint32_t end = r->changes ? r->replay->trace->pieces[loc].end[row] : first;
        for (uint32_t i = first; i < end; i++) {
                const ps_piece piece = r->replay->trace->pieces[loc].piece[i];
                const path_change path = change_of(r->changes, &piece);
                lanes |= path.touched;
                for (uint32_t touched = path.touched; touched; touched &= touched - 1) {
                        const uint32_t w = (uint32_t)__builtin_ctz(touched);
                        more[w] += longer_by(r, loc, row, i, piece, path, w);
                }
        }
        for (; lanes; lanes &= lanes - 1) {
                const uint32_t w = (uint32_t)__builtin_ctz(lanes);
                const double cpu = r->cpu[(size_t)loc * r->width + w];
                if (cpu != 1 || more[w] != 0)
                        changed[w] = in_range(((double)time + more[w]) * cpu);
        }
        return true;
}

/* Mostly it has one piece. */
bool ps_replay_compute(const run *r, ps_loc loc, ps_op row, ps_time time, ps_time changed[LANES_MAX])
{
        const ps_changes *c = r->changes;
        if (!c)
                return compute_several(r, loc, row, 0, time, changed);
        if (c->flow)
                return compute_by_flow(r, loc, row, time, changed);
        const ps_pieces *p = &r->replay->trace->pieces[loc];
        const uint32_t first = ps_pieces_first(p, row), n = p->end[row] - first;
        if (n > 1 || r->cpu_changes[loc])
                return compute_several(r, loc, row, first, time, changed);
        if (!n)
                return false;
        const ps_piece piece = p->piece[first];
        const path_change path = change_of(c, &piece);
        for (uint32_t lanes = path.touched; lanes; lanes &= lanes - 1) {
                const uint32_t w = (uint32_t)__builtin_ctz(lanes);
                const double more = longer_by(r, loc, row, first, piece, path, w);
                if (more != 0)
                        changed[w] = in_range((double)time + more);
        }
        return path.touched != 0;
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
                        const path_change path = change_of(r->changes, &p->piece[i]);
                        if (!path.touched || !is_replayed(r->replay, loc, row))
                                continue;
                        uint32_t use = use_of[p->piece[i].path];
                        longer[use ? use - 1 : info->n_uses] +=
                                longer_by(r, loc, row, i, p->piece[i], path, 0);
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
        r->cpu_changes = calloc((size_t)trace->n_locs + 1, sizeof(*r->cpu_changes));
        if (!r->cpu || !r->cpu_changes)
                return PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (uint32_t w = 0; w < r->width; w++) {
                        double factor =
                                factor_of_process(lane_of(r, w), trace->defs.locations.row[loc].process);
                        r->cpu[(size_t)loc * r->width + w] = factor;
                        r->cpu_changes[loc] |= (uint16_t)((factor != 1) << w);
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
        free(r->cpu_changes);
        r->changes = NULL;
        r->cpu = NULL;
        r->cpu_changes = NULL;
}
