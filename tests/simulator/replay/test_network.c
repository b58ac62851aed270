/* test_network.c - messages that go over several links, worked out by hand. Times are microseconds. */
#include "tests/simulator/replay/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <stdio.h>
#include <string.h>

#define US LAB_US

/* Each of the `n` first ranks sends a message to rank n, or to the rank n behind it. */
static ps_trace *flows(uint32_t n, int to_one, uint64_t bytes)
{
        replay_lab *lab = replay_lab_new(2 * n);
        for (uint32_t i = 0; i < n; i++) {
                rank_send(lab, i, PS_K_SEND, to_one ? n : n + i, 0, bytes);
                rank_recv(lab, to_one ? n : n + i, i, 0, bytes);
        }
        return replay_lab_trace(lab);
}

static void takes(ps_trace *trace, const char *machine, double latency, double per_byte, ps_time expected)
{
        ps_machine *m = machine_of(machine);
        ps_scenario s;
        ps_scenario_init(&s);
        s.machine = m;
        s.latency = latency;
        s.per_byte = per_byte;
        ps_replayed out = lab_replayed(trace, &s);
        assert_false(out.stuck);
        assert_int_equal(out.total, expected * US);
        ps_replayed_clear(&out);
        ps_machine_free(m);
        ps_trace_close(trace);
}

/* A star: L = 5, two links of 1 for 1000 bytes each, and 3 more to the end of each of them.
 *
 * Alone: 5 + (1 + 3) + (1 + 3). Two to one: both are at the switch at 5 + 4; the last link carries one until
 * 10 and the other until 11, who is there 3 later. Five: until 9 + 5. */
TEST(messages_take_link_after_link)
{
        const char *star = "{\"model\":\"topology\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":null,"
                           "\"network\":\"star\",\"link_bandwidth_bytes_per_s\":1e9,\"hop_latency_s\":3e-6}";
        takes(flows(1, 0, 1000), star, 1, 1, 13);
        takes(flows(2, 0, 1000), star, 1, 1, 13);
        takes(flows(2, 1, 1000), star, 1, 1, 14);
        takes(flows(5, 1, 1000), star, 1, 1, 17);
        /* Without bytes only latencies are left. */
        takes(flows(2, 1, 0), star, 1, 1, 11);
        /* Twice the latency: 10 + (1 + 6) + (1 + 6); half the bandwidth: 5 + (2 + 3) + (2 + 3). */
        takes(flows(1, 0, 1000), star, 2, 1, 24);
        takes(flows(1, 0, 1000), star, 1, 2, 15);
        takes(flows(2, 1, 1000), star, 1, 2, 17);
        takes(flows(2, 1, 1000), star, 0, 0, 0);
}

static const char *const fair = "{\"model\":\"topology\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":null,"
                                "\"network\":\"star\",\"link_bandwidth_bytes_per_s\":1e9,"
                                "\"hop_latency_s\":3e-6,\"sharing\":\"fair\"%s}";

/* The same star, shared fairly: 1000 bytes pass both links at once, in 1, and are there 5 + 3 + 3 later. */
TEST(messages_share_links_fairly)
{
        char star[512];
        snprintf(star, sizeof(star), fair, "");
        takes(flows(1, 0, 1000), star, 1, 1, 12);
        takes(flows(2, 0, 1000), star, 1, 1, 12);
        takes(flows(2, 1, 1000), star, 1, 1, 13);
        takes(flows(5, 1, 1000), star, 1, 1, 16);
        takes(flows(2, 1, 0), star, 1, 1, 11);
        takes(flows(1, 0, 1000), star, 2, 1, 23);
        takes(flows(2, 1, 1000), star, 1, 2, 15);
        takes(flows(2, 1, 1000), star, 0, 0, 0);
}

/* Ranks 0 and 1 send 6000 and 2000 bytes to rank 2, the first one at 0 and the other one at 3. Until 3 the
 * first one has the link for itself, and then half of it until the other one is through, at 7: 1000 bytes are
 * left. It is through at 8, and 11 later there.
 *
 * If senders wait for their receiver, who is there from the beginning, the first one is free at 8 and
 * computes 20; the other one is free at 7. Free at the start rather than at the end they go on at once. */
