/* test_engine.c - what holds for all patterns: epsilon, sums, findings and their order, threads, the sink,
 * and that a call is charged once. The patterns themselves are tested by traces/patterns/. */
#include "core/load.h"
#include "patterns/engine.h"
#include "tests/support/analysed.h"
#include "tests/support/trace_maker.h"
#include "tests/support/tracegen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define US       PS_GEN_US
#define LOST(us) ((ps_time)(us)*1000 * PS_PS_PER_NS)

static uint32_t row(const char *id)
{
        uint32_t pattern = ps_pattern_find(id);
        assert_int_not_equal(pattern, PS_NONE);
        return pattern;
}

/* Ranks of one thread; the first event is at 0. */
static ps_gen *begin(uint32_t ranks)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = ranks});
        ps_gen_visit(g, 0, 0, 0, "start");
        return g;
}

/* A send and a receive of one message, each by its begin and end in microseconds. */
static void message(ps_gen *g, uint32_t from, uint64_t send, uint64_t sent, uint32_t to, uint64_t recv,
                    uint64_t got, uint32_t tag)
{
        ps_gen_send(g, from, US(send), US(sent), to, PS_GEN_WORLD, tag, 8);
        ps_gen_recv(g, to, US(recv), US(got), from, PS_GEN_WORLD, tag, 8);
}

static ps_trace *load(ps_gen *g)
{
        ps_trace *trace;
        ps_error err = {0};
        const ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_gen_close(g);
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, &err), PS_OK);
        ps_gen_free(g);
        return trace;
}

static ps_analysis *analyse_by(const ps_trace *trace, const ps_analysis_options *options)
{
        ps_analysis *analysis;
        ps_error err = {0};
        assert_int_equal(ps_analyse(&analysis, trace, &trace->measured, options, &err), PS_OK);
        return analysis;
}

static ps_analysis *analyse(const ps_trace *trace, ps_definitions definitions, ps_time epsilon)
{
        return analyse_by(trace, &(ps_analysis_options){
                                         .definitions = definitions, .epsilon = epsilon, .n_threads = 1});
}

static ps_time own_loss(const ps_analysis *a, const char *id)
{
        return analysed_lost(a, row(id), PS_NONE, 0);
}

static ps_time total_loss(const ps_analysis *a, const char *id)
{
        return analysed_lost(a, row(id), PS_NONE, 1);
}

static const ps_finding *finding(const ps_analysis *a, const char *id, ps_loc loc)
{
        for (uint32_t i = 0; i < a->n_findings; i++)
                if (a->findings[i].pattern == row(id) && a->findings[i].location == loc)
                        return &a->findings[i];
        return NULL;
}

static void end(ps_analysis *a, ps_trace *trace)
{
        ps_analysis_free(a);
        ps_trace_close(trace);
}

/* -- epsilon -- */

static void epsilon_is_the_least_that_counts(void **state)
{
        (void)state;
        ps_gen *g = begin(2);
        message(g, 0, 20, 21, 1, 10, 30, 0); /* 10 us */
        message(g, 0, 50, 51, 1, 50, 60, 0); /* 0 us */
        ps_trace *trace = load(g);
        static const struct {
                ps_time epsilon;
                uint64_t count;
        } cases[] = {{LOST(10), 1}, {LOST(10) + 1, 0}, {LOST(10) - 1, 1}, {0, 1}, {-1, 1}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                ps_analysis *a = analyse(trace, PS_DEFINITIONS_PATSCAN, cases[i].epsilon);
                assert_int_equal(analysed_count(a, row("late-sender"), 1), cases[i].count);
                assert_int_equal(total_loss(a, "late-sender"), cases[i].count * (uint64_t)LOST(10));
                ps_analysis_free(a);
        }
        end(NULL, trace);
}

/* Nobody knows better than 1 us, or than two ticks: of 1 MHz, 2 us. */
static void epsilon_is_chosen_by_the_clock(void **state)
{
        (void)state;
        ps_trace *trace = load(begin(1));
        assert_int_equal(ps_analysis_epsilon(trace), LOST(1));
        ps_analysis *a = analyse(trace, PS_DEFINITIONS_PATSCAN, -1);
        assert_int_equal(a->epsilon, LOST(1));
        end(a, trace);
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.resolution = 1000000});
        ps_gen_visit(g, 0, 0, 5, "start");
        trace = load(g);
        assert_int_equal(ps_analysis_epsilon(trace), LOST(2));
        end(NULL, trace);
}

/* -- sums -- */

