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
        ps_ops ops;
        const ps_time *enter, *leave;
        ps_loc location;
        ps_proc process;
        bool has_pgas; /* some operations may be those of a PGAS program */
};

static inline void describe_of_threads(ps_lock_use *use, const struct calls *c, ps_op op)
{
        use->id = ps_op_tag(&c->ops, op);
        use->window = c->process;
        use->target = PS_LOCK_OF_THREADS;
        use->record = c->leave[op];
        use->takes = c->ops.kind[op] == PS_K_LOCK_ACQUIRE;
        use->is_known = !(c->ops.flags[op] & PS_OP_CANCELLED);
}

static inline void describe_of_window(ps_lock_use *use, const struct calls *c, ps_op op)
{
        const ps_ref ref = {c->location, op};
        const uint8_t flags = c->ops.flags[op];
        const struct ps_call *call = &c->ops.calls[c->ops.call[op]];
        const bool is_pgas = c->has_pgas && ps_op_is_pgas(c->trace, ref);
        use->id = call->varies ? c->ops.length[op] : call->bytes;
        use->window = call->comm;
        use->target = is_pgas ? PS_NONE : c->ops.peer ? c->ops.peer[op] : call->peer;
        use->record =
                use->kind == PS_K_WIN_UNLOCK ? ps_op_record_begin(c->trace, c->timing, ref) : use->leave;
        use->takes = !(flags & PS_OP_NONBLOCKING);
        use->is_known =
                !(flags & PS_OP_CANCELLED) && c->ops.link[op] == 0 && (is_pgas || use->target != PS_NONE);
}

/* Whether the lock that is given back was one for reading. */
static uint8_t forget_lock(struct open_locks *open, const ps_lock_use *uses, const ps_lock_use *use)
{
        for (uint32_t i = open->n; i-- > 0;) {
                const ps_lock_use *took = &uses[open->at[i]];
                if (is_same_lock(took, use)) {
                        open->at[i] = open->at[--open->n];
                        return took->is_shared;
                }
        }
        return 0;
}

/* Of use `i`, which is of a window. What is not found was not for reading: as long as no such lock is open,
 * none has to be remembered. */
static inline void find_sort(struct open_locks *open, const ps_ops *ops, ps_lock_use *uses, uint32_t i)
{
        ps_lock_use *use = &uses[i];
        if (!use->is_known)
                return;
        if (use->kind == PS_K_WIN_UNLOCK) {
                use->is_shared = forget_lock(open, uses, use);
                return;
        }
        use->is_shared = ps_op_tag(ops, use->ref.op) == 1;
        if ((use->is_shared || open->n) && open->n < OPEN_LOCKS)
                open->at[open->n++] = i;
}

static inline bool is_of_windows(uint8_t kind)
{
        return kind == PS_K_WIN_LOCK || kind == PS_K_WIN_UNLOCK;
}

static inline bool is_of_threads(uint8_t kind)
{
        return kind == PS_K_LOCK_ACQUIRE || kind == PS_K_LOCK_RELEASE;
}

/* Into row `i`. */
static inline void describe_use(ps_lock_use *uses, uint32_t i, const struct calls *c, ps_op op,
                                struct open_locks *open)
{
        ps_lock_use *use = &uses[i];
        use->enter = c->enter[op];
        use->leave = c->leave[op];
        use->ref = (ps_ref){c->location, op};
        use->kind = c->ops.kind[op];
        use->is_shared = 0;
        use->lock = PS_NONE;
        if (is_of_windows(use->kind)) {
                describe_of_window(use, c, op);
                find_sort(open, &c->ops, uses, i);
        } else {
                describe_of_threads(use, c, op);
        }
}

