/* test_focus.c - the focus of a run, worked out by hand: where it lies, and what was done in it. */
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US(n) ((ps_time)(n) * (1000 * PS_PS_PER_NS))

static const ps_focus_wish program = {.how = PS_FOCUS_PROGRAM};

static ps_status load_with(ps_trace **out, ps_gen *g, const ps_focus_wish *wish, ps_error *err)
{
        ps_gen_close(g);
        const ps_load_options options = {.n_threads = 2, .clock = PS_CLOCK_AS_IS, .focus = wish};
        return ps_trace_load(out, ps_gen_anchor(g), &options, err);
}

static ps_trace *load(ps_gen *g, const ps_focus_wish *wish)
{
        ps_trace *trace;
        ps_error err = {0};
        if (load_with(&trace, g, wish, &err) < 0)
                fail_msg("%s", err.cause[0].text);
        return trace;
}

static void release(ps_trace *trace, ps_gen *g)
{
        ps_trace_close(trace);
        ps_gen_free(g);
}

static void enter(ps_gen *g, uint32_t at, uint64_t us, const char *name)
{
        ps_gen_enter(g, at, PS_GEN_US(us), name);
}

static void leave(ps_gen *g, uint32_t at, uint64_t us, const char *name)
{
        ps_gen_leave(g, at, PS_GEN_US(us), name);
}

static void visit(ps_gen *g, uint32_t at, uint64_t from, uint64_t to, const char *name)
{
        ps_gen_visit(g, at, PS_GEN_US(from), PS_GEN_US(to), name);
}

/* What the location did in a region of this name, inside: visits, inclusive and exclusive us; "-": nothing.
 */
static void expect_use(const ps_trace *t, ps_loc loc, const char *name, const char *expected)
{
        ps_focus_part part = ps_focus_part_of(t, &t->measured, loc);
        char found[96] = "-";
        for (uint32_t i = 0; i < part.n_uses; i++) {
                const ps_path_use *use = &part.uses[i];
                ps_region region = t->paths[use->path].region;
                if (region != PS_NONE &&
                    !strcmp(ps_defs_str(&t->defs, t->defs.regions.row[region].name), name))
                        snprintf(found, sizeof(found), "%llux %lld %lld", (unsigned long long)use->visits,
                                 (long long)(use->inclusive / (1000 * PS_PS_PER_NS)),
                                 (long long)(use->exclusive / (1000 * PS_PS_PER_NS)));
        }
        assert_string_equal(found, expected);
}

static void expect_spans(const ps_trace *t, const ps_time *us, uint32_t n)
{
        const ps_focus *f = t->measured.focus;
        ps_time length = 0;
        assert_non_null(f);
        assert_int_equal(f->n_spans, n);
        for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(f->span[i].begin, US(us[2 * i]));
                assert_int_equal(f->span[i].end, US(us[2 * i + 1]));
                length += US(us[2 * i + 1] - us[2 * i]);
        }
        assert_int_equal(ps_focus_length(&t->measured), length);
}

#define EXPECT_SPANS(t, n, ...) expect_spans(t, (const ps_time[]){__VA_ARGS__}, n)

/* Rank 0: Init 10-100, work 120-300, Finalize 400-480. Rank 1: Init 20-110, work 105.. is impossible, so
 * 115-350, Finalize 420-480. All in main, 0-500. */
static ps_gen *two_ranks(int finalizes)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                enter(g, r, 0, "main");
                visit(g, r, r ? 20 : 10, r ? 110 : 100, "MPI_Init");
                visit(g, r, r ? 115 : 102, r ? 350 : 300, "work");
                if (finalizes > (int)r)
                        visit(g, r, r ? 420 : 400, 480, "MPI_Finalize");
                leave(g, r, 500, "main");
        }
        return g;
}

