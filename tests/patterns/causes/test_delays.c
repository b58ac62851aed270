/* test_delays.c - costs of delays and critical paths that follow by hand. Times are microseconds. */
#include "tests/patterns/causes/lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define US       PS_GEN_US
#define TIME(us) ((ps_time)(us)*1000 * PS_PS_PER_NS)
#define WORLD    PS_GEN_WORLD

static delayed delays_of(ps_gen *g, ps_trace **trace)
{
        ps_gen_close(g);
        *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AS_IS);
        delayed d = delayed_of(*trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        delayed_check(&d, "by hand");
        ps_gen_free(g);
        return d;
}

static void end(delayed *d, ps_trace *trace)
{
        delayed_free(d);
        ps_trace_close(trace);
}

static void expect_cost(const delayed *d, ps_loc loc, const char *path, ps_time direct, ps_time indirect)
{
        ps_delay_cost cost = delayed_cost(d, loc, path);
        assert_int_equal(cost.direct, TIME(direct));
        assert_int_equal(cost.indirect, TIME(indirect));
}

static ps_time path_time(const delayed *d, const char *name)
{
        for (uint32_t i = 0; i < d->critical->n; i++) {
                const ps_path_node *node = &d->trace->paths[d->critical->row[i].path];
                if (d->critical->row[i].path &&
                    !strcmp(name,
                            ps_defs_str(&d->trace->defs, d->trace->defs.regions.row[node->region].name)))
                        return d->critical->row[i].time;
        }
        return 0;
}

/* Each rank receives from the left and sends to the right; the first is late by 300, each receive takes 5
 * after its message, each step 20. */
static ps_gen *chain(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 4});
        for (uint32_t r = 0; r < 4; r++)
                ps_gen_visit(g, r, US(0), US(100), "setup");
        ps_gen_visit(g, 0, US(100), US(400), "delay");
        ps_gen_send(g, 0, US(400), US(401), 1, WORLD, 0, 8);
        ps_gen_recv(g, 1, US(100), US(405), 0, WORLD, 0, 8);
        ps_gen_visit(g, 1, US(405), US(425), "step");
        ps_gen_send(g, 1, US(425), US(426), 2, WORLD, 0, 8);
        ps_gen_recv(g, 2, US(100), US(430), 1, WORLD, 0, 8);
        ps_gen_visit(g, 2, US(430), US(450), "step");
        ps_gen_send(g, 2, US(450), US(451), 3, WORLD, 0, 8);
        ps_gen_recv(g, 3, US(100), US(455), 2, WORLD, 0, 8);
        return g;
}

/* Nothing synchronised ranks 1 and 2 before, so that the causer's window begins with its location, whose
 * waits come behind those of rank 0. What rank 0 waits in, with more calls than rank 1 has, is none of these.
 */
TEST(waits_of_another_location_are_in_no_window)
{
        enum { CALLS = 4000 };
        ps_trace *trace;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        ps_gen_sendrecv(g, 0, US(0), US(1), 0, 0, WORLD, 1, 8);
        for (uint32_t i = 1; i < CALLS; i++)
                ps_gen_visit(g, 0, US(i), US(i + 1), "MPI_Iprobe");
        ps_gen_recv(g, 0, US(CALLS), US(CALLS + 310), 2, WORLD, 0, 8);
        ps_gen_send(g, 1, US(100), US(101), 2, WORLD, 0, 8);
        ps_gen_recv(g, 2, US(0), US(105), 1, WORLD, 0, 8);
        ps_gen_send(g, 2, US(CALLS + 300), US(CALLS + 301), 0, WORLD, 0, 8);
        delayed d = delays_of(g, &trace);
        assert_int_equal(ps_delayed(d.delays, PS_DELAY_LATE_SENDER, PS_DELAYED_WAIT, 2), TIME(100));
        assert_int_equal(ps_delayed(d.delays, PS_DELAY_LATE_SENDER, PS_DELAYED_INDIRECT, 2), 0);
        end(&d, trace);
}

