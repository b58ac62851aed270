/* walk_pgas.c - collectives and fences of PGAS programs, and their calls in one go. */
#include "patterns/engine/walk_pgas.h"
#include "core/base/memory.h"
#include "patterns/engine/book.h"
#include "patterns/engine/coll_sums.h"

ps_status ps_walk_find_inner(struct engine *e, ps_error *err)
{
        const ps_trace *trace = e->trace;
        const bool has_inner = trace->defs.pgas_comm != PS_NONE;
        if (!has_inner && !ps_defs_has_pgas(&trace->defs))
                return PS_OK;
        e->inner = has_inner ? ps_memory_zeroed(trace->n_paths + (size_t)1, 1) : NULL;
        e->is_pgas = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*e->is_pgas));
        if ((has_inner && !e->inner) || !e->is_pgas)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_path i = 1; i < trace->n_paths; i++) {
                ps_region region = trace->paths[i].region;
                const ps_region_def *def =
                        region < trace->defs.regions.n ? &trace->defs.regions.row[region] : NULL;
                e->is_pgas[i] = def && ps_paradigm_is_pgas(def->paradigm);
                if (!has_inner)
                        continue;
                if (e->inner[trace->paths[i].parent] != NOT_INNER)
                        e->inner[i] = IS_INNER;
                else if (e->is_pgas[i] && def->kind != PS_K_NONE)
                        e->inner[i] = IS_PGAS;
        }
        return PS_OK;
}

/* What the row says that the call loses, which is booked; less than 0: nothing. */
static ps_time ask_row(struct local *l, uint32_t root, ps_ref at, const ps_collective_view *view)
{
        const ps_time lost = ps_rules_collective(&l->engine->rules, root, view);
        if (lost >= 0)
                ps_walk_book(l,
                             &(ps_instance){.pattern = root,
                                            .at = at,
                                            .partner = view->cause,
                                            .begin = view->own.begin,
                                            .lost = lost},
                             path_of(l, at), PS_NONE);
        return lost;
}

/* What rows look at overlaps: the first that finds something is charged, and those that are apart. True: it
 * is charged now. */
static bool ask_pgas_collective(struct local *l, uint32_t root, bool is_charged, ps_ref at,
                                const ps_collective_view *view)
{
        const ps_rules *rules = &l->engine->rules;
        if (is_charged && !rules->rule[root].row->is_apart)
                return true;
        const ps_time lost = ask_row(l, root, at, view);
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
        for (uint32_t i = 0; i < e->rules.n_roots[PS_ON_SPLIT_BARRIER]; i++)
                (void)ask_row(l, e->rules.root[PS_ON_SPLIT_BARRIER][i], wait, view);
}

/* -- in one go: the long way is the reference -- */

/* The only row on the subject, if it is of waits that follow from the columns as this says; else PS_NONE. */
static uint32_t only_wait(const ps_rules *rules, ps_subject subject, unsigned needs, unsigned part)
{
        const uint32_t root = rules->root[subject][0];
        const ps_rule *rule = &rules->rule[root];
        return rules->n_roots[subject] == 1 && (rules->needs[subject] & needs) == needs &&
                               rule->row->part == part && rule->formula == rule->row->formula &&
                               !rule->kinds && ps_rule_is_plain_wait(rule)
                       ? root
                       : PS_NONE;
}

void ps_walk_find_pgas(struct engine *e)
{
        e->plain.fence = only_wait(&e->rules, PS_ON_PGAS_FENCE, PS_LOSES_CALL, PS_PART_UNTOLD);
        e->plain.split_barrier = only_wait(&e->rules, PS_ON_SPLIT_BARRIER, 0, PS_PART_WAITS_FOR_ALL);
        e->plain.change = only_wait(&e->rules, PS_ON_CHANGE, PS_LOSES_UNTIL_RELEASED, PS_PART_UNTOLD);
}

/* Is it a call of a PGAS program, and in the focus, so that a wait in it is charged there as a whole? */
PS_WALK_INLINE bool is_charged_whole(const struct local *l, ps_path path, ps_op op)
{
        const struct engine *e = l->engine;
        return e->is_pgas[path] && e->inner[path] == IS_PGAS && l->enter[op] >= e->plain.span.begin &&
               l->leave[op] <= e->plain.span.end;
}

