/* test_fluid.c - messages that share links fairly, worked out by hand. A unit of time is a second, and a byte
 * takes one on a link of weight 1. */
#include "core/base/hash.h"
#include "simulator/network/fluid.h"
#include "tests/simulator/network/lab.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

#define UNIT PS_PS_PER_S

/* A message, and when it is through. */
typedef struct sent {
        uint32_t from, to;
        uint64_t bytes;
        double begin, end;
} sent;

static ps_fluid *new_flows(const ps_network *network, double least_per_byte)
{
        ps_fluid *flows = NULL;
        assert_int_equal(ps_fluid_new(&flows, network, UNIT, least_per_byte * (double)UNIT, NULL), PS_OK);
        return flows;
}

static void expect(const ps_network *network, double least_per_byte, const sent *messages, uint32_t n)
{
        ps_fluid *flows = new_flows(network, least_per_byte);
        uint32_t hops, n_through = 0;
        uint64_t name;
        ps_time now;
        for (uint32_t i = 0; i < n; i++)
                assert_int_equal(ps_fluid_begin(flows, messages[i].from, messages[i].to, messages[i].bytes,
                                                (ps_time)(messages[i].begin * (double)UNIT), i, NULL),
                                 PS_OK);
        while ((now = ps_fluid_next(flows)) < PS_TIME_MAX) {
                if (!ps_fluid_step(flows, &name, &hops))
                        continue;
                n_through++;
                if (fabs((double)now / (double)UNIT - messages[name].end) > 2e-12)
                        fail_msg("message %d: through at %.12f, expected %.12f", (int)name,
                                 (double)now / (double)UNIT, messages[name].end);
        }
        assert_int_equal(n_through, n);
        ps_fluid_free(flows);
}

#define EXPECT(network, least_per_byte, ...)                                                                 \
        do {                                                                                                 \
                const sent messages[] = {__VA_ARGS__};                                                       \
                expect(network, least_per_byte, messages, sizeof(messages) / sizeof(*messages));             \
        } while (0)

/* Into node 2 of a star there is one link. */
TEST(two_messages_have_half_of_a_link_each)
{
        ps_network *star = NULL;
        assert_int_equal(ps_network_preset(&star, "star", 4, NULL), PS_OK);
        EXPECT(star, 0, {0, 2, 6, 0, 6});
        EXPECT(star, 0, {0, 2, 6, 0, 12}, {1, 2, 6, 0, 12});
        /* Half of the speed until 4, all of it then. */
        EXPECT(star, 0, {0, 2, 6, 0, 8}, {1, 2, 2, 0, 4});
        /* Alone until 3; 3 bytes are left, and take 6. */
        EXPECT(star, 0, {0, 2, 6, 0, 9}, {1, 2, 6, 3, 12});
        /* One begins when another one ends. */
        EXPECT(star, 0, {0, 2, 6, 0, 6}, {1, 2, 6, 6, 12});
        /* Without bytes a message takes no time, and nobody notices. */
        EXPECT(star, 0, {0, 2, 6, 0, 6}, {1, 2, 0, 3, 3});
        /* Other links are nobody's affair; the two ways of a link do not know of each other. */
        EXPECT(star, 0, {0, 2, 6, 0, 6}, {2, 0, 6, 0, 6}, {1, 3, 6, 0, 6});
        /* From 1 to 2 and 3: half each; into 3 there is room for the other one, which then has it all. */
        EXPECT(star, 0, {1, 2, 6, 0, 12}, {1, 3, 6, 0, 12}, {0, 3, 6, 0, 12});
        ps_network_free(star);
}

/* A message that shares nothing is no faster than a fourth of a link: four do not notice each other. */
TEST(a_message_has_a_speed_of_its_own)
{
        ps_network *star = NULL;
        assert_int_equal(ps_network_preset(&star, "star", 9, NULL), PS_OK);
        EXPECT(star, 4, {0, 8, 2, 0, 8}, {1, 8, 2, 0, 8}, {2, 8, 2, 0, 8}, {3, 8, 2, 0, 8});
        /* Five have a fifth each until they are through at 10. */
        EXPECT(star, 4, {0, 8, 2, 0, 10}, {1, 8, 2, 0, 10}, {2, 8, 2, 0, 10}, {3, 8, 2, 0, 10},
               {4, 8, 2, 0, 10});
        ps_network_free(star);
}

