/* gate_causes.c - what it costs to find who made the others wait, and what fixes gain. */
#include "tests/bench/gate.h"
#include <stdio.h>
#include <stdlib.h>

/* What causes cost an operation, in time: small traces fit into caches, so that ten times as many operations
 * cost more each. These limits leave room for noise, but not for a cost that grows with the number of
 * operations or ranks. */
#define CAUSE_RANKS 3.0
enum { CAUSE_ROUNDS = 3, CAUSE_PATHS = 3, FIX_REPLAYS = 4 };

/* What causes and the critical path cost in all, in instructions of the yardstick: 0.35 in the ring, where
 * an operation in five waits, 0.155 in the stencil, 0.245 where calls are 64 deep, 0.395 in 1,000 call paths,
 * 0.54 (0.57 in a longer trace) where every call waits, 0.59 in OpenMP regions of little else than barriers,
 * and 1.12 with five critical sections in each, where two operations in five wait. An operation costs less in
 * ten times as many, and 1.15 times in 1,000 call paths: few are added up faster. Of 1,024 ranks it
 * costs 1.20 times as much where each has 127 operations: what there is once for each rank, as its causes and
 * its first windows, weighs more then. In memory it takes 22 bytes in the stencil and 27 in the ring, beyond
 * those of the stretches of call paths between operations, and beyond the peak without causes, which is while
 * the trace is read. */
#define COUNTED_RING 0.375
enum { PATHS };
static const struct {
        const char *kind;
        double limit;
} counted[] = {[PATHS] = {"paths", 0.4}, {"stencil", 0.16}, {"deep", 0.277},
               {"sendrecv", 0.575},      {"regions", 0.71}, {"sections", 1.26}};
#define COUNTED_RATIO 1.1
#define COUNTED_PATHS 1.165
#define COUNTED_RANKS 1.25
enum { N_COUNTED = sizeof(counted) / sizeof(counted[0]) };
enum { COUNTED_STRETCH = 16, COUNTED_BYTES = 28 };

/* What causes cost an operation, in nanoseconds. */
static double cause_of(bench_gate *g, const char *kind, uint64_t size)
{
        char *anchor = bench_prepare(g, kind, size);
        bench_sample best = {0};
        for (int round = 0; round < CAUSE_ROUNDS; round++)
                bench_measure(&best, 1, (const char *[]){"causes", anchor, "1", NULL});
        double cost = (double)best.load_cpu_ns / (double)best.operations;
        printf("%-8s causes of %9.0f operations: %.1f ns each\n", kind, (double)best.operations, cost);
        free(anchor);
        return cost;
}

/* It depends neither on how many operations there are nor on how many ranks, and hardly on the call paths. */
void bench_cause_costs(bench_gate *g)
{
        uint64_t events = g->plan->cause_events / 10;
        double one = cause_of(g, "ring", events), longer = cause_of(g, "ring", 10 * events) / one,
               wider = cause_of(g, "crowd", events) / one, deeper = cause_of(g, "paths", events) / one;
        bench_expect(g, "causes", "an operation, ratio in ten times as many", longer,
                     longer <= g->plan->cause_ratio, g->plan->cause_ratio);
        bench_expect(g, "causes", "an operation, ratio of 1,024 ranks to 8", wider, wider <= CAUSE_RANKS,
                     CAUSE_RANKS);
        bench_expect(g, "causes", "an operation, ratio of 1,000 call paths to 1", deeper,
                     deeper <= CAUSE_PATHS, CAUSE_PATHS);
}

/* The instructions that causes add to loading and analysing, of an operation; in all as a part of what the
 * yardstick takes, if there is a limit. */
static double count_causes(bench_gate *g, const char *kind, uint64_t size, double limit)
{
        char *anchor = bench_prepare(g, kind, size);
        bench_sample sample = {0};
        bench_measure(&sample, 1, (const char *[]){"causes", anchor, "0", NULL});
        double without = (double)bench_count((const char *[]){"causes", anchor, "0", NULL});
        double cost = (double)bench_count((const char *[]){"causes", anchor, "1", NULL}) - without;
        double ratio = limit > 0 ? cost / (double)bench_count((const char *[]){"floor", anchor, NULL}) : 0;
        printf("%-8s causes of %9.0f operations: %.0f instructions each\n", kind, (double)sample.operations,
               cost / (double)sample.operations);
        if (limit > 0)
                bench_expect(g, kind, "instructions of causes, ratio", ratio, ratio <= limit, limit);
        free(anchor);
        return cost / (double)sample.operations;
}

/* Beyond what loading and analysing take, and the stretches between operations. */
static void judge_cause_memory(bench_gate *g, const char *kind, uint64_t size)
{
        char *anchor = bench_prepare(g, kind, size);
        bench_sample with = {0}, without = {0};
        bench_measure(&with, 1, (const char *[]){"causes", anchor, "1", NULL});
        bench_measure(&without, 1, (const char *[]){"causes", anchor, "0", NULL});
        double extra = (double)with.peak_bytes - (double)without.peak_bytes;
        double bytes = (extra - COUNTED_STRETCH * (double)with.stretches) / (double)with.operations;
        bench_expect(g, kind, "bytes an operation of causes", bytes, bytes <= COUNTED_BYTES, COUNTED_BYTES);
        free(anchor);
}

void bench_counted_causes(bench_gate *g)
{
        uint64_t events = g->plan->counted_events;
        judge_cause_memory(g, "ring", g->plan->cause_events);
        judge_cause_memory(g, "stencil", g->plan->cause_events);
        if (!bench_can_count()) {
                puts("causes   instructions are not judged: there is no valgrind");
                return;
        }
        double few = count_causes(g, "ring", events / 10, 0);
        double ring = count_causes(g, "ring", events, COUNTED_RING);
        double crowd = count_causes(g, "crowd", events, 0), each[N_COUNTED];
        for (size_t i = 0; i < N_COUNTED; i++)
                each[i] = count_causes(g, counted[i].kind, events, counted[i].limit);
        bench_expect(g, "causes", "instructions, ratio in ten times as many", ring / few,
                     ring / few <= COUNTED_RATIO, COUNTED_RATIO);
        bench_expect(g, "causes", "instructions, ratio of 1,024 ranks to 8", crowd / ring,
                     crowd / ring <= COUNTED_RANKS, COUNTED_RANKS);
        bench_expect(g, "causes", "instructions, ratio of 1,000 call paths to 1", each[PATHS] / ring,
                     each[PATHS] / ring <= COUNTED_PATHS, COUNTED_PATHS);
}

/* Of the largest causes what applies first is tried, and what can be gained at most: at the price of four
 * replays, each with what it has to learn of the trace first. */
void bench_fix_costs(bench_gate *g)
{
        static const char *const kinds[] = {"stencil", "paths"};
        for (unsigned k = 0; k < 2; k++) {
                char *anchor =
                        bench_prepare(g, kinds[k], k ? g->plan->cause_events / 10 : g->plan->stencil_events);
                bench_sample best = {0};
                for (int round = 0; round < CAUSE_ROUNDS; round++)
                        bench_measure(&best, 1, (const char *[]){"fixes", anchor, NULL});
                double ratio = (double)best.report_cpu_ns / (double)best.load_cpu_ns;
                bench_expect(g, kinds[k], "CPU of fixes, replays", ratio, ratio <= FIX_REPLAYS, FIX_REPLAYS);
                free(anchor);
        }
}
