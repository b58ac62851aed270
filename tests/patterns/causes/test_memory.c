/* test_memory.c - each allocation fails in turn: delays say so, and nothing is left behind; of several
 * processes all hear of it, and nobody waits for ever. */
#include "core/load/share.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "library/run/works.h"
#include "reader/reader.h"
#include "tests/patterns/causes/lab.h"
#include "tests/support/crew/crew.h"
#include "tests/support/failing_memory.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"

static ps_status make(const ps_trace *trace, const delayed *d, ps_error *err)
{
        const ps_delay_options options = {.end = trace->measured.duration, .n_threads = 1};
        ps_delays *delays;
        ps_critical *critical;
        ps_status status = ps_delays_new(&delays, &critical, trace, &trace->measured, d->log, &options, err);
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

/* -- several processes -- */

/* In which of two processes which allocation fails. */
struct lack {
        const char *path;
        uint32_t rank;
        long at;
        bool is_done;
};

static void end_lack(struct lack *lack)
{
        lack->is_done = allocations_left >= 0;
        allocations_left = -1;
}

static ps_status find_with(const ps_trace *trace, struct lack *lack, ps_error *err)
{
        const ps_delay_options options = {
                .end = trace->measured.duration, .n_threads = 1, .keeps_chains = true};
        ps_analysis_options how = {.n_threads = 1};
        ps_wait_log *log = NULL;
        ps_analysis *analysis = NULL;
        ps_delays *delays = NULL;
        ps_critical *critical = NULL;
        ps_causes *causes = NULL;
        assert_int_equal(ps_wait_log_new(&log, trace, err), PS_OK);
        ps_wait_log_listen(log, &how);
        ps_status status = ps_analyse(&analysis, trace, &trace->measured, &how, err);
        if (!lack->rank)
                allocations_left = lack->at;
        PS_THEN(status, ps_delays_new(&delays, &critical, trace, &trace->measured, log, &options, err));
        PS_THEN(status, ps_causes_new(&causes, delays, analysis, err));
        if (!lack->rank)
                end_lack(lack);
        ps_causes_free(causes);
        ps_critical_free(critical);
        ps_delays_free(delays);
        ps_analysis_free(analysis);
        ps_wait_log_free(log);
        return status;
}

static void lack_and_find(ps_exchange *x, void *ctx)
{
        const ps_focus_wish wish = {.how = PS_FOCUS_WHOLE_RUN};
        struct lack *lack = ctx;
        ps_load_options options = {.n_threads = 1,
                                   .exchange = x,
                                   .focus = &wish,
                                   .pieces = &(struct ps_piece_options){.most = PS_PIECES_MOST},
                                   .rows_may_stay = true};
        ps_error err = {0};
        ps_trace *trace = NULL;
        if (x->rank) {
                if (lack->rank)
                        allocations_left = lack->at;
                ps_share_serve(x, ps_reader_named, ps_all_works);
                if (lack->rank)
                        end_lack(lack);
                return;
        }
        ps_status status = ps_trace_load(&trace, lack->path, &options, &err);
        PS_THEN(status, find_with(trace, lack, &err));
        if (status != PS_OK && (status != PS_E_NOMEM || !err.n_causes))
                fail_msg("allocation %ld of process %u: status %d", lack->at, lack->rank, status);
        if (!lack->rank)
                assert_true(status != PS_OK || lack->is_done);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

static void let_each_fail(const random_program *program)
{
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(program, &n_messages, &n_colls);
        struct lack lack = {.path = ps_gen_anchor(g)};
        for (lack.rank = 0; lack.rank < 2; lack.rank++) {
                lack.is_done = false;
                for (lack.at = 0; !lack.is_done; lack.at++)
                        crew_run(2, lack_and_find, &lack);
                assert_true(lack.at > 50);
        }
        ps_gen_free(g);
}

TEST(every_allocation_of_each_process_may_fail)
{
        let_each_fail(&(random_program){.seed = 3, .ranks = 4, .steps = 60});
}

TEST(every_allocation_may_fail_where_threads_share_work_and_calls_are_one_sided)
{
        let_each_fail(&(random_program){.seed = 3, .ranks = 4, .steps = 40, .teams = true, .windows = true});
}
