/* threads.c - see threads.h.
 *
 * Whoever gets a lock got it from the last one that gave it back before: no interval of holding it has to be
 * built, and the order that a recorder counts is not needed. What one thread gives stands in order of time
 * already, so that all of a lock are in order once those of its threads are merged. */
#include "patterns/releases/threads.h"

#include "core/base/blocks.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/vector.h"
#include "core/order/runs.h"

#include <stdlib.h>
#include <string.h>

/* -- who gives what -- */

static int add_giver(ps_givers *to, uint32_t group, ps_giver giver)
{
        uint32_t n = to->n;
        if (PS_ROOM(to->row, n, to->cap) || PS_ROOM(to->group, n, to->cap_group))
                return -1;
        to->row[n] = giver;
        to->group[n] = group;
        to->n++;
        return 0;
}

static uint64_t hash_of_lock(const void *locks, uint32_t i)
{
        const ps_thread_lock *lock = (const ps_thread_lock *)locks + i;
        return ps_hash_pair(lock->process, lock->id);
}

static bool is_lock(const void *key, const void *locks, uint32_t i)
{
        const ps_thread_lock *wanted = key, *lock = (const ps_thread_lock *)locks + i;
        return lock->process == wanted->process && lock->id == wanted->id;
}

uint32_t ps_threads_find_lock(const ps_threads *t, ps_proc process, uint32_t id)
{
        const ps_thread_lock lock = {process, id};
        return t->n_locks ? *ps_lookup_find(&t->by_id, hash_of_lock(&lock, 0), is_lock, &lock, t->lock) - 1
                          : PS_NONE;
}

/* PS_NONE: no memory. */
static uint32_t number_lock(ps_threads *t, ps_proc process, uint32_t id)
{
        const ps_thread_lock lock = {process, id};
        if (ps_lookup_room(&t->by_id, t->n_locks, hash_of_lock, t->lock))
                return PS_NONE;
        uint32_t *slot = ps_lookup_find(&t->by_id, hash_of_lock(&lock, 0), is_lock, &lock, t->lock);
        if (!*slot) {
                if (PS_APPEND(t->lock, t->n_locks, t->cap_locks, lock))
                        return PS_NONE;
                *slot = t->n_locks;
        }
        return *slot - 1;
}

/* The lock that was given back last mostly is the next one, too. */
static int add_unlock(ps_threads *t, ps_proc process, uint32_t id, ps_giver giver)
{
        const ps_givers *unlocks = &t->unlocks;
        uint32_t lock = unlocks->n ? unlocks->group[unlocks->n - 1] : PS_NONE;
        if (lock == PS_NONE || t->lock[lock].id != id || t->lock[lock].process != process)
                lock = number_lock(t, process, id);
        return lock == PS_NONE ? -1 : add_giver(&t->unlocks, lock, giver);
}

static int add_row(ps_threads *to, const ps_ops *ops, ps_proc process, ps_giver giver)
{
        const ps_op op = giver.ref.op;
        switch (ops->kind[op]) {
        case PS_K_THREAD_FORK:
                return add_giver(&to->forks, process, giver);
        case PS_K_THREAD_JOIN:
                return add_giver(&to->joins, process, giver);
        default:
                return ops->flags[op] & PS_OP_CANCELLED ? 0
                                                        : add_unlock(to, process, ps_op_tag(ops, op), giver);
        }
}

ps_status ps_threads_add(ps_threads *to, const ps_trace *trace, const ps_timing *timing, ps_loc loc,
                         ps_error *err)
{
        const ps_ops *ops = &trace->ops[loc];
        const uint8_t *kind = ops->kind;
        const ps_proc process = trace->defs.locations.row[loc].process;
        static const bool gives[PS_K_COUNT] = {
                [PS_K_THREAD_FORK] = true, [PS_K_THREAD_JOIN] = true, [PS_K_LOCK_RELEASE] = true};
        for (size_t op = ps_ops_seek(ops, 0, PS_K_THREAD_FORK), n = ops->n; op < n; op++) {
                if (!gives[kind[op]])
                        continue;
                ps_blocks_keep();
                if (add_row(to, ops, process, (ps_giver){timing->leave[loc][op], {loc, (ps_op)op}}))
                        return PS_NOMEM(err, "records of threads", to->unlocks.n);
        }
        return PS_OK;
}

/* -- in order -- */

/* Counts the rows of each group; returns whether they stand behind each other already. */
static bool count_groups(const ps_givers *g, uint32_t n_groups)
{
        bool is_grouped = true;
        for (uint32_t i = 0; i < g->n; i++) {
                ps_blocks_keep();
                g->first[g->group[i] + 1]++;
                is_grouped &= !i || g->group[i - 1] <= g->group[i];
        }
        for (uint32_t group = 0; group < n_groups; group++)
                g->first[group + 1] += g->first[group];
        return is_grouped;
}

/* They come in order of their places, which those of a group keep. */
static void group_rows(ps_givers *g, ps_giver *spare, uint32_t n_groups)
{
        for (uint32_t i = 0; i < g->n; i++) {
                ps_blocks_keep();
                spare[g->first[g->group[i]]++] = g->row[i];
        }
        for (uint32_t group = n_groups; group > 0; group--)
                g->first[group] = g->first[group - 1];
        g->first[0] = 0;
        ps_giver *grouped = spare;
        for (uint32_t i = 0; i < g->n; i++)
                g->row[i] = grouped[i];
}

/* Of what is at one time the first one's comes first. */
static inline bool is_given_before(const ps_giver *a, const ps_giver *b)
{
        return a->time < b->time;
}

PS_RUNS(givers, ps_giver, is_given_before)

static ps_status sort_givers(ps_givers *g, uint32_t n_groups, ps_error *err)
{
        if (!g->n)
                return PS_OK;
        g->first = ps_memory_zeroed(n_groups + (size_t)2, sizeof(*g->first));
        ps_giver *spare = ps_memory_new(g->n * sizeof(*spare));
        ps_status status = g->first && spare ? PS_OK : PS_NOMEM(err, "records of threads", g->n);
        if (status == PS_OK && !count_groups(g, n_groups))
                group_rows(g, spare, n_groups);
        for (uint32_t i = 0; status == PS_OK && i < n_groups; i++)
                givers_sort(g->row + g->first[i], spare, g->first[i + 1] - g->first[i]);
        free(spare);
        free(g->group);
        g->group = NULL;
        return status;
}

ps_status ps_threads_sort(ps_threads *t, uint32_t n_processes, ps_error *err)
{
        PS_TRY(sort_givers(&t->forks, n_processes, err));
        PS_TRY(sort_givers(&t->joins, n_processes, err));
        return sort_givers(&t->unlocks, t->n_locks, err);
}

void ps_threads_clear(ps_threads *t)
{
        ps_givers *const givers[] = {&t->forks, &t->joins, &t->unlocks};
        for (size_t i = 0; i < sizeof(givers) / sizeof(*givers); i++) {
                free(givers[i]->row);
                free(givers[i]->group);
                free(givers[i]->first);
        }
        free(t->lock);
        ps_lookup_free(&t->by_id);
}
