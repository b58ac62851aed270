/* test_stretches.c - what is computed between calls is the same however many processes have the rows. */
#include "core/load/between.h"
#include "core/load/share.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "library/run/works.h"
#include "reader/reader.h"
#include "simulator/whatif/whatif.h"
#include "tests/support/crew/crew.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"
#include "tests/support/tracegen.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[] = {2, 3, 4, 7};

enum { RANKS = 6, FUNCTIONS = 3, LINES = 3, CALLS = 60, PROGRAMS = SANITIZED ? 4 : 20 };

/* Functions that are known from the calls in them only, of which the first ones stand in the same line of
 * all: who visits those first is another one in each process. */
static ps_gen *random_calls(uint64_t seed)
{
        uint64_t state = seed;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        uint32_t top = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", NULL, 0),
                 send[FUNCTIONS][LINES];
        for (uint32_t f = 0; f < FUNCTIONS; f++) {
                const uint32_t in = ps_gen_context(g, top, (const char *[]){"f", "g", "h"}[f], NULL, 0);
                for (uint32_t line = 0; line < LINES; line++)
                        send[f][line] =
                                ps_gen_context(g, in, "MPI_Send", "a.c", 10 + line + (line ? 10 * f : 0));
        }
        for (uint32_t rank = 0; rank < RANKS; rank++) {
                uint64_t at = rank;
                ps_gen_put(g, rank, at, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
                for (uint32_t i = 0, f = 0; i < CALLS; i++) {
                        ps_gen_rec sent =
                                PS_GEN_REC_OF(SEND, .peer = rank, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8);
                        f = i % 5 ? f : maker_random(&state, FUNCTIONS);
                        at += 10 + maker_random(&state, 500);
                        ps_gen_context_call(g, send[f][maker_random(&state, LINES)], rank, at, at + 7, 1,
                                            &sent);
                        at += 7;
                }
                ps_gen_put(g, rank, at + 40, PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        }
        ps_gen_close(g);
        return g;
}

struct run {
        const char *path;
        ps_trace *trace;
        ps_stretches *stretches;
        ps_functions *between;
        bool are_apart;
};

static void load_and_find(ps_exchange *x, void *ctx)
{
        struct run *run = ctx;
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        const ps_focus_wish wish = {.how = PS_FOCUS_WHOLE_RUN};
        const ps_load_options options = {.n_threads = 1,
                                         .exchange = x,
                                         .focus = &wish,
                                         .clock = PS_CLOCK_AS_IS,
                                         .pieces = &pieces,
                                         .rows_may_stay = true};
        ps_error err = {0};
        ps_between between;
        if (x && x->rank) {
                ps_share_serve(x, ps_reader_named, ps_all_works);
                return;
        }
        assert_int_equal(ps_trace_load(&run->trace, run->path, &options, &err), PS_OK);
        const ps_timing *timing = &run->trace->measured;
        run->are_apart = ps_share_is_apart(run->trace, timing);
        assert_int_equal(ps_stretches_new(&run->stretches, run->trace, timing, &err), PS_OK);
        assert_int_equal(ps_between_find(&between, run->trace, timing, &err), PS_OK);
        assert_int_equal(ps_functions_between(&run->between, run->trace, timing, &between, &err), PS_OK);
        ps_between_clear(&between);
        if (x)
                ps_share_dismiss(x);
}

static void free_run(struct run *run)
{
        ps_stretches_free(run->stretches);
        ps_functions_free(run->between);
        ps_trace_close(run->trace);
}

static ps_stretch stretch_of(const struct run *run, ps_path path, ps_loc loc)
{
        const ps_stretch_late late = {.loc = &loc, .n = 1, .excess = 100 * PS_PS_PER_NS};
        ps_stretch stretch;
        assert_int_equal(ps_stretches_find(&stretch, run->stretches, path, &late, NULL), PS_OK);
        return stretch;
}

static uint32_t expect_same_stretches(const struct run *one, const struct run *many)
{
        uint32_t n_named = 0;
        for (ps_path path = 1; path < one->trace->n_paths; path++)
                for (ps_loc loc = 0; loc < one->trace->n_locs; loc++) {
                        ps_stretch a = stretch_of(one, path, loc), b = stretch_of(many, path, loc);
                        assert_int_equal(a.name != NULL, b.name != NULL);
                        n_named += a.name != NULL;
                        if (a.name)
                                assert_string_equal(a.name, b.name);
                        assert_int_equal(a.n_there, b.n_there);
                        assert_int_equal(a.own, b.own);
                        assert_int_equal(a.others, b.others);
                        assert_int_equal(a.visits, b.visits);
                        free(a.name);
                        free(b.name);
                }
        return n_named;
}

static void expect_same_functions(const ps_functions *a, const ps_functions *b)
{
        assert_non_null(a);
        assert_non_null(b);
        assert_int_equal(a->n, b->n);
        for (uint32_t i = 0; i < a->n; i++) {
                assert_int_equal(a->row[i].path, b->row[i].path);
                assert_int_equal(a->row[i].exclusive, b->row[i].exclusive);
                assert_int_equal(a->row[i].least, b->row[i].least);
                assert_int_equal(a->row[i].most_process, b->row[i].most_process);
                assert_int_equal(a->row[i].n_processes, b->row[i].n_processes);
        }
}

static ps_path path_of(const ps_trace *trace, const char *function)
{
        ps_path path = 0;
        while (++path < trace->n_paths && strcmp(ps_path_region_name(trace, path), function) != 0)
                ;
        return path;
}

/* Rank 1 writes a file between lines 10 and 12, which is no time of f's own, and computes longer than rank 0
 * between lines 12 and 13: there f is late. */
TEST(what_a_function_calls_between_two_lines_is_not_its_own)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        const uint32_t top = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", NULL, 0),
                       f = ps_gen_context(g, top, "f", NULL, 0),
                       file = ps_gen_context(g, f, "MPI_File_write_at", "a.c", 11);
        for (uint32_t rank = 0; rank < 2; rank++) {
                const ps_gen_rec sent =
                        PS_GEN_REC_OF(SEND, .peer = rank, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8);
                const uint64_t ends[] = {10, rank ? 300 : 100, rank ? 400 : 105};
                ps_gen_put(g, rank, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
                for (uint32_t i = 0; i < 3; i++) {
                        if (i == 1 && rank)
                                ps_gen_context_call(g, file, rank, 20, 220, 0, NULL);
                        ps_gen_context_call(g, ps_gen_context(g, f, "MPI_Send", "a.c", i ? 11 + i : 10), rank,
                                            ends[i], ends[i] + 1, 1, &sent);
                }
                ps_gen_put(g, rank, 500, PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        }
        ps_gen_close(g);
        struct run run = {.path = ps_gen_anchor(g)};
        load_and_find(NULL, &run);
        ps_stretch stretch = stretch_of(&run, path_of(run.trace, "f"), 1);
        assert_non_null(stretch.name);
        assert_string_equal(stretch.name, "a.c:12-13");
        assert_int_equal(stretch.own, 99 * PS_PS_PER_NS);
        assert_int_equal(stretch.others, 4 * PS_PS_PER_NS);
        free(stretch.name);
        free_run(&run);
        ps_gen_free(g);
}

/* f calls twice in line 10, and then g, or f again, does: rank 1 takes 100 longer between the first two.
 * Which stretch of f is that? */
static char *stretch_between(const char *next)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        const uint32_t top = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", NULL, 0);
        for (uint32_t rank = 0; rank < 2; rank++) {
                const ps_gen_rec sent =
                        PS_GEN_REC_OF(SEND, .peer = rank, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8);
                const uint64_t ends[] = {10, rank ? 200 : 100, 300, 310};
                ps_gen_put(g, rank, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
                for (uint32_t i = 0; i < 4; i++) {
                        const uint32_t in = ps_gen_context(g, top, i < 2 ? "f" : next, NULL, 0);
                        ps_gen_context_call(g, ps_gen_context(g, in, "MPI_Send", "a.c", 10), rank, ends[i],
                                            ends[i] + 1, 1, &sent);
                }
                ps_gen_put(g, rank, 500, PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        }
        ps_gen_close(g);
        struct run run = {.path = ps_gen_anchor(g)};
        load_and_find(NULL, &run);
        ps_path path = path_of(run.trace, "f");
        char *name = stretch_of(&run, path, 1).name;
        free_run(&run);
        ps_gen_free(g);
        return name;
}

TEST(lines_that_several_functions_share_are_the_stretch_of_none)
{
        char *name = stretch_between("f");
        assert_string_equal(name, "a.c:10-10");
        free(name);
        assert_null(stretch_between("g"));
}

TEST(stretches_and_what_lies_between_calls_are_those_that_one_process_finds)
{
        uint32_t n_named = 0;
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_gen *g = random_calls(seed);
                struct run one = {.path = ps_gen_anchor(g)};
                load_and_find(NULL, &one);
                assert_int_equal(one.between->n, FUNCTIONS + 1);
                for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                        struct run many = {.path = ps_gen_anchor(g)};
                        crew_run(sizes[i], load_and_find, &many);
                        assert_true(many.are_apart);
                        n_named += expect_same_stretches(&one, &many);
                        expect_same_functions(one.between, many.between);
                        many.trace->spread = NULL;
                        free_run(&many);
                }
                free_run(&one);
                ps_gen_free(g);
        }
        assert_true(n_named > PROGRAMS * RANKS);
}
