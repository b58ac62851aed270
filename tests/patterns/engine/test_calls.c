/* test_calls.c - what the engine knows of single calls: each is charged once, waits are remembered for
 * what is received in another order, sends tell the eager limit, and a master can be named. */
#include "core/model/focus.h"
#include "patterns/engine/engine.h"
#include "tests/patterns/engine/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include <string.h>

#define US       PS_GEN_US
#define LOST(us) ((ps_time)(us)*1000 * PS_PS_PER_NS)

/* -- a call is charged once -- */

/* Senders come at 100, 200 and 150 while location 0 is in its call from 50 on. */
static ps_trace *three_senders(const char *call)
{
        ps_gen *g = engine_ranks(4);
        ps_gen_rec done[3];
        static const uint64_t sent[] = {100, 200, 150};
        for (uint32_t i = 0; i < 3; i++) {
                ps_gen_irecv(g, 0, US(10 + i), US(11 + i), i);
                ps_gen_send(g, i + 1, US(sent[i]), US(sent[i] + 1), 0, PS_GEN_WORLD, 0, 8);
                done[i] = PS_GEN_GOT(i + 1, PS_GEN_WORLD, 0, 8, i);
        }
        ps_gen_call(g, call, 0, US(50), US(300), 3, done);
        return engine_load(g);
}

static void expect_wait(const char *call, ps_definitions definitions, ps_time lost, uint64_t count)
{
        ps_trace *trace = three_senders(call);
        ps_analysis *a = engine_analyse(trace, definitions, 0);
        assert_int_equal(engine_total_loss(a, "late-sender"), lost);
        assert_int_equal(analysed_count(a, engine_row("late-sender"), 1), count);
        engine_end(a, trace);
}

/* MPI_Win_wait from 100 on waits for the end of a transfer at 180, and then for MPI_Win_complete at 200. */
TEST(what_a_call_waits_for_next_begins_later)
{
        ps_gen *g = engine_ranks(2);
        const uint32_t zero = ps_gen_group(g, (uint32_t[]){0}, 1), one = ps_gen_group(g, (uint32_t[]){1}, 1),
                       win = ps_gen_window(g, "window", PS_GEN_WORLD);
        const ps_gen_rec to_zero = PS_GEN_REC_OF(RMA_GROUP_SYNC, .ref = win, .comm = zero),
                         to_one = PS_GEN_REC_OF(RMA_GROUP_SYNC, .ref = win, .comm = one),
                         put = PS_GEN_REC_OF(PUT, .ref = win, .bytes = 8, .request = 1);
        ps_gen_call(g, "MPI_Win_wait", 0, US(100), US(210), 1, &to_one);
        ps_gen_call(g, "MPI_Win_start", 1, US(60), US(61), 1, &to_zero);
        ps_gen_call(g, "MPI_Put", 1, US(120), US(180), 1, &put);
        ps_gen_call(g, "MPI_Win_complete", 1, US(200), US(205), 1, &to_zero);
        ps_trace *trace = engine_load(g);
        ps_span part = {LOST(150), LOST(300)};
        ps_focus cut = {.how = PS_FOCUS_RANGE, .span = &part, .n_spans = 1, .length = LOST(150)};
        for (int i = 0; i < 2; i++) {
                trace->measured.focus = i ? &cut : NULL;
                ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
                assert_int_equal(engine_own_loss(a, "early-wait"), LOST(i ? 30 : 80));
                assert_int_equal(engine_own_loss(a, "late-complete"), LOST(20));
                assert_int_equal(engine_finding(a, "late-complete", 0)->worst.begin, LOST(180));
                ps_analysis_free(a);
        }
        trace->measured.focus = NULL;
        ps_trace_close(trace);
}

