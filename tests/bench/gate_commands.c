/* gate_commands.c - what commands cost beside analyze, from their start and in instructions of the yardstick:
 * they sort or sweep over all operations, and compare two traces. */
#include "tests/bench/gate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of 10^6 events it is 0.47 and 1.74, in longer traces a little more; reading the trace is 0.34 of it. */
static const struct {
        const char *name;
        double most;
} commands[] = {{"profile", 0.47}, {"calibrate", 1.83}};

static double count_info(const char *anchor)
{
        return (double)bench_count((const char *[]){"command", "info", anchor, NULL});
}

/* A profile costs at most so much of `info`, which is what it is told with: it is 1.30 where few locations
 * are followed in order of time, also of the quick gate's trace. */
static const double profiling = 1.31;

/* The same of more locations, of which what changes is put in order: it is 1.27 of the stencil, and 1.29
 * where each sends to all others. Of 1,024 locations it is 1.30 of so few events, where most of `info` is
 * what it takes for each location. Few locations in another order than one call after the other are at the
 * end: rows of one call, 1.41; threads that are idle between teams, 1.50 where these are short; with critical
 * sections, 1.41, and tasks, 1.23. */
enum { CROWD_EVENTS = 500000 };
static const struct {
        const char *kind;
        uint64_t events; /* 0: as many as are counted */
        double most;
} profiled[] = {{"stencil", 0, 1.28},   {"all", 0, 1.295},     {"crowd", CROWD_EVENTS, 1.315},
                {"sendrecv", 0, 1.425}, {"regions", 0, 1.515}, {"sections", 0, 1.425},
                {"tasks", 0, 1.25}};

static void expect_profile(bench_gate *g, const char *kind, double ratio, double most)
{
        bench_expect(g, kind, "instructions of a profile, of info", ratio, ratio <= most, most);
}

static void count_profiles_of_others(bench_gate *g)
{
        for (size_t i = 0; i < sizeof profiled / sizeof *profiled; i++) {
                const char *kind = profiled[i].kind;
                const uint64_t events = profiled[i].events ? profiled[i].events : g->plan->counted_events;
                char *anchor = bench_prepare(g, kind, events);
                double profile = (double)bench_count((const char *[]){"command", "profile", anchor, NULL});
                expect_profile(g, kind, profile / count_info(anchor), profiled[i].most);
                free(anchor);
        }
}

/* Two runs whose calls took other times: beyond reading both, comparing them costs at most so much of what
 * reading the longer one does. It is 1.29, of which looking for patterns of waiting in both is 0.90. */
static const double comparing = 1.30;

static void count_comparison(bench_gate *g, const char *anchor)
{
        char *other = bench_prepare(g, "rerun", g->plan->counted_events);
        double a = count_info(anchor), b = count_info(other);
        double compare = (double)bench_count((const char *[]){"compare", anchor, other, NULL});
        double ratio = (compare - a - b) / (a > b ? a : b);
        bench_expect(g, "ring", "instructions of compare beyond two info, of one", ratio, ratio <= comparing,
                     comparing);
        free(other);
}

/* A third of the bytes of JSON, for hardly more than its instructions, though values are looked up: 1.10. */
static const double compacting = 1.12;

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
 * are left out of both. It is 0.92 as text and 0.94 as JSON here. */
static const double dumping = 0.95;

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
                if (!strcmp(name, "profile"))
                        expect_profile(g, "ring", count / count_info(anchor), profiling);
        }
        count_comparison(g, anchor);
        free(anchor);
        count_profiles_of_others(g);
        count_compact(g);
        count_metrics(g);
}
