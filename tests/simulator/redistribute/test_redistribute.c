/* test_redistribute.c - redistribution against its definition, element by element, and against examples
 * worked out by hand. */
#include "simulator/redistribute/load.h"
#include "simulator/redistribute/time.h"
#include "tests/simulator/redistribute/naive.h"
#include "tests/support/draw.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static ps_redist *make(const char *text, const char *grids)
{
        ps_redist_spec spec;
        ps_redist_grid grid[PS_REDIST_SIDES];
        ps_redist *r;
        ps_error err = {0};

        assert_int_equal(ps_redist_spec_parse(&spec, text, &err), PS_OK);
        assert_int_equal(spec.element_bytes, 8);
        assert_int_equal(ps_redist_grids_parse(grid, grids, "--grid", &err), PS_OK);
        if (spec.extent[0] > UINT64_C(1) << 30)
                spec.element_bytes = 1;
        if (ps_redist_new(&r, &spec, grid, &err))
                fail_msg("%s on %s: %s", text, grids, err.cause[0].text);
        return r;
}

static void assert_cells(const ps_redist *r, const uint64_t *matrix)
{
        uint32_t n = r->grid[1].procs;
        size_t k = 0;

        for (uint32_t i = 0; i < r->grid[0].procs * n; i++) {
                if (!matrix[i])
                        continue;
                assert_true(k < r->transfers.n);
                assert_int_equal(r->transfers.row[k].source, i / n);
                assert_int_equal(r->transfers.row[k].destination, i % n);
                assert_int_equal(r->transfers.row[k++].elements, matrix[i]);
        }
        assert_int_equal(k, r->transfers.n);
}

TEST(sizes_that_divide_move_equal_parts)
{
        static const uint64_t wanted[] = {8, 4, 4, 4, 4, 8, 4, 4, 4, 4, 8, 4, 4, 4, 4, 8};
        ps_redist *r = make("A(80): cyclic(10)->cyclic(2)", "4");

        assert_cells(r, wanted);
        assert_int_equal(r->sums.messages, 12);
        assert_int_equal(r->sums.elements, 48);
        assert_int_equal(r->sums.bytes, 384);
        assert_int_equal(r->sums.local_elements, 32);
        assert_int_equal(r->sums.largest, 4);
        ps_redist_free(r);
}

TEST(a_rest_moves_unequal_parts)
{
        static const uint64_t wanted[] = {6, 6, 6, 0, 6, 6, 0, 6, 4, 0, 4, 4, 0, 4, 4, 4};
        ps_redist *r = make("A(60): cyclic(6)->cyclic(2)", "4");

        assert_cells(r, wanted);
        assert_int_equal(r->sums.messages, 8);
        assert_int_equal(r->sums.elements, 40);
        ps_redist_free(r);
}

TEST(rows_to_columns)
{
        ps_redist *r = make("B(16,16): block,* -> *,block", "4");

        assert_int_equal(r->transfers.n, 16);
        for (size_t i = 0; i < r->transfers.n; i++)
                assert_int_equal(r->transfers.row[i].elements, 16); /* 128 bytes of double */
        assert_int_equal(r->sums.messages, 12);
        ps_redist_free(r);
}

/* Eight elements on four processors, then everywhere: each of them sends its two to three others. */
TEST(everywhere_means_a_copy_for_each)
{
        ps_redist *r = make("A(8): dvm-block -> *", "4");

        assert_int_equal(r->sums.messages, 12);
        assert_int_equal(r->sums.largest, 2);
        ps_redist_free(r);
        r = make("A(8): * -> cyclic(3)", "4");
        assert_int_equal(r->sums.messages, 0);
        assert_int_equal(r->sums.local_elements, 8);
        ps_redist_free(r);
        /* The two that are new ask the last one that has it. */
        r = make("A(8): * -> *", "4->6");
        assert_int_equal(r->sums.messages, 2);
        assert_int_equal(r->transfers.row[r->transfers.n - 1].source, 3);
        ps_redist_free(r);
}

