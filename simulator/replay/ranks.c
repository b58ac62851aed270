/* ranks.c - operations in which not all wait for all, by the ranks of their members: scans, where each
 * waits for the lower ones, and those among neighbours, as far as the trace tells who they are. */
#include "simulator/cost/models.h"
#include "simulator/replay/slots.h"

#include "core/base/memory.h"

#include <stdlib.h>

/* -- before a run -- */

static bool is_prefix(const ps_coll *coll)
{
        return ps_kinds[coll->kind].traits & PS_T_PREFIX;
}

static bool is_by_rank(const ps_trace *trace, const ps_coll *coll)
{
        return is_prefix(coll) || ps_coll_is_near(trace, coll);
}

static void note_begin(void *ctx, uint32_t member, uint32_t needed)
{
        ps_replay *r = ctx;
        replay_rank *own = &r->ranks[member];
        own->begin = ps_time_later(own->begin, recorded_begin(r, r->trace->members[needed].ref));
}

/* Where somebody is missing nobody could go on who waits for him: such an operation stays as it is. */
static void look_at_neighbours(ps_replay *r, const ps_coll *coll, uint32_t *member_of)
{
        uint32_t n = r->trace->defs.comms.row[coll->comm].n_members;
        ps_coll_visit_near(r->trace, coll, member_of, note_begin, r);
        if (!coll->complete || coll->n != n)
                return;
        for (uint32_t rank = 0; rank < n; rank++)
                if (ps_coll_member(r->trace, coll, member_of, rank) == PS_NONE)
                        return;
        for (uint32_t rank = 0; rank < n; rank++)
                r->ranks[ps_coll_member(r->trace, coll, member_of, rank)].rank = rank;
}

struct prefix {
        ps_replay *replay;
        ps_time begin; /* the latest so far */
        uint32_t n;
};

static void note_rank(void *ctx, uint32_t member)
{
        struct prefix *p = ctx;
        replay_rank *own = &p->replay->ranks[member];
        if (own->rank != PS_NONE)
                return;
        p->begin = ps_time_later(p->begin, recorded_begin(p->replay, p->replay->trace->members[member].ref));
        *own = (replay_rank){p->begin, p->n++};
}

/* Ranks among those who are there; who has none in the communicator comes last. */
static void look_at_prefix(ps_replay *r, const ps_coll *coll, uint32_t *member_of)
{
        struct prefix p = {r, INT64_MIN, 0};
        ps_coll_visit_ranks(r->trace, coll, member_of, note_rank, &p);
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++)
                note_rank(&p, m);
}

static bool has_any_by_rank(const ps_trace *trace)
{
        uint32_t c = 0;
        while (c < trace->n_colls && !is_by_rank(trace, &trace->colls[c]))
                c++;
        return c < trace->n_colls;
}

ps_status ps_replay_find_ranks(ps_replay *r, ps_error *err)
{
        const ps_trace *trace = r->trace;
        if (!has_any_by_rank(trace))
                return PS_OK;
        uint32_t *member_of = ps_memory_new(ps_coll_room(trace) * sizeof(*member_of));
        r->ranks = ps_memory_new((trace->n_members + (size_t)1) * sizeof(*r->ranks));
        for (uint32_t m = 0; r->ranks && m < trace->n_members; m++)
                r->ranks[m] = (replay_rank){INT64_MIN, PS_NONE};
        for (uint32_t c = 0; member_of && r->ranks && c < trace->n_colls; c++)
                if (is_prefix(&trace->colls[c]))
                        look_at_prefix(r, &trace->colls[c], member_of);
                else if (ps_coll_is_near(trace, &trace->colls[c]))
                        look_at_neighbours(r, &trace->colls[c], member_of);
        ps_status status = member_of && r->ranks ? PS_OK : PS_NOMEM(err, "members", trace->n_members);
        free(member_of);
        return status;
}

/* -- in a run -- */

bool ps_replay_goes_by_rank(const run *r, const ps_coll *coll)
{
        return is_by_rank(r->replay->trace, coll) && !(is_prefix(coll) && r->syncs_all);
}

/* Begins in each lane, and behind them as recorded. */
static ps_time *begins_of(const run *r, const coll_slot *c, uint32_t rank)
{
        return c->begins + (size_t)rank * (r->width + 1);
}

static const uint32_t *neighbours_of(const run *r, const ps_coll *coll, uint32_t rank, uint32_t *n)
{
        const ps_defs *defs = &r->replay->trace->defs;
        return ps_near_of(defs, &defs->comms.row[coll->comm], rank, n);
}

