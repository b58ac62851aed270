/* main.c - the driver; with --gate it fails when a limit is passed. It calls itself for each single run, so
 * that each has a process of its own.
 *
 *   bench [--gate] [--quick] [--cache FOLDER]
 */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number(const char *text)
{
        return strtoull(text, NULL, 10);
}

static int make_trace(char *const *a)
{
        char *anchor = bench_trace(a[0], a[1], number(a[2]));
        if (anchor)
                puts(anchor);
        free(anchor);
        return anchor ? 0 : 2;
}

/* Runs of one thing each: RUN(name, arguments, how many, what is called) */
#define RUNS(RUN)                                                                                            \
        RUN(trace, "FOLDER KIND SIZE", 3, make_trace(a))                                                     \
        RUN(floor, "ANCHOR", 1, bench_floor(a[0]))                                                           \
        RUN(load, "ANCHOR THREADS", 2, bench_load(a[0], (unsigned)number(a[1])))                             \
        RUN(program, "ANCHOR OPTION", 2, bench_program(a[0], a[1]))                                          \
        RUN(shared, "ANCHOR THREADS", 2, bench_shared(a[0], a[1]))                                           \
        RUN(command, "COMMAND ANCHOR", 2, bench_command(a[0], a[1]))                                         \
        RUN(compare, "ANCHOR ANCHOR", 2, bench_comparison(a[0], a[1]))                                       \
        RUN(report, "ANCHOR", 1, bench_report(a[0]))                                                         \
        RUN(causes, "ANCHOR WITH", 2, bench_causes(a[0], (int)number(a[1])))                                 \
        RUN(fixes, "ANCHOR", 1, bench_fixes(a[0]))                                                           \
        RUN(part, "ANCHOR ONE_IN", 2, bench_part(a[0], number(a[1])))                                        \
        RUN(text, "RECORDS", 1, bench_text(number(a[0])))                                                    \
        RUN(bmf, "PROCESSORS", 1, bench_bmf(a[0]))                                                           \
        RUN(network, "PRESET PACKETS", 2, bench_network(a[0], number(a[1])))                                 \
        RUN(redistribute, "PROCESSORS", 1, bench_redistribute((uint32_t)number(a[0])))                       \
        RUN(predict, "CALLS", 1, bench_predict((uint32_t)number(a[0])))                                      \
        RUN(replay, "PROGRAM RANKS ROUNDS", 3,                                                               \
            bench_replay(a[0], (uint32_t)number(a[1]), (uint32_t)number(a[2])))

#define DEFINE(name, arguments, n, call)                                                                     \
        static int run_##name(char *const *a)                                                                \
        {                                                                                                    \
                return call;                                                                                 \
        }
RUNS(DEFINE)

static const struct {
        const char *name, *arguments;
        int n;
        int (*run)(char *const *a);
} runs[] = {
#define ROW(name, arguments, n, call) {#name, arguments, n, run_##name},
        RUNS(ROW)};

enum { N_RUNS = sizeof(runs) / sizeof(*runs) };

static int usage(void)
{
        fputs("usage: bench [--gate] [--quick] [--cache FOLDER]\n", stderr);
        for (int i = 0; i < N_RUNS; i++)
                fprintf(stderr, "       bench %s %s\n", runs[i].name, runs[i].arguments);
        fputs("kinds:\n", stderr);
        for (unsigned i = 0; i < bench_n_kinds; i++)
                fprintf(stderr, "  %-8s %s\n", bench_kinds[i].name, bench_kinds[i].summary);
        return 2;
}

static int drive(int argc, char **argv)
{
        const char *cache = "bench-traces";
        int gating = 0, is_quick = 0;
        for (int i = 1; i < argc; i++) {
                if (!strcmp(argv[i], "--gate"))
                        gating = 1;
                else if (!strcmp(argv[i], "--quick"))
                        is_quick = 1;
                else if (!strcmp(argv[i], "--cache") && i + 1 < argc)
                        cache = argv[++i];
                else
                        return usage();
        }
#ifndef __OPTIMIZE__
        fputs("bench: built without optimisation, the numbers say nothing\n", stderr);
        if (gating)
                return 2;
#endif
        return bench_all(cache, is_quick) && gating;
}

int main(int argc, char **argv)
{
        for (int i = 0; argc > 1 && i < N_RUNS; i++)
                if (strcmp(argv[1], runs[i].name) == 0)
                        return argc == runs[i].n + 2 ? runs[i].run(argv + 2) : usage();
        return drive(argc, argv);
}
