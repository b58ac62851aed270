/* test_works.c - what processes count of the rows that each of them has is what one counts of all. */
#include "core/load/share.h"
#include "patterns/engine/intervals.h"
#include "patterns/engine/works.h"
#include "reader/reader.h"
#include "tests/support/crew/crew.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[] = {1, 2, 3, 4, 7};
static const char *const names[] = {"main"};

struct run {
        const char *path;
        ps_focus_wish wish;
        ps_clock_mode clock;
        ps_intervals *intervals;
        bool is_spread;
};

/* By process 0, and the others with it. */
static void measure(ps_exchange *x, void *ctx)
{
        struct run *run = ctx;
        ps_error err = {0};
        ps_trace *trace = NULL;
        ps_load_options options = {.n_threads = 1, .exchange = x, .focus = &run->wish, .clock = run->clock};
        if (x && x->rank) {
                ps_share_serve(x, ps_reader_named, ps_engine_works);
                return;
        }
        assert_int_equal(ps_trace_load(&trace, run->path, &options, &err), PS_OK);
        run->is_spread = ps_share_others(trace, &trace->measured);
        assert_int_equal(ps_intervals_of(&run->intervals, trace, &trace->measured, NULL, names, 1, 1, &err),
                         PS_OK);
        ps_share_forget(trace);
        assert_null(ps_share_others(trace, &trace->measured));
        ps_share_forget(trace);
        ps_trace_close(trace);
        if (x)
                ps_share_dismiss(x);
}

static void expect_equal(const ps_intervals *one, const ps_intervals *many)
{
        assert_int_equal(one->n, many->n);
        assert_int_equal(one->n_processors, many->n_processors);
        for (uint32_t i = 0; i < one->n; i++) {
                const ps_interval *a = &one->row[i], *b = &many->row[i];
                assert_memory_equal(a->operations, b->operations, sizeof(a->operations));
                assert_int_equal(!a->share, !b->share);
                if (a->share)
                        assert_memory_equal(a->share, b->share, one->n_processors * sizeof(*a->share));
        }
}

static uint64_t count_operations(const ps_intervals *intervals)
{
        uint64_t n = 0;
        for (uint32_t i = 0; i < intervals->n; i++)
                for (uint32_t cls = 0; cls < PS_IC_COUNT; cls++)
                        n += intervals->row[i].operations[cls];
        return n;
}

static void expect_same(const char *path, ps_focus_how how, ps_clock_mode clock)
{
        struct run one = {.path = path, .wish = {.how = how, .region = "main"}, .clock = clock};
        measure(NULL, &one);
        assert_true(count_operations(one.intervals) > 0);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                struct run many = one;
                crew_run(sizes[i], measure, &many);
                assert_true(!many.is_spread || sizes[i] > 1);
                expect_equal(one.intervals, many.intervals);
                ps_intervals_free(many.intervals);
        }
        ps_intervals_free(one.intervals);
}

TEST(operations_are_counted_where_their_rows_are)
{
        for (uint64_t seed = 1; seed <= 6; seed++) {
                ps_gen *g = random_program_of(seed);
                expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, PS_CLOCK_AS_IS);
                expect_same(ps_gen_anchor(g), PS_FOCUS_REGION, PS_CLOCK_AS_IS);
                expect_same(ps_gen_anchor(g), PS_FOCUS_PROGRAM, PS_CLOCK_REPAIR);
                ps_gen_free(g);
        }
}

/* Otherwise the others would wait for what is never asked, or count rows at times that are no more. */
TEST(only_what_was_read_by_several_and_left_as_it_was_is_spread)
{
        random_program p = {.seed = 1, .ranks = 4, .steps = 50};
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
        struct run run = {.path = ps_gen_anchor(g), .wish = {.how = PS_FOCUS_WHOLE_RUN}};
        run.clock = PS_CLOCK_AS_IS;
        crew_run(3, measure, &run);
        assert_true(run.is_spread);
        ps_intervals_free(run.intervals);
        run.clock = PS_CLOCK_REPAIR;
        crew_run(3, measure, &run);
        assert_false(run.is_spread);
        ps_intervals_free(run.intervals);
        ps_gen_free(g);
}

/* Of eight processes 0 and 5 communicate nothing before their end. */
static ps_gen *with_two_apart(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 8});
        static const uint32_t partner[8] = {0, 2, 1, 4, 3, 0, 7, 6};
        for (uint32_t rank = 0; rank < 8; rank++) {
                if (rank % 5)
                        ps_gen_sendrecv(g, rank, 100, 200, partner[rank], partner[rank], PS_GEN_WORLD, 3, 8);
                ps_gen_visit(g, rank, 300, 400, "MPI_Finalize");
        }
        ps_gen_close(g);
        return g;
}

static void find_apart(ps_exchange *x, void *ctx)
{
        const char *path = ctx;
        const ps_focus_wish wish = {.how = PS_FOCUS_PROGRAM};
        const ps_load_options options = {.n_threads = 1, .exchange = x, .focus = &wish};
        ps_error err = {0};
        ps_trace *trace = NULL;
        uint8_t *apart = NULL;
        if (x->rank) {
                ps_share_serve(x, ps_reader_named, ps_engine_works);
                return;
        }
        assert_int_equal(ps_trace_load(&trace, path, &options, &err), PS_OK);
        assert_int_equal(ps_apart_find_all(&apart, trace, &trace->measured, &err), PS_OK);
        assert_non_null(apart);
        for (ps_proc p = 0; p < 8; p++)
                assert_int_equal(apart[p], p % 5 == 0);
        free(apart);
        ps_trace_close(trace);
        ps_share_dismiss(x);
}

TEST(who_takes_no_part_is_told_by_whoever_has_his_rows)
{
        ps_gen *g = with_two_apart();
        char *path = strdup(ps_gen_anchor(g));
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                crew_run(sizes[i], find_apart, path);
        free(path);
        ps_gen_free(g);
}
