/* walk_pgas.c - collectives of PGAS programs. */
#include "patterns/engine/walk_pgas.h"
#include "core/base/memory.h"

ps_status ps_walk_find_inner(struct engine *e, ps_error *err)
{
        const ps_trace *trace = e->trace;
        if (trace->defs.pgas_comm == PS_NONE)
                return PS_OK;
        e->inner = ps_memory_zeroed(trace->n_paths + (size_t)1, 1);
        e->is_pgas = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*e->is_pgas));
        if (!e->inner || !e->is_pgas)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_path i = 1; i < trace->n_paths; i++) {
                ps_region region = trace->paths[i].region;
                const ps_region_def *def =
                        region < trace->defs.regions.n ? &trace->defs.regions.row[region] : NULL;
                e->is_pgas[i] = def && ps_paradigm_is_pgas(def->paradigm);
                if (e->inner[trace->paths[i].parent] != NOT_INNER)
                        e->inner[i] = IS_INNER;
                else if (e->is_pgas[i] && def->kind != PS_K_NONE)
                        e->inner[i] = IS_PGAS;
        }
        return PS_OK;
}

/* What rows look at overlaps: the first that finds something is charged, and those that are apart. True: it
 * is charged now. */
static bool ask_pgas_collective(struct local *l, uint32_t root, bool is_charged, ps_ref at,
                                const ps_collective_view *view)
{
        const ps_rules *rules = &l->engine->rules;
        if (is_charged && !rules->rule[root].row->is_apart)
                return true;
        const ps_time lost = ps_rules_collective(rules, root, view);
        if (lost >= 0)
                ps_walk_book(l,
                             &(ps_instance){.pattern = root,
                                            .at = at,
                                            .partner = view->cause,
                                            .begin = view->own.begin,
                                            .lost = lost},
                             path_of(l, at), PS_NONE);
        return is_charged || lost >= rules->epsilon;
}

void ps_walk_pgas_collective(struct local *l, ps_ref at, const ps_collective_view *view)
{
        const uint64_t *roots = l->engine->rules.on_collective[true][(unsigned)view->kind - PS_K_INIT];
        bool is_charged = false;
        for (uint32_t i = 0; i < PS_MAX_PATTERNS / 64; i++)
                for (uint64_t left = roots[i]; left; left &= left - 1)
                        is_charged = ask_pgas_collective(l, 64 * i + (uint32_t)__builtin_ctzll(left),
                                                         is_charged, at, view);
}

/* Berkeley's runtime makes two calls at one place out of upc_barrier. */
static bool is_whole_barrier(const struct local *l, ps_op notify, ps_op wait)
{
        const struct engine *e = l->engine;
        const ps_ops *ops = &e->trace->ops[l->loc];
        const ps_path_node *a = &e->trace->paths[ps_op_path(ops, notify)],
                           *b = &e->trace->paths[ps_op_path(ops, wait)];
        return wait == notify + 1 && a->parent == b->parent && a->site_line && a->site_line == b->site_line &&
               a->site_file == b->site_file &&
               e->timing->enter[l->loc][wait] - e->timing->leave[l->loc][notify] < e->rules.epsilon;
}

void ps_walk_split_barrier(struct local *l, ps_ref notify, ps_ref wait, ps_collective_view *view)
{
        const struct engine *e = l->engine;
        view->own.end = e->timing->leave[wait.loc][wait.op];
        if (is_whole_barrier(l, notify.op, wait.op)) {
                ps_walk_pgas_collective(l, wait, view);
                return;
        }
        view->own.begin = e->timing->enter[wait.loc][wait.op];
        for (uint32_t i = 0; i < e->rules.n_roots[PS_ON_SPLIT_BARRIER]; i++) {
                uint32_t root = e->rules.root[PS_ON_SPLIT_BARRIER][i];
                ps_time lost = ps_rules_collective(&e->rules, root, view);
                if (lost >= 0)
                        ps_walk_book(l,
                                     &(ps_instance){.pattern = root,
                                                    .at = wait,
                                                    .partner = view->cause,
                                                    .begin = view->own.begin,
                                                    .lost = lost},
                                     path_of(l, wait), PS_NONE);
        }
}
