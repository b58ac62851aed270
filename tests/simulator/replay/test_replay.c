/* test_replay.c - programs whose time on a machine is known by a formula. X is one message: L + b / B. */
#include "core/base/parallel.h"
#include "tests/simulator/replay/programs.h"
#include "tests/support/machines.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>

#define US LAB_US
#define X  (6 * US) /* of 1000 bytes on `plain` */

static const char plain[] = "{\"model\":\"hockney\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9}";
static const char strict[] = "{\"model\":\"hockney\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9,"
                             "\"eager_bytes\":500}";

static ps_time time_on(ps_trace *trace, const char *machine)
{
        ps_machine *m = machine_of(machine);
        ps_time time = lab_time_on(trace, m);
        ps_machine_free(m);
        return time;
}

static void expect_time(ps_trace *trace, const char *machine, ps_time expected)
{
        assert_int_equal(time_on(trace, machine), expected);
        ps_trace_close(trace);
}

/* n (c0 + c1 + 2X), with overheads of 2 us at each end 4 o more, with a handshake 2 h L more. */
TEST(a_ping_pong_follows_by_hand)
{
        expect_time(program_pingpong(10, 30 * US, 20 * US, PS_K_SEND, 1000), plain, 10 * (50 * US + 2 * X));
        expect_time(program_pingpong(10, 30 * US, 20 * US, PS_K_SEND, 1000),
                    "{\"model\":\"hockney\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9,"
                    "\"send_overhead_s\":2e-6,\"receive_overhead_s\":2e-6}",
                    10 * (50 * US + 2 * X + 8 * US));
        expect_time(
                program_pingpong(10, 30 * US, 20 * US, PS_K_SSEND, 1000),
                "{\"model\":\"hockney\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9,\"handshakes\":2}",
                10 * (50 * US + 2 * X + 2 * 2 * 5 * US));
}

TEST(a_ring_follows_by_hand)
{
        expect_time(program_ring(64, 1000, 75 * US, 0, 1000), plain, 1000 * 81 * US);
}

/* t_r <- max(t_r + c, t_left + c_left + X), independently computed. */
TEST(a_jittered_ring_follows_its_recurrence)
{
        enum { RANKS = 64, ROUNDS = 500 };
        ps_time t[RANKS] = {0}, sent[RANKS], last = 0;
        for (uint32_t i = 0; i < ROUNDS; i++) {
                for (uint32_t r = 0; r < RANKS; r++)
                        sent[r] = t[r] + 50 * US + program_jitter(r, i, 50 * US);
                for (uint32_t r = 0; r < RANKS; r++) {
                        ps_time arrival = sent[(r + RANKS - 1) % RANKS] + X;
                        t[r] = sent[r] > arrival ? sent[r] : arrival;
                }
        }
        for (uint32_t r = 0; r < RANKS; r++)
                last = t[r] > last ? t[r] : last;
        expect_time(program_ring(RANKS, ROUNDS, 50 * US, 50 * US, 1000), plain, last);
}

/* (px + py - 2) (c + X) + k c */
TEST(a_wavefront_follows_by_hand)
{
        expect_time(program_wavefront(8, 8, 100, 75 * US, 1000), plain, 8634 * US);
        expect_time(program_wavefront(5, 3, 20, 10 * US, 1000), plain, 6 * 16 * US + 20 * 10 * US);
}

TEST(a_stencil_follows_by_hand)
{
        expect_time(program_stencil(8, 8, 50, 75 * US, 1000), plain, 50 * (75 * US + X));
}

/* -- who waits -- */

/* Rank 0 sends after `s`, rank 1 receives after `r`; both then compute 1 ms. */
static ps_trace *one_message(ps_time s, ps_time r, ps_kind kind, uint64_t bytes)
{
        replay_lab *lab = replay_lab_new(2);
        rank_compute(lab, 0, s);
        rank_send(lab, 0, kind, 1, 0, bytes);
        rank_compute(lab, 0, LAB_MS);
        rank_compute(lab, 1, r);
        rank_recv(lab, 1, 0, 0, bytes);
        rank_compute(lab, 1, LAB_MS);
        return replay_lab_trace(lab);
}