/* Each sends to those who get its data, one after the other, the lowest rank first. */
static bool number_messages(const run *r, const ps_coll *coll, coll_slot *c)
{
        uint32_t n, n_all = 0;
        for (uint32_t rank = 0; rank < coll->n; rank++) {
                c->ranks[rank].first = n_all;
                (void)neighbours_of(r, coll, rank, &n);
                n_all += n;
        }
        c->sent = ps_memory_new((n_all + (size_t)1) * sizeof(*c->sent));
        for (uint32_t rank = 0; c->sent && rank < coll->n; rank++) {
                const uint32_t *list = neighbours_of(r, coll, rank, &n);
                for (uint32_t i = 0; i < n && list[i] < coll->n; i++)
                        c->sent[c->ranks[rank].first + i] = list[i] == rank ? 0 : c->ranks[list[i]].n_sends++;
        }
        return c->sent;
}

void ps_replay_ranks_new(run *r, const ps_coll *coll, coll_slot *c)
{
        c->begins = malloc((size_t)coll->n * (r->width + 1) * sizeof(*c->begins));
        c->ranks = malloc(coll->n * sizeof(*c->ranks));
        for (uint32_t rank = 0; c->ranks && rank < coll->n; rank++)
                c->ranks[rank] = (rank_part){.waiter = PS_NONE, .waiting = PS_NONE, .next = PS_NONE};
        bool has_messages = r->has_machine && !is_prefix(coll);
        if (!c->begins || !c->ranks || (has_messages && !number_messages(r, coll, c))) {
                ps_replay_coll_clear(c);
                r->status = PS_NOMEM(r->err, "members", coll->n);
        }
}

static void wake(run *r, const rank_part *part)
{
        if (part->waiter == PS_NONE)
                return;
        place_of(r, part->waiter)->wait = WAIT_NOTHING;
        ps_replay_make_ready(r, part->waiter);
}

/* Ranks that have all lower ones with them now: each begin becomes the latest up to it. */
static void advance(run *r, const ps_coll *coll, coll_slot *c)
{
        for (; c->n_there < coll->n && c->ranks[c->n_there].has_begun; c->n_there++) {
                ps_time *own = begins_of(r, c, c->n_there), *before = own - (r->width + 1);
                for (uint32_t w = 0; c->n_there && w <= r->width; w++)
                        own[w] = ps_time_later(own[w], before[w]);
                wake(r, &c->ranks[c->n_there]);
        }
}

void ps_replay_ranks_enter(run *r, const ps_coll *coll, coll_slot *c, uint32_t member, const ps_time *begin)
{
        uint32_t rank = r->replay->ranks[member].rank;
        ps_time *own = begins_of(r, c, rank);
        for (uint32_t w = 0; w < r->width; w++)
                own[w] = begin[w];
        own[r->width] = recorded_begin(r->replay, r->replay->trace->members[member].ref);
        c->ranks[rank].has_begun = true;
        c->ranks[rank].member = member;
        if (is_prefix(coll))
                advance(r, coll, c);
        else
                for (uint32_t i = c->ranks[rank].waiting; i != PS_NONE; i = c->ranks[i].next)
                        wake(r, &c->ranks[i]);
}

static enum wait look_at_lower(const run *r, coll_slot *c, uint32_t rank, ps_loc loc, ps_time *times,
                               ps_time *recorded)
{
        if (rank >= c->n_there) {
                c->ranks[rank].waiter = loc;
                return WAIT_ALL;
        }
        const ps_time *latest = begins_of(r, c, rank);
        for (uint32_t w = 0; w < r->width; w++)
                times[w] = latest[w];
        *recorded = latest[r->width];
        return WAIT_NOTHING;
}

static uint64_t divided(uint64_t bytes, uint32_t n)
{
        return n ? bytes / n + (bytes % n != 0) : 0;
}

/* From the begin of one send to when so many are over. */
static ps_time sending(const run *r, const ps_time *costs, uint32_t w, uint32_t n)
{
        ps_time send = part_of(costs, PART_SEND, r->width)[w], gap = part_of(costs, PART_GAP, r->width)[w];
        ps_time each = r->has_gaps ? ps_time_later(send, gap) : send;
        return n ? ps_time_add(ps_time_times(each, n - 1), send) : 0;
}

