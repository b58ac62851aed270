/* slots.c - see slots.h. Free slots hang together in a list, the one freed last first. */
#include "simulator/replay/slots.h"

#include "core/base/blocks.h"

#include <stdlib.h>
#include <string.h>

void ps_replay_check_range(run *r, const ps_time *times)
{
        for (uint32_t w = 0; w < r->width; w++)
                if (times[w] > REPLAY_TIME_LIMIT && r->status == PS_OK)
                        r->status = PS_FAIL(r->err, PS_E_USAGE,
                                            "the predicted run takes too long: limit_days=26");
}

/* Rows begin at a cache line and are as wide as the replay is, which core/base/vector knows nothing of. */
ps_status ps_records_grow(records *of, size_t bytes, uint32_t n, uint32_t width, uint32_t cap)
{
        void *bigger;
        size_t head = record_head(bytes, width), line = CACHE_LINE;
        size_t size = (head + (size_t)n * width * sizeof(ps_time) + line - 1) & ~(line - 1);
        if (cap > SIZE_MAX / size || posix_memalign(&bigger, line, cap * size))
                return PS_E_NOMEM;
        if (of->cap)
                ps_blocks_copy(bigger, of->row, of->cap * size);
        free(of->row);
        *of = (records){bigger, size, head, cap};
        return PS_OK;
}

/* Twice as many; 0 when there is no memory. */
static bool grow_records(run *r, records *of, size_t bytes, uint32_t n)
{
        uint32_t cap = of->cap ? 2 * of->cap : 64;
        if (cap < of->cap || ps_records_grow(of, bytes, n, r->width, cap) != PS_OK)
                r->status = PS_NOMEM(r->err, "messages under way", cap);
        return r->status == PS_OK;
}

uint32_t ps_replay_slot_new(run *r, uint32_t message)
{
        uint32_t at = r->free_slot;
        ps_blocks_keep();
        if (at != PS_NONE) {
                r->free_slot = slot_at(r, at)->next_free;
        } else {
                if (r->n_slots == r->slots.cap && !grow_records(r, &r->slots, sizeof(slot), 2))
                        return PS_NONE;
                at = r->n_slots++;
        }
        *slot_at(r, at) = (slot){.waiter = {PS_NONE, PS_NONE}};
        r->slot_of[message] = at + 1;
        return at;
}

void ps_replay_slot_free(run *r, uint32_t message, uint32_t at)
{
        r->slot_of[message] = 0;
        slot_at(r, at)->next_free = r->free_slot;
        r->free_slot = at;
}

void ps_replay_charge_gap(run *r, ps_loc loc, const ps_time *costs, ps_time *at)
{
        uint32_t width = r->width;
        ps_time *port = vector_of(r, loc, V_PORT, width);
        for (uint32_t w = 0; w < width; w++) {
                at[w] = at[w] > port[w] ? at[w] : port[w];
                port[w] = at[w] + costs[PART_GAP * width + w];
        }
}

/* In a network that is shared fairly its end is not known yet. */
static bool departs_at(run *r, slot *m, uint32_t message, ps_loc to, uint64_t bytes, ps_time start)
{
        if (!ps_replay_departs(r, m->from, to, bytes, start, message))
                return false;
        slot_vector(m, 1, 1)[0] = start;
        m->has[0] = 0;
        m->has[1] = !r->lane[0]->machine->sender_free_at_end;
        return true;
}

static void deliver_message(run *r, uint32_t message, ps_time arrival, ps_time released)
{
        slot *m = slot_at(r, r->slot_of[message] - 1);
        slot_vector(m, 0, 1)[0] = arrival;
        if (!m->has[1])
                slot_vector(m, 1, 1)[0] = released;
        m->has[0] = m->has[1] = 1;
        ps_replay_wake(r, &m->waiter[0]);
        ps_replay_wake(r, &m->waiter[1]);
}