/* Waits of 300, 325 and 350. */
TEST(a_delay_is_charged_through_a_chain)
{
        ps_trace *trace;
        delayed d = delays_of(chain(), &trace);
        static const ps_time wait[] = {0, 300, 325, 350}, indirect[] = {0, 0, 300, 325};
        for (ps_loc r = 0; r < 4; r++) {
                assert_int_equal(ps_delayed(d.delays, PS_DELAY_LATE_SENDER, PS_DELAYED_WAIT, r),
                                 TIME(wait[r]));
                assert_int_equal(ps_delayed(d.delays, PS_DELAY_LATE_SENDER, PS_DELAYED_INDIRECT, r),
                                 TIME(indirect[r]));
        }
        assert_int_equal(delayed_sum(&d, PS_DELAY_LATE_SENDER, PS_DELAYED_SHORT, PS_NONE), TIME(350));
        assert_int_equal(delayed_sum(&d, PS_DELAY_LATE_SENDER, PS_DELAYED_LONG, PS_NONE), TIME(625));
        assert_int_equal(delayed_sum(&d, PS_DELAY_LATE_SENDER, PS_DELAYED_PROPAGATING, PS_NONE), TIME(625));
        assert_int_equal(delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_UNEXPLAINED, PS_NONE), 0);
        expect_cost(&d, 0, "delay", 300, 600);
        expect_cost(&d, 1, "step", 20, 20);
        expect_cost(&d, 1, "MPI_Recv", 5, 5);
        expect_cost(&d, 2, "step", 20, 0);
        expect_cost(&d, 2, "MPI_Recv", 5, 0);
        assert_int_equal(d.critical->length, TIME(455));
        assert_int_equal(path_time(&d, "delay"), TIME(300));
        assert_int_equal(path_time(&d, "step"), TIME(40));
        assert_int_equal(path_time(&d, "MPI_Recv"), TIME(15));
        assert_int_equal(path_time(&d, "MPI_Send"), 0);
        const ps_cause *cause = &d.causes->row[0];
        assert_int_equal(cause->why, PS_WHY_ALONE);
        assert_int_equal(cause->location, 0);
        assert_int_equal(cause->direct + cause->indirect, TIME(900));
        assert_int_equal(cause->n_processes, 3); /* 1 directly, 2 and 3 because 1 and 2 do */
        assert_int_equal(cause->n_findings, 3);
        for (uint32_t i = 0; i < 3; i++)
                assert_int_equal(cause->findings[i].waiting, TIME(300));
        assert_int_equal(d.causes->waiting, TIME(975));
        end(&d, trace);
}

/* Rank 2 has no events, so that the run never comes to its end. Rank 1 works longest, and rank 0, which did
 * so for 100 only, is there for 30 longer. */
TEST(the_critical_path_is_as_long_as_the_run_where_nobody_waits_at_the_end)
{
        ps_trace *trace;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_visit(g, r, US(0), US(100 + 10 * r), "work");
                ps_gen_visit(g, r, US(100 + 10 * r), US(120), "MPI_Finalize");
        }
        ps_gen_visit(g, 0, US(120), US(150), "exit");
        delayed d = delays_of(g, &trace);
        assert_int_equal(d.critical->length, TIME(150));
        assert_int_equal(path_time(&d, "work"), TIME(110));
        assert_int_equal(path_time(&d, "MPI_Finalize"), TIME(10));
        assert_int_equal(path_time(&d, "exit"), TIME(30));
        end(&d, trace);
}

/* Twice the first thread prepares for 30 and forks a team, in which the second thread works for 50, the first
 * one for 10. So the path is 2 * 30 on the first thread and 2 * 50 on the second one, which has nothing to do
 * while the first one prepares. */
TEST(the_critical_path_leads_from_a_team_to_who_forked_it)
{
        enum { ROUND = 80 };
        ps_trace *trace;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        const uint32_t members[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)};
        uint32_t team = ps_gen_team(g, "team", members, 2);
        for (uint64_t i = 0; i < 2; i++) {
                const uint64_t fork = ROUND * i + 30, join = ROUND * i + ROUND;
                ps_gen_visit(g, members[0], US(ROUND * i), US(fork), "prepare");
                ps_gen_put(g, members[0], US(fork),
                           PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = 2));
                for (uint64_t t = 0; t < 2; t++) {
                        ps_gen_put(g, members[t], US(fork), PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
                        ps_gen_enter(g, members[t], US(fork), "!$omp parallel @a.c:3");
                        ps_gen_visit(g, members[t], US(t ? join : fork + 10), US(join),
                                     "!$omp implicit barrier @a.c:3");
                        ps_gen_leave(g, members[t], US(join), "!$omp parallel @a.c:3");
                        ps_gen_put(g, members[t], US(join), PS_GEN_REC_OF(TEAM_END, .comm = team));
                }
                ps_gen_put(g, members[0], US(join), PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
        }
        delayed d = delays_of(g, &trace);
        assert_int_equal(d.critical->length, TIME(2 * ROUND));
        assert_int_equal(path_time(&d, "prepare"), TIME(2 * 30));
        assert_int_equal(path_time(&d, "!$omp parallel @a.c:3"), TIME(2 * 50));
        assert_int_equal(d.critical->n_steps, 4);
        end(&d, trace);
}

