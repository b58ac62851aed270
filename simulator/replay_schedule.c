/* replay_schedule.c - which location runs next.
 *
 * Without contention any order gives the same times: a stack, because the newest is still in the cache, and a
 * queue of those that have sent so much that others should receive it first. With contention calls that send
 * begin in the order of the clock (at the same time: of location numbers), so that who comes first is served
 * first; what is in nobody's way needs no turn. */
#include "simulator/replay_slots.h"

#include "core/hash.h"

int ps_replay_park(run *r, ps_loc loc)
{
        if (!r->n_ready)
                return 0;
        uint32_t n = r->replay->trace->n_locs;
        r->parked[(r->first_parked + r->n_parked++) % n] = loc;
        return 1;
}

static ps_loc unpark(run *r)
{
        ps_loc loc = r->parked[r->first_parked];
        r->first_parked = (r->first_parked + 1) % r->replay->trace->n_locs;
        r->n_parked--;
        return loc;
}

/* For tests: any of those that can run. */
static void shuffle(run *r)
{
        r->shuffle = ps_hash_mix(r->shuffle + 1);
        uint32_t other = (uint32_t)(r->shuffle % r->n_ready);
        ps_loc loc = r->ready[other];
        r->ready[other] = r->ready[r->n_ready - 1];
        r->ready[r->n_ready - 1] = loc;
}

static void run_in_any_order(run *r)
{
        while (r->status == PS_OK && r->n_ready + r->n_parked > 0) {
                if (r->shuffle && r->n_ready)
                        shuffle(r);
                ps_replay_advance(r, r->n_ready ? r->ready[--r->n_ready] : unpark(r));
        }
}

/* -- by the clock -- */

static turn turn_of(const run *r, ps_loc loc)
{
        return (turn){*vector_of(r, loc, V_BEGIN, 1), loc};
}

static int is_before(turn a, turn b)
{
        return a.at != b.at ? a.at < b.at : a.loc < b.loc;
}

static void push(run *r, turn t)
{
        uint32_t i = r->n_heap++;
        for (; i && is_before(t, r->heap[(i - 1) / 2]); i = (i - 1) / 2)
                r->heap[i] = r->heap[(i - 1) / 2];
        r->heap[i] = t;
}

static ps_loc take_first(run *r)
{
        turn *heap = r->heap, last = heap[--r->n_heap];
        ps_loc first = heap[0].loc;
        uint32_t i = 0, n = r->n_heap;
        for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
                child += child + 1 < n && is_before(heap[child + 1], heap[child]);
                if (!is_before(heap[child], last))
                        break;
                heap[i] = heap[child];
        }
        heap[i] = last;
        return first;
}

int ps_replay_is_too_early(run *r, ps_loc loc)
{
        turn own = turn_of(r, loc);
        r->now = own.at;
        if (!r->n_ready && !(r->n_heap && is_before(r->heap[0], own)))
                return 0;
        push(r, own);
        return 1;
}

/* Those that were woken come to their next turn before anybody takes one. */
static void run_by_clock(run *r)
{
        while (r->status == PS_OK && r->n_ready + r->n_heap > 0)
                ps_replay_advance(r, r->n_ready ? r->ready[--r->n_ready] : take_first(r));
}

void ps_replay_run_all(run *r)
{
        for (ps_loc loc = r->replay->trace->n_locs; loc-- > 0;)
                ps_replay_make_ready(r, loc);
        if (r->traffic)
                run_by_clock(r);
        else
                run_in_any_order(r);
}
