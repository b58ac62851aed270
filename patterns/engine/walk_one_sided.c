/* walk_one_sided.c - one-sided calls of MPI and of PGAS programs. */
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

PS_WALK_INLINE ps_op pass_unreleased(const struct local *l, ps_op op)
{
        const ps_ops *ops = l->ops;
        const ps_op end = l->end;
        while (op < end && ps_walk_is_unreleased(l->engine, ops->kind[op]) && ps_walk_is_whole(ops, op) &&
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
                if (ps_walk_is_unreleased(l->engine, l->ops->kind[op])) {
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