/* Of rank 3 to rank 2, which waited for rank 1, which waited for rank 0, which did so itself. */
TEST(the_way_to_blame_goes_along_the_chain)
{
        ps_trace *trace;
        delayed d = delays_of(chain(), &trace);
        ps_delay_step steps[PS_CHAIN_MOST], none[PS_CHAIN_MOST];
        assert_int_equal(ps_delays_chain(d.delays, (ps_ref){3, 0}, steps), 3);
        for (uint32_t i = 0; i < 3; i++) {
                assert_int_equal(steps[i].at.loc, 3 - i);
                assert_int_equal(steps[i].by.loc, 2 - i);
                assert_int_equal(steps[i].begin, TIME(100));
        }
        assert_int_equal(steps[2].end, TIME(400));
        assert_int_equal(ps_delays_chain(d.delays, (ps_ref){0, 0}, none), 0);
        end(&d, trace);
}

/* All do the same, one of them longer, and then wait for all: what it does longer costs the waiting of all
 * others. */
TEST(the_last_one_is_charged_with_what_it_does_longer)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 4});
        for (uint32_t step = 0; step < 5; step++)
                for (uint32_t r = 0; r < 4; r++) {
                        uint64_t from = US(1500) * step;
                        ps_gen_visit(g, r, from, from + (r == 3 ? US(1000) : US(600)), "solve");
                        ps_gen_collective(g, "MPI_Allreduce", r, from + (r == 3 ? US(1000) : US(600)),
                                          from + US(1500), WORLD, OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
                }
        ps_trace *trace;
        delayed d = delays_of(g, &trace);
        ps_delay_cost cost = delayed_cost(&d, 3, "solve");
        ps_time wait = delayed_sum(&d, PS_DELAY_NXN, PS_DELAYED_WAIT, PS_NONE);
        assert_true(wait > 0);
        assert_int_equal(cost.direct, wait);
        assert_int_equal(cost.indirect, 0);
        assert_true(cost.excess > 1999999999. &&
                    cost.excess < 2000000001.); /* 400 more than the others, five times */
        assert_int_equal(cost.is_alone, 0);
        assert_int_equal(d.causes->row[0].why, PS_WHY_LONGER);
        assert_int_equal(d.causes->row[0].n_processes, 3);
        assert_int_equal(d.delays->n_costs, 1);
        end(&d, trace);
}

/* What one alone does costs those who wait for it, in another call path than theirs; what came before they
 * last waited for each other costs nothing. */
TEST(only_what_came_since_the_last_wait_counts)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        ps_gen_visit(g, 0, US(0), US(500), "prepare");
        ps_gen_barrier(g, 0, US(500), US(510), WORLD);
        ps_gen_visit(g, 0, US(510), US(560), "write");
        ps_gen_send(g, 0, US(560), US(561), 1, WORLD, 0, 8);
        ps_gen_visit(g, 1, US(0), US(100), "work");
        ps_gen_barrier(g, 1, US(100), US(510), WORLD);
        ps_gen_recv(g, 1, US(510), US(570), 0, WORLD, 0, 8);
        ps_trace *trace;
        delayed d = delays_of(g, &trace);
        expect_cost(&d, 0, "write", 50, 0);
        assert_int_equal(delayed_cost(&d, 0, "prepare").direct,
                         ps_delayed(d.delays, PS_DELAY_BARRIER, PS_DELAYED_WAIT, 1));
        assert_int_equal(delayed_cost(&d, 0, "write").is_alone, 1);
        assert_int_equal(delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_INDIRECT, PS_NONE), 0);
        end(&d, trace);
}

