/* slots.c - see slots.h. Free slots hang together in a list, the one freed last first. */
#include "simulator/replay/slots.h"

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
                memcpy(bigger, of->row, of->cap * size);
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
        if (!r->traffic || !ps_replay_departs(r, m->from, to, bytes, start, message))
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
        uint32_t width = r->width;
        ps_time *arrival = slot_vector(m, 0, width), *release = slot_vector(m, 1, width);
        if (!r->has_machine) {
                for (uint32_t w = 0; w < width; w++)
                        arrival[w] = release[w] = arrival[w] > release[w] ? arrival[w] : release[w];
                return;
        }
        for (uint32_t w = 0; w < width; w++) {
                ps_time start = arrival[w] > release[w] ? arrival[w] : release[w];
                start += costs[PART_HANDSHAKE * width + w];
                ps_time flight = costs[PART_FLIGHT * width + w];
                if (departs_at(r, m, message, to, bytes, start))
                        return;
                if (r->traffic)
                        start = ps_replay_transfer(r, m->from, to, bytes, start, &flight);
                arrival[w] = start + flight;
                release[w] = start + costs[PART_RELEASE * width + w];
        }
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

static bool is_near(const ps_coll *coll)
{
        return role_of(coll, coll->first) == ROLE_NEIGHBOURS;
}

static bool needs_members(const run *r, const ps_coll *coll)
{
        return is_near(coll) || (ps_kinds[coll->kind].traits & PS_T_PREFIX && !r->syncs_all);
}

