/* scenario.c - edits made fit for a trace. */
#include "simulator/whatif/scenario.h"

#include "core/base/map.h"
#include "core/base/memory.h"
#include "core/model/rank_map.h"
#include "core/model/region_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -- the machine -- */

/* Ranks that the file does not name stay where the machine has them. */
static ps_status read_map(ps_machine *machine, const char *path, uint32_t n_ranks, ps_error *err)
{
        uint32_t *nodes, *all, n;
        PS_TRY(ps_rank_map_read(&nodes, &n, path, "RANK NODE", err));
        if (n > n_ranks) {
                free(nodes);
                return PS_FAIL(err, PS_E_INPUT,
                               "the trace has no such rank: path=\"%s\", rank=%" PRIu32 ", ranks=%" PRIu32,
                               path, n - 1, n_ranks);
        }
        all = realloc(nodes, n_ranks * sizeof(*all));
        if (!all) {
                free(nodes);
                return PS_NOMEM(err, "nodes", n_ranks);
        }
        for (uint32_t r = 0; r < n_ranks; r++)
                if (r >= n || all[r] == PS_NONE)
                        all[r] = ps_machine_node(machine, r);
        free(machine->node_of_rank);
        machine->node_of_rank = all;
        machine->n_node_of_rank = n_ranks;
        return PS_OK;
}

static ps_status change_machine(ps_machine *machine, const ps_edits *edits, const ps_trace *trace,
                                ps_error *err)
{
        if (!machine && (edits->map || edits->n_collectives))
                return PS_FAIL(
                        err, PS_E_USAGE,
                        "%s= is for a machine of a model: \"recorded\" does not know what depends on it",
                        edits->map ? "map" : "coll");
        for (unsigned i = 0; i < edits->n_collectives; i++)
                memcpy(machine->collective[edits->collectives[i].kind], edits->collectives[i].shape,
                       sizeof(edits->collectives[i].shape));
        return edits->map ? read_map(machine, edits->map, trace->defs.processes.n, err) : PS_OK;
}

/* -- regions -- */

/* Several edits of one region are one; some recorders define a region anew for each process. */
static ps_status add_region(ps_what_if *w, const ps_edit_region *wish, uint32_t cap, ps_error *err)
{
        const ps_defs *defs = &w->trace->defs;
        uint32_t found = 0;
        for (ps_region r = 0; r < defs->regions.n; r++) {
                uint32_t i = 0;
                if (strcmp(ps_defs_str(defs, defs->regions.row[r].name), wish->name) != 0)
                        continue;
                while (i < w->scenario.n_regions && w->regions[i].region != r)
                        i++;
                if (i == cap)
                        return PS_FAIL(err, PS_E_USAGE, "too many regions are edited: most=%" PRIu32, cap);
                if (i == w->scenario.n_regions) {
                        w->regions[i] = (ps_region_edit){.region = r, .factor = 1};
                        w->scenario.n_regions++;
                }
                w->regions[i].factor *= wish->factor;
                w->regions[i].balanced |= (uint8_t)(wish->balanced != 0);
                found = 1;
        }
        return found ? PS_OK : ps_region_is_unknown(defs, wish->text, wish->name, strlen(wish->name), err);
}

/* -- how much is computed -- */

/* By path: is it a call, whose time is no computation? */
static void mark_calls(const ps_trace *trace, ps_loc loc, uint8_t *is_call)
{
        const ps_ops *ops = &trace->ops[loc];
        memset(is_call, 0, trace->n_paths);
        for (ps_op op = 0; op < ops->n; op++)
                if (!(ops->flags[op] & (PS_OP_PART | PS_OP_BARE)) && ops->path[op])
                        is_call[ops->path[op]] = 1;
}

/* What the location computes in all. */
static ps_time computed(const ps_trace *trace, ps_loc loc, const uint8_t *is_call)
{
        const ps_location_info *info = &trace->info[loc];
        ps_time time = info->n_events ? ps_time_sub(ps_time_sub(info->last, info->first), info->off) : 0;
        for (uint32_t i = 0; i < info->n_uses; i++)
                if (is_call[info->uses[i].path])
                        time = ps_time_sub(time, info->uses[i].exclusive);
        return time > 0 ? time : 0;
}