/* Rank 1 sends late because it waited for rank 0 for 60 of the 90 that rank 2 waits: a third is its own. */
TEST(a_wait_is_shared_out_in_proportion)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        ps_gen_visit(g, 0, US(0), US(60), "a");
        ps_gen_send(g, 0, US(60), US(60), 1, WORLD, 0, 8);
        ps_gen_recv(g, 1, US(0), US(60), 0, WORLD, 0, 8);
        ps_gen_visit(g, 1, US(60), US(120), "b");
        ps_gen_send(g, 1, US(120), US(120), 2, WORLD, 0, 8);
        ps_gen_visit(g, 2, US(0), US(30), "c");
        ps_gen_recv(g, 2, US(30), US(130), 1, WORLD, 0, 8);
        ps_trace *trace;
        delayed d = delays_of(g, &trace);
        /* Of rank 2's wait of 90, 60 (b) and 60 (the wait) explain 45 each. */
        expect_cost(&d, 1, "b", 45, 0);
        expect_cost(&d, 0, "a", 60, 45);
        assert_int_equal(ps_delayed(d.delays, PS_DELAY_LATE_SENDER, PS_DELAYED_PROPAGATING, 1), TIME(45));
        end(&d, trace);
}

/* Rank 2 waits 100 for rank 1, who since the barrier has waited for 200, and was in b and then in a, 50 each:
 * a third of the wait is theirs. Of 33,333,333 picoseconds the odd one belongs to the largest, or, as both
 * are, to the one that came first, though a was met before. */
TEST(the_first_of_equals_gets_what_a_division_leaves)
{
        for (uint32_t more = 0; more <= 100; more += 50) {
                ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
                for (uint32_t r = 0; r < 3; r++) {
                        ps_gen_visit(g, r, US(0), US(1), "a");
                        for (uint32_t i = 0; i < more; i++) {
                                char name[16];
                                snprintf(name, sizeof(name), "f%" PRIu32, i);
                                ps_gen_visit(g, r, US(i + 1), US(i + 2), name);
                        }
                        ps_gen_barrier(g, r, US(200), US(200), WORLD);
                }
                ps_gen_visit(g, 0, US(200), US(400), "d");
                ps_gen_send(g, 0, US(400), US(400), 1, WORLD, 0, 8);
                ps_gen_recv(g, 1, US(200), US(400), 0, WORLD, 0, 8);
                ps_gen_visit(g, 1, US(400), US(450), "b");
                ps_gen_visit(g, 1, US(450), US(500), "a");
                ps_gen_send(g, 1, US(500), US(500), 2, WORLD, 0, 8);
                ps_gen_visit(g, 2, US(200), US(400), "c");
                ps_gen_recv(g, 2, US(400), US(500), 1, WORLD, 0, 8);
                ps_trace *trace;
                delayed d = delays_of(g, &trace);
                assert_int_equal(delayed_cost(&d, 1, "b").direct, 16666667);
                assert_int_equal(delayed_cost(&d, 1, "a").direct, 16666666);
                assert_int_equal(delayed_cost(&d, 0, "d").indirect, 66666667);
                end(&d, trace);
        }
}

/* The late rank of each step and by how much; all leave 5 after it has come. */
static const struct {
        uint32_t late, by;
} steps[] = {{1, 200}, {1, 300}, {0, 50}, {1, 70}, {0, 30}};

/* Each call is two rows that begin and end at once; the first step has nothing before it, others begin where
 * such a call ended. */
TEST(a_call_that_sends_and_receives_counts_once)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        uint64_t t = 0;
        for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
                const uint64_t left = t + 100 + steps[i].by + 5;
                for (uint32_t r = 0; r < 2; r++) {
                        const uint64_t begin = t + 100 + (r == steps[i].late ? steps[i].by : 0);
                        ps_gen_visit(g, r, US(t), US(begin), "work");
                        ps_gen_sendrecv(g, r, US(begin), US(left), 1 - r, 1 - r, WORLD, 0, 8);
                }
                t = left;
        }
        ps_trace *trace;
        delayed d = delays_of(g, &trace);
        assert_int_equal(delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_WAIT, 0), TIME(570));
        assert_int_equal(delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_WAIT, 1), TIME(80));
        expect_cost(&d, 1, "work", 570, 0);
        expect_cost(&d, 0, "work", 80, 0);
        assert_int_equal(d.delays->n_costs, 2);
        end(&d, trace);
}

