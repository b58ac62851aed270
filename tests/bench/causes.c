/* causes.c - what it costs to find who made the others wait: loading and analysing with that, and without. */
#include "patterns/causes/causes.h"
#include "core/model/pieces.h"
#include "tests/bench/bench.h"
#include <inttypes.h>
#include <stdio.h>

struct causes {
        ps_wait_log *log;
        ps_delays *delays;
        ps_critical *critical;
        ps_causes *causes;
};

static ps_status find_causes(struct causes *c, const ps_trace *trace, const ps_analysis *analysis,
                             ps_error *err)
{
        const ps_delay_options options = {.end = trace->measured.duration, .n_threads = 1, .takes_log = true};
        PS_TRY(ps_delays_new(&c->delays, &c->critical, trace, &trace->measured, c->log, &options, err));
        return ps_causes_new(&c->causes, c->delays, analysis, err);
}

static uint64_t stretches_of(const ps_trace *trace)
{
        uint64_t n = 0;
        for (ps_loc loc = 0; trace->pieces && loc < trace->n_locs; loc++)
                n += trace->pieces[loc].n;
        return n;
}

int bench_causes(const char *anchor, int with_causes)
{
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        const ps_load_options load = {.n_threads = 1, .pieces = with_causes ? &pieces : NULL};
        ps_analysis_options how = {.epsilon = -1, .n_threads = 1, .sink_is_shared = 1};
        struct causes causes = {0};
        ps_trace *trace = NULL;
        ps_analysis *analysis = NULL;
        ps_error err = {0};
        ps_status status = ps_trace_load(&trace, anchor, &load, &err);
        if (with_causes) {
                PS_THEN(status, ps_wait_log_new(&causes.log, trace, &err));
                if (status == PS_OK)
                        ps_wait_log_listen(causes.log, &how);
        }
        PS_THEN(status, ps_analyse(&analysis, trace, &trace->measured, &how, &err));
        uint64_t before = bench_cpu_ns();
        if (with_causes)
                PS_THEN(status, find_causes(&causes, trace, analysis, &err));
        if (status == PS_OK)
                printf("events=%" PRIu64 " operations=%" PRIu64 " stretches=%" PRIu64 " load_cpu_ns=%" PRIu64
                       "\n",
                       trace->n_events, trace->n_operations, stretches_of(trace), bench_cpu_ns() - before);
        for (int i = 0; i < err.n_causes; i++)
                fprintf(stderr, "%s\n", err.cause[i].text);
        ps_causes_free(causes.causes);
        ps_critical_free(causes.critical);
        ps_delays_free(causes.delays);
        ps_analysis_free(analysis);
        ps_wait_log_free(causes.log);
        ps_trace_close(trace);
        return status == PS_OK ? 0 : 1;
}
