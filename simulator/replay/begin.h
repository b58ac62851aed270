/* begin.h - a call begins: the computation before it, and what it sends, posts or enters is made known. A
 * part of the loop of engine.c, inline like all of it. */
#ifndef PS_SIMULATOR_REPLAY_BEGIN_H
#define PS_SIMULATOR_REPLAY_BEGIN_H

#include "simulator/replay/recorded.h"

static inline bool waits_for_receiver(const run *r, const step *s, uint64_t bytes)
{
        return s->flags & STEP_SYNCHRONOUS ||
               (!(s->flags & STEP_BUFFERED) && (r->all_wait || bytes > r->eager_limit));
}

/* Among neighbours, whose messages a machine has a price for. */
static inline bool is_exchange(const run *r, const step *s)
{
        const ps_trace *trace = r->replay->trace;
        return s->code == STEP_COLLECTIVE && has_rank(r->replay, s->arg) &&
               ps_coll_is_near(trace, &trace->colls[trace->members[s->arg].coll]);
}

/* A row that begins before the call before it has ended is inside of that call, or continues a call around
 * both. */
COLD static int begins_inside(const place *p, ps_op row)
{
        return row && p->enter[row] >= p->enter[row - 1];
}

/* The computation before a call, as it was recorded, in each lane. */
ALWAYS_INLINE void compute(run *r, place *p, ps_loc loc, ps_op row, ps_time time, uint32_t width)
{
        ps_time *clock = vector_in(p, V_CLOCK, width), *begin = vector_in(p, V_BEGIN, width);
        if (time < 0) {
                bool is_inside = begins_inside(p, row);
                for (uint32_t w = 0; w < width; w++)
                        begin[w] = ps_time_later(is_inside ? begin[w] : 0, clock[w] + time);
                return;
        }
        if (r->cpu) {
                ps_time takes[LANES_MAX];
                for (uint32_t w = 0; w < width; w++)
                        takes[w] = time;
                if (ps_replay_compute(r, loc, row, time, takes)) {
                        add_parts(begin, clock, takes, width);
                        return;
                }
        }
        add_constant(begin, clock, time, width);
}

/* A nonblocking operation begins where the call before it ended that may wait, and so much later, in the
 * lanes that ask for it. */
ALWAYS_INLINE void move_up(const run *r, const place *p, ps_time *begin, const ps_time *later, uint32_t width)
{
        ps_time moved[LANES_MAX];
        copy(moved, vector_in(p, V_SYNC, width), width);
        if (later)
                add_to(moved, later, width);
        choose_from(begin, moved, r->moves_up, width);
}

/* Both ends of a rendezvous are known: when its data arrive, and when the sender is free. */
ALWAYS_INLINE void meet(run *r, slot *m, const step *s, const ps_time *costs, ps_loc to, uint64_t bytes,
                        uint32_t width)
{
        ps_time *arrival = slot_vector(m, 0, width), *release = slot_vector(m, 1, width);
        if (r->traffic) {
                ps_replay_meet(r, m, s->arg, costs, to, bytes);
                return;
        }
        max_with(arrival, release, width);
        if (costs)
                add_to(arrival, part_of(costs, PART_HANDSHAKE, width), width);
        copy(release, arrival, width);
        if (costs) {
                add_to(arrival, part_of(costs, PART_FLIGHT, width), width);
                add_to(release, part_of(costs, PART_RELEASE, width), width);
        }
}

ALWAYS_INLINE void begin_send(run *r, place *p, ps_loc loc, ps_op row, const step *s, uint32_t width)
{
        uint64_t bytes = message_bytes(r, loc, row, s->size);
        uint32_t at = ps_replay_slot(r, s->arg);
        if (at == PS_NONE)
                return;
        slot *m = slot_at(r, at);
        if (m->waiter[0] != PS_NONE && r->traffic) /* while the message is on its way through the network */
                ps_replay_fetch(r, m->waiter[0]);
        ps_loc to = r->needs_pairs ? ps_op_peer(p->ops, row) : loc;
        int waits = waits_for_receiver(r, s, bytes), is_detached = s->flags & STEP_NONBLOCKING;
        ps_time *ready = slot_vector(m, 0, width), *end = vector_in(p, V_END, width);
        const ps_time *begin = vector_in(p, V_BEGIN, width), *costs = NULL;
        m->from = loc;
        m->has[0] = 1;
        m->recorded[0] = p->enter[row];
        m->left = (uint8_t)(1 + waits);
        p->sent++;
        if (!r->has_machine) {
                copy(ready, begin, width);
                if (r->overlaps && is_detached)
                        move_up(r, p, ready, NULL, width);
        } else {
                costs = ps_replay_costs(r, loc, to, s->size, bytes);
                if (r->has_gaps)
                        ps_replay_charge_gap(r, loc, costs, end);
                add_to(end, part_of(costs, PART_SEND, width), width);
                copy(ready, end, width);
                if (r->overlaps && is_detached)
                        move_up(r, p, ready, part_of(costs, PART_SEND, width), width);
        }
        if (waits) {
                if (m->has[1])
                        meet(r, m, s, costs, to, bytes, width);
        } else if (costs && r->traffic && ps_replay_departs(r, loc, to, bytes, ready[0], s->arg)) {
                m->has[0] = 0;
        } else if (costs && r->traffic) {
                ps_time flight = costs[PART_FLIGHT];
                ready[0] = ps_replay_transfer(r, loc, to, bytes, ready[0], &flight);
                ready[0] += flight;
        } else if (costs) {
                add_to(ready, part_of(costs, PART_FLIGHT, width), width);
        }
        if (m->has[0])
                ps_replay_wake(r, &m->waiter[0]);
}

