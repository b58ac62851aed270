/* lab.c - see lab.h. */
#include "tests/report/causes/lab.h"

#include "core/model/pieces.h"
#include "tests/support/test.h"

enum { THREADS = 2 };

struct told lab_tell(const char *anchor, ps_clock_mode clock)
{
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        const ps_load_options load = {.n_threads = THREADS, .clock = clock, .pieces = &pieces};
        struct told t = {0};
        ps_analysis_options how = {.epsilon = -1, .n_threads = THREADS};
        ps_error err = {0};
        assert_int_equal(ps_trace_load(&t.trace, anchor, &load, &err), PS_OK);
        const ps_timing *timing = &t.trace->measured;
        assert_int_equal(ps_wait_log_new(&t.log, t.trace, &err), PS_OK);
        ps_wait_log_listen(t.log, &how);
        assert_int_equal(ps_analyse(&t.analysis, t.trace, timing, &how, &err), PS_OK);
        assert_int_equal(ps_blame_find(&t.blame, t.trace, timing, t.log, t.analysis,
                                       &(ps_blame_options){.n_threads = THREADS}, &err),
                         PS_OK);
        assert_int_equal(ps_sources_new(&t.sources, t.trace, &(ps_source_options){0}, &err), PS_OK);
        assert_int_equal(ps_report_new(&t.report, t.trace, timing, t.analysis, t.sources,
                                       &(ps_report_settings){.trace_path = "traces.otf2"}, &err),
                         PS_OK);
        assert_int_equal(ps_blame_tell(&t.blame, t.report, &err), PS_OK);
        return t;
}

void lab_forget(struct told *t)
{
        ps_report_free(t->report);
        ps_blame_clear(&t->blame);
        ps_sources_free(t->sources);
        ps_analysis_free(t->analysis);
        ps_wait_log_free(t->log);
        ps_trace_close(t->trace);
}