static void expect_ends(ps_trace *trace, const char *machine, ps_time first, ps_time second)
{
        ps_scenario s;
        ps_scenario_init(&s);
        ps_machine *m = machine_of(machine);
        s.machine = m;
        ps_replayed out = lab_replayed(trace, &s);
        assert_false(out.stuck);
        assert_int_equal(out.end[0], first);
        assert_int_equal(out.end[1], second);
        ps_replayed_clear(&out);
        ps_machine_free(m);
        ps_trace_close(trace);
}

TEST(late_senders_and_receivers_hold_up_whom_they_should)
{
        ps_time end = 1000 * US;
        expect_ends(one_message(100 * US, 0, PS_K_SEND, 1000), plain, 100 * US + end, 100 * US + X + end);
        expect_ends(one_message(0, 100 * US, PS_K_SEND, 1000), plain, end, 100 * US + end);
        /* Rendezvous: the sender is held up until the receive is posted, and while its data go. */
        expect_ends(one_message(0, 100 * US, PS_K_SEND, 1000), strict, 101 * US + end, 100 * US + X + end);
        expect_ends(one_message(0, 100 * US, PS_K_SSEND, 10), plain, 100 * US + 10000 + end,
                    100 * US + 5 * US + 10000 + end);
        expect_ends(one_message(0, 100 * US, PS_K_BSEND, 1000), strict, end, 100 * US + end);
}

/* A nonblocking receive that is posted first takes the message while its rank computes. */
TEST(a_receive_posted_first_takes_its_message_while_its_rank_computes)
{
        for (int is_late = 0; is_late < 2; is_late++) {
                replay_lab *lab = replay_lab_new(2);
                rank_compute(lab, 0, (is_late ? 100 : 10) * US);
                uint64_t send = rank_isend(lab, 0, PS_K_ISEND, 1, 0, 1000);
                rank_compute(lab, 0, 5 * US);
                rank_wait(lab, 0, send);
                uint64_t recv = rank_irecv(lab, 1, 0, 0, 1000);
                rank_compute(lab, 1, 50 * US);
                rank_wait(lab, 1, recv);
                expect_ends(replay_lab_trace(lab), strict, is_late ? 105 * US : 15 * US,
                            is_late ? 100 * US + X : 50 * US);
        }
}

TEST(head_to_head)
{
        replay_lab *lab = replay_lab_new(3);
        for (uint32_t r = 0; r < 2; r++) {
                rank_compute(lab, r, US);
                rank_send(lab, r, PS_K_SEND, 1 - r, 0, 1000);
                rank_recv(lab, r, 1 - r, 0, 1000);
        }
        ps_trace *trace = replay_lab_trace(lab);
        assert_int_equal(time_on(trace, plain), US + X);
        ps_scenario s;
        ps_scenario_init(&s);
        ps_machine *m = machine_of(strict);
        s.machine = m;
        ps_replayed out = lab_replayed(trace, &s);
        assert_true(out.stuck && out.is_circle);
        assert_int_equal(out.n_stuck, 2);
        assert_int_equal(out.n_cycle, 2);
        for (uint32_t i = 0; i < 2; i++) {
                assert_int_equal(out.cycle[i].loc, i);
                assert_int_equal(out.cycle[i].op, 0);
        }
        ps_replayed_clear(&out);
        s.has_eager_limit = 1;
        s.eager_limit = 1000;
        out = lab_replayed(trace, &s);
        assert_false(out.stuck);
        ps_replayed_clear(&out);
        ps_machine_free(m);
        ps_trace_close(trace);
}

/* -- collective operations -- */

static ps_trace *one_coll(uint32_t n, ps_kind kind, uint32_t root, uint64_t bytes, const ps_time *begin)
{
        replay_lab *lab = replay_lab_new(n);
        for (uint32_t r = 0; r < n; r++) {
                rank_compute(lab, r, begin[r]);
                rank_calls_take(lab, r, LAB_MS); /* all were in it at one time */
                rank_coll(lab, r, kind, 0, root, bytes);
        }
        return replay_lab_trace(lab);
}

static void expect_coll(ps_kind kind, uint32_t root, const char *machine, const ps_time *begin,
                        const ps_time *end, uint32_t n)
{
        ps_trace *trace = one_coll(n, kind, root, 1000, begin);
        ps_machine *m = machine_of(machine);
        ps_scenario s;
        ps_scenario_init(&s);
        s.machine = m;
        ps_replayed out = lab_replayed(trace, &s);
        for (uint32_t r = 0; r < n; r++)
                if (out.end[r] != end[r])
                        fail_msg("%s, rank %u: %lld ps, expected %lld", ps_kinds[kind].name, r,
                                 (long long)out.end[r], (long long)end[r]);
        ps_replayed_clear(&out);
        ps_machine_free(m);
        ps_trace_close(trace);
}