TEST(one_speeds_up_when_another_ends)
{
        static const struct {
                const char *keys;
                ps_time end;
        } cases[] = {{"", 20},
                     {",\"eager_bytes\":0", 28},
                     {",\"eager_bytes\":0,\"rendezvous_frees_sender\":\"at-start\"", 20}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char star[512];
                snprintf(star, sizeof(star), fair, cases[i].keys);
                replay_lab *lab = replay_lab_new(3);
                rank_send(lab, 0, PS_K_SEND, 2, 0, 6000);
                rank_compute(lab, 0, 20 * US);
                rank_compute(lab, 1, 3 * US);
                rank_send(lab, 1, PS_K_SEND, 2, 0, 2000);
                uint64_t requests[2] = {rank_irecv(lab, 2, 0, 0, 6000), rank_irecv(lab, 2, 1, 0, 2000)};
                rank_waitall(lab, 2, requests, 2);
                takes(replay_lab_trace(lab), star, 1, 1, cases[i].end);
        }
        char star[512];
        snprintf(star, sizeof(star), fair, "");
        replay_lab *lab = replay_lab_new(3);
        rank_send(lab, 0, PS_K_SEND, 2, 0, 6000);
        rank_compute(lab, 1, 3 * US);
        rank_send(lab, 1, PS_K_SEND, 2, 0, 2000);
        rank_recv(lab, 2, 1, 0, 2000);
        rank_compute(lab, 2, 30 * US); /* from 7 + 11 on, when the other one is there */
        rank_recv(lab, 2, 0, 0, 6000);
        takes(replay_lab_trace(lab), star, 1, 1, 48);
}

/* All at once: each of four ranks sends a block of 1000 bytes to three others, and links out and in carry
 * three messages at a third of their speed. A flat gather of them: the root's link carries three. */
TEST(collectives_share_links_fairly)
{
        static const struct {
                const char *shape;
                ps_kind kind;
                ps_time end;
        } cases[] = {{",\"collectives\":\"openmpi\"", PS_K_ALLTOALL, 3 + 11},
                     {",\"collectives\":\"openmpi\",\"eager_bytes\":0", PS_K_ALLTOALL, 3 + 11},
                     {",\"collectives\":{\"default\":[\"p2p\",\"flat\"]}", PS_K_GATHER, 3 + 11}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char star[512];
                snprintf(star, sizeof(star), fair, cases[i].shape);
                replay_lab *lab = replay_lab_new(4);
                bool is_gather = cases[i].kind == PS_K_GATHER;
                for (uint32_t r = 0; r < 4; r++)
                        rank_coll(lab, r, cases[i].kind, 0, is_gather ? 0 : PS_NONE, is_gather ? 1000 : 4000);
                takes(replay_lab_trace(lab), star, 1, 1, cases[i].end);
        }
}

/* Eight ranks on a ring, 1000 bytes, L = 5, a link takes 1 and 3. A formula takes stages of a tree over 4, 2
 * and 1 links: 3 * 5 + 7 * 4. Played with messages, a broadcast from rank 3 takes the same: the root's three
 * go different ways or sizes of steps, and the longest way down is 4 + 2 + 1 links. With fair links a stage
 * takes 5 + 1 and 3 for each link. Round the ring seven times one link, 7 * 9. */
TEST(formulas_know_networks)
{
        static const struct {
                const char *sharing, *shape;
                ps_kind kind;
                ps_time end;
        } cases[] = {{"fifo", "logarithmic", PS_K_BCAST, 43}, {"fifo", "p2p", PS_K_BCAST, 43},
                     {"fair", "logarithmic", PS_K_BCAST, 39}, {"fifo", "logarithmic", PS_K_BARRIER, 36},
                     {"fifo", "ring", PS_K_ALLGATHER, 63},    {"fifo", "constant", PS_K_BCAST, 21}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char ring[512];
                snprintf(ring, sizeof(ring),
                         "{\"model\":\"topology\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":null,"
                         "\"network\":\"ring\",\"link_bandwidth_bytes_per_s\":1e9,\"hop_latency_s\":3e-6,"
                         "\"sharing\":\"%s\",\"collectives\":{\"default\":\"%s\"}}",
                         cases[i].sharing, cases[i].shape);
                replay_lab *lab = replay_lab_new(8);
                bool has_root = cases[i].kind == PS_K_BCAST;
                for (uint32_t r = 0; r < 8; r++)
                        rank_coll(lab, r, cases[i].kind, 0, has_root ? 3 : PS_NONE,
                                  cases[i].kind == PS_K_BARRIER ? 0 : 1000);
                takes(replay_lab_trace(lab), ring, 1, 1, cases[i].end);
        }
}

/* A line of four transputers, L = 10, a byte takes 1. In p portions of S = ceil(40 / p) bytes a message of 40
 * takes 10 (l + p - 1) + S (l - 1) + 40 over l = 3 links: 150, 120, 118, 120 for p = 1, 2, 3, 4. Two links
 * with p = 1, 2, 3: 20 + 40 + 40, 30 + 20 + 40, 40 + 14 + 40. */
