/* text.c - a trace in text: PICL records a second, against splitting the same file into numbers with strtol
 * and strtod. The file is made and read in one process; the best of a few rounds counts. */
#include "core/model/trace.h"
#include "tests/bench/bench.h"
#include "tests/support/damage.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES = 10, ROUNDS = 7 };

/* Broadcasts by all nodes, and one message a step: two records each. */
static uint64_t write_trace(const char *path, uint64_t records)
{
        FILE *file = fopen(path, "wb");
        uint64_t n = 0;
        if (!file)
                ps_test_die("cannot write: path=\"%s\"", path);
        for (uint64_t step = 0; n < records; step++, n += 2 * NODES + 4) {
                double t = 0.001 * (double)step;
                for (int i = 0; i < NODES; i++)
                        fprintf(file, "-3 -785 %.6f %d 0 3 2 %d 0 -1\n", t + 1e-6 * i, i, i ? -1 : 8208);
                for (int i = 0; i < NODES; i++)
                        fprintf(file, "-4 -785 %.6f %d 0 1 2 8208\n", t + 2e-4 + 1e-6 * i, i);
                fprintf(file, "-3 -21 %.6f 0 0 3 2 400 10 1\n-3 -52 %.6f 1 0 2 2 10 0\n", t + 3e-4, t + 3e-4);
                fprintf(file, "-4 -21 %.6f 0 0 0\n-4 -52 %.6f 1 0 3 2 400 10 0\n", t + 4e-4, t + 4e-4);
        }
        if (fclose(file))
                ps_test_die("cannot write: path=\"%s\"", path);
        return n;
}

static uint64_t load_once(const char *path)
{
        ps_trace *trace;
        ps_error err = {0};
        ps_load_options options = {.n_threads = 1};
        uint64_t before = bench_cpu_ns();
        if (ps_trace_load(&trace, path, &options, &err))
                ps_test_die("%s", err.cause[0].text);
        uint64_t cpu = bench_cpu_ns() - before;
        ps_trace_close(trace);
        return cpu;
}

/* The yardstick: every number of the file, and no more. */
static uint64_t split_once(const char *path)
{
        size_t size = (size_t)ps_file_size(path);
        char *text = malloc(size + 1), *end = text;
        double sum = 0;
        uint64_t before = bench_cpu_ns();
        FILE *file = fopen(path, "rb");
        if (!text || !file || fread(text, 1, size, file) != size)
                ps_test_die("cannot read: path=\"%s\"", path);
        fclose(file);
        text[size] = '\0';
        for (char *at = text; *at; at = *end ? end + 1 : end) {
                size_t n = strcspn(at, " \n");
                sum += memchr(at, '.', n) ? strtod(at, &end) : (double)strtol(at, &end, 10);
        }
        uint64_t cpu = bench_cpu_ns() - before;
        free(text);
        if (sum == 0)
                ps_test_die("no numbers: path=\"%s\"", path);
        return cpu;
}

int bench_text(uint64_t records)
{
        char path[64];
        uint64_t load = UINT64_MAX, floor = UINT64_MAX;
        snprintf(path, sizeof path, "/tmp/patscan-bench-%ld.trf", (long)getpid());
        uint64_t n = write_trace(path, records);
        for (int round = 0; round < ROUNDS; round++) {
                uint64_t a = load_once(path), b = split_once(path);
                load = a < load ? a : load;
                floor = b < floor ? b : floor;
        }
        unlink(path);
        printf("events=%" PRIu64 " load_cpu_ns=%" PRIu64 " floor_cpu_ns=%" PRIu64 "\n", n, load, floor);
        return 0;
}
