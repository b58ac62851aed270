/* test_predict_regions.c - edits of regions, by what is computed in each of their visits. Times are
 * microseconds. */
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "simulator/whatif/whatif.h"
#include "tests/app/commands/predict_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include "tests/support/tracegen_calls.h"

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
PREDICT_TEST(a_region_is_edited_where_it_is)
{
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
PREDICT_TEST(visits_are_balanced_one_by_one)
{
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

/* Visits of A are 10 and 30 on rank 0, 20 and 0 on rank 1. A receive that waits for nobody takes 1 at least.
 */
PREDICT_TEST(late_ones_are_evened)
{
        ps_gen *g = two_visits();
        const char *a = ps_gen_anchor(g);
        predict_takes(a, "even:A", 10 + 1 + 3 + 4 + 7); /* 10 and 0: the second send begins at 16 */
        predict_takes(a, "even:A@0", 20 + 1 + 3 + 1 + 7);
        predict_takes(a, "even:A@1", 55);
        predict_takes(a, "even:A@0-1", 25);
        predict_takes(a, "even:B", 55);                     /* there are no others */
        predict_takes(a, "even:A!", 2 + 8 + 5 + 1 + 2 + 7); /* 8 and 0, and B */
        ps_gen_free(g);
}

PREDICT_TEST(paths_ranks_and_own_time_are_told_apart)
{
        ps_gen *g = two_visits();
        const char *a = ps_gen_anchor(g);
        predict_takes(a, "region:A@0*0.5", 19 + 1 + 5 + 1 + 2 + 7);
        predict_takes(a, "region:A@1*0", 55);
        predict_takes(a, "region:A!*0", 2 + 1 + 5 + 2 + 7);
        predict_takes(a, "region:main!*0", 40 + 1 + 2);
        predict_takes(a, "balance:A!", 14 + 2 + 1 + 5 + 15 + 2 + 7);
        predict_takes(a, "region:main>A*0.5", 20 + 6 + 9);
        predict_takes(a, "region:>main>A*0.5", 20 + 6 + 9);
        predict_takes(a, "region:A>B*0.5", 39 + 6 + 9);
        predict_takes(a, "region:main>A!@0*0.5", 2 + 2 + 1 + 2 + 5 + 15 + 2 + 7);
        predict_refused(a, "predict --machine=recorded region:>A*0.5", "the trace has no such call path");
        predict_refused(a, "predict --machine=recorded region:B>A*0.5", "the trace has no such call path");
        predict_refused(a, "predict --machine=recorded even:main>a!", "did you mean");
        predict_refused(a, "predict --machine=recorded even:main>Q@1", "Functions: main, A, B");
        predict_refused(a, "predict --machine=recorded even:A@2", "the trace has no such rank");
        ps_gen_free(g);
}

/* Rank 0: f 0..40, in which it calls itself for 20; sends. Rank 1: f 0..10; receives when it is there. */
PREDICT_TEST(what_is_in_itself_is_once)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "op@1!>");
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "f");
        ps_gen_visit(g, 0, PS_GEN_US(10), PS_GEN_US(30), "f");
        ps_gen_leave(g, 0, PS_GEN_US(40), "f");
        ps_gen_send(g, 0, PS_GEN_US(40), PS_GEN_US(41), 1, PS_GEN_WORLD, 7, 1000);
        ps_gen_leave(g, 1, PS_GEN_US(10), "f");
        ps_gen_recv(g, 1, PS_GEN_US(10), PS_GEN_US(42), 0, PS_GEN_WORLD, 7, 1000);
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_leave(g, r, PS_GEN_US(42), "op@1!>");
        ps_gen_close(g);
        const char *a = ps_gen_anchor(g);
        predict_takes(a, "region:f*0.5", 22);
        predict_takes(a, "region:f!*0.5", 22);
        predict_takes(a, "region:f>f*0.5", 32);
        predict_takes(a, "region:op@1!>>f!*0.5", 32);
        predict_takes(a, "region:op@1!>*0.5", 22);
        predict_takes(a, "region:op@1!>@0*0.5", 22);
        predict_takes(a, "even:f", 12);
        predict_takes(a, "balance:f", 27);
        predict_takes(a, "even:f>f", 42);
        ps_gen_free(g);
}

