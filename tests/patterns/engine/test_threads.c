/* test_threads.c - threads that come to their team, leave it, and wait for a lock: what each loses, by hand.
 * Each expectation holds for both ways to walk. */
#include "tests/patterns/engine/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/test.h"

#define US       PS_GEN_US
#define LOST(us) ((ps_time)(us)*1000 * PS_PS_PER_NS)
#define OMP      OTF2_PARADIGM_OPENMP

enum { EPSILON_US = 10, IS_IN_FULL = 1 };

/* How much was lost at a location, and how often that was a finding. */
struct loss {
        ps_loc loc;
        const char *id;
        uint64_t lost_us, count;
};

static void expect_losses(ps_gen *g, const struct loss *losses, size_t n)
{
        ps_trace *trace = engine_load(g);
        for (uint8_t in_full = 0; in_full <= IS_IN_FULL; in_full++) {
                const ps_analysis_options options = {
                        .epsilon = LOST(EPSILON_US), .n_threads = 1, .in_full = in_full};
                ps_analysis *a = engine_analyse_by(trace, &options);
                for (size_t i = 0; i < n; i++) {
                        const ps_finding *f = engine_finding(a, losses[i].id, losses[i].loc);
                        assert_int_equal(f ? f->lost : 0, LOST(losses[i].lost_us));
                        assert_int_equal(f ? f->count : 0, losses[i].count);
                }
                ps_analysis_free(a);
        }
        ps_trace_close(trace);
}

#define EXPECT_LOSSES(g, ...)                                                                                \
        expect_losses(g, (const struct loss[]){__VA_ARGS__},                                                 \
                      sizeof((const struct loss[]){__VA_ARGS__}) / sizeof(struct loss))

/* A process of two threads, and another one of two; all four are a team, which does not matter here. */
static ps_gen *two_processes(uint32_t *team, uint32_t at[4])
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .threads = 2});
        for (uint32_t i = 0; i < 4; i++)
                at[i] = ps_gen_at(g, i / 2, i % 2);
        *team = ps_gen_team(g, "team", at, 4);
        ps_gen_visit(g, at[0], 0, 0, "start");
        return g;
}

static void put_at(ps_gen *g, uint32_t loc, ps_gen_kind kind, uint32_t team, const uint64_t *us, size_t n)
{
        for (size_t i = 0; i < n; i++)
                ps_gen_put(g, loc, US(us[i]), (ps_gen_rec){.kind = kind, .comm = team, .op = OMP, .tag = 2});
}

#define PUT_AT(g, loc, kind, team, ...)                                                                      \
        put_at(g, loc, PS_GEN_R_##kind, team, (const uint64_t[]){__VA_ARGS__},                               \
               sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* The first begins before any fork, which tells nothing; the one at 140 lost 40 since 100, that at 210 one
 * epsilon, that at 300 was forked at the same time, that at 325 by the inner fork at 310. Thread 0 lost less
 * than one epsilon at 309. Forks of the other process are none of theirs, and theirs none of its. */
TEST(a_thread_comes_to_the_last_team_that_its_process_forked)
{
        uint32_t team, at[4];
        ps_gen *g = two_processes(&team, at);
        PUT_AT(g, at[0], FORK, team, 100, 200, 300);
        PUT_AT(g, at[2], FORK, team, 105, 205, 305);
        PUT_AT(g, at[1], TEAM_BEGIN, team, 90, 140, 210, 300);
        PUT_AT(g, at[1], FORK, team, 310);
        PUT_AT(g, at[1], TEAM_BEGIN, team, 325);
        PUT_AT(g, at[3], TEAM_BEGIN, team, 204, 214, 400);
        PUT_AT(g, at[0], TEAM_BEGIN, team, 309);
        EXPECT_LOSSES(g, {at[1], "omp-fork", 40 + 10 + 15, 3}, {at[3], "omp-fork", 99 + 95, 2},
                      {at[0], "omp-fork", 0, 0});
}

/* In the team that is forked at 10 and joined at 92 thread 1 has a part from 20 to 80; there it forks a team
 * of its own at 30, has a part of that, too, from 36 to 70, and joins it at 73. What it lost at the outer
 * team lies outside of all regions, what it lost at the inner one in a region that it computes in. */
TEST(who_forks_a_team_in_another_one_is_in_a_region)
{
        enum { FROM_OUTER = (20 - 10) + (92 - 80), FROM_INNER = (36 - 30) + (73 - 70), PART = 80 - 20 };
        const uint64_t us[PS_TIME_KINDS] = {[PS_TIME_COMPUTATION] = PART - FROM_INNER,
                                            [PS_TIME_RUNTIME] = FROM_OUTER + FROM_INNER,
                                            [PS_TIME_NOT_RUNNING] = 100 - PART - FROM_OUTER};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        const uint32_t at = ps_gen_at(g, 0, 1), inner = ps_gen_team(g, "inner", &at, 1),
                       outer = ps_gen_team(g, "outer", (uint32_t[]){0, at}, 2);
        ps_gen_enter(g, 0, US(0), "main");
        PUT_AT(g, 0, FORK, outer, 10);
        PUT_AT(g, at, TEAM_BEGIN, outer, 20);
        ps_gen_enter(g, at, US(20), "!$omp parallel");
        PUT_AT(g, at, FORK, inner, 30);
        PUT_AT(g, at, TEAM_BEGIN, inner, 36);
        ps_gen_visit(g, at, US(36), US(70), "!$omp parallel");
        PUT_AT(g, at, TEAM_END, inner, 70);
        PUT_AT(g, at, JOIN, inner, 73);
        ps_gen_leave(g, at, US(80), "!$omp parallel");
        PUT_AT(g, at, TEAM_END, outer, 80);
        PUT_AT(g, 0, JOIN, outer, 92);
        ps_gen_leave(g, 0, US(100), "main");
        ps_trace *trace = engine_load(g);
        for (uint8_t in_full = 0; in_full <= IS_IN_FULL; in_full++) {
                const ps_analysis_options options = {.n_threads = 1, .in_full = in_full};
                ps_analysis *a = engine_analyse_by(trace, &options);
                ps_times *times;
                assert_int_equal(ps_times_make(&times, trace, &trace->measured, a->moves, NULL), PS_OK);
                for (unsigned kind = 0; kind < PS_TIME_KINDS; kind++)
                        assert_int_equal(ps_times_of_kind(times, (ps_time_kind)kind)[1], LOST(us[kind]));
                ps_times_free(times);
                ps_analysis_free(a);
        }
        ps_trace_close(trace);
}

/* The part that ends at 60 lost 40 until 100, that at 100 nothing, that at 101 lost 99; 190 is one epsilon
 * before the two joins at 200, 191 less. Behind the last join nothing is known; that of the other process is
 * none. */
TEST(a_thread_waits_for_the_first_join_behind_the_end_of_its_part)
{
        uint32_t team, at[4];
        ps_gen *g = two_processes(&team, at);
        PUT_AT(g, at[0], JOIN, team, 100, 200, 200, 300);
        PUT_AT(g, at[2], JOIN, team, 150);
        PUT_AT(g, at[1], TEAM_END, team, 60, 100, 101, 190, 191, 300, 301);
        PUT_AT(g, at[3], TEAM_END, team, 10, 160);
        EXPECT_LOSSES(g, {at[1], "omp-join", 40 + 99 + 10, 3}, {at[3], "omp-join", 140, 1});
}

static void hold_lock(ps_gen *g, uint32_t loc, uint32_t lock, const uint64_t us[3], bool gives_back)
{
        static const char section[] = "!$omp critical @a.c:5";
        ps_gen_enter(g, loc, US(us[0]), section);
        ps_gen_put(g, loc, US(us[1]), PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OMP, .ref = lock));
        if (gives_back)
                ps_gen_put(g, loc, US(us[2]), PS_GEN_REC_OF(LOCK_RELEASE, .op = OMP, .ref = lock));
        ps_gen_leave(g, loc, US(us[2]), section);
}

