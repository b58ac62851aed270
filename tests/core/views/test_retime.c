/* test_retime.c - the call tree's times in another timing, worked out by hand (microseconds), and the law
 * that a location's parts are the whole.
 *
 * main 0..100; a() 10..40 with MPI_Send 20..30; b() 50..90 with MPI_Recv 60..80. Exclusive: main 30, a 20, b
 * 20, the send 10, the receive 20. In the other timing the send takes 5 and the receive 40. */
#include <stdint.h>
#include <string.h>

#include "core/views/retime.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

static ps_trace *run(ps_gen **g)
{
        *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_enter(*g, 0, 0, "main");
        ps_gen_enter(*g, 0, PS_GEN_US(10), "a");
        ps_gen_send(*g, 0, PS_GEN_US(20), PS_GEN_US(30), 0, PS_GEN_WORLD, 1, 8);
        ps_gen_leave(*g, 0, PS_GEN_US(40), "a");
        ps_gen_enter(*g, 0, PS_GEN_US(50), "b");
        ps_gen_recv(*g, 0, PS_GEN_US(60), PS_GEN_US(80), 0, PS_GEN_WORLD, 1, 8);
        ps_gen_leave(*g, 0, PS_GEN_US(90), "b");
        ps_gen_leave(*g, 0, PS_GEN_US(100), "main");
        return loaded(*g, PS_CLOCK_AS_IS);
}

static const ps_path_use *use_of(const ps_trace *trace, const ps_retimed *r, const char *name)
{
        for (uint32_t i = 0; i < r->info[0].n_uses; i++) {
                ps_region region = trace->paths[r->info[0].uses[i].path].region;
                if (region != PS_NONE &&
                    strcmp(ps_defs_str(&trace->defs, trace->defs.regions.row[region].name), name) == 0)
                        return &r->info[0].uses[i];
        }
        fail_msg("no %s", name);
        return NULL;
}

static void expect(const ps_trace *trace, const ps_retimed *r, const char *name, double exclusive,
                   double inclusive)
{
        const ps_path_use *use = use_of(trace, r, name);
        if (use->exclusive != (ps_time)(exclusive * 1e6 + 0.5) ||
            use->inclusive != (ps_time)(inclusive * 1e6 + 0.5))
                fail_msg("%s: %.6f %.6f", name, (double)use->exclusive / 1e6, (double)use->inclusive / 1e6);
}

static void whole(const ps_retimed *r)
{
        ps_time sum = r->info[0].off;
        for (uint32_t i = 0; i < r->info[0].n_uses; i++)
                sum += r->info[0].uses[i].exclusive;
        assert_int_equal(sum, r->info[0].last - r->info[0].first);
}

/* The second location is in main for 50, from 50 on; it begins, and ends, 30 sooner. */
TEST(a_location_may_begin_sooner)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_leave(g, 0, PS_GEN_US(100), "main");
        ps_gen_enter(g, 1, PS_GEN_US(50), "main");
        ps_gen_leave(g, 1, PS_GEN_US(100), "main");
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        const ps_time begin[] = {0, PS_GEN_US(20) * 1000},
                      end[] = {PS_GEN_US(100) * 1000, PS_GEN_US(70) * 1000};
        ps_retimed r;
        ps_error err = {0};
        assert_int_equal(ps_retime(&r, trace, &trace->measured, begin, end, NULL, NULL, 2, &err), PS_OK);
        assert_true(r.info[1].first == begin[1] && r.info[1].last == end[1]);
        assert_true(r.info[1].uses[r.info[1].n_uses - 1].exclusive == end[1] - begin[1]);
        ps_retimed_clear(&r);
        ps_trace_close(trace);
        ps_gen_free(g);
}

TEST(nothing_moves_by_itself)
{
        ps_gen *g;
        ps_trace *trace = run(&g);
        ps_retimed r;
        ps_error err = {0};
        assert_int_equal(
                ps_retime(&r, trace, &trace->measured, NULL, &trace->info[0].last, NULL, NULL, 2, &err),
                PS_OK);
        assert_int_equal(r.info[0].n_uses, trace->info[0].n_uses);
        for (uint32_t i = 0; i < r.info[0].n_uses; i++) {
                assert_int_equal(r.info[0].uses[i].exclusive, trace->info[0].uses[i].exclusive);
                assert_int_equal(r.info[0].uses[i].inclusive, trace->info[0].uses[i].inclusive);
        }
        whole(&r);
        ps_retimed_clear(&r);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Computation stays: the run is 5 less and 20 more, 115. */
TEST(calls_take_what_the_timing_says)
{
        ps_gen *g;
        ps_trace *trace = run(&g);
        ps_time enter[] = {20000000, 55000000}, leave[] = {25000000, 95000000}, end = 115000000;
        ps_time *enters[] = {enter}, *leaves[] = {leave};
        ps_timing timing = {.enter = enters, .leave = leaves, .duration = end};
        ps_retimed r;
        ps_error err = {0};
        assert_int_equal(ps_retime(&r, trace, &timing, NULL, &end, NULL, NULL, 2, &err), PS_OK);
        expect(trace, &r, "MPI_Send", 5, 5);
        expect(trace, &r, "MPI_Recv", 40, 40);
        expect(trace, &r, "a", 20, 25);
        expect(trace, &r, "b", 20, 60);
        expect(trace, &r, "main", 30, 115);
        whole(&r);
        ps_retimed_clear(&r);
        ps_trace_close(trace);
        ps_gen_free(g);
}

static double half_of_a(void *ctx, ps_loc loc, uint32_t use, ps_time time)
{
        const ps_trace *trace = ctx;
        if (use == trace->info[loc].n_uses)
                return (double)time;
        ps_region region = trace->paths[trace->info[loc].uses[use].path].region;
        return (double)time *
               (region != PS_NONE && strcmp(ps_defs_str(&trace->defs, trace->defs.regions.row[region].name),
                                            "a") == 0
                        ? 0.5
                        : 1);
}

/* a() takes 10 less; what rounding leaves is nobody's. */
TEST(factors_hold_where_they_are_meant)
{
        ps_gen *g;
        ps_trace *trace = run(&g);
        ps_time enter[] = {15000000, 50000000}, leave[] = {25000000, 70000000}, end = 90000000;
        ps_time *enters[] = {enter}, *leaves[] = {leave};
        ps_timing timing = {.enter = enters, .leave = leaves, .duration = end};
        ps_retimed r;
        ps_error err = {0};
        assert_int_equal(ps_retime(&r, trace, &timing, NULL, &end, half_of_a, trace, 2, &err), PS_OK);
        expect(trace, &r, "a", 10, 20);
        expect(trace, &r, "b", 20, 40);
        expect(trace, &r, "main", 30, 90);
        whole(&r);
        ps_retimed_clear(&r);
        ps_trace_close(trace);
        ps_gen_free(g);
}
