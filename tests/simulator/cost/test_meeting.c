/* test_meeting.c - collective operations as messages: whatever the algorithm, what is sent is received,
 * everybody gets through, and nobody does so earlier because somebody comes later. */
#include "core/base/hash.h"
#include "simulator/cost/collectives.h"
#include "simulator/cost/meeting.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define US (PS_PS_PER_S / 1000000)

static const uint8_t kinds[] = {
        PS_K_BARRIER,   PS_K_BCAST,     PS_K_SCATTER,   PS_K_SCATTERV,       PS_K_GATHER,
        PS_K_GATHERV,   PS_K_REDUCE,    PS_K_ALLGATHER, PS_K_ALLGATHERV,     PS_K_ALLTOALL,
        PS_K_ALLTOALLV, PS_K_ALLTOALLW, PS_K_ALLREDUCE, PS_K_REDUCE_SCATTER, PS_K_REDUCE_SCATTER_BLOCK,
        PS_K_SCAN,      PS_K_EXSCAN,    PS_K_PERMUTE};
static const uint64_t sizes[] = {0, 1, 8, 60, 500, 3000, 10000, 40000, 100000, 300000, 1500000};
static const uint32_t ranks[] = {2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 32, 33, 48, 64, 70, 130};

enum {
        N_KINDS = sizeof(kinds),
        N_SIZES = sizeof(sizes) / sizeof(*sizes),
        N_RANKS = sizeof(ranks) / sizeof(*ranks)
};

/* With every operation of both libraries. */
static void for_each_schedule(void (*check)(const ps_schedule *schedule))
{
        for (uint32_t k = 0; k < N_KINDS; k++)
                for (uint32_t r = 0; r < N_RANKS; r++)
                        for (uint32_t s = 0; s < N_SIZES; s += SANITIZED ? 3 : 1)
                                for (int library = 0; library < PS_N_LIBRARIES; library++) {
                                        uint32_t root = (k + s) % ranks[r];
                                        ps_schedule schedule =
                                                ps_schedule_of_library((ps_library)library, (ps_kind)kinds[k],
                                                                       ranks[r], root, sizes[s]);
                                        check(&schedule);
                                }
}

/* -- what is sent is received -- */

/* A sum over the messages of each pair in their order: a message more, less, or of other bytes changes it. */
static void add_leg(uint64_t *sum, const ps_leg *leg)
{
        *sum = ps_hash_mix(*sum + leg->bytes + 1);
}

static void check_messages(const ps_schedule *schedule)
{
        uint32_t n = schedule->n;
        uint64_t *sent = calloc((size_t)n * n, sizeof(*sent)),
                 *received = calloc((size_t)n * n, sizeof(*sent));
        for (uint32_t i = 0; i < n; i++) {
                ps_legs legs = {0};
                assert_int_equal(ps_schedule_legs(&legs, schedule, i, NULL), PS_OK);
                for (uint32_t l = 0; l < legs.n; l++) {
                        const ps_leg *leg = &legs.row[l];
                        assert_true(leg->peer < n && leg->peer != i);
                        if (leg->flags & PS_LEG_SENDS)
                                add_leg(&sent[(size_t)i * n + leg->peer], leg);
                        else
                                add_leg(&received[(size_t)leg->peer * n + i], leg);
                }
                free(legs.row);
        }
        assert_memory_equal(sent, received, (size_t)n * n * sizeof(*sent));
        free(sent);
        free(received);
}

TEST(what_is_sent_is_received)
{
        for_each_schedule(check_messages);
}

/* -- everybody gets through -- */

typedef struct hockney {
        ps_time latency, per_byte, cost[3];
} hockney;

static ps_message_cost cost_of(void *context, uint32_t from, uint32_t to, uint64_t bytes)
{
        hockney *h = context;
        (void)from, (void)to;
        h->cost[0] = 0;
        h->cost[1] = h->latency + (ps_time)bytes * h->per_byte;
        h->cost[2] = (ps_time)bytes * h->per_byte;
        return (ps_message_cost){h->cost, h->cost + 1, h->cost, h->cost, h->cost + 2, NULL};
}