/* Two stages of X for four members; who waits for whom depends on the kind. */
TEST(who_waits_in_a_collective_depends_on_its_kind)
{
        const ps_time begin[] = {30 * US, 10 * US, 40 * US, 20 * US}, cost = 2 * X;
        const ps_time all[] = {40 * US + cost, 40 * US + cost, 40 * US + cost, 40 * US + cost};
        expect_coll(PS_K_ALLREDUCE, PS_NONE, plain, begin, all, 4);
        const ps_time bcast[] = {30 * US + cost, 30 * US + cost, 30 * US + cost, 30 * US + cost};
        const ps_time late[] = {30 * US + cost, 30 * US + cost, 90 * US, 30 * US + cost};
        const ps_time late_begin[] = {30 * US, 10 * US, 90 * US, 20 * US};
        expect_coll(PS_K_BCAST, 0, plain, begin, bcast, 4);
        expect_coll(PS_K_BCAST, 0, plain, late_begin, late, 4);
        const ps_time reduce[] = {40 * US + cost, 10 * US, 40 * US, 20 * US};
        expect_coll(PS_K_REDUCE, 0, plain, begin, reduce, 4);
        const ps_time scan[] = {30 * US + cost, 30 * US + cost, 40 * US + cost, 40 * US + cost};
        expect_coll(PS_K_SCAN, PS_NONE, plain, begin, scan, 4);
}

#define WITH_OVERHEAD                                                                                        \
        "{\"model\":\"hockney\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9,\"send_overhead_s\":2e-6,"  \
        "\"receive_overhead_s\":2e-6,\"collectives\":{\"default\":[\"p2p\",\"%s\"]}}"

static ps_time last_of(ps_kind kind, uint32_t n, uint64_t bytes, const char *shape)
{
        char text[320];
        const ps_time begin[64] = {0};
        ps_trace *trace = one_coll(n, kind, kind == PS_K_ALLREDUCE || kind == PS_K_ALLGATHER ? PS_NONE : 0,
                                   bytes, begin);
        snprintf(text, sizeof(text), WITH_OVERHEAD, shape);
        ps_time time = time_on(trace, text);
        ps_trace_close(trace);
        return time;
}

/* Real algorithms, with overheads of 2 us. */
TEST(messages_of_collectives)
{
        for (uint32_t stages = 1, n = 2; n <= 64; stages++, n *= 2)
                assert_int_equal(last_of(PS_K_BCAST, n, 1000, "binomial"), stages * (X + 4 * US));
        assert_int_equal(last_of(PS_K_SCATTER, 8, 1000, "flat"), 7 * 2 * US + X + 2 * US);
        assert_int_equal(last_of(PS_K_GATHER, 3, 1000, "flat"), 2 * US + X + 2 * 2 * US);
        assert_int_equal(last_of(PS_K_REDUCE, 8, 1000, "binomial"), 3 * (X + 4 * US));
        assert_int_equal(last_of(PS_K_ALLGATHER, 5, 1000, "ring"), 4 * (X + 4 * US));
        assert_int_equal(last_of(PS_K_ALLREDUCE, 8, 1000, "free"), 3 * (X + 4 * US));
        assert_int_equal(last_of(PS_K_ALLREDUCE, 4, 4000, "ring"), 6 * (X + 4 * US));
        /* Half of the blocks, then a quarter of them: 4 and 2 and 1 of 1000 bytes. */
        assert_int_equal(last_of(PS_K_SCATTER, 8, 1000, "binomial"), 3 * 9 * US + 7 * US);
}

/* Score-P counts the vector once for each member. */
TEST(lengths_that_recorders_sum_up_are_divided)
{
        const ps_time begin[4] = {0};
        ps_trace *trace = one_coll(4, PS_K_ALLREDUCE, PS_NONE, 4000, begin);
        assert_int_equal(time_on(trace, plain), 2 * (5 + 4) * US);
        trace->defs.creator = ps_strings_addz(trace->defs.strings, "Score-P 8.4");
        assert_int_equal(time_on(trace, plain), 2 * X);
        ps_trace_close(trace);
        trace = one_coll(4, PS_K_ALLTOALL, PS_NONE, 4000, begin);
        assert_int_equal(time_on(trace, plain), 3 * X);
        ps_trace_close(trace);
}

