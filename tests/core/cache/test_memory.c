/* test_memory.c - a trace is kept and taken while each allocation fails in turn: it says so, and frees what
 * it has. */
#include "core/cache/cache.h"
#include "core/cache/columns.h"
#include "tests/support/failing_memory.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static ps_status pass_once(ps_trace *trace, uint8_t *bytes, size_t n, ps_error *err)
{
        ps_trace *back = NULL;
        size_t measured;
        ps_status status = ps_cache_columns_measure(&measured, trace, err);
        if (status == PS_OK)
                status = ps_cache_columns_put(bytes, n, trace, err);
        if (status == PS_OK)
                status = ps_trace_new(&back, NULL, err);
        if (status == PS_OK)
                status = ps_cache_columns_take(back, bytes, n, 1, err);
        ps_trace_close(back);
        return status;
}

TEST(every_allocation_may_fail)
{
        const random_program program = {.seed = 4, .ranks = 3, .steps = 40};
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(&program, &n_messages, &n_colls);
        ps_trace *trace = loaded(g, PS_CLOCK_AUTO);
        size_t bytes;
        long n = 0;
        assert_int_equal(ps_cache_columns_measure(&bytes, trace, NULL), PS_OK);
        uint8_t *at = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        memset(at, 0, bytes);
        for (bool done = false; !done; n++) {
                ps_error err = {0};
                allocations_left = n;
                ps_status status = pass_once(trace, at, bytes, &err);
                done = allocations_left >= 0;
                allocations_left = -1;
                if (done ? status != PS_OK : status != PS_E_NOMEM || !err.n_causes)
                        fail_msg("allocation %ld: status %d", n, status);
        }
        assert_true(n > 20);
        free(at);
        ps_trace_close(trace);
        ps_gen_free(g);
}
