/* walk_teams.c - threads that come to their team and leave it, its barriers, and locks of threads.
 *
 * Where calls may be plain all of them are gone through in one go, and what was lost follows from the columns
 * and from who gave what was waited for (patterns/releases/threads.h). The long way is the reference. */
#include "patterns/engine/book.h"
#include "patterns/engine/coll_sums.h"

/* -- what was waited for -- */

/* From `begin` to `end` the thread lost, as it came to its team or left it, by what `by` did. */
struct lost_time {
        ps_time begin, end;
        ps_ref by;
};

PS_WALK_INLINE bool find_team(const struct local *l, ps_op op, bool is_fork, struct lost_time *out)
{
        struct teams *t = &l->worker->teams;
        const ps_time time = l->leave[op];
        const ps_giver *by = is_fork ? ps_giving_last(&t->forks, time) : ps_giving_first(&t->joins, time);
        if (by)
                *out = is_fork ? (struct lost_time){by->time, time, by->ref}
                               : (struct lost_time){l->enter[op], by->time, by->ref};
        return by;
}

PS_WALK_INLINE const ps_giver *find_holder(const struct local *l, ps_op op)
{
        struct teams *t = &l->worker->teams;
        const uint32_t id = ps_op_tag(l->ops, op);
        const ps_span call = {l->enter[op], l->leave[op]};
        if (l->ops->flags[op] & PS_OP_CANCELLED || call.begin == call.end || !t->all->n_locks)
                return NULL;
        return ps_threads_holder(t->all, l->process, id, l->loc, call, &t->near_lock[id % PS_NEAR_LOCKS]);
}

/* -- the long way -- */

static ps_call_view thread_call(const struct local *l, ps_op op)
{
        return (ps_call_view){.enter = l->enter[op],
                              .leave = l->leave[op],
                              .bytes = ps_op_bytes(l->ops, op),
                              .eager_bytes = l->engine->eager_bytes,
                              .kind = (ps_kind)l->ops->kind[op],
                              .n = 1};
}

/* What of a lock is told by the region that asks for it. */
enum { IS_CRITICAL = 1, IS_OPENMP = 2 };
_Static_assert(PS_LOCK_SORTS == 2 * IS_OPENMP, "sorts of locks");

PS_WALK_INLINE unsigned sort_of_lock(const struct local *l, ps_op op)
{
        const ps_trace *trace = l->engine->trace;
        const ps_region region = trace->paths[ps_op_path(l->ops, op)].region;
        if (region == PS_NONE)
                return 0;
        const ps_region_def *def = &trace->defs.regions.row[region];
        return (def->role == PS_ROLE_CRITICAL ? IS_CRITICAL : 0) |
               (def->paradigm == PS_PARADIGM_OPENMP ? IS_OPENMP : 0);
}

static void ask_lock(struct local *l, ps_op op)
{
        const ps_giver *holder = find_holder(l, op);
        if (!holder)
                return;
        const unsigned sort = sort_of_lock(l, op);
        ps_call_view view = thread_call(l, op);
        view.released = holder->time;
        view.is_critical = sort & IS_CRITICAL;
        view.is_openmp = sort & IS_OPENMP;
        ps_walk_ask_call(l, PS_ON_LOCK, &view, (ps_ref){l->loc, op}, holder->ref, PS_NONE);
}

static void ask_team(struct local *l, ps_op op, bool is_fork)
{
        struct lost_time lost;
        if (!find_team(l, op, is_fork, &lost))
                return;
        ps_call_view view = thread_call(l, op);
        view.enter = lost.begin;
        view.leave = lost.end;
        ps_walk_ask_call(l, is_fork ? PS_ON_FORK : PS_ON_JOIN, &view, (ps_ref){l->loc, op}, lost.by, PS_NONE);
}

void ps_walk_thread(struct local *l, ps_op op)
{
        if (l->ops->kind[op] == PS_K_LOCK_ACQUIRE)
                ask_lock(l, op);
        else
                ask_team(l, op, l->ops->kind[op] == PS_K_TEAM_BEGIN);
}

/* -- in one go -- */