/* Location 1 waits 90 for a Send, 80 for a Bsend, and 70 for one that was not the first to be sent. */
static ps_trace *three_late_sends(void)
{
        ps_gen *g = begin(2);
        message(g, 0, 100, 101, 1, 10, 105, 0);
        ps_gen_send_by(g, "MPI_Bsend", 0, US(200), US(201), 1, PS_GEN_WORLD, 0, 8);
        ps_gen_recv(g, 1, US(120), US(205), 0, PS_GEN_WORLD, 0, 8);
        ps_gen_send(g, 0, US(250), US(251), 1, PS_GEN_WORLD, 1, 8);
        message(g, 0, 300, 301, 1, 230, 305, 2);
        ps_gen_recv(g, 1, US(310), US(311), 0, PS_GEN_WORLD, 1, 8);
        return load(g);
}

static void each_loss_is_charged_to_the_deepest_row_that_fits(void **state)
{
        (void)state;
        ps_trace *trace = three_late_sends();
        ps_analysis *a = analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(own_loss(a, "late-sender"), 0);
        assert_int_equal(own_loss(a, "late-standard-send"), LOST(90));
        assert_int_equal(own_loss(a, "late-buffered-send"), LOST(80));
        assert_int_equal(own_loss(a, "late-sender-wrong-order"), 0);
        assert_int_equal(own_loss(a, "late-sender-wrong-order-same-source"), LOST(70));
        assert_int_equal(total_loss(a, "late-sender-wrong-order"), LOST(70));
        assert_int_equal(total_loss(a, "late-sender"), LOST(90 + 80 + 70));
        assert_int_equal(analysed_lost(a, row("late-sender"), 0, 1), 0);
        assert_int_equal(analysed_lost(a, row("late-sender"), 1, 1), LOST(90 + 80 + 70));
        assert_int_equal(analysed_count(a, row("late-sender"), 1), 3);
        assert_int_equal(analysed_count(a, row("late-sender"), 0), 0);
        ps_analysis_free(a);
        a = analyse(trace, PS_DEFINITIONS_SCALASCA, 0);
        assert_int_equal(own_loss(a, "late-sender"), LOST(90 + 80));
        assert_int_equal(own_loss(a, "late-standard-send"), 0);
        assert_int_equal(total_loss(a, "late-sender"), LOST(90 + 80 + 70));
        end(a, trace);
}

static void rows_can_be_left_out(void **state)
{
        (void)state;
        ps_trace *trace = three_late_sends();
        ps_analysis_options options = {.n_threads = 1};
        options.off[row("late-standard-send")] = options.off[row("late-sender-wrong-order")] = 1;
        ps_analysis *a = analyse_by(trace, &options);
        assert_int_equal(own_loss(a, "late-sender"), LOST(90 + 70));
        assert_int_equal(own_loss(a, "late-buffered-send"), LOST(80));
        assert_int_equal(total_loss(a, "late-sender-wrong-order"), 0);
        ps_analysis_free(a);
        options = (ps_analysis_options){.n_threads = 1};
        options.off[row("late-sender")] = 1;
        a = analyse_by(trace, &options);
        assert_int_equal(total_loss(a, "late-sender"), 0);
        end(a, trace);
}

/* -- findings -- */

static void a_finding_counts_and_keeps_the_first_of_the_worst(void **state)
{
        (void)state;
        ps_gen *g = begin(2);
        message(g, 0, 120, 121, 1, 100, 130, 0);
        message(g, 0, 250, 251, 1, 200, 260, 0);
        message(g, 0, 350, 351, 1, 300, 360, 0);
        message(g, 0, 430, 431, 1, 400, 440, 0);
        ps_trace *trace = load(g);
        ps_analysis *a = analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        const ps_finding *f = finding(a, "late-standard-send", 1);
        assert_non_null(f);
        assert_int_equal(f->count, 4);
        assert_int_equal(f->lost, LOST(20 + 50 + 50 + 30));
        assert_int_equal(f->worst.lost, LOST(50));
        assert_int_equal(f->worst.begin, LOST(200));
        assert_int_equal(f->worst.at.loc, 1);
        assert_int_equal(trace->measured.enter[1][f->worst.at.op], LOST(200));
        assert_int_equal(f->worst.partner.loc, 0);
        assert_int_equal(trace->measured.enter[0][f->worst.partner.op], LOST(250));
        end(a, trace);
}

