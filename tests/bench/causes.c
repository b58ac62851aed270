/* causes.c - what it costs to find who made the others wait, apart from loading and analysing. */
#include "patterns/causes/causes.h"
#include "core/model/pieces.h"
#include "tests/bench/bench.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static uint64_t cpu_ns(void)
{
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int bench_causes(const char *anchor)
{
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        const ps_load_options load = {.n_threads = 1, .pieces = &pieces};
        ps_analysis_options how = {
                .epsilon = -1, .n_threads = 1, .sink = ps_wait_log_add, .sink_is_shared = 1};
        ps_trace *trace = NULL;
        ps_wait_log *log = NULL;
        ps_analysis *analysis = NULL;
        ps_delays *delays = NULL;
        ps_critical *critical = NULL;
        ps_causes *causes = NULL;
        ps_error err = {0};
        ps_status status = ps_trace_load(&trace, anchor, &load, &err);
        PS_THEN(status, ps_wait_log_new(&log, trace, &err));
        how.sink_ctx = log;
        PS_THEN(status, ps_analyse(&analysis, trace, &trace->measured, &how, &err));
        uint64_t before = cpu_ns();
        if (status == PS_OK) {
                const ps_delay_options options = {.end = trace->measured.duration, .n_threads = 1};
                status = ps_delays_new(&delays, trace, &trace->measured, log, &options, &err);
        }
        PS_THEN(status, ps_critical_new(&critical, delays, &err));
        PS_THEN(status, ps_causes_new(&causes, delays, analysis, &err));
        if (status == PS_OK)
                printf("events=%" PRIu64 " operations=%" PRIu64 " load_cpu_ns=%" PRIu64 "\n", trace->n_events,
                       trace->n_operations, cpu_ns() - before);
        for (int i = 0; i < err.n_causes; i++)
                fprintf(stderr, "%s\n", err.cause[i].text);
        ps_causes_free(causes);
        ps_critical_free(critical);
        ps_delays_free(delays);
        ps_analysis_free(analysis);
        ps_wait_log_free(log);
        ps_trace_close(trace);
        return status == PS_OK ? 0 : 1;
}
