/* handovers.c - see handovers.h.
 *
 * Two calls mean one lock if window, target and id agree; locks of PGAS programs have ids of their own, so
 * that their target does not matter; those of threads are of a process. Whoever gets a lock got it from the
 * last one whose unlock had begun before: no interval of holding it has to be built. The record of the
 * release is no help to find that one, because a recorder may write it when the next owner has the lock
 * already. Some libraries of MPI only ask for a lock when it is given back, so that the wait may be in
 * MPI_Win_unlock, and there only the record tells who came first; as of threads, of which a release is no
 * more than its record. */
#include "core/sums/handovers.h"

#include "core/base/search.h"
#include "core/base/vector.h"

#include <stdlib.h>

enum { OPEN_LOCKS = 64 }; /* of one location at a time, whose sort is remembered */

struct key {
        uint64_t id;
        uint32_t window, target; /* of threads: the process, and no target */
        uint8_t is_of_threads;
};

/* A call that gives a lock back (`record`: when), or one that may wait for it. */
struct use {
        struct key key;
        ps_time time; /* what it is sorted by, or looked for by */
        ps_time record;
        ps_ref ref;
        uint8_t shared;
};

struct uses {
        struct use *at;
        uint32_t n, cap;
};

/* Who gives a lock back, as those look for it who take it. */
struct givers {
        struct uses all, exclusive; /* exclusive: those that stop readers, too */
};

struct locks {
        const ps_trace *trace;
        const ps_timing *timing;
        struct givers by_enter;  /* for a lock */
        struct givers by_record; /* for an unlock, and for threads */
        struct uses takes;
        struct use open[OPEN_LOCKS];
        uint32_t n_open;
};

static int compare_keys(const struct key *x, const struct key *y)
{
        PS_ORDER_BY(x->is_of_threads, y->is_of_threads);
        PS_ORDER_BY(x->id, y->id);
        PS_ORDER_BY(x->window, y->window);
        return PS_ORDER(x->target, y->target);
}

static int compare_uses(const void *a, const void *b)
{
        const struct use *x = a, *y = b;
        int keys = compare_keys(&x->key, &y->key);
        if (keys)
                return keys;
        PS_ORDER_BY(x->time, y->time);
        return ps_refs_compare(&x->ref, &y->ref);
}

static ps_status append_use(struct uses *uses, const struct use *use, ps_error *err)
{
        return PS_APPEND(uses->at, uses->n, uses->cap, *use) ? PS_NOMEM(err, "locks", uses->cap) : PS_OK;
}

/* Which lock a call means; 0 when the trace does not tell. */
static bool key_of(const ps_trace *trace, ps_ref ref, struct key *out)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        if (ops->kind[ref.op] == PS_K_LOCK_ACQUIRE || ops->kind[ref.op] == PS_K_LOCK_RELEASE) {
                *out = (struct key){ps_op_tag(ops, ref.op), trace->defs.locations.row[ref.loc].process,
                                    PS_NONE, 1};
                return true;
        }
        int pgas = ps_op_is_pgas(trace, ref);
        *out = (struct key){ps_op_bytes(ops, ref.op), ps_op_comm(ops, ref.op),
                            pgas ? PS_NONE : ps_op_peer(ops, ref.op), 0};
        return ops->link[ref.op] == 0 && (pgas || out->target != PS_NONE);
}

static void remember_lock(struct locks *l, const struct use *lock)
{
        if (l->n_open < OPEN_LOCKS)
                l->open[l->n_open++] = *lock;
}

/* Whether the lock that is given back was one for reading. */
static uint8_t forget_lock(struct locks *l, const struct key *key)
{
        for (uint32_t i = l->n_open; i-- > 0;)
                if (compare_keys(&l->open[i].key, key) == 0) {
                        uint8_t shared = l->open[i].shared;
                        l->open[i] = l->open[--l->n_open];
                        return shared;
                }
        return 0;
}

static ps_status add_giver(struct givers *givers, struct use use, ps_time time, ps_error *err)
{
        use.time = time;
        PS_TRY(append_use(&givers->all, &use, err));
        return use.shared ? PS_OK : append_use(&givers->exclusive, &use, err);
}

/* What others did after an unlock gave the lock back it did not wait for. */
static ps_status add_unlock(struct locks *l, struct use *use, ps_error *err)
{
        use->shared = forget_lock(l, &use->key);
        use->time = use->record = ps_op_record_begin(l->trace, l->timing, use->ref);
        PS_TRY(add_giver(&l->by_record, *use, use->record, err));
        return add_giver(&l->by_enter, *use, l->timing->enter[use->ref.loc][use->ref.op], err);
}

