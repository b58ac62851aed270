/* test_fixes.c - what mending a cause gains: the same as `predict` says, and what can be worked out by hand.
 * Times are microseconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/base/hash.h"
#include "tests/app/commands/fixes_lab.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include "tests/support/tracegen_calls.h"

/* -- by hand -- */

/* Five times: rank 3 solves for 1000, the others for 600; then all meet, which takes 20. */
static ps_gen *uneven(void)
{
        return fixes_rounds(5, "solve", (const uint64_t[]){600, 600, 600, 1000}, 1020);
}

PREDICT_TEST(uneven_work_is_shared_out_or_evened)
{
        ps_gen *g = uneven();
        const char *a = ps_gen_anchor(g);
        cJSON *root = predict_told(PS_EXIT_OK, a, "analyze --causes=all");
        fixes_expect(root, "balanced", "balance:main>solve!", 5 * 300, 5 * 720);
        fixes_expect(root, "evened", "even:main>solve!", 5 * 400, 5 * 620);
        fixes_expect(root, "evened", "even:main>solve!@3", 5 * 400, 5 * 620);
        fixes_expect(root, "sped-up", "region:main>solve!@3*0.75", 5 * 250, 5 * 770);
        fixes_expect(root, "sped-up", "region:main>solve!@3*0.5", 5 * 400, 5 * 620);
        fixes_expect(root, "sped-up", "region:main>solve!@3*0", 5 * 400, 5 * 620);
        cJSON_Delete(root);
        root = predict_told(PS_EXIT_OK, a, "analyze");
        fixes_expect_first(root, 2, "balance:main>solve!", "region:main>solve!@3*0");
        const cJSON *finding;
        cJSON_ArrayForEach(finding, cJSON_GetObjectItem(root, "findings"))
        {
                if (strcmp(fixes_text(finding, "type"), "nxn-wait") == 0)
                        predict_near(1e6 * fixes_value(finding, "fix_gain_s"), 1500, 1e-3, "fix_gain_s");
        }
        cJSON_Delete(root);
        root = predict_told(PS_EXIT_OK, a, "analyze --causes=0");
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(fixes_causes(root), 0), "fixes")));
        cJSON_Delete(root);
        predict_refused(a, "analyze --causes=0 --rank-by=gain", "--rank-by gain needs --causes");
        predict_refused(a, "analyze --causes=none --rank-by=gain", "--rank-by gain needs --causes");
        ps_gen_free(g);
}

/* Rank 0 works for 300, while rank 1 does nothing; then rank 1 does for 300, and rank 0 for 100: alone or
 * not, both are mended at once, and shared out first, because both do it. */