/* From 110, where rank 1 leaves its Init, to 420, where it enters its Finalize. */
TEST(between_init_and_finalize)
{
        ps_gen *g = two_ranks(2);
        ps_trace *t = load(g, &program);
        EXPECT_SPANS(t, 1, 110, 420);
        expect_use(t, 0, "main", "1x 310 100");       /* 300 to 400: nothing else */
        expect_use(t, 0, "work", "1x 190 190");       /* of 102 to 300 */
        expect_use(t, 0, "MPI_Finalize", "1x 20 20"); /* waits there for the other one */
        expect_use(t, 0, "MPI_Init", "-");
        expect_use(t, 1, "main", "1x 310 75"); /* 110 to 115 and 350 to 420 */
        expect_use(t, 1, "work", "1x 235 235");
        expect_use(t, 1, "MPI_Finalize", "-");
        expect_use(t, 1, "MPI_Init", "-");
        ps_focus_outside out[PS_FOCUS_OUTSIDE_MOST];
        assert_int_equal(ps_focus_find_outside(out, t, &t->measured), 2);
        assert_int_equal(out[0].time, US(100)); /* 10 to 110 */
        assert_int_equal(out[1].time, US(60));  /* 400 to 480, without 400 to 420 */
        release(t, g);
}

/* Whatever the library is called: the last leave of its start, the last enter of its end. */
TEST(starts_of_other_libraries_bound_it_too)
{
        static const char *const calls[][2] = {{"shmem_init", "shmem_finalize"},
                                               {"shmem_init_thread", "shmem_finalize"},
                                               {"_gfortran_caf_init", "_gfortran_caf_finalize"},
                                               {"start_pes", "shmem_finalize"},
                                               {"bupc_init", "GASP_UPC_COLLECTIVE_EXIT"},
                                               {"gasnet_attach", "gasnet_exit"}};
        for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
                ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
                for (uint32_t rank = 0; rank < 2; rank++) {
                        visit(g, rank, 0, 100 + 10 * rank, calls[i][0]);
                        visit(g, rank, 110, 300, "work");
                        visit(g, rank, 300 + 20 * rank, 400, calls[i][1]);
                }
                ps_trace *t = load(g, &program);
                EXPECT_SPANS(t, 1, 110, 320);
                release(t, g);
        }
}

/* The second of two calls that start a library ends the start, and an exit that never comes back ends the
 * run. */
TEST(a_start_of_two_calls_ends_with_the_second)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        ps_focus_outside out[PS_FOCUS_OUTSIDE_MOST];
        for (uint32_t rank = 0; rank < 2; rank++) {
                visit(g, rank, 0, 40, "gasnet_init");
                visit(g, rank, 60, 100 + 10 * rank, "gasnet_attach");
                visit(g, rank, 110, 300, "work");
                enter(g, rank, 300 + 20 * rank, "gasnet_exit");
        }
        ps_trace *t = load(g, &program);
        EXPECT_SPANS(t, 1, 110, 320);
        assert_int_equal(ps_focus_find_outside(out, t, &t->measured), 1);
        assert_int_equal(out[0].time, US(110));
        release(t, g);
}

/* A process without a Finalize was killed, or hangs: the run goes on to the last event. */
TEST(each_end_on_its_own)
{
        ps_gen *g = two_ranks(1);
        ps_trace *t = load(g, &program);
        EXPECT_SPANS(t, 1, 110, 500);
        assert_int_equal(t->measured.focus->how, PS_FOCUS_PROGRAM);
        expect_use(t, 0, "MPI_Finalize", "1x 80 80");
        expect_use(t, 1, "main", "1x 390 155");
        release(t, g);
        g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        visit(g, 0, 5, 40, "work");
        visit(g, 0, 40, 60, "MPI_Finalize");
        t = load(g, &program);
        EXPECT_SPANS(t, 1, 0, 35); /* times count from the first event */
        release(t, g);
}

