/* generate_visits.c - traces of nothing but calls of one function, without counters and with two in each. */
#include "tests/bench/bench.h"
#include "tests/support/tracegen.h"
#include <stdbool.h>

enum { RANKS = 8, CHUNK_BYTES = 1 << 20, START = 1000000000, COUNTERS = 2 };

static void define_counters(OTF2_GlobalDefWriter *w, void *ctx)
{
        static const OTF2_MetricMemberRef members[COUNTERS] = {0, 1};
        const uint32_t *string = ctx;
        for (uint32_t i = 0; i < COUNTERS; i++)
                (void)OTF2_GlobalDefWriter_WriteMetricMember(w, i, string[i], string[COUNTERS],
                                                             OTF2_METRIC_TYPE_PAPI,
                                                             OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
                                                             OTF2_BASE_DECIMAL, 0, string[COUNTERS]);
        (void)OTF2_GlobalDefWriter_WriteMetricClass(w, 0, COUNTERS, members, OTF2_METRIC_SYNCHRONOUS,
                                                    OTF2_RECORDER_KIND_CPU);
}

static void put_counters(ps_gen *g, uint32_t rank, uint64_t time, uint32_t cycles, uint64_t instructions)
{
        static const OTF2_Type types[COUNTERS] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
        const OTF2_MetricValue values[COUNTERS] = {{.unsigned_int = cycles}, {.unsigned_int = instructions}};
        (void)OTF2_EvtWriter_Metric(ps_gen_writer(g, rank), NULL, START + time, 0, COUNTERS, types, values);
}

static void write_rank(ps_gen *g, uint32_t rank, uint32_t region, uint64_t n, bool counts)
{
        uint32_t random = rank + 1; /* Numerical Recipes' generator, whose upper bits are used */
        uint64_t time = rank;
        for (uint64_t i = 0; i < n; i++) {
                random = random * 1664525U + 1013904223U;
                time += 2 + (random >> 22);
                ps_gen_put(g, rank, time, PS_GEN_REC_OF(ENTER, .ref = region));
                if (counts)
                        put_counters(g, rank, ++time, random, i * 1000);
                time += 2 + (random >> 12) % 2000;
                ps_gen_put(g, rank, time, PS_GEN_REC_OF(LEAVE, .ref = region));
        }
}

static void write_calls(const char *path, uint64_t n, bool counts)
{
        ps_gen *g = ps_gen_new(path,
                               (ps_gen_options){.ranks = RANKS, .chunk_bytes = CHUNK_BYTES, .start = START});
        uint32_t region = ps_gen_region(g, "compute", "app.c", 11);
        uint32_t string[] = {ps_gen_string(g, "PAPI_TOT_CYC"), ps_gen_string(g, "PAPI_TOT_INS"),
                             ps_gen_string(g, "#")};
        if (counts)
                ps_gen_more_defs(g, define_counters, string);
        for (uint32_t rank = 0; rank < RANKS; rank++)
                write_rank(g, rank, region, n / RANKS, counts);
        ps_gen_free(g);
}

void bench_write_visits(const char *path, uint64_t size)
{
        write_calls(path, size, false);
}

void bench_write_metrics(const char *path, uint64_t size)
{
        write_calls(path, size, true);
}