static void places_of_the_program_are_findings_of_their_own(void **state)
{
        (void)state;
        ps_gen *g = begin(2);
        ps_gen_enter(g, 1, US(90), "first");
        message(g, 0, 120, 121, 1, 100, 130, 0);
        ps_gen_leave(g, 1, US(140), "first");
        ps_gen_enter(g, 1, US(190), "second");
        message(g, 0, 250, 251, 1, 200, 260, 0);
        ps_gen_leave(g, 1, US(270), "second");
        ps_trace *trace = load(g);
        ps_analysis *a = analyse(trace, PS_DEFINITIONS_SCALASCA, 0);
        assert_int_equal(a->n_findings, 2);
        assert_int_equal(a->findings[0].lost, LOST(50));
        assert_int_equal(a->findings[1].lost, LOST(20));
        assert_int_not_equal(a->findings[0].path, a->findings[1].path);
        end(a, trace);
}

/* Equal losses go by the pattern's id, then by location: late-receiver before late-sender. */
static void findings_are_sorted(void **state)
{
        (void)state;
        ps_gen *g = begin(4);
        message(g, 0, 100, 101, 1, 50, 110, 0);
        message(g, 2, 110, 111, 3, 60, 120, 0);
        message(g, 2, 200, 260, 3, 250, 260, 0);
        message(g, 0, 300, 301, 1, 240, 310, 0);
        ps_trace *trace = load(g);
        ps_analysis *a = analyse(trace, PS_DEFINITIONS_SCALASCA, 0);
        static const struct {
                const char *id;
                ps_loc loc;
                int us;
        } expected[] = {{"late-sender", 1, 50 + 60}, {"late-receiver", 2, 50}, {"late-sender", 3, 50}};
        assert_int_equal(a->n_findings, 3);
        for (int i = 0; i < 3; i++) {
                assert_string_equal(ps_pattern_at(a->findings[i].pattern)->id, expected[i].id);
                assert_int_equal(a->findings[i].location, expected[i].loc);
                assert_int_equal(a->findings[i].lost, LOST(expected[i].us));
        }
        end(a, trace);
}

/* -- threads and the sink -- */

enum { RANKS = 9, ROUNDS = 120 };

/* Messages and barriers at random times, in several functions; in each round the ranks pass a message on. */
static ps_trace *random_trace(void)
{
        static const char *const functions[] = {"north", "south", "east", "west"};
        ps_gen *g = begin(RANKS);
        uint64_t seed = 7;
        for (uint64_t round = 0; round < ROUNDS; round++) {
                uint64_t t = US(1000 * (round + 1));
                for (uint32_t r = 0; r < RANKS; r++) {
                        const char *function = functions[maker_random(&seed, 4)];
                        uint64_t send = t + US(maker_random(&seed, 300)), recv = t + US(400);
                        uint32_t next = (r + 1) % RANKS, last = (r + RANKS - 1) % RANKS;
                        const char *call = maker_random(&seed, 2) ? "MPI_Send" : "MPI_Bsend";
                        ps_gen_enter(g, r, t, function);
                        ps_gen_irecv(g, r, t, t + 100, round);
                        ps_gen_send_by(g, call, r, send + US(5), send + US(6), next, PS_GEN_WORLD, 0, 8);
                        ps_gen_wait(g, r, send + US(7), recv, PS_GEN_GOT(last, PS_GEN_WORLD, 0, 8, round));
                        ps_gen_barrier(g, r, recv + US(maker_random(&seed, 200)), t + US(700), PS_GEN_WORLD);
                        ps_gen_leave(g, r, t + US(800), function);
                }
        }
        return load(g);
}

static void assert_same_instance(const ps_instance *a, const ps_instance *b)
{
        assert_int_equal(a->pattern, b->pattern);
        assert_int_equal(a->at.loc, b->at.loc);
        assert_int_equal(a->at.op, b->at.op);
        assert_int_equal(a->partner.loc, b->partner.loc);
        assert_int_equal(a->partner.op, b->partner.op);
        assert_int_equal(a->begin, b->begin);
        assert_int_equal(a->lost, b->lost);
        assert_int_equal(a->later, b->later);
}

static void assert_same(const ps_analysis *a, const ps_analysis *b)
{
        assert_int_equal(a->n_findings, b->n_findings);
        for (uint32_t i = 0; i < a->n_findings; i++) {
                const ps_finding *x = &a->findings[i], *y = &b->findings[i];
                assert_int_equal(x->location, y->location);
                assert_int_equal(x->path, y->path);
                assert_int_equal(x->count, y->count);
                assert_int_equal(x->lost, y->lost);
                assert_same_instance(&x->worst, &y->worst);
        }
        assert_memory_equal(a->count, b->count, sizeof a->count);
        assert_memory_equal(a->lost, b->lost, ps_pattern_count() * a->n_locs * sizeof *a->lost);
        assert_int_equal(a->eager_max, b->eager_max);
        assert_int_equal(a->rendezvous_min, b->rendezvous_min);
}

