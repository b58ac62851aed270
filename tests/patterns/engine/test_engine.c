/* test_engine.c - what holds for all patterns: epsilon, sums, findings and their order, threads, and the
 * sink. The patterns themselves are tested by traces/patterns/. */
#include "patterns/engine/engine.h"
#include "tests/patterns/engine/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"
#include "tests/support/tracegen.h"
#include <stdlib.h>
#include <string.h>

#define US       PS_GEN_US
#define LOST(us) ((ps_time)(us)*1000 * PS_PS_PER_NS)

/* -- epsilon -- */

TEST(epsilon_is_the_least_that_counts)
{
        ps_gen *g = engine_ranks(2);
        engine_message(g, 0, 20, 21, 1, 10, 30, 0); /* 10 us */
        engine_message(g, 0, 50, 51, 1, 50, 60, 0); /* 0 us */
        ps_trace *trace = engine_load(g);
        static const struct {
                ps_time epsilon;
                uint64_t count;
        } cases[] = {{LOST(10), 1}, {LOST(10) + 1, 0}, {LOST(10) - 1, 1}, {0, 1}, {-1, 1}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, cases[i].epsilon);
                assert_int_equal(analysed_count(a, engine_row("late-sender"), 1), cases[i].count);
                assert_int_equal(engine_total_loss(a, "late-sender"), cases[i].count * (uint64_t)LOST(10));
                ps_analysis_free(a);
        }
        engine_end(NULL, trace);
}

/* Nobody knows better than 1 us, or than two ticks: of 1 MHz, 2 us. */
TEST(epsilon_is_chosen_by_the_clock)
{
        ps_trace *trace = engine_load(engine_ranks(1));
        assert_int_equal(ps_analysis_epsilon(trace), LOST(1));
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, -1);
        assert_int_equal(a->epsilon, LOST(1));
        engine_end(a, trace);
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.resolution = 1000000});
        ps_gen_visit(g, 0, 0, 5, "start");
        trace = engine_load(g);
        assert_int_equal(ps_analysis_epsilon(trace), LOST(2));
        engine_end(NULL, trace);
}

/* -- sums -- */

/* Location 1 waits 90 for a Send, 80 for a Bsend, and 70 for one that was not the first to be sent. */
static ps_trace *three_late_sends(void)
{
        ps_gen *g = engine_ranks(2);
        engine_message(g, 0, 100, 101, 1, 10, 105, 0);
        ps_gen_send_by(g, "MPI_Bsend", 0, US(200), US(201), 1, PS_GEN_WORLD, 0, 8);
        ps_gen_recv(g, 1, US(120), US(205), 0, PS_GEN_WORLD, 0, 8);
        ps_gen_send(g, 0, US(250), US(251), 1, PS_GEN_WORLD, 1, 8);
        engine_message(g, 0, 300, 301, 1, 230, 305, 2);
        ps_gen_recv(g, 1, US(310), US(311), 0, PS_GEN_WORLD, 1, 8);
        return engine_load(g);
}

TEST(each_loss_is_charged_to_the_deepest_row_that_fits)
{
        ps_trace *trace = three_late_sends();
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        assert_int_equal(engine_own_loss(a, "late-sender"), 0);
        assert_int_equal(engine_own_loss(a, "late-standard-send"), LOST(90));
        assert_int_equal(engine_own_loss(a, "late-buffered-send"), LOST(80));
        assert_int_equal(engine_own_loss(a, "late-sender-wrong-order"), 0);
        assert_int_equal(engine_own_loss(a, "late-sender-wrong-order-same-source"), LOST(70));
        assert_int_equal(engine_total_loss(a, "late-sender-wrong-order"), LOST(70));
        assert_int_equal(engine_total_loss(a, "late-sender"), LOST(90 + 80 + 70));
        assert_int_equal(analysed_lost(a, engine_row("late-sender"), 0, 1), 0);
        assert_int_equal(analysed_lost(a, engine_row("late-sender"), 1, 1), LOST(90 + 80 + 70));
        assert_int_equal(analysed_count(a, engine_row("late-sender"), 1), 3);
        assert_int_equal(analysed_count(a, engine_row("late-sender"), 0), 0);
        ps_analysis_free(a);
        a = engine_analyse(trace, PS_DEFINITIONS_SCALASCA, 0);
        assert_int_equal(engine_own_loss(a, "late-sender"), LOST(90 + 80));
        assert_int_equal(engine_own_loss(a, "late-standard-send"), 0);
        assert_int_equal(engine_total_loss(a, "late-sender"), LOST(90 + 80 + 70));
        engine_end(a, trace);
}

