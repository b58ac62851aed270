/* test_fixes_locks.c - what threads gain by holding a lock for a shorter time, or by sharing work out, and
 * what is said where that cannot be told. Times are microseconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/app/commands/fixes_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#define US PS_GEN_US

static void take(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t got, uint32_t order)
{
        ps_gen_enter(g, loc, US(begin), "pthread_mutex_lock");
        ps_gen_put(g, loc, US(got),
                   PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OTF2_PARADIGM_PTHREAD, .ref = 1, .tag = order));
        ps_gen_leave(g, loc, US(got), "pthread_mutex_lock");
}

static void give(ps_gen *g, uint32_t loc, uint64_t at, uint32_t order)
{
        ps_gen_enter(g, loc, US(at), "pthread_mutex_unlock");
        ps_gen_put(g, loc, US(at),
                   PS_GEN_REC_OF(LOCK_RELEASE, .op = OTF2_PARADIGM_PTHREAD, .ref = 1, .tag = order));
        ps_gen_leave(g, loc, US(at), "pthread_mutex_unlock");
}

/* Twice, two threads prepare something in 10 (the second one first in 20), and put it into a table under a
 * lock in 100: a has the lock from 10 to 110 and from 210 to 310, b from 110 to 210 and from 310 to 410. */
static ps_gen *two_at_a_table(const char *prepare, const char *update)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        for (uint32_t t = 0; t < 2; t++) {
                uint32_t loc = ps_gen_at(g, 0, t);
                uint64_t free = 0;
                for (uint32_t i = 0; i < 2; i++) {
                        uint64_t asks = free + (t && !i ? 20 : 10), got = 200 * i + 100 * t + 10;
                        ps_gen_visit(g, loc, US(free), US(asks), prepare);
                        take(g, loc, asks, got, 2 * i + t + 1);
                        ps_gen_visit(g, loc, US(got), US(got + 100), update);
                        give(g, loc, got + 100, 2 * i + t + 1);
                        free = got + 100;
                }
        }
        ps_gen_close(g);
        return g;
}

/* Held for 50, a has it from 10 and b from 60, a from 110 and b from 160: the run is over at 210. Held for
 * 75, at 10 + 4 * 75. Not held at all, a has it at 10 and b at 20, when it asks; both prepare for 10 once
 * more, and b is through at 30. */
PREDICT_TEST(who_waits_for_a_lock_waits_for_who_holds_it)
{
        ps_gen *g = two_at_a_table("prepare", "update");
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --causes=all");
        const cJSON *first = cJSON_GetArrayItem(fixes_causes(root), 0);
        assert_string_equal(fixes_text(first, "why"), "lock");
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(first, "no_fix")));
        fixes_expect(root, "sped-up", "region:update!*0.5", 200, 210);
        fixes_expect(root, "sped-up", "region:update!*0.75", 100, 310);
        fixes_expect(root, "sped-up", "region:update!*0", 380, 30);
        cJSON_Delete(root);
        root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        fixes_expect_first(root, 2, "region:update!*0.5", "region:update!*0");
        cJSON_Delete(root);
        predict_takes(ps_gen_anchor(g), "region:update!*0.5", 210);
        /* Who prepares for longer asks later: a at 310, b at 620, and both 310 after they gave it back, a at
         * 720, b at 1030, when nobody has it. */
        predict_takes(ps_gen_anchor(g), "region:prepare*31", 1130);
        ps_gen_free(g);
}

/* What is done under the lock has the name of what is done before. */
PREDICT_TEST(where_nobody_can_tell_what_is_done_under_the_lock_no_fix_is_told)
{
        ps_gen *g = two_at_a_table("work", "work");
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        const cJSON *first = cJSON_GetArrayItem(fixes_causes(root), 0);
        assert_string_equal(fixes_text(first, "why"), "lock");
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(first, "fixes")));
        assert_non_null(strstr(fixes_text(first, "no_fix"), "under the lock"));
        cJSON_Delete(root);
        ps_gen_free(g);
}

static void use_window(ps_gen *g, uint32_t window, uint32_t rank, const uint64_t at[4])
{
        ps_gen_rec lock = PS_GEN_REC_OF(RMA_LOCK_ACQUIRE, .ref = window, .peer = 2, .request = 1,
                                        .op = OTF2_LOCK_EXCLUSIVE);
        ps_gen_call(g, "MPI_Win_lock", rank, US(at[0]), US(at[1]), 1, &lock);
        ps_gen_visit(g, rank, US(at[1]), US(at[2]), "update");
        lock.kind = PS_GEN_R_RMA_LOCK_RELEASE;
        ps_gen_call(g, "MPI_Win_unlock", rank, US(at[2]), US(at[3]), 1, &lock);
}

