/* gate_part.c - what an answer costs to a page that is served, in instructions: as much as somebody waits for
 * a part of a run, of 1,024 ranks, however long the run and the part are. */
#include "tests/bench/gate.h"
#include <stdio.h>
#include <stdlib.h>

/* In millions: 320 here, 525 at most, when so many operations are asked for as are gone through just so. */
enum { COUNTED_PART = 600 };

void bench_counted_parts(bench_gate *g)
{
        static const char *const one_in[] = {"1", "2", "4", "16"};
        uint64_t events = g->plan->counted_events;
        if (!bench_can_count()) {
                puts("crowd    instructions of parts are not judged: there is no valgrind");
                return;
        }
        char *anchor = bench_prepare(g, "crowd", events);
        double without = (double)bench_count((const char *[]){"part", anchor, "0", NULL});
        for (unsigned i = 0; i < sizeof one_in / sizeof *one_in; i++) {
                double with = (double)bench_count((const char *[]){"part", anchor, one_in[i], NULL});
                double cost = (with - without) / 1e6;
                char what[64];
                snprintf(what, sizeof what, "million instructions of 1/%s, served", one_in[i]);
                bench_expect(g, "crowd", what, cost, cost <= COUNTED_PART, COUNTED_PART);
        }
        free(anchor);
}
