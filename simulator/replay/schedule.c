/* schedule.c - which location runs next.
 *
 * Without contention any order gives the same times: a stack, because the newest is still in the cache, and a
 * queue of those that have sent so much that others should receive it first. With contention calls that send
 * begin in the order of the clock (at the same time: of location numbers), so that who comes first is served
 * first; what is in nobody's way needs no turn. */
#include "simulator/replay/slots.h"

#include "core/base/blocks.h"
#include "core/base/hash.h"
#include "core/base/heap.h"

#include <assert.h>

bool ps_replay_park(run *r, ps_loc loc)
{
        if (!r->n_ready)
                return false;
        uint32_t n = r->replay->trace->n_locs;
        assert(n > loc);
        r->parked[(r->first_parked + r->n_parked++) % n] = loc;
        return true;
}

static ps_loc unpark(run *r)
{
        uint32_t n = r->replay->trace->n_locs;
        ps_loc loc = r->parked[r->first_parked];
        assert(n > loc);
        r->first_parked = (r->first_parked + 1) % n;
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
        for (uint32_t i = 0; r->status == PS_OK && r->n_ready + r->n_parked > 0; i++) {
                ps_blocks_keep();
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

static bool is_earlier_turn(const turn *a, const turn *b)
{
        return a->at != b->at ? a->at < b->at : a->loc < b->loc;
}

PS_HEAP(turns, turn, is_earlier_turn)

/* -- the first of them, in order: it is known long before who comes next -- */

static turn *front_at(run *r, uint32_t i)
{
        return &r->front[(r->first_front + i) % TURNS_AHEAD];
}

static void append_turn(run *r, turn t)
{
        *front_at(r, r->n_front++) = t;
        __builtin_prefetch(place_of(r, t.loc));
}

/* Before the last of the front. */
static void insert_turn(run *r, turn t)
{
        uint32_t i = r->n_front;
        if (i == TURNS_AHEAD)
                turns_rise(r->heap, r->n_heap++, *front_at(r, --i));
        else
                r->n_front++;
        for (; i && is_earlier_turn(&t, front_at(r, i - 1)); i--)
                *front_at(r, i) = *front_at(r, i - 1);
        *front_at(r, i) = t;
}

static void wait_for_turn(run *r, turn t)
{
        if (r->n_front && is_earlier_turn(&t, front_at(r, r->n_front - 1))) {
                insert_turn(r, t);
        } else if (r->n_front == TURNS_AHEAD) {
                turns_rise(r->heap, r->n_heap++, t);
        } else if (r->n_heap && is_earlier_turn(&r->heap[0], &t)) {
                append_turn(r, r->heap[0]);
                turns_sink(r->heap, r->n_heap, 0, t);
        } else {
                append_turn(r, t);
        }
}

bool ps_replay_is_too_early(run *r, ps_loc loc)
{
        turn own = turn_of(r, loc);
        r->now = own.at;
        if (!r->n_ready && !(r->n_front && is_earlier_turn(front_at(r, 0), &own)) &&
            !ps_traffic_is_due(r->traffic, own.at))
                return 0;
        wait_for_turn(r, own);
        return 1;
}

/* What the one after the next will look at is on its way while others run. */
static void look_ahead(run *r)
{
        if (r->n_front < 2)
                return;
        ps_loc loc = front_at(r, 1)->loc;
        const place *p = place_of(r, loc);
        ps_replay_fetch(r, loc);
        __builtin_prefetch(&p->ops->call[p->row]);
}

static ps_loc take_turn(run *r)
{
        turn first = *front_at(r, 0);
        r->first_front++;
        r->n_front--;
        if (r->n_heap && r->n_front < TURNS_AHEAD / 2) {
                turn last = r->heap[--r->n_heap];
                append_turn(r, r->n_heap ? r->heap[0] : last);
                if (r->n_heap)
                        turns_sink(r->heap, r->n_heap, 0, last);
        }
        look_ahead(r);
        return first.loc;
}

/* Those that were woken come to their next turn before anybody takes one. */
static void run_by_clock(run *r)
{
        for (uint32_t i = 0; r->status == PS_OK && !r->went_back; i++) {
                ps_blocks_keep();
                if (!r->n_ready &&
                    ps_traffic_is_due(r->traffic, r->n_front ? front_at(r, 0)->at : PS_TIME_MAX))
                        ps_traffic_step(r);
                else if (r->n_ready || r->n_front)
                        r->advance(r, r->n_ready ? r->ready[--r->n_ready] : take_turn(r));
                else
                        break;
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
