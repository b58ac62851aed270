/* walk_dvm.c - what is special about programs of the DVM system: what each communication is for, and what
 * several processors do alike. */
#include "patterns/engine/walk.h"

#include "core/model/paths.h"

#include <stdlib.h>

ps_status ps_walk_find_purposes(struct engine *e, ps_error *err)
{
        e->purpose = ps_purposes_of_paths(e->trace);
        return e->purpose ? PS_OK : PS_NOMEM(err, "call paths", e->trace->n_paths);
}

static uint32_t row_for(const ps_rules *rules, uint32_t root, uint8_t purpose)
{
        const ps_rule *rule = &rules->rule[root];
        for (uint32_t i = 0; i < rule->n_children; i++)
                if (rules->rule[rule->children[i]].row->purpose == purpose)
                        return rule->children[i];
        return root;
}

void ps_walk_exchange(struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_rules *rules = &e->rules;
        ps_path path = ps_op_path(&e->trace->ops[l->loc], op);
        const ps_call_view view = {.enter = e->timing->enter[l->loc][op],
                                   .leave = e->timing->leave[l->loc][op],
                                   .purpose = (ps_purpose)e->purpose[path]};
        for (uint32_t k = 0; k < rules->n_roots[PS_ON_EXCHANGE]; k++) {
                uint32_t root = rules->root[PS_ON_EXCHANGE][k];
                ps_instance instance = {.pattern = row_for(rules, root, e->purpose[path]),
                                        .at = {l->loc, op},
                                        .partner = {PS_NONE, PS_NONE},
                                        .begin = view.enter,
                                        .lost = ps_rules_call(rules, root, &view)};
                if (instance.lost >= 0)
                        ps_walk_book(l, &instance, path, PS_NONE);
        }
}

/* -- what several do alike -- */

static uint32_t copies_of(const ps_trace *trace, ps_path path)
{
        ps_region region = trace->paths[path].region;
        return region < trace->defs.regions.n ? trace->defs.regions.row[region].dvm.copies : 0;
}

/* A finding counts the visits of its place. */
static void ask_use(struct local *l, const ps_path_use *use)
{
        const struct engine *e = l->engine;
        const ps_region_view view = {.own = use->exclusive,
                                     .length = ps_focus_length(e->timing),
                                     .copies = copies_of(e->trace, use->path)};
        for (uint32_t k = 0; view.copies > 1 && k < e->rules.n_roots[PS_ON_COPIES]; k++) {
                uint32_t root = e->rules.root[PS_ON_COPIES][k], before = l->findings.n;
                ps_instance instance = {.pattern = root,
                                        .at = {l->loc, PS_NONE},
                                        .partner = {PS_NONE, PS_NONE},
                                        .begin = ps_focus_hull(e->timing).begin,
                                        .lost = ps_rules_region(&e->rules, root, &view)};
                if (instance.lost >= 0)
                        ps_walk_book(l, &instance, use->path, PS_NONE);
                if (l->findings.n > before)
                        l->findings.row[before].count = use->visits;
        }
}

ps_status ps_walk_copies(struct engine *e, ps_error *err)
{
        for (ps_loc loc = 0; loc < e->trace->n_locs; loc++) {
                ps_focus_part part = ps_focus_part_of(e->trace, e->timing, loc);
                for (uint32_t i = 0; i < part.n_uses && e->local[loc].status == PS_OK; i++)
                        ask_use(&e->local[loc], &part.uses[i]);
                if (e->local[loc].status != PS_OK)
                        return PS_NOMEM(err, "findings", e->local[loc].findings.n);
        }
        return PS_OK;
}
