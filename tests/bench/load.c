/* load.c - one load of a trace through the public interface. */
#include "core/model/trace.h"
#include "tests/bench/bench.h"
#include <inttypes.h>
#include <stdio.h>

int bench_load(const char *anchor, unsigned threads)
{
        ps_trace *trace = NULL;
        ps_error err = {0};
        ps_load_options options = {.n_threads = threads};
        uint64_t before = bench_cpu_ns();
        if (ps_trace_load(&trace, anchor, &options, &err)) {
                for (int i = 0; i < err.n_causes; i++)
                        fprintf(stderr, "%s\n", err.cause[i].text);
                return 1;
        }
        uint64_t load_cpu_ns = bench_cpu_ns() - before;
        printf("events=%" PRIu64 " operations=%" PRIu64 " messages=%" PRIu64 " issues=%" PRIu64
               " load_cpu_ns=%" PRIu64 "\n",
               trace->n_events, trace->n_operations, trace->n_messages, ps_issues_total(&trace->issues),
               load_cpu_ns);
        ps_trace_close(trace);
        return 0;
}
