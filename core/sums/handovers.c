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
#include "core/base/radix.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <stdlib.h>

/* -- who takes and gives -- */

enum { OPEN_LOCKS = 64 }; /* of one location at a time, whose sort is remembered */

struct open_locks {
        uint32_t at[OPEN_LOCKS]; /* the uses that took them */
        uint32_t n;
};

static bool is_of_threads(const ps_lock_use *use)
{
        return use->kind == PS_K_LOCK_ACQUIRE || use->kind == PS_K_LOCK_RELEASE;
}

static inline bool is_same_lock(const ps_lock_use *x, const ps_lock_use *y)
{
        return x->id == y->id && x->window == y->window && x->target == y->target &&
               is_of_threads(x) == is_of_threads(y);
}

/* `has_pgas`: some operations may be those of a PGAS program. */
static void describe_use(ps_lock_use *use, const ps_trace *trace, const ps_timing *timing, ps_ref ref,
                         bool has_pgas)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        *use = (ps_lock_use){.enter = timing->enter[ref.loc][ref.op],
                             .leave = timing->leave[ref.loc][ref.op],
                             .ref = ref,
                             .kind = ops->kind[ref.op],
                             .is_known = !(ops->flags[ref.op] & PS_OP_CANCELLED)};
        use->record = use->leave;
        if (is_of_threads(use)) {
                use->id = ps_op_tag(ops, ref.op);
                use->window = trace->defs.locations.row[ref.loc].process;
                use->target = PS_NONE;
                use->takes = use->kind == PS_K_LOCK_ACQUIRE;
                return;
        }
        const bool is_pgas = has_pgas && ps_op_is_pgas(trace, ref);
        use->id = ps_op_bytes(ops, ref.op);
        use->window = ps_op_comm(ops, ref.op);
        use->target = is_pgas ? PS_NONE : ps_op_peer(ops, ref.op);
        use->is_known &= ops->link[ref.op] == 0 && (is_pgas || use->target != PS_NONE);
        use->takes = !(ops->flags[ref.op] & PS_OP_NONBLOCKING);
        if (use->kind == PS_K_WIN_UNLOCK)
                use->record = ps_op_record_begin(trace, timing, ref);
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

/* Of the last one of the uses. */
static void find_sort(struct open_locks *open, const ps_trace *trace, const ps_lock_uses *uses)
{
        ps_lock_use *use = &uses->row[uses->n - 1];
        if (!use->is_known || is_of_threads(use))
                return;
        if (use->kind == PS_K_WIN_UNLOCK) {
                use->is_shared = forget_lock(open, uses->row, use);
                return;
        }
        use->is_shared = ps_op_tag(&trace->ops[use->ref.loc], use->ref.op) == 1;
        if (open->n < OPEN_LOCKS)
                open->at[open->n++] = uses->n - 1;
}

/* Of what is as rare as they are. */
static bool is_of_locks(uint8_t kind)
{
        return kind == PS_K_LOCK_ACQUIRE || kind == PS_K_LOCK_RELEASE || kind == PS_K_WIN_LOCK ||
               kind == PS_K_WIN_UNLOCK;
}

ps_status ps_lock_uses_add(ps_lock_uses *to, const ps_trace *trace, const ps_timing *timing, ps_loc location,
                           ps_error *err)
{
        const ps_ops *ops = &trace->ops[location];
        const bool has_pgas = ps_defs_has_pgas(&trace->defs);
        struct open_locks open;
        open.n = 0;
        for (ps_op op = 0; (op = ps_ops_seek(ops, op, PS_K_WIN_LOCK)) < ops->n; op++) {
                if (!is_of_locks(ops->kind[op]))
                        continue;
                if (PS_ROOM(to->row, to->n, to->cap))
                        return PS_NOMEM(err, "locks", to->n);
                describe_use(&to->row[to->n++], trace, timing, (ps_ref){location, op}, has_pgas);
                find_sort(&open, trace, to);
        }
        return PS_OK;
}

/* -- which lock -- */

static bool gives_back(const ps_lock_use *use)
{
        return use->is_known && (use->kind == PS_K_LOCK_RELEASE || use->kind == PS_K_WIN_UNLOCK);
}

/* By one of its uses. Who alone uses a lock gets it from nobody. */
struct lock_name {
        const ps_lock_use *use;
        bool is_of_several;
};

struct lock_names {
        struct lock_name *row;
        uint32_t n, cap;
        ps_lookup by_name;
};

