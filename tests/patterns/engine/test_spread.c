/* test_spread.c - what processes find in the rows that each of them has is what one finds in all. */
#include "core/load/share.h"
#include "patterns/engine/works.h"
#include "reader/reader.h"
#include "tests/support/analysed.h"
#include "tests/support/crew/crew.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"

static const uint32_t sizes[] = {1, 2, 3, 4, 7};

struct run {
        const char *path;
        ps_focus_how focus;
        bool rows_may_stay;
        ps_analysis_options options;
        ps_analysis *analysis[2]; /* two walks over the same rows */
        ps_trace *trace;
        uint64_t match_bytes, crossing;
        uint64_t walk_bytes; /* of those, what the walks took */
};

/* By process 0, and the others with it. */
static void analyse(ps_exchange *x, void *ctx)
{
        struct run *run = ctx;
        ps_error err = {0};
        const ps_focus_wish wish = {
                .how = run->focus, .from = 700 * PS_PS_PER_NS, .to = PS_TIME_MAX, .region = "main"};
        ps_load_options options = {.n_threads = 1,
                                   .exchange = x,
                                   .focus = &wish,
                                   .clock = PS_CLOCK_AS_IS,
                                   .rows_may_stay = run->rows_may_stay};
        if (x && x->rank) {
                ps_share_serve(x, ps_reader_named, ps_engine_works);
                return;
        }
        assert_int_equal(ps_trace_load(&run->trace, run->path, &options, &err), PS_OK);
        uint64_t before = x ? x->told.match_bytes : 0;
        for (int i = 0; i < 2; i++)
                assert_int_equal(
                        ps_analyse(&run->analysis[i], run->trace, &run->trace->measured, &run->options, &err),
                        PS_OK);
        run->match_bytes = x ? x->told.match_bytes : 0;
        run->walk_bytes = run->match_bytes - before;
        run->crossing = x ? x->told.crossing : 0;
        if (x)
                ps_share_dismiss(x);
        run->trace->spread = NULL;
}

static void free_run(struct run *run)
{
        for (int i = 0; i < 2; i++)
                ps_analysis_free(run->analysis[i]);
        ps_trace_close(run->trace);
}

static void expect_equal(const struct run *one, const struct run *many, int i)
{
        const ps_analysis *a = one->analysis[i], *b = many->analysis[i];
        analysed_expect_alike(one->trace, a, b);
        assert_memory_equal(a->count, b->count, sizeof(a->count));
        assert_memory_equal(a->lost, b->lost, ps_pattern_count() * a->n_locs * sizeof(*a->lost));
}

/* Of two processes or more each walks over its own, whether process 0 has the rows of the others or not. */
static void expect_same(const char *path, ps_focus_how focus, const ps_analysis_options *options)
{
        struct run one = {.path = path, .focus = focus, .options = *options};
        analyse(NULL, &one);
        for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
                uint32_t size = sizes[i / 2];
                struct run many = {.path = path, .focus = focus, .rows_may_stay = i % 2, .options = *options};
                crew_run(size, analyse, &many);
                assert_true((many.walk_bytes > 0) == (size > 1));
                expect_equal(&one, &many, 0);
                expect_equal(&one, &many, 1);
                free_run(&many);
        }
        free_run(&one);
}

TEST(what_each_finds_is_what_one_finds)
{
        for (uint64_t seed = 1; seed <= 12; seed++) {
                ps_gen *g = random_program_of(seed);
                for (int d = 0; d < PS_N_DEFINITIONS; d++) {
                        ps_analysis_options options = {.definitions = (ps_definitions)d,
                                                       .epsilon = seed % 3 ? 0 : -1,
                                                       .n_threads = 1 + (unsigned)seed % 2};
                        expect_same(ps_gen_anchor(g), (ps_focus_how)(seed % PS_FOCUS_HOWS), &options);
                }
                ps_gen_free(g);
        }
}

enum { RANKS = 8, ROUNDS = 60 };

/* A ring in which each waits for its neighbour, and a collective operation a round in which one is late. */
static ps_gen *ring_with_reductions(bool is_ring)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        for (uint32_t rank = 0; rank < RANKS; rank++)
                for (uint64_t i = 0; i < ROUNDS; i++) {
                        uint64_t t = 1000 * i;
                        if (is_ring) {
                                ps_gen_isend(g, rank, t + 10 + 7 * rank, t + 20 + 7 * rank,
                                             (rank + 1) % RANKS, PS_GEN_WORLD, 4, 300, 2 * i);
                                ps_gen_recv(g, rank, t + 90, t + 120, (rank + RANKS - 1) % RANKS,
                                            PS_GEN_WORLD, 4, 300);
                                ps_gen_wait(g, rank, t + 130, t + 140, PS_GEN_SENT(2 * i));
                        } else {
                                ps_gen_barrier(g, rank, t + 200 + (rank + i) % RANKS * 10, t + 300,
                                               PS_GEN_WORLD);
                        }
                }
        ps_gen_close(g);
        return g;
}

static const ps_analysis_options all = {.epsilon = 0, .n_threads = 1};

/* With what the matching takes. */
TEST(of_a_message_that_crosses_at_most_96_bytes_are_sent)
{
        ps_gen *g = ring_with_reductions(true);
        expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, &all);
        for (uint32_t n = 2; n <= 4; n++) {
                struct run run = {.path = ps_gen_anchor(g), .options = all, .focus = PS_FOCUS_WHOLE_RUN};
                crew_run(n, analyse, &run);
                assert_true(run.walk_bytes > 0);
                assert_true(run.match_bytes - run.walk_bytes / 2 <= run.crossing * 96);
                free_run(&run);
        }
        ps_gen_free(g);
}

/* Matching, contradictions and what was waited for together. */
TEST(of_a_collective_operation_each_process_tells_and_is_told_in_at_most_64_bytes)
{
        ps_gen *g = ring_with_reductions(false);
        expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, &all);
        for (uint32_t n = 2; n <= 8; n++) {
                struct run run = {.path = ps_gen_anchor(g), .options = all, .focus = PS_FOCUS_WHOLE_RUN};
                crew_run(n, analyse, &run);
                assert_true(run.walk_bytes > 0);
                uint64_t bytes = run.match_bytes - run.walk_bytes / 2;
                assert_true(bytes <= (uint64_t)ROUNDS * n * PS_WAYS * 64);
                free_run(&run);
        }
        ps_gen_free(g);
}
