/* redistribute.c - the transfers of a redistribution kr -> r and back on many processors. */
#include "simulator/redistribute/redistribute.h"
#include "tests/bench/bench.h"

#include <inttypes.h>
#include <stdio.h>

/* So many transfers are found in all, however many processors there are. */
enum { TRANSFERS = 2000000, FACTOR = 5, SIZE = 1000 };

static int find(uint64_t *transfers, uint32_t procs, uint64_t from, uint64_t to)
{
        ps_redist_spec spec = {.n_dims = 1, .extent = {UINT64_C(1) << 40}, .element_bytes = 8};
        ps_redist_grid grid[PS_REDIST_SIDES] = {{1, {procs}, procs}, {1, {procs}, procs}};
        ps_redist *r;
        spec.format[PS_REDIST_SOURCE][0] = (ps_redist_format){PS_REDIST_CYCLIC, from, 0, 0};
        spec.format[PS_REDIST_DESTINATION][0] = (ps_redist_format){PS_REDIST_CYCLIC, to, 0, 0};
        if (ps_redist_new(&r, &spec, grid, NULL))
                return 1;
        *transfers += r->transfers.n;
        ps_redist_free(r);
        return 0;
}

int bench_redistribute(uint32_t procs)
{
        uint64_t transfers = 0, before = bench_cpu_ns();
        while (transfers < TRANSFERS)
                if (find(&transfers, procs, FACTOR * SIZE, SIZE) ||
                    find(&transfers, procs, SIZE, FACTOR * SIZE))
                        return 1;
        printf("operations=%" PRIu64 " load_cpu_ns=%" PRIu64 "\n", transfers, bench_cpu_ns() - before);
        return 0;
}