static uint64_t hash_of_lock(const ps_lock_use *use)
{
        return ps_hash_pair(use->id, ((uint64_t)use->window << 32 | use->target) + is_of_threads(use));
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
                const struct lock_name name = {use, false};
                if (PS_APPEND(names->row, names->n, names->cap, name))
                        return -1;
                *slot = names->n;
        }
        use->lock = *slot - 1;
        return 0;
}

/* Mostly it is that of the use before. -1: no memory. */
static int number_locks(struct lock_names *names, ps_lock_uses *uses)
{
        const ps_lock_use *last = NULL;
        for (uint32_t i = 0; i < uses->n; i++) {
                ps_lock_use *use = &uses->row[i];
                if (!use->is_known)
                        continue;
                if (last && is_same_lock(last, use))
                        use->lock = last->lock;
                else if (number_lock(names, use) < 0)
                        return -1;
                last = use;
                names->row[use->lock].is_of_several |= names->row[use->lock].use->ref.loc != use->ref.loc;
        }
        return 0;
}

/* Numbers all, and counts those that give a lock of several back: of other locks no more has to be known.
 * -1: no memory. */
static int find_locks(ps_lock_uses *uses, uint32_t *n_locks, size_t *n_gives)
{
        struct lock_names names = {0};
        const int status = number_locks(&names, uses);
        for (uint32_t i = 0; i < uses->n && status == 0; i++) {
                ps_lock_use *use = &uses->row[i];
                use->is_known = use->is_known && names.row[use->lock].is_of_several;
                *n_gives += gives_back(use);
        }
        *n_locks = names.n;
        free(names.row);
        ps_lookup_free(&names.by_name);
        return status;
}

/* -- from whom to whom -- */

/* One that gives a lock back, and when; in order of lock, time and place. */
struct give {
        const ps_lock_use *use;
        ps_time time;
};

struct gives {
        struct give *row;
        uint32_t n;
        uint32_t *first; /* by lock, and behind the last */
        uint32_t *near;  /* by lock: what was found last */
};

/* Who gives a lock back, as those look for it who take it. */
struct givers {
        struct gives all, exclusive; /* exclusive: those that stop readers, too */
};

struct locks {
        struct givers by_enter;  /* for a lock */
        struct givers by_record; /* for an unlock, and for threads */
        uint32_t n;
};

#define KEY(name, value)                                                                                     \
        static uint64_t name(const void *row)                                                                \
        {                                                                                                    \
                const struct give *give = row;                                                               \
                return value;                                                                                \
        }
KEY(lock_of, give->use->lock)
KEY(time_of, ps_radix_signed(give->time))
KEY(place_of, ps_ref_place(give->use->ref))
#undef KEY
static ps_row_number *const give_keys[] = {lock_of, time_of, place_of};

/* Those of windows or of threads, as they come in `uses`; by when their calls were entered, or by their
 * records.
 */
static void add_gives(struct gives *to, const ps_lock_uses *uses, uint8_t kind, bool by_enter, bool exclusive)
{
        for (uint32_t i = 0; i < uses->n; i++) {
                const ps_lock_use *use = &uses->row[i];
                if (use->kind == kind && gives_back(use) && !(exclusive && use->is_shared))
                        to->row[to->n++] = (struct give){use, by_enter ? use->enter : use->record};
        }
}

/* The same by their records, in an order that is mostly theirs, too. */
static void add_sorted(struct gives *to, const struct gives *by_enter)
{
        for (uint32_t i = 0; i < by_enter->n; i++) {
                const ps_lock_use *use = by_enter->row[i].use;
                to->row[to->n++] = (struct give){use, use->record};
        }
}

/* -1: no memory. */
static int sort_gives(struct gives *gives, uint32_t n_locks)
{
        if (ps_radix_sort(gives->row, gives->n, sizeof(*gives->row), give_keys,
                          sizeof(give_keys) / sizeof(*give_keys)) != 0)
                return -1;
        for (uint32_t i = 0, lock = 0; lock <= n_locks; lock++) {
                while (i < gives->n && gives->row[i].use->lock < lock)
                        i++;
                gives->first[lock] = gives->near[lock] = i;
        }
        return 0;
}

/* All the memory of the four, of which those without readers are the same two. */
struct room {
        struct give *gives;
        uint32_t *first;
};

