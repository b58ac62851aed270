/* meeting.c - see meeting.h.
 *
 * A message is known to its two ends by who they are and in which order: the end that comes first makes it,
 * the other one finds it. */
#include "simulator/cost/meeting.h"

#include "core/base/map.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

enum { SENT, POSTED, N_SIDES };

/* Its times are [side][width]: when it is ready or, once that is known, arrives; when its receive was posted
 * or, once that is known, its sender is free. */
typedef struct message {
        uint32_t next; /* of those between the same two that lack an end; of those that are not used */
        uint32_t waiter[N_SIDES]; /* a member, or PS_NONE */
        uint8_t has[N_SIDES];
        bool is_open[N_SIDES]; /* it is on its way, and nobody knows for how long */
        uint8_t left;          /* ends that will still look at it */
} message;

typedef struct pending {
        uint32_t leg, message;
} pending;

typedef PS_VECTOR(pending) pendings;

typedef struct member {
        ps_legs legs;
        uint32_t next;             /* leg that was not begun yet */
        uint32_t n_over;           /* of `now`, those that were waited for */
        pendings now, ahead, late; /* what is waited for in this round, in the next one, at the end */
        uint8_t is_ending;         /* only late sends are left */
        uint8_t is_through;
} member;

/* Vectors of a member. */
enum { BEGIN, CLOCK, END, PORT, N_VECTORS };

struct ps_meeting {
        ps_schedule schedule;
        uint32_t width;
        member *member;
        ps_time *vectors;   /* [member][N_VECTORS][width] */
        ps_map first, last; /* by sender and receiver: of the messages that lack an end, + 1; 0: none does */
        PS_VECTOR(message) messages;
        ps_time *times;
        uint32_t times_cap, unused; /* unused: a list of messages */
        uint32_t *ready, n_ready;   /* members that can go on: a stack */
        uint32_t *through, n_through;
};

/* -- what there is -- */

ps_status ps_meeting_new(ps_meeting **out, const ps_schedule *schedule, uint32_t width, ps_error *err)
{
        ps_meeting *m = calloc(1, sizeof(*m));
        size_t n = schedule->n;
        if (m) {
                m->schedule = *schedule;
                m->width = width;
                m->unused = PS_NONE;
                m->member = calloc(n, sizeof(*m->member));
                m->vectors = calloc(n, (size_t)N_VECTORS * width * sizeof(*m->vectors));
                m->ready = malloc(2 * n * sizeof(*m->ready));
        }
        if (!m || !m->member || !m->vectors || !m->ready) {
                ps_meeting_free(m);
                return PS_NOMEM(err, "members of a collective operation", n);
        }
        m->through = m->ready + n;
        *out = m;
        return PS_OK;
}

static void forget_legs(member *of)
{
        free(of->legs.row);
        free(of->now.row);
        free(of->ahead.row);
        free(of->late.row);
        of->legs = (ps_legs){0};
        of->now = of->ahead = of->late = (pendings){0};
}

void ps_meeting_free(ps_meeting *m)
{
        if (!m)
                return;
        for (uint32_t i = 0; m->member && i < m->schedule.n; i++)
                forget_legs(&m->member[i]);
        free(m->member);
        free(m->vectors);
        free(m->ready);
        free(m->messages.row);
        free(m->times);
        ps_map_free(&m->first);
        ps_map_free(&m->last);
        free(m);
}

static ps_time *vector(const ps_meeting *m, uint32_t i, unsigned which)
{
        return m->vectors + ((size_t)i * N_VECTORS + which) * m->width;
}

static ps_time *times_of_side(const ps_meeting *m, uint32_t at, unsigned side)
{
        return m->times + ((size_t)at * N_SIDES + side) * m->width;
}

/* -- messages -- */

/* As many as there is room for messages, so that both grow at once. */
static ps_status grow_times(ps_meeting *m, ps_error *err)
{
        uint32_t cap = m->messages.cap;
        if (cap == m->times_cap)
                return PS_OK;
        ps_time *times = reallocarray(m->times, cap, (size_t)N_SIDES * m->width * sizeof(*times));
        if (!times)
                return PS_NOMEM(err, "messages of a collective operation", cap);
        m->times = times;
        m->times_cap = cap;
        return PS_OK;
}

