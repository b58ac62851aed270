/* test_rank_map.c - files of pairs of ranks. */
#include "core/model/rank_map.h"
#include "tests/support/test.h"

#include <stdlib.h>

TEST(maps_of_ranks_are_read)
{
        static const char *const bad[] = {"",    "# none\n", "0",        "0 1 2",
                                          "a b", "0 -1",     "0 1\n0 2", "0 99999999999"};
        uint32_t *map, n;

        assert_int_equal(ps_rank_map_parse(&map, &n, "# m p\n\n 3 0 # last\r\n0\t2", "m", "A B", NULL),
                         PS_OK);
        assert_int_equal(n, 4);
        assert_memory_equal(map, ((uint32_t[]){2, PS_NONE, PS_NONE, 0}), 4 * sizeof(*map));
        free(map);
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                assert_int_equal(ps_rank_map_parse(&map, &n, bad[i], "m", "A B", NULL), PS_E_INPUT);
}
