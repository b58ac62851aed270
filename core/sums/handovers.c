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

#include "core/base/radix.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <stdlib.h>

/* -- who takes and gives -- */

enum { OPEN_LOCKS = 64 }; /* of one location at a time, whose sort is remembered */

struct open_locks {
        ps_lock_use at[OPEN_LOCKS];
        uint32_t n;
};

static bool is_of_threads(const ps_lock_use *use)
{
        return use->kind == PS_K_LOCK_ACQUIRE || use->kind == PS_K_LOCK_RELEASE;
}

static int compare_locks(const ps_lock_use *x, const ps_lock_use *y)
{
        PS_ORDER_BY(is_of_threads(x), is_of_threads(y));
        PS_ORDER_BY(x->id, y->id);
        PS_ORDER_BY(x->window, y->window);
        return PS_ORDER(x->target, y->target);
}

static ps_lock_use use_of(const ps_trace *trace, const ps_timing *timing, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        ps_lock_use use = {.enter = timing->enter[ref.loc][ref.op],
                           .leave = timing->leave[ref.loc][ref.op],
                           .ref = ref,
                           .kind = ops->kind[ref.op],
                           .is_known = !(ops->flags[ref.op] & PS_OP_CANCELLED)};
        use.record = use.leave;
        if (is_of_threads(&use)) {
                use.id = ps_op_tag(ops, ref.op);
                use.window = trace->defs.locations.row[ref.loc].process;
                use.target = PS_NONE;
                use.takes = use.kind == PS_K_LOCK_ACQUIRE;
                return use;
        }
        bool is_pgas = ps_op_is_pgas(trace, ref);
        use.id = ps_op_bytes(ops, ref.op);
        use.window = ps_op_comm(ops, ref.op);
        use.target = is_pgas ? PS_NONE : ps_op_peer(ops, ref.op);
        use.is_known &= ops->link[ref.op] == 0 && (is_pgas || use.target != PS_NONE);
        use.takes = !(ops->flags[ref.op] & PS_OP_NONBLOCKING);
        if (use.kind == PS_K_WIN_UNLOCK)
                use.record = ps_op_record_begin(trace, timing, ref);
        return use;
}

/* Whether the lock that is given back was one for reading. */
static uint8_t forget_lock(struct open_locks *open, const ps_lock_use *use)
{
        for (uint32_t i = open->n; i-- > 0;)
                if (compare_locks(&open->at[i], use) == 0) {
                        uint8_t is_shared = open->at[i].is_shared;
                        open->at[i] = open->at[--open->n];
                        return is_shared;
                }
        return 0;
}

static void find_sort(struct open_locks *open, const ps_trace *trace, ps_lock_use *use)
{
        if (!use->is_known || is_of_threads(use))
                return;
        if (use->kind == PS_K_WIN_UNLOCK) {
                use->is_shared = forget_lock(open, use);
                return;
        }
        use->is_shared = ps_op_tag(&trace->ops[use->ref.loc], use->ref.op) == 1;
        if (open->n < OPEN_LOCKS)
                open->at[open->n++] = *use;
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
        struct open_locks open = {.n = 0};
        for (ps_op op = 0; (op = ps_ops_seek(ops, op, PS_K_WIN_LOCK)) < ops->n; op++) {
                if (!is_of_locks(ops->kind[op]))
                        continue;
                ps_lock_use use = use_of(trace, timing, (ps_ref){location, op});
                find_sort(&open, trace, &use);
                if (PS_APPEND(to->row, to->n, to->cap, use))
                        return PS_NOMEM(err, "locks", to->n);
        }
        return PS_OK;
}

/* -- from whom to whom -- */

/* One that gives a lock back, and what it is sorted by, or looked for by. */
struct give {
        const ps_lock_use *use;
        ps_time time;
};

struct gives {
        struct give *row;
        uint32_t n;
        uint32_t first,
                end; /* those of the lock that was looked for last: mostly it is the next one's, too */
};

/* Who gives a lock back, as those look for it who take it. */
struct givers {
        struct gives all, exclusive; /* exclusive: those that stop readers, too */
};

struct locks {
        struct givers by_enter;  /* for a lock */
        struct givers by_record; /* for an unlock, and for threads */
};