void ps_replay_meet(run *r, slot *m, uint32_t message, const ps_time *costs, ps_loc to, uint64_t bytes)
{
        ps_time *arrival = slot_vector(m, 0, 1), *release = slot_vector(m, 1, 1);
        ps_time start = ps_time_later(*arrival, *release) + costs[PART_HANDSHAKE],
                flight = costs[PART_FLIGHT];
        if (departs_at(r, m, message, to, bytes, start))
                return;
        start = ps_replay_transfer(r, m->from, to, bytes, start, &flight);
        *arrival = start + flight;
        *release = start + costs[PART_RELEASE];
}

/* -- collective operations -- */

enum { ALL, ROOT, N_COLL_VECTORS };

static coll_slot *coll_slot_at(const run *r, uint32_t at)
{
        return record_at(&r->colls, at);
}

static ps_time *coll_vector(const run *r, const coll_slot *c, int which)
{
        // NOLINTNEXTLINE(performance-no-int-to-ptr): const goes, and the alignment is that of a cache line
        return (ps_time *)((uintptr_t)c + r->colls.head) + (size_t)which * r->width;
}

static const ps_coll *coll_at(const run *r, uint32_t index)
{
        return &r->replay->trace->colls[index];
}

static bool is_kept(const run *r, const ps_coll *coll)
{
        return !r->has_machine || is_kept_collective(coll->kind);
}

static coll_slot *new_coll(run *r, uint32_t index)
{
        uint32_t at = r->free_coll;
        const ps_coll *coll = coll_at(r, index);
        if (at != PS_NONE) {
                r->free_coll = coll_slot_at(r, at)->next_free;
        } else {
                if (r->n_colls == r->colls.cap &&
                    !grow_records(r, &r->colls, sizeof(coll_slot), N_COLL_VECTORS))
                        return NULL;
                at = r->n_colls++;
        }
        coll_slot *c = coll_slot_at(r, at);
        *c = (coll_slot){.next_free = PS_NONE};
        for (uint32_t w = 0; w < r->width; w++)
                coll_vector(r, c, ALL)[w] = INT64_MIN;
        if (ps_replay_is_of_messages(r, coll))
                c->meeting = ps_replay_meeting_new(r, coll);
        else if (ps_replay_goes_by_rank(r, coll))
                ps_replay_ranks_new(r, coll, c);
        r->coll_slot_of[index] = at + 1;
        return r->status == PS_OK ? c : NULL;
}

static void wake_members(run *r, uint32_t index, enum wait wait)
{
        const ps_coll *coll = coll_at(r, index);
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++) {
                ps_loc loc = r->replay->trace->members[m].ref.loc;
                place *p = place_of(r, loc);
                if (p->wait == wait && p->awaited == index) {
                        p->wait = WAIT_NOTHING;
                        ps_replay_make_ready(r, loc);
                }
        }
}

void ps_replay_enter(run *r, uint32_t member, const ps_time *begin)
{
        uint32_t index = r->replay->trace->members[member].coll, width = r->width;
        const ps_coll *coll = coll_at(r, index);
        uint32_t at = r->coll_slot_of[index];
        coll_slot *c = at ? coll_slot_at(r, at - 1) : new_coll(r, index);
        ps_blocks_keep();
        if (!c)
                return;
        if (c->meeting) {
                c->n_in++;
                ps_replay_meeting_enter(r, c->meeting, coll, member - coll->first, begin);
                return;
        }
        if (c->ranks) {
                ps_replay_ranks_enter(r, coll, c, member, begin);
                return;
        }
        ps_time *all = coll_vector(r, c, ALL), *root = coll_vector(r, c, ROOT);
        for (uint32_t w = 0; w < width; w++)
                all[w] = begin[w] > all[w] ? begin[w] : all[w];
        c->n_in++;
        if (member == coll->root) {
                for (uint32_t w = 0; w < width; w++)
                        root[w] = begin[w];
                c->recorded_root = recorded_begin(r->replay, r->replay->trace->members[member].ref);
                c->root_in = 1;
                wake_members(r, index, WAIT_ROOT);
        }
        if (c->n_in == coll->n)
                wake_members(r, index, WAIT_ALL);
}

static enum role role_in(const run *r, const step *s, const ps_coll *coll)
{
        if (s->flags & STEP_FREE)
                return ROLE_NOBODY;
        if (r->syncs_all && !is_kept(r, coll))
                return ROLE_ALL;
        return role_of(coll, s->arg);
}

