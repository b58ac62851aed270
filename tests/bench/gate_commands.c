/* gate_commands.c - what commands cost beside analyze, from their start and in instructions of the yardstick:
 * they sort or sweep over all operations, and compare two traces. */
#include "tests/bench/gate.h"
#include <stdio.h>
#include <stdlib.h>

/* Of 4 million events it is 0.91, 1.93 and 2.83, in shorter traces a little less; reading the trace is 0.60
 * of it, in a comparison twice. */
static const struct {
        const char *name;
        double most;
} commands[] = {{"profile", 0.96}, {"calibrate", 2.0}, {"compare", 2.95}};

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
                double ratio = (double)bench_count((const char *[]){"command", name, anchor, NULL}) / least;
                char what[64];
                snprintf(what, sizeof what, "instructions of %s, ratio", name);
                bench_expect(g, "ring", what, ratio, ratio <= commands[i].most, commands[i].most);
        }
        free(anchor);
}