static ps_status make_message(ps_meeting *m, uint32_t *out, ps_error *err)
{
        const message fresh = {.next = PS_NONE, .waiter = {PS_NONE, PS_NONE}, .left = N_SIDES};
        *out = m->unused;
        if (m->unused != PS_NONE) {
                m->unused = m->messages.row[*out].next;
                m->messages.row[*out] = fresh;
                return PS_OK;
        }
        *out = m->messages.n;
        if (PS_PUSH(m->messages, fresh))
                return PS_NOMEM(err, "messages of a collective operation", m->messages.n);
        return grow_times(m, err);
}

static void drop_end(ps_meeting *m, uint32_t at)
{
        message *of = &m->messages.row[at];
        if (--of->left)
                return;
        of->next = m->unused;
        m->unused = at;
}

/* The message that lacks this end, or a new one. */
static ps_status find_message(ps_meeting *m, uint32_t from, uint32_t to, unsigned side, uint32_t *out,
                              ps_error *err)
{
        ps_time *first = ps_map_at(&m->first, from, to, 0), *last = ps_map_at(&m->last, from, to, 0);
        if (!first || !last)
                return PS_NOMEM(err, "messages of a collective operation", m->first.n);
        if (*first && !m->messages.row[*first - 1].has[side]) {
                *out = (uint32_t)(*first - 1);
                uint32_t next = m->messages.row[*out].next;
                *first = next == PS_NONE ? 0 : (ps_time)next + 1;
                return PS_OK;
        }
        PS_TRY(make_message(m, out, err));
        if (*first)
                m->messages.row[*last - 1].next = *out;
        else
                *first = (ps_time)*out + 1;
        *last = (ps_time)*out + 1;
        return PS_OK;
}

static bool waits(const ps_meeting_ways *ways, uint64_t bytes)
{
        return ways->all_wait || bytes > ways->eager_bytes;
}

static ps_time moved(const ps_meeting_ways *ways, uint32_t from, uint32_t to, uint64_t bytes, ps_time start,
                     ps_time *flight)
{
        return ways->move ? ways->move(ways->context, from, to, bytes, start, flight) : start;
}

/* Its data begin to move: at `start` already, or when both ends are there. */
static void let_go(ps_meeting *m, const ps_meeting_ways *ways, uint32_t at, uint32_t from, uint32_t to,
                   uint64_t bytes, const ps_message_cost *cost)
{
        bool meets = waits(ways, bytes);
        ps_time *arrival = times_of_side(m, at, SENT), *release = times_of_side(m, at, POSTED);
        if (ways->departs) {
                ps_time begin =
                        meets ? ps_time_later(arrival[0], release[0]) + cost->handshake[0] : arrival[0];
                if (ways->departs(ways->context, at, from, to, bytes, begin)) {
                        release[0] = begin;
                        m->messages.row[at].is_open[SENT] = true;
                        m->messages.row[at].is_open[POSTED] = meets && ways->frees_at_end;
                        return;
                }
        }
        for (uint32_t w = 0; w < m->width; w++) {
                ps_time start = arrival[w], flight = cost->flight[w];
                if (meets)
                        start = ps_time_later(start, release[w]) + cost->handshake[w];
                start = moved(ways, from, to, bytes, start, &flight);
                arrival[w] = start + flight;
                if (meets)
                        release[w] = start + cost->release[w];
        }
}

static void wake(ps_meeting *m, uint32_t at, unsigned side)
{
        uint32_t *waiter = &m->messages.row[at].waiter[side];
        if (*waiter != PS_NONE)
                m->ready[m->n_ready++] = *waiter;
        *waiter = PS_NONE;
}

/* -- members -- */

static ps_status check_range(const ps_meeting *m, uint32_t i, ps_error *err)
{
        const ps_time *end = vector(m, i, END);
        for (uint32_t w = 0; w < m->width; w++)
                if (end[w] > PS_MEETING_TIME_LIMIT)
                        return PS_FAIL(err, PS_E_USAGE, "the predicted run takes too long: limit_days=26");
        return PS_OK;
}

