/* part.c - what it costs to answer a page that is served: a part of a run, of all of its ranks. */
#include "report/facts/report.h"
#include "report/page/picture.h"
#include "report/page/timeline.h"
#include "tests/bench/bench.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct served {
        ps_trace *trace;
        ps_analysis *analysis;
        ps_sources *sources;
        ps_report *report;
        ps_timeline *timeline;
        ps_output *page;
};

static ps_status serve(struct served *s, const char *anchor, const ps_analysis_options *how, ps_error *err)
{
        const ps_report_settings settings = {.trace_path = anchor, .options = how, .timeline = &s->timeline};
        ps_status status = ps_trace_load(&s->trace, anchor, &(ps_load_options){.n_threads = 1}, err);
        PS_THEN(status, ps_analyse(&s->analysis, s->trace, &s->trace->measured, how, err));
        PS_THEN(status, ps_sources_new(&s->sources, s->trace, &(ps_source_options){0}, err));
        PS_THEN(status, ps_report_new(&s->report, s->trace, &s->trace->measured, s->analysis, s->sources,
                                      &settings, err));
        PS_THEN(status, ps_output_open(&s->page, "/dev/null", PS_COLOR_NEVER, err));
        PS_THEN(status, ps_report_write_served(s->report, s->page, err));
        return status;
}

/* The middle of the run. */
static ps_status answer(const struct served *s, uint64_t one_in, ps_error *err)
{
        uint32_t end = ps_timeline_end(s->timeline), n_lanes = ps_timeline_lanes(s->timeline);
        uint32_t length = (uint32_t)(end / one_in), begin = (end - length) / 2;
        uint32_t *lane = malloc((n_lanes + (size_t)1) * sizeof *lane);
        const ps_picture_part part = {begin, begin + length, lane, n_lanes};
        ps_output *out = NULL;
        for (uint32_t i = 0; lane && i < n_lanes; i++)
                lane[i] = i;
        ps_status status = lane ? PS_OK : PS_NOMEM(err, "lanes", n_lanes);
        PS_THEN(status, ps_output_open_memory(&out, PS_WIDTH_DEFAULT, err));
        uint64_t before = bench_cpu_ns();
        PS_THEN(status, ps_timeline_put_part(s->timeline, &part, out, err));
        if (status == PS_OK)
                printf("events=%" PRIu64 " operations=%" PRIu64 " report_cpu_ns=%" PRIu64 " bytes=%zu\n",
                       s->trace->n_events, s->trace->n_operations, bench_cpu_ns() - before,
                       ps_output_gathered(out));
        if (out)
                ps_output_discard(out);
        free(lane);
        return status;
}

int bench_part(const char *anchor, uint64_t one_in)
{
        const ps_analysis_options how = {.epsilon = -1, .n_threads = 1};
        struct served s = {.trace = NULL};
        ps_error err = {0};
        ps_status status = serve(&s, anchor, &how, &err);
        if (one_in)
                PS_THEN(status, answer(&s, one_in, &err));
        for (int i = 0; i < err.n_causes; i++)
                fprintf(stderr, "%s\n", err.cause[i].text);
        if (s.page)
                ps_output_discard(s.page);
        ps_timeline_free(s.timeline);
        ps_report_free(s.report);
        ps_sources_free(s.sources);
        ps_analysis_free(s.analysis);
        ps_trace_close(s.trace);
        return status == PS_OK ? 0 : 1;
}
