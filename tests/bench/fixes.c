/* fixes.c - what it costs to try fixes unasked, beside one replay. */
#include "core/load/load.h"
#include "core/model/pieces.h"
#include "simulator/whatif/whatif.h"
#include "tests/bench/bench.h"
#include "tests/support/damage.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LANES = 24, PLACES = LANES / 2, NAME_ROOM = 512 };

/* Names of call paths of the program itself; how many. */
static uint32_t find_places(char *place[PLACES], const ps_trace *trace, ps_error *err)
{
        uint32_t n = 0;
        for (ps_path p = 1; p < trace->n_paths && n < PLACES; p++) {
                ps_region region = trace->paths[p].region;
                if (region == PS_NONE || trace->defs.regions.row[region].kind != PS_K_NONE)
                        continue;
                if (ps_path_edit_name(&place[n], trace, p, 0, err) != PS_OK || !place[n])
                        ps_test_die("no name of a call path");
                n++;
        }
        return n;
}

/* Each place is balanced, and gone: what is tried of a cause. */
static void make_words(ps_try tries[LANES], char words[LANES][NAME_ROOM], char *const place[PLACES],
                       uint32_t n)
{
        for (uint32_t i = 0; i < n; i++) {
                snprintf(words[2 * i], NAME_ROOM, "balance:%s", place[i]);
                snprintf(words[2 * i + 1], NAME_ROOM, "region:%s@0*0", place[i]);
                tries[2 * i] = (ps_try){.edit = words[2 * i]};
                tries[2 * i + 1] = (ps_try){.edit = words[2 * i + 1]};
        }
}

int bench_fixes(const char *anchor)
{
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        const ps_load_options load = {.n_threads = 1, .pieces = &pieces};
        ps_trace *trace;
        ps_replays replays;
        ps_error err = {0};
        static char words[LANES][NAME_ROOM];
        char *place[PLACES] = {0};
        ps_try tries[LANES];
        if (ps_trace_load(&trace, anchor, &load, &err) != PS_OK)
                ps_test_die("%s", err.cause[0].text);
        uint32_t n = find_places(place, trace, &err);
        make_words(tries, words, place, n);
        uint64_t start = bench_cpu_ns();
        if (ps_replays_make_ideal(&replays, trace, 0, 1, &err) != PS_OK)
                ps_test_die("%s", err.cause[0].text);
        uint64_t one = bench_cpu_ns();
        if (ps_tries_run(tries, 2 * n, &replays, 1, &err) != PS_OK)
                ps_test_die("%s", err.cause[0].text);
        printf("operations=%" PRIu64 " load_cpu_ns=%" PRIu64 " report_cpu_ns=%" PRIu64 "\n",
               trace->n_operations, one - start, bench_cpu_ns() - one);
        ps_replays_clear(&replays);
        ps_trace_close(trace);
        for (uint32_t i = 0; i < PLACES; i++)
                free(place[i]);
        return 0;
}