static int sort_givers(struct locks *l, const ps_lock_uses *uses, const struct room *room, size_t n)
{
        struct givers *const givers[] = {&l->by_enter, &l->by_record};
        bool is_shared = false;
        for (uint32_t i = 0; i < uses->n; i++)
                is_shared |= uses->row[i].is_shared;
        for (size_t i = 0; i < 4; i++) {
                struct givers *to = givers[i / 2];
                struct gives *gives = i % 2 ? &to->exclusive : &to->all;
                if (i % 2 && !is_shared) {
                        *gives = to->all;
                        continue;
                }
                uint32_t *first = room->first + 2 * i * (l->n + (size_t)1);
                *gives = (struct gives){
                        .row = room->gives + i * n, .first = first, .near = first + l->n + (size_t)1};
                if (i < 2) {
                        add_gives(gives, uses, PS_K_WIN_UNLOCK, true, i % 2);
                } else {
                        add_sorted(gives, i % 2 ? &l->by_enter.exclusive : &l->by_enter.all);
                        add_gives(gives, uses, PS_K_LOCK_RELEASE, false, i % 2);
                }
                if (sort_gives(gives, l->n) < 0)
                        return -1;
        }
        return 0;
}

/* What others did after an unlock gave the lock back it did not wait for. */
static ps_time latest_of(const ps_lock_use *take)
{
        return take->kind == PS_K_WIN_UNLOCK ? take->record : take->leave;
}

/* Behind the last of the lock's that is not after `take`. */
static uint32_t first_after(struct gives *gives, const ps_lock_use *take)
{
        const ps_time latest = latest_of(take);
        uint32_t low = gives->first[take->lock], end = gives->first[take->lock + 1];
        uint32_t *near = &gives->near[take->lock];
        PS_SEARCH_NEAR(low, end, *near, i, gives->row[i].time <= latest);
        PS_SEARCH(low, end, i, gives->row[i].time <= latest);
        return *near = low;
}

static ps_status add_handover(ps_handovers *to, struct locks *l, const ps_lock_use *take, ps_error *err)
{
        bool locks = take->kind == PS_K_WIN_LOCK;
        struct givers *givers = locks ? &l->by_enter : &l->by_record;
        struct gives *gives = take->is_shared ? &givers->exclusive : &givers->all;
        for (uint32_t i = first_after(gives, take); i-- > gives->first[take->lock];) {
                const ps_lock_use *give = gives->row[i].use;
                if (give->record <= take->enter)
                        return PS_OK;
                if (give->ref.loc == take->ref.loc)
                        continue;
                ps_time until = give->record < latest_of(take) ? give->record : latest_of(take);
                const ps_handover found = {take->ref, give->ref, until};
                return PS_APPEND(to->row, to->n, to->cap, found) ? PS_NOMEM(err, "locks", to->n) : PS_OK;
        }
        return PS_OK;
}

static ps_status find_handovers(ps_handovers *out, const ps_lock_uses *uses, struct locks *l,
                                const struct room *room, size_t n, ps_error *err)
{
        if (!room->gives || !room->first || sort_givers(l, uses, room, n) < 0)
                return PS_NOMEM(err, "locks", n);
        for (uint32_t i = 0; i < uses->n; i++)
                if (uses->row[i].is_known && uses->row[i].takes)
                        PS_TRY(add_handover(out, l, &uses->row[i], err));
        return PS_OK;
}

ps_status ps_handovers_of(ps_handovers *out, ps_lock_uses *uses, ps_error *err)
{
        size_t n = 0;
        struct locks l = {.n = 0};
        *out = (ps_handovers){0};
        if (find_locks(uses, &l.n, &n) < 0)
                return PS_NOMEM(err, "locks", uses->n);
        if (!n)
                return PS_OK;
        const struct room room = {ps_memory_new(4 * n * sizeof(struct give)),
                                  ps_memory_new(8 * (l.n + (size_t)1) * sizeof(uint32_t))};
        ps_status status = find_handovers(out, uses, &l, &room, n, err);
        free(room.gives);
        free(room.first);
        return status;
}

ps_status ps_handovers_find(ps_handovers *out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        ps_lock_uses uses = {0};
        ps_status status = PS_OK;
        *out = (ps_handovers){0};
        for (ps_loc l = 0; l < trace->n_locs && status == PS_OK; l++)
                status = ps_lock_uses_add(&uses, trace, timing, l, err);
        PS_THEN(status, ps_handovers_of(out, &uses, err));
        free(uses.row);
        return status;
}
