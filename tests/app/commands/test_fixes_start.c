/* test_fixes_start.c - what it gains to begin with the others. Times are microseconds. */
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/app/commands/fixes_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include "tests/support/tracegen_calls.h"

#define US PS_GEN_US

/* Only calls were recorded. Each rank begins with a call of 1 and works until the barrier, which takes 10
 * from when the last one is there; all work for 29 behind it and end with a call of 1. */
static ps_gen *barrier_of(uint32_t ranks, const uint64_t *begin, const uint64_t *work, uint64_t last)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = ranks});
        for (uint32_t r = 0; r < ranks; r++) {
                uint64_t there = begin[r] + 1 + work[r];
                ps_gen_visit(g, r, US(begin[r]), US(begin[r] + 1), "MPI_Comm_rank");
                ps_gen_collective(g, "MPI_Barrier", r, US(there), US(last + 10), PS_GEN_WORLD,
                                  OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
                ps_gen_visit(g, r, US(last + 39), US(last + 40), "MPI_Comm_rank");
        }
        ps_gen_close(g);
        return g;
}

/* Rank 0 begins 100 later than the others, and is at the barrier at 110; with the others it is there at 10.
 * Rank 2 is there at 20, and so the last one: 20 + 10 + 30. */
PREDICT_TEST(a_rank_that_begins_late_could_have_begun_with_the_others)
{
        static const uint64_t begin[] = {100, 0, 0}, work[] = {9, 9, 19};
        ps_gen *g = barrier_of(3, begin, work, 110);
        const char *a = ps_gen_anchor(g);
        predict_takes(a, "start:0", 60);
        predict_takes(a, "start", 60);
        predict_takes(a, "start:1-2", 150);
        predict_takes(a, "start:0 rank:0*3", 30 + 10 + 90); /* what is no communication is computed */
        predict_refused(a, "predict start:3", "the trace has no such rank");
        predict_refused(a, "predict start:", "a rank is missing");
        predict_refused(a, "predict start:0*2", "nothing may follow here");
        cJSON *root = predict_told(PS_EXIT_OK, a, "analyze");
        const cJSON *first = cJSON_GetArrayItem(fixes_causes(root), 0);
        assert_string_equal(fixes_text(first, "why"), "start");
        assert_true(fixes_value(first, "process") == 0);
        fixes_expect(root, "evened", "start:0", 90, 60);
        fixes_expect_first(root, 1, "start:0", NULL);
        cJSON_Delete(root);
        root = predict_told(PS_EXIT_OK, a, "predict start:0");
        const cJSON *cause;
        cJSON_ArrayForEach(cause, fixes_causes(root))
                assert_string_not_equal(fixes_text(cause, "why"), "start");
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* The others of rank 3 begin at 0, 0 and 40, those of rank 2 at 0, 0 and 100: both could begin at 0. Without
 * rank 3 the last one at the barrier is rank 2, at 50. */
PREDICT_TEST(the_others_are_those_in_the_middle)
{
        static const uint64_t begin[] = {0, 0, 40, 100}, work[] = {9, 9, 9, 9};
        ps_gen *g = barrier_of(4, begin, work, 110);
        predict_takes(ps_gen_anchor(g), "start:3", 50 + 40);
        predict_takes(ps_gen_anchor(g), "start:2", 150);
        predict_takes(ps_gen_anchor(g), "start:2-3", 10 + 40);
        ps_gen_free(g);
}

/* Rank 1 has functions of its own and begins at 100: it is no less late for that. */
PREDICT_TEST(what_is_done_in_functions_is_not_before_the_begin)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 1, US(100), "main");
        ps_gen_visit(g, 1, US(100), US(130), "load");
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_collective(g, "MPI_Barrier", r, US(r ? 130 : 10), US(140), PS_GEN_WORLD,
                                  OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
                ps_gen_leave(g, r, US(150), "main");
        }
        ps_gen_close(g);
        predict_takes(ps_gen_anchor(g), "start:1", 30 + 10 + 10);
        predict_takes(ps_gen_anchor(g), "start:1 region:load*0.5", 15 + 10 + 10);
        predict_takes(ps_gen_anchor(g), "region:load*0", 100 + 10 + 10);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --causes=all");
        assert_true(fixes_count(root, "evened") >= 1);
        fixes_expect(root, "evened", "start:1", 100, 50);
        cJSON_Delete(root);
        ps_gen_free(g);
}
