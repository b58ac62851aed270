/* walk_regions.c - the time that each location spends in the program's own functions, compared.
 *
 * Works on the call tree; one sum over all locations for each call path, then each
 * location against it. */
#include "patterns/engine/walk.h"

#include "core/base/memory.h"

#include <stdlib.h>

struct spread {
        ps_time sum;
        uint32_t n;
};

static bool is_users(const ps_trace *trace, ps_path path)
{
        ps_region region = trace->paths[path].region;
        if (region == PS_NONE)
                return false;
        const ps_region_def *def = &trace->defs.regions.row[region];
        return def->kind == PS_K_NONE &&
               (def->paradigm == PS_PARADIGM_USER || def->paradigm == PS_PARADIGM_UNKNOWN) &&
               def->role != PS_ROLE_PHASE;
}

static void add_location(struct spread *spread, const struct engine *e, ps_loc loc)
{
        ps_focus_part part = ps_focus_part_of(e->trace, e->timing, loc);
        for (uint32_t i = 0; i < part.n_uses; i++) {
                const ps_path_use *use = &part.uses[i];
                struct spread *s = &spread[use->path];
                s->sum = ps_time_add(s->sum, use->exclusive);
                s->n++;
        }
}

/* The path stands for an operation of its own: there is none to point to. */
static void ask_location(struct local *l, const struct spread *spread)
{
        const struct engine *e = l->engine;
        ps_focus_part part = ps_focus_part_of(e->trace, e->timing, l->loc);
        for (uint32_t i = 0; i < part.n_uses; i++) {
                const ps_path_use *use = &part.uses[i];
                const struct spread *s = &spread[use->path];
                if (!is_users(e->trace, use->path))
                        continue;
                ps_region_view view = {.own = use->exclusive,
                                       .mean = s->sum / s->n,
                                       .length = ps_focus_length(e->timing),
                                       .n = s->n};
                for (uint32_t k = 0; k < e->rules.n_roots[PS_ON_REGION]; k++) {
                        uint32_t root = e->rules.root[PS_ON_REGION][k];
                        ps_time lost = ps_rules_region(&e->rules, root, &view);
                        ps_instance instance = {.pattern = root,
                                                .at = {l->loc, PS_NONE},
                                                .partner = {PS_NONE, PS_NONE},
                                                .begin = ps_focus_hull(e->timing).begin,
                                                .lost = lost};
                        if (lost >= 0)
                                ps_walk_book(l, &instance, use->path, PS_NONE);
                }
        }
}

ps_status ps_walk_regions(struct engine *e, ps_error *err)
{
        const ps_trace *trace = e->trace;
        struct spread *spread = ps_memory_zeroed(trace->n_paths, sizeof(*spread));
        if (!spread)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                if (trace->defs.locations.row[loc].type == PS_LOCATION_CPU)
                        add_location(spread, e, loc);
        ps_status status = PS_OK;
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++) {
                if (trace->defs.locations.row[loc].type == PS_LOCATION_CPU)
                        ask_location(&e->local[loc], spread);
                if (e->local[loc].status != PS_OK)
                        status = PS_NOMEM(err, "findings", e->local[loc].findings.n);
        }
        free(spread);
        return status;
}