TEST(rows_can_be_left_out)
{
        ps_trace *trace = three_late_sends();
        ps_analysis_options options = {.n_threads = 1};
        options.off[engine_row("late-standard-send")] = options.off[engine_row("late-sender-wrong-order")] =
                1;
        ps_analysis *a = engine_analyse_by(trace, &options);
        assert_int_equal(engine_own_loss(a, "late-sender"), LOST(90 + 70));
        assert_int_equal(engine_own_loss(a, "late-buffered-send"), LOST(80));
        assert_int_equal(engine_total_loss(a, "late-sender-wrong-order"), 0);
        ps_analysis_free(a);
        options = (ps_analysis_options){.n_threads = 1};
        options.off[engine_row("late-sender")] = 1;
        a = engine_analyse_by(trace, &options);
        assert_int_equal(engine_total_loss(a, "late-sender"), 0);
        engine_end(a, trace);
}

/* -- findings -- */

TEST(a_finding_counts_and_keeps_the_first_of_the_worst)
{
        ps_gen *g = engine_ranks(2);
        engine_message(g, 0, 120, 121, 1, 100, 130, 0);
        engine_message(g, 0, 250, 251, 1, 200, 260, 0);
        engine_message(g, 0, 350, 351, 1, 300, 360, 0);
        engine_message(g, 0, 430, 431, 1, 400, 440, 0);
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        const ps_finding *f = engine_finding(a, "late-standard-send", 1);
        assert_non_null(f);
        assert_int_equal(f->count, 4);
        assert_int_equal(f->lost, LOST(20 + 50 + 50 + 30));
        assert_int_equal(f->worst.lost, LOST(50));
        assert_int_equal(f->worst.begin, LOST(200));
        assert_int_equal(f->worst.at.loc, 1);
        assert_int_equal(trace->measured.enter[1][f->worst.at.op], LOST(200));
        assert_int_equal(f->worst.partner.loc, 0);
        assert_int_equal(trace->measured.enter[0][f->worst.partner.op], LOST(250));
        engine_end(a, trace);
}

TEST(places_of_the_program_are_findings_of_their_own)
{
        ps_gen *g = engine_ranks(2);
        ps_gen_enter(g, 1, US(90), "first");
        engine_message(g, 0, 120, 121, 1, 100, 130, 0);
        ps_gen_leave(g, 1, US(140), "first");
        ps_gen_enter(g, 1, US(190), "second");
        engine_message(g, 0, 250, 251, 1, 200, 260, 0);
        ps_gen_leave(g, 1, US(270), "second");
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_SCALASCA, 0);
        assert_int_equal(a->n_findings, 2);
        assert_int_equal(a->findings[0].lost, LOST(50));
        assert_int_equal(a->findings[1].lost, LOST(20));
        assert_int_not_equal(a->findings[0].path, a->findings[1].path);
        engine_end(a, trace);
}

/* Equal losses go by the pattern's id, then by location: late-receiver before late-sender. */
TEST(findings_are_sorted)
{
        ps_gen *g = engine_ranks(4);
        engine_message(g, 0, 100, 101, 1, 50, 110, 0);
        engine_message(g, 2, 110, 111, 3, 60, 120, 0);
        engine_message(g, 2, 200, 260, 3, 250, 260, 0);
        engine_message(g, 0, 300, 301, 1, 240, 310, 0);
        ps_trace *trace = engine_load(g);
        ps_analysis *a = engine_analyse(trace, PS_DEFINITIONS_SCALASCA, 0);
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
        engine_end(a, trace);
}

/* -- threads and the sink -- */

enum { RANKS = 9, ROUNDS = 120 };

/* Messages and barriers at random times, in several functions; in each round the ranks pass a message
 * on. */
static ps_trace *random_trace(void)
{
        static const char *const functions[] = {"north", "south", "east", "west"};
        ps_gen *g = engine_ranks(RANKS);
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
        return engine_load(g);
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
        assert_int_equal(a->eager_max, b->eager_max);
        assert_int_equal(a->rendezvous_min, b->rendezvous_min);
}

TEST(threads_change_nothing)
{
        static const unsigned n_threads[] = {2, 7};
        ps_trace *trace = random_trace();
        for (int d = 0; d < PS_N_DEFINITIONS; d++) {
                ps_analysis *one = engine_analyse(trace, (ps_definitions)d, 0);
                assert_true(one->n_findings >= 4 * RANKS);
                for (int i = 0; i < 2; i++) {
                        ps_analysis *many = engine_analyse_by(
                                trace, &(ps_analysis_options){.definitions = (ps_definitions)d,
                                                              .n_threads = n_threads[i]});
                        assert_same(one, many);
                        ps_analysis_free(many);
                }
                ps_analysis_free(one);
        }
        engine_end(NULL, trace);
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

TEST(the_sink_gets_all_instances_in_one_order)
{
        ps_trace *trace = random_trace();
        ps_analysis *without = engine_analyse(trace, PS_DEFINITIONS_PATSCAN, 0);
        struct seen seen[2] = {{0}};
        for (int i = 0; i < 2; i++) {
                ps_analysis *a = engine_analyse_by(
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
        engine_end(without, trace);
}
