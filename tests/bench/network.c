/* network.c - packets through a network, in an order that has nothing to do with time: each link's gaps stay
 * open, and every packet has to find its own among all of them. */
#include "simulator/network/links.h"
#include "simulator/network/routes.h"
#include "tests/bench/bench.h"
#include "tests/simulator/network/lab.h"
#include "tests/support/damage.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PROCESSORS = 8, HALF = PROCESSORS / 2, BYTES = 1000 };

/* Packets from any processor to any of the other half, so that all cross the root. `packet_ps`: how often one
 * is sent on average; the narrowest links are busy for half of the time. */
static void send_all(const ps_network *network, uint64_t packets, uint64_t packet_ps)
{
        ps_links *links;
        ps_error err = {0};
        uint64_t seed = 1;
        if (ps_links_new(&links, network, 1, &err))
                ps_test_die("%s", err.cause[0].text);
        for (uint64_t i = 0; i < packets; i++) {
                uint32_t from = (uint32_t)draw(&seed, PROCESSORS);
                uint32_t to = (from < HALF ? HALF : 0) + (uint32_t)draw(&seed, HALF);
                ps_time at = (ps_time)draw(&seed, packets * packet_ps), arrival;
                if (ps_links_send(links, from, to, 1 + draw(&seed, 2 * BYTES), at, &arrival, &err))
                        ps_test_die("%s", err.cause[0].text);
        }
        ps_links_free(links);
}

/* Of any packet that crosses the root. */
static uint32_t hops_across(const ps_network *network)
{
        ps_routes *routes;
        const uint32_t *links;
        uint32_t n;
        ps_error err = {0};
        if (ps_routes_new(&routes, network, &err) || ps_routes_find(routes, 0, HALF, &links, &n, &err))
                ps_test_die("%s", err.cause[0].text);
        ps_routes_free(routes);
        return n;
}

int bench_network(const char *preset, uint64_t packets)
{
        ps_network *network = lab_preset(preset, PROCESSORS);
        uint64_t before = bench_cpu_ns();
        send_all(network, packets, strcmp(preset, "tree") ? BYTES / HALF : BYTES);
        uint64_t cpu = bench_cpu_ns() - before, hops = packets * hops_across(network);
        printf("hops=%" PRIu64 " network_cpu_ns=%" PRIu64 "\n", hops, cpu);
        ps_network_free(network);
        return 0;
}