/* The message that the sender, which began at `begin`, sends as its `n`-th. times[]: so far. */
static void take_message(const run *r, const ps_time *costs, bool waits, uint32_t n, const ps_time *begin,
                         const ps_time *posted, ps_time *times)
{
        for (uint32_t w = 0; w < r->width; w++) {
                ps_time receive = part_of(costs, PART_RECEIVE, r->width)[w];
                ps_time at = ps_time_add(begin[w], sending(r, costs, w, n));
                if (waits)
                        at = ps_time_add(ps_time_later(at, posted[w]),
                                         part_of(costs, PART_HANDSHAKE, r->width)[w]);
                at = ps_time_add(at, part_of(costs, PART_FLIGHT, r->width)[w]);
                times[w] = r->receives_early ? ps_time_later(ps_time_add(times[w], receive), at)
                                             : ps_time_add(ps_time_later(times[w], at), receive);
        }
}

/* On a machine neighbours exchange messages: each sends to all, the lowest rank first, as Isend does, and
 * takes what comes in the order of its list, as Waitall does. All of a member's are of one length. */
static void exchange_messages(run *r, const ps_coll *coll, const coll_slot *c, uint32_t rank, ps_time *times)
{
        const rank_part *own = &c->ranks[rank];
        const ps_member *members = r->replay->trace->members;
        const ps_ref at = members[own->member].ref;
        uint32_t n;
        const uint32_t *list = neighbours_of(r, coll, rank, &n);
        uint64_t sent = divided(step_bytes(r->replay, at.loc, at.op), own->n_sends),
                 bytes = divided(members[own->member].received, n);
        ps_loc other = n && own->looked_at ? members[c->ranks[list[0]].member].ref.loc : at.loc;
        const ps_time *posted = begins_of(r, c, rank);
        const ps_time *costs = ps_replay_costs_alone(r, (ps_kind)coll->kind, at.loc, other, sent);
        for (uint32_t w = 0; w < r->width; w++)
                times[w] = ps_time_add(posted[w], sending(r, costs, w, own->n_sends));
        for (uint32_t i = 0; i < own->looked_at; i++) {
                if (list[i] == rank)
                        continue;
                other = members[c->ranks[list[i]].member].ref.loc;
                costs = ps_replay_costs_alone(r, (ps_kind)coll->kind, other, at.loc, bytes);
                take_message(r, costs, r->all_wait || bytes > r->eager_limit, c->sent[own->first + i] + 1,
                             begins_of(r, c, list[i]), posted, times);
        }
}

/* Those among its neighbours whose data it gets, one after the other, until one has not begun. */
static enum wait look_at_near(run *r, const ps_coll *coll, coll_slot *c, uint32_t rank, ps_loc loc,
                              ps_time *times, ps_time *recorded)
{
        uint32_t n, width = r->width;
        const uint32_t *list = neighbours_of(r, coll, rank, &n);
        rank_part *own = &c->ranks[rank];
        for (; own->looked_at < n && list[own->looked_at] < coll->n; own->looked_at++) {
                rank_part *other = &c->ranks[list[own->looked_at]];
                if (other->has_begun)
                        continue;
                own->waiter = loc;
                own->next = other->waiting;
                other->waiting = rank;
                return WAIT_ALL;
        }
        if (c->sent) {
                exchange_messages(r, coll, c, rank, times);
                return WAIT_NOTHING;
        }
        for (uint32_t w = 0; w < width; w++)
                times[w] = INT64_MIN;
        for (uint32_t i = 0; i < own->looked_at; i++) {
                const ps_time *begin = begins_of(r, c, list[i]);
                if (list[i] == rank)
                        continue;
                for (uint32_t w = 0; w < width; w++)
                        times[w] = ps_time_later(times[w], begin[w]);
                *recorded = ps_time_later(*recorded, begin[width]);
        }
        return WAIT_NOTHING;
}

enum wait ps_replay_ranks_look_at(run *r, const ps_coll *coll, coll_slot *c, uint32_t member, ps_time *times,
                                  ps_time *recorded)
{
        uint32_t rank = r->replay->ranks[member].rank;
        ps_loc loc = r->replay->trace->members[member].ref.loc;
        return is_prefix(coll) ? look_at_lower(r, c, rank, loc, times, recorded)
                               : look_at_near(r, coll, c, rank, loc, times, recorded);
}

bool ps_replay_ranks_awaits(const run *r, const ps_coll *coll, uint32_t member, uint32_t other)
{
        const replay_rank *ranks = r->replay->ranks;
        if (is_prefix(coll))
                return ranks[other].rank <= ranks[member].rank;
        uint32_t n;
        const uint32_t *list = neighbours_of(r, coll, ranks[member].rank, &n);
        while (n && list[n - 1] != ranks[other].rank)
                n--;
        return n > 0;
}
