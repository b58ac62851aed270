/* test_order.c - who is first where messages share something, in random programs of many ranks: the
 * replay against a simulation that is as simple as it can be. It looks at all ranks for the one whose call
 * begins first, at all of a link's packets for a gap, and forgets nothing. */
#include "core/base/hash.h"
#include "simulator/cost/models.h"
#include "tests/simulator/replay/lab.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define US LAB_US

enum { RANKS = 40, STEPS = 400, PROGRAMS = 30, CALLS = 4 * STEPS, EAGER = 1500 };

/* -- programs -- */

/* An `id` is that of a message or of a collective operation. */
typedef struct call {
        enum { SEND, RECV, ISEND, WAIT_SEND, IRECV, WAIT_RECV, SCAN, MEET } what;
        uint32_t id;
        ps_time computing; /* before it */
} call;

typedef struct message {
        uint32_t from, to;
        uint64_t bytes;
        int has_from, has_to;
        ps_time ready, posted, arrival, release;
        uint64_t request[2];
} message;

typedef struct rank {
        call call[CALLS];
        uint32_t n, at;
        int has_begun; /* the call at `at` */
        ps_time clock, computing;
        uint64_t unwaited[CALLS / 64];
} rank;

typedef struct program {
        uint64_t seed;
        rank rank[RANKS];
        message message[STEPS];
        ps_time begin[STEPS][RANKS]; /* of collective operations */
        uint8_t is_in[STEPS][RANKS];
} program;

static uint32_t below(program *p, uint32_t n)
{
        p->seed = ps_hash_mix(p->seed + UINT64_C(0x9e3779b97f4a7c15));
        return (uint32_t)(p->seed % n);
}

static void compute(program *p, uint32_t r, ps_time time)
{
        p->rank[r].computing += time;
}

static void add(program *p, uint32_t r, call c)
{
        rank *of = &p->rank[r];
        c.computing = of->computing;
        of->computing = 0;
        of->call[of->n++] = c;
}

static void draw_message(program *p, uint32_t id)
{
        uint32_t from = below(p, RANKS), to = (from + 1 + below(p, RANKS - 1)) % RANKS;
        int detached = below(p, 3) == 0, early = below(p, 3) == 0;
        p->message[id] = (message){.from = from, .to = to, .bytes = 1 + below(p, 2000)};
        if (early)
                add(p, to, (call){.what = IRECV, .id = id});
        add(p, from, (call){.what = detached ? ISEND : SEND, .id = id});
        compute(p, from, (ps_time)below(p, 3) * US);
        compute(p, to, (ps_time)below(p, 9) * US);
        if (detached)
                add(p, from, (call){.what = WAIT_SEND, .id = id});
        add(p, to, (call){.what = early ? WAIT_RECV : RECV, .id = id});
}

/* Many computations are equally long, so that many calls begin at the same time. */
static program *draw(uint64_t seed, int unwaited)
{
        program *p = calloc(1, sizeof *p);
        p->seed = seed;
        for (uint32_t id = 0; id < STEPS; id++) {
                for (uint32_t i = 0; i < 4; i++)
                        compute(p, below(p, RANKS), (ps_time)(1 + below(p, 4)) * US);
                if (below(p, 40)) {
                        draw_message(p, id);
                        continue;
                }
                int is_scan = below(p, 2) != 0;
                for (uint32_t r = 0; r < RANKS; r++)
                        add(p, r, (call){.what = is_scan ? SCAN : MEET, .id = id});
        }
        for (uint32_t r = 0; unwaited && r < RANKS; r++)
                for (uint32_t i = 0; i < p->rank[r].n; i++)
                        p->rank[r].unwaited[i / 64] |= (uint64_t)(below(p, 8) == 0) << i % 64;
        return p;
}

static void record(replay_lab *lab, program *p, uint32_t r)
{
        const rank *of = &p->rank[r];
        const call *c = &of->call[p->rank[r].at];
        message *m = &p->message[c->id];
        rank_compute(lab, r, c->computing);
        if (c->what == SEND)
                rank_send(lab, r, PS_K_SEND, m->to, c->id, m->bytes);
        else if (c->what == RECV)
                rank_recv(lab, r, m->from, c->id, m->bytes);
        else if (c->what == ISEND)
                m->request[0] = rank_isend(lab, r, PS_K_ISEND, m->to, c->id, m->bytes);
        else if (c->what == IRECV)
                m->request[1] = rank_irecv(lab, r, m->from, c->id, m->bytes);
        else if (c->what == WAIT_SEND || c->what == WAIT_RECV)
                rank_wait(lab, r, m->request[c->what == WAIT_RECV]);
        else {
                rank_calls_take(lab, r, 100 * LAB_MS); /* nobody leaves before the others have come */
                rank_coll(lab, r, c->what == SCAN ? PS_K_SCAN : PS_K_BARRIER, 0, PS_NONE,
                          c->what == SCAN ? 8 : 0);
                rank_calls_take(lab, r, 0);
        }
}

