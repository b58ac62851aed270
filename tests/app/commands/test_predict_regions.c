/* test_predict_regions.c - edits of regions, by what is computed in each of their visits. Times are
 * microseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "simulator/whatif/whatif.h"
#include "tests/app/commands/predict_lab.h"
#include "tests/support/tracegen.h"

/* Rank 0: A 0..11 computes 4, in B 2, sends for 1 and computes 4; 5 outside; A 16..46; sends 46..47. Rank 1:
 * A 0..20; receives 20..21; 3 outside; A 24..24; receives 24..48; 7 outside. A message takes 2. */
static ps_gen *two_visits(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_enter(g, r, 0, "A");
        }
        ps_gen_visit(g, 0, PS_GEN_US(4), PS_GEN_US(6), "B");
        ps_gen_send(g, 0, PS_GEN_US(6), PS_GEN_US(7), 1, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 0, PS_GEN_US(11), "A");
        ps_gen_visit(g, 0, PS_GEN_US(16), PS_GEN_US(46), "A");
        ps_gen_send(g, 0, PS_GEN_US(46), PS_GEN_US(47), 1, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 0, PS_GEN_US(47), "main");
        ps_gen_leave(g, 1, PS_GEN_US(20), "A");
        ps_gen_recv(g, 1, PS_GEN_US(20), PS_GEN_US(21), 0, PS_GEN_WORLD, 7, 1000);
        ps_gen_visit(g, 1, PS_GEN_US(24), PS_GEN_US(24), "A");
        ps_gen_recv(g, 1, PS_GEN_US(24), PS_GEN_US(48), 0, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 1, PS_GEN_US(55), "main");
        ps_gen_close(g);
        return g;
}

/* The second send is begun after what A and B take on rank 0, the first send's 1 and 5 more; 2 + 7 follow. */
static void a_region_is_edited_where_it_is(void **state)
{
        (void)state;
        ps_gen *g = two_visits();
        const char *a = ps_gen_anchor(g);
        predict_takes(a, "region:A*1", 55);
        predict_takes(a, "region:A*0.5", 20 + 6 + 9);
        predict_takes(a, "region:A*0", 6 + 9); /* rank 1 is there at 2 + 3 */
        predict_takes(a, "region:B*0.5", 39 + 6 + 9);
        predict_takes(a, "region:A*0.5 region:B*0.5", 19.5 + 6 + 9);
        predict_takes(a, "region:main*0.5", 22.5 + 1 + 2 + 3.5);
        predict_takes(a, "rank:0-1*0.5", 22.5 + 1 + 2 + 3.5);
        ps_gen_free(g);
}

/* First visits take 10 and 20, second ones 30 and 0: 15 each. */
static void visits_are_balanced_one_by_one(void **state)
{
        (void)state;
        ps_gen *g = two_visits();
        const char *a = ps_gen_anchor(g);
        predict_takes(a, "balance:A", 15 + 1 + 5 + 15 + 2 + 7);
        predict_takes(a, "balance:B", 55);
        predict_takes(a, "balance:A region:A*2", 30 + 1 + 5 + 30 + 2 + 7);
        predict_takes(a, "balance:A rank:1*0", 15 + 1 + 5 + 15 + 2);
        predict_takes(a, "balance:A rank:0*0", 15 + 1 + 3 + 15 + 1 + 7); /* nobody waits */
        /* What is in B is not in A: 8 and 20, 30 and 0. */
        predict_takes(a, "balance:A balance:B", 14 + 2 + 1 + 5 + 15 + 2 + 7);
        /* No intervals: 45 and 30 become 37.5. */
        predict_takes(a, "balance", 37.5 + 1 + 2 + 7 * 1.25);
        /* Outside of A 5 and 10 become 7.5. */
        predict_takes(a, "balance --interval=A", 30 + 7.5 + 1 + 2 + 7 * .75);
        predict_takes(a, "balance --interval=main", 37.5 + 1 + 2 + 7 * 1.25);
        predict_takes(a, "balance --interval=A,B", 30 + 7.5 + 1 + 2 + 7 * .75); /* B is inside of A */
        /* ... but not if it was named: then A is 8 and 20, 30 and 0. */
        predict_takes(a, "balance --interval=A balance:B", 14 + 2 + 15 + 7.5 + 1 + 2 + 7 * .75);
        ps_gen_free(g);
}