/* Rank 0 sends to rank 1, which posts its receive late, while what it receives itself has come from rank 2
 * long ago: it waits in the first row of its call. Then rank 1 waits for what rank 0 sends next. */
TEST(who_waits_in_the_first_row_of_a_call_waits_in_the_call)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        for (uint64_t t = 0; t < 3000; t += 1000) {
                ps_gen_visit(g, 0, US(t), US(t + 100), "work");
                ps_gen_sendrecv(g, 0, US(t + 100), US(t + 510), 1, 2, WORLD, 0, 1 << 20);
                ps_gen_visit(g, 1, US(t), US(t + 500), "assemble");
                ps_gen_recv(g, 1, US(t + 500), US(t + 510), 0, WORLD, 0, 1 << 20);
                ps_gen_send(g, 2, US(t + 1), US(t + 5), 0, WORLD, 0, 1 << 20);
                ps_gen_visit(g, 2, US(t + 5), US(t + 1000), "work");
                ps_gen_visit(g, 0, US(t + 510), US(t + 800), "post");
                ps_gen_send(g, 0, US(t + 800), US(t + 1000), 1, WORLD, 1, 8);
                ps_gen_recv(g, 1, US(t + 510), US(t + 1000), 0, WORLD, 1, 8);
        }
        ps_trace *trace;
        delayed d = delays_of(g, &trace);
        assert_int_equal(delayed_sum(&d, PS_DELAY_LATE_RECEIVER, PS_DELAYED_WAIT, 0), TIME(3 * 400));
        assert_int_equal(delayed_sum(&d, PS_DELAY_LATE_SENDER, PS_DELAYED_WAIT, 1), TIME(3 * 290));
        expect_cost(&d, 1, "assemble", 1200, 0);
        expect_cost(&d, 0, "post", 870, 0);
        assert_int_equal(d.delays->n_costs, 2);
        end(&d, trace);
}

static void lock(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t got, uint32_t order)
{
        ps_gen_enter(g, loc, begin, "pthread_mutex_lock");
        ps_gen_put(g, loc, got,
                   PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OTF2_PARADIGM_PTHREAD, .ref = 1, .tag = order));
        ps_gen_leave(g, loc, got, "pthread_mutex_lock");
}

static void unlock(ps_gen *g, uint32_t loc, uint64_t at, uint32_t order)
{
        ps_gen_enter(g, loc, at, "pthread_mutex_unlock");
        ps_gen_put(g, loc, at,
                   PS_GEN_REC_OF(LOCK_RELEASE, .op = OTF2_PARADIGM_PTHREAD, .ref = 1, .tag = order));
        ps_gen_leave(g, loc, at, "pthread_mutex_unlock");
}

/* A thread waits for a lock that another one holds. */
TEST(a_lock_costs_what_is_done_while_it_is_held)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        uint32_t a = ps_gen_at(g, 0, 0), b = ps_gen_at(g, 0, 1);
        ps_gen_visit(g, a, US(0), US(10), "other");
        lock(g, a, US(10), US(11), 1);
        ps_gen_visit(g, a, US(11), US(100), "update");
        unlock(g, a, US(100), 1);
        ps_gen_visit(g, b, US(0), US(20), "other");
        lock(g, b, US(20), US(100), 2);
        unlock(g, b, US(120), 2);
        ps_trace *trace;
        delayed d = delays_of(g, &trace);
        ps_delay_cost update = delayed_cost(&d, a, "update"),
                      call = delayed_cost(&d, a, "pthread_mutex_lock");
        assert_int_equal(delayed_sum(&d, PS_DELAY_LOCK, PS_DELAYED_WAIT, PS_NONE), TIME(80));
        /* 89 of the update and 1 of the lock's own call, less 10 of `other`: 80 of 90. */
        assert_int_equal(update.direct + call.direct, TIME(80));
        assert_int_equal(update.direct / 89, call.direct);
        assert_int_equal(update.locks, update.direct);
        assert_int_equal(d.causes->row[0].why, PS_WHY_LOCK);
        end(&d, trace);
}
