/* walk_one_sided.c - one-sided calls of MPI and of PGAS programs. */
#include "patterns/engine/book.h"

static const ps_ref nobody = {PS_NONE, PS_NONE};

/* Of all that no row on such calls looks at nothing is told. */
static ps_call_view *one_sided_call(struct local *l, const ps_release *release, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_kind kind = (ps_kind)l->ops->kind[op];
        ps_call_view *view = &l->worker->one_sided;
        view->enter = l->enter[op];
        view->leave = l->leave[op];
        view->released = view->partner_enter = release ? release->until : PS_NEVER_BEGUN;
        view->transferred = release ? release->transferred : PS_NEVER_BEGUN;
        view->tolerance = e->tolerance;
        view->kind = kind;
        view->is_pgas = ps_walk_is_pgas(e, (ps_ref){l->loc, op});
        view->is_transfer = ps_kinds[kind].cls == PS_C_RMA;
        view->n = 1;
        return view;
}

__attribute__((noinline)) static void ask_at(struct local *l, ps_subject subject, const ps_release *release,
                                             ps_op op)
{
        ps_walk_ask_call(l, subject, one_sided_call(l, release, op), (ps_ref){l->loc, op},
                         release ? release->by : nobody, PS_NONE);
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
        ask_released(l, subject,
                     ps_releases_find(l->engine->releases, (ps_ref){l->loc, op}, sort, &l->worker->near), op);
}

/* A call that waited for who held the lock; false: it is not plain, and nothing is booked. */
static bool book_held(struct local *l, const ps_release *release, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_span call = {l->enter[op], l->leave[op]};
        const struct found f = {earlier(release->until, call.end) - call.begin, release->by,
                                e->plain.held[ps_walk_is_pgas(e, (ps_ref){l->loc, op})], PS_NONE, op};
        const bool is_plain = f.pattern != PS_NONE && is_first_wait(l, &f, call);
        if (is_plain)
                book_first_wait(l, f, call);
        return is_plain;
}

static void ask_lock(struct local *l, ps_op op)
{
        const ps_release *release =
                ps_releases_of_lock(l->engine->releases, (ps_ref){l->loc, op}, &l->worker->near);
        const bool is_held = release && release->sort == PS_RELEASED_BY_UNLOCK;
        if (is_held && l->is_plain && book_held(l, release, op))
                return;
        ask_released(l, PS_ON_LOCK_HELD, is_held ? release : NULL, op);
        if (!is_held)
                ask_released(l, PS_ON_PROGRESS, release, op);
}

__attribute__((noinline)) static void ask_fence(struct local *l, ps_op op)
{
        if (!finds_anything(l, PS_ON_PGAS_FENCE) || !ps_walk_is_pgas(l->engine, (ps_ref){l->loc, op}))
                return;
        ask_at(l, PS_ON_PGAS_FENCE, NULL, op);
}

/* The row that says what a call loses that waits for who holds a lock; PS_NONE: it is asked. */
static uint32_t find_held(const ps_rules *rules, bool is_pgas)
{
        const ps_call_view held = {
                .enter = 0, .leave = 2, .released = 1, .kind = PS_K_WIN_LOCK, .is_pgas = is_pgas};
        uint32_t pattern;
        return rules->needs[PS_ON_LOCK_HELD] & PS_LOSES_UNTIL_RELEASED &&
                               ps_rules_find_wait(rules, PS_ON_LOCK_HELD, &held, &pattern)
                       ? pattern
                       : PS_NONE;
}

/* A fence of a PGAS program tells something by itself. */
void ps_walk_find_released(struct engine *e)
{
        for (unsigned is_pgas = 0; is_pgas < 2; is_pgas++)
                e->plain.held[is_pgas] = find_held(&e->rules, is_pgas);
        for (unsigned kind = 0; kind < PS_K_COUNT; kind++)
                e->is_unreleased[kind] = e->options->definitions != PS_DEFINITIONS_PAPER &&
                                         e->acts[kind][0] == ACT_ONE_SIDED &&
                                         !(kind == PS_K_WIN_FLUSH && e->inner);
}

/* Behind a whole call, where no further row of it stands, begins another one. */
PS_WALK_INLINE ps_op pass_unreleased(struct local *l, ps_op op)
{
        const ps_ops *ops = l->ops;
        const uint8_t *kind = ops->kind, *flags = ops->flags;
        const struct ps_call *calls = ops->calls;
        const uint32_t *call = ops->call;
        const bool *is_unreleased = l->engine->is_unreleased;
        if (op >= l->end || !is_unreleased[kind[op]] || flags[op] & PS_OP_PART)
                return op;
        const ps_op next = ps_releases_next(l->engine->releases, (ps_ref){l->loc, op}, &l->worker->near);
        const size_t n = ops->n, end = next < l->end ? next : l->end;
        size_t at = op;
        while (at < end && is_unreleased[kind[at]] && !(at + 1 < n && flags[at + 1] & PS_OP_PART) &&
               (calls[call[at]].comm != PS_NONE || ps_walk_is_at_window(l, ops, (ps_op)at)))
                at++;
        return (ps_op)at;
}

ps_op ps_walk_pass_unreleased(struct local *l, ps_op op)
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
        case PS_K_RMA_WAIT:
                ask(l, PS_ON_CHANGE, PS_RELEASED_BY_WRITE, op);
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
        while ((op = pass_unreleased(l, op)) < l->end) {
                const enum act act = ps_walk_act(l->engine, l->ops, op);
                if (!ps_walk_is_alone(l, op, act))
                        break;
                l->worker->call = op;
                l->worker->call_left = -1;
                if (act == ACT_THREAD)
                        ps_walk_thread(l, op);
                else
                        ps_walk_one_sided(l, op);
                op++;
        }
        return op;
}
