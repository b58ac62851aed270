/* exchange.c - collective operations as the messages of a usual algorithm.
 *
 * Members begin at times of their own and go on as the algorithm lets them: who has early got what it needs
 * leaves early. Sends do not wait for their receivers. The messages are sent when the last member has come,
 * and with contention they find their places among what was sent before. */
#include "simulator/cost/collectives.h"
#include "simulator/replay/slots.h"

#include <stdlib.h>
#include <string.h>

typedef struct exchange {
        run *r;
        const ps_coll *coll;
        ps_time *clocks;  /* [member][width + 1] */
        ps_time *arrived; /* the same for what is under way in a round */
        uint64_t bytes;
        uint32_t root;
} exchange;

static ps_loc location_of(const exchange *x, uint32_t member)
{
        return x->r->replay->trace->members[x->coll->first + member].ref.loc;
}

static ps_time *clock_of(const exchange *x, uint32_t member)
{
        return x->clocks + (size_t)member * (x->r->width + 1);
}

static ps_time *arrival_of(const exchange *x, uint32_t member)
{
        return x->arrived + (size_t)member * (x->r->width + 1);
}

/* The sender's clock goes on; when the message is there stands at the receiver. */
static void send(const exchange *x, uint32_t from, uint32_t to, uint64_t bytes)
{
        run *r = x->r;
        ps_loc source = location_of(x, from), target = location_of(x, to);
        const ps_time *costs = ps_replay_costs(r, source, target, STEP_SIZE_ODD, bytes);
        ps_time *clock = clock_of(x, from), *arrival = arrival_of(x, to);
        for (uint32_t w = 0; w < r->width; w++) {
                ps_time flight = costs[PART_FLIGHT * r->width + w];
                clock[w] += costs[PART_SEND * r->width + w];
                ps_time start = clock[w];
                if (r->traffic)
                        start = ps_replay_transfer(r, source, target, bytes, start, &flight);
                arrival[w] = start + flight;
        }
        ps_replay_check_range(r, clock);
}

static void receive(const exchange *x, uint32_t from, uint32_t to, uint64_t bytes)
{
        run *r = x->r;
        const ps_time *cost =
                part_of(ps_replay_costs(r, location_of(x, from), location_of(x, to), STEP_SIZE_ODD, bytes),
                        PART_RECEIVE, r->width);
        ps_time *clock = clock_of(x, to);
        const ps_time *arrival = arrival_of(x, to);
        for (uint32_t w = 0; w < r->width; w++) {
                ps_time early = clock[w] + (r->receives_early ? cost[w] : 0);
                clock[w] = (early > arrival[w] ? early : arrival[w]) + (r->receives_early ? 0 : cost[w]);
        }
        ps_replay_check_range(r, clock);
}

/* The member that is so far behind the root, round the end. */
static uint32_t behind(const exchange *x, uint32_t distance)
{
        return (uint32_t)(((uint64_t)x->root + distance) % x->coll->n);
}

static uint32_t lowest_bit(uint32_t i)
{
        return i & -i;
}

/* How many members hang below the one that is so far behind the root, itself included. */
static uint32_t subtree(const exchange *x, uint32_t at, uint32_t bit)
{
        return at + bit < x->coll->n ? bit : x->coll->n - at;
}

/* Of blocks a message carries those of the whole subtree. */
static uint64_t carried(const exchange *x, uint32_t at, uint32_t bit, int blocks)
{
        return blocks ? x->bytes * subtree(x, at, bit) : x->bytes;
}

static uint32_t highest_bit_below(uint32_t n)
{
        uint32_t bit = 1;
        while (bit < n && bit <= UINT32_MAX / 2)
                bit *= 2;
        return bit / 2;
}

/* Parents stand before their children; the largest subtree is served first. */
static void down_tree(const exchange *x, int blocks)
{
        uint32_t n = x->coll->n;
        for (uint32_t at = 0; at < n; at++) {
                uint32_t own = at ? lowest_bit(at) : 2 * highest_bit_below(n);
                if (at)
                        receive(x, behind(x, at - own), behind(x, at), carried(x, at, own, blocks));
                for (uint32_t bit = own / 2; bit; bit /= 2)
                        if (at + bit < n)
                                send(x, behind(x, at), behind(x, at + bit),
                                     carried(x, at + bit, bit, blocks));
        }
}

/* The reverse: the smallest subtree is taken first. A member sends once, so that its arrival can stand at
 * itself until its parent takes it. */
