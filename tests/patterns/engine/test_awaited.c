/* test_awaited.c - for whom was waited, by hand. */
#include "patterns/engine/engine.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <stdlib.h>
#include <string.h>

#define US(n) ((ps_time)(n) * (1000 * PS_PS_PER_NS))

static ps_analysis *analyse(const ps_trace *trace, const ps_analysis_options *options)
{
        ps_analysis *analysis;
        ps_error err = {0};
        if (ps_analyse(&analysis, trace, &trace->measured, options, &err) < 0)
                fail_msg("%s", err.cause[0].text);
        return analysis;
}

/* Rank 0 receives 50 us before rank 1 sends, which then receives 200 us before rank 2 does. Epsilon hides the
 * former, and a pattern that nobody looks for is waiting as ever. */
TEST(senders_that_are_late_are_waited_for)
{
        ps_error err = {0};
        ps_trace *trace;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        ps_gen_send(g, 1, PS_GEN_US(500), PS_GEN_US(510), 0, PS_GEN_WORLD, 0, 8);
        ps_gen_recv(g, 0, PS_GEN_US(450), PS_GEN_US(512), 1, PS_GEN_WORLD, 0, 8);
        ps_gen_send(g, 2, PS_GEN_US(800), PS_GEN_US(805), 1, PS_GEN_WORLD, 0, 8);
        ps_gen_recv(g, 1, PS_GEN_US(600), PS_GEN_US(810), 2, PS_GEN_WORLD, 0, 8);
        ps_gen_close(g);
        const ps_load_options how = {.n_threads = 2, .clock = PS_CLOCK_AS_IS};
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &how, &err), PS_OK);
        ps_analysis_options options[] = {
                {.epsilon = 0, .n_threads = 1}, {.epsilon = US(60), .n_threads = 2}, {.epsilon = 0}};
        memset(options[2].off, 1, sizeof(options[2].off));
        for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
                ps_analysis *a = analyse(trace, &options[i]);
                assert_int_equal(a->awaited[0], 0);
                assert_int_equal(a->awaited[1], US(50));
                assert_int_equal(a->awaited[2], US(200));
                assert_int_equal(a->awaited[3], 0); /* nobody who is not known */
                ps_analysis_free(a);
        }
        ps_trace_close(trace);
        ps_gen_free(g);
}