static void add_vectors(ps_time *to, const ps_time *a, const ps_time *b, uint32_t width)
{
        for (uint32_t w = 0; w < width; w++)
                to[w] = a[w] + b[w];
}

static enum wait look_at_meeting(const run *r, const step *s, const coll_slot *c, const ps_coll *coll,
                                 ps_time *times)
{
        const ps_time *end = ps_meeting_end(c->meeting, s->arg - coll->first);
        if (!end)
                return WAIT_ALL;
        for (uint32_t w = 0; w < r->width; w++)
                times[w] = end[w];
        return WAIT_NOTHING;
}

/* Of a member that waits for nobody: the root's messages, or its own one. */
static void look_at_own(run *r, const step *s, uint32_t index, const coll_slot *c, ps_time *times)
{
        const ps_coll *coll = coll_at(r, index);
        const cached_cost *cost = ps_replay_coll_cost(r, index);
        const ps_ref own = r->replay->trace->members[s->arg].ref;
        for (uint32_t w = 0; w < r->width; w++)
                times[w] = INT64_MIN;
        if (s->flags & STEP_FREE)
                return;
        if (s->arg == coll->root)
                add_vectors(times, coll_vector(r, c, ROOT), cost->cost, r->width);
        else if (!(s->flags & STEP_NONBLOCKING))
                add_vectors(times, vector_of(r, own.loc, V_BEGIN, r->width), cost->own, r->width);
}

enum wait ps_replay_look_at(run *r, const step *s, ps_time *times, ps_time *recorded)
{
        uint32_t index = r->replay->trace->members[s->arg].coll, at = r->coll_slot_of[index] - 1;
        const ps_coll *coll = coll_at(r, index);
        coll_slot *c = coll_slot_at(r, at);
        enum role role = role_in(r, s, coll);
        *recorded = INT64_MIN;
        if (c->meeting && !(s->flags & STEP_FREE))
                return look_at_meeting(r, s, c, coll, times);
        if (c->ranks && !(s->flags & STEP_FREE)) {
                enum wait wait = ps_replay_ranks_look_at(r, coll, c, s->arg, times, recorded);
                if (wait == WAIT_NOTHING)
                        add_vectors(times, times, ps_replay_coll_cost(r, index)->cost, r->width);
                return wait;
        }
        if (role == ROLE_NOBODY) {
                look_at_own(r, s, index, c, times);
                return WAIT_NOTHING;
        }
        if (role == ROLE_ROOT ? !c->root_in : c->n_in < coll->n)
                return role == ROLE_ROOT ? WAIT_ROOT : WAIT_ALL;
        add_vectors(times, coll_vector(r, c, role == ROLE_ROOT ? ROOT : ALL),
                    ps_replay_coll_cost(r, index)->cost, r->width);
        *recorded = role == ROLE_ROOT ? c->recorded_root : r->replay->colls[index].begin;
        return WAIT_NOTHING;
}

void ps_replay_deliver(run *r, uint64_t name, ps_time arrival, ps_time released)
{
        uint32_t of = (uint32_t)(name >> 32), message = (uint32_t)name;
        if (!of) {
                deliver_message(r, message, arrival, released);
                return;
        }
        coll_slot *c = coll_slot_at(r, r->coll_slot_of[of - 1] - 1);
        ps_replay_meeting_deliver(r, c->meeting, coll_at(r, of - 1), message, arrival, released);
}

void ps_replay_coll_clear(coll_slot *c)
{
        free(c->begins);
        free(c->ranks);
        free(c->sent);
        ps_meeting_free(c->meeting);
        c->begins = NULL;
        c->ranks = NULL;
        c->sent = NULL;
        c->meeting = NULL;
}

void ps_replay_leave(run *r, uint32_t member)
{
        uint32_t index = r->replay->trace->members[member].coll, at = r->coll_slot_of[index] - 1;
        coll_slot *c = coll_slot_at(r, at);
        if (++c->n_out < coll_at(r, index)->n)
                return;
        ps_replay_coll_clear(c);
        r->coll_slot_of[index] = 0;
        c->next_free = r->free_coll;
        r->free_coll = at;
}
