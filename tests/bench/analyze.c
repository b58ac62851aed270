/* analyze.c - the program as users run it, and what one report costs. */
#include "report/facts/report.h"
#include "tests/bench/bench.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int bench_program(const char *anchor, const char *option)
{
        execl(BENCH_PROGRAM, "patscan", anchor, "--report", "json:/dev/null", option, "--threads", "1", "-q",
              (char *)NULL);
        perror(BENCH_PROGRAM);
        return 1;
}

int bench_shared(const char *anchor, const char *threads)
{
        execl(BENCH_PROGRAM, "patscan", anchor, "--report", "json:/dev/null", "--causes=none", "--threads",
              threads, "-q", (char *)NULL);
        perror(BENCH_PROGRAM);
        return 1;
}

int bench_command(const char *name, const char *anchor)
{
        const struct {
                const char *name, *arguments[8];
        } commands[] = {{"info", {"info", anchor, "--threads", "1"}},
                        {"profile", {"info", anchor, "--profile", "--threads", "1"}},
                        {"calibrate", {"calibrate", anchor, "-o", "/dev/null", "--threads", "1"}},
                        {"compact",
                         {"analyze", anchor, "--report", "json-compact:/dev/null", "--causes=none",
                          "--threads", "1"}},
                        {"text", {"dump", anchor, "--format", "text", "-o", "/dev/null"}},
                        {"jsonl", {"dump", anchor, "--format", "jsonl", "-o", "/dev/null"}}};
        unsigned i = 0;
        while (i < sizeof commands / sizeof *commands && strcmp(commands[i].name, name))
                i++;
        if (i == sizeof commands / sizeof *commands)
                return 2;
        const char *argv[12] = {"patscan", "-q"};
        memcpy(argv + 2, commands[i].arguments, sizeof commands[i].arguments);
        execv(BENCH_PROGRAM, (char *const *)(uintptr_t)argv);
        perror(BENCH_PROGRAM);
        return 1;
}

int bench_comparison(const char *anchor, const char *other)
{
        execl(BENCH_PROGRAM, "patscan", "-q", "compare", anchor, other, "--threads", "1", (char *)NULL);
        perror(BENCH_PROGRAM);
        return 1;
}

static const ps_report_format *json_format(void)
{
        unsigned i = 0;
        while (strcmp(ps_report_formats[i].name, "json"))
                i++;
        return &ps_report_formats[i];
}

static ps_status write_report(const ps_trace *trace, const ps_analysis *analysis,
                              const ps_analysis_options *how, ps_error *err)
{
        ps_report_settings settings = {.trace_path = "trace", .options = how};
        ps_sources *sources = NULL;
        ps_report *report = NULL;
        ps_output *out;
        ps_status status = ps_sources_new(&sources, trace, &(ps_source_options){0}, err);
        if (status == PS_OK)
                status = ps_report_new(&report, trace, &trace->measured, analysis, sources, &settings, err);
        if (status == PS_OK)
                status = ps_output_open(&out, "/dev/null", PS_COLOR_NEVER, err);
        if (status == PS_OK)
                status = json_format()->write(report, out, err);
        if (status == PS_OK)
                status = ps_output_commit(out, err);
        ps_report_free(report);
        ps_sources_free(sources);
        return status;
}

int bench_report(const char *anchor)
{
        ps_trace *trace = NULL;
        ps_analysis *analysis = NULL;
        ps_error err = {0};
        ps_analysis_options how = {.epsilon = -1, .n_threads = 1};
        ps_status status = ps_trace_load(&trace, anchor, &(ps_load_options){.n_threads = 1}, &err);
        if (status == PS_OK)
                status = ps_analyse(&analysis, trace, &trace->measured, &how, &err);
        uint64_t before = bench_cpu_ns();
        if (status == PS_OK)
                status = write_report(trace, analysis, &how, &err);
        uint64_t report_cpu_ns = bench_cpu_ns() - before;
        if (status == PS_OK)
                printf("events=%" PRIu64 " findings=%" PRIu32 " report_cpu_ns=%" PRIu64 "\n", trace->n_events,
                       analysis->n_findings, report_cpu_ns);
        for (int i = 0; i < err.n_causes; i++)
                fprintf(stderr, "%s\n", err.cause[i].text);
        ps_analysis_free(analysis);
        ps_trace_close(trace);
        return status == PS_OK ? 0 : 1;
}