static void play(ps_time *end, const ps_schedule *schedule, const ps_time *begin, uint64_t eager_bytes,
                 uint64_t order)
{
        hockney machine = {5 * US, 1000, {0}};
        ps_meeting_ways ways = {.context = &machine, .eager_bytes = eager_bytes, .cost = cost_of};
        ps_meeting *meeting;
        uint32_t n = schedule->n, n_through = 0, step = 1 + (uint32_t)(order % n);
        while (n % step == 0 && step > 1)
                step--;
        for (uint32_t a = n, b = step; b;) { /* a step that has nothing in common with n comes by all */
                uint32_t rest = a % b;
                a = b;
                b = rest;
                if (!b && a != 1)
                        step = 1;
        }
        assert_int_equal(ps_meeting_new(&meeting, schedule, 1, NULL), PS_OK);
        for (uint32_t i = 0; i < n; i++) {
                uint32_t member = (uint32_t)(((uint64_t)i * step + order) % n);
                assert_null(ps_meeting_end(meeting, member));
                assert_int_equal(ps_meeting_enter(meeting, &ways, member, &begin[member], NULL), PS_OK);
                while (ps_meeting_next(meeting) != PS_NONE)
                        n_through++;
        }
        assert_int_equal(n_through, n);
        for (uint32_t i = 0; i < n; i++) {
                assert_non_null(ps_meeting_end(meeting, i));
                end[i] = *ps_meeting_end(meeting, i);
                assert_true(end[i] >= begin[i]);
        }
        ps_meeting_free(meeting);
}

enum { MEMBERS_MAX = 130 };

static void check_play(const ps_schedule *schedule)
{
        ps_time begin[MEMBERS_MAX], end[MEMBERS_MAX], again[MEMBERS_MAX], held_up[MEMBERS_MAX];
        uint32_t n = schedule->n;
        for (uint32_t i = 0; i < n; i++)
                begin[i] = (ps_time)(ps_hash_mix(i + n) % 200) * US;
        for (int waits = 0; waits < 2; waits++) {
                uint64_t eager = waits ? 0 : UINT64_MAX;
                play(end, schedule, begin, eager, 0);
                play(again, schedule, begin, eager, ps_hash_mix(n) % 1000);
                assert_memory_equal(end, again, n * sizeof(*end));
                ps_time was = begin[n / 2];
                begin[n / 2] += 1000 * US;
                play(held_up, schedule, begin, eager, 0);
                begin[n / 2] = was;
                for (uint32_t i = 0; i < n; i++)
                        assert_true(held_up[i] >= end[i] && held_up[i] <= end[i] + 1000 * US);
        }
}

TEST(everybody_gets_through_in_any_order)
{
        for_each_schedule(check_play);
}

/* -- answers by hand: X(b) = 5 us + b ns -- */

static ps_time longest(ps_library library, ps_kind kind, uint32_t n, uint64_t bytes)
{
        ps_time begin[MEMBERS_MAX] = {0}, end[MEMBERS_MAX], last = 0;
        ps_schedule schedule = ps_schedule_of_library(library, kind, n, 0, bytes);
        play(end, &schedule, begin, 65536, 0);
        for (uint32_t i = 0; i < n; i++)
                last = end[i] > last ? end[i] : last;
        return last;
}

static ps_time x(uint64_t bytes)
{
        return 5 * US + (ps_time)bytes * 1000;
}

