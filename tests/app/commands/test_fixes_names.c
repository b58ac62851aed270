/* test_fixes_names.c - what no word of `predict` can name is no place of a fix, and no error. */
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/app/commands/fixes_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include "tests/support/tracegen_calls.h"

enum { RANKS = 2, MEETINGS = 4 };

/* They meet so often, each time in the context of that number. */
static void meet(ps_gen *g, const uint64_t begins[RANKS][MEETINGS], const uint64_t ends[MEETINGS],
                 const uint32_t in[MEETINGS])
{
        const ps_gen_rec meets[2] = {PS_GEN_REC_OF(COLL_BEGIN, .op = OTF2_COLLECTIVE_OP_BARRIER),
                                     PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_BARRIER,
                                                   .comm = PS_GEN_WORLD, .peer = OTF2_COLLECTIVE_ROOT_NONE)};
        for (uint32_t r = 0; r < RANKS; r++) {
                ps_gen_put(g, r, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
                for (uint32_t i = 0; i < MEETINGS; i++)
                        ps_gen_context_call(g, ps_gen_context(g, in[i], "MPI_Barrier", NULL, 0), r,
                                            PS_GEN_US(begins[r][i]), PS_GEN_US(ends[i]), 2, meets);
                ps_gen_put(g, r, PS_GEN_US(ends[MEETINGS - 1]), PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        }
        ps_gen_close(g);
}

/* Twice: rank 1 computes longer between two meetings in these two lines of main. */
static ps_gen *meetings(const char *file, uint32_t line)
{
        static const uint64_t begins[RANKS][MEETINGS] = {{0, 40, 120, 160}, {0, 110, 120, 230}},
                              ends[MEETINGS] = {10, 120, 130, 240};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        uint32_t in[MEETINGS];
        for (uint32_t i = 0; i < MEETINGS; i++)
                in[i] = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", file, line + i % 2);
        meet(g, begins, ends, in);
        return g;
}

/* Both meet twice outside of all functions that are known, and twice in main. Rank 0 computes for 20 between
 * the first two, the other one for 5; between the last two 300 and 100. */
static ps_gen *meetings_outside(void)
{
        static const uint64_t begins[RANKS][MEETINGS] = {{0, 30, 40, 350}, {0, 15, 40, 150}},
                              ends[MEETINGS] = {10, 40, 50, 360};
        const uint32_t none = OTF2_UNDEFINED_CALLING_CONTEXT;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        const uint32_t in[MEETINGS] = {none, none, ps_gen_context(g, none, "main", "/src/a.c", 5),
                                       ps_gen_context(g, none, "main", "/src/a.c", 6)};
        meet(g, begins, ends, in);
        return g;
}

static void expect_fix(const char *file, uint32_t line, const char *word)
{
        ps_gen *g = meetings(file, line);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --causes=all");
        const cJSON *cause = cJSON_GetArrayItem(fixes_causes(root), 0),
                    *fix = cJSON_GetArrayItem(cJSON_GetObjectItem(cause, "fixes"), 0);
        assert_string_equal(fixes_text(fix, "edit"), word);
        cJSON_Delete(root);
        ps_gen_free(g);
}

PREDICT_TEST(functions_without_a_name_are_no_places_of_fixes)
{
        ps_gen *g = fixes_rounds(5, "", (const uint64_t[]){600, 600, 600, 1000}, 1020);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --causes=all");
        assert_string_equal(fixes_text(cJSON_GetArrayItem(fixes_causes(root), 0), "why"), "longer");
        assert_int_equal(fixes_count(root, "balanced") + fixes_count(root, "sped-up"), 0);
        cJSON_Delete(root);
        ps_gen_free(g);
}

PREDICT_TEST(lines_that_no_word_can_name_are_no_places_of_fixes)
{
        expect_fix("/src/a.c", 5, "balance:a.c:5-6");
        expect_fix("/src/a,b.c", 5, "balance:main!");
        expect_fix("/src/a.c", 1000000000, "balance:main!");
}

/* What rank 0 computes in all is not what it computes outside of main. */
PREDICT_TEST(what_is_outside_of_the_functions_that_are_known_is_not_all)
{
        ps_gen *g = meetings_outside();
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze --causes=all");
        const cJSON *cause;
        unsigned n_outside = 0;
        cJSON_ArrayForEach(cause, fixes_causes(root))
        {
                if (*fixes_text(cause, "function"))
                        continue;
                n_outside++;
                assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(cause, "fixes")), 0);
        }
        assert_int_equal(n_outside, 1);
        fixes_expect(root, "sped-up", "region:a.c:5-6@0*0.5", 150, 360 - 150);
        cJSON_Delete(root);
        ps_gen_free(g);
}