/* Lines of main: 5 and 7 twice. */
static void main_calls(ps_gen *g, uint32_t rank, const uint64_t at[4][2])
{
        uint32_t none = OTF2_UNDEFINED_CALLING_CONTEXT;
        ps_gen_put(g, rank, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        for (uint32_t i = 0; i < 4; i++) {
                uint32_t main_at = ps_gen_context(g, none, "main", "/src/a.c", i % 2 ? 7 : 5);
                uint32_t call = ps_gen_context(g, main_at, rank ? "MPI_Recv" : "MPI_Send", NULL, 0);
                ps_gen_rec sent = PS_GEN_REC_OF(SEND, .peer = 1, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8),
                           received =
                                   PS_GEN_REC_OF(RECV, .peer = 0, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8);
                ps_gen_context_call(g, call, rank, PS_GEN_US(at[i][0]), PS_GEN_US(at[i][1]), 1,
                                    rank ? &received : &sent);
        }
}

/* Only calls are known. Between lines 5 and 7 rank 0 computes 20 and 40, rank 1 computes 2 and 4; between 7
 * and 5 it is 4 and 1. A message takes 2. */
PREDICT_TEST(stretches_between_calls_are_edited)
{
        static const uint64_t sends[4][2] = {{10, 11}, {31, 32}, {36, 37}, {77, 78}},
                              receives[4][2] = {{0, 12}, {14, 33}, {34, 38}, {42, 79}};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        main_calls(g, 0, sends);
        main_calls(g, 1, receives);
        ps_gen_put(g, 0, PS_GEN_US(78), PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        ps_gen_put(g, 1, PS_GEN_US(80), PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        ps_gen_close(g);
        const char *a = ps_gen_anchor(g);
        predict_takes(a, "region:a.c:5-7*1", 80);
        predict_takes(a, "even:a.c:5-7", 23 + 2 + 1);
        predict_takes(a, "even:a.c:5-7@0", 26);
        predict_takes(a, "even:a.c:5-7@1", 80);
        predict_takes(a, "balance:a.c:5-7", 50 + 2 + 1);
        predict_takes(a, "balance:src/a.c:5-a.c:7", 50 + 2 + 1);
        predict_takes(a, "region:a.c:5-7@0*0.5", 47 + 2 + 1);
        predict_takes(a, "region:a.c:7-5*0", 73 + 2 + 1);
        predict_takes(a, "region:main!*0", 3 + 2);
        predict_refused(a, "predict --machine=recorded region:a.c:5-9*0", "no call is on these lines");
        predict_refused(a, "predict --machine=recorded region:b.c:5-7*0", "no call is on these lines");
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
        assert_int_equal(ps_what_if_make(&what_if, &edits, trace, NULL, NULL, &err), PS_OK);
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

PREDICT_TEST(without_pieces_regions_are_estimated)
{
        ps_gen *g = two_visits();
        ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_trace *trace;
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL), PS_OK);
        assert_null(trace->pieces);
        estimated(trace, "region:main*0.5", 22.5 + 1 + 2 + 3.5, 20, 22.5);
        estimated(trace, "region:A*1", 55, 40, 45);
        estimated(trace, "balance", 37.5 + 1 + 2 + 7 * 1.25, 40 * 37.5 / 45, 37.5);
        estimated(trace, "balance:main", 37.5 + 1 + 2 + 7 * 1.25, 40 * 37.5 / 45, 37.5);
        estimated(trace, "even:main", 30 + 1 + 2 + 7, 40 * 30. / 45, 30);
        estimated(trace, "region:main@0*0.5", 22.5 + 1 + 2 + 7, 20, 22.5);
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

PREDICT_TEST(slopes_of_regions_are_exact)
{
        ps_gen *g = two_visits();
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "predict --machine=recorded --sensitivity");
        NEAR(slope_of(root, "A"), 40e-6, 1e-9);
        NEAR(slope_of(root, "B"), 2e-6, 1e-9);
        NEAR(slope_of(root, "main"), 52e-6, 1e-9);
        cJSON_Delete(root);
        ps_gen_free(g);
}