static void threads_change_nothing(void **state)
{
        (void)state;
        static const unsigned n_threads[] = {2, 7};
        ps_trace *trace = random_trace();
        for (int d = 0; d < PS_N_DEFINITIONS; d++) {
                ps_analysis *one = analyse(trace, (ps_definitions)d, 0);
                assert_true(one->n_findings >= 4 * RANKS);
                for (int i = 0; i < 2; i++) {
                        ps_analysis *many =
                                analyse_by(trace, &(ps_analysis_options){.definitions = (ps_definitions)d,
                                                                         .n_threads = n_threads[i]});
                        assert_same(one, many);
                        ps_analysis_free(many);
                }
                ps_analysis_free(one);
        }
        end(NULL, trace);
}

struct seen {
        ps_instance *at;
        size_t n, cap;
};

static void see(void *ctx, const ps_instance *instance, ps_path path)
{
        (void)path;
        struct seen *seen = ctx;
        if (seen->n == seen->cap) {
                seen->cap = seen->cap ? 2 * seen->cap : 64;
                seen->at = realloc(seen->at, seen->cap * sizeof *seen->at);
                assert_non_null(seen->at);
        }
        seen->at[seen->n++] = *instance;
}

/* Rows that ask for several instances at one place drop those of places that have fewer. */
static void assert_sums_to(const struct seen *seen, const ps_analysis *a)
{
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                ps_time lost = 0;
                uint64_t count = 0;
                for (size_t i = 0; i < seen->n; i++) {
                        if (seen->at[i].pattern != p)
                                continue;
                        lost += seen->at[i].lost;
                        count++;
                }
                if (ps_pattern_at(p)->least > 1)
                        continue;
                assert_int_equal(count, a->count[p]);
                assert_int_equal(lost, analysed_lost(a, p, PS_NONE, 0));
        }
}

static void the_sink_gets_all_instances_in_one_order(void **state)
{
        (void)state;
        ps_trace *trace = random_trace();
        ps_analysis *without = analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        struct seen seen[2] = {{0}};
        for (int i = 0; i < 2; i++) {
                ps_analysis *a = analyse_by(
                        trace,
                        &(ps_analysis_options){.n_threads = i ? 7 : 1, .sink = see, .sink_ctx = &seen[i]});
                assert_same(a, without);
                assert_sums_to(&seen[i], a);
                ps_analysis_free(a);
        }
        assert_true(seen[0].n > ROUNDS);
        assert_int_equal(seen[0].n, seen[1].n);
        for (size_t i = 0; i < seen[0].n; i++)
                assert_same_instance(&seen[0].at[i], &seen[1].at[i]);
        free(seen[0].at);
        free(seen[1].at);
        end(without, trace);
}

/* -- a call is charged once -- */

/* Senders come at 100, 200 and 150 while location 0 is in its call from 50 on. */
static ps_trace *three_senders(const char *call)
{
        ps_gen *g = begin(4);
        ps_gen_rec done[3];
        static const uint64_t sent[] = {100, 200, 150};
        for (uint32_t i = 0; i < 3; i++) {
                ps_gen_irecv(g, 0, US(10 + i), US(11 + i), i);
                ps_gen_send(g, i + 1, US(sent[i]), US(sent[i] + 1), 0, PS_GEN_WORLD, 0, 8);
                done[i] = PS_GEN_GOT(i + 1, PS_GEN_WORLD, 0, 8, i);
        }
        ps_gen_call(g, call, 0, US(50), US(300), 3, done);
        return load(g);
}

static void expect_wait(const char *call, ps_definitions definitions, ps_time lost, uint64_t count)
{
        ps_trace *trace = three_senders(call);
        ps_analysis *a = analyse(trace, definitions, 0);
        assert_int_equal(total_loss(a, "late-sender"), lost);
        assert_int_equal(analysed_count(a, row("late-sender"), 1), count);
        end(a, trace);
}

