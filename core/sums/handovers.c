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

/* By one of its uses, and how many give it back: all, and those that stop readers, too. Who alone uses a lock
 * gets it from nobody. */
struct lock_name {
        const ps_lock_use *use;
        uint32_t n_gives, n_exclusive;
        bool is_of_several;
};

struct lock_names {
        struct lock_name *row;
        uint32_t n, cap;
        ps_lookup by_name;
};

static uint64_t hash_of_lock(const ps_lock_use *use)
{
        return ps_hash_pair(use->id, (uint64_t)use->window << 32 | use->target);
}

static uint64_t hash_of_name(const void *names, uint32_t i)
{
        return hash_of_lock(((const struct lock_name *)names)[i].use);
}

static bool is_named(const void *use, const void *names, uint32_t i)
{
        return is_same_lock(use, ((const struct lock_name *)names)[i].use);
}

/* -1: no memory. */
static int number_lock(struct lock_names *names, ps_lock_use *use)
{
        if (ps_lookup_room(&names->by_name, names->n, hash_of_name, names->row))
                return -1;
        uint32_t *slot = ps_lookup_find(&names->by_name, hash_of_lock(use), is_named, use, names->row);
        if (!*slot) {
                const struct lock_name name = {.use = use};
                if (PS_APPEND(names->row, names->n, names->cap, name))
                        return -1;
                *slot = names->n;
        }
        use->lock = *slot - 1;
        return 0;
}

static inline void count_use(struct lock_name *lock, const ps_lock_use *use)
{
        const bool gives = gives_back(use);
        lock->n_gives += gives;
        lock->n_exclusive += gives && !use->is_shared;
        lock->is_of_several |= lock->use->ref.loc != use->ref.loc;
}

/* Mostly it is that of the use before. -1: no memory. */
static int number_locks(struct lock_names *names, ps_lock_uses *uses)
{
        const ps_lock_use *last = NULL;
        for (ps_lock_use *use = uses->row, *end = use + uses->n; use < end; use++) {
                if (!use->is_known)
                        continue;
                ps_blocks_keep();
                if (last && is_same_lock(last, use))
                        use->lock = last->lock;
                else if (number_lock(names, use) < 0)
                        return -1;
                last = use;
                count_use(&names->row[use->lock], use);
        }
        return 0;
}

/* -- from whom to whom -- */

/* One that gives a lock back, and when. */
struct give {
        const ps_lock_use *use;
        ps_time time;
};

/* Those of one lock behind those of another. */
struct gives {
        /* In order of time and place: of the call, as who locks a window looks for it; of the record, as do
         * an unlock and threads. */
        struct give *by_enter, *by_record;
        uint32_t *first;                    /* by lock, and behind the last */
        uint32_t *near_enter, *near_record; /* by lock: what was found last */
};

struct locks {
        const ps_lock_uses *uses;
        const struct lock_name *name;
        uint32_t n;
        struct gives all, exclusive; /* exclusive: those that stop readers, too */
        struct give *spare;
};

static inline bool is_given_before(const struct give *a, const struct give *b)
{
        return a->time != b->time ? a->time < b->time : ps_ref_place(a->use->ref) < ps_ref_place(b->use->ref);
}

PS_RUNS(gives, struct give, is_given_before)

/* `near_enter` counts what is there. */
static void add_gives(const struct locks *l, struct gives *to, bool exclusive)
{
        const ps_lock_use *end = l->uses->row + l->uses->n;
        for (const ps_lock_use *use = l->uses->row; use < end; use++) {
                ps_blocks_keep();
                if (gives_back(use) && !(exclusive && use->is_shared) && l->name[use->lock].is_of_several)
                        to->by_enter[to->near_enter[use->lock]++] =
                                (struct give){use, is_of_threads(use->kind) ? use->record : use->enter};
        }
}

/* The same by their records, in an order that is mostly theirs, too. */
static void sort_gives(const struct locks *l, struct gives *gives)
{
        for (uint32_t lock = 0; lock < l->n; lock++) {
                const uint32_t first = gives->first[lock], n = gives->first[lock + 1] - first;
                struct give *by_enter = gives->by_enter + first, *by_record = gives->by_record + first;
                gives_sort(by_enter, l->spare, n);
                for (uint32_t i = 0; i < n; i++)
                        by_record[i] = (struct give){by_enter[i].use, by_enter[i].use->record};
                gives_sort(by_record, l->spare, n);
        }
}

