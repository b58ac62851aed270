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

#include "core/base/hash.h"
#include "core/base/lookup.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/order/runs.h"

#include <stdlib.h>

/* -- who takes and gives -- */

enum { OPEN_LOCKS = 64 }; /* of one location at a time, whose sort is remembered */

struct open_locks {
        uint32_t at[OPEN_LOCKS]; /* the uses that took them */
        uint32_t n;
};

static inline bool is_same_lock(const ps_lock_use *x, const ps_lock_use *y)
{
        return x->id == y->id && x->window == y->window && x->target == y->target;
}

/* The calls of a location: of what is asked of each of them nothing is looked for again. */
struct calls {
        const ps_trace *trace;
        const ps_timing *timing;
        const ps_ops *ops;
        const ps_time *enter, *leave;
        ps_loc location;
        ps_proc process;
        bool has_threads; /* locks of threads are asked for, too */
        bool has_pgas;    /* some operations may be those of a PGAS program */
        bool is_measured; /* the times are those that were measured */
};

/* When the record was written that gives a lock of a window back. */
static inline ps_time given_at(const struct calls *c, ps_op op)
{
        const uint32_t narrow = c->ops->pre[op];
        return c->is_measured && narrow != UINT32_MAX
                       ? c->enter[op] + narrow
                       : ps_op_record_begin(c->trace, c->timing, (ps_ref){c->location, op});
}

static inline void describe_of_threads(ps_lock_use *use, const struct calls *c, ps_op op)
{
        use->id = ps_op_tag(c->ops, op);
        use->window = c->process;
        use->target = PS_LOCK_OF_THREADS;
        use->record = c->leave[op];
        use->takes = c->ops->kind[op] == PS_K_LOCK_ACQUIRE;
        use->is_known = !(c->ops->flags[op] & PS_OP_CANCELLED);
}

static inline void describe_of_window(ps_lock_use *use, const struct calls *c, ps_op op, uint8_t kind)
{
        const ps_ops *ops = c->ops;
        const uint8_t flags = ops->flags[op];
        const struct ps_call *call = &ops->calls[ops->call[op]];
        const bool is_pgas = c->has_pgas && ps_op_is_pgas(c->trace, (ps_ref){c->location, op});
        const uint32_t target = is_pgas ? PS_NONE : ops->peer ? ops->peer[op] : call->peer;
        use->id = call->varies ? ops->length[op] : call->bytes;
        use->window = call->comm;
        use->target = target;
        use->record = kind == PS_K_WIN_UNLOCK ? given_at(c, op) : c->leave[op];
        use->takes = !(flags & PS_OP_NONBLOCKING);
        use->is_known = !(flags & PS_OP_CANCELLED) && ops->link[op] == 0 && (is_pgas || target != PS_NONE);
}

/* Whether the lock that is given back was one for reading. */
static bool forget_lock(struct open_locks *open, const ps_lock_use *uses, const ps_lock_use *use)
{
        for (uint32_t i = open->n; i-- > 0;) {
                const ps_lock_use *took = &uses[open->at[i]];
                if (is_same_lock(took, use)) {
                        open->at[i] = open->at[--open->n];
                        return took->is_shared;
                }
        }
        return false;
}

/* Of a use that is known to be of a window. What is not found was not for reading: as long as no such lock is
 * open, none has to be remembered. */
static inline bool find_sort(struct open_locks *open, const ps_ops *ops, const ps_lock_use *uses,
                             const ps_lock_use *use, ps_op op, uint8_t kind)
{
        if (kind == PS_K_WIN_UNLOCK)
                return open->n && forget_lock(open, uses, use);
        const bool is_shared = ps_op_tag(ops, op) == 1;
        if ((is_shared || open->n) && open->n < OPEN_LOCKS)
                open->at[open->n++] = (uint32_t)(use - uses);
        return is_shared;
}

static inline bool is_of_windows(uint8_t kind)
{
        return kind == PS_K_WIN_LOCK || kind == PS_K_WIN_UNLOCK;
}

static inline bool is_of_threads(uint8_t kind)
{
        return kind == PS_K_LOCK_ACQUIRE || kind == PS_K_LOCK_RELEASE;
}