TEST(algorithms_take_what_follows_by_hand)
{
        /* A binary tree of 8 has 3 levels; a 4-nomial one of 16 has 2. */
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_BCAST, 8, 8), 3 * x(8));
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_BCAST, 16, 512), 2 * x(512));
        /* 8 KiB at a time from one to the next. */
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_BCAST, 8, 1 << 20), 7 * x(8192));
        /* Doubling: 4 exchanges; halves, quarters ... and back: 8. */
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_ALLREDUCE, 16, 1024), 4 * x(1024));
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_ALLREDUCE, 16, 65536),
                         2 * (x(32768) + x(16384) + x(8192) + x(4096)));
        /* 9 ranks: rank 1 hands its vector to rank 0, which is one message late for the others, not they for
         * it; rank 1 gets the result from it after 3 exchanges. */
        assert_int_equal(longest(PS_LIBRARY_MPICH, PS_K_ALLREDUCE, 9, 8), (1 + 3) * x(8));
        assert_int_equal(longest(PS_LIBRARY_MPICH, PS_K_BARRIER, 9, 0), 4 * x(0));
        /* All at once; half of all blocks, as often as the distance doubles; 63 partners. */
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_ALLTOALL, 8, 4096), x(4096));
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_ALLTOALL, 32, 64), 5 * x(16 * 64));
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_ALLTOALL, 64, 1 << 20), 63 * x(1 << 20));
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_ALLGATHER, 8, 100), x(100) + x(200) + x(400));
        assert_int_equal(longest(PS_LIBRARY_MPICH, PS_K_ALLGATHER, 8, 100000), 7 * x(100000));
        assert_int_equal(longest(PS_LIBRARY_MPICH, PS_K_GATHER, 8, 100), x(100) + x(200) + x(400));
        assert_int_equal(longest(PS_LIBRARY_OPENMPI, PS_K_SCAN, 5, 8), 4 * x(8));
}

TEST(a_root_is_free_after_its_own_sends)
{
        ps_time begin[8] = {0}, end[8];
        ps_schedule bcast = ps_schedule_of_library(PS_LIBRARY_OPENMPI, PS_K_BCAST, 8, 0, 8);
        ps_schedule reduce = ps_schedule_of_library(PS_LIBRARY_OPENMPI, PS_K_REDUCE, 8, 0, 8);
        begin[7] = 100 * US; /* a leaf of the tree */
        play(end, &bcast, begin, 65536, 0);
        assert_int_equal(end[0], 0);
        assert_int_equal(end[3], 2 * x(8));
        assert_int_equal(end[7], 100 * US);
        play(end, &reduce, begin, 65536, 0);
        assert_int_equal(end[7], 100 * US);
        assert_int_equal(end[3], 100 * US + x(8));
        assert_int_equal(end[4], 0);
        assert_int_equal(end[0], 100 * US + 3 * x(8));
        play(end, &bcast, begin, 0, 0); /* all wait for their receivers; the data of a message take 8 ns */
        assert_int_equal(end[3], 100 * US + 8000);
        assert_int_equal(end[0], 2 * 8000);
}

/* More messages than are worth being told apart. */
TEST(many_ranks_have_a_formula)
{
        ps_machine m;
        const ps_group group = {.n = 1024};
        ps_machine_init(&m, PS_MODEL_HOCKNEY);
        m.link = (ps_link){5e-6, 1e9};
        m.eager_bytes = 65536;
        ps_collectives_of_library(&m, PS_SHAPE_OPENMPI);
        assert_false(ps_collective_is_played(&m, PS_K_ALLTOALL, 1024, 4096));
        assert_true(ps_collective_is_played(&m, PS_K_BCAST, 1024, 4096));
        assert_true(ps_collective_is_played(&m, PS_K_ALLTOALL, 1024, 8)); /* 10 messages each */
        assert_int_equal(ps_machine_collective(&m, PS_K_ALLTOALL, &group, 4096), x(4096));
        assert_int_equal(ps_machine_collective(&m, PS_K_ALLTOALL, &(ps_group){.n = 1000}, 1 << 20),
                         999 * x(1 << 20));
        assert_int_equal(ps_machine_collective(&m, PS_K_BCAST, &group, 4096), 5 * x(4096));
        ps_machine_clear(&m);
}
