/* machine_fuzzer.c - feeds a text to the reader of machines, in whichever of the three forms it is.
 *
 * What is read must print, read back as the same text, and answer every question about costs. */
#include "simulator/cost/collectives.h"
#include "simulator/cost/exchange.h"
#include "simulator/machine/file.h"
#include "tests/support/fuzz_lab.h"

#include <stdlib.h>
#include <string.h>

static void ask(const ps_machine *m)
{
        static const uint64_t sizes[] = {0, 1, 1000, UINT64_C(1) << 40, UINT64_MAX};
        char room[PS_FORMULA_ROOM];
        uint32_t ranks = ps_machine_ranks(m) < 9 ? ps_machine_ranks(m) : 9;
        ps_transfer list[72];
        size_t n = 0;
        ps_grid grid = {1, {ranks}};
        ps_group group = {.n = ranks, .root = ranks / 2};

        fuzz_must(strlen(ps_machine_formula(m, room)) < PS_FORMULA_ROOM);
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
                n = 0;
                for (uint32_t p = 0; p < ranks; p++)
                        for (uint32_t q = 0; q < ranks; q++) {
                                if (p == q)
                                        continue;
                                list[n++] = (ps_transfer){p, q, sizes[s] + p};
                                fuzz_must(ps_machine_p2p(m, p, q, sizes[s]) >= 0);
                                fuzz_must(ps_machine_gap(m, p, q, sizes[s]) >= 0);
                        }
                for (int kind = 0; kind < PS_K_COUNT; kind++)
                        fuzz_must(ps_machine_collective(m, (ps_kind)kind, &group, sizes[s]) >= 0);
                for (int mode = 0; mode < 3; mode++) {
                        ps_time time;
                        size_t merged = ps_transfers_merge(list, n);
                        fuzz_must(ps_exchange_time(&time, NULL, m, &grid, (ps_pipelining)mode, list, merged,
                                                   NULL) == PS_OK);
                        fuzz_must(ps_reduction_time(&time, m, &grid, 1, sizes[s], NULL) == PS_OK &&
                                  time >= 0);
                }
        }
        for (uint32_t rank = 0; rank < 40; rank++)
                fuzz_must(ps_machine_cpu_ratio(m, rank) > 0 && ps_machine_node(m, rank) < UINT32_MAX);
        fuzz_must(ps_machine_region_ratio(m, "main") > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        ps_machine *m, *copy;
        ps_error err = {0};
        char *text, *same;

        if (ps_machine_parse(&m, (const char *)data, size, "fuzz", &err) != PS_OK) {
                fuzz_must(!m && err.n_causes > 0 && err.status == PS_E_INPUT);
                return 0;
        }
        ask(m);
        fuzz_must(ps_machine_print(&text, m, &err) == PS_OK);
        fuzz_must(ps_machine_parse(&copy, text, strlen(text), "printed", &err) == PS_OK);
        fuzz_must(ps_machine_print(&same, copy, &err) == PS_OK && strcmp(text, same) == 0);
        free(text);
        free(same);
        ps_machine_free(copy);
        ps_machine_free(m);
        return 0;
}
