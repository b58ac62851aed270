/* network_fuzzer.c - feeds a graph file to the network model; a text that begins with ':' is a preset's name.
 *
 * What is read must be the same after writing and reading; routes must hang together, and packets arrive no
 * earlier than they are sent. */
#include "simulator/network/links.h"
#include "simulator/network/routes.h"
#include "tests/simulator/network/lab.h"
#include "tests/support/fuzz_lab.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PEERS = 6, DIGITS = 4, SPEC = 40 };

static void check_writing(const ps_network *network)
{
        char *text = lab_write(network);
        ps_network *again = lab_parse(text);
        char *again_text = lab_write(again);
        fuzz_must(strcmp(text, again_text) == 0);
        free(text);
        free(again_text);
        ps_network_free(again);
}

static void check_route(const ps_network *network, ps_routes *routes, uint32_t from, uint32_t to, int must_be)
{
        const uint32_t *link;
        uint32_t n, at = from;
        if (ps_routes_find(routes, from, to, &link, &n, NULL) < 0) {
                fuzz_must(!must_be);
                return;
        }
        for (uint32_t i = 0; i < n; i++) {
                ps_network_link hop = ps_network_link_at(network, link[i]);
                fuzz_must(hop.from == at && ps_network_find(network, hop.from, hop.to) == link[i]);
                at = hop.to;
        }
        fuzz_must(at == to && n < ps_network_nodes(network));
}

static void check_packets(const ps_network *network, uint32_t peers, int reachable)
{
        ps_routes *routes;
        ps_links *links;
        fuzz_must(ps_routes_new(&routes, network, NULL) == PS_OK);
        fuzz_must(ps_links_new(&links, network, 1e3, NULL) == PS_OK);
        int good = 1;
        for (uint32_t i = 0; i < 3 * peers * peers; i++) {
                uint32_t from = i % peers, to = i / peers % peers;
                ps_time injected = (ps_time)(i * 7919 % 100000), arrival;
                check_route(network, routes, from, to, reachable);
                if (good && ps_links_send(links, from, to, i % 5, injected, &arrival, NULL) == PS_OK) {
                        fuzz_must(arrival >= injected);
                } else {
                        good = 0; /* after an error, links are only to be freed */
                }
        }
        ps_links_free(links);
        ps_routes_free(routes);
}

static int open_preset(ps_network **network, const uint8_t *data, size_t size)
{
        char spec[SPEC + 1] = "";
        int digits = 0;
        for (size_t i = 0; i < size; i++)
                digits += isdigit(data[i]) != 0;
        if (size < 1 || size > SPEC || digits > DIGITS) /* large networks take long */
                return 0;
        memcpy(spec, data + 1, size - 1);
        return ps_network_preset(network, spec, data[0] % 40, NULL) == PS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        ps_network *network = NULL;
        if (size > 0 && data[0] == ':'
                    ? !open_preset(&network, data + 1, size - 1)
                    : ps_network_parse(&network, "net", (const char *)data, size, NULL) < 0)
                return 0;
        uint32_t nodes = ps_network_nodes(network), peers = nodes < PEERS ? nodes : PEERS;
        check_writing(network);
        check_packets(network, peers, ps_network_check(network, peers, NULL) == PS_OK);
        ps_network_free(network);
        return 0;
}