/* Into a row of `uses`. */
static inline void describe_use(ps_lock_use *use, const ps_lock_use *uses, const struct calls *c, ps_op op,
                                uint8_t kind, struct open_locks *open)
{
        use->enter = c->enter[op];
        use->leave = c->leave[op];
        use->ref.loc = c->location;
        use->ref.op = op;
        use->kind = kind;
        use->is_shared = 0;
        use->lock = PS_NONE;
        if (is_of_windows(kind)) {
                describe_of_window(use, c, op, kind);
                if (use->is_known)
                        use->is_shared = find_sort(open, c->ops, uses, use, op, kind);
        } else {
                describe_of_threads(use, c, op);
        }
}

/* Some from row `op` on, for which there is room; returns the row behind them. What is passed between two of
 * them is mostly short. */
static ps_op describe_uses(ps_lock_uses *to, const struct calls *c, ps_op op, struct open_locks *open)
{
        enum { NEAR = 4, MOST = 256 };
        const uint8_t *kinds = c->ops->kind;
        const ps_op n = c->ops->n;
        const uint32_t room = to->cap - to->n;
        ps_lock_use *uses = to->row, *use = uses + to->n;
        const ps_lock_use *end = use + (room < MOST ? room : MOST);
        ps_blocks_keep();
        for (ps_op last = op; op < n; op++) {
                const uint8_t kind = kinds[op];
                if (kind < PS_K_WIN_LOCK) {
                        if (op - last >= NEAR)
                                op = ps_ops_seek_on(c->ops, op, PS_K_WIN_LOCK) - 1;
                        continue;
                }
                last = op;
                if (!is_of_windows(kind) && !(c->has_threads && is_of_threads(kind)))
                        continue;
                if (use == end)
                        break;
                describe_use(use++, uses, c, op, kind, open);
        }
        to->n = (uint32_t)(use - uses);
        return op;
}

ps_status ps_lock_uses_add(ps_lock_uses *to, const ps_trace *trace, const ps_timing *timing, ps_loc location,
                           bool has_threads, ps_error *err)
{
        const ps_ops ops = trace->ops[location];
        const struct calls c = {.trace = trace,
                                .timing = timing,
                                .ops = &ops,
                                .enter = timing->enter[location],
                                .leave = timing->leave[location],
                                .location = location,
                                .process = trace->defs.locations.row[location].process,
                                .has_threads = has_threads,
                                .has_pgas = ps_defs_has_pgas(&trace->defs),
                                .is_measured = timing == &trace->measured};
        struct open_locks open;
        open.n = 0;
        for (ps_op op = ps_ops_seek(&ops, 0, PS_K_WIN_LOCK); op < ops.n;) {
                if (PS_ROOM(to->row, to->n, to->cap))
                        return PS_NOMEM(err, "locks", to->n);
                op = describe_uses(to, &c, op, &open);
        }
        return PS_OK;
}

/* -- which lock -- */

static inline bool gives_back(const ps_lock_use *use)
{
        return use->is_known && (use->kind == PS_K_LOCK_RELEASE || use->kind == PS_K_WIN_UNLOCK);
}

/* One that gives a lock back, and when. */
struct give {
        const ps_lock_use *use;
        ps_time time;
};

/* In order of time and place. */
struct gives {
        struct give *row;
        uint32_t n;
};

/* Who gives a lock back, as those look for it who take it: in order of the calls for a lock of a window, of
 * the records for an unlock and for threads. */
struct givers {
        struct gives by_enter, by_record;
        uint32_t near; /* how many of them were found last to have come before, in either order */
};

/* Known by one of its uses. Who alone uses a lock gets it from nobody. */
struct lock {
        const ps_lock_use *use;
        bool is_of_several;
        struct givers all, exclusive; /* exclusive: those that stop readers, too; without rows: as all */
};

struct locks {
        struct lock *row;
        uint32_t n, cap;
        ps_lookup by_name;
};

static uint64_t hash_of_use(const ps_lock_use *use)
{
        return ps_hash_pair(use->id, (uint64_t)use->window << 32 | use->target);
}