/* The overhead of a send, not before its port is free. */
static void charge_send(const ps_meeting *m, uint32_t i, const ps_message_cost *cost)
{
        ps_time *end = vector(m, i, END), *port = vector(m, i, PORT);
        for (uint32_t w = 0; w < m->width; w++) {
                if (cost->gap) {
                        end[w] = ps_time_later(end[w], port[w]);
                        port[w] = end[w] + cost->gap[w];
                }
                end[w] += cost->send[w];
        }
}

static ps_status begin_send(ps_meeting *m, const ps_meeting_ways *ways, uint32_t i, const ps_leg *leg,
                            uint32_t *at, ps_error *err)
{
        PS_TRY(find_message(m, i, leg->peer, SENT, at, err));
        ps_message_cost cost = ways->cost(ways->context, i, leg->peer, leg->bytes);
        message *of = &m->messages.row[*at];
        charge_send(m, i, &cost);
        memcpy(times_of_side(m, *at, SENT), vector(m, i, END), m->width * sizeof(ps_time));
        of->has[SENT] = 1;
        if (!waits(ways, leg->bytes) || of->has[POSTED])
                let_go(m, ways, *at, i, leg->peer, leg->bytes, &cost);
        wake(m, *at, SENT);
        return check_range(m, i, err);
}

static ps_status begin_receive(ps_meeting *m, const ps_meeting_ways *ways, uint32_t i, const ps_leg *leg,
                               uint32_t *at, ps_error *err)
{
        PS_TRY(find_message(m, leg->peer, i, POSTED, at, err));
        message *of = &m->messages.row[*at];
        of->has[POSTED] = 1;
        if (!waits(ways, leg->bytes))
                return PS_OK;
        ps_message_cost cost = ways->cost(ways->context, leg->peer, i, leg->bytes);
        const ps_time *begin = vector(m, i, leg->flags & PS_LEG_EARLY ? BEGIN : CLOCK);
        ps_time *posted = times_of_side(m, *at, POSTED);
        for (uint32_t w = 0; w < m->width; w++)
                posted[w] = begin[w] + (ways->receives_early ? cost.receive[w] : 0);
        if (of->has[SENT])
                let_go(m, ways, *at, leg->peer, i, leg->bytes, &cost);
        wake(m, *at, POSTED);
        return PS_OK;
}

/* What is waited for later, or now; a send that waits for nobody is over. */
static ps_status note_begun(ps_meeting *m, const ps_meeting_ways *ways, member *of, pending p, ps_error *err)
{
        const ps_leg *leg = &of->legs.row[p.leg];
        if (leg->flags & PS_LEG_SENDS && !waits(ways, leg->bytes)) {
                drop_end(m, p.message);
                return PS_OK;
        }
        pendings *to = leg->flags & PS_LEG_LATE   ? &of->late
                       : leg->flags & PS_LEG_NEXT ? &of->ahead
                                                  : &of->now;
        if (PS_PUSH(*to, p))
                return PS_NOMEM(err, "messages of a collective operation", of->now.n);
        return PS_OK;
}

/* What stands in `from` is waited for now; what was before is over. */
static void take_turns(pendings *now, pendings *from)
{
        pendings over = *now;
        *now = *from;
        *from = over;
        from->n = 0;
}

static ps_status begin_round(ps_meeting *m, const ps_meeting_ways *ways, uint32_t i, ps_error *err)
{
        member *of = &m->member[i];
        bool is_last = 0;
        memcpy(vector(m, i, END), vector(m, i, CLOCK), m->width * sizeof(ps_time));
        take_turns(&of->now, &of->ahead);
        of->n_over = 0;
        while (!is_last && of->next < of->legs.n) {
                pending p = {.leg = of->next++};
                const ps_leg *leg = &of->legs.row[p.leg];
                PS_TRY(leg->flags & PS_LEG_SENDS ? begin_send(m, ways, i, leg, &p.message, err)
                                                 : begin_receive(m, ways, i, leg, &p.message, err));
                PS_TRY(note_begun(m, ways, of, p, err));
                is_last = (leg->flags & PS_LEG_LAST) != 0;
        }
        return PS_OK;
}

