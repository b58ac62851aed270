/* bmf.c - what a simulated run costs: a program that splits, maps and scans over N processors, whose messages
 * queue in a fat tree. */
#include "simulator/bmf/bmf.h"
#include "tests/bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bench_bmf(const char *processors)
{
        char text[512];
        unsigned long n = strtoul(processors, NULL, 10);
        ps_bmf_program *program = NULL;
        ps_bmf_run run = {0};
        ps_bmf_options options = {.costs = ps_bmf_costs_default, .network = "fattree:4"};
        ps_error err = {0};
        snprintf(text, sizeof text,
                 "B_Comp (P_Scan (B_Op (B_Plus))) (B_Comp (P_Map (B_Reduce (B_Op (B_Plus))))"
                 "(B_Comp (P_Split (B_Num %lu) (B_Num 0)) (B_Op (B_Iota)))) %lu",
                 n, 2 * n);
        uint64_t before = bench_cpu_ns();
        ps_bmf_text own = {"bench.bmf", text, strlen(text)};
        ps_status status = ps_bmf_parse(&program, &own, NULL, NULL, &err);
        if (status == PS_OK)
                status = ps_bmf_simulate(&run, program, &options, &err);
        if (status == PS_OK)
                printf("events=%" PRIu64 " load_cpu_ns=%" PRIu64 "\n", run.n_messages,
                       bench_cpu_ns() - before);
        for (int i = 0; i < err.n_causes; i++)
                fprintf(stderr, "%s\n", err.cause[i].text);
        ps_bmf_run_clear(&run);
        ps_bmf_program_free(program);
        return status == PS_OK ? 0 : 1;
}
