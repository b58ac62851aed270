/* test_fixes_worked.c - fixes of programs of which all is worked out by hand, as their recordings were. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/app/commands/fixes_lab.h"
#include "tests/support/corpus.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include "tests/support/tracegen_calls.h"

/* Fifteen times rank r works for 4 + 6r ms, and all meet, which takes 12 ms. */
static ps_gen *staircase(void)
{
        return fixes_rounds(15, "work", (const uint64_t[]){4000, 10000, 16000, 22000}, 34000);
}

/* On average it is 13 ms. Rank 3 alone evened takes as long as the middle one of the others, 10, and the 16
 * of rank 2 remain; evened all, ranks 2 and 3 take 10. Who comes last is charged with all waiting, 18 + 12 +
 * 6 each time. */
PREDICT_TEST(one_late_rank_hides_the_next)
{
        ps_gen *g = staircase();
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --causes=all");
        const cJSON *first = cJSON_GetArrayItem(fixes_causes(root), 0);
        assert_true(fixes_value(first, "process") == 3);
        predict_near(1e3 * fixes_value(first, "waiting_s"), 15 * 36 * 0.75, 1e-6, "waiting_s");
        fixes_expect(root, "balanced", "balance:main>work!", 15 * 9000, 15 * 25000);
        fixes_expect(root, "evened", "even:main>work!@3", 15 * 6000, 15 * 28000);
        fixes_expect(root, "evened", "even:main>work!", 15 * 12000, 15 * 22000);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* Twelve items go through four ranks; the second one works for 20 ms on each, the others for 5. A message
 * takes 10 us from the begin of its call, which takes 5. */
static ps_gen *pipeline(void)
{
        enum { RANKS = 4, ITEMS = 12 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        uint64_t t[RANKS] = {0};
        for (uint32_t r = 0; r < RANKS; r++)
                ps_gen_enter(g, r, 0, "main");
        for (uint32_t i = 0; i < ITEMS; i++)
                for (uint32_t r = 0; r < RANKS; r++) {
                        uint64_t sent = r ? t[r - 1] - PS_GEN_US(5) : 0, arrival = sent + PS_GEN_US(10);
                        if (r) {
                                uint64_t end = arrival > t[r] + PS_GEN_US(1) ? arrival : t[r] + PS_GEN_US(1);
                                ps_gen_recv(g, r, t[r], end, r - 1, PS_GEN_WORLD, 1, 8);
                                t[r] = end;
                        }
                        ps_gen_visit(g, r, t[r], t[r] + PS_GEN_US(r == 1 ? 20000 : 5000), "stage");
                        t[r] += PS_GEN_US(r == 1 ? 20000 : 5000);
                        if (r + 1 < RANKS)
                                ps_gen_send(g, r, t[r], t[r] + PS_GEN_US(5), r + 1, PS_GEN_WORLD, 1, 8);
                        t[r] += r + 1 < RANKS ? PS_GEN_US(5) : 0;
                }
        for (uint32_t r = 0; r < RANKS; r++)
                ps_gen_leave(g, r, t[r], "main");
        ps_gen_close(g);
        return g;
}

/* Without the 15 ms that it takes longer each of the 12 items is through so much earlier; the calls are in
 * the 0.2 ms. */
PREDICT_TEST(a_slow_stage_is_evened)
{
        ps_gen *g = pipeline();
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --causes=all");
        const cJSON *fix, *first = cJSON_GetArrayItem(fixes_causes(root), 0);
        unsigned n = 0;
        assert_true(fixes_value(first, "process") == 1);
        cJSON_ArrayForEach(fix, cJSON_GetObjectItem(first, "fixes"))
        {
                if (strcmp(fixes_text(fix, "kind"), "evened") != 0)
                        continue;
                predict_near(1e3 * fixes_value(fix, "gain_s"), 180, 0.2, fixes_text(fix, "edit"));
                n++;
        }
        assert_int_equal(n, 2);
        cJSON_Delete(root);
        double before = predict_duration_us(ps_gen_anchor(g), "analyze --causes=none");
        double after = predict_duration_us(ps_gen_anchor(g), "predict --causes=none rank:1*0.25");
        predict_near(before - after, 180000, 200, "rank:1*0.25");
        ps_gen_free(g);
}

/* The cases of which all is worked out; 8 bytes in and out take 0.016 each time, where they are: see
 * tests/support/corpus.h. */
PREDICT_TEST(worked_cases_are_mended_as_was_worked_out)
{
        corpus_path anchor;
        if (!corpus_open()) {
                corpus_close();
                skip();
        }
        corpus_join(anchor, "%s/../cases/%s/traces.otf2", corpus.folder, "gd");
        cJSON *root = predict_told(PS_EXIT_OK, anchor, "analyze --causes=all");
        fixes_expect(root, "balanced", "balance:main>solve!", 1500, 3600.08);
        fixes_expect(root, "evened", "even:main>solve!", 2000, 3100.08);
        cJSON_Delete(root);
        corpus_join(anchor, "%s/../cases/%s/traces.otf2", corpus.folder, "rc");
        root = predict_told(PS_EXIT_OK, anchor, "analyze --causes=all");
        fixes_expect(root, "sped-up", "region:main>iter>assemble!@0*0", 2000, 933);
        cJSON_Delete(root);
        corpus_close();
}