TEST(blocks_of_dvm_and_hpf_differ)
{
        /* 10 elements on 4: DVM has 2, 3, 2, 3, and HPF 3, 3, 3, 1. */
        static const uint64_t wanted[] = {2, 0, 0, 0, 1, 2, 0, 0, 0, 1, 1, 0, 0, 0, 2, 1};
        ps_redist *r = make("A(10): dvm-block -> block", "4");

        assert_cells(r, wanted);
        ps_redist_free(r);
}

/* An array of 2^62 elements takes no longer than a small one, and nothing overflows. */
TEST(huge_arrays_take_no_longer)
{
        static const char *const texts[] = {
                "A(4611686018427387904): cyclic(4611686018427387904) -> cyclic",
                "A(4611686018427387904): cyclic -> cyclic(4611686018427387903)",
                "A(4611686018427387904): cyclic(30) -> cyclic(10)",
                "A(4611686018427387904): block -> cyclic(3)",
                "A(4611686018427387904): dvm-block -> block",
                "A(4611686018427387904): dvm-block -> cyclic(4611686018427387904)",
                "A(4611686018427387904): cyclic(1009) -> cyclic(1013)",
                "A(2147483648,2147483647): cyclic(7),* -> *,cyclic(5)",
        };

        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                ps_redist *r = make(texts[i], "7");
                uint64_t wanted = i == 7 ? (UINT64_C(1) << 31) * 2147483647u : UINT64_C(1) << 62;
                assert_int_equal(r->sums.elements + r->sums.local_elements, wanted);
                ps_redist_plan plan = {0};
                assert_int_equal(ps_redist_plan_check(r, NULL), PS_OK);
                for (size_t t = 0; t < r->transfers.n; t++)
                        assert_int_equal(ps_redist_plan_transfer(&plan, r, &r->transfers.row[t], NULL),
                                         PS_OK);
                ps_redist_plan_free(&plan);
                ps_redist_free(r);
        }
}

/* -- on machines with TS = 75 us and TB = 0.2 us for a byte: nanoseconds -- */

static int64_t time_ns(const ps_redist *r, ps_model model, ps_pipelining pipelining)
{
        ps_machine machine;
        ps_time time;

        ps_machine_init(&machine, model);
        machine.link = (ps_link){75e-6, 5e6};
        assert_int_equal(ps_redist_time(&time, r, &machine, pipelining, NULL), PS_OK);
        ps_machine_clear(&machine);
        assert_int_equal(time % PS_PS_PER_NS, 0);
        return time / PS_PS_PER_NS;
}

TEST(times_follow_from_bus_and_grid)
{
        /* The bus takes one message after the other; the grid is as slow as the largest of its longest ways.
         */
        static const struct {
                const char *text, *grids;
                int64_t bus_ns, grid_ns;
        } cases[] = {
                {"A(80): cyclic(10)->cyclic(2)", "4", 976800, 244200}, /* 12 of 32 bytes; 3 steps */
                {"A(60): cyclic(6)->cyclic(2)", "4", 664000,
                 169200}, /* 4 of 48 bytes, of 2 steps each, and 4 of 32 */
                {"B(16,16): block,* -> *,block", "4", 1207200, 301800}, /* 12 of 128 bytes; 3 steps */
                {"C(8): dvm-block -> *", "4", 938400, 234600},          /* 12 of 16 bytes; 3 steps */
                {"C(8): * -> dvm-block", "4", 0, 0},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_redist *r = make(cases[i].text, cases[i].grids);
                assert_int_equal(time_ns(r, PS_MODEL_BUS, PS_PIPELINING_CODE), cases[i].bus_ns);
                assert_int_equal(time_ns(r, PS_MODEL_TRANSPUTER, PS_PIPELINING_CODE), cases[i].grid_ns);
                ps_redist_free(r);
        }
}

TEST(loads_are_sums_of_rows_and_columns)
{
        ps_redist *r = make("A(60): cyclic(6)->cyclic(2)", "4");
        ps_redist_loads loads;

        /* Rows send 12, 12, 8, 8 in two messages each; columns receive 10, 10, 10, 10: 6 + 4. */
        assert_int_equal(ps_redist_loads_find(&loads, r, NULL), PS_OK);
        assert_int_equal(loads.side[PS_REDIST_SOURCE].least_elements, 8);
        assert_int_equal(loads.side[PS_REDIST_SOURCE].most_elements, 12);
        assert_int_equal(loads.side[PS_REDIST_DESTINATION].least_elements, 10);
        assert_int_equal(loads.side[PS_REDIST_DESTINATION].most_messages, 2);
        assert_int_equal(loads.n_sizes, 2);
        assert_int_equal(loads.size[0].elements, 6);
        assert_int_equal(loads.size[0].messages, 4);
        assert_int_equal(loads.size[1].elements, 4);
        assert_int_equal(loads.size[1].messages, 4);
        ps_redist_free(r);
}