/* The same by sums, as of a trace that has too many pieces: main takes 45, of them A 40, and 30. */
static void estimated(const ps_trace *trace, const char *text, double total, double a, double all)
{
        const char *const texts[] = {text};
        ps_edits edits;
        ps_what_if what_if;
        ps_replays replays;
        ps_error err = {0};
        assert_int_equal(ps_edits_parse(&edits, texts, 1, &err), PS_OK);
        assert_int_equal(ps_what_if_make(&what_if, &edits, trace, NULL, &err), PS_OK);
        assert_int_equal(ps_replays_make(&replays, trace, &what_if, 1, &err), PS_OK);
        const ps_replayed *run = &replays.run[PS_REPLAYED_EDITED];
        NEAR((double)run->total / 1e6, total, 1e-3);
        const ps_location_info *info = &run->timing->info[0];
        double in_a = 0, in_all = 0;
        for (uint32_t i = 0; i < info->n_uses; i++) {
                const ps_region_def *def = &trace->defs.regions.row[trace->paths[info->uses[i].path].region];
                int is_call = def->kind != PS_K_NONE,
                    is_main = !strcmp(ps_defs_str(&trace->defs, def->name), "main");
                in_all += is_call ? 0 : (double)info->uses[i].exclusive / 1e6;
                in_a += is_call || is_main ? 0 : (double)info->uses[i].exclusive / 1e6;
        }
        NEAR(in_a, a, 1e-3);
        NEAR(in_all, all, 1e-3);
        ps_replays_clear(&replays);
        ps_what_if_clear(&what_if);
        ps_edits_clear(&edits);
}

static void without_pieces_regions_are_estimated(void **state)
{
        (void)state;
        ps_gen *g = two_visits();
        ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_trace *trace;
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL), PS_OK);
        assert_null(trace->pieces);
        estimated(trace, "region:main*0.5", 22.5 + 1 + 2 + 3.5, 20, 22.5);
        estimated(trace, "region:A*1", 55, 40, 45);
        estimated(trace, "balance", 37.5 + 1 + 2 + 7 * 1.25, 40 * 37.5 / 45, 37.5);
        estimated(trace, "balance:main", 37.5 + 1 + 2 + 7 * 1.25, 40 * 37.5 / 45, 37.5);
        ps_trace_close(trace);
        ps_gen_free(g);
}

static double slope_of(const cJSON *root, const char *name)
{
        const cJSON *row, *found = NULL;
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(cJSON_GetObjectItem(root, "sensitivity"), "regions"))
        {
                if (strcmp(cJSON_GetObjectItem(row, "region")->valuestring, name) == 0)
                        found = cJSON_GetObjectItem(row, "slope_s");
        }
        if (!found)
                fail_msg("no slope of %s", name);
        return found->valuedouble;
}

static void slopes_of_regions_are_exact(void **state)
{
        (void)state;
        ps_gen *g = two_visits();
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded --sensitivity");
        NEAR(slope_of(root, "A"), 40e-6, 1e-9);
        NEAR(slope_of(root, "B"), 2e-6, 1e-9);
        NEAR(slope_of(root, "main"), 52e-6, 1e-9);
        cJSON_Delete(root);
        ps_gen_free(g);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_region_is_edited_where_it_is, predict_lab_open,
                                                predict_lab_close),
                cmocka_unit_test_setup_teardown(visits_are_balanced_one_by_one, predict_lab_open,
                                                predict_lab_close),
                cmocka_unit_test_setup_teardown(without_pieces_regions_are_estimated, predict_lab_open,
                                                predict_lab_close),
                cmocka_unit_test_setup_teardown(slopes_of_regions_are_exact, predict_lab_open,
                                                predict_lab_close),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