PREDICT_TEST(who_is_alone_and_who_is_longer_there_are_mended_together)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                if (r == 0)
                        ps_gen_visit(g, r, 0, PS_GEN_US(300), "work");
                ps_gen_collective(g, "MPI_Allreduce", r, PS_GEN_US(r == 0 ? 300 : 1), PS_GEN_US(320),
                                  PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
                ps_gen_visit(g, r, PS_GEN_US(320), PS_GEN_US(r == 0 ? 420 : 620), "work");
                ps_gen_collective(g, "MPI_Allreduce", r, PS_GEN_US(r == 0 ? 420 : 620), PS_GEN_US(640),
                                  PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
                ps_gen_leave(g, r, PS_GEN_US(640), "main");
        }
        ps_gen_close(g);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        const cJSON *causes = fixes_causes(root);
        assert_string_equal(fixes_text(cJSON_GetArrayItem(causes, 0), "why"), "alone");
        assert_string_equal(fixes_text(cJSON_GetArrayItem(causes, 1), "why"), "longer");
        /* Both work for 300 in their first visit: as sharing out gains nothing, it is evened, too. */
        fixes_expect_first(root, 3, "balance:main>work!", "region:main>work!@0-1*0");
        fixes_expect(root, "balanced", "balance:main>work!", 0, 640);
        fixes_expect(root, "evened", "even:main>work!", 0, 640);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* The same on top of another edit: all ranks are twice as fast. */
PREDICT_TEST(fixes_of_a_prediction_are_added_to_it)
{
        ps_gen *g = uneven();
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict rank:0-3*0.5 --causes=all");
        fixes_expect(root, "balanced", "balance:main>solve!", 5 * 150, 5 * 370);
        fixes_expect(root, "evened", "even:main>solve!", 5 * 200, 5 * 320);
        cJSON_Delete(root);
        predict_takes(ps_gen_anchor(g), "rank:0-3*0.5 balance:main>solve!", 5 * 370);
        ps_gen_free(g);
}

/* Rank 0 alone assembles for 2000, then sends; rank 1 waits. The message takes 20. */
PREDICT_TEST(what_one_rank_does_alone_is_made_shorter)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "main");
        ps_gen_visit(g, 0, 0, PS_GEN_US(2000), "assemble");
        ps_gen_send(g, 0, PS_GEN_US(2000), PS_GEN_US(2010), 1, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 0, PS_GEN_US(2010), "main");
        ps_gen_recv(g, 1, PS_GEN_US(100), PS_GEN_US(2020), 0, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 1, PS_GEN_US(2020), "main");
        ps_gen_close(g);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        fixes_expect_first(root, 2, "region:main>assemble!@0*0.5", "region:main>assemble!@0*0");
        fixes_expect(root, "sped-up", "region:main>assemble!@0*0.5", 1000, 1020);
        fixes_expect(root, "sped-up", "region:main>assemble!@0*0", 1920, 100);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* -- only calls are known -- */

enum { CALLERS = 3, MEETING_TAKES = 5 };

/* All of them meet in a line of main, up to five after the last one came. */
static void meet(ps_gen *g, uint64_t now[CALLERS], uint32_t line)
{
        const ps_gen_rec meets[2] = {PS_GEN_REC_OF(COLL_BEGIN, .op = OTF2_COLLECTIVE_OP_BARRIER),
                                     PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_BARRIER,
                                                   .comm = PS_GEN_WORLD, .peer = OTF2_COLLECTIVE_ROOT_NONE)};
        uint64_t last = 0;
        for (uint32_t r = 0; r < CALLERS; r++)
                last = now[r] > last ? now[r] : last;
        for (uint32_t r = 0; r < CALLERS; r++) {
                uint32_t at = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", "/src/a.c", line);
                uint32_t call = ps_gen_context(g, at, "MPI_Barrier", NULL, 0);
                ps_gen_context_call(g, call, r, PS_GEN_US(now[r]), PS_GEN_US(last + MEETING_TAKES), 2, meets);
                now[r] = last + MEETING_TAKES;
        }
}

static ps_gen *begin_calls(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = CALLERS});
        for (uint32_t r = 0; r < CALLERS; r++)
                ps_gen_put(g, r, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        return g;
}