TEST(several_partners_of_a_call_are_one_wait)
{
        static const char *const calls[] = {"MPI_Waitall", "MPI_Waitsome", "MPI_Waitany"};
        for (int i = 0; i < 3; i++)
                expect_wait(calls[i], PS_DEFINITIONS_PATSCAN, LOST(150), 1);
        expect_wait("MPI_Waitall", PS_DEFINITIONS_SCALASCA, LOST(150), 1);
        expect_wait("MPI_Waitsome", PS_DEFINITIONS_SCALASCA, LOST(150), 1);
        expect_wait("MPI_Waitany", PS_DEFINITIONS_SCALASCA, LOST(50 + 150 + 100), 3);
}

/* The longest one speaks for the call: its partner is the cause. */
TEST(the_latest_partner_is_the_cause)
{
        ps_trace *trace = three_senders("MPI_Waitall");
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        const ps_finding *f = engine_finding(a, "late-standard-send", 0);
        assert_non_null(f);
        assert_int_equal(f->worst.partner.loc, 2);
        assert_int_equal(engine_total_loss(a, "wait-transfer"), LOST(250 - 150));
        engine_end(a, trace);
}

/* Location 0 is in a Sendrecv from 10 to 520; who sends to it comes at 300, who receives from it at `recv`.
 */
static void expect_sendrecv(uint64_t recv, ps_definitions definitions, ps_time late_sender,
                            ps_time late_receiver)
{
        ps_gen *g = engine_ranks(3);
        ps_gen_sendrecv(g, 0, US(10), US(520), 1, 2, PS_GEN_WORLD, 0, 8);
        ps_gen_recv(g, 1, US(recv), US(520), 0, PS_GEN_WORLD, 0, 8);
        ps_gen_send(g, 2, US(300), US(301), 0, PS_GEN_WORLD, 0, 8);
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, definitions, 0);
        assert_int_equal(engine_total_loss(a, "late-sender"), late_sender);
        assert_int_equal(engine_total_loss(a, "late-receiver"), late_receiver);
        engine_end(a, trace);
}

TEST(a_sendrecv_waits_for_the_later_side)
{
        expect_sendrecv(500, PS_DEFINITIONS_PATSCAN, 0, LOST(490));
        expect_sendrecv(200, PS_DEFINITIONS_PATSCAN, LOST(290), 0);
        expect_sendrecv(500, PS_DEFINITIONS_SCALASCA, LOST(290), 0);
}

/* -- wrong order -- */

/* A message is sent before 103 others and received after them all; the last 100 are remembered. */
TEST(a_hundred_waits_are_remembered)
{
        ps_gen *g = engine_ranks(2);
        ps_gen_send(g, 0, US(5), US(6), 1, PS_GEN_WORLD, 1, 8);
        for (uint64_t i = 0; i < 103; i++)
                engine_message(g, 0, 130 + 100 * i, 131 + 100 * i, 1, 100 + 100 * i, 140 + 100 * i, 0);
        ps_gen_recv(g, 1, US(20000), US(20001), 0, PS_GEN_WORLD, 1, 8);
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(analysed_count(a, engine_row("late-sender-wrong-order-same-source"), 0), 100);
        assert_int_equal(engine_own_loss(a, "late-sender-wrong-order-same-source"), LOST(100 * 30));
        assert_int_equal(analysed_count(a, engine_row("late-standard-send"), 0), 3);
        assert_int_equal(engine_total_loss(a, "late-sender"), LOST(103 * 30));
        engine_end(a, trace);
}

/* A wait is in wrong order once, whatever comes later: the first that was sent before decides. */
TEST(a_wait_is_in_wrong_order_once)
{
        ps_gen *g = engine_ranks(3);
        ps_gen_send(g, 0, US(20), US(21), 1, PS_GEN_WORLD, 1, 8);
        ps_gen_send(g, 2, US(30), US(31), 1, PS_GEN_WORLD, 0, 8);
        engine_message(g, 0, 100, 101, 1, 10, 110, 2);
        ps_gen_recv(g, 1, US(120), US(121), 2, PS_GEN_WORLD, 0, 8);
        ps_gen_recv(g, 1, US(130), US(131), 0, PS_GEN_WORLD, 1, 8);
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(engine_own_loss(a, "late-sender-wrong-order-different-source"), LOST(90));
        assert_int_equal(engine_own_loss(a, "late-sender-wrong-order-same-source"), 0);
        assert_int_equal(engine_total_loss(a, "late-sender"), LOST(90));
        engine_end(a, trace);
}