static bool is_cpu(const ps_trace *trace, ps_loc loc)
{
        return trace->defs.locations.row[loc].type == PS_LOCATION_CPU && trace->info[loc].n_events;
}

/* All ranks compute as long as they do on average: the first location of each stands for it. */
static void balance_all(ps_what_if *w, uint8_t *is_call)
{
        const ps_trace *trace = w->trace;
        double sum = 0;
        uint32_t n = 0;
        for (int pass = 0; pass < 2; pass++)
                for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                        const ps_location_def *def = &trace->defs.locations.row[loc];
                        if (!is_cpu(trace, loc) || def->thread)
                                continue;
                        mark_calls(trace, loc, is_call);
                        double own = (double)computed(trace, loc, is_call);
                        if (!pass) {
                                sum += own;
                                n++;
                        } else if (own > 0) {
                                w->cpu[def->process] *= sum / n / own;
                        }
                }
}

static void balance_region(ps_what_if *w, uint32_t edit, ps_time *own, uint8_t *is_call)
{
        const ps_trace *trace = w->trace;
        const uint8_t *is_edited = w->is_edited + (size_t)edit * trace->n_paths;
        double sum = 0;
        uint32_t n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_location_info *info = &trace->info[loc];
                int visits = 0;
                own[loc] = 0;
                mark_calls(trace, loc, is_call);
                for (uint32_t i = 0; i < info->n_uses; i++)
                        if (is_edited[info->uses[i].path]) {
                                visits = 1;
                                own[loc] += is_call[info->uses[i].path] ? 0 : info->uses[i].exclusive;
                        }
                sum += (double)own[loc];
                n += (uint32_t)visits;
        }
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                if (own[loc] > 0)
                        w->balance[(size_t)edit * trace->n_locs + loc] = sum / n / (double)own[loc];
}

static void mark_paths(ps_what_if *w, uint32_t edit)
{
        const ps_trace *trace = w->trace;
        uint8_t *is_edited = w->is_edited + (size_t)edit * trace->n_paths;
        for (ps_path p = 1; p < trace->n_paths; p++)
                is_edited[p] = trace->paths[p].region == w->regions[edit].region ||
                               is_edited[trace->paths[p].parent];
}

double ps_what_if_factor(const ps_what_if *w, ps_loc location, ps_path path)
{
        double factor = 1;
        for (uint32_t e = 0; e < w->scenario.n_regions; e++)
                if (w->is_edited[(size_t)e * w->trace->n_paths + path])
                        factor *= w->regions[e].factor * w->balance[(size_t)e * w->trace->n_locs + location];
        return factor;
}

/* Visits that are known are balanced one by one, each region's and, by `balance`, those of intervals. */
static void balance_visits(ps_what_if *w, const ps_edits *edits)
{
        for (uint32_t e = 0; e < w->scenario.n_regions; e++) {
                if (w->regions[e].balanced)
                        w->scenario.balance = PS_BALANCE_VISITS;
                w->regions[e].balanced = 0;
        }
        if (edits->balanced)
                w->scenario.balance = PS_BALANCE_ALL;
}

static ps_status estimate_regions(ps_what_if *w, const ps_edits *edits, uint8_t *is_call, ps_error *err)
{
        const ps_trace *trace = w->trace;
        uint32_t n = w->scenario.n_regions;
        ps_time *own = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*own));
        w->is_edited = ps_memory_zeroed((size_t)n * trace->n_paths + 1, 1);
        w->balance = ps_memory_zeroed((size_t)n * trace->n_locs + 1, sizeof(*w->balance));
        if (!own || !w->is_edited || !w->balance) {
                free(own);
                return PS_NOMEM(err, "edited regions", n);
        }
        for (size_t i = 0; i < (size_t)n * trace->n_locs; i++)
                w->balance[i] = 1;
        for (uint32_t e = 0; e < n; e++) {
                mark_paths(w, e);
                if (w->regions[e].balanced)
                        balance_region(w, e, own, is_call);
        }
        free(own);
        if (edits->balanced)
                balance_all(w, is_call);
        return PS_OK;
}

