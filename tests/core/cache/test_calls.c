/* test_calls.c - calls in the table of a location that none of its rows makes are looked at, too. */
#include "core/cache/columns.h"
#include "patterns/engine/engine.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static ps_status take_again(ps_trace *trace)
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
        ps_status status = ps_cache_columns_take(back, at, n, 1, NULL);
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
        assert_int_equal(take_again(trace), PS_OK);
        calls[1].peer = 1 << 30;
        assert_int_equal(take_again(trace), PS_OK);
        calls[1].path = trace->n_paths;
        assert_int_equal(take_again(trace), PS_E_INPUT);
        ps_trace_close(trace);
        ps_gen_free(g);
}
