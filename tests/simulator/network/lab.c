/* lab.c - see lab.h. */
#include "tests/simulator/network/lab.h"
#include "tests/support/damage.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char lab_tree4[] = "7\n0 4 1 -1\n1 4 1 -1\n2 5 1 -1\n3 5 1 -1\n"
                         "4 0 1 1 1 6 3 -1\n5 2 1 3 1 6 3 -1\n6 4 3 5 3 -1\n";

ps_network *lab_parse(const char *text)
{
        ps_network *network = NULL;
        ps_error err = {0};
        if (ps_network_parse(&network, "test", text, strlen(text), &err) < 0)
                ps_test_die("cannot parse: %s", err.cause[0].text);
        return network;
}

ps_network *lab_preset(const char *spec, uint32_t n_processors)
{
        ps_network *network = NULL;
        ps_error err = {0};
        if (ps_network_open(&network, spec, n_processors, &err) < 0)
                ps_test_die("no preset: %s", err.cause[0].text);
        return network;
}

char *lab_write(const ps_network *network)
{
        char *text = NULL;
        size_t len = 0;
        uint32_t n_nodes = ps_network_nodes(network), n_links = ps_network_links(network);
        FILE *file = open_memstream(&text, &len);
        if (!file)
                ps_test_die("cannot write a network");
        fprintf(file, "%" PRIu32 "\n", n_nodes);
        for (uint32_t node = 0, i = 0; node < n_nodes; node++) {
                fprintf(file, "%" PRIu32, node);
                for (; i < n_links && ps_network_link_at(network, i).from == node; i++) {
                        ps_network_link link = ps_network_link_at(network, i);
                        fprintf(file, " %" PRIu32 " %.17g", link.to, link.weight);
                }
                fputs(" -1\n", file);
        }
        fclose(file);
        return text;
}

static ps_network *read_given(const char *folder, const char *name)
{
        char path[1024];
        ps_network *network = NULL;
        ps_error err = {0};
        snprintf(path, sizeof path, "%s/%s", folder, name);
        FILE *file = fopen(path, "rb");
        if (!file)
                return NULL;
        fclose(file);
        if (ps_network_read(&network, path, &err) < 0)
                ps_test_die("cannot read: %s", err.cause[0].text);
        return network;
}

ps_network *lab_given(const char *name)
{
        const char *given = getenv("PATSCAN_NETWORKS");
        ps_network *network = NULL;
        glob_t found = {0};
        if (given)
                return read_given(given, name);
        if (!glob("../*/traces/picl", 0, NULL, &found))
                for (size_t i = 0; i < found.gl_pathc && !network; i++)
                        network = read_given(found.gl_pathv[i], name);
        globfree(&found);
        return network;
}

ps_network *lab_random(uint64_t *seed, uint32_t n_nodes, const double *weights, uint32_t n_weights)
{
        char *text = NULL;
        size_t len = 0;
        FILE *file = open_memstream(&text, &len);
        if (!file)
                ps_test_die("no memory");
        fprintf(file, "%u\n", n_nodes);
        for (uint32_t v = n_nodes; v-- > 0; fputs(" -1\n", file)) {
                fprintf(file, "%u", v);
                for (uint32_t to = n_nodes; to-- > 0;)
                        if (to != v && draw(seed, n_nodes) < 3)
                                fprintf(file, "\t%u  %.17g", to, weights[draw(seed, n_weights)]);
        }
        fclose(file);
        ps_network *network = lab_parse(text);
        free(text);
        return network;
}