static void several_partners_of_a_call_are_one_wait(void **state)
{
        (void)state;
        static const char *const calls[] = {"MPI_Waitall", "MPI_Waitsome", "MPI_Waitany"};
        for (int i = 0; i < 3; i++)
                expect_wait(calls[i], PS_DEFINITIONS_PATSCAN, LOST(150), 1);
        expect_wait("MPI_Waitall", PS_DEFINITIONS_SCALASCA, LOST(150), 1);
        expect_wait("MPI_Waitsome", PS_DEFINITIONS_SCALASCA, LOST(150), 1);
        expect_wait("MPI_Waitany", PS_DEFINITIONS_SCALASCA, LOST(50 + 150 + 100), 3);
}

/* The longest one speaks for the call: its partner is the cause. */
static void the_latest_partner_is_the_cause(void **state)
{
        (void)state;
        ps_trace *trace = three_senders("MPI_Waitall");
        ps_analysis *a = analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        const ps_finding *f = finding(a, "late-standard-send", 0);
        assert_non_null(f);
        assert_int_equal(f->worst.partner.loc, 2);
        assert_int_equal(total_loss(a, "wait-transfer"), LOST(250 - 150));
        end(a, trace);
}

/* Location 0 is in a Sendrecv from 10 to 520; who sends to it comes at 300, who receives from it at `recv`.
 */
static void expect_sendrecv(uint64_t recv, ps_definitions definitions, ps_time late_sender,
                            ps_time late_receiver)
{
        ps_gen *g = begin(3);
        ps_gen_sendrecv(g, 0, US(10), US(520), 1, 2, PS_GEN_WORLD, 0, 8);
        ps_gen_recv(g, 1, US(recv), US(520), 0, PS_GEN_WORLD, 0, 8);
        ps_gen_send(g, 2, US(300), US(301), 0, PS_GEN_WORLD, 0, 8);
        ps_trace *trace = load(g);
        ps_analysis *a = analyse(trace, definitions, 0);
        assert_int_equal(total_loss(a, "late-sender"), late_sender);
        assert_int_equal(total_loss(a, "late-receiver"), late_receiver);
        end(a, trace);
}

static void a_sendrecv_waits_for_the_later_side(void **state)
{
        (void)state;
        expect_sendrecv(500, PS_DEFINITIONS_PATSCAN, 0, LOST(490));
        expect_sendrecv(200, PS_DEFINITIONS_PATSCAN, LOST(290), 0);
        expect_sendrecv(500, PS_DEFINITIONS_SCALASCA, LOST(290), 0);
}

/* -- wrong order -- */

/* A message is sent before 103 others and received after them all; the last 100 are remembered. */
static void a_hundred_waits_are_remembered(void **state)
{
        (void)state;
        ps_gen *g = begin(2);
        ps_gen_send(g, 0, US(5), US(6), 1, PS_GEN_WORLD, 1, 8);
        for (uint64_t i = 0; i < 103; i++)
                message(g, 0, 130 + 100 * i, 131 + 100 * i, 1, 100 + 100 * i, 140 + 100 * i, 0);
        ps_gen_recv(g, 1, US(20000), US(20001), 0, PS_GEN_WORLD, 1, 8);
        ps_trace *trace = load(g);
        ps_analysis *a = analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(analysed_count(a, row("late-sender-wrong-order-same-source"), 0), 100);
        assert_int_equal(own_loss(a, "late-sender-wrong-order-same-source"), LOST(100 * 30));
        assert_int_equal(analysed_count(a, row("late-standard-send"), 0), 3);
        assert_int_equal(total_loss(a, "late-sender"), LOST(103 * 30));
        end(a, trace);
}

/* A wait is in wrong order once, whatever comes later: the first that was sent before decides. */
static void a_wait_is_in_wrong_order_once(void **state)
{
        (void)state;
        ps_gen *g = begin(3);
        ps_gen_send(g, 0, US(20), US(21), 1, PS_GEN_WORLD, 1, 8);
        ps_gen_send(g, 2, US(30), US(31), 1, PS_GEN_WORLD, 0, 8);
        message(g, 0, 100, 101, 1, 10, 110, 2);
        ps_gen_recv(g, 1, US(120), US(121), 2, PS_GEN_WORLD, 0, 8);
        ps_gen_recv(g, 1, US(130), US(131), 0, PS_GEN_WORLD, 1, 8);
        ps_trace *trace = load(g);
        ps_analysis *a = analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(own_loss(a, "late-sender-wrong-order-different-source"), LOST(90));
        assert_int_equal(own_loss(a, "late-sender-wrong-order-same-source"), 0);
        assert_int_equal(total_loss(a, "late-sender"), LOST(90));
        end(a, trace);
}

