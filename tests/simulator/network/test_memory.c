/* test_memory.c - networks, routes and packets in which each allocation fails in turn. */
#include "simulator/network/links.h"
#include "tests/simulator/network/lab.h"
#include "tests/support/damage.h"
#include "tests/support/failing_memory.h"
#include "tests/support/test.h"
#include <stdio.h>
#include <string.h>

/* So many that routes grow, links are many, and gaps fill more blocks than one. */
static ps_status send_packets(const ps_network *network, uint32_t n_processors, ps_error *err)
{
        ps_links *links = NULL;
        uint64_t seed = 3;
        ps_status status = ps_links_new(&links, network, 1, err);
        for (int i = 0; i < 2000 && status == PS_OK; i++) {
                uint32_t from = (uint32_t)draw(&seed, n_processors), to = (uint32_t)draw(&seed, n_processors);
                ps_time at = (ps_time)draw(&seed, 1000000), arrival;
                status = ps_links_send(links, from, to, 10, at, &arrival, err);
        }
        ps_links_free(links);
        return status;
}

static ps_status open_and_send(const char *name, uint32_t n_processors, ps_error *err)
{
        ps_network *network = NULL;
        ps_status status = ps_network_open(&network, name, n_processors, err);
        if (status == PS_OK)
                status = send_packets(network, n_processors, err);
        ps_network_free(network);
        return status;
}

static void fail_each(const char *name, uint32_t n_processors)
{
        long n = 0;
        for (int done = 0; !done; n++) {
                ps_error err = {0};
                allocations_left = n;
                ps_status status = open_and_send(name, n_processors, &err);
                done = allocations_left >= 0;
                allocations_left = -1;
                if (done ? status != PS_OK
                         : status != PS_E_NOMEM || err.status != PS_E_NOMEM || !err.n_causes)
                        fail_msg("%s: allocation %ld: status %d", name, n, status);
        }
        assert_true(n > 5);
}

TEST(every_allocation_may_fail)
{
        fail_each("ring", 40);
        fail_each("fattree", 16);
        fail_each("crossbar", 12);
}

TEST(every_allocation_for_a_file_may_fail)
{
        char *folder = ps_dir_new(), path[512];
        snprintf(path, sizeof path, "%s/net", folder);
        ps_network *ring = lab_preset("ring", 40);
        char *text = lab_write(ring);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
        assert_int_equal(fclose(file), 0);
        fail_each(path, 40);
        free(text);
        ps_network_free(ring);
        ps_dir_remove(folder);
        free(folder);
}