static ps_status add_window_use(struct locks *l, struct use *use, ps_error *err)
{
        const ps_ops *ops = &l->trace->ops[use->ref.loc];
        ps_status status = PS_OK;
        if (ops->kind[use->ref.op] == PS_K_WIN_LOCK) {
                use->shared = ps_op_tag(ops, use->ref.op) == 1;
                remember_lock(l, use);
        } else {
                status = add_unlock(l, use, err);
        }
        return status != PS_OK || ops->flags[use->ref.op] & PS_OP_NONBLOCKING
                       ? status
                       : append_use(&l->takes, use, err);
}

static ps_status add_lock_use(struct locks *l, ps_ref ref, ps_error *err)
{
        const ps_ops *ops = &l->trace->ops[ref.loc];
        struct use use = {.ref = ref, .time = l->timing->leave[ref.loc][ref.op]};
        if (!key_of(l->trace, ref, &use.key) || ops->flags[ref.op] & PS_OP_CANCELLED)
                return PS_OK;
        if (ops->kind[ref.op] == PS_K_LOCK_ACQUIRE)
                return append_use(&l->takes, &use, err);
        if (ops->kind[ref.op] != PS_K_LOCK_RELEASE)
                return add_window_use(l, &use, err);
        use.record = use.time;
        return add_giver(&l->by_record, use, use.record, err);
}

/* Of what is as rare as they are. */
static bool is_of_locks(uint8_t kind)
{
        return kind == PS_K_LOCK_ACQUIRE || kind == PS_K_LOCK_RELEASE || kind == PS_K_WIN_LOCK ||
               kind == PS_K_WIN_UNLOCK;
}

static ps_status collect_locks(struct locks *l, ps_error *err)
{
        for (ps_loc loc = 0; loc < l->trace->n_locs; loc++) {
                const ps_ops *ops = &l->trace->ops[loc];
                l->n_open = 0;
                for (ps_op op = 0; (op = ps_ops_seek(ops, op, PS_K_WIN_LOCK)) < ops->n; op++)
                        if (is_of_locks(ops->kind[op]))
                                PS_TRY(add_lock_use(l, (ps_ref){loc, op}, err));
        }
        return PS_OK;
}

static bool is_until(const struct use *give, const struct use *use)
{
        int keys = compare_keys(&give->key, &use->key);
        return keys < 0 || (keys == 0 && give->time <= use->time);
}

/* Behind the last of `gives` that is not after `use`. */
static uint32_t first_after(const struct uses *gives, const struct use *use)
{
        uint32_t low = 0;
        PS_SEARCH(low, gives->n, i, is_until(&gives->at[i], use));
        return low;
}

static ps_status add_handover(ps_handovers *to, const struct locks *l, const struct use *take, ps_error *err)
{
        bool locks = l->trace->ops[take->ref.loc].kind[take->ref.op] == PS_K_WIN_LOCK;
        const struct givers *givers = locks ? &l->by_enter : &l->by_record;
        const struct uses *gives = take->shared ? &givers->exclusive : &givers->all;
        ps_time enter = l->timing->enter[take->ref.loc][take->ref.op];
        for (uint32_t i = first_after(gives, take); i-- > 0;) {
                const struct use *give = &gives->at[i];
                if (compare_keys(&give->key, &take->key) != 0 || give->record <= enter)
                        return PS_OK;
                if (give->ref.loc == take->ref.loc)
                        continue;
                ps_time until = give->record < take->time ? give->record : take->time;
                const ps_handover found = {take->ref, give->ref, until};
                return PS_APPEND(to->row, to->n, to->cap, found) ? PS_NOMEM(err, "locks", to->n) : PS_OK;
        }
        return PS_OK;
}

static void sort_uses(struct uses *uses)
{
        if (uses->n)
                qsort(uses->at, uses->n, sizeof(*uses->at), compare_uses);
}

ps_status ps_handovers_find(ps_handovers *out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        struct locks l = {.trace = trace, .timing = timing};
        struct uses *const sorted[] = {&l.by_enter.all, &l.by_enter.exclusive, &l.by_record.all,
                                       &l.by_record.exclusive};
        *out = (ps_handovers){0};
        ps_status status = collect_locks(&l, err);
        for (int i = 0; i < 4; i++)
                sort_uses(sorted[i]);
        for (uint32_t i = 0; i < l.takes.n && status == PS_OK; i++)
                status = add_handover(out, &l, &l.takes.at[i], err);
        for (int i = 0; i < 4; i++)
                free(sorted[i]->at);
        free(l.takes.at);
        return status;
}
