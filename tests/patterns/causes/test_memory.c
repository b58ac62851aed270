/* test_memory.c - each allocation fails in turn: delays say so, and nothing is left behind. */
#include "tests/patterns/causes/lab.h"
#include "tests/support/failing_memory.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"

static ps_status make(const ps_trace *trace, const delayed *d, ps_error *err)
{
        const ps_delay_options options = {.end = trace->measured.duration, .n_threads = 1};
        ps_delays *delays;
        ps_critical *critical = NULL;
        ps_status status = ps_delays_new(&delays, trace, &trace->measured, d->log, &options, err);
        if (status == PS_OK)
                status = ps_critical_new(&critical, delays, err);
        ps_causes *causes = NULL;
        if (status == PS_OK)
                status = ps_causes_new(&causes, delays, d->analysis, err);
        ps_causes_free(causes);
        ps_critical_free(critical);
        ps_delays_free(delays);
        return status;
}

TEST(every_allocation_may_fail)
{
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(
                &(random_program){.seed = 3, .ranks = 4, .steps = 150, .neighbours = true}, &n_messages,
                &n_colls);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AUTO);
        delayed d = delayed_of(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        long n = 0;
        for (int done = 0; !done; n++) {
                ps_error err = {0};
                allocations_left = n;
                ps_status status = make(trace, &d, &err);
                done = allocations_left >= 0;
                allocations_left = -1;
                if (status != PS_OK && (status != PS_E_NOMEM || !err.n_causes))
                        fail_msg("allocation %ld: status %d", n, status);
                assert_true(status != PS_OK || done);
        }
        assert_true(n > 50);
        delayed_free(&d);
        ps_trace_close(trace);
        ps_gen_free(g);
}

TEST(a_log_may_fail)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_visit(g, 0, 0, 10, "f");
        ps_gen_close(g);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AUTO);
        for (long n = 0; n < 2; n++) {
                ps_wait_log *log;
                ps_error err = {0};
                allocations_left = n;
                assert_int_equal(ps_wait_log_new(&log, trace, &err), PS_E_NOMEM);
                allocations_left = -1;
                assert_null(log);
        }
        ps_trace_close(trace);
        ps_gen_free(g);
}
