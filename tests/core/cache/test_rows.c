/* test_rows.c - which rows, calls and collective operations a cache may hold: those that are completed in
 * rare ways, too, and none that leads elsewhere. */
#include "core/cache/columns.h"
#include "patterns/engine/engine.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* What was taken can be analysed. */
static ps_status take_again(ps_trace *trace, ps_error *err)
{
        size_t n;
        void *at;
        ps_trace *back;
        ps_analysis *analysis = NULL;
        assert_int_equal(ps_cache_columns_measure(&n, trace, NULL), PS_OK);
        assert_int_equal(posix_memalign(&at, 4096, n), 0);
        memset(at, 0, n);
        assert_int_equal(ps_cache_columns_put(at, n, trace, NULL), PS_OK);
        assert_int_equal(ps_trace_new(&back, NULL, NULL), PS_OK);
        ps_status status = ps_cache_columns_take(back, at, n, 1, err);
        if (status == PS_OK)
                assert_int_equal(ps_analyse(&analysis, back, &back->measured,
                                            &(ps_analysis_options){.n_threads = 1}, NULL),
                                 PS_OK);
        ps_analysis_free(analysis);
        ps_trace_close(back);
        free(at);
        return status;
}

TEST(calls_that_no_row_makes_lead_nowhere_else)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3, .pgas = OTF2_PARADIGM_SHMEM});
        uint32_t window = ps_gen_window(g, "heap", PS_GEN_WORLD);
        const ps_gen_rec put[] = {PS_GEN_REC_OF(PUT, .ref = window, .peer = 1, .bytes = 8, .request = 3),
                                  PS_GEN_REC_OF(RMA_DONE_BLOCKING, .ref = window, .request = 3)};
        ps_gen_call(g, "shmem_putmem", 0, 10, 20, 2, put);
        ps_trace *trace = loaded(g, PS_CLOCK_AUTO);
        ps_ops *ops = &trace->ops[0];
        struct ps_call calls[2] = {ops->calls[ops->call[0]], ops->calls[ops->call[0]]};
        ops->calls = calls;
        ops->n_calls = 2;
        ops->call[0] = 0;
        assert_int_equal(take_again(trace, NULL), PS_OK);
        calls[1].peer = 1 << 30;
        assert_int_equal(take_again(trace, NULL), PS_OK);
        calls[1].path = trace->n_paths;
        assert_int_equal(take_again(trace, NULL), PS_E_INPUT);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* A transfer that is over in its own call, one that an MPI_Wait completes, which knows the window, too, and a
 * message that is told of by its end alone: the row of that stands behind the one that completes it. */
TEST(what_is_completed_in_rare_ways_comes_back)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (int i = 0; i < 2; i++)
                ps_gen_window(g, "window", PS_GEN_WORLD);
        const ps_gen_rec get[] = {PS_GEN_REC_OF(GET, .ref = 1, .peer = 1, .bytes = 8, .request = 1),
                                  PS_GEN_REC_OF(RMA_DONE_BLOCKING, .ref = 1, .request = 1)},
                         put = PS_GEN_REC_OF(PUT, .ref = 1, .peer = 1, .bytes = 8, .request = 2),
                         done = PS_GEN_REC_OF(RMA_DONE, .ref = 1, .request = 2);
        ps_gen_call(g, "MPI_Get", 0, 10, 20, 2, get);
        ps_gen_call(g, "MPI_Rput", 0, 30, 40, 1, &put);
        ps_gen_call(g, "MPI_Wait", 0, 50, 60, 1, &done);
        ps_gen_wait(g, 0, 70, 80, PS_GEN_GOT(1, PS_GEN_WORLD, 3, 8, 7));
        ps_trace *trace = loaded(g, PS_CLOCK_AUTO);
        ps_error err = {0};
        if (take_again(trace, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        ps_trace_close(trace);
        ps_gen_free(g);
}

static void expect_refused(ps_trace *trace, const char *why)
{
        ps_error err = {0};
        assert_int_equal(take_again(trace, &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, why));
}

TEST(collectives_have_their_kinds_and_communicators)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){0});
        ps_gen_barrier(g, 0, 10, 20, PS_GEN_WORLD);
        ps_trace *trace = loaded(g, PS_CLOCK_AUTO);
        assert_int_equal(trace->n_colls, 1);
        trace->colls[0].comm = PS_NONE;
        expect_refused(trace, "communicator of a collective");
        trace->colls[0].kind = PS_K_SEND;
        expect_refused(trace, "kind of a collective");
        ps_trace_close(trace);
        ps_gen_free(g);
}