static void random_format(ps_redist_format *out, uint64_t *seed, uint64_t blocks)
{
        *out = (ps_redist_format){.kind = (ps_redist_kind)draw(seed, 4)};
        if (out->kind == PS_REDIST_WHOLE && draw(seed, 2))
                out->kind = PS_REDIST_CYCLIC;
        if (out->kind == PS_REDIST_CYCLIC)
                out->block = 1 + draw(seed, blocks);
}

static void random_grid(ps_redist_grid *out, uint64_t *seed, unsigned n_axes, uint64_t most)
{
        *out = (ps_redist_grid){.n_axes = n_axes, .procs = 1};
        for (unsigned a = 0; a < n_axes; a++) {
                out->size[a] = 1 + (uint32_t)draw(seed, most);
                out->procs *= out->size[a];
        }
}

/* Gives the last dimension axis 1 now and then, so that the others have to make room. */
static void random_axis(ps_redist_spec *spec, unsigned side, uint64_t *seed)
{
        ps_redist_format *last = &spec->format[side][spec->n_dims - 1];

        if (last->kind != PS_REDIST_WHOLE && draw(seed, 3) == 0)
                last->axis = 1;
}

static void check_random(uint64_t *seed, unsigned n_dims, unsigned n_axes)
{
        ps_redist_spec spec = {.name = "A", .n_dims = n_dims};
        ps_redist_grid grid[PS_REDIST_SIDES];
        ps_redist *r;
        naive_redist naive;

        for (unsigned d = 0; d < n_dims; d++) {
                spec.extent[d] = draw(seed, n_dims == 1 ? 300 : n_dims == 2 ? 24 : 9);
                for (unsigned side = 0; side < PS_REDIST_SIDES; side++)
                        random_format(&spec.format[side][d], seed, n_dims == 1 ? 14 : 5);
        }
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++) {
                random_grid(&grid[side], seed, n_axes, n_axes == 1 ? 9 : n_axes == 2 ? 4 : 3);
                random_axis(&spec, side, seed);
        }
        if (draw(seed, 2))
                grid[1] = grid[0];
        assert_int_equal(ps_redist_new(&r, &spec, grid, NULL), PS_OK);
        naive_redist_make(&naive, r);
        naive_redist_assert_matrix(&naive, r);
        naive_redist_assert_plan(&naive, r);
        naive_redist_free(&naive);
        ps_redist_free(r);
}

TEST(random_layouts_agree_with_counting)
{
        uint64_t seed = 7;

        for (int i = 0; i < 5000; i++)
                check_random(&seed, 1, 1);
        for (int i = 0; i < 1500; i++)
                check_random(&seed, 1, 2);
        for (int i = 0; i < 1500; i++)
                check_random(&seed, 2, 2);
        for (int i = 0; i < 500; i++)
                check_random(&seed, 3, 3);
}

/* r -> kr is kr -> r the other way round. */
TEST(the_way_back_is_the_transpose)
{
        uint64_t seed = 11;

        for (int i = 0; i < 3000; i++) {
                ps_redist_line a = {draw(&seed, 100000), 1 + draw(&seed, 40), 1 + (uint32_t)draw(&seed, 12)};
                ps_redist_line b = {a.extent, 1 + draw(&seed, 40), 1 + (uint32_t)draw(&seed, 12)};
                ps_redist_list there, back;
                assert_int_equal(ps_redist_line_transfers(&there, &a, &b, NULL), PS_OK);
                assert_int_equal(ps_redist_line_transfers(&back, &b, &a, NULL), PS_OK);
                assert_int_equal(there.n, back.n);
                uint64_t sum = 0, weighed[2] = {0, 0};
                for (size_t k = 0; k < there.n; k++) {
                        const ps_redist_transfer *t = &there.row[k], *u = &back.row[k];
                        assert_true(!k || t[-1].source < t->source ||
                                    (t[-1].source == t->source && t[-1].destination < t->destination));
                        sum += t->elements;
                        weighed[0] += t->elements * (31 * t->source + 1) * (17 * t->destination + 3);
                        weighed[1] += u->elements * (31 * u->destination + 1) * (17 * u->source + 3);
                }
                assert_int_equal(sum, a.extent);
                assert_int_equal(weighed[0], weighed[1]);
                ps_redist_list_free(&there);
                ps_redist_list_free(&back);
        }
}

