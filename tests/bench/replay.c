/* replay.c - how many operations a second a replay computes, on programs of which each call is a message. */
#include "simulator/replay/replay.h"
#include "tests/bench/bench.h"
#include "tests/simulator/replay/programs.h"
#include "tests/support/damage.h"
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* -- memory of this process -- */

static uint64_t status_bytes(const char *key)
{
        char line[128];
        uint64_t kib = 0;
        FILE *f = fopen("/proc/self/status", "r");
        while (f && fgets(line, sizeof line, f))
                if (!strncmp(line, key, strlen(key)))
                        kib = strtoull(line + strlen(key), NULL, 10);
        if (f)
                fclose(f);
        return kib * 1024;
}

/* From now on the peak is counted anew; what there is now. */
static uint64_t forget_peak(void)
{
        malloc_trim(0);
        FILE *f = fopen("/proc/self/clear_refs", "w");
        if (!f || fputs("5", f) < 0 || fclose(f))
                ps_test_die("cannot reset the peak of memory");
        return status_bytes("VmRSS:");
}

static ps_trace *program_of(const char *name, uint32_t ranks, uint32_t rounds)
{
        uint32_t edge = (uint32_t)sqrt((double)ranks);
        if (!strcmp(name, "ring"))
                return program_ring(ranks, rounds, 50 * LAB_US, 50 * LAB_US, 1000);
        if (!strcmp(name, "stencil"))
                return program_stencil(edge, ranks / edge, rounds, 50 * LAB_US, 1000);
        if (!strcmp(name, "wavefront"))
                return program_wavefront(edge, ranks / edge, rounds, 50 * LAB_US, 1000);
        return NULL;
}

/* Messages have two operations each; computations and Waits are not counted. */
static uint64_t run(const ps_replay *replay, const ps_scenario *scenarios, uint32_t n)
{
        ps_replayed *out = calloc(n, sizeof *out);
        ps_replay_options options = {.n_threads = 1};
        ps_error err = {0};
        uint64_t before = bench_cpu_ns();
        if (ps_replay_run(out, replay, scenarios, n, &options, &err))
                ps_test_die("%s", err.cause[0].text);
        uint64_t took = bench_cpu_ns() - before;
        for (uint32_t i = 0; i < n; i++)
                ps_replayed_clear(&out[i]);
        free(out);
        return took;
}

static uint64_t best_of(const ps_replay *replay, const ps_scenario *scenarios, uint32_t n)
{
        uint64_t best = UINT64_MAX;
        for (int i = 0; i < 5; i++) {
                uint64_t took = run(replay, scenarios, n);
                best = took < best ? took : best;
        }
        return best;
}

int bench_replay(const char *name, uint32_t ranks, uint32_t rounds)
{
        enum { SCENARIOS = 8 };
        ps_machine machine[SCENARIOS], network;
        ps_scenario scenario[SCENARIOS], contended;
        ps_error err = {0};
        ps_replay *replay;
        ps_trace *trace = program_of(name, ranks, rounds);
        if (!trace)
                return -1;
        for (int i = 0; i < SCENARIOS; i++) {
                ps_machine_init(&machine[i], PS_MODEL_HOCKNEY);
                machine[i].link = (ps_link){5e-6 * (i + 1), 1e9};
                ps_scenario_init(&scenario[i]);
                scenario[i].machine = &machine[i];
        }
        ps_machine_init(&network, PS_MODEL_TOPOLOGY);
        char preset[] = "fattree:16";
        network.network = preset;
        network.link = (ps_link){5e-6, INFINITY};
        network.link_bandwidth_bytes_per_s = 1e9;
        ps_scenario_init(&contended);
        contended.machine = &network;
        uint64_t held = forget_peak(), start = bench_cpu_ns();
        if (ps_replay_new(&replay, trace, &trace->measured, 1, &err))
                ps_test_die("%s", err.cause[0].text);
        uint64_t prepared = bench_cpu_ns() - start;
        ps_scenario recorded;
        ps_scenario_init(&recorded);
        printf("operations=%" PRIu64 " prepare_cpu_ns=%" PRIu64 " recorded_cpu_ns=%" PRIu64,
               2 * ps_replay_info_of(replay)->n_messages, prepared, best_of(replay, &recorded, 1));
        printf(" load_cpu_ns=%" PRIu64, best_of(replay, scenario, 1));
        printf(" network_cpu_ns=%" PRIu64, run(replay, &contended, 1));
        printf(" report_cpu_ns=%" PRIu64, best_of(replay, scenario, SCENARIOS));
        printf(" replay_bytes=%" PRIu64 "\n", status_bytes("VmHWM:") - held);
        network.network = NULL;
        ps_replay_free(replay);
        ps_trace_close(trace);
        return 0;
}
