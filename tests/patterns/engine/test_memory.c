/* test_memory.c - each allocation of a work that several processes do fails in turn, in one of them: all hear
 * of it, and nobody waits for ever; and each of a walk in ranges. */
#include "core/load/share.h"
#include "core/model/focus.h"
#include "patterns/engine/intervals.h"
#include "patterns/engine/measure.h"
#include "patterns/engine/works.h"
#include "reader/reader.h"
#include "tests/support/crew/crew.h"
#include "tests/support/failing_memory.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"

/* In which of two processes which allocation fails. */
struct lack {
        const char *path;
        uint32_t rank;
        long at;
        bool is_done, rows_may_stay;
};

static void serve(ps_exchange *x, struct lack *lack)
{
        if (lack->rank)
                allocations_left = lack->at;
        ps_share_serve(x, ps_reader_named, ps_engine_works);
        if (lack->rank)
                lack->is_done = allocations_left >= 0;
        allocations_left = -1;
}

static void hear(void *ctx, const ps_instance *instance, ps_path path)
{
        (void)ctx;
        (void)instance;
        (void)path;
}

static ps_status measure(const ps_trace *trace, struct lack *lack, ps_error *err)
{
        const char *const names[] = {"main"};
        const ps_analysis_options options = {.n_threads = 1, .sink = hear, .sink_is_shared = 1};
        ps_intervals *intervals = NULL;
        ps_analysis *analysis = NULL;
        if (!lack->rank)
                allocations_left = lack->at;
        ps_status status = ps_analyse(&analysis, trace, &trace->measured, &options, err);
        assert_true(status == PS_OK || !analysis);
        ps_analysis_free(analysis);
        PS_THEN(status, ps_intervals_of(&intervals, trace, &trace->measured, NULL, names, 1, 1, err));
        if (!lack->rank)
                lack->is_done = allocations_left >= 0;
        allocations_left = -1;
        assert_true(status == PS_OK || !intervals);
        ps_intervals_free(intervals);
        return status;
}

static void load_and_measure(ps_exchange *x, void *ctx)
{
        const ps_focus_wish wish = {.how = PS_FOCUS_WHOLE_RUN};
        struct lack *lack = ctx;
        ps_load_options options = {
                .n_threads = 1, .exchange = x, .focus = &wish, .rows_may_stay = lack->rows_may_stay};
        ps_error err = {0};
        ps_trace *trace = NULL;
        if (x->rank) {
                serve(x, lack);
                return;
        }
        ps_status status = ps_trace_load(&trace, lack->path, &options, &err);
        if (status == PS_OK)
                status = measure(trace, lack, &err);
        if (status != PS_OK && (status != PS_E_NOMEM || !err.n_causes))
                fail_msg("allocation %ld of process %u: status %d", lack->at, lack->rank, status);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

static void let_each_fail(const random_program *program)
{
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(program, &n_messages, &n_colls);
        struct lack lack = {.path = ps_gen_anchor(g)};
        for (unsigned i = 0; i < 4; i++) {
                lack.rank = i % 2;
                lack.rows_may_stay = i / 2;
                lack.is_done = false;
                for (lack.at = 0; !lack.is_done; lack.at++)
                        crew_run(2, load_and_measure, &lack);
                assert_true(lack.at > 10);
        }
        ps_gen_free(g);
}

TEST(every_allocation_of_each_process_may_fail)
{
        let_each_fail(&(random_program){.seed = 3, .ranks = 4, .steps = 60});
}

TEST(every_allocation_may_fail_where_calls_are_one_sided)
{
        let_each_fail(&(random_program){.seed = 3, .ranks = 4, .steps = 60, .windows = true});
        let_each_fail(&(random_program){.seed = 3, .ranks = 4, .steps = 60, .pgas = true});
}

TEST(every_allocation_for_locations_in_ranges_may_fail)
{
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(&(random_program){.seed = 3, .ranks = 4, .steps = 60}, &n_messages,
                                         &n_colls);
        const ps_load_options how = {.n_threads = 1};
        const ps_analysis_options options = {.n_threads = 1, .range_ops = 5};
        const char *const names[] = {"main"};
        ps_analysis *analysis;
        ps_intervals *intervals;
        ps_error err = {0};
        ps_trace *trace;
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &how, &err), PS_OK);
        long at = 0;
        for (ps_status status = PS_E_NOMEM; status != PS_OK; at++) {
                allocations_left = at;
                struct measure m = {.trace = trace, .timing = &trace->measured, .range_ops = 5};
                status = ps_analyse(&analysis, trace, &trace->measured, &options, &err);
                intervals = NULL;
                PS_THEN(status, ps_intervals_measure(&intervals, &m, analysis, names, 1, 1, &err));
                allocations_left = -1;
                assert_true(status == PS_OK ? analysis && intervals : status == PS_E_NOMEM && !intervals);
                ps_intervals_free(intervals);
                ps_analysis_free(analysis);
        }
        assert_true(at > 10);
        ps_trace_close(trace);
        ps_gen_free(g);
}