static bool find_lock_row(const ps_rules *rules, unsigned sort, uint32_t *pattern)
{
        const ps_call_view taken = {.enter = 0,
                                    .leave = 2,
                                    .released = 1,
                                    .is_critical = sort & IS_CRITICAL,
                                    .is_openmp = sort & IS_OPENMP};
        return ps_rules_find_wait(rules, PS_ON_LOCK, &taken, pattern);
}

/* Of barriers of a kind: the pattern of waits at them, where that is all that is asked. */
static uint32_t find_barrier_row(const struct engine *e, unsigned kind)
{
        const struct plain_coll *as = &e->plain.coll[kind - PS_K_INIT];
        return as->is_so && as->waits == PS_PART_WAITS_FOR_ALL && as->completion == PS_NONE ? as->wait
                                                                                            : PS_NONE;
}

static bool are_team_rows(const ps_rules *rules, ps_subject subject)
{
        return !rules->n_roots[subject] ||
               (rules->n_roots[subject] == 1 && rules->needs[subject] & PS_LOSES_CALL &&
                rules->rule[rules->root[subject][0]].is_of_team &&
                !rules->rule[rules->root[subject][0]].counts_when_short);
}

void ps_walk_find_teams(struct engine *e)
{
        const ps_rules *rules = &e->rules;
        e->plain.are_teams =
                are_team_rows(rules, PS_ON_FORK) && are_team_rows(rules, PS_ON_JOIN) &&
                (!rules->n_roots[PS_ON_LOCK] || rules->needs[PS_ON_LOCK] & PS_LOSES_UNTIL_RELEASED);
        for (unsigned i = 0; i < PS_TEAM_BARRIERS; i++)
                e->plain.barrier[i] = find_barrier_row(e, PS_K_TEAM_BARRIER + i);
        for (unsigned sort = 0; sort < PS_LOCK_SORTS; sort++)
                e->plain.are_teams &= find_lock_row(rules, sort, &e->plain.lock[sort]);
}

/* Threads of a process have one clock, so that nothing of what was lost is doubtful. */
static void book_repeated(struct local *l, const struct repeated *r)
{
        const struct engine *e = l->engine;
        if (r->pattern == PS_NONE)
                return;
        const ps_path path = l->ops->calls[r->call].path;
        if (e->rules.rule[r->pattern].is_of_team) {
                ps_walk_account_for_team(l, path, r->time);
        } else {
                move_time(l, (ps_time_kind)e->kind_of_path[path], PS_TIME_WAITING, r->time);
                wait_at(l, (ps_ref){l->loc, 0}, path, r->time);
        }
        if (!r->n || l->status != PS_OK)
                return;
        const struct found worst = {r->longest, r->partner, r->pattern, PS_NONE, r->op};
        ps_finding *finding = ps_walk_findings(l, r->pattern, path, r->lost, r->lost, r->n, r->longest);
        if (finding)
                ps_walk_keep_worst_found(l, finding, worst, r->begin, r->longest);
}

void ps_walk_begin_teams(struct local *l)
{
        const ps_threads *all = ps_prepared_threads(l->engine->prepared);
        struct teams *t = &l->worker->teams;
        t->all = all;
        t->forks = ps_givers_of(&all->forks, l->process, 0);
        t->joins = ps_givers_of(&all->joins, l->process, 0);
        for (int i = 0; i < PS_REPEATED; i++)
                t->repeated[i].pattern = PS_NONE;
}

void ps_walk_end_teams(struct local *l)
{
        for (int i = 0; i < PS_REPEATED; i++)
                book_repeated(l, &l->worker->teams.repeated[i]);
}

/* At another place. Not inlined: it is seldom so. */
__attribute__((noinline)) static void begin_repeated(struct local *l, struct repeated *r, uint32_t pattern,
                                                     uint32_t call)
{
        book_repeated(l, r);
        *r = (struct repeated){.pattern = pattern, .call = call};
}

/* A wait for another thread of the process, or for its team, since `begin`. */
PS_WALK_INLINE void repeat(struct local *l, ps_op op, uint32_t pattern, ps_ref partner, ps_time begin,
                           ps_time lost)
{
        const struct engine *e = l->engine;
        const uint32_t call = l->ops->call[op];
        struct repeated *r = &l->worker->teams.repeated[(call + pattern) % PS_REPEATED];
        if (r->pattern != pattern || r->call != call)
                begin_repeated(l, r, pattern, call);
        r->time = ps_time_add(r->time, lost);
        if (lost < e->rules.epsilon)
                return;
        r->n++;
        r->lost = ps_time_add(r->lost, lost);
        if (lost > r->longest) {
                r->longest = lost;
                r->begin = begin;
                r->partner = partner;
                r->op = op;
        }
        ps_walk_show_if_wanted(l, &(struct found){lost, partner, pattern, PS_NONE, op}, begin,
                               l->ops->calls[call].path);
}