TEST(a_range_cuts_what_lies_across_its_ends)
{
        ps_gen *g = two_ranks(2);
        ps_trace *t = load(g, &(ps_focus_wish){.how = PS_FOCUS_RANGE, .from = US(50), .to = US(200)});
        EXPECT_SPANS(t, 1, 50, 200);
        expect_use(t, 0, "MPI_Init", "1x 50 50");
        expect_use(t, 0, "work", "1x 98 98");
        expect_use(t, 0, "main", "1x 150 2");
        expect_use(t, 1, "work", "1x 85 85");
        expect_use(t, 1, "MPI_Finalize", "-");
        release(t, g);
        ps_error err = {0};
        g = two_ranks(2);
        assert_int_equal(
                load_with(&t, g, &(ps_focus_wish){.how = PS_FOCUS_RANGE, .from = US(600), .to = PS_TIME_MAX},
                          &err),
                PS_E_USAGE);
        ps_gen_free(g);
}

/* Two visits a rank: the first ones, 100-200 and 150-220, are one span; the second ones, 300-320 and 400-420,
 * do not overlap and yet are one, as both are the second. */
static ps_gen *visits(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                enter(g, r, 0, "main");
                enter(g, r, r ? 150 : 100, "step");
                visit(g, r, 160, 170, "step"); /* inside of another one: none of its own */
                leave(g, r, r ? 220 : 200, "step");
                visit(g, r, r ? 250 : 230, 280, "other");
                visit(g, r, r ? 400 : 300, r ? 420 : 320, "step");
                leave(g, r, 500, "main");
        }
        return g;
}

/* What a sample saw between two calls has a place in the call tree, before that of what is entered next. */
TEST(samples_move_no_time_to_other_regions)
{
        static const struct ps_piece_options pieces = {.most = 1000};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){0});
        const uint32_t none = OTF2_UNDEFINED_CALLING_CONTEXT,
                       outer = ps_gen_context(g, none, "outer", "a.c", 1),
                       seen = ps_gen_context(g, outer, "seen", "a.c", 2),
                       inner = ps_gen_context(g, outer, "inner", "a.c", 3);
        ps_gen_put(g, 0, PS_GEN_US(0), PS_GEN_REC_OF(CONTEXT_ENTER, .ref = outer, .tag = 1));
        ps_gen_put(g, 0, PS_GEN_US(10), PS_GEN_REC_OF(CONTEXT_SAMPLE, .ref = seen, .tag = 1));
        ps_gen_put(g, 0, PS_GEN_US(20), PS_GEN_REC_OF(CONTEXT_ENTER, .ref = inner, .tag = 1));
        ps_gen_put(g, 0, PS_GEN_US(40), PS_GEN_REC_OF(CONTEXT_LEAVE, .ref = inner));
        ps_gen_put(g, 0, PS_GEN_US(50), PS_GEN_REC_OF(CONTEXT_LEAVE, .ref = outer));
        ps_gen_close(g);
        const ps_focus_wish wish = {.how = PS_FOCUS_RANGE, .from = US(30), .to = US(45)};
        const ps_load_options options = {.n_threads = 1, .focus = &wish, .pieces = &pieces};
        ps_trace *t;
        assert_int_equal(ps_trace_load(&t, ps_gen_anchor(g), &options, NULL), PS_OK);
        expect_use(t, 0, "outer", "1x 15 5");
        expect_use(t, 0, "seen", "-");
        expect_use(t, 0, "inner", "1x 10 10");
        release(t, g);
}

