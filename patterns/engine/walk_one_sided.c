/* walk_one_sided.c - one-sided calls of MPI and of PGAS programs, and the collectives of the latter. */
#include "core/base/memory.h"
#include "patterns/engine/walk.h"

static const ps_ref nobody = {PS_NONE, PS_NONE};

static ps_call_view one_sided_call(const struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        ps_ref at = {l->loc, op};
        ps_kind kind = (ps_kind)e->trace->ops[l->loc].kind[op];
        return (ps_call_view){.enter = e->timing->enter[l->loc][op],
                              .leave = e->timing->leave[l->loc][op],
                              .released = PS_NEVER_BEGUN,
                              .partner_enter = PS_NEVER_BEGUN,
                              .transferred = PS_NEVER_BEGUN,
                              .tolerance = e->tolerance,
                              .kind = kind,
                              .is_pgas = ps_walk_is_pgas(e, at),
                              .is_transfer = ps_kinds[kind].cls == PS_C_RMA,
                              .n = 1};
}

__attribute__((noinline)) static void ask_at(struct local *l, ps_subject subject, const ps_release *release,
                                             ps_op op)
{
        ps_call_view view = one_sided_call(l, op);
        if (release) {
                view.released = view.partner_enter = release->until;
                view.transferred = release->transferred;
        }
        ps_walk_ask_call(l, subject, &view, (ps_ref){l->loc, op}, release ? release->by : nobody, PS_NONE);
}

/* Asks about a call and what it was released by, if it was; without a release only the paper's rows speak. */
static inline void ask_released(struct local *l, ps_subject subject, const ps_release *release, ps_op op)
{
        if (finds_anything(l, subject) &&
            (release || l->engine->options->definitions == PS_DEFINITIONS_PAPER))
                ask_at(l, subject, release, op);
}

static void ask(struct local *l, ps_subject subject, ps_release_sort sort, ps_op op)
{
        ask_released(
                l, subject,
                ps_releases_find(l->engine->releases, (ps_ref){l->loc, op}, sort, &l->worker->near_release),
                op);
}

static void ask_lock(struct local *l, ps_op op)
{
        const ps_release *release =
                ps_releases_of_lock(l->engine->releases, (ps_ref){l->loc, op}, &l->worker->near_release);
        const bool is_held = release && release->sort == PS_RELEASED_BY_UNLOCK;
        ask_released(l, PS_ON_LOCK_HELD, is_held ? release : NULL, op);
        if (!is_held)
                ask_released(l, PS_ON_PROGRESS, release, op);
}

__attribute__((noinline)) static void ask_fence(struct local *l, ps_op op)
{
        if (!finds_anything(l, PS_ON_PGAS_FENCE) || !ps_walk_is_pgas(l->engine, (ps_ref){l->loc, op}))
                return;
        ps_call_view view = one_sided_call(l, op);
        ps_walk_ask_call(l, PS_ON_PGAS_FENCE, &view, (ps_ref){l->loc, op}, nobody, PS_NONE);
}

/* What releases a call of a kind, if anything does. */
static const struct {
        uint8_t kind;
        bool of_mpi_alone; /* in a program of another sort more may be asked of it */
        uint8_t sorts;
} released[] = {{PS_K_PUT, false, 1 << PS_RELEASED_BY_POST},
                {PS_K_GET, false, 1 << PS_RELEASED_BY_POST},
                {PS_K_ATOMIC, true, 1 << PS_RELEASED_BY_POST},
                {PS_K_WIN_START, false, 1 << PS_RELEASED_BY_POST},
                {PS_K_WIN_COMPLETE, false, 1 << PS_RELEASED_BY_POST},
                {PS_K_WIN_POST, false, 0},
                {PS_K_WIN_WAIT, false, 1 << PS_RELEASED_BY_COMPLETE},
                {PS_K_WIN_LOCK, false, 1 << PS_RELEASED_BY_UNLOCK | 1 << PS_RELEASED_BY_TARGET},
                {PS_K_WIN_UNLOCK, false, 1 << PS_RELEASED_BY_UNLOCK | 1 << PS_RELEASED_BY_TARGET},
                {PS_K_WIN_FLUSH, true, 0},
                {PS_K_RMA_WAIT, false, 0}};

uint64_t ps_walk_unreleased(const struct engine *e)
{
        uint64_t kinds = 0;
        unsigned any = 0;
        if (e->options->definitions == PS_DEFINITIONS_PAPER)
                return 0;
        for (int sort = 0; sort <= PS_RELEASED_BY_ATOMIC; sort++)
                any |= (unsigned)ps_releases_are_any(e->releases, (ps_release_sort)sort) << sort;
        for (size_t i = 0; i < sizeof(released) / sizeof(*released); i++)
                if (!(released[i].sorts & any) && !(released[i].of_mpi_alone && e->inner) &&
                    e->acts[released[i].kind][0] == ACT_ONE_SIDED)
                        kinds |= PS_RARE_KIND(released[i].kind);
        return kinds;
}

static inline bool is_unreleased(const struct engine *e, uint8_t kind)
{
        return kind >= PS_K_PUT && e->unreleased >> (kind - PS_K_PUT) & 1;
}

PS_WALK_INLINE ps_op pass_unreleased(const struct local *l, ps_op op)
{
        const ps_ops *ops = l->ops;
        const ps_op end = l->end;
        while (op < end && is_unreleased(l->engine, ops->kind[op]) && ps_walk_is_whole(ops, op) &&
               ps_walk_is_at_window(l, ops, op))
                op++;
        return op;
}

ps_op ps_walk_pass_unreleased(const struct local *l, ps_op op)
{
        return pass_unreleased(l, op);
}

void ps_walk_one_sided(struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        switch (e->trace->ops[l->loc].kind[op]) {
        case PS_K_PUT:
        case PS_K_GET:
        case PS_K_WIN_START:
        case PS_K_WIN_COMPLETE:
                ask(l, PS_ON_ACCESS, PS_RELEASED_BY_POST, op);
                break;
        case PS_K_WIN_WAIT:
                ask(l, PS_ON_EXPOSURE, PS_RELEASED_BY_COMPLETE, op);
                break;
        case PS_K_ATOMIC:
                if (ps_walk_is_pgas(e, (ps_ref){l->loc, op}))
                        ask(l, PS_ON_ATOMIC, PS_RELEASED_BY_ATOMIC, op);
                else
                        ask(l, PS_ON_ACCESS, PS_RELEASED_BY_POST, op);
                break;
        case PS_K_WIN_LOCK:
        case PS_K_WIN_UNLOCK:
                ask_lock(l, op);
                break;
        case PS_K_WIN_FLUSH:
                ask_fence(l, op);
                break;
        default:
                break;
        }
}

ps_op ps_walk_alone(struct local *l, ps_op op)
{
        do {
                if (is_unreleased(l->engine, l->ops->kind[op])) {
                        op = pass_unreleased(l, op + 1) - 1;
                        continue;
                }
                l->worker->call = op;
                l->worker->call_left = -1;
                if (ps_walk_act(l->engine, l->ops, op) == ACT_THREAD)
                        ps_walk_thread(l, op);
                else
                        ps_walk_one_sided(l, op);
        } while (++op < l->end && ps_walk_is_alone(l, op, ps_walk_act(l->engine, l->ops, op)));
        return op;
}

/* -- collectives of PGAS programs -- */

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