static ps_trace *recorded(program *p)
{
        replay_lab *lab = replay_lab_new(RANKS);
        for (uint32_t r = 0; r < RANKS; r++) {
                for (p->rank[r].at = 0; p->rank[r].at < p->rank[r].n; p->rank[r].at++)
                        record(lab, p, r);
                p->rank[r].at = 0;
        }
        return replay_lab_trace(lab);
}

/* -- the simple simulation -- */

typedef struct network {
        const ps_machine *machine;
        ps_time free_at; /* of the bus */
        uint32_t n[2 * RANKS];
        ps_time taken[2 * RANKS][STEPS][2]; /* of each link of the star, in any order */
} network;

static ps_time first_gap(const network *net, uint32_t link, ps_time at, ps_time takes)
{
        for (uint32_t i = 0; i < net->n[link]; i++)
                if (net->taken[link][i][0] < at + takes && at < net->taken[link][i][1]) {
                        at = net->taken[link][i][1];
                        i = UINT32_MAX; /* from the beginning */
                }
        return at;
}

/* When it arrives; it begins when the bus is free. L + b/B and, in a star, b / rate on the link from the
 * sender to the switch and on the one from there. */
static ps_time transfer(network *net, const message *m, ps_time *ready)
{
        const ps_machine *of = net->machine;
        ps_time way = ps_time_of_seconds(of->link.latency_s) +
                      ps_time_of_seconds((double)m->bytes / of->link.bandwidth_bytes_per_s);
        if (of->model == PS_MODEL_BUS) {
                *ready = *ready > net->free_at ? *ready : net->free_at;
                return net->free_at = *ready + way;
        }
        ps_time takes = ps_time_of_seconds((double)m->bytes / of->link_bandwidth_bytes_per_s);
        const uint32_t links[] = {m->from, RANKS + m->to};
        ps_time at = *ready;
        for (int i = 0; i < 2; i++) {
                at = first_gap(net, links[i], at, takes);
                net->taken[links[i]][net->n[links[i]]][0] = at;
                net->taken[links[i]][net->n[links[i]]++][1] = at + takes;
                at += takes;
        }
        return at + way;
}

static int waits(const message *m)
{
        return m->bytes > EAGER;
}

static void meet(network *net, message *m)
{
        if (!m->has_from || !m->has_to)
                return;
        m->release = m->ready > m->posted ? m->ready : m->posted;
        m->arrival = transfer(net, m, &m->release);
        if (net->machine->sender_free_at_end)
                m->release += ps_time_of_seconds((double)m->bytes / net->machine->link.bandwidth_bytes_per_s);
}

static void begin(program *p, network *net, uint32_t r, const call *c)
{
        rank *of = &p->rank[r];
        message *m = &p->message[c->id];
        of->has_begun = 1;
        if (c->what == SEND || c->what == ISEND) {
                m->has_from = 1;
                m->ready = of->clock;
                if (waits(m))
                        meet(net, m);
                else
                        m->arrival = transfer(net, m, &m->ready);
        } else if ((c->what == RECV || c->what == IRECV) && waits(m)) {
                m->has_to = 1;
                m->posted = of->clock;
                meet(net, m);
        } else if (c->what == SCAN || c->what == MEET) {
                p->begin[c->id][r] = of->clock;
                p->is_in[c->id][r] = 1;
        }
}

/* When what the call waits for is there; 0: not yet. */
static int is_over(const program *p, uint32_t r, const call *c, ps_time *at)
{
        const message *m = &p->message[c->id];
        *at = 0;
        if (c->what == SCAN || c->what == MEET) {
                int all_in = 1;
                for (uint32_t i = 0; i < RANKS && (c->what == MEET || i <= r); i++) {
                        *at = p->begin[c->id][i] > *at ? p->begin[c->id][i] : *at;
                        all_in &= p->is_in[c->id][i];
                }
                return all_in;
        }
        if (c->what == ISEND || c->what == IRECV || (c->what != RECV && c->what != WAIT_RECV && !waits(m)))
                return 1;
        int receives = c->what == RECV || c->what == WAIT_RECV;
        *at = receives ? m->arrival : m->release;
        return m->has_from && (!waits(m) || m->has_to);
}

