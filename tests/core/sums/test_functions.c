/* test_functions.c - what is computed between calls, where only calls were recorded. */
#include "core/load/between.h"
#include "core/model/pieces.h"
#include "core/sums/functions.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* On each of two ranks main calls f, which sends, and g, which sends twice; rank 1 comes to f `late` ns
 * later: calls are from 10 to 13, 20 to 24 and 30 to 35 ns, and the program from 0 to 40. */
static ps_trace *stacks(uint64_t late, bool has_pieces)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        uint32_t top = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", NULL, 0);
        uint32_t in[] = {ps_gen_context(g, top, "f", NULL, 0), ps_gen_context(g, top, "g", NULL, 0)};
        uint32_t send[] = {ps_gen_context(g, in[0], "MPI_Send", NULL, 0),
                           ps_gen_context(g, in[1], "MPI_Send", NULL, 0)};
        struct ps_piece_options pieces = {.most = 1 << 20};
        ps_trace *trace;
        for (uint32_t rank = 0; rank < 2; rank++) {
                ps_gen_put(g, rank, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
                for (uint32_t i = 0; i < 3; i++) {
                        uint64_t at = 10 * ((uint64_t)i + 1) + (i || !rank ? 0 : late);
                        ps_gen_rec sent =
                                PS_GEN_REC_OF(SEND, .peer = rank, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8);
                        ps_gen_context_call(g, send[i > 0], rank, at, at + 3 + i, 1, &sent);
                }
                ps_gen_put(g, rank, 40, PS_GEN_REC_OF(PROGRAM_END, .bytes = 0));
        }
        ps_gen_close(g);
        ps_load_options options = {
                .n_threads = 1, .clock = PS_CLOCK_AS_IS, .pieces = has_pieces ? &pieces : NULL};
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL), PS_OK);
        ps_gen_free(g);
        return trace;
}

static const ps_function *find(const ps_trace *trace, const ps_functions *functions, const char *name)
{
        for (uint32_t i = 0; i < functions->n; i++) {
                ps_region region = trace->paths[functions->row[i].path].region;
                if (region != PS_NONE &&
                    strcmp(ps_defs_str(&trace->defs, trace->defs.regions.row[region].name), name) == 0)
                        return &functions->row[i];
        }
        fail_msg("no %s", name);
        return NULL;
}

static ps_time outside(const ps_trace *trace)
{
        ps_functions *functions;
        ps_time *waiting = calloc(trace->n_paths + (size_t)1, sizeof(*waiting)), sum = 0;
        assert_int_equal(ps_functions_make(&functions, trace, &trace->measured, waiting, NULL), PS_OK);
        for (uint32_t i = 0; i < functions->n; i++)
                sum += functions->row[i].path ? 0 : functions->row[i].exclusive;
        ps_functions_free(functions);
        free(waiting);
        return sum;
}

static ps_status find_between(ps_functions **out, const ps_trace *trace)
{
        ps_between between;
        ps_status status = ps_between_find(&between, trace, &trace->measured, NULL);
        PS_THEN(status, ps_functions_between(out, trace, &trace->measured, &between, NULL));
        ps_between_clear(&between);
        return status;
}

/* f computes until its call, main from there to the one in g, and g all the rest: 10, 7 and 6 + 5 ns, of
 * which rank 1 has 4 more in f and 4 less in main. */
TEST(what_lies_between_calls_is_their_callers)
{
        ps_trace *trace = stacks(4, true);
        ps_functions *between;
        assert_int_equal(find_between(&between, trace), PS_OK);
        assert_non_null(between);
        const ps_function *f = find(trace, between, "f");
        assert_int_equal(f->exclusive, (10 + 14) * 1000);
        assert_int_equal(f->most, 14 * 1000);
        assert_int_equal(f->most_process, 1);
        assert_int_equal(find(trace, between, "main")->exclusive, (7 + 3) * 1000);
        assert_int_equal(find(trace, between, "g")->exclusive, 2 * 11 * 1000);
        ps_time sum = 0;
        for (uint32_t i = 0; i < between->n; i++)
                sum += between->row[i].exclusive;
        assert_int_equal(sum, outside(trace));
        ps_functions_free(between);
        ps_trace_close(trace);
}

TEST(nothing_is_told_where_nobody_kept_pieces)
{
        ps_trace *trace = stacks(0, false);
        ps_functions *between;
        assert_int_equal(find_between(&between, trace), PS_OK);
        assert_null(between);
        ps_trace_close(trace);
}

/* A program whose functions are known: what is outside of them is in none. */
TEST(functions_that_were_recorded_tell_themselves)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        struct ps_piece_options pieces = {.most = 1 << 20};
        ps_load_options options = {.n_threads = 1, .pieces = &pieces};
        ps_trace *trace;
        ps_functions *between;
        ps_gen_put(g, 0, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        ps_gen_visit(g, 0, 10, 20, "f");
        ps_gen_visit(g, 0, 30, 40, "g");
        ps_gen_close(g);
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL), PS_OK);
        assert_int_equal(find_between(&between, trace), PS_OK);
        assert_null(between);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* On one rank main calls f and g, and between them makes calls of 10 ns. The program is looked at three
 * times: in gap 0 in f, then in g, in gap 1 in f, and never in gap 2, which lies between the same calls as
 * gap 1. */
TEST(samples_tell_what_lies_between_calls)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        uint32_t top = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", NULL, 0);
        uint32_t in[] = {ps_gen_context(g, top, "f", "f.c", 7), ps_gen_context(g, top, "g", "g.c", 8)};
        uint32_t send = ps_gen_context(g, top, "MPI_Send", NULL, 0);
        struct ps_piece_options pieces = {.most = 1 << 20};
        ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS, .pieces = &pieces};
        ps_gen_rec sent = PS_GEN_REC_OF(SEND, .peer = 0, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8);
        ps_trace *trace;
        ps_functions *between;
        ps_gen_put(g, 0, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        ps_gen_put(g, 0, 20, PS_GEN_REC_OF(CONTEXT_SAMPLE, .ref = in[0], .tag = 1));
        ps_gen_put(g, 0, 50, PS_GEN_REC_OF(CONTEXT_SAMPLE, .ref = in[1], .tag = 1));
        ps_gen_context_call(g, send, 0, 60, 70, 1, &sent);
        ps_gen_put(g, 0, 90, PS_GEN_REC_OF(CONTEXT_SAMPLE, .ref = in[0], .tag = 1));
        ps_gen_context_call(g, send, 0, 130, 140, 1, &sent);
        ps_gen_context_call(g, send, 0, 200, 210, 1, &sent);
        ps_gen_close(g);
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL), PS_OK);
        assert_int_equal(find_between(&between, trace), PS_OK);
        assert_non_null(between);
        /* f: up to the middle of both samples, at 35, then all 60 of gap 1, and so all of gap 2. */
        assert_int_equal(find(trace, between, "f")->exclusive, (35 + 60 + 60) * 1000);
        assert_int_equal(find(trace, between, "g")->exclusive, 25 * 1000);
        ps_functions_free(between);
        ps_trace_close(trace);
        ps_gen_free(g);
}