TEST(portions_are_pipelined_over_a_line)
{
        static const struct {
                uint32_t to;
                uint64_t bytes;
                double latency, per_byte;
                ps_time expected;
        } cases[] = {
                {1, 40, 1, 1, 50}, {2, 40, 1, 1, 90},   {3, 40, 1, 1, 118}, {3, 0, 1, 1, 30},
                {1, 0, 1, 1, 10},  {3, 40, 0.5, 1, 90}, /* p = 4: 5 * 6 + 20 + 40; p = 3: 93, p = 5: 91 */
                {3, 40, 0, 1, 42},                      /* byte by byte */
                {3, 40, 1, 0, 30},
        };
        const char *line = "{\"model\":\"transputer\",\"latency_s\":1e-5,\"bandwidth_bytes_per_s\":1e6,"
                           "\"grid\":[4]}";
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                replay_lab *lab = replay_lab_new(4);
                rank_send(lab, 0, PS_K_SEND, cases[i].to, 0, cases[i].bytes);
                rank_recv(lab, cases[i].to, 0, 0, cases[i].bytes);
                takes(replay_lab_trace(lab), line, cases[i].latency, cases[i].per_byte, cases[i].expected);
        }
        /* Down a column there is one link; from (0, 0), (0, 1) and (0, 2) to (1, 0) there are one, two and
         * three, and nobody hinders the others. Without a grid all are neighbours. */
        takes(flows(2, 0, 40),
              "{\"model\":\"transputer\",\"latency_s\":1e-5,\"bandwidth_bytes_per_s\":1e6,\"grid\":[2,2]}", 1,
              1, 50);
        takes(flows(3, 1, 40),
              "{\"model\":\"transputer\",\"latency_s\":1e-5,\"bandwidth_bytes_per_s\":1e6,\"grid\":[2,3]}", 1,
              1, 118);
        takes(flows(3, 1, 40), "{\"model\":\"transputer\",\"latency_s\":1e-5,\"bandwidth_bytes_per_s\":1e6}",
              1, 1, 50);
}

TEST(a_grid_too_small_is_refused)
{
        ps_machine *m =
                machine_of("{\"model\":\"transputer\",\"latency_s\":1e-5,\"bandwidth_bytes_per_s\":1e6,"
                           "\"grid\":[3]}");
        ps_trace *trace = flows(2, 0, 8);
        ps_replay *replay;
        ps_replayed out;
        ps_error err = {0};
        ps_scenario s;
        ps_scenario_init(&s);
        s.machine = m;
        assert_int_equal(ps_replay_new(&replay, trace, &trace->measured, 1, &err), PS_OK);
        assert_int_equal(ps_replay_run(&out, replay, &s, 1, NULL, &err), PS_E_USAGE);
        assert_non_null(strstr(err.cause[0].text, "grid is too small: rank=3, node=3, nodes=3"));
        ps_replay_free(replay);
        ps_trace_close(trace);
        ps_machine_free(m);
}

/* Rank 0 is in MPI_Recv from 10 to 100, and in there it sends to rank 2, from 60 to 62. Rank 1 sends to both
 * others, at 90 and 95.
 *
 * Rank 1 is at its second send at 90 + 4, rank 0 has the message 5 + 1 + 1 later, at 101, and so was in the
 * other call at 61: long after others sent later than that. Rank 2 has its first message at 97, asks for the
 * other one 7 later and ends 5 after that. */
TEST(a_call_inside_of_another)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        const ps_gen_rec sent = PS_GEN_REC_OF(SEND, .peer = 2, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 1000);
        const ps_gen_rec got = PS_GEN_REC_OF(RECV, .peer = 1, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 1000);
        for (uint32_t r = 0; r < 3; r++)
                ps_gen_enter(g, r, 0, "main");
        ps_gen_enter(g, 0, PS_GEN_US(10), "MPI_Recv");
        ps_gen_enter(g, 0, PS_GEN_US(60), "MPI_Send");
        ps_gen_put(g, 0, PS_GEN_US(60), sent);
        ps_gen_leave(g, 0, PS_GEN_US(62), "MPI_Send");
        ps_gen_put(g, 0, PS_GEN_US(100), got);
        ps_gen_leave(g, 0, PS_GEN_US(100), "MPI_Recv");
        ps_gen_leave(g, 0, PS_GEN_US(103), "main");
        ps_gen_send(g, 1, PS_GEN_US(90), PS_GEN_US(91), 2, PS_GEN_WORLD, 1, 1000);
        ps_gen_send(g, 1, PS_GEN_US(95), PS_GEN_US(96), 0, PS_GEN_WORLD, 1, 1000);
        ps_gen_leave(g, 1, PS_GEN_US(100), "main");
        ps_gen_recv(g, 2, PS_GEN_US(91), PS_GEN_US(93), 1, PS_GEN_WORLD, 1, 1000);
        ps_gen_recv(g, 2, PS_GEN_US(100), PS_GEN_US(105), 0, PS_GEN_WORLD, 1, 1000);
        ps_gen_leave(g, 2, PS_GEN_US(110), "main");
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        ps_gen_free(g);
        takes(trace,
              "{\"model\":\"topology\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":null,"
              "\"network\":\"star\",\"link_bandwidth_bytes_per_s\":1e9}",
              1, 1, 109);
}
