/* replay_schedule.c - which location runs next.
 *
 * Without contention any order gives the same times: a stack, because the newest is still in the cache, and a
 * queue of those that have sent so much that others should receive it first. With contention calls begin in
 * the order of the clock (at the same time: of location numbers), so that who comes first is served first. */
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

/* When it began the call that it is in, or will begin the next one. */
static ps_time clock_of(const run *r, ps_loc loc)
{
        return *vector_of(r, loc, V_BEGIN, 1);
}

static int is_before(const run *r, ps_loc a, ps_loc b)
{
        ps_time x = clock_of(r, a), y = clock_of(r, b);
        return x != y ? x < y : a < b;
}

static void sink(run *r, uint32_t i)
{
        ps_loc loc = r->heap[i];
        for (uint32_t child; (child = 2 * i + 1) < r->n_heap; i = child) {
                if (child + 1 < r->n_heap && is_before(r, r->heap[child + 1], r->heap[child]))
                        child++;
                if (!is_before(r, r->heap[child], loc))
                        break;
                r->heap[i] = r->heap[child];
        }
        r->heap[i] = loc;
}

static void push(run *r, ps_loc loc)
{
        uint32_t i = r->n_heap++;
        for (; i && is_before(r, loc, r->heap[(i - 1) / 2]); i = (i - 1) / 2)
                r->heap[i] = r->heap[(i - 1) / 2];
        r->heap[i] = loc;
}

int ps_replay_is_too_early(run *r, ps_loc loc)
{
        while (r->n_ready) /* woken meanwhile: they may be earlier */
                push(r, r->ready[--r->n_ready]);
        if (!r->n_heap || !is_before(r, r->heap[0], loc))
                return 0;
        push(r, loc);
        return 1;
}

static void run_by_clock(run *r)
{
        while (r->status == PS_OK && r->n_heap + r->n_ready > 0) {
                while (r->n_ready)
                        push(r, r->ready[--r->n_ready]);
                ps_loc loc = r->heap[0];
                r->heap[0] = r->heap[--r->n_heap];
                if (r->n_heap)
                        sink(r, 0);
                ps_replay_advance(r, loc);
        }
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
