/* verdict.c - see verdict.h. */
#include "tests/bench/verdict.h"

#include <stdio.h>
#include <string.h>

void bench_judge(bench_verdict *v, const char *trace, const char *what, double value, int ok, double limit)
{
        char row[BENCH_TOLD_ROOM];
        snprintf(row, sizeof row, "%-8s %-44s %10.2f  limit %8.2f  %s", trace, what, value, limit,
                 ok ? "ok" : "FAILED");
        puts(row);
        if (ok)
                return;
        if (v->failed < BENCH_MOST_TOLD)
                memcpy(v->told[v->failed], row, sizeof row);
        v->failed++;
}

void bench_tell(const bench_verdict *v)
{
        for (unsigned i = 0; i < v->failed && i < BENCH_MOST_TOLD; i++)
                puts(v->told[i]);
}