/* Dimemas, an allreduce of 8 processes and 1 KiB; measured with the program itself. */
TEST(collectives_of_dimemas_are_as_measured)
{
        static const struct {
                const char *shape;
                uint32_t buses;
                double us;
        } rows[] = {{"constant", 0, 11.953},    {"linear", 0, 83.672},      {"logarithmic", 0, 35.859},
                    {"logarithmic", 1, 83.672}, {"logarithmic", 2, 47.813}, {"logarithmic", 4, 35.859}};
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                char text[512];
                const ps_time begin[8] = {0};
                snprintf(text, sizeof(text),
                         "{\"model\":\"dimemas\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1048576000,"
                         "\"buses\":%u,\"collectives\":{\"default\":[\"%s\",\"%s\"]}}",
                         rows[i].buses, rows[i].shape, rows[i].shape);
                ps_trace *trace = one_coll(8, PS_K_ALLREDUCE, PS_NONE, 1024, begin);
                double us = (double)time_on(trace, text) / (double)US;
                if (us < rows[i].us - 0.001 || us > rows[i].us + 0.001)
                        fail_msg("%s, %u buses: %f us", rows[i].shape, rows[i].buses, us);
                ps_trace_close(trace);
        }
}

/* -- shared links -- */

/* n pairs of ranks, a message each: 0 -> n, 1 -> n + 1, ... or all to rank n. */
static ps_trace *flows(uint32_t n, int to_one)
{
        replay_lab *lab = replay_lab_new(2 * n);
        for (uint32_t i = 0; i < n; i++) {
                rank_send(lab, i, PS_K_SEND, to_one ? n : n + i, 0, 1000);
                rank_recv(lab, to_one ? n : n + i, i, 0, 1000);
        }
        return replay_lab_trace(lab);
}

TEST(buses_carry_so_many_at_once)
{
        char text[256];
        for (uint32_t k = 1; k <= 5; k++) {
                snprintf(text, sizeof(text),
                         "{\"model\":\"dimemas\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9,\"buses\":%"
                         "u}",
                         k);
                expect_time(flows(4, 0), text, 5 * US + (4 + k - 1) / k * US);
        }
        const char *one_link = "{\"model\":\"dimemas\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9,"
                               "\"links_in\":1,\"links_out\":1}";
        expect_time(flows(4, 0), one_link, 6 * US);
        /* The receiver pays L for each message before it waits for it. */
        expect_time(flows(2, 1), one_link, 6 * US + 5 * US);
        expect_time(flows(8, 1), one_link, 6 * US + 7 * 5 * US);
        expect_time(flows(2, 0), one_link, 6 * US);
        const char *bus = "{\"model\":\"bus\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1e9}";
        expect_time(flows(4, 0), bus, 4 * 6 * US);
}

/* Dimemas: 1 MiB takes 1 ms; the receiver comes 1 ms late, and the transfer starts when it has paid its L. */
TEST(a_rendezvous_of_dimemas_is_as_measured)
{
        const char *text = "{\"model\":\"dimemas\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1048576000,"
                           "\"eager_bytes\":0,\"handshakes\":0}";
        expect_ends(one_message(0, LAB_MS, PS_K_SEND, 1 << 20), text, 1005 * US + LAB_MS, 2005 * US + LAB_MS);
        const char *eager = "{\"model\":\"dimemas\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1048576000}";
        expect_ends(one_message(0, LAB_MS, PS_K_BSEND, 0), eager, 5 * US + LAB_MS, 1005 * US + LAB_MS);
}

/* Ranks 0 and 1 send 1 MiB to rank 2, who receives from `first` first. */
static ps_trace *two_to_one(uint32_t first)
{
        replay_lab *lab = replay_lab_new(3);
        rank_send(lab, 0, PS_K_SEND, 2, 0, 1 << 20);
        rank_send(lab, 1, PS_K_SEND, 2, 0, 1 << 20);
        rank_recv(lab, 2, first, 0, 1 << 20);
        rank_recv(lab, 2, !first, 0, 1 << 20);
        return replay_lab_trace(lab);
}

static ps_trace *two_pairs(void)
{
        replay_lab *lab = replay_lab_new(4);
        for (uint32_t i = 0; i < 2; i++) {
                rank_send(lab, i, PS_K_SEND, 2 + i, 0, 1 << 20);
                rank_recv(lab, 2 + i, i, 0, 1 << 20);
        }
        return replay_lab_trace(lab);
}