static uint64_t hash_of_lock(const void *locks, uint32_t i)
{
        return hash_of_use(((const struct lock *)locks)[i].use);
}

static bool is_lock_of(const void *use, const void *locks, uint32_t i)
{
        return is_same_lock(use, ((const struct lock *)locks)[i].use);
}

/* -1: no memory. */
static int number_lock(struct locks *locks, const ps_lock_use *use, uint32_t *number)
{
        if (ps_lookup_room(&locks->by_name, locks->n, hash_of_lock, locks->row))
                return -1;
        uint32_t *slot = ps_lookup_find(&locks->by_name, hash_of_use(use), is_lock_of, use, locks->row);
        if (!*slot) {
                const struct lock lock = {.use = use};
                if (PS_APPEND(locks->row, locks->n, locks->cap, lock))
                        return -1;
                *slot = locks->n;
        }
        *number = *slot - 1;
        return 0;
}

static inline void count_use(struct lock *lock, const ps_lock_use *use)
{
        lock->is_of_several |= lock->use->ref.loc != use->ref.loc;
        if (!gives_back(use))
                return;
        lock->all.by_enter.n++;
        lock->exclusive.by_enter.n += !use->is_shared;
}

/* Mostly it is that of the use before. -1: no memory. */
static int number_locks(struct locks *locks, const ps_lock_uses *uses)
{
        struct lock *lock = NULL;
        uint32_t number = 0;
        for (ps_lock_use *use = uses->row, *end = use + uses->n; use < end;)
                for (const ps_lock_use *stop = ps_lock_uses_stretch(use, end); use < stop; use++) {
                        if (!use->is_known)
                                continue;
                        if (!lock || !is_same_lock(lock->use, use)) {
                                if (number_lock(locks, use, &number) < 0)
                                        return -1;
                                lock = &locks->row[number];
                        }
                        use->lock = number;
                        count_use(lock, use);
                }
        return 0;
}

/* -- from whom to whom -- */

static inline bool is_given_before(const struct give *a, const struct give *b)
{
        return a->time != b->time ? a->time < b->time : ps_ref_place(a->use->ref) < ps_ref_place(b->use->ref);
}

PS_RUNS(gives, struct give, is_given_before)

/* So many rows the givers of a lock take, who have been counted. */
static size_t rows_of(const struct lock *lock)
{
        const size_t all = lock->all.by_enter.n, exclusive = lock->exclusive.by_enter.n;
        return !lock->is_of_several ? 0 : 2 * (all == exclusive ? all : all + exclusive);
}

/* From `row` on. */
static void divide_rows(struct lock *lock, struct give *row)
{
        const size_t all = lock->all.by_enter.n, exclusive = lock->exclusive.by_enter.n;
        const bool is_of_several = lock->is_of_several;
        lock->all = lock->exclusive = (struct givers){0};
        if (!is_of_several)
                return;
        lock->all = (struct givers){{.row = row}, {.row = row + all}, 0};
        row += 2 * all;
        if (all != exclusive)
                lock->exclusive = (struct givers){{.row = row}, {.row = row + exclusive}, 0};
}

static inline void add_give(struct gives *to, const ps_lock_use *use)
{
        to->row[to->n++] = (struct give){use, is_of_threads(use->kind) ? use->record : use->enter};
}

static void add_gives(struct locks *locks, const ps_lock_uses *uses)
{
        for (ps_lock_use *use = uses->row, *end = use + uses->n; use < end;)
                for (const ps_lock_use *stop = ps_lock_uses_stretch(use, end); use < stop; use++) {
                        if (!gives_back(use) || !locks->row[use->lock].all.by_enter.row)
                                continue;
                        struct lock *lock = &locks->row[use->lock];
                        add_give(&lock->all.by_enter, use);
                        if (lock->exclusive.by_enter.row && !use->is_shared)
                                add_give(&lock->exclusive.by_enter, use);
                }
}

/* The same by their records, in an order that is mostly theirs, too. */
static void sort_givers(struct givers *givers, struct give *spare)
{
        const uint32_t n = givers->by_enter.n;
        gives_sort(givers->by_enter.row, spare, n);
        for (uint32_t i = 0; i < n; i++) {
                const ps_lock_use *use = givers->by_enter.row[i].use;
                givers->by_record.row[i] = (struct give){use, use->record};
        }
        gives_sort(givers->by_record.row, spare, n);
        givers->by_record.n = n;
}

