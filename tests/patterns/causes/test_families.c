/* test_families.c - every sort of wait that somebody ends has somebody who is charged with it. */
#include "core/model/focus.h"
#include "tests/patterns/causes/lab.h"
#include "tests/support/micro/micro.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <stdio.h>

#define US       PS_GEN_US
#define TIME(us) ((ps_time)(us)*1000 * PS_PS_PER_NS)
#define WORLD    PS_GEN_WORLD

/* The rows of waiting, of which each has micro-traces. */
static const char *const rows[] = {"late-sender",
                                   "probe-wait",
                                   "late-receiver",
                                   "barrier-wait",
                                   "nxn-wait",
                                   "late-broadcast",
                                   "early-reduce",
                                   "early-scan",
                                   "neighbor-wait",
                                   "nonblocking-collective-wait",
                                   "finalize-wait",
                                   "omp-barrier-wait",
                                   "omp-implicit-barrier-wait",
                                   "omp-critical-wait",
                                   "omp-lock-wait",
                                   "pthread-lock-wait",
                                   "window-lock-wait",
                                   "pgas-lock-wait",
                                   "pgas-atomic-wait",
                                   "fence-wait",
                                   "window-wait",
                                   "late-post",
                                   "early-transfer",
                                   "early-wait",
                                   "late-complete",
                                   "wait-for-progress",
                                   "pgas-in-sync-wait",
                                   "pgas-late-broadcast",
                                   "pgas-late-gather",
                                   "pgas-early-prefix-reduce",
                                   "pgas-early-gather",
                                   "pgas-in-sync-many-to-many",
                                   "pgas-assumed-in-sync",
                                   "pgas-barrier-wait",
                                   "pgas-split-barrier-wait",
                                   "pgas-alloc-wait",
                                   "pgas-change-wait"};

/* In how many of a row's micro-traces all of its waiting is charged to somebody. */
static unsigned count_charged(const char *id, unsigned *n_waiting)
{
        char path[128];
        unsigned n = 0;
        snprintf(path, sizeof(path), "traces/patterns/%s.trace", id);
        micro *m = micro_open(path, ps_pattern_find(id));
        assert_non_null(m);
        for (const micro_case *c; (c = micro_next(m));) {
                if (c->definitions != PS_DEFINITIONS_PATSCAN)
                        continue;
                delayed d = delayed_of(c->trace, PS_DEFINITIONS_PATSCAN, c->epsilon, 1);
                delayed_check(&d, c->title);
                ps_time waited = delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_WAIT, PS_NONE);
                *n_waiting += waited > 0;
                n += waited > 0 && !delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_UNEXPLAINED, PS_NONE);
                delayed_free(&d);
        }
        micro_close(m);
        return n;
}

TEST(every_wait_has_somebody_who_is_charged)
{
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                unsigned n_waiting = 0, n = count_charged(rows[i], &n_waiting);
                if (!n_waiting || n != n_waiting)
                        fail_msg("%s: charged in %u of %u micro-traces", rows[i], n, n_waiting);
        }
}

/* Ranks 0 and 1 exchange a message; rank 2 does nothing, and waits at the end for 190. */
static ps_trace *with_one_apart(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        static const uint64_t finalize[] = {US(200), US(210), US(20)};
        ps_gen_visit(g, 0, US(0), US(100), "work");
        ps_gen_send(g, 0, US(100), US(101), 1, WORLD, 0, 8);
        ps_gen_recv(g, 1, US(50), US(110), 0, WORLD, 0, 8);
        for (uint32_t r = 0; r < 3; r++)
                ps_gen_visit(g, r, finalize[r], US(220), "MPI_Finalize");
        ps_gen_close(g);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AS_IS);
        ps_gen_free(g);
        return trace;
}

