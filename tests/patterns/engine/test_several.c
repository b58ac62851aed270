/* test_several.c - calls of several messages: Sendrecv, whose halves wait for different partners, and
 * Startall; and sends that could be one with the receive behind them, or are many. */
#include "tests/patterns/engine/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/loaded.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <string.h>

#define US       PS_GEN_US
#define LOST(us) ((ps_time)(us)*1000 * PS_PS_PER_NS)

/* Location 0 is in a Sendrecv from 10 to 520. Who receives from it comes at `recv`, who sends to it at
 * `send`; 0: never. */
static ps_trace *one_sendrecv(uint64_t recv, uint64_t send)
{
        ps_gen *g = engine_ranks(3);
        ps_gen_sendrecv(g, 0, US(10), US(520), 1, 2, PS_GEN_WORLD, 0, 8);
        if (recv)
                ps_gen_recv(g, 1, US(recv), US(recv + 20), 0, PS_GEN_WORLD, 0, 8);
        if (send)
                ps_gen_send(g, 2, US(send), US(send + 20), 0, PS_GEN_WORLD, 0, 8);
        return engine_load(g);
}

/* What location 0 is found to lose, with an epsilon in microseconds. */
static void expect_found(uint64_t recv, uint64_t send, ps_time epsilon, const char *id, int lost)
{
        static const char *const roots[] = {"late-sender", "late-receiver"};
        ps_trace *trace = one_sendrecv(recv, send);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, LOST(epsilon));
        for (int i = 0; i < 2; i++)
                assert_int_equal(analysed_lost(a, engine_row(roots[i]), 0, 1),
                                 id && !strcmp(id, roots[i]) ? LOST(lost) : 0);
        assert_int_equal(a->n_findings, id ? 1 : 0);
        analysed_in_full(trace, &trace->measured, LOST(epsilon));
        engine_end(a, trace);
}

TEST(the_longer_half_of_a_sendrecv_is_found)
{
        expect_found(110, 111, 50, "late-sender", 101);
        expect_found(111, 110, 50, "late-receiver", 101);
        expect_found(111, 111, 50, "late-sender", 101); /* of two as long, that for the message */
        expect_found(5, 111, 50, "late-sender", 101);
        expect_found(111, 5, 50, "late-receiver", 101);
}

TEST(a_half_as_long_as_epsilon_is_found_and_a_shorter_one_is_not)
{
        expect_found(5, 110, 100, "late-sender", 100);
        expect_found(5, 109, 100, NULL, 0);
        expect_found(110, 5, 100, "late-receiver", 100);
        expect_found(109, 5, 100, NULL, 0);
        expect_found(109, 109, 100, NULL, 0); /* they are not added */
}

/* It waits to its end for who comes later; a send is over before such a receiver. */
TEST(a_half_waits_no_longer_than_the_call)
{
        expect_found(5, 900, 50, "late-sender", 510);
        expect_found(900, 5, 50, NULL, 0);
}

/* Waiting counts however short it is; of a call whose other half has no partner nobody can tell what it
 * waited for, beyond that. */
static void expect_times(uint64_t recv, uint64_t send, int waiting, int transfer, int unexplained)
{
        ps_trace *trace = one_sendrecv(recv, send);
        ps_times *times = analysed_times(trace, 1);
        assert_int_equal(ps_times_of_kind(times, PS_TIME_WAITING)[0], LOST(waiting));
        assert_int_equal(ps_times_of_kind(times, PS_TIME_TRANSFER)[0], LOST(transfer));
        assert_int_equal(ps_times_of_kind(times, PS_TIME_UNEXPLAINED)[0], LOST(unexplained));
        analysed_in_full(trace, &trace->measured, -1);
        ps_times_free(times);
        ps_trace_close(trace);
}

TEST(what_is_left_of_a_sendrecv_is_explained_by_both_halves)
{
        expect_times(5, 110, 100, 410, 0);
        expect_times(111, 110, 101, 409, 0);
        expect_times(5, 5, 0, 510, 0);
        expect_times(0, 110, 100, 0, 410);
        expect_times(110, 0, 100, 0, 410);
}