ALWAYS_INLINE void begin_receive(run *r, const place *p, ps_loc loc, ps_op row, const step *s, uint32_t width)
{
        uint64_t bytes = received_bytes(r, loc, row, s->size);
        if (!waits_for_receiver(r, s, bytes))
                return;
        ps_loc from = ps_op_peer(p->ops, row);
        uint32_t at = ps_replay_slot(r, s->arg);
        if (at == PS_NONE)
                return;
        slot *m = slot_at(r, at);
        ps_time *posted = slot_vector(m, 1, width);
        const ps_time *costs = r->has_machine ? ps_replay_costs(r, from, loc, s->size, bytes) : NULL;
        copy(posted, vector_in(p, V_BEGIN, width), width);
        if (r->overlaps && s->flags & STEP_NONBLOCKING)
                move_up(r, p, posted, NULL, width);
        if (costs && r->receives_early && !(s->flags & STEP_NONBLOCKING))
                for (uint32_t w = 0; w < width; w++)
                        posted[w] += costs[PART_RECEIVE * width + w];
        m->has[1] = 1;
        m->recorded[1] = begun_at(p);
        if (m->has[0])
                meet(r, m, s, costs, loc, bytes, width);
        if (m->has[1])
                ps_replay_wake(r, &m->waiter[1]);
}

ALWAYS_INLINE void begin_row(run *r, place *p, ps_loc loc, ps_op row, const step *s, uint32_t width)
{
        if (s->code == STEP_SEND)
                begin_send(r, p, loc, row, s, width);
        else if (s->code == STEP_RECV)
                begin_receive(r, p, loc, row, s, width);
        else if (s->code == STEP_COLLECTIVE)
                ps_replay_enter(r, s->arg, vector_in(p, V_BEGIN, width));
}

/* When the next call begins. */
ALWAYS_INLINE int come_to_call(run *r, place *p, ps_loc loc, uint32_t width)
{
        if (__builtin_expect(p->steps[p->row].code == STEP_TEAM, 0)) {
                if (!ps_replay_pass_gate(r, loc, p->row))
                        return 0;
        } else if (p->spinning)
                copy(vector_in(p, V_BEGIN, width), vector_in(p, V_CLOCK, width), width);
        else
                compute(r, p, loc, p->row, p->enter[p->row] - p->recorded, width);
        p->stage = AT_CALL;
        return 1;
}

ALWAYS_INLINE void begin_call(run *r, place *p, ps_loc loc, const step *steps, uint32_t width)
{
        ps_op row = p->row;
        ps_time *begin = vector_in(p, V_BEGIN, width), *end = vector_in(p, V_END, width);
        p->item_row = row;
        p->item = 0;
        p->latest = INT64_MIN;
        p->is_let_go = p->has_sent = p->way.is_collective = false;
        const step *first = &steps[row];
        bool is_alone = !(first->flags & STEP_MORE);
        p->kept = !r->has_machine || (first->flags & STEP_KEPT && !is_exchange(r, first)) ||
                  (first->code < STEP_SEND && is_alone);
        ps_time own = first->code < STEP_SEND ? p->leave[row] - p->enter[row] : 0;
        add_constant(end, begin, own, width);
        do {
                begin_row(r, p, loc, row, &steps[row], width);
                check_range(r, end, width);
        } while (steps[row++].flags & STEP_MORE);
        if (p->kept)
                for (uint32_t w = 0; w < width; w++)
                        end[w] = INT64_MIN;
        p->stage = IN_CALL;
}

#endif