static void take_meeting_message(ps_meeting *m, const ps_meeting_ways *ways, uint32_t i, const ps_leg *leg)
{
        ps_message_cost cost = ways->cost(ways->context, leg->peer, i, leg->bytes);
        const ps_time *arrival = times_of_side(m, m->member[i].now.row[m->member[i].n_over].message, SENT);
        ps_time *end = vector(m, i, END);
        for (uint32_t w = 0; w < m->width; w++)
                end[w] = ways->receives_early ? ps_time_later(end[w] + cost.receive[w], arrival[w])
                                              : ps_time_later(end[w], arrival[w]) + cost.receive[w];
}

/* False: the other end is not there yet. */
static bool await(ps_meeting *m, const ps_meeting_ways *ways, uint32_t i, const pending *p)
{
        const ps_leg *leg = &m->member[i].legs.row[p->leg];
        bool sends = (leg->flags & PS_LEG_SENDS) != 0;
        unsigned side = sends ? POSTED : SENT;
        message *of = &m->messages.row[p->message];
        if (!of->has[side] || of->is_open[side]) {
                of->waiter[side] = i;
                return 0;
        }
        ps_time *end = vector(m, i, END);
        const ps_time *release = times_of_side(m, p->message, POSTED);
        for (uint32_t w = 0; sends && w < m->width; w++)
                end[w] = ps_time_later(end[w], release[w]);
        if (!sends)
                take_meeting_message(m, ways, i, leg);
        drop_end(m, p->message);
        return 1;
}

/* What was begun in the round, and in the end late sends. */
static bool await_all(ps_meeting *m, const ps_meeting_ways *ways, uint32_t i)
{
        member *of = &m->member[i];
        for (; of->n_over < of->now.n; of->n_over++)
                if (!await(m, ways, i, &of->now.row[of->n_over]))
                        return 0;
        return 1;
}

static void get_through(ps_meeting *m, uint32_t i)
{
        forget_legs(&m->member[i]);
        m->member[i].is_through = 1;
        m->through[m->n_through++] = i;
}

static ps_status go_on(ps_meeting *m, const ps_meeting_ways *ways, uint32_t i, ps_error *err)
{
        member *of = &m->member[i];
        while (await_all(m, ways, i)) {
                PS_TRY(check_range(m, i, err));
                memcpy(vector(m, i, CLOCK), vector(m, i, END), m->width * sizeof(ps_time));
                if (of->next < of->legs.n) {
                        PS_TRY(begin_round(m, ways, i, err));
                } else if (!of->is_ending && of->late.n) {
                        take_turns(&of->now, &of->late);
                        of->n_over = 0;
                        of->is_ending = 1;
                } else {
                        get_through(m, i);
                        break;
                }
        }
        return PS_OK;
}

static ps_status all_go_on(ps_meeting *m, const ps_meeting_ways *ways, ps_error *err)
{
        while (m->n_ready)
                PS_TRY(go_on(m, ways, m->ready[--m->n_ready], err));
        return PS_OK;
}

ps_status ps_meeting_enter(ps_meeting *m, const ps_meeting_ways *ways, uint32_t i, const ps_time *begin,
                           ps_error *err)
{
        const size_t bytes = m->width * sizeof(ps_time);
        memcpy(vector(m, i, BEGIN), begin, bytes);
        memcpy(vector(m, i, CLOCK), begin, bytes);
        memcpy(vector(m, i, END), begin, bytes);
        PS_TRY(ps_schedule_legs(&m->member[i].legs, &m->schedule, i, err));
        m->ready[m->n_ready++] = i;
        return all_go_on(m, ways, err);
}

ps_status ps_meeting_deliver(ps_meeting *m, const ps_meeting_ways *ways, uint32_t at, ps_time arrival,
                             ps_time released, ps_error *err)
{
        message *of = &m->messages.row[at];
        times_of_side(m, at, SENT)[0] = arrival;
        if (of->is_open[POSTED])
                times_of_side(m, at, POSTED)[0] = released;
        of->is_open[SENT] = of->is_open[POSTED] = false;
        wake(m, at, SENT);
        wake(m, at, POSTED);
        return all_go_on(m, ways, err);
}

uint32_t ps_meeting_next(ps_meeting *m)
{
        return m->n_through ? m->through[--m->n_through] : PS_NONE;
}

const ps_time *ps_meeting_end(const ps_meeting *m, uint32_t i)
{
        return m->member[i].is_through ? vector(m, i, CLOCK) : NULL;
}
