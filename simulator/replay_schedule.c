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
                r->advance(r, r->n_ready ? r->ready[--r->n_ready] : unpark(r));
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

/* Puts a turn in the place of the first one. */
static void replace_first(run *r, turn t)
{
        turn *heap = r->heap;
        uint32_t i = 0, n = r->n_heap;
        for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
                child += child + 1 < n && is_before(heap[child + 1], heap[child]);
                if (!is_before(heap[child], t))
                        break;
                heap[i] = heap[child];
        }
        heap[i] = t;
}

/* A location steps back: `next` if nobody else does, so that it often never enters the heap. */
int ps_replay_is_too_early(run *r, ps_loc loc)
{
        turn own = turn_of(r, loc);
        r->now = own.at;
        if (!r->n_ready && r->next.loc == PS_NONE && !(r->n_heap && is_before(r->heap[0], own)))
                return 0;
        if (r->next.loc == PS_NONE)
                r->next = own;
        else
                push(r, own);
        return 1;
}

/* Who may be next is on its way while the present location runs: first where it is, then what it looks at. */
static void look_ahead(const run *r)
{
        if (r->n_heap < 3)
                return;
        __builtin_prefetch(place_of(r, r->heap[1].loc));
        __builtin_prefetch(place_of(r, r->heap[2].loc));
        const place *p = place_of(r, r->heap[0].loc);
        ps_replay_fetch(r, r->heap[0].loc);
        __builtin_prefetch(&p->peer[p->item_row]);
}

static ps_loc take_turn(run *r)
{
        turn first = r->next;
        r->next.loc = PS_NONE;
        if (first.loc != PS_NONE && !(r->n_heap && is_before(r->heap[0], first)))
                return first.loc;
        turn last = first.loc != PS_NONE ? first : r->heap[--r->n_heap];
        first = r->heap[0];
        replace_first(r, last);
        look_ahead(r);
        return first.loc;
}

/* Those that were woken come to their next turn before anybody takes one. */
static void run_by_clock(run *r)
{
        r->next.loc = PS_NONE;
        while (r->status == PS_OK && (r->n_ready || r->n_heap || r->next.loc != PS_NONE))
                r->advance(r, r->n_ready ? r->ready[--r->n_ready] : take_turn(r));
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
