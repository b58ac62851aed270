/* meetings.c - collective operations as the messages of an algorithm (simulator/cost/meeting.h) in a run:
 * what their messages cost, and which locations go on because of them. */
#include "simulator/cost/collectives.h"
#include "simulator/replay/slots.h"

typedef struct way {
        run *r;
        const ps_coll *coll;
} way;

static ps_loc location_of(const way *of, uint32_t member)
{
        return of->r->replay->trace->members[of->coll->first + member].ref.loc;
}

static ps_message_cost cost_of_message(void *context, uint32_t from, uint32_t to, uint64_t bytes)
{
        const way *of = context;
        run *r = of->r;
        const ps_time *c =
                ps_replay_costs(r, location_of(of, from), location_of(of, to), STEP_SIZE_ODD, bytes);
        return (ps_message_cost){.send = part_of(c, PART_SEND, r->width),
                                 .flight = part_of(c, PART_FLIGHT, r->width),
                                 .receive = part_of(c, PART_RECEIVE, r->width),
                                 .handshake = part_of(c, PART_HANDSHAKE, r->width),
                                 .release = part_of(c, PART_RELEASE, r->width),
                                 .gap = r->has_gaps ? part_of(c, PART_GAP, r->width) : NULL};
}

static ps_time begin_message(void *context, uint32_t from, uint32_t to, uint64_t bytes, ps_time start,
                             ps_time *flight)
{
        const way *of = context;
        return ps_replay_transfer(of->r, location_of(of, from), location_of(of, to), bytes, start, flight);
}

/* Names of messages of the trace have nothing above their 32 bits. */
static bool departs(void *context, uint32_t message, uint32_t from, uint32_t to, uint64_t bytes,
                    ps_time start)
{
        const way *of = context;
        uint64_t coll = (uint64_t)(of->coll - of->r->replay->trace->colls) + 1;
        return ps_replay_departs(of->r, location_of(of, from), location_of(of, to), bytes, start,
                                 coll << 32 | message);
}

static uint64_t bytes_of(const run *r, const ps_coll *coll)
{
        return r->replay->colls[coll - r->replay->trace->colls].bytes;
}

/* In lanes of one run all machines have the same messages. */
bool ps_replay_is_of_messages(const run *r, const ps_coll *coll)
{
        return r->has_machine && !is_kept_collective(coll->kind) &&
               ps_collective_is_played(r->lane[0]->machine, (ps_kind)coll->kind, coll->n, bytes_of(r, coll));
}

ps_meeting *ps_replay_meeting_new(run *r, const ps_coll *coll)
{
        ps_meeting *out = NULL;
        uint32_t root = coll->root == PS_NONE ? 0 : coll->root - coll->first;
        ps_schedule schedule = ps_collective_schedule(r->lane[0]->machine, (ps_kind)coll->kind, coll->n, root,
                                                      bytes_of(r, coll));
        ps_status status = ps_meeting_new(&out, &schedule, r->width, r->err);
        r->status = status != PS_OK ? status : r->status;
        return out;
}

/* A location that waits for its own part in the operation. */
static void wake(run *r, const way *of, uint32_t member)
{
        ps_loc loc = location_of(of, member);
        place *p = place_of(r, loc);
        if (p->wait != WAIT_ALL || p->awaited != (uint32_t)(of->coll - r->replay->trace->colls))
                return;
        p->wait = WAIT_NOTHING;
        ps_replay_make_ready(r, loc);
}

static ps_meeting_ways ways_of(way *of)
{
        const run *r = of->r;
        bool is_fair = r->traffic && r->lane[0]->machine->sharing == PS_SHARING_FAIR;
        return (ps_meeting_ways){.context = of,
                                 .eager_bytes = r->eager_limit,
                                 .all_wait = r->all_wait,
                                 .receives_early = r->receives_early,
                                 .frees_at_end = r->lane[0]->machine->sender_free_at_end != 0,
                                 .cost = cost_of_message,
                                 .move = r->traffic ? begin_message : NULL,
                                 .departs = is_fair ? departs : NULL};
}

static void note_progress(way *of, ps_meeting *meeting, ps_status status)
{
        run *r = of->r;
        r->status = status != PS_OK && r->status == PS_OK ? status : r->status;
        for (uint32_t through; (through = ps_meeting_next(meeting)) != PS_NONE;)
                wake(r, of, through);
}

void ps_replay_meeting_enter(run *r, ps_meeting *meeting, const ps_coll *coll, uint32_t member,
                             const ps_time *begin)
{
        way of = {r, coll};
        const ps_meeting_ways ways = ways_of(&of);
        note_progress(&of, meeting, ps_meeting_enter(meeting, &ways, member, begin, r->err));
}

void ps_replay_meeting_deliver(run *r, ps_meeting *meeting, const ps_coll *coll, uint32_t message,
                               ps_time arrival, ps_time released)
{
        way of = {r, coll};
        const ps_meeting_ways ways = ways_of(&of);
        note_progress(&of, meeting, ps_meeting_deliver(meeting, &ways, message, arrival, released, r->err));
}