/* What is kept of each member, or rank. */
static void make_parts(run *r, const ps_coll *coll, coll_slot *c)
{
        bool is_by_rank = is_near(coll);
        uint32_t n = is_by_rank ? r->replay->trace->defs.comms.row[coll->comm].n_members : coll->n;
        c->members = malloc((size_t)n * (r->width + 1) * sizeof(ps_time));
        c->near = is_by_rank ? malloc(n * sizeof(*c->near)) : NULL;
        for (uint32_t rank = 0; c->near && rank < n; rank++)
                c->near[rank] = (near_part){.waiter = PS_NONE, .waiting = PS_NONE, .next = PS_NONE};
        if (!c->members || (is_by_rank && !c->near))
                r->status = PS_NOMEM(r->err, "members", n);
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
        if (ps_replay_is_of_messages(r, coll)) {
                c->meeting = ps_replay_meeting_new(r, coll);
        } else if (needs_members(r, coll)) {
                make_parts(r, coll, c);
        }
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

/* Each member of a prefix operation has the latest of all ranks up to its own; recorded times stand behind
 * the lanes. */
static void fold_prefix(run *r, const ps_coll *coll, coll_slot *c, const cached_cost *cost)
{
        const ps_trace *trace = r->replay->trace;
        const ps_comm_def *comm = &trace->defs.comms.row[coll->comm];
        ps_time latest[LANES_MAX + 1];
        for (uint32_t w = 0; w < r->width; w++)
                latest[w] = INT64_MIN;
        latest[r->width] = INT64_MIN;
        uint32_t *member_of = r->member_of;
        for (uint32_t i = 0; i < coll->n; i++)
                member_of[trace->defs.locations.row[trace->members[coll->first + i].ref.loc].process] = i;
        for (uint32_t rank = 0; rank < comm->n_members; rank++) {
                uint32_t process = comm->members[rank];
                uint32_t i = process < trace->defs.processes.n ? member_of[process] : PS_NONE;
                if (i >= coll->n)
                        continue;
                ps_time *own = c->members + (size_t)i * (r->width + 1);
                for (uint32_t w = 0; w <= r->width; w++) {
                        latest[w] = own[w] > latest[w] ? own[w] : latest[w];
                        own[w] = latest[w] + (w < r->width ? cost->cost[w] : 0);
                }
        }
        for (uint32_t i = 0; i < coll->n; i++)
                member_of[trace->defs.locations.row[trace->members[coll->first + i].ref.loc].process] =
                        PS_NONE;
}

static void all_are_there(run *r, uint32_t index, coll_slot *c)
{
        if (c->near)
                return; /* each has gone on when those were there that it needs */
        if (c->members)
                fold_prefix(r, coll_at(r, index), c, ps_replay_coll_cost(r, index));
        wake_members(r, index, WAIT_ALL);
}

static void wake_neighbours(run *r, const coll_slot *c, uint32_t rank)
{
        for (uint32_t i = c->near[rank].waiting; i != PS_NONE; i = c->near[i].next) {
                place_of(r, c->near[i].waiter)->wait = WAIT_NOTHING;
                ps_replay_make_ready(r, c->near[i].waiter);
        }
}

/* Where the begins of a member are kept. */
static ps_time *begins_of(const run *r, const ps_coll *coll, const coll_slot *c, uint32_t member)
{
        uint32_t i = c->near ? r->replay->near[member].rank : member - coll->first;
        return c->members + (size_t)i * (r->width + 1);
}

void ps_replay_enter(run *r, uint32_t member, const ps_time *begin)
{
        uint32_t index = r->replay->trace->members[member].coll, width = r->width;
        const ps_coll *coll = coll_at(r, index);
        uint32_t at = r->coll_slot_of[index];
        coll_slot *c = at ? coll_slot_at(r, at - 1) : new_coll(r, index);
        if (!c)
                return;
        if (c->meeting) {
                c->n_in++;
                ps_replay_meeting_enter(r, c->meeting, coll, member - coll->first, begin);
                return;
        }
        ps_time *all = coll_vector(r, c, ALL), *root = coll_vector(r, c, ROOT);
        for (uint32_t w = 0; w < width; w++)
                all[w] = begin[w] > all[w] ? begin[w] : all[w];
        ps_ref ref = r->replay->trace->members[member].ref;
        ps_time recorded = r->replay->timing->enter[ref.loc][ref.op];
        if (c->members) {
                ps_time *own = begins_of(r, coll, c, member);
                for (uint32_t w = 0; w < width; w++)
                        own[w] = begin[w];
                own[width] = recorded;
        }
        c->n_in++;
        if (c->near) {
                uint32_t rank = r->replay->near[member].rank;
                c->near[rank].has_begun = true;
                wake_neighbours(r, c, rank);
        }
        if (member == coll->root) {
                for (uint32_t w = 0; w < width; w++)
                        root[w] = begin[w];
                c->recorded_root = recorded;
                c->root_in = 1;
                wake_members(r, index, WAIT_ROOT);
        }
        if (c->n_in == coll->n)
                all_are_there(r, index, c);
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

/* The ranks up to its own. */
static enum wait look_at_member(const run *r, const step *s, const coll_slot *c, const ps_coll *coll,
                                ps_time *times, ps_time *recorded)
{
        if (c->n_in < coll->n)
                return WAIT_ALL;
        const ps_time *own = c->members + (size_t)(s->arg - coll->first) * (r->width + 1);
        for (uint32_t w = 0; w < r->width; w++)
                times[w] = own[w];
        *recorded = own[r->width];
        return WAIT_NOTHING;
}

/* Those among its neighbours whose data it gets, one after the other, until one has not begun. */
static enum wait look_at_neighbours(const run *r, const step *s, const coll_slot *c, const ps_coll *coll,
                                    ps_time *times, ps_time *recorded)
{
        const ps_defs *defs = &r->replay->trace->defs;
        uint32_t rank = r->replay->near[s->arg].rank, n, width = r->width;
        const uint32_t *list = ps_near_of(defs, &defs->comms.row[coll->comm], rank, &n);
        near_part *own = &c->near[rank];
        for (; own->looked_at < n && list[own->looked_at] < defs->comms.row[coll->comm].n_members;
             own->looked_at++) {
                near_part *other = &c->near[list[own->looked_at]];
                if (other->has_begun)
                        continue;
                own->waiter = r->replay->trace->members[s->arg].ref.loc;
                own->next = other->waiting;
                other->waiting = rank;
                return WAIT_ALL;
        }
        for (uint32_t w = 0; w < width; w++)
                times[w] = INT64_MIN;
        for (uint32_t i = 0; i < own->looked_at; i++) {
                const ps_time *begin = c->members + (size_t)list[i] * (width + 1);
                if (list[i] == rank)
                        continue;
                for (uint32_t w = 0; w < width; w++)
                        times[w] = ps_time_later(times[w], begin[w]);
                *recorded = ps_time_later(*recorded, begin[width]);
        }
        return WAIT_NOTHING;
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
        if (c->near && !(s->flags & STEP_FREE))
                return look_at_neighbours(r, s, c, coll, times, recorded);
        if (c->members && !(s->flags & STEP_FREE))
                return look_at_member(r, s, c, coll, times, recorded);
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

void ps_replay_leave(run *r, uint32_t member)
{
        uint32_t index = r->replay->trace->members[member].coll, at = r->coll_slot_of[index] - 1;
        coll_slot *c = coll_slot_at(r, at);
        if (++c->n_out < coll_at(r, index)->n)
                return;
        free(c->members);
        free(c->near);
        ps_meeting_free(c->meeting);
        c->members = NULL;
        c->near = NULL;
        c->meeting = NULL;
        r->coll_slot_of[index] = 0;
        c->next_free = r->free_coll;
        r->free_coll = at;
}
