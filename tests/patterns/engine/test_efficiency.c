/* test_efficiency.c - useful time and what follows from it, worked out by hand. */
#include <stdint.h>

#include "tests/support/analysed.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

static ps_trace *load(ps_gen *g)
{
        ps_trace *trace;
        ps_error err = {0};
        ps_gen_close(g);
        const ps_load_options as_is = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        if (ps_trace_load(&trace, ps_gen_anchor(g), &as_is, &err) < 0)
                fail_msg("%s", err.cause[0].text);
        return trace;
}

/* 100 us; rank 0 computes for 60 and waits for 40, rank 1 for 90 and 10: mean 75, longest 90. */
TEST(efficiencies_of_two_ranks_follow_by_hand)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_barrier(g, r, PS_GEN_US(r ? 90 : 60), PS_GEN_US(100), PS_GEN_WORLD);
                ps_gen_leave(g, r, PS_GEN_US(100), "main");
        }
        ps_trace *trace = load(g);
        ps_efficiency e = analysed_efficiency(trace);
        assert_true(e.is_known);
        assert_float_equal(e.parallel, 0.75, 1e-9);
        assert_float_equal(e.load_balance, 75.0 / 90, 1e-9);
        assert_float_equal(e.communication, 0.9, 1e-9);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* The second thread computes from 20 to 50 and from 70 to 80; in between it has nothing to do. */
TEST(threads_count_where_they_work)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        ps_gen_visit(g, ps_gen_at(g, 0, 0), 0, PS_GEN_US(100), "main");
        ps_gen_visit(g, ps_gen_at(g, 0, 1), PS_GEN_US(20), PS_GEN_US(50), "work");
        ps_gen_visit(g, ps_gen_at(g, 0, 1), PS_GEN_US(70), PS_GEN_US(80), "work");
        ps_trace *trace = load(g);
        ps_efficiency e = analysed_efficiency(trace);
        assert_float_equal(e.parallel, 0.7, 1e-9);
        assert_float_equal(e.load_balance, 0.7, 1e-9);
        assert_float_equal(e.communication, 1, 1e-9);
        ps_trace_close(trace);
        ps_gen_free(g);
}

TEST(nothing_is_made_up)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_visit(g, 0, 0, PS_GEN_US(10), "MPI_Init"); /* all of it in the library */
        ps_trace *trace = load(g);
        assert_false(analysed_efficiency(trace).is_known);
        ps_trace_close(trace);
        ps_gen_free(g);
}
