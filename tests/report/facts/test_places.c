/* test_places.c - what is said of the places of a PGAS program: how often they communicate, and how much. */
#include "report/facts/report.h"
#include "tests/support/micro/micro.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

/* The comment on the one finding of `id` in the n-th case of its micro-traces. */
static void expect_comment(const char *id, int n, uint64_t count, const char *text)
{
        char path[128], room[PS_COMMENT_ROOM];
        snprintf(path, sizeof(path), "traces/patterns/%s.trace", id);
        micro *m = micro_open(path, ps_pattern_find(id));
        const micro_case *c = NULL;
        for (int i = 0; i <= n; i++)
                c = micro_next(m);
        ps_analysis_options options = {.epsilon = c->epsilon, .n_threads = 1};
        ps_analysis *analysis;
        ps_sources *sources;
        ps_report *report;
        unsigned n_found = 0;
        assert_int_equal(ps_analyse(&analysis, c->trace, &c->trace->measured, &options, NULL), PS_OK);
        assert_int_equal(ps_sources_new(&sources, c->trace, &(ps_source_options){0}, NULL), PS_OK);
        assert_int_equal(ps_report_new(&report, c->trace, &c->trace->measured, analysis, sources,
                                       &(ps_report_settings){.trace_path = "t"}, NULL),
                         PS_OK);
        for (uint32_t i = 0; i < report->n_findings; i++) {
                const ps_report_finding *f = &report->findings[i];
                if (strcmp(f->pattern->id, id) != 0)
                        continue;
                assert_int_equal(f->finding->count, count);
                assert_string_equal(ps_report_comment(report, f, room), text);
                n_found++;
        }
        assert_int_equal(n_found, 1);
        ps_report_free(report);
        ps_sources_free(sources);
        ps_analysis_free(analysis);
        micro_close(m);
}

TEST(sizes_are_told)
{
        expect_comment("pgas-large-messages", 1, 1,
                       "upc_memput accounts for 1 of the thread's 3 operations and 50 us. It moves 65,536 "
                       "bytes, at most 65,536 at once, where the usual place moves 8,192.");
}

/* The trace does not tell how much upc_get moves. */
TEST(counts_are_told)
{
        expect_comment("pgas-frequent-communication", 0, 100,
                       "upc_get accounts for 100 of the thread's 150 operations and 100 us.");
}