TEST(visits_of_a_region)
{
        ps_gen *g = visits();
        ps_trace *t = load(g, &(ps_focus_wish){.how = PS_FOCUS_REGION, .region = "step"});
        EXPECT_SPANS(t, 2, 100, 220, 300, 420);
        expect_use(t, 0, "main", "1x 240 120"); /* a visit in two spans counts once */
        expect_use(t, 1, "main", "1x 240 150");
        expect_use(t, 0, "other", "-");
        release(t, g);
        g = visits();
        t = load(g, &(ps_focus_wish){.how = PS_FOCUS_REGION, .region = "other"});
        EXPECT_SPANS(t, 1, 230, 280);
        expect_use(t, 1, "other", "1x 30 30");
        expect_use(t, 1, "main", "1x 50 20");
        release(t, g);
        ps_error err = {0};
        g = visits();
        assert_int_equal(load_with(&t, g, &(ps_focus_wish){.how = PS_FOCUS_REGION, .region = "stpe"}, &err),
                         PS_E_USAGE);
        assert_non_null(strstr(err.cause[0].text, "did you mean \"step\"? Functions: main, step, other"));
        ps_gen_free(g);
}

TEST(ranks_choose_whose_rows_are_told)
{
        ps_error err = {0};
        ps_gen *g = two_ranks(2);
        ps_trace *t = load(g, &(ps_focus_wish){.ranks = "1"});
        assert_false(ps_focus_tells(t, &t->measured, 0));
        assert_true(ps_focus_tells(t, &t->measured, 1));
        assert_int_equal(ps_focus_n_told(t, &t->measured), 1);
        release(t, g);
        const char *const bad[] = {"", "a", "2", "1-0", "0-", "0,", "-1"};
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                g = two_ranks(2);
                assert_int_equal(load_with(&t, g, &(ps_focus_wish){.ranks = bad[i]}, &err), PS_E_USAGE);
                ps_gen_free(g);
        }
}

/* Rank 1 comes out of its Init after 40 us instead of 90, and does the rest so much earlier. Of 50 to 200 us
 * the begin was 30 us into that Init, the end 90 us behind it. Init to Finalize: from the end of rank 0's,
 * 100, to the begin of rank 0's, 400. */
TEST(another_timing_is_cut_at_the_same_operations)
{
        static const ps_focus_wish part = {.how = PS_FOCUS_RANGE, .from = US(50), .to = US(200)};
        const ps_focus_wish *const wishes[] = {&part, &program};
        static const ps_time expected[][2] = {{US(50), US(150)}, {US(100), US(400)}};
        for (int i = 0; i < 2; i++) {
                ps_gen *g = two_ranks(2);
                ps_trace *t = load(g, wishes[i]);
                ps_time enter[] = {US(20), US(370)}, leave[] = {US(60), US(430)};
                ps_time *enters[] = {t->measured.enter[0], enter}, *leaves[] = {t->measured.leave[0], leave};
                ps_timing faster = {.enter = enters, .leave = leaves, .duration = US(500)};
                ps_focus *f;
                assert_int_equal(t->ops[1].n, 2);
                assert_int_equal(ps_focus_of_timing(&f, t, &faster, NULL), PS_OK);
                assert_int_equal(f->n_spans, 1);
                assert_int_equal(f->span[0].begin, expected[i][0]);
                assert_int_equal(f->span[0].end, expected[i][1]);
                assert_int_equal(f->length, expected[i][1] - expected[i][0]);
                ps_focus_free(f);
                release(t, g);
        }
}

/* Each location's time inside, as the call tree has it, is what an independent walk over the regions gives:
 * cut at any moment, wherever it falls. */
TEST(any_cut_agrees_with_an_independent_walk)
{
        for (ps_time from = 0; from < 500; from += 17)
                for (ps_time to = from + 1; to <= 500; to += 61) {
                        ps_gen *g = two_ranks(2);
                        ps_trace *t = load(
                                g, &(ps_focus_wish){.how = PS_FOCUS_RANGE, .from = US(from), .to = US(to)});
                        for (ps_loc loc = 0; loc < 2; loc++) {
                                ps_focus_part part = ps_focus_part_of(t, &t->measured, loc);
                                ps_time sum = 0;
                                for (uint32_t i = 0; i < part.n_uses; i++)
                                        sum += part.uses[i].exclusive;
                                assert_int_equal(sum, US(to - from)); /* main is all around */
                        }
                        release(t, g);
                }
}