/* Dimemas, in us: L = 5, 1 MiB takes 1000. Both senders are ready at 5, and the lower rank is served first.
 *
 * Buses: two messages over one of them arrive at 1005 and 2005, over two both at 1005.
 * One receiver: it pays L for either receive, before it waits. Without a limit both messages are there at
 * 1005, the first receive ends then and the second one at 1010. Over one link in they arrive at 1005 and
 * 2005: who receives in that order has paid the second L at 1010 and ends at 2005; who receives the later one
 * first pays for the other one after that, and ends at 2010. Measured with the program itself: 2005 and 1005
 * with one and two buses, 1010 and 2010 without and with the limit of links. */
TEST(shared_links_of_dimemas_are_as_measured)
{
#define DIMEMAS(more)                                                                                        \
        "{\"model\":\"dimemas\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":1048576000" more "}"
        expect_time(two_pairs(), DIMEMAS(",\"buses\":1"), 2005 * US);
        expect_time(two_pairs(), DIMEMAS(",\"buses\":2"), 1005 * US);
        for (uint32_t first = 0; first < 2; first++) {
                expect_time(two_to_one(first), DIMEMAS(""), 1010 * US);
                expect_time(two_to_one(first), DIMEMAS(",\"links_in\":1"), (first ? 2010 : 2005) * US);
        }
#undef DIMEMAS
}

TEST(links_of_a_star_are_shared)
{
        /* A star: each message takes two links, whole, one after the other. */
        const char *star = "{\"model\":\"topology\",\"latency_s\":5e-6,\"bandwidth_bytes_per_s\":"
                           "1e18,\"network\":\"star\","
                           "\"link_bandwidth_bytes_per_s\":1e9}";
        expect_time(flows(2, 0), star, 5 * US + 2 * US);
        expect_time(flows(2, 1), star, 5 * US + 3 * US);
        expect_time(flows(5, 1), star, 5 * US + 6 * US);
}

/* -- what must be cheap -- */

TEST(many_tags_are_matched)
{
        ps_trace *trace = program_tags(20000);
        assert_int_equal(time_on(trace, plain), 5 * US + 64000);
        ps_trace_close(trace);
}

TEST(many_ranks_are_replayed)
{
        expect_time(program_ring(4096, 20, 75 * US, 0, 1000), plain, 20 * 81 * US);
}

/* Of a process that sends to itself; enough of it that several threads learn from parts of it. */
TEST(one_large_location_teaches_the_same_to_several_threads)
{
        enum { LOOPS = 50000 }; /* of three rows each */
        replay_lab *lab = replay_lab_new(1);
        for (uint32_t i = 0; i < LOOPS; i++) {
                uint64_t bytes = UINT64_C(8) << i % 16;
                rank_compute(lab, 0, (1 + i % 5) * LAB_US);
                rank_calls_take(lab, 0, (1 + i % 9) * LAB_US + (ps_time)(bytes / 64) * PS_PS_PER_NS);
                uint64_t requests[2] = {rank_irecv(lab, 0, 0, i % 3, bytes),
                                        rank_isend(lab, 0, PS_K_ISEND, 0, i % 3, bytes)};
                rank_waitall(lab, 0, requests, 2);
        }
        ps_trace *trace = replay_lab_trace(lab);
        assert_true(trace->ops[0].n >= 2 * PS_RANGE_ROWS);
        ps_replay *one, *many;
        assert_int_equal(ps_replay_new(&one, trace, &trace->measured, 1, NULL), PS_OK);
        assert_int_equal(ps_replay_new(&many, trace, &trace->measured, 2, NULL), PS_OK);
        const ps_replay_info *a = ps_replay_info_of(one), *b = ps_replay_info_of(many);
        assert_true(a->in_calls > 0 && a->in_transfers > 0);
        assert_int_equal(a->is_fitted, b->is_fitted);
        assert_int_equal(a->latency, b->latency);
        assert_int_equal(a->latency_most, b->latency_most);
        assert_memory_equal(&a->per_byte, &b->per_byte, sizeof(a->per_byte));
        assert_int_equal(a->waits_from, b->waits_from);
        assert_int_equal(a->in_calls, b->in_calls);
        assert_int_equal(a->in_transfers, b->in_transfers);
        ps_replay_free(one);
        ps_replay_free(many);
        ps_trace_close(trace);
}