/* A call that moves nothing begins, or one is over. */
static int go_on(program *p, network *net, uint32_t r)
{
        rank *of = &p->rank[r];
        const call *c = &of->call[of->at];
        ps_time at;
        if (of->at == of->n)
                return 0;
        int has_begun = !of->has_begun;
        if (has_begun) {
                int moves = c->what == SEND || c->what == ISEND || c->what == SCAN || c->what == MEET ||
                            ((c->what == RECV || c->what == IRECV) && waits(&p->message[c->id]));
                if (moves)
                        return 0;
                of->clock += c->computing;
                begin(p, net, r, c);
        }
        if (!is_over(p, r, c, &at))
                return has_begun;
        int unwaited = (int)(of->unwaited[of->at / 64] >> of->at % 64 & 1);
        of->clock = at > of->clock && !unwaited ? at : of->clock;
        of->has_begun = 0;
        of->at++;
        return 1;
}

/* Of all that could begin, the call that begins first, of the lowest rank. */
static int begin_first(program *p, network *net)
{
        uint32_t first = RANKS;
        ps_time best = PS_TIME_MAX;
        for (uint32_t r = 0; r < RANKS; r++) {
                const rank *of = &p->rank[r];
                if (of->at == of->n || of->has_begun)
                        continue;
                ps_time at = of->clock + of->call[of->at].computing;
                if (at < best) {
                        first = r;
                        best = at;
                }
        }
        if (first == RANKS)
                return 0;
        p->rank[first].clock = best;
        begin(p, net, first, &p->rank[first].call[p->rank[first].at]);
        return 1;
}

static void simulate(program *p, const ps_machine *machine)
{
        network *net = calloc(1, sizeof *net);
        net->machine = machine;
        for (int goes_on = 1; goes_on || begin_first(p, net);) {
                goes_on = 0;
                for (uint32_t r = 0; r < RANKS; r++)
                        while (go_on(p, net, r))
                                goes_on = 1;
        }
        free(net);
}

/* -- both -- */

static void compare(const char *machine, int unwaited)
{
        const uint64_t *rows[RANKS];
        ps_machine *m = machine_of(machine);
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                program *p = draw(seed, unwaited);
                ps_trace *trace = recorded(p);
                ps_scenario s;
                ps_scenario_init(&s);
                s.machine = m;
                for (uint32_t r = 0; r < RANKS; r++)
                        rows[r] = p->rank[r].unwaited;
                s.unwaited = unwaited ? rows : NULL;
                ps_replayed out = lab_replayed(trace, &s);
                simulate(p, m);
                assert_false(out.stuck);
                for (uint32_t r = 0; r < RANKS; r++) {
                        assert_int_equal(p->rank[r].at, p->rank[r].n);
                        assert_int_equal(out.end[r], p->rank[r].clock);
                }
                ps_replayed_clear(&out);
                ps_trace_close(trace);
                free(p);
        }
        ps_machine_free(m);
}

#define LIMIT "\"eager_bytes\":1500,\"collectives\":{\"default\":\"free\"}}"
static const char bus[] = "{\"model\":\"bus\",\"latency_s\":1e-6,\"bandwidth_bytes_per_s\":1e9," LIMIT;
static const char at_end[] = "{\"model\":\"bus\",\"latency_s\":1e-7,\"bandwidth_bytes_per_s\":1e9,"
                             "\"rendezvous_frees_sender\":\"at-end\"," LIMIT;
static const char star[] = "{\"model\":\"topology\",\"latency_s\":1e-6,\"bandwidth_bytes_per_s\":1e10,"
                           "\"network\":\"star\",\"link_bandwidth_bytes_per_s\":1e9," LIMIT;

TEST(messages_are_served_in_the_order_of_time)
{
        compare(bus, 0);
        compare(at_end, 0);
        compare(star, 0);
}

/* Who does not wait goes back behind others that have sent meanwhile. */
TEST(ranks_that_do_not_wait_go_back_in_order)
{
        compare(bus, 1);
        compare(star, 1);
}