static void hold(ps_gen *g, uint32_t loc, const uint64_t us[3], bool gives_back)
{
        hold_lock(g, loc, 1, us, gives_back);
}

/* Thread 1 comes at 110 while thread 0 holds the lock from 100 to 150: it waits for 40. At 200 it is free. At
 * 300 thread 0 holds it until 310 and thread 1 waits for one epsilon, at 401 until 410 for less. What it
 * takes at 500 nobody gives back: thread 0 gets it from nobody at 600. The other process has a lock of its
 * own. */
TEST(a_thread_waits_for_the_thread_that_gives_the_lock_back)
{
        uint32_t team, at[4];
        ps_gen *g = two_processes(&team, at);
        hold(g, at[0], (const uint64_t[]){100, 100, 150}, true);
        hold(g, at[1], (const uint64_t[]){110, 151, 160}, true);
        hold(g, at[1], (const uint64_t[]){200, 201, 210}, true);
        hold(g, at[0], (const uint64_t[]){290, 290, 310}, true);
        hold(g, at[1], (const uint64_t[]){300, 311, 320}, true);
        hold(g, at[0], (const uint64_t[]){390, 390, 410}, true);
        hold(g, at[1], (const uint64_t[]){401, 411, 420}, true);
        hold(g, at[1], (const uint64_t[]){500, 501, 510}, false);
        hold(g, at[0], (const uint64_t[]){505, 600, 610}, true);
        hold(g, at[3], (const uint64_t[]){120, 155, 156}, true);
        EXPECT_LOSSES(g, {at[1], "omp-critical-wait", 40 + 10, 2}, {at[0], "omp-critical-wait", 0, 0},
                      {at[3], "omp-critical-wait", 0, 0});
}

/* Thread 0 holds locks 0, 1, 2, ... in turn, each for 50 from 100 on; so does thread 1, which comes 20 later
 * for the even ones and waits for 30, and finds the odd ones free, since it comes 60 later. */
TEST(locks_are_told_apart)
{
        enum { LOCKS = 70, ROUNDS = 3 };
        uint32_t team, at[4];
        ps_gen *g = two_processes(&team, at);
        for (uint64_t i = 0, us = 100; i < (uint64_t)LOCKS * ROUNDS; i++, us += 200) {
                uint32_t lock = (uint32_t)(i % LOCKS);
                uint64_t comes = us + (lock % 2 ? 60 : 20);
                hold_lock(g, at[0], lock, (const uint64_t[]){us, us, us + 50}, true);
                hold_lock(g, at[1], lock, (const uint64_t[]){comes, us + 61, us + 70}, true);
        }
        EXPECT_LOSSES(g, {at[1], "omp-critical-wait", 30 * LOCKS / 2 * ROUNDS, LOCKS / 2 * ROUNDS},
                      {at[0], "omp-critical-wait", 0, 0});
}