static void make_gives(const struct locks *l, struct gives *to, bool exclusive)
{
        to->first[0] = 0;
        for (uint32_t i = 0; i < l->n; i++) {
                const struct lock_name *name = &l->name[i];
                const uint32_t n = exclusive ? name->n_exclusive : name->n_gives;
                to->near_enter[i] = to->near_record[i] = to->first[i];
                to->first[i + 1] = to->first[i] + (name->is_of_several ? n : 0);
        }
        add_gives(l, to, exclusive);
        sort_gives(l, to);
}

/* What others did after an unlock gave the lock back it did not wait for. */
static ps_time latest_of(const ps_lock_use *take)
{
        return take->kind == PS_K_WIN_UNLOCK ? take->record : take->leave;
}

static ps_status add_handover(ps_handovers *to, const struct locks *l, const ps_lock_use *take, ps_error *err)
{
        const struct gives *gives = take->is_shared ? &l->exclusive : &l->all;
        const bool locks = take->kind == PS_K_WIN_LOCK;
        const struct give *row = locks ? gives->by_enter : gives->by_record;
        uint32_t *near = &(locks ? gives->near_enter : gives->near_record)[take->lock];
        const uint32_t first = gives->first[take->lock];
        const ps_time latest = latest_of(take);
        uint32_t behind = first, end = gives->first[take->lock + 1];
        PS_SEARCH_NEAR(behind, end, *near, i, row[i].time <= latest);
        PS_SEARCH(behind, end, i, row[i].time <= latest);
        *near = behind;
        while (behind-- > first) {
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

/* For so many; without readers `all` is enough. */
static ps_status make_locks(struct locks *l, size_t n, bool has_readers, struct give **rows,
                            uint32_t **numbers, ps_error *err)
{
        const size_t n_locks = l->n + (size_t)1;
        struct gives *const gives[] = {&l->all, &l->exclusive};
        const size_t n_gives = 1 + has_readers;
        *rows = ps_memory_new((2 * n_gives + 1) * n * sizeof(**rows));
        *numbers = ps_memory_new(3 * n_gives * n_locks * sizeof(**numbers));
        if (!*rows || !*numbers)
                return PS_NOMEM(err, "locks", n);
        l->spare = *rows + 2 * n_gives * n;
        for (size_t i = 0; i < n_gives; i++) {
                uint32_t *at = *numbers + 3 * i * n_locks;
                *gives[i] = (struct gives){.by_enter = *rows + 2 * i * n,
                                           .by_record = *rows + (2 * i + 1) * n,
                                           .first = at,
                                           .near_enter = at + n_locks,
                                           .near_record = at + 2 * n_locks};
                make_gives(l, gives[i], i);
        }
        if (!has_readers)
                l->exclusive = l->all;
        return PS_OK;
}

/* Of the locks, which have numbers. */
static ps_status find_handovers(ps_handovers *out, struct locks *l, ps_error *err)
{
        struct give *rows = NULL;
        uint32_t *numbers = NULL;
        size_t n = 0;
        bool has_readers = false;
        for (uint32_t i = 0; i < l->n; i++) {
                n += l->name[i].is_of_several ? l->name[i].n_gives : 0;
                has_readers |= l->name[i].n_exclusive < l->name[i].n_gives;
        }
        if (!n)
                return PS_OK;
        ps_status status = make_locks(l, n, has_readers, &rows, &numbers, err);
        const ps_lock_use *end = l->uses->row + l->uses->n;
        for (const ps_lock_use *use = l->uses->row; use < end && status == PS_OK; use++) {
                ps_blocks_keep();
                if (use->is_known && use->takes)
                        status = add_handover(out, l, use, err);
        }
        free(rows);
        free(numbers);
        return status;
}

ps_status ps_handovers_of(ps_handovers *out, ps_lock_uses *uses, ps_error *err)
{
        struct lock_names names = {0};
        *out = (ps_handovers){0};
        if (!uses->n)
                return PS_OK;
        ps_status status = number_locks(&names, uses) < 0 ? PS_NOMEM(err, "locks", uses->n) : PS_OK;
        struct locks l = {.uses = uses, .name = names.row, .n = names.n};
        PS_THEN(status, find_handovers(out, &l, err));
        free(names.row);
        ps_lookup_free(&names.by_name);
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
