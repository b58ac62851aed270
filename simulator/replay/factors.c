/* factors.c - how much longer or shorter computations are.
 *
 * Between two operations a location may have been in several call paths and visits of regions. Where the
 * trace tells its pieces (core/model/pieces.h) each of them is changed by itself, exactly; otherwise regions
 * are told apart by an estimate (flow.c). The processor's factor is that of the whole computation. */
#include "simulator/replay/changes.h"
#include "simulator/replay/slots.h"

#include "core/model/paths.h"

#include <stdlib.h>

/* -- factors of regions -- */

static double factor_of_machine(const ps_trace *trace, const ps_scenario *s, ps_region region)
{
        if (!s->machine || !s->machine->n_region_ratios)
                return 1;
        return 1 / ps_machine_region_ratio(s->machine,
                                           ps_defs_str(&trace->defs, trace->defs.regions.row[region].name));
}

/* Parents come first; a region inside of itself counts once. */
void ps_replay_path_factors(const run *r, const ps_changes *c, uint32_t lane, const double *of_edit,
                            double *by_region, double *factor)
{
        const ps_trace *trace = r->replay->trace;
        const ps_scenario *s = lane_of(r, lane);
        uint32_t width = r->width;
        for (ps_region region = 0; region < trace->defs.regions.n; region++)
                by_region[region] = factor_of_machine(trace, s, region);
        for (uint32_t i = 0; i < s->n_regions; i++)
                by_region[s->regions[i].region] *= of_edit[i];
        factor[lane] = 1;
        for (ps_path p = 1; p < trace->n_paths; p++) {
                ps_region region = trace->paths[p].region;
                double own = region == PS_NONE || c->is_inner[p] ? 1 : by_region[region];
                factor[(size_t)p * width + lane] =
                        factor[(size_t)trace->paths[p].parent * width + lane] * own;
        }
}

static ps_status find_factors(ps_changes *c, const run *r, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        size_t n_edits = 1;
        for (uint32_t w = 0; w < r->n_lanes; w++)
                n_edits = r->lane[w]->n_regions > n_edits ? r->lane[w]->n_regions : n_edits;
        double *by_region = calloc((size_t)trace->defs.regions.n + 1, sizeof(*by_region));
        double *of_edit = calloc(n_edits, sizeof(*of_edit));
        c->factor = calloc((size_t)trace->n_paths + 1, r->width * sizeof(*c->factor));
        ps_status status =
                by_region && of_edit && c->factor ? PS_OK : PS_NOMEM(err, "call paths", trace->n_paths);
        for (uint32_t w = 0; w < r->width && status == PS_OK; w++) {
                const ps_scenario *s = lane_of(r, w);
                for (uint32_t i = 0; i < s->n_regions; i++)
                        of_edit[i] = s->regions[i].factor;
                ps_replay_path_factors(r, c, w, of_edit, by_region, c->factor);
        }
        free(by_region);
        free(of_edit);
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
                ps_region region = trace->paths[p].region;
                const ps_region_def *def = region == PS_NONE ? NULL : &trace->defs.regions.row[region];
                c->computes[p] = c->computes[trace->paths[p].parent] &&
                                 (!def || (def->kind == PS_K_NONE && !def->idle));
        }
        return PS_OK;
}

/* -- what changes -- */

bool ps_replay_knows_pieces(const ps_replay *replay)
{
        return replay->trace->pieces && replay->timing == &replay->trace->measured;
}

static void free_changes(ps_changes *c, const ps_trace *trace)
{
        if (!c)
                return;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                if (c->visits)
                        free(c->visits[loc]);
                if (c->flow) {
                        free(c->flow[loc].home);
                        free(c->flow[loc].factor);
                }
        }
        free(c->is_inner);
        free(c->computes);
        free(c->factor);
        free(c->visits);
        free(c->rest);
        free(c->flow);
        free(c);
}

static ps_status change_pieces(ps_changes *c, const run *r, ps_error *err)
{
        bool is_balanced = false;
        for (uint32_t w = 0; w < r->width; w++) {
                c->balance[w] = lane_of(r, w)->balance;
                is_balanced |= c->balance[w];
        }
        ps_status status = find_computing(c, r->replay->trace, err);
        PS_THEN(status, find_factors(c, r, err));
        return status == PS_OK && is_balanced ? ps_replay_balance_visits(c, r->replay, err) : status;
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

/* By how much the piece becomes longer, in each lane. */
static void add_piece(const run *r, ps_loc loc, uint32_t i, double more[LANES_MAX])
{
        const ps_changes *c = r->changes;
        const ps_piece *piece = &r->replay->trace->pieces[loc].piece[i];
        double time = (double)piece->time, even = time;
        uint8_t balance = PS_BALANCE_ALL;
        if (piece->path == PS_NONE || !c->computes[piece->path])
                return;
        if (piece->visit != PS_NONE)
                balance = PS_BALANCE_VISITS;
        if (c->visits && piece->visit != PS_NONE) {
                const visit_change *v = &c->visits[loc][piece->visit];
                even = time * v->factor + (v->first == i ? v->added : 0);
        } else if (c->visits) {
                even = time * c->rest[loc];
        }
        const double *factor = c->factor + (size_t)piece->path * r->width;
        for (uint32_t w = 0; w < r->width; w++)
                more[w] += (c->balance[w] >= balance ? even : time) * factor[w] - time;
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
                        add_piece(r, loc, i, more);
        }
        for (uint32_t w = 0; w < r->width; w++) {
                double factor = flow ? cpu[w] * flow->factor[(size_t)flow->home[row] * r->width + w] : cpu[w];
                changed[w] = factor == 1 && more[w] == 0 ? time : in_range(((double)time + more[w]) * factor);
        }
}

/* -- call paths -- */

/* use_of: by path, + 1; all 0. What is never entered is outside of all regions that are. */
static void add_location(ps_path_times *out, const run *r, ps_loc loc, uint32_t *use_of)
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
                        add_piece(r, loc, i, &longer[use ? use - 1 : info->n_uses]);
                }
        for (uint32_t u = 0; u < info->n_uses; u++)
                use_of[info->uses[u].path] = 0;
}

ps_status ps_replay_path_times(ps_path_times *out, const ps_replay *replay, const ps_scenario *scenario,
                               ps_error *err)
{
        const ps_trace *trace = replay->trace;
        run r = {.replay = replay, .lane = {scenario}, .n_lanes = 1, .width = 1};
        size_t n = 0;
        uint32_t *use_of = calloc((size_t)trace->n_paths + 1, sizeof(*use_of));
        *out = (ps_path_times){.first = calloc((size_t)trace->n_locs + 1, sizeof(*out->first))};
        for (ps_loc loc = 0; out->first && loc < trace->n_locs; loc++) {
                out->first[loc] = n;
                n += trace->info[loc].n_uses + (size_t)1;
        }
        out->longer = calloc(n + LANES_MAX, sizeof(*out->longer));
        ps_status status =
                use_of && out->first && out->longer ? find_changes(&r, err) : PS_NOMEM(err, "call paths", n);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++)
                add_location(out, &r, loc, use_of);
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

static int changes_regions(const ps_scenario *s)
{
        return s->n_regions || s->balance || (s->machine && s->machine->n_region_ratios);
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