/* All that is known of givers; gives the memory of it. */
static ps_status make_givers(struct locks *locks, const ps_lock_uses *uses, struct give **out, ps_error *err)
{
        size_t n = 0, most = 0;
        for (uint32_t i = 0; i < locks->n; i++) {
                const struct lock *lock = &locks->row[i];
                n += rows_of(lock);
                most = lock->all.by_enter.n > most ? lock->all.by_enter.n : most;
        }
        struct give *at = *out = ps_memory_new((n + most + 1) * sizeof(*at));
        if (!at)
                return PS_NOMEM(err, "locks", n);
        struct give *const spare = at + n;
        for (uint32_t i = 0; i < locks->n; i++) {
                const size_t rows = rows_of(&locks->row[i]);
                divide_rows(&locks->row[i], at);
                at += rows;
        }
        add_gives(locks, uses);
        for (uint32_t i = 0; i < locks->n; i++) {
                struct lock *lock = &locks->row[i];
                sort_givers(&lock->all, spare);
                if (lock->exclusive.by_enter.row)
                        sort_givers(&lock->exclusive, spare);
                else
                        lock->exclusive = lock->all;
        }
        return PS_OK;
}

/* The use from which another one got the lock, or PS_NONE. */
static inline uint32_t find_giver(struct lock *lock, const ps_lock_uses *uses, const ps_lock_use *take)
{
        struct givers *givers = take->is_shared ? &lock->exclusive : &lock->all;
        const struct gives *gives = take->kind == PS_K_WIN_LOCK ? &givers->by_enter : &givers->by_record;
        const struct give *row = gives->row;
        const ps_time latest = ps_lock_use_latest(take);
        uint32_t behind = 0, end = gives->n;
        PS_SEARCH_NEXT(behind, end, givers->near, i, row[i].time <= latest);
        PS_SEARCH(behind, end, i, row[i].time <= latest);
        givers->near = behind;
        while (behind-- > 0) {
                const ps_lock_use *give = row[behind].use;
                if (give->record <= take->enter)
                        break;
                if (give->ref.loc != take->ref.loc)
                        return (uint32_t)(give - uses->row);
        }
        return PS_NONE;
}

static ps_status find_givers(struct locks *locks, const ps_lock_uses *uses, ps_error *err)
{
        struct give *gives;
        PS_TRY(make_givers(locks, uses, &gives, err));
        for (ps_lock_use *use = uses->row, *end = use + uses->n; use < end;)
                for (const ps_lock_use *stop = ps_lock_uses_stretch(use, end); use < stop; use++)
                        use->from = use->is_known && use->takes
                                            ? find_giver(&locks->row[use->lock], uses, use)
                                            : PS_NONE;
        free(gives);
        return PS_OK;
}

ps_status ps_handovers_of(const ps_lock_uses *uses, ps_error *err)
{
        struct locks locks = {0};
        if (!uses->n)
                return PS_OK;
        ps_status status = number_locks(&locks, uses) < 0 ? PS_NOMEM(err, "locks", uses->n) : PS_OK;
        PS_THEN(status, find_givers(&locks, uses, err));
        free(locks.row);
        ps_lookup_free(&locks.by_name);
        return status;
}

ps_status ps_handovers_find(ps_handovers *out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        ps_lock_uses uses = {0};
        ps_status status = PS_OK;
        *out = (ps_handovers){0};
        for (ps_loc l = 0; l < trace->n_locs && status == PS_OK; l++)
                status = ps_lock_uses_add(&uses, trace, timing, l, true, err);
        PS_THEN(status, ps_handovers_of(&uses, err));
        for (uint32_t i = 0; i < uses.n && status == PS_OK; i++) {
                ps_blocks_keep();
                if (uses.row[i].from != PS_NONE &&
                    PS_APPEND(out->row, out->n, out->cap, ps_handover_to(&uses, &uses.row[i])))
                        status = PS_NOMEM(err, "locks", out->n);
        }
        free(uses.row);
        return status;
}