/* Two are started at once and completed, and started once more. */
TEST(nobody_waits_in_a_startall)
{
        ps_gen *g = engine_ranks(2);
        const ps_gen_rec begun[] = {PS_GEN_REC_OF(IRECV_REQUEST, .request = 1),
                                    PS_GEN_REC_OF(ISEND, .peer = 1, .tag = 1, .bytes = 8, .request = 2)};
        const ps_gen_rec done[] = {PS_GEN_GOT(1, PS_GEN_WORLD, 0, 8, 1), PS_GEN_SENT(2)};
        for (uint64_t at = 0; at < 2000; at += 1000) {
                ps_gen_call(g, "MPI_Startall", 0, US(at + 10), US(at + 20), 2, begun);
                ps_gen_waitall(g, 0, US(at + 100), US(at + 400), 2, done);
                ps_gen_recv(g, 1, US(at + 30), US(at + 40), 0, PS_GEN_WORLD, 1, 8);
                ps_gen_send(g, 1, US(at + 150), US(at + 160), 0, PS_GEN_WORLD, 0, 8);
        }
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(analysed_lost(a, engine_row("late-sender"), 0, 1), LOST(2 * 50));
        assert_int_equal(analysed_lost(a, engine_row("wait-transfer"), 0, 1), LOST(2 * 250));
        assert_int_equal(analysed_lost(a, engine_row("late-receiver"), 0, 1), 0);
        analysed_in_full(trace, &trace->measured, 0);
        engine_end(a, trace);
}

/* -- sends and what stands behind them -- */

/* Three times location 0 sends to 1 for 20 us, and `gap_ns` later receives for 30 us from `from`, in `comm`.
 */
static void expect_pairs(uint64_t gap_ns, uint32_t from, bool in_other_comm, const char *send, int lost)
{
        ps_gen *g = engine_ranks(3);
        const uint32_t all[] = {0, 1, 2},
                       comm = in_other_comm ? ps_gen_comm(g, "other", all, 3) : PS_GEN_WORLD;
        for (uint64_t at = 0; at < 3000; at += 1000) {
                uint64_t recv = US(at + 30) + gap_ns;
                const ps_gen_rec sent = PS_GEN_REC_OF(SEND, .peer = 1, .tag = 1, .bytes = 1000);
                ps_gen_call(g, send, 0, US(at + 10), US(at + 30), 1, &sent);
                ps_gen_recv(g, 0, recv, recv + US(30), from, comm, 2, 1000);
                ps_gen_send(g, from, US(at + 1), US(at + 2), 0, comm, 2, 1000);
                ps_gen_recv(g, 1, US(at + 3), US(at + 40), 0, PS_GEN_WORLD, 1, 1000);
        }
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(analysed_lost(a, engine_row("close-send-receive"), 0, 1), LOST(lost));
        analysed_in_full(trace, &trace->measured, -1);
        analysed_in_full(trace, &trace->measured, LOST(100));
        engine_end(a, trace);
}

TEST(a_send_and_a_reply_within_ten_microseconds_could_be_one_call)
{
        expect_pairs(5000, 1, false, "MPI_Send", 3 * 20);
        expect_pairs(9999, 1, false, "MPI_Send", 3 * 20);
        expect_pairs(10000, 1, false, "MPI_Send", 0);
        expect_pairs(0, 1, false, "MPI_Send", 3 * 20);
        expect_pairs(5000, 2, false, "MPI_Send", 0);
        expect_pairs(5000, 1, true, "MPI_Send", 0);
        expect_pairs(5000, 1, false, "MPI_Sendrecv", 0);
}

static void expect_small(uint64_t n, uint64_t bytes, uint64_t took_ns, bool is_found)
{
        ps_gen *g = engine_ranks(2);
        for (uint64_t i = 0; i < n; i++) {
                ps_gen_send(g, 0, US(10 * i + 1), US(10 * i + 1) + took_ns, 1, PS_GEN_WORLD, 1, bytes);
                ps_gen_recv(g, 1, US(10 * i), US(10 * i + 8), 0, PS_GEN_WORLD, 1, bytes);
        }
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, LOST(1));
        const ps_finding *f = engine_finding(a, "many-small-messages", 0);
        assert_int_equal(f ? f->count : 0, is_found ? n : 0);
        assert_int_equal(f ? f->lost : 0, is_found ? (ps_time)(n * took_ns) * PS_PS_PER_NS : 0);
        analysed_in_full(trace, &trace->measured, LOST(1));
        engine_end(a, trace);
}