/* What lies between two ends of blocks, of either side, has one owner before and one after. */
TEST(merged_ends_agree_with_counting)
{
        enum { PROCS = 60 };
        static uint64_t matrix[PROCS * PROCS];
        uint64_t seed = 13;

        for (int i = 0; i < 600; i++) {
                uint64_t n = draw(&seed, 200000), r = 1 + draw(&seed, 50), k = 1 + draw(&seed, 80);
                ps_redist_line a = {n, i % 3 ? k * r : 1 + draw(&seed, 500),
                                    1 + (uint32_t)draw(&seed, PROCS)};
                ps_redist_line b = {n, r, i % 2 ? a.procs : 1 + (uint32_t)draw(&seed, PROCS)};
                ps_redist_list list;
                memset(matrix, 0, sizeof(matrix));
                for (uint64_t at = 0, next; at < n; at = next) {
                        uint64_t end_a = (at / a.block + 1) * a.block, end_b = (at / b.block + 1) * b.block;
                        next = end_a < end_b ? end_a : end_b;
                        next = next < n ? next : n;
                        matrix[at / a.block % a.procs * PROCS + at / b.block % b.procs] += next - at;
                }
                assert_int_equal(ps_redist_line_transfers(&list, &a, &b, NULL), PS_OK);
                for (size_t t = 0; t < list.n; t++)
                        matrix[list.row[t].source * PROCS + list.row[t].destination] -= list.row[t].elements;
                for (size_t cell = 0; cell < PROCS * PROCS; cell++)
                        assert_int_equal(matrix[cell], 0);
                ps_redist_list_free(&list);
        }
}

/* [text, where it is wrong] */
static const char *const bad_specs[][2] = {
        {"", "column=1"},
        {"A", "column=2"},
        {"A(", "column=3"},
        {"A()", "column=3"},
        {"A(-1): block->block", "column=3"},
        {"A(1,): block->block", "column=5"},
        {"A(10) block->block", "column=7"},
        {"A(10): block", "column=13"},
        {"A(10): block->", "column=15"},
        {"A(10): block->block->block", "column=20"},
        {"A(10): block,block->block", "column=13"},
        {"A(10,10): block->block,*", "column=16"},
        {"A(10): block(3)->block", "column=13"},
        {"A(10): block-cyclic(0)->block", "column=21"},
        {"A(10): cyclic(0)->block", "column=15"},
        {"A(10): cyclic()->block", "column=15"},
        {"A(10): cyclic((2))->block", "column=15"},
        {"A(10): cyclic(2->block", "column=16"},
        {"A(10): cyclic(2)@0->block", "column=18"},
        {"A(10): *@1->block", "column=9"},
        {"A(10): star->block", "column=8"},
        {"A(4611686018427387905): block->block", "column=3"},
        {"A(99999999999999999999999999): block->block", "column=3"},
        {"A(10): block->block \001", "byte 1"},
        {"A(1,1,1,1,1,1,1,1,1): *->*", "column=19"},
        {"(10)(10): block->block", "column=5"},
        {"A(10): block \xe2\x86\x92 block", "byte 226"},
};

TEST(bad_specs_are_refused_with_the_reason)
{
        for (size_t i = 0; i < sizeof(bad_specs) / sizeof(*bad_specs); i++) {
                ps_redist_spec spec;
                ps_error err = {0};
                assert_int_equal(ps_redist_spec_parse(&spec, bad_specs[i][0], &err), PS_E_USAGE);
                assert_int_equal(err.n_causes, 2);
                if (!strstr(err.cause[0].text, bad_specs[i][1]))
                        fail_msg("%s: %s, not %s", bad_specs[i][0], err.cause[0].text, bad_specs[i][1]);
        }
}