TEST(who_takes_no_part_does_not_wait_at_the_end)
{
        ps_trace *trace = with_one_apart();
        delayed d = delayed_of(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        delayed_check(&d, "apart");
        assert_non_null(d.analysis->apart);
        assert_int_equal(d.analysis->apart[0] + d.analysis->apart[1], 0);
        assert_int_equal(d.analysis->apart[2], 1);
        assert_int_equal(delayed_sum(&d, PS_DELAY_FINALIZE, PS_DELAYED_WAIT, PS_NONE), TIME(10));
        assert_int_equal(d.analysis->count[ps_pattern_find("finalize-wait")], 1);
        assert_int_equal(d.analysis->moves[2].moved[PS_TIME_LIBRARY][PS_TIME_NOT_RUNNING], TIME(200));
        delayed_free(&d);
        /* Scalasca's metric keeps its meaning. */
        d = delayed_of(trace, PS_DEFINITIONS_SCALASCA, 0, 1);
        assert_int_equal(d.analysis->count[ps_pattern_find("finalize-wait")], 2);
        delayed_free(&d);
        ps_trace_close(trace);
}

/* Ranks 0 and 1 may wait for 2 from 100 to 300, or for each other: nobody is blamed, with records of the
 * operation or without. */
TEST(waits_among_neighbours_are_charged_to_nobody)
{
        const ps_gen_rec records[] = {{.kind = PS_GEN_R_COLL_BEGIN},
                                      PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_ALLTOALL,
                                                    .comm = WORLD, .peer = OTF2_COLLECTIVE_ROOT_NONE,
                                                    .bytes = 8, .received = 8)};
        for (uint32_t n = 0; n <= 2; n += 2) {
                ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
                for (uint32_t r = 0; r < 3; r++) {
                        uint64_t from = r == 2 ? US(300) : US(100);
                        ps_gen_visit(g, r, US(0), from, "work");
                        ps_gen_call(g, "MPI_Neighbor_alltoall", r, from, US(305), n, records);
                }
                ps_gen_close(g);
                ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AS_IS);
                ps_gen_free(g);
                assert_int_equal(trace->n_operations, 3);
                delayed d = delayed_of(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
                delayed_check(&d, "neighbours");
                assert_int_equal(d.delays->n_costs, 0);
                assert_int_equal(delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_WAIT, PS_NONE), 0);
                delayed_free(&d);
                ps_trace_close(trace);
        }
}

/* A ring of four of which rank 2 comes 200 late: ranks 1 and 3, who are next to it, wait for it, and rank 0
 * does not. */
TEST(a_late_neighbour_is_charged_with_those_next_to_it)
{
        static const char *const others[] = {"1 3", "0 2", "1 3", "0 2"};
        static const uint64_t end[] = {US(110), US(310), US(310), US(310)};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 4});
        for (uint32_t r = 0; r < 4; r++) {
                uint64_t from = r == 2 ? US(300) : US(100);
                ps_gen_neighbours(g, WORLD, r, others[r]);
                ps_gen_visit(g, r, US(0), from, "work");
                ps_gen_enter(g, r, from, "MPI_Neighbor_alltoall");
                ps_gen_put(g, r, from, (ps_gen_rec){.kind = PS_GEN_R_COLL_BEGIN});
                ps_gen_put(g, r, end[r],
                           PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_ALLTOALL, .comm = WORLD,
                                         .peer = OTF2_COLLECTIVE_ROOT_NONE, .bytes = 16, .received = 16));
                ps_gen_leave(g, r, end[r], "MPI_Neighbor_alltoall");
        }
        ps_gen_close(g);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AS_IS);
        ps_gen_free(g);
        delayed d = delayed_of(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        delayed_check(&d, "ring");
        static const ps_time waits[] = {0, TIME(200), 0, TIME(200)};
        for (ps_loc loc = 0; loc < 4; loc++)
                assert_int_equal(delayed_sum(&d, PS_DELAY_NEIGHBOR, PS_DELAYED_WAIT, loc), waits[loc]);
        assert_int_equal(delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_UNEXPLAINED, PS_NONE), 0);
        ps_delay_cost cost = delayed_cost(&d, 2, "work");
        assert_int_equal(cost.direct, TIME(400));
        assert_int_equal(d.delays->n_costs, 1);
        delayed_free(&d);
        ps_trace_close(trace);
}

/* A wait from 100 to 400 of which the focus has 100 up to 200, and 100 from 300 on: of each its own part of
 * the delay is the cause. */
TEST(each_span_of_the_focus_begins_anew)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        ps_gen_visit(g, 0, US(0), US(100), "setup");
        ps_gen_visit(g, 0, US(100), US(400), "delay");
        ps_gen_send(g, 0, US(400), US(401), 1, WORLD, 0, 8);
        ps_gen_visit(g, 1, US(0), US(100), "setup");
        ps_gen_recv(g, 1, US(100), US(405), 0, WORLD, 0, 8);
        ps_gen_close(g);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AS_IS);
        ps_gen_free(g);
        ps_span spans[] = {{0, TIME(200)}, {TIME(300), TIME(405)}};
        ps_focus focus = {.how = PS_FOCUS_REGION, .span = spans, .n_spans = 2, .length = TIME(305)};
        ps_timing timing = trace->measured;
        timing.focus = &focus;
        delayed d = delayed_by(trace, &timing, &(ps_analysis_options){.n_threads = 1},
                               &(ps_delay_options){.end = TIME(405), .n_threads = 1});
        delayed_check(&d, "spans");
        assert_int_equal(delayed_sum(&d, PS_DELAY_LATE_SENDER, PS_DELAYED_WAIT, 1), TIME(200));
        ps_delay_cost cost = delayed_cost(&d, 0, "delay");
        assert_int_equal(cost.direct, TIME(200));
        assert_int_equal(delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_UNEXPLAINED, PS_NONE), 0);
        assert_int_equal(d.critical->length, TIME(305));
        delayed_free(&d);
        ps_trace_close(trace);
}