/* Each of them may be short. */
TEST(a_thousand_messages_of_256_bytes_are_many_small_ones)
{
        expect_small(1000, 256, 100, true);
        expect_small(999, 256, 100, false);
        expect_small(1000, 257, 100, false);
        expect_small(1000, 256, 0, false);
}

/* -- any of them -- */

enum { RANKS = 4, N_SEEDS = THREAD_SANITIZED ? 4 : 30, N_STEPS = 60, LOST_IN = 25 };

/* A rank's part in a step, in which each sends to the next one; now and then a half is not there. */
static void take_part(ps_gen *g, uint64_t *random, uint32_t rank, uint32_t step)
{
        const uint32_t to = (rank + 1) % RANKS, from = (rank + RANKS - 1) % RANKS, tag = step % 5;
        const uint64_t at = 3000 * (uint64_t)step + maker_random(random, 900),
                       until = at + 100 + maker_random(random, 1500),
                       bytes = maker_random(random, 2) ? 8 : 600;
        const ps_gen_rec sent = PS_GEN_REC_OF(SEND, .peer = to, .tag = tag, .bytes = bytes),
                         got = PS_GEN_REC_OF(RECV, .peer = from, .tag = tag, .bytes = bytes),
                         posted = PS_GEN_REC_OF(IRECV_REQUEST, .request = step),
                         begun = PS_GEN_REC_OF(ISEND, .peer = to, .tag = tag, .bytes = bytes,
                                               .request = step + UINT64_C(1000)),
                         done[] = {PS_GEN_GOT(from, PS_GEN_WORLD, tag, bytes, step),
                                   PS_GEN_SENT(step + UINT64_C(1000))};
        const uint32_t n = maker_random(random, LOST_IN) ? 2 : 1;
        switch (maker_random(random, 5)) {
        case 0:
                ps_gen_call(g, "MPI_Sendrecv", rank, at, until, n, (ps_gen_rec[]){got, sent});
                break;
        case 1:
                ps_gen_call(g, "MPI_Startall", rank, at, at + 50, 2, (ps_gen_rec[]){posted, begun});
                ps_gen_waitall(g, rank, at + 50, until, n, done);
                break;
        case 2: /* nonblocking within one that blocks */
                ps_gen_call(g, "MPI_Sendrecv", rank, at, at + 50, 2, (ps_gen_rec[]){sent, posted});
                ps_gen_wait(g, rank, at + 50, until, done[0]);
                break;
        default:
                ps_gen_call(g, "MPI_Sendrecv", rank, at, until, n, (ps_gen_rec[]){sent, got});
        }
}

TEST(columns_say_of_several_messages_what_rows_say)
{
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                uint64_t random = seed;
                ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
                for (uint32_t step = 0; step < N_STEPS; step++)
                        for (uint32_t rank = 0; rank < RANKS; rank++)
                                take_part(g, &random, rank, step);
                ps_gen_close(g);
                ps_trace *t = loaded(g, seed % 2 ? PS_CLOCK_AS_IS : PS_CLOCK_AUTO);
                ps_time third = t->measured.duration / 3;
                ps_span part = {third, 2 * third};
                ps_focus cut = {.how = PS_FOCUS_RANGE, .span = &part, .n_spans = 1, .length = third};
                ps_timing inside = t->measured;
                inside.focus = &cut;
                for (ps_time epsilon = -1; epsilon < 2; epsilon++) {
                        analysed_in_full(t, &t->measured, epsilon);
                        analysed_in_full(t, &inside, epsilon);
                        analysed_in_ranges(t, &t->measured, epsilon, 1, 2);
                }
                ps_trace_close(t);
                ps_gen_free(g);
        }
}
