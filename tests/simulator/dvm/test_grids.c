/* test_grids.c - the grids and the distributions that are asked for in words, and a program on several grids.
 */
#include "simulator/dvm/dvm.h"
#include "tests/simulator/dvm/runs.h"
#include "tests/support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The grids, separated by blanks; or "error". */
static void expect(ps_grid_list *list, ps_status status, const char *expected)
{
        char text[4096] = "", room[PS_GRID_ROOM];
        size_t n = 0;
        for (uint32_t i = 0; i < list->n && status == PS_OK; i++)
                n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? " " : "",
                                      ps_grid_text(room, &list->row[i]));
        assert_string_equal(status == PS_OK ? text : "error", expected);
        ps_grid_list_free(list);
}

TEST(grids_and_ranges)
{
        static const struct {
                const char *text, *grids;
        } cases[] = {
                {"4", "4"},
                {"2x2", "2x2"},
                {"1x1..2x3", "1x1 1x2 1x3 2x1 2x2 2x3"},
                {"1x16..16x1", "1x16 2x8 4x4 8x2 16x1"},
                {"16x1..1x16", "1x16 2x8 4x4 8x2 16x1"},
                {"2x8..8x2", "2x8 4x4 8x2"},
                {"1x1x12..12x1x1", "1x1x12 2x1x6 3x1x4 4x1x3 6x1x2 12x1x1"},
                {"3..5", "3 4 5"},
                {"2x3..2x3,7", "2x3 7"},
                {"1x2x2x1", "1x2x2x1"},
                {"1048576", "1048576"},
        };
        static const char *const bad[] = {"",
                                          "x2",
                                          "2x",
                                          "0x2",
                                          "2x2..",
                                          "2x2..4",
                                          "2,",
                                          "2x2 ",
                                          "1x1x1x1x1",
                                          "1048577",
                                          "2048x1024",
                                          "-2",
                                          "2x+2",
                                          "..2",
                                          "2...3",
                                          "2X2",
                                          "99999999999999999999",
                                          "1..5000"};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_grid_list list = {0};
                expect(&list, ps_grids_parse(&list, cases[i].text, NULL), cases[i].grids);
        }
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                ps_grid_list list = {0};
                expect(&list, ps_grids_parse(&list, bad[i], NULL), "error");
        }
}

TEST(numbers_of_processors)
{
        ps_grid_list list = {0};
        expect(&list, ps_grids_of_procs(&list, "6", 2, NULL), "1x6 2x3 3x2 6x1");
        expect(&list, ps_grids_of_procs(&list, "1,2,4", 1, NULL), "1 2 4");
        expect(&list, ps_grids_of_procs(&list, "4", 3, NULL), "1x1x4 1x2x2 1x4x1 2x1x2 2x2x1 4x1x1");
        expect(&list, ps_grids_of_procs(&list, "0", 1, NULL), "error");
        expect(&list, ps_grids_of_procs(&list, "2x2", 2, NULL), "error");
        expect(&list, ps_grids_of_procs(&list, "2,", 2, NULL), "error");
        expect(&list, ps_grids_of_procs(&list, "1048577", 1, NULL), "error");
}

static ps_status parse(ps_overrides *out, const char *text)
{
        return ps_overrides_parse(out, &text, 1, NULL);
}

TEST(distributions)
{
        ps_overrides o;
        assert_int_equal(parse(&o, "dir/t.cdv:10=block,*,wblock(1,2.5,.5)@3,mult(4)"), PS_OK);
        assert_string_equal(o.row[0].file, "dir/t.cdv");
        assert_int_equal(o.row[0].line, 10);
        assert_int_equal(o.row[0].n, 4);
        static const uint32_t on[] = {1, 0, 3, 4};
        for (int t = 0; t < 4; t++)
                assert_int_equal(o.row[0].axis[t].on, on[t]);
        assert_int_equal(o.row[0].axis[2].n_weights, 3);
        assert_true(o.row[0].axis[2].weight[1] > 2.49 && o.row[0].axis[2].weight[1] < 2.51);
        assert_int_equal(o.row[0].axis[3].divisor, 4);
        assert_int_equal(o.row[0].axis[0].divisor, 1);
        ps_overrides_free(&o);
        assert_int_equal(parse(&o, "7=block"), PS_OK);
        assert_null(o.row[0].file);
        ps_overrides_free(&o);
        static const char *const bad[] = {
                "",           "t.cdv",         "t.cdv:=block",   "t.cdv:0=block",
                "1=",         "1=block,",      "1=cyclic",       "1=block@0",
                "1=block@5",  "1=block,*@2",   "1=mult(0)",      "1=mult(2",
                "1=wblock()", "1=wblock(0,0)", "1=wblock(1,-1)", "1=block@1,block@1",
                "1=blockx",   "1=wblock(nan)", "1=block block"};
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                if (parse(&o, bad[i]) != PS_E_USAGE)
                        fail_msg("accepted: %s", bad[i]);
                ps_overrides_free(&o);
        }
}

/* The times are those of test_run.c; of two rows that are as good the first is best. */
TEST(a_program_on_several_grids)
{
        ps_dvm *dvm = dvm_program(dvm_sample_jacobi());
        ps_machine machine = dvm_machine(PS_MODEL_BUS);
        const ps_dvm_options options = {.pipelining = PS_PIPELINING_CODE};
        ps_grid_list grids = {0};
        assert_int_equal(ps_grids_parse(&grids, "4x1,2x2,2x2", NULL), PS_OK);
        for (unsigned threads = 1; threads < 4; threads += 2) {
                ps_dvm_sweep sweep;
                assert_int_equal(ps_dvm_sweep_run(&sweep, dvm, &machine, &options, &grids, threads, NULL),
                                 PS_OK);
                assert_int_equal(sweep.n, 3);
                assert_int_equal(sweep.n_failed, 0);
                assert_string_equal(sweep.row[0].grid, "4x1");
                assert_int_equal(sweep.row[0].n_processors, 4);
                DVM_NEAR(sweep.row[0].sums.execution_s, .0091728);
                DVM_NEAR(sweep.row[1].sums.execution_s, .0076216);
                assert_true(!sweep.row[0].is_best && sweep.row[1].is_best && !sweep.row[2].is_best);
                ps_dvm_sweep_clear(&sweep);
        }
        ps_grid_list_free(&grids);
        ps_machine_clear(&machine);
        ps_dvm_free(dvm);
}
