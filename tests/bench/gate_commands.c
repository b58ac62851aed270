/* gate_commands.c - what commands cost beside analyze, from their start and in instructions of the yardstick:
 * they sort or sweep over all operations, and compare two traces. */
#include "tests/bench/gate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of 10^6 events it is 0.58, 1.74 and 1.17, in longer traces a little more; reading the trace is 0.35 of it.
 */
static const struct {
        const char *name;
        double most;
} commands[] = {{"profile", 0.60}, {"calibrate", 1.83}, {"compare", 1.21}};

/* A profile costs at most so much of `info`, which is what it is told with: it is 1.64. */
static const double profiling = 1.69;

/* Beyond analysing two runs, comparing them costs at most so much of the longer analysis: it is 0.10.
 * Analysing is reading and looking for patterns, here without causes, and with a report that a comparison
 * does without. */
static const double comparing = 0.13;

static void count_comparison(bench_gate *g, const char *anchor, double compare)
{
        double analysis = (double)bench_count((const char *[]){"program", anchor, "--causes=none", NULL});
        double ratio = compare / analysis;
        bench_expect(g, "ring", "instructions of compare, of an analysis", ratio, ratio <= 2 + comparing,
                     2 + comparing);
}

static void count_profile(bench_gate *g, const char *anchor, double profile)
{
        double ratio = profile / (double)bench_count((const char *[]){"command", "info", anchor, NULL});
        bench_expect(g, "ring", "instructions of a profile, of info", ratio, ratio <= profiling, profiling);
}

/* A third of the bytes of JSON, for hardly more than its instructions, though values are looked up: 1.07. */
static const double compacting = 1.09;

enum { FINDINGS = 10000 };

static void count_compact(bench_gate *g)
{
        char *anchor = bench_prepare(g, "findings", FINDINGS);
        double full = (double)bench_count((const char *[]){"program", anchor, "--causes=none", NULL});
        double ratio = (double)bench_count((const char *[]){"command", "compact", anchor, NULL}) / full;
        bench_expect(g, "findings", "instructions of json-compact, of JSON", ratio, ratio <= compacting,
                     compacting);
        free(anchor);
}

/* In dump a record of two counters costs at most what the library takes to hand it out; a call's two others
 * are left out of both. It is 0.85 as text and 0.88 as JSON here. */
static const double dumping = 0.93;

enum { CALLS = 200000 };

static void count_metrics(bench_gate *g)
{
        static const char *const formats[] = {"text", "jsonl"};
        char *visits = bench_prepare(g, "visits", CALLS), *metrics = bench_prepare(g, "metrics", CALLS);
        double least = (double)bench_count((const char *[]){"floor", metrics, NULL}) -
                       (double)bench_count((const char *[]){"floor", visits, NULL});
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
                double count = (double)bench_count((const char *[]){"command", formats[i], metrics, NULL}) -
                               (double)bench_count((const char *[]){"command", formats[i], visits, NULL});
                char what[64];
                snprintf(what, sizeof what, "instructions of a metric as %s, ratio", formats[i]);
                bench_expect(g, "metrics", what, count / least, count / least <= dumping, dumping);
        }
        free(visits);
        free(metrics);
}

void bench_counted_commands(bench_gate *g)
{
        if (!bench_can_count()) {
                puts("commands instructions are not judged: there is no valgrind");
                return;
        }
        char *anchor = bench_prepare(g, "ring", g->plan->counted_events);
        double least = (double)bench_count((const char *[]){"floor", anchor, NULL});
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
                const char *name = commands[i].name;
                double count = (double)bench_count((const char *[]){"command", name, anchor, NULL});
                double ratio = count / least;
                char what[64];
                snprintf(what, sizeof what, "instructions of %s, ratio", name);
                bench_expect(g, "ring", what, ratio, ratio <= commands[i].most, commands[i].most);
                if (!strcmp(name, "compare"))
                        count_comparison(g, anchor, count);
                if (!strcmp(name, "profile"))
                        count_profile(g, anchor, count);
        }
        free(anchor);
        count_compact(g);
        count_metrics(g);
}