PS_WALK_INLINE void book_wait(struct local *l, struct found f, ps_path path)
{
        if (f.lost <= 0)
                return;
        const bool doubtful = account_wait(l, f, path);
        if (f.lost >= l->engine->rules.epsilon)
                tally_plain(l, f, path, doubtful);
}

/* False, here and below: it is not plain, and nothing is booked. */
PS_WALK_INLINE bool book_fence(struct local *l, const ps_ops *ops, ps_op op)
{
        const uint32_t pattern = l->engine->plain.fence;
        const ps_path path = ps_op_path(ops, op);
        if (ops->kind[op] != PS_K_WIN_FLUSH || pattern == PS_NONE || !is_charged_whole(l, path, op))
                return false;
        const ps_time lost = l->leave[op] - l->enter[op];
        book_wait(l, (struct found){lost, {PS_NONE, PS_NONE}, pattern, PS_NONE, op}, path);
        return true;
}

PS_WALK_INLINE bool book_change(struct local *l, const ps_ops *ops, ps_op op)
{
        const struct engine *e = l->engine;
        const uint32_t pattern = e->plain.change;
        const ps_path path = ps_op_path(ops, op);
        if (ops->kind[op] != PS_K_RMA_WAIT || pattern == PS_NONE || !is_charged_whole(l, path, op))
                return false;
        const ps_release *release =
                ps_releases_find(e->releases, (ps_ref){l->loc, op}, PS_RELEASED_BY_WRITE, &l->worker->near);
        if (!release)
                return false;
        const ps_time lost = earlier(release->until, l->leave[op]) - l->enter[op];
        book_wait(l, (struct found){lost, release->by, pattern, PS_NONE, op}, path);
        return true;
}

/* All wait for the last one. */
PS_WALK_INLINE bool book_split_barrier(struct local *l, const ps_ops *ops, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_trace *trace = e->trace;
        const uint32_t pattern = e->plain.split_barrier;
        const ps_path path = ps_op_path(ops, op);
        if (ops->tag[op] != 1 || pattern == PS_NONE || !is_charged_whole(l, path, op))
                return false;
        const ps_op own = ps_op_completed(ops, op, 0);
        if (ops->kind[own] != PS_K_BARRIER || !(ops->flags[own] & PS_OP_MATCHED))
                return false;
        const uint32_t c = trace->members[ops->link[own]].coll;
        const struct sum *sum = &e->colls->sum[c];
        if (trace->colls[c].kind != PS_K_BARRIER || !trace->colls[c].pgas || sum->other != PS_NONE ||
            !sum->has_others || is_whole_barrier(l, own, op))
                return false;
        const ps_time lost = earlier(sum->latest_begin, l->leave[op]) - l->enter[op];
        book_wait(l, (struct found){lost, trace->members[sum->latest].ref, pattern, PS_NONE, op}, path);
        return true;
}

/* Nothing is asked of such a call but what belongs to it. */
PS_WALK_INLINE bool walk_alone(struct local *l, const ps_ops *ops, ps_op op)
{
        if (!ps_walk_is_at_window(l, ops, op))
                return false;
        if (book_fence(l, ops, op) || book_change(l, ops, op))
                return true;
        l->worker->call = op;
        l->worker->call_left = -1;
        ps_walk_one_sided(l, op);
        return true;
}

ps_op ps_walk_pgas(struct local *l, ps_op op)
{
        const ps_ops ops = *l->ops;
        for (const ps_op end = l->end; op < end; op++) {
                const enum act act = ps_walk_act(l->engine, &ops, op);
                const ps_op behind = act == ACT_ONE_SIDED ? ps_walk_pass_unreleased(l, op) : op;
                if (behind > op) {
                        op = behind - 1;
                        continue;
                }
                if (!ps_walk_is_whole(&ops, op) ||
                    !(act == ACT_PASS || (act == ACT_ONE_SIDED && walk_alone(l, &ops, op)) ||
                      (act == ACT_COMPLETE && book_split_barrier(l, &ops, op)) ||
                      (act == ACT_COLLECTIVE && is_charged_whole(l, ps_op_path(&ops, op), op) &&
                       ps_walk_book_pgas_barrier(l, op))))
                        break;
        }
        return op;
}
