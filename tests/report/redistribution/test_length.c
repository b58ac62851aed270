/* test_length.c - what is said of the length of a plan before it is written. */
#include "report/redistribution/redistribution.h"
#include "tests/support/test.h"

#include <string.h>

static ps_redist *redist_of(const char *text, const char *grids)
{
        ps_redist_spec spec;
        ps_redist_grid grid[PS_REDIST_SIDES];
        ps_redist *r;

        assert_int_equal(ps_redist_spec_parse(&spec, text, NULL), PS_OK);
        assert_int_equal(ps_redist_grids_parse(grid, grids, "--grid", NULL), PS_OK);
        assert_int_equal(ps_redist_new(&r, &spec, grid, NULL), PS_OK);
        return r;
}

/* It is never more than what is written, and not much less. */
TEST(the_least_length_of_a_plan_is_known_before)
{
        static const char *const cases[][2] = {{"A(80): cyclic(10)->cyclic(2)", "4"},
                                               {"A(0): block->cyclic", "4"},
                                               {"A(1): block->cyclic", "1"},
                                               {"A(100,200): block,cyclic(4) -> cyclic,block@1", "2x3"},
                                               {"A(3,3,3): block,block,* -> *,block,block", "2x2"},
                                               {"A(5000): block->cyclic(2)", "5000"},
                                               {"A(7,9): block,* -> *,block", "3->5"}};
        enum { HEAD = 1000 }; /* what stands before the transfers */

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_redist *r = redist_of(cases[i][0], cases[i][1]);
                ps_redist_loads loads;
                ps_output *out;
                assert_int_equal(ps_redist_loads_find(&loads, r, NULL), PS_OK);
                assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
                assert_int_equal(ps_redist_write_json(
                                         &(ps_redist_report){.redist = r, .loads = &loads, .with_plan = true},
                                         out, NULL),
                                 PS_OK);
                uint64_t n = strlen(ps_output_text(out)), least = ps_redist_json_least(r);
                if (least > n || n > 2 * least + HEAD)
                        fail_msg("%s: %llu bytes, not about %llu", cases[i][0], (unsigned long long)n,
                                 (unsigned long long)least);
                ps_output_discard(out);
                ps_redist_free(r);
        }
}

/* 1e6 transfers: each some 200 bytes. */
TEST(a_million_processors_have_a_long_plan)
{
        ps_redist *r = redist_of("A(1000000): block->cyclic(2)", "1000000");

        assert_true(ps_redist_json_least(r) > 150000000);
        assert_true(ps_redist_json_least(r) < 250000000);
        ps_redist_free(r);
}
