/* test_linkload.c - the load of links, added up by hand. */
#include "simulator/network/linkload.h"
#include "tests/support/test.h"
#include <string.h>

/* Four processors below two switches below a third one. */
static const char tree[] =
        "7\n0 4 1 -1\n1 4 1 -1\n2 5 1 -1\n3 5 1 -1\n4 0 1 1 1 6 2 -1\n5 2 1 3 1 6 2 -1\n6 4 2 5 2 -1\n";

static void expect(const ps_link_load_row *row, uint32_t from, uint32_t to, uint64_t messages, uint64_t bytes,
                   double load)
{
        assert_int_equal(row->from, from);
        assert_int_equal(row->to, to);
        assert_int_equal(row->messages, messages);
        assert_int_equal(row->bytes, bytes);
        assert_true(row->load == load);
}

/* 0 to 1 goes by 4; 0 to 3 by 4, 6 and 5; a message to oneself goes nowhere. */
TEST(bytes_add_up_along_the_ways)
{
        ps_profile_pair pairs[] = {{0, 0, 7, 700}, {0, 1, 1, 10}, {0, 3, 2, 60}, {1, 3, 1, 4}};
        ps_profile profile = {.pairs = pairs, .n_pairs = 4};
        ps_network *network;
        ps_link_load *load;
        assert_int_equal(ps_network_parse(&network, "tree", tree, strlen(tree), NULL), PS_OK);
        assert_int_equal(ps_link_load_make(&load, &profile, network, NULL), PS_OK);
        assert_int_equal(load->n_rows, 6);
        assert_int_equal(load->n_links, 12);
        assert_int_equal(load->n_messages, 4);
        assert_int_equal(load->n_hops, 1 * 2 + 2 * 4 + 1 * 4);
        assert_int_equal(load->n_bytes, 10 * 2 + 60 * 4 + 4 * 4);
        expect(&load->rows[0], 0, 4, 3, 70, 70);
        expect(&load->rows[1], 5, 3, 3, 64, 64);
        expect(&load->rows[2], 4, 6, 3, 64, 32); /* twice as wide */
        expect(&load->rows[3], 6, 5, 3, 64, 32);
        expect(&load->rows[4], 4, 1, 1, 10, 10);
        expect(&load->rows[5], 1, 4, 1, 4, 4);
        ps_link_load_free(load);
        ps_network_free(network);
}

TEST(a_run_without_messages_loads_nothing)
{
        ps_profile profile = {.n_pairs = 0};
        ps_network *network;
        ps_link_load *load;
        assert_int_equal(ps_network_open(&network, "ring", 4, NULL), PS_OK);
        assert_int_equal(ps_link_load_make(&load, &profile, network, NULL), PS_OK);
        assert_int_equal(load->n_rows, 0);
        assert_int_equal(load->n_hops, 0);
        ps_link_load_free(load);
        ps_network_free(network);
}