/* Three in a row, 0 to 1 of weight 1 and 1 to 2 of weight 3. Over both: a third of what is scarce, shared
 * with one of two; the other link leaves the rest to who is there alone. */
TEST(what_others_cannot_take_is_free)
{
        ps_network *line = lab_parse("3  0 1 1 -1  1 0 1 2 3 -1  2 1 3 -1");
        /* 0 to 2 and 0 to 1 have a half each, 1 to 2 has 2.5. */
        EXPECT(line, 0, {0, 2, 4, 0, 8}, {0, 1, 4, 0, 8}, {1, 2, 10, 0, 4});
        /* From 8 on the first one has all of its link: 6 - 4 bytes take 2. */
        EXPECT(line, 0, {0, 2, 6, 0, 10}, {0, 1, 4, 0, 8}, {1, 2, 10, 0, 4});
        ps_network_free(line);
}

/* Links that cost nothing. */
TEST(what_costs_nothing_takes_no_time)
{
        ps_network *star = NULL;
        ps_fluid *flows = NULL;
        uint32_t hops = 0;
        uint64_t name = 0;
        assert_int_equal(ps_network_preset(&star, "star", 3, NULL), PS_OK);
        assert_int_equal(ps_fluid_new(&flows, star, 0, 0, NULL), PS_OK);
        for (uint64_t i = 0; i < 2; i++)
                assert_int_equal(ps_fluid_begin(flows, 0, 2, 1000, 7, i, NULL), PS_OK);
        for (uint32_t i = 0; i < 4; i++) {
                assert_int_equal(ps_fluid_next(flows), 7);
                assert_int_equal(ps_fluid_step(flows, &name, &hops), i >= 2);
        }
        assert_int_equal(hops, 2);
        assert_true(ps_fluid_next(flows) == PS_TIME_MAX);
        ps_fluid_free(flows);
        assert_int_equal(ps_fluid_new(&flows, star, -1, 0, NULL), PS_E_USAGE);
        assert_int_equal(ps_fluid_new(&flows, star, 1, NAN, NULL), PS_E_USAGE);
        ps_network_free(star);
}

/* As many as there are ways, at any time: bytes times time per byte is what a link has to do, so that the
 * last message is through no earlier than that, and all are. */
TEST(nothing_is_lost_or_found_on_the_way)
{
        enum { NODES = 8, MESSAGES = 300 };
        ps_network *star = NULL;
        assert_int_equal(ps_network_preset(&star, "star", NODES, NULL), PS_OK);
        for (uint64_t seed = 1; seed <= 20; seed++) {
                ps_fluid *flows = new_flows(star, 0);
                double into[NODES] = {0}, last = 0;
                uint32_t hops, n_through = 0, target[MESSAGES];
                uint64_t name;
                for (uint32_t i = 0; i < MESSAGES; i++) {
                        uint64_t noise = ps_hash_mix(seed * 1000 + i);
                        uint32_t from = (uint32_t)(noise % NODES);
                        target[i] = (from + 1 + (uint32_t)(noise / NODES % (NODES - 1))) % NODES;
                        uint64_t bytes = noise >> 40 & 63;
                        into[target[i]] += (double)bytes;
                        assert_int_equal(ps_fluid_begin(flows, from, target[i], bytes, 0, i, NULL), PS_OK);
                }
                double ends[NODES] = {0};
                for (ps_time now; (now = ps_fluid_next(flows)) < PS_TIME_MAX;)
                        if (ps_fluid_step(flows, &name, &hops)) {
                                assert_true((double)now >= last);
                                last = (double)now;
                                ends[target[name]] = last / (double)UNIT;
                                n_through++;
                        }
                assert_int_equal(n_through, MESSAGES);
                for (int node = 0; node < NODES; node++)
                        assert_true(ends[node] >= into[node] * (1 - 1e-9));
                ps_fluid_free(flows);
        }
        ps_network_free(star);
}
