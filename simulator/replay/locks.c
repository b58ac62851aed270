/* locks.c - who waited for a lock has it when the one who held it then has given it back, and no sooner:
 * locks go from hand to hand in the order of the recording. Who did not wait for a lock does not in the
 * scenario: by then others may have been there first. One-sided calls that waited for what another process
 * was to do go on in the same way when it has done that. */
#include "simulator/replay/slots.h"

#include "core/base/search.h"
#include "core/base/vector.h"
#include "patterns/releases/releases.h"

#include <stdlib.h>

static int by_giver(const void *a, const void *b)
{
        const ps_handover *x = a, *y = b;
        int givers = ps_refs_compare(&x->by, &y->by);
        return givers ? givers : ps_refs_compare(&x->at, &y->at);
}

static step *step_at(const ps_replay *r, ps_ref ref)
{
        return &r->steps[ref.loc][ref.op];
}

/* Has it the call for itself? */
static bool is_alone(const ps_replay *r, ps_ref ref)
{
        return !(step_at(r, ref)->flags & STEP_MORE) && !ps_op_continues(&r->trace->ops[ref.loc], ref.op);
}

static bool is_free(const ps_replay *r, ps_ref ref)
{
        return step_at(r, ref)->code == STEP_LOCAL && is_alone(r, ref);
}

static bool has_waited(const ps_replay *r, const ps_handover *lock)
{
        return lock->until > r->timing->enter[lock->at.loc][lock->at.op];
}

/* Between processes, whose clocks may contradict one another, two that happen at the same time might wait for
 * each other. */
static bool is_before(const ps_replay *r, const ps_handover *lock)
{
        const ps_timing *timing = r->timing;
        return !r->trace->clock.left &&
               timing->enter[lock->by.loc][lock->by.op] < timing->leave[lock->at.loc][lock->at.op];
}

static bool is_followed(const ps_replay *r, const ps_handover *lock)
{
        const ps_location_def *locs = r->trace->defs.locations.row;
        return is_free(r, lock->at) && is_free(r, lock->by) && has_waited(r, lock) &&
               (locs[lock->at.loc].process == locs[lock->by.loc].process || is_before(r, lock));
}

/* Some libraries of MPI ask for a lock only when it is given back. An unlock that waited for the lock itself
 * did not hand it to a call that was over before: those would wait for each other. */
static void drop_early_ones(ps_replay *r)
{
        ps_time *const *leave = r->timing->leave;
        uint32_t n = 0;
        for (uint32_t i = 0; i < r->n_locks; i++) {
                const ps_handover lock = r->locks[i];
                if (step_at(r, lock.by)->code == STEP_LOCK &&
                    leave[lock.by.loc][lock.by.op] > leave[lock.at.loc][lock.at.op])
                        step_at(r, lock.at)->code = STEP_LOCAL;
                else
                        r->locks[n++] = lock;
        }
        r->n_locks = n;
}

/* Locks, of which each call is known by its place from here on. */
static ps_status find_locks(ps_replay *r, uint32_t *room, ps_error *err)
{
        ps_handovers found;
        ps_status status = ps_handovers_find(&found, r->trace, r->timing, err);
        r->locks = found.row;
        *room = found.cap;
        for (uint32_t i = 0; i < found.n && status == PS_OK; i++)
                if (is_followed(r, &found.row[i]))
                        r->locks[r->n_locks++] = found.row[i];
        for (uint32_t i = 0; i < r->n_locks; i++)
                step_at(r, r->locks[i].at)->code = STEP_LOCK;
        drop_early_ones(r);
        for (uint32_t i = 0; i < r->n_locks; i++)
                step_at(r, r->locks[i].at)->arg = i;
        return status;
}

/* All that a call depends on has begun before it was over: so none depends on itself. Who is waited for may
 * wait, too. */
static bool can_follow(const ps_replay *r, const ps_handover *wait)
{
        const step *by = step_at(r, wait->by);
        if (!is_free(r, wait->at) || !is_alone(r, wait->by) || !has_waited(r, wait) || !is_before(r, wait))
                return false;
        return by->code == STEP_LOCAL ||
               (by->code == STEP_LOCK &&
                r->locks[by->arg].until < r->timing->leave[wait->at.loc][wait->at.op]);
}

static ps_status add_waits(ps_replay *r, const ps_releases *found, ps_release_sort sort, uint32_t *room,
                           ps_error *err)
{
        for (uint32_t i = 0; i < found->n; i++) {
                const ps_release *row = &found->row[i];
                const ps_handover wait = {row->at, row->by, row->until};
                if (row->sort != (uint64_t)sort || !can_follow(r, &wait))
                        continue;
                *step_at(r, row->at) = (step){.code = STEP_LOCK, .arg = r->n_locks};
                if (PS_APPEND(r->locks, r->n_locks, *room, wait))
                        return PS_NOMEM(err, "one-sided calls", r->n_locks);
        }
        return PS_OK;
}

/* A call that completes its accesses may have waited for the target to post. */
static ps_status find_waits(ps_replay *r, uint32_t *room, ps_error *err)
{
        ps_releases *found;
        PS_TRY(ps_releases_begun(&found, r->trace, r->timing, err));
        ps_status status = add_waits(r, found, PS_RELEASED_BY_POST, room, err);
        PS_THEN(status, add_waits(r, found, PS_RELEASED_BY_COMPLETE, room, err));
        PS_THEN(status, add_waits(r, found, PS_RELEASED_BY_WRITE, room, err));
        ps_releases_free(found);
        return status;
}

ps_status ps_replay_find_locks(ps_replay *r, ps_error *err)
{
        uint32_t room;
        ps_status status = find_locks(r, &room, err);
        PS_THEN(status, find_waits(r, &room, err));
        if (r->n_locks)
                qsort(r->locks, r->n_locks, sizeof(*r->locks), by_giver);
        for (uint32_t i = 0; i < r->n_locks; i++) {
                step_at(r, r->locks[i].at)->arg = i;
                step_at(r, r->locks[i].by)->flags |= STEP_GIVES;
        }
        return status;
}

/* -- in a run -- */

ps_status ps_replay_locks_new(run *r, ps_error *err)
{
        size_t n = (size_t)r->replay->n_locks + 1;
        r->given = calloc(n, r->width * sizeof(*r->given));
        r->is_given = calloc(n, 1);
        return r->given && r->is_given ? PS_OK : PS_NOMEM(err, "locks", n);
}

/* The call was over so long after the lock was free. */
void ps_replay_give_locks(run *r, ps_ref by, const ps_time *clock)
{
        const ps_replay *replay = r->replay;
        const ps_handover key = {.by = by};
        uint32_t i = 0;
        PS_SEARCH(i, replay->n_locks, middle, by_giver(&replay->locks[middle], &key) < 0);
        for (; i < replay->n_locks; i++) {
                const ps_handover *lock = &replay->locks[i];
                if (lock->by.loc != by.loc || lock->by.op != by.op)
                        return;
                ps_time since = replay->timing->leave[by.loc][by.op] - lock->until;
                for (uint32_t w = 0; w < r->width; w++)
                        r->given[(size_t)i * r->width + w] = clock[w] - since;
                r->is_given[i] = 1;
                place *taker = place_of(r, lock->at.loc);
                if (taker->wait == WAIT_LOCK && taker->awaited == i) {
                        taker->wait = WAIT_NOTHING;
                        ps_replay_make_ready(r, lock->at.loc);
                }
        }
}