static cJSON *end_calls(ps_gen *g, const uint64_t now[CALLERS])
{
        for (uint32_t r = 0; r < CALLERS; r++)
                ps_gen_put(g, r, PS_GEN_US(now[r]), PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        ps_gen_close(g);
        return predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --causes=all");
}

static const uint64_t calls_take[CALLERS] = {10, 20, 50};

/* main meets in lines 5 and 7, and between them rank 2 computes 50, the others 10 and 20. */
PREDICT_TEST(stretches_between_calls_are_mended)
{
        enum { ROUNDS = 4 };
        uint64_t now[CALLERS] = {0};
        ps_gen *g = begin_calls();
        for (uint32_t i = 0; i < ROUNDS; i++) {
                meet(g, now, 5);
                for (uint32_t r = 0; r < CALLERS; r++)
                        now[r] += calls_take[r];
                meet(g, now, 7);
        }
        cJSON *root = end_calls(g, now);
        fixes_expect(root, "balanced", "balance:a.c:5-7", 240 - (4 * 5 + 4 * (80. / 3 + 5)),
                     4 * 5 + 4 * (80. / 3 + 5));
        fixes_expect(root, "evened", "even:a.c:5-7", 4 * 30, 240 - 4 * 30); /* 10, 20, 15 */
        fixes_expect(root, "sped-up", "region:a.c:5-7@2*0.5", 4 * 25, 240 - 4 * 25);
        const cJSON *cause = cJSON_GetArrayItem(fixes_causes(root), 0);
        assert_string_equal(fixes_text(cause, "function"), "main");
        assert_string_equal(fixes_text(cause, "file"), "/src/a.c");
        assert_true(fixes_value(cause, "line") == 7);
        /* 200 against 40 and 80. A meeting is known from a fourth to three fourths of its call, so that half
         * of the 45 and 35 that ranks 0 and 1 are in it counts. */
        assert_string_equal(
                fixes_text(cause, "comment"),
                "Rank 2 computes 3.3 times as long as the others in main between a.c:5 and a.c:7: "
                "160 us of waiting on ranks 0 and 1.");
        cJSON_Delete(root);
        /* 30 + 150 of rank 2 are behind that, of the others 30 and 60 */
        root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --from=25us");
        assert_non_null(strstr(fixes_text(cJSON_GetArrayItem(fixes_causes(root), 0), "comment"),
                               "Rank 2 computes 4.0 times as long as the others in main between a.c:5"));
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* A loop: its first round begins behind another call, and what follows its last one ends at another. */
PREDICT_TEST(the_first_and_the_last_round_of_a_loop_are_mended_too)
{
        enum { ROUNDS = 4 };
        for (int is_behind = 0; is_behind < 2; is_behind++) {
                uint64_t now[CALLERS] = {0};
                ps_gen *g = begin_calls();
                if (!is_behind)
                        meet(g, now, 3);
                for (uint32_t i = 0; i < ROUNDS; i++) {
                        if (is_behind)
                                meet(g, now, 7);
                        for (uint32_t r = 0; r < CALLERS; r++)
                                now[r] += calls_take[r];
                        if (!is_behind)
                                meet(g, now, 7);
                }
                if (is_behind)
                        meet(g, now, 9);
                cJSON *root = end_calls(g, now);
                fixes_expect(root, "evened", is_behind ? "even:a.c:7-7,9" : "even:a.c:7,3-7", 4 * 30,
                             5 + 4 * 25);
                fixes_expect(root, "sped-up", is_behind ? "region:a.c:7-7,9@2*0.5" : "region:a.c:7,3-7@2*0.5",
                             4 * 25, 5 + 4 * 30);
                cJSON_Delete(root);
                predict_takes(ps_gen_anchor(g), is_behind ? "even:a.c:7-7,a.c:9" : "even:a.c:3,7-/src/a.c:7",
                              5 + 4 * 25);
                predict_refused(ps_gen_anchor(g), "predict even:a.c:3,8-7", "no call is on these lines");
                predict_refused(ps_gen_anchor(g), "predict even:a.c:7,-7", "the functions of the trace");
                ps_gen_free(g);
        }
}

/* A team of one thread works for 10 in a region of main's line 4, and is joined. */
static void work_in_team(ps_gen *g, uint64_t *now, uint32_t rank, uint32_t team)
{
        uint32_t at = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", NULL, 0);
        at = ps_gen_context(g, at, "!$omp parallel", "/src/a.c", 4);
        at = ps_gen_context(g, at, "!$omp implicit barrier", NULL, 0);
        ps_gen_put(g, rank, PS_GEN_US(*now), PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = 1));
        ps_gen_put(g, rank, PS_GEN_US(*now), PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
        ps_gen_context_call(g, at, rank, PS_GEN_US(*now + 10), PS_GEN_US(*now + 10), 0, NULL);
        *now += 10;
        ps_gen_put(g, rank, PS_GEN_US(*now), PS_GEN_REC_OF(TEAM_END, .comm = team));
        ps_gen_put(g, rank, PS_GEN_US(*now), PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
}

/* What follows a parallel region begins at its line, and what is before it ends there, though the records
 * that fork and join the team have none. The first round comes from another call. */
PREDICT_TEST(what_is_computed_around_a_team_is_mended)
{
        static const char *const lines[] = {"a.c:4-7", "a.c:7,5-4"};
        enum { ROUNDS = 4 };
        for (int is_before = 0; is_before < 2; is_before++) {
                uint64_t now[CALLERS] = {0};
                uint32_t team[CALLERS];
                char edit[64];
                ps_gen *g = begin_calls();
                (void)ps_gen_region(g, "!$omp parallel", "/src/a.c", 4);
                for (uint32_t r = 0; r < CALLERS; r++)
                        team[r] = ps_gen_team(g, "team", &r, 1);
                meet(g, now, 5);
                for (uint32_t i = 0; i < ROUNDS; i++) {
                        for (uint32_t r = 0; r < CALLERS; r++) {
                                now[r] += is_before ? calls_take[r] : 0;
                                work_in_team(g, &now[r], r, team[r]);
                                now[r] += is_before ? 0 : calls_take[r];
                        }
                        meet(g, now, 7);
                }
                cJSON *root = end_calls(g, now);
                const double run = 5 + ROUNDS * (10 + 50 + 5), gain = ROUNDS * (50 - 80. / 3);
                snprintf(edit, sizeof(edit), "balance:%s", lines[is_before]);
                fixes_expect(root, "balanced", edit, gain, run - gain);
                snprintf(edit, sizeof(edit), "region:%s@2*0.5", lines[is_before]);
                fixes_expect(root, "sped-up", edit, ROUNDS * 25, run - ROUNDS * 25);
                cJSON_Delete(root);
                predict_takes(ps_gen_anchor(g), edit, run - ROUNDS * 25);
                ps_gen_free(g);
        }
}

/* Between lines 5 and 7 each rank is once too long, but all compute as much there; rank 0 is a little too
 * long behind line 7, too. */
PREDICT_TEST(who_is_too_long_by_turns_is_mended_where_he_is)
{
        uint64_t now[CALLERS] = {0};
        ps_gen *g = begin_calls();
        for (uint32_t i = 0; i < CALLERS; i++) {
                meet(g, now, 5);
                for (uint32_t r = 0; r < CALLERS; r++)
                        now[r] += r == i ? 50 : 20;
                meet(g, now, 7);
                for (uint32_t r = 0; r < CALLERS; r++)
                        now[r] += r == 0 ? 3 : 1;
        }
        meet(g, now, 9);
        cJSON *root = end_calls(g, now);
        fixes_expect(root, "balanced", "balance:a.c:5-7", 3 * 20., 3 * (5 + 30 + 5 + 3) + 5);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* Rank 0 is late in line 7, and rank 2 in line 5: one function, but two things to mend. */
PREDICT_TEST(who_is_late_elsewhere_in_a_function_is_mended_there)
{
        enum { ROUNDS = 4 };
        uint64_t now[CALLERS] = {0};
        ps_gen *g = begin_calls();
        for (uint32_t i = 0; i < ROUNDS; i++) {
                meet(g, now, 5);
                for (uint32_t r = 0; r < CALLERS; r++)
                        now[r] += r == 0 ? 50 : 10;
                meet(g, now, 7);
                for (uint32_t r = 0; r < CALLERS; r++)
                        now[r] += r == 2 ? 40 : 10;
        }
        meet(g, now, 5);
        cJSON *root = end_calls(g, now);
        fixes_expect(root, "balanced", "balance:a.c:5-7", ROUNDS * (50 - 70. / 3),
                     ROUNDS * (5 + 70. / 3 + 5 + 40) + 5);
        const cJSON *first = cJSON_GetArrayItem(fixes_causes(root), 0),
                    *second = cJSON_GetArrayItem(fixes_causes(root), 1);
        assert_true(fixes_value(first, "process") == 0);
        assert_true(fixes_value(second, "process") == 2);
        const cJSON *fix = cJSON_GetArrayItem(cJSON_GetObjectItem(second, "fixes"), 0);
        assert_string_equal(fixes_text(fix, "edit"), "balance:a.c:7-5");
        predict_near(1e6 * fixes_value(fix, "gain_s"), ROUNDS * 20, 1e-3, "balance:a.c:7-5");
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* A message that takes 2 us; rank 0 sends and receives in other lines than the others. */
static void pass_on(ps_gen *g, uint64_t now[CALLERS], uint32_t from, uint32_t to)
{
        const ps_gen_rec sent = PS_GEN_REC_OF(SEND, .peer = to, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 1),
                         received = PS_GEN_REC_OF(RECV, .peer = from, .comm = PS_GEN_WORLD, .tag = 1,
                                                  .bytes = 1);
        uint32_t none = OTF2_UNDEFINED_CALLING_CONTEXT,
                 from_main = ps_gen_context(g, none, "main", "/src/a.c", from ? 5 : 8),
                 to_main = ps_gen_context(g, none, "main", "/src/a.c", to ? 4 : 6);
        ps_gen_context_call(g, ps_gen_context(g, from_main, "MPI_Send", NULL, 0), from, PS_GEN_US(now[from]),
                            PS_GEN_US(now[from] + 1), 1, &sent);
        now[from]++;
        ps_gen_context_call(g, ps_gen_context(g, to_main, "MPI_Recv", NULL, 0), to, PS_GEN_US(now[to]),
                            PS_GEN_US(now[from] + 1), 1, &received);
        now[to] = now[from] + 1;
}

/* Ranks 1 and 2 compute for 20, one after the other: none is longer than the other, and both make wait. */
PREDICT_TEST(who_works_while_others_wait_for_their_turn_is_mended)
{
        enum { ROUNDS = 3 };
        uint64_t now[CALLERS] = {0};
        ps_gen *g = begin_calls();
        meet(g, now, 3);
        for (uint32_t i = 0; i < ROUNDS; i++)
                for (uint32_t r = 0; r < CALLERS; r++) {
                        now[r] += r ? 20 : 0;
                        pass_on(g, now, r, (r + 1) % CALLERS);
                }
        meet(g, now, 9);
        cJSON *root = end_calls(g, now);
        const double run = MEETING_TAKES + ROUNDS * (3 * 2 + 2 * 20) + MEETING_TAKES;
        fixes_expect(root, "sped-up", "region:a.c:4-5@1-2*0.5", ROUNDS * 20, run - ROUNDS * 20);
        fixes_expect(root, "sped-up", "region:a.c:4-5@1-2*0", ROUNDS * 40, run - ROUNDS * 40);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* -- what is not a function -- */

/* Only calls are known. Twice: rank 0 computes for 300 between barriers, the others for 260; meeting
 * takes 20. */
PREDICT_TEST(what_is_in_no_function_is_mended_as_a_whole)
{
        enum { RANKS = 3, ROUNDS = 2 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        for (uint32_t r = 0; r < RANKS; r++) {
                ps_gen_visit(g, r, 0, 1, "MPI_Comm_rank");
                for (uint32_t i = 0; i < ROUNDS; i++)
                        ps_gen_barrier(g, r, PS_GEN_US(320 * i + (r ? 260 : 300)), PS_GEN_US(320 * (i + 1)),
                                       PS_GEN_WORLD);
        }
        ps_gen_close(g);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        fixes_expect_first(root, 2, "rank:0*0.5", "rank:0*0");
        fixes_expect(root, "sped-up", "rank:0*0.5", 2 * 40, 640 - 2 * 40);
        cJSON_Delete(root);
        predict_takes(ps_gen_anchor(g), "rank:0*0.5", 640 - 2 * 40);
        root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict rank:0*0.95"); /* 285 */
        fixes_expect(root, "sped-up", "rank:0*0.5", 2 * 25, 640 - 2 * 40);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* -- any program -- */

typedef struct walk {
        ps_gen *g;
        uint64_t noise;
} walk;

static uint32_t noise(walk *w, uint32_t below)
{
        w->noise += UINT64_C(0x9e3779b97f4a7c15);
        return (uint32_t)((ps_hash_mix(w->noise) >> 32) % below);
}

/* Rounds of work in functions that are nested as it comes, a message around the ring, and a barrier. */
static ps_gen *program(uint64_t seed)
{
        enum { RANKS = 3, ROUNDS = 4 };
        static const char *const names[] = {"a", "b", "c", "a"};
        walk w = {ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS}), seed};
        uint64_t t[RANKS] = {0}, sent[RANKS];
        for (uint32_t r = 0; r < RANKS; r++)
                ps_gen_enter(w.g, r, 0, "main");
        for (uint32_t round = 0; round < ROUNDS; round++) {
                for (uint32_t r = 0; r < RANKS; r++) {
                        const char *outer = names[noise(&w, 4)], *inner = names[noise(&w, 4)];
                        ps_gen_enter(w.g, r, t[r], outer);
                        t[r] += noise(&w, 5000);
                        ps_gen_visit(w.g, r, t[r], t[r] + 3000, inner);
                        t[r] += 3000 + noise(&w, 9000) * (r == round % RANKS);
                        ps_gen_send(w.g, r, t[r], t[r] + 500, (r + 1) % RANKS, PS_GEN_WORLD, 1, 100);
                        sent[r] = t[r];
                        t[r] += 500 + noise(&w, 3000);
                        ps_gen_leave(w.g, r, t[r], outer);
                }
                uint64_t last = 0;
                for (uint32_t r = 0; r < RANKS; r++) {
                        uint64_t arrival = sent[(r + RANKS - 1) % RANKS] + 700;
                        uint64_t end = arrival > t[r] + 100 ? arrival : t[r] + 100;
                        ps_gen_recv(w.g, r, t[r], end, (r + RANKS - 1) % RANKS, PS_GEN_WORLD, 1, 100);
                        t[r] = end + noise(&w, 4000);
                        last = t[r] > last ? t[r] : last;
                }
                for (uint32_t r = 0; r < RANKS; r++) {
                        ps_gen_barrier(w.g, r, t[r], last + 400, PS_GEN_WORLD);
                        t[r] = last + 400;
                }
        }
        for (uint32_t r = 0; r < RANKS; r++)
                ps_gen_leave(w.g, r, t[r], "main");
        ps_gen_close(w.g);
        return w.g;
}

static double focus_of(const cJSON *root)
{
        double length = 0;
        const cJSON *span, *focus = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "trace"), "focus");
        cJSON_ArrayForEach(span, cJSON_GetObjectItem(focus, "spans"))
        {
                length += cJSON_GetArrayItem(span, 1)->valuedouble - cJSON_GetArrayItem(span, 0)->valuedouble;
        }
        return length;
}

/* Every word of every cause, to the last digit, of the part of the run that `focus` says. Returns how many.
 */
static unsigned check_all(const char *anchor, const char *focus)
{
        unsigned n = 0;
        char words[TEXT_MAX];
        snprintf(words, sizeof(words), "analyze --causes=all%s", focus);
        cJSON *root = predict_told(PS_EXIT_OK, anchor, words);
        double before = focus_of(root);
        const cJSON *cause, *fix;
        cJSON_ArrayForEach(cause, fixes_causes(root))
        {
                cJSON_ArrayForEach(fix, cJSON_GetObjectItem(cause, "fixes"))
                {
                        snprintf(words, sizeof(words), "predict %s --causes=none%s", fixes_text(fix, "edit"),
                                 focus);
                        cJSON *predicted = predict_told(PS_EXIT_OK, anchor, words);
                        double run = focus_of(predicted);
                        predict_near(run, fixes_value(fix, "run_s"), 1.01e-9, fixes_text(fix, "edit"));
                        predict_near(before - fixes_value(fix, "gain_s"), run, 2.01e-9,
                                     fixes_text(fix, "edit"));
                        cJSON_Delete(predicted);
                        n++;
                }
        }
        cJSON_Delete(root);
        return n;
}

PREDICT_TEST(predict_says_the_same)
{
        unsigned n = 0;
        static const char *const parts[] = {"", " --focus=whole-run", " --from=20ms --to=61ms",
                                            " --focus=exchange"};
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
                n += check_all("traces/demo", parts[i]);
        for (uint64_t seed = 1; seed <= (SANITIZED ? 2 : 6); seed++) {
                ps_gen *g = program(seed);
                n += check_all(ps_gen_anchor(g), seed % 2 ? "" : " --focus=b");
                ps_gen_free(g);
        }
        assert_true(n > 100);
}