/* -- evidence -- */

/* A Send of so many bytes that begins at `at` and whose receive is posted 100 later. */
static void early_send(ps_gen *g, uint64_t at, uint64_t ends, uint64_t bytes)
{
        ps_gen_send(g, 0, US(at), US(ends), 1, PS_GEN_WORLD, 0, bytes);
        ps_gen_recv(g, 1, US(at + 100), US(at + 200), 0, PS_GEN_WORLD, 0, bytes);
}

TEST(sends_tell_the_eager_limit)
{
        ps_gen *g = engine_ranks(2);
        early_send(g, 1000, 1010, 100);
        early_send(g, 2000, 2010, 4096);
        early_send(g, 3000, 3200, 65536);
        early_send(g, 4000, 4200, 8192);
        early_send(g, 5000, 5101, 5); /* ends as the receive begins, as well as the clocks can tell */
        early_send(g, 6000, 6099, 90000);
        ps_gen_send(g, 0, US(7000), US(7500), 1, PS_GEN_WORLD, 0, 1); /* the receive is there */
        ps_gen_recv(g, 1, US(6900), US(7500), 0, PS_GEN_WORLD, 0, 1);
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(a->eager_max, 4096);
        assert_int_equal(a->rendezvous_min, 8192);
        engine_end(a, trace);
        trace = engine_load(engine_ranks(1));
        a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(a->eager_max, 0);
        assert_true(a->rendezvous_min == UINT64_MAX);
        assert_int_equal(a->n_findings, 0);
        engine_end(a, trace);
}

/* Rank 1 waits 300 us for 0, and 2 waits 100 us for 1: only who is named as master decides which of it
 * counts. */
TEST(a_named_master)
{
        ps_gen *g = engine_ranks(3);
        engine_message(g, 0, 400, 410, 1, 100, 410, 1);
        engine_message(g, 1, 500, 510, 2, 400, 510, 1);
        ps_trace *trace = engine_load(g);
        static const struct {
                uint32_t master;
                const char *id;
                ps_loc loc;
                ps_time lost;
        } cases[] = {{0, "pgas-overloaded-master", 1, LOST(300)},
                     {1, "pgas-slow-workers", 1, LOST(300)},
                     {2, "pgas-slow-workers", 2, LOST(100)}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                ps_analysis *a = engine_analyse_by(
                        trace,
                        &(ps_analysis_options){.n_threads = 1, .has_master = 1, .master = cases[i].master});
                for (ps_loc loc = 0; loc < 3; loc++)
                        assert_int_equal(analysed_lost(a, engine_row(cases[i].id), loc, 0),
                                         loc == cases[i].loc ? cases[i].lost : 0);
                ps_analysis_free(a);
        }
        ps_analysis *a;
        ps_error err = {0};
        ps_analysis_options none = {.n_threads = 1, .has_master = 1, .master = 3};
        assert_int_equal(ps_analyse(&a, trace, &trace->measured, &none, &err), PS_E_USAGE);
        assert_string_equal(err.cause[0].text,
                            "--master needs a rank of the run, and other ranks beside it: value=3");
        ps_analysis *unnamed = engine_analyse_by(trace, &(ps_analysis_options){.n_threads = 1});
        assert_int_equal(analysed_count(unnamed, engine_row("pgas-slow-workers"), 0), 0);
        ps_analysis_free(unnamed);
        ps_trace_close(trace);
}