/* What gives are sorted by, one after the other: as compare_locks() has it, then by time and place. */
#define KEY(name, value)                                                                                     \
        static uint64_t name(const void *row)                                                                \
        {                                                                                                    \
                const struct give *give = row;                                                               \
                return value;                                                                                \
        }
KEY(sort_of, is_of_threads(give->use))
KEY(id_of, give->use->id)
KEY(window_of, give->use->window)
KEY(target_of, give->use->target)
KEY(time_of, ps_radix_signed(give->time))
KEY(place_of, ps_ref_place(give->use->ref))
#undef KEY
static ps_row_number *const give_keys[] = {sort_of, id_of, window_of, target_of, time_of, place_of};

static bool gives_back(const ps_lock_use *use)
{
        return use->is_known && (use->kind == PS_K_LOCK_RELEASE || use->kind == PS_K_WIN_UNLOCK);
}

static void add_give(struct givers *to, const ps_lock_use *use, ps_time time)
{
        to->all.row[to->all.n++] = (struct give){use, time};
        if (!use->is_shared)
                to->exclusive.row[to->exclusive.n++] = (struct give){use, time};
}

static int sort_gives(struct gives *gives)
{
        return ps_radix_sort(gives->row, gives->n, sizeof(*gives->row), give_keys,
                             sizeof(give_keys) / sizeof(*give_keys));
}

/* `room`: four times as many as give a lock back. -1: no memory. */
static int sort_givers(struct locks *l, const ps_lock_uses *uses, struct give *room, size_t n)
{
        struct gives *const sorted[] = {&l->by_enter.all, &l->by_enter.exclusive, &l->by_record.all,
                                        &l->by_record.exclusive};
        for (int i = 0; i < 4; i++)
                *sorted[i] = (struct gives){.row = room + (size_t)i * n};
        for (uint32_t i = 0; i < uses->n; i++) {
                const ps_lock_use *use = &uses->row[i];
                if (!gives_back(use))
                        continue;
                add_give(&l->by_record, use, use->record);
                if (use->kind == PS_K_WIN_UNLOCK)
                        add_give(&l->by_enter, use, use->enter);
        }
        for (int i = 0; i < 4; i++)
                if (sort_gives(sorted[i]) < 0)
                        return -1;
        return 0;
}

/* What others did after an unlock gave the lock back it did not wait for. */
static ps_time latest_of(const ps_lock_use *take)
{
        return take->kind == PS_K_WIN_UNLOCK ? take->record : take->leave;
}

static void find_lock(struct gives *gives, const ps_lock_use *take)
{
        uint32_t low = 0;
        if (gives->first < gives->end && compare_locks(gives->row[gives->first].use, take) == 0)
                return;
        PS_SEARCH(low, gives->n, i, compare_locks(gives->row[i].use, take) < 0);
        gives->first = low;
        PS_SEARCH(low, gives->n, i, compare_locks(gives->row[i].use, take) <= 0);
        gives->end = low;
}

/* Behind the last of the lock's that is not after `take`. */
static uint32_t first_after(const struct gives *gives, const ps_lock_use *take)
{
        const ps_time latest = latest_of(take);
        uint32_t low = gives->first;
        PS_SEARCH(low, gives->end, i, gives->row[i].time <= latest);
        return low;
}

static ps_status add_handover(ps_handovers *to, struct locks *l, const ps_lock_use *take, ps_error *err)
{
        bool locks = take->kind == PS_K_WIN_LOCK;
        struct givers *givers = locks ? &l->by_enter : &l->by_record;
        struct gives *gives = take->is_shared ? &givers->exclusive : &givers->all;
        find_lock(gives, take);
        for (uint32_t i = first_after(gives, take); i-- > gives->first;) {
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

ps_status ps_handovers_of(ps_handovers *out, const ps_lock_uses *uses, ps_error *err)
{
        struct locks l;
        size_t n = 0;
        *out = (ps_handovers){0};
        for (uint32_t i = 0; i < uses->n; i++)
                n += gives_back(&uses->row[i]);
        if (!n)
                return PS_OK;
        struct give *room = malloc(4 * n * sizeof(*room));
        ps_status status = room && sort_givers(&l, uses, room, n) == 0 ? PS_OK : PS_NOMEM(err, "locks", n);
        for (uint32_t i = 0; i < uses->n && status == PS_OK; i++)
                if (uses->row[i].is_known && uses->row[i].takes)
                        status = add_handover(out, &l, &uses->row[i], err);
        free(room);
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