/* -- evidence -- */

/* A Send of so many bytes that begins at `at` and whose receive is posted 100 later. */
static void early_send(ps_gen *g, uint64_t at, uint64_t ends, uint64_t bytes)
{
        ps_gen_send(g, 0, US(at), US(ends), 1, PS_GEN_WORLD, 0, bytes);
        ps_gen_recv(g, 1, US(at + 100), US(at + 200), 0, PS_GEN_WORLD, 0, bytes);
}

static void sends_tell_the_eager_limit(void **state)
{
        (void)state;
        ps_gen *g = begin(2);
        early_send(g, 1000, 1010, 100);
        early_send(g, 2000, 2010, 4096);
        early_send(g, 3000, 3200, 65536);
        early_send(g, 4000, 4200, 8192);
        early_send(g, 5000, 5101, 5); /* ends as the receive begins, as well as the clocks can tell */
        early_send(g, 6000, 6099, 90000);
        ps_gen_send(g, 0, US(7000), US(7500), 1, PS_GEN_WORLD, 0, 1); /* the receive is there */
        ps_gen_recv(g, 1, US(6900), US(7500), 0, PS_GEN_WORLD, 0, 1);
        ps_trace *trace = load(g);
        ps_analysis *a = analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(a->eager_max, 4096);
        assert_int_equal(a->rendezvous_min, 8192);
        end(a, trace);
        trace = load(begin(1));
        a = analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(a->eager_max, 0);
        assert_true(a->rendezvous_min == UINT64_MAX);
        assert_int_equal(a->n_findings, 0);
        end(a, trace);
}

/* Rank 1 waits 300 us for 0, and 2 waits 100 us for 1: only who is named as master decides which of it
 * counts. */
static void a_named_master(void **state)
{
        (void)state;
        ps_gen *g = begin(3);
        message(g, 0, 400, 410, 1, 100, 410, 1);
        message(g, 1, 500, 510, 2, 400, 510, 1);
        ps_trace *trace = load(g);
        static const struct {
                uint32_t master;
                const char *id;
                ps_loc loc;
                ps_time lost;
        } cases[] = {{0, "pgas-overloaded-master", 1, LOST(300)},
                     {1, "pgas-slow-workers", 1, LOST(300)},
                     {2, "pgas-slow-workers", 2, LOST(100)}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                ps_analysis *a = analyse_by(
                        trace,
                        &(ps_analysis_options){.n_threads = 1, .has_master = 1, .master = cases[i].master});
                for (ps_loc loc = 0; loc < 3; loc++)
                        assert_int_equal(analysed_lost(a, row(cases[i].id), loc, 0),
                                         loc == cases[i].loc ? cases[i].lost : 0);
                ps_analysis_free(a);
        }
        ps_analysis *a;
        ps_error err = {0};
        ps_analysis_options none = {.n_threads = 1, .has_master = 1, .master = 3};
        assert_int_equal(ps_analyse(&a, trace, &trace->measured, &none, &err), PS_E_USAGE);
        assert_string_equal(err.cause[0].text, "no such rank, or no other one: option=\"--master\", value=3");
        ps_analysis *unnamed = analyse_by(trace, &(ps_analysis_options){.n_threads = 1});
        assert_int_equal(analysed_count(unnamed, row("pgas-slow-workers"), 0), 0);
        ps_analysis_free(unnamed);
        ps_trace_close(trace);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(epsilon_is_the_least_that_counts),
                cmocka_unit_test(epsilon_is_chosen_by_the_clock),
                cmocka_unit_test(each_loss_is_charged_to_the_deepest_row_that_fits),
                cmocka_unit_test(rows_can_be_left_out),
                cmocka_unit_test(a_finding_counts_and_keeps_the_first_of_the_worst),
                cmocka_unit_test(places_of_the_program_are_findings_of_their_own),
                cmocka_unit_test(findings_are_sorted),
                cmocka_unit_test(threads_change_nothing),
                cmocka_unit_test(the_sink_gets_all_instances_in_one_order),
                cmocka_unit_test(several_partners_of_a_call_are_one_wait),
                cmocka_unit_test(the_latest_partner_is_the_cause),
                cmocka_unit_test(a_sendrecv_waits_for_the_later_side),
                cmocka_unit_test(a_hundred_waits_are_remembered),
                cmocka_unit_test(a_wait_is_in_wrong_order_once),
                cmocka_unit_test(sends_tell_the_eager_limit),
                cmocka_unit_test(a_named_master),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