static ps_status change_ranks(ps_what_if *w, const ps_edits *edits, ps_error *err)
{
        uint32_t n = w->trace->defs.processes.n;
        for (unsigned i = 0; i < edits->n_ranks; i++) {
                const ps_edit_ranks *ranks = &edits->ranks[i];
                if (ranks->last >= n)
                        return PS_FAIL(err, PS_E_USAGE,
                                       "the trace has no such rank: edit=\"%.120s\", rank=%" PRIu32
                                       ", ranks=%" PRIu32,
                                       ranks->text, ranks->last, n);
                for (ps_proc p = ranks->first; p <= ranks->last; p++)
                        w->cpu[p] *= ranks->factor;
        }
        return PS_OK;
}

static ps_status make_tables(ps_what_if *w, uint32_t n_regions, uint8_t **is_call, ps_error *err)
{
        const ps_trace *trace = w->trace;
        w->cpu = ps_memory_zeroed(trace->defs.processes.n + (size_t)1, sizeof(*w->cpu));
        w->regions = ps_memory_zeroed(n_regions + (size_t)1, sizeof(*w->regions));
        *is_call = ps_memory_zeroed(trace->n_paths + (size_t)1, 1);
        if (!w->cpu || !w->regions || !*is_call)
                return PS_NOMEM(err, "factors", trace->defs.processes.n);
        for (ps_proc p = 0; p < trace->defs.processes.n; p++)
                w->cpu[p] = 1;
        return PS_OK;
}

static void set_scenario(ps_what_if *w, const ps_edits *edits, const ps_machine *machine)
{
        ps_scenario *s = &w->scenario;
        s->machine = machine;
        s->latency = edits->ideal ? 0 : edits->latency;
        s->per_byte = edits->ideal ? 0 : edits->per_byte;
        s->no_contention = edits->ideal != 0;
        s->overlap = edits->overlap != 0;
        s->has_eager_limit = edits->has_eager != 0;
        s->eager_limit = edits->eager_bytes;
        s->cpu_of_process = w->cpu;
        s->regions = w->regions;
}

ps_status ps_what_if_make(ps_what_if *out, const ps_edits *edits, const ps_trace *trace, ps_machine *machine,
                          ps_error *err)
{
        uint8_t *is_call = NULL;
        uint32_t cap = edits->n_regions ? trace->defs.regions.n : 0;
        *out = (ps_what_if){.trace = trace};
        ps_scenario_init(&out->scenario);
        ps_status status = make_tables(out, cap, &is_call, err);
        PS_THEN(status, change_machine(machine, edits, trace, err));
        for (unsigned i = 0; i < edits->n_regions && status == PS_OK; i++)
                status = add_region(out, &edits->regions[i], cap, err);
        if (trace->pieces)
                balance_visits(out, edits);
        else if (status == PS_OK)
                status = estimate_regions(out, edits, is_call, err);
        PS_THEN(status, change_ranks(out, edits, err));
        if (status == PS_OK)
                set_scenario(out, edits, machine);
        free(is_call);
        return status;
}

/* -- whose visits are told apart -- */

/* Regions of one name are one: some recorders define a region anew for each process. */
static ps_status mark_visited(ps_map *first, const ps_defs *defs, ps_region r, int outer, ps_visited *visited,
                              ps_error *err)
{
        ps_time *group = ps_map_at(first, defs->regions.row[r].name, 0, r);
        if (!group)
                return PS_NOMEM(err, "regions", defs->regions.n);
        visited[r] = (ps_visited){(uint32_t)*group, (uint8_t)outer};
        return PS_OK;
}

static bool is_named(const ps_edits *edits, const char *name)
{
        for (unsigned i = 0; i < edits->n_regions; i++)
                if (edits->regions[i].balanced && strcmp(edits->regions[i].name, name) == 0)
                        return 1;
        return 0;
}

ps_status ps_what_if_choose(const ps_edits *edits, const uint8_t *is_interval, const ps_defs *defs,
                            ps_visited *visited, ps_error *err)
{
        ps_map first = {0};
        ps_status status = PS_OK;
        for (ps_region r = 0; r < defs->regions.n && status == PS_OK; r++) {
                int named = is_named(edits, ps_defs_str(defs, defs->regions.row[r].name));
                if (named || (edits->balanced && is_interval[r]))
                        status = mark_visited(&first, defs, r, !named, visited, err);
        }
        ps_map_free(&first);
        return status;
}

void ps_what_if_clear(ps_what_if *what_if)
{
        free(what_if->cpu);
        free(what_if->regions);
        free(what_if->balance);
        free(what_if->is_edited);
        *what_if = (ps_what_if){0};
}