/* False: it does not lie in the focus, and nothing is booked. */
PS_WALK_INLINE bool book_team(struct local *l, ps_op op, bool is_fork)
{
        const struct engine *e = l->engine;
        struct lost_time lost;
        if (!find_team(l, op, is_fork, &lost) || lost.end <= lost.begin)
                return true;
        if (lost.begin < e->plain.span.begin || lost.end > e->plain.span.end)
                return false;
        repeat(l, op, e->rules.root[is_fork ? PS_ON_FORK : PS_ON_JOIN][0], lost.by, lost.begin,
               lost.end - lost.begin);
        return true;
}

PS_WALK_INLINE bool book_lock(struct local *l, ps_op op)
{
        const struct plain *plain = &l->engine->plain;
        const ps_giver *holder = find_holder(l, op);
        const uint32_t pattern = holder ? plain->lock[sort_of_lock(l, op)] : PS_NONE;
        const ps_time enter = l->enter[op];
        if (pattern == PS_NONE)
                return true;
        if (enter < plain->span.begin || l->leave[op] > plain->span.end)
                return false;
        repeat(l, op, pattern, holder->ref, enter, holder->time - enter);
        return true;
}

/* A barrier has no records inside: what the call took is the part in it, and all take part. */
PS_WALK_INLINE bool book_barrier(struct local *l, ps_op op, unsigned kind)
{
        const struct engine *e = l->engine;
        const ps_trace *trace = e->trace;
        const ps_time enter = l->enter[op], leave = l->leave[op];
        const uint32_t pattern = e->plain.barrier[kind - PS_K_TEAM_BARRIER];
        if (!(l->ops->flags[op] & PS_OP_MATCHED) || enter < e->plain.span.begin ||
            leave > e->plain.span.end || pattern == PS_NONE)
                return false;
        const struct sum *sum = &e->colls->sum[trace->members[l->ops->link[op]].coll];
        if (!sum->is_of_team)
                return false;
        const ps_time lost = earlier(sum->latest_begin, leave) - enter;
        if (lost <= 0) /* whoever is alone is the latest */
                return true;
        const ps_ref last = trace->members[sum->latest].ref;
        if (trace->defs.locations.row[last.loc].process != l->process)
                return false;
        repeat(l, op, pattern, last, enter, lost);
        return true;
}

/* False: it is nothing of a team, or of threads. */
PS_WALK_INLINE bool book_thread(struct local *l, ps_op op, unsigned act, unsigned kind)
{
        if (act != ACT_THREAD)
                return act == ACT_COLLECTIVE && ps_kind_is_of_team(kind) && book_barrier(l, op, kind);
        return kind == PS_K_LOCK_ACQUIRE ? book_lock(l, op)
               : kind == PS_K_TEAM_BEGIN ? book_team(l, op, true)
                                         : book_team(l, op, false);
}

/* Calls of several rows are none of threads, and neither are nonblocking ones. */
/* What is the first row of a call that is not gone through here was passed over, and is its begin again. */
ps_op ps_walk_teams(struct local *l, ps_op op)
{
        const uint8_t *kinds = l->ops->kind, *flags = l->ops->flags, *acts = l->engine->plain.act[0];
        size_t i = op;
        for (const size_t end = l->engine->plain.are_teams ? l->end : 0, last = l->ops->n - 1; i < end; i++) {
                const unsigned kind = kinds[i], act = acts[kind];
                if (flags[i] & (PS_OP_NONBLOCKING | PS_OP_PART))
                        break;
                if (act != ACT_PASS &&
                    ((i < last && flags[i + 1] & PS_OP_PART) || !book_thread(l, (ps_op)i, act, kind)))
                        break;
        }
        return (ps_op)(i - (i > op && i < l->end && flags[i] & PS_OP_PART));
}