ps_status ps_lock_uses_add(ps_lock_uses *to, const ps_trace *trace, const ps_timing *timing, ps_loc location,
                           bool has_threads, ps_error *err)
{
        const struct calls c = {.trace = trace,
                                .timing = timing,
                                .ops = trace->ops[location],
                                .enter = timing->enter[location],
                                .leave = timing->leave[location],
                                .location = location,
                                .process = trace->defs.locations.row[location].process,
                                .has_pgas = ps_defs_has_pgas(&trace->defs)};
        struct open_locks open;
        open.n = 0;
        for (ps_op op = 0; (op = ps_ops_seek(&c.ops, op, PS_K_WIN_LOCK)) < c.ops.n; op++) {
                const uint8_t kind = c.ops.kind[op];
                if (!is_of_windows(kind) && !(has_threads && is_of_threads(kind)))
                        continue;
                ps_blocks_keep();
                if (PS_ROOM(to->row, to->n, to->cap))
                        return PS_NOMEM(err, "locks", to->n);
                describe_use(to->row, to->n++, &c, op, &open);
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
        uint32_t n, near; /* near: what was found last */
};

/* Who gives a lock back, as those look for it who take it: in order of the calls for a lock of a window, of
 * the records for an unlock and for threads. */
struct givers {
        struct gives by_enter, by_record;
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
static int number_lock(struct locks *locks, ps_lock_use *use)
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
        use->lock = *slot - 1;
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
static int number_locks(struct locks *locks, ps_lock_uses *uses)
{
        const ps_lock_use *last = NULL;
        for (ps_lock_use *use = uses->row, *end = use + uses->n; use < end; use++) {
                if (!use->is_known)
                        continue;
                ps_blocks_keep();
                if (last && is_same_lock(last, use))
                        use->lock = last->lock;
                else if (number_lock(locks, use) < 0)
                        return -1;
                last = use;
                count_use(&locks->row[use->lock], use);
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
        lock->all = (struct givers){{.row = row}, {.row = row + all}};
        row += 2 * all;
        if (all != exclusive)
                lock->exclusive = (struct givers){{.row = row}, {.row = row + exclusive}};
}

static inline void add_give(struct gives *to, const ps_lock_use *use)
{
        to->row[to->n++] = (struct give){use, is_of_threads(use->kind) ? use->record : use->enter};
}

static void add_gives(struct locks *locks, const ps_lock_uses *uses)
{
        for (const ps_lock_use *use = uses->row, *end = use + uses->n; use < end; use++) {
                ps_blocks_keep();
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

/* What others did after an unlock gave the lock back it did not wait for. */
static ps_time latest_of(const ps_lock_use *take)
{
        return take->kind == PS_K_WIN_UNLOCK ? take->record : take->leave;
}

static ps_status add_handover(ps_handovers *to, struct lock *lock, const ps_lock_use *take, ps_error *err)
{
        struct givers *givers = take->is_shared ? &lock->exclusive : &lock->all;
        struct gives *gives = take->kind == PS_K_WIN_LOCK ? &givers->by_enter : &givers->by_record;
        const struct give *row = gives->row;
        const ps_time latest = latest_of(take);
        uint32_t behind = 0, end = gives->n;
        PS_SEARCH_NEAR(behind, end, gives->near, i, row[i].time <= latest);
        PS_SEARCH(behind, end, i, row[i].time <= latest);
        gives->near = behind;
        while (behind-- > 0) {
                const ps_lock_use *give = row[behind].use;
                if (give->record <= take->enter)
                        return PS_OK;
                if (give->ref.loc == take->ref.loc)
                        continue;
                const ps_time until = give->record < latest ? give->record : latest;
                const ps_handover found = {take->ref, give->ref, until};
                return PS_APPEND(to->row, to->n, to->cap, found) ? PS_NOMEM(err, "locks", to->n) : PS_OK;
        }
        return PS_OK;
}

static ps_status find_handovers(ps_handovers *out, struct locks *locks, const ps_lock_uses *uses,
                                ps_error *err)
{
        struct give *gives;
        ps_status status = make_givers(locks, uses, &gives, err);
        const ps_lock_use *use = uses->row, *end = use + uses->n;
        for (; use < end && status == PS_OK; use++) {
                ps_blocks_keep();
                if (use->is_known && use->takes)
                        status = add_handover(out, &locks->row[use->lock], use, err);
        }
        free(gives);
        return status;
}

ps_status ps_handovers_of(ps_handovers *out, ps_lock_uses *uses, ps_error *err)
{
        struct locks locks = {0};
        *out = (ps_handovers){0};
        if (!uses->n)
                return PS_OK;
        ps_status status = number_locks(&locks, uses) < 0 ? PS_NOMEM(err, "locks", uses->n) : PS_OK;
        PS_THEN(status, find_handovers(out, &locks, uses, err));
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
        PS_THEN(status, ps_handovers_of(out, &uses, err));
        free(uses.row);
        return status;
}