static void up_tree(const exchange *x, int blocks)
{
        uint32_t n = x->coll->n, width = x->r->width;
        size_t room = (size_t)(width + 1) * sizeof(ps_time);
        for (uint32_t at = n; at-- > 0;) {
                uint32_t own = at ? lowest_bit(at) : 2 * highest_bit_below(n), self = behind(x, at);
                for (uint32_t bit = 1; bit < own; bit *= 2) {
                        if (at + bit >= n)
                                continue;
                        uint32_t child = behind(x, at + bit);
                        memcpy(arrival_of(x, self), arrival_of(x, child), room);
                        receive(x, child, self, carried(x, at + bit, bit, blocks));
                }
                if (at) {
                        uint32_t parent = behind(x, at - own);
                        send(x, self, parent, carried(x, at, own, blocks));
                        memcpy(arrival_of(x, self), arrival_of(x, parent), room);
                }
        }
}

static void from_root(const exchange *x)
{
        for (uint32_t i = 1; i < x->coll->n; i++) {
                send(x, x->root, behind(x, i), x->bytes);
                receive(x, x->root, behind(x, i), x->bytes);
        }
}

static void to_root(const exchange *x)
{
        for (uint32_t i = 1; i < x->coll->n; i++) {
                send(x, behind(x, i), x->root, x->bytes);
                receive(x, behind(x, i), x->root, x->bytes);
        }
}

/* All send `distance` on, and receive from as far behind. */
static void round_of(const exchange *x, uint32_t distance, uint64_t bytes)
{
        uint32_t n = x->coll->n;
        for (uint32_t i = 0; i < n; i++)
                send(x, i, (uint32_t)(((uint64_t)i + distance) % n), bytes);
        for (uint32_t i = 0; i < n; i++)
                receive(x, (uint32_t)(((uint64_t)i + n - distance) % n), i, bytes);
}

static void around(const exchange *x, uint32_t rounds, uint64_t bytes)
{
        for (uint32_t i = 0; i < rounds; i++)
                round_of(x, 1, bytes);
}

static void pairwise(const exchange *x)
{
        for (uint32_t distance = 1; distance < x->coll->n; distance++)
                round_of(x, distance, x->bytes);
}

static void doubling(const exchange *x)
{
        for (uint64_t distance = 1; distance < x->coll->n; distance *= 2)
                round_of(x, (uint32_t)distance, x->bytes);
}

static void chain(const exchange *x)
{
        for (uint32_t i = 0; i + 1 < x->coll->n; i++) {
                send(x, i, i + 1, x->bytes);
                receive(x, i, i + 1, x->bytes);
        }
}

/* Flat, binomial or ring if the machine's second shape says so, otherwise what is usual. */
static void run_algorithm(const exchange *x)
{
        uint16_t traits = ps_kinds[x->coll->kind].traits;
        uint8_t shape = x->r->lane[0]->machine->collective[x->coll->kind][1], kind = x->coll->kind;
        uint32_t n = x->coll->n;
        int flat = shape == PS_SHAPE_FLAT ||
                   (shape != PS_SHAPE_BINOMIAL && (kind == PS_K_SCATTERV || kind == PS_K_GATHERV));
        if (traits & PS_T_ONE_TO_ALL)
                flat ? from_root(x) : down_tree(x, kind != PS_K_BCAST);
        else if (traits & PS_T_ALL_TO_ONE)
                flat ? to_root(x) : up_tree(x, kind != PS_K_REDUCE);
        else if (traits & PS_T_PREFIX)
                chain(x);
        else if (kind == PS_K_ALLTOALL || kind == PS_K_ALLTOALLV || kind == PS_K_ALLTOALLW)
                pairwise(x);
        else if (kind == PS_K_ALLREDUCE && shape == PS_SHAPE_RING)
                around(x, 2 * (n - 1), x->bytes / n + (x->bytes % n != 0));
        else if (kind == PS_K_ALLREDUCE || traits & PS_T_BARRIER)
                doubling(x);
        else
                around(x, n - 1, x->bytes);
}

void ps_replay_exchange(run *r, const ps_coll *coll, ps_time *members)
{
        exchange x = {.r = r,
                      .coll = coll,
                      .clocks = members,
                      .bytes = r->replay->colls[coll - r->replay->trace->colls].bytes};
        x.root = coll->root == PS_NONE ? 0 : coll->root - coll->first;
        x.arrived = calloc(coll->n, (size_t)(r->width + 1) * sizeof(ps_time));
        if (!x.arrived) {
                r->status = PS_NOMEM(r->err, "members", coll->n);
                return;
        }
        run_algorithm(&x);
        free(x.arrived);
}