/* Long and deep texts end with an error, not with the stack. */
TEST(long_specs_end_with_an_error)
{
        static const char *const units[] = {"(", "A", "1", ",", "cyclic(", "->", " ", "*,", "@"};

        for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
                size_t n = strlen(units[i]), times = 100000;
                char *text = malloc(n * times + 1);
                ps_redist_spec spec;
                assert_non_null(text);
                for (size_t k = 0; k < times; k++)
                        memcpy(text + k * n, units[i], n);
                text[n * times] = '\0';
                assert_int_equal(ps_redist_spec_parse(&spec, text, NULL), PS_E_USAGE);
                free(text);
        }
}

static const char *const bad_grids[][2] = {
        {"", "column=1"},        {"0", "column=1"},        {"2x", "column=3"},      {"2x2x", "column=5"},
        {"x2", "column=1"},      {"2->", "column=4"},      {"2->3->4", "column=5"}, {"-4", "column=1"},
        {"1048577", "column=1"}, {"2048x513", "column=6"}, {"4.5", "column=2"},     {"1x1x1x1x1", "column=9"},
};

TEST(bad_grids_are_refused_with_the_reason)
{
        for (size_t i = 0; i < sizeof(bad_grids) / sizeof(*bad_grids); i++) {
                ps_redist_grid grid[PS_REDIST_SIDES];
                ps_error err = {0};
                assert_int_equal(ps_redist_grids_parse(grid, bad_grids[i][0], "--grid", &err), PS_E_USAGE);
                if (!strstr(err.cause[0].text, bad_grids[i][1]))
                        fail_msg("%s: %s, not %s", bad_grids[i][0], err.cause[0].text, bad_grids[i][1]);
        }
}

/* [spec, grid, what the error says] */
static const char *const impossible[][3] = {
        {"A(9,9): block,block->*,*", "4", "column=15"},
        {"A(9,9): block,block@1->block,block", "4", "column=9"},
        {"A(9,9): block@1,block@1->*,*", "2x2", "axis=1"},
        {"A(9): block->block@3", "2x2", "axes=2"},
        {"A(4611686018427387904): block->cyclic", "10", "too many bytes"},
        {"A(4611686018427387904): block->*", "4", "the array has too many elements"},
        {"A(4611686018427387904,4): block,*->block,*", "4", "the array has too many elements"},
        {"A(1000000000): block->cyclic", "20000", "too many transfers"},
        {"A(1000000000000000): cyclic(1000003)->cyclic(1000033)", "10000", "too many blocks"},
        {"A(100000,100000): cyclic,*->*,cyclic", "1048576", "too many transfers"},
};

TEST(impossible_specs_are_refused)
{
        for (size_t i = 0; i < sizeof(impossible) / sizeof(*impossible); i++) {
                ps_redist_spec spec;
                ps_redist_grid grid[PS_REDIST_SIDES];
                ps_redist *r = NULL;
                ps_error err = {0};
                assert_int_equal(ps_redist_spec_parse(&spec, impossible[i][0], NULL), PS_OK);
                assert_int_equal(ps_redist_grids_parse(grid, impossible[i][1], "--grid", NULL), PS_OK);
                assert_int_equal(ps_redist_new(&r, &spec, grid, &err), PS_E_USAGE);
                assert_null(r);
                if (!strstr(err.cause[0].text, impossible[i][2]))
                        fail_msg("%s: %s", impossible[i][0], err.cause[0].text);
        }
}

/* The words of a spec may be written in many ways that mean the same. */
TEST(many_spellings_mean_the_same)
{
        ps_redist_spec a, b;

        assert_int_equal(ps_redist_spec_parse(&a, "A(10,20):cyclic(1),*->*,dvm-block@1", NULL), PS_OK);
        assert_int_equal(ps_redist_spec_parse(
                                 &b, " A ( 10 , 20 )\n: Block-CYCLIC ( 1 ) , * -> * , Dvm-Block @ 1\t", NULL),
                         PS_OK);
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++)
                for (unsigned d = 0; d < 2; d++)
                        a.format[side][d].column = b.format[side][d].column = 0;
        assert_memory_equal(&a, &b, sizeof(a));
}