/* A library that asks for the lock of a window only when it is given back: rank 0 has passed MPI_Win_lock,
 * and waits in MPI_Win_unlock from 20 to 60 for rank 1, which gives the lock back at 50. So rank 1, whose
 * MPI_Win_lock ends at 30, did not wait there for rank 0, although that unlocks already. Without the 5 that
 * rank 1 computes under the lock all is over 5 earlier. */
PREDICT_TEST(who_asks_for_a_lock_when_it_is_given_back_held_nobody_up_before)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        uint32_t window = ps_gen_window(g, "window", PS_GEN_WORLD);
        use_window(g, window, 0, (const uint64_t[]){10, 11, 20, 60});
        use_window(g, window, 1, (const uint64_t[]){5, 30, 35, 50});
        ps_gen_visit(g, 2, 0, US(1), "work");
        ps_gen_close(g);
        predict_takes(ps_gen_anchor(g), "", 60);
        predict_takes(ps_gen_anchor(g), "region:update@1*0", 55);
        ps_gen_free(g);
}

/* -- without locks -- */

/* In a team of two threads the second one works for 190, the first one for 10, until they meet. */
PREDICT_TEST(work_is_shared_out_among_the_threads_of_a_team)
{
        static const uint64_t until[] = {PS_GEN_US(20), PS_GEN_US(200)};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        const uint32_t members[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)};
        uint32_t team = ps_gen_team(g, "team", members, 2);
        ps_gen_enter(g, members[0], 0, "main");
        ps_gen_put(g, members[0], PS_GEN_US(10), PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = 2));
        for (unsigned t = 0; t < 2; t++) {
                ps_gen_put(g, members[t], PS_GEN_US(10), PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
                ps_gen_enter(g, members[t], PS_GEN_US(10), "!$omp-parallel");
                ps_gen_visit(g, members[t], until[t], PS_GEN_US(200), "!$omp implicit barrier @a.c:9");
                ps_gen_leave(g, members[t], PS_GEN_US(200), "!$omp-parallel");
                ps_gen_put(g, members[t], PS_GEN_US(200), PS_GEN_REC_OF(TEAM_END, .comm = team));
        }
        ps_gen_put(g, members[0], PS_GEN_US(200), PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
        ps_gen_leave(g, members[0], PS_GEN_US(210), "main");
        ps_gen_close(g);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        fixes_expect(root, "balanced", "balance:!$omp-parallel!", 90, 120);
        cJSON_Delete(root);
        predict_takes(ps_gen_anchor(g), "balance:!$omp-parallel!", 120);
        ps_gen_free(g);
}

/* Two threads meet in lines 16 and 5 of a parallel region, four times. On the way to line 5 they compute for
 * 10 by turns, and both for 5 on the way to line 16: as long in all. */
PREDICT_TEST(what_threads_of_a_team_do_by_turns_is_shared_out_each_time)
{
        static const char *const meets[] = {"!$omp barrier @a.c:5", "!$omp barrier @a.c:16"};
        enum { ROUNDS = 4, END = 10 + ROUNDS * 15 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        const uint32_t members[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)};
        uint32_t team = ps_gen_team(g, "team", members, 2);
        (void)ps_gen_region(g, meets[0], "/src/a.c", 5);
        (void)ps_gen_region(g, meets[1], "/src/a.c", 16);
        ps_gen_enter(g, members[0], 0, "main");
        ps_gen_put(g, members[0], US(10), PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = 2));
        for (uint64_t t = 0; t < 2; t++) {
                ps_gen_put(g, members[t], US(10), PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
                ps_gen_enter(g, members[t], US(10), "!$omp parallel @a.c:3");
                ps_gen_visit(g, members[t], US(10), US(10), meets[1]);
                for (uint64_t i = 0; i < ROUNDS; i++) {
                        uint64_t from = 10 + i * 15, until = i % 2 == t ? from + 10 : from + 1;
                        ps_gen_visit(g, members[t], US(until), US(from + 10), meets[0]);
                        ps_gen_visit(g, members[t], US(from + 15), US(from + 15), meets[1]);
                }
                ps_gen_visit(g, members[t], US(END), US(END), "!$omp implicit barrier @a.c:3");
                ps_gen_leave(g, members[t], US(END), "!$omp parallel @a.c:3");
                ps_gen_put(g, members[t], US(END), PS_GEN_REC_OF(TEAM_END, .comm = team));
        }
        ps_gen_put(g, members[0], US(END), PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
        ps_gen_leave(g, members[0], US(END), "main");
        ps_gen_close(g);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        fixes_expect(root, "balanced", "balance:!$omp parallel @a.c:3!", 0, END);
        fixes_expect(root, "balanced", "balance:a.c:16-5", ROUNDS * 4.5, END - ROUNDS * 4.5);
        cJSON_Delete(root);
        predict_takes(ps_gen_anchor(g), "balance:a.c:16-5", END - ROUNDS * 4.5);
        ps_gen_free(g);
}
