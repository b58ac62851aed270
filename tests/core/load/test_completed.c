/* test_completed.c - what calls complete: rows that follow each other, or in any order. */
#include "core/load/load.h"
#include "reader/otf2/otf2.h"
#include "tests/support/draw.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

enum { STEP_NS = 1000, STEPS = 20000, MOST = 8, PORTION_BYTES = 1 << 16 };

/* In which order the calls of a step are completed. */
typedef struct order {
        uint32_t n, of[MOST];
} order;

/* Of each second step it is that in which they were begun. */
static order draw_order(uint64_t *seed, uint32_t step)
{
        order o = {.n = 1 + (uint32_t)draw(seed, MOST)};
        for (uint32_t i = 0; i < o.n; i++)
                o.of[i] = i;
        for (uint32_t i = o.n; step % 2 && i > 1; i--) {
                uint32_t other = (uint32_t)draw(seed, i), mine = o.of[i - 1];
                o.of[i - 1] = o.of[other];
                o.of[other] = mine;
        }
        return o;
}

/* Rank 0 sends to itself: all that it begins in a step is completed by one Waitall. */
static ps_gen *written(void)
{
        uint64_t seed = 1;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        for (uint32_t step = 0; step < STEPS; step++) {
                const uint64_t time = (uint64_t)step * STEP_NS;
                const order o = draw_order(&seed, step);
                ps_gen_rec done[MOST];
                for (uint32_t i = 0; i < o.n; i++) {
                        ps_gen_call(g, "MPI_Isend", 0, time + 10 * i, time + 10 * i + 5, 1,
                                    &PS_GEN_REC_OF(ISEND, .peer = 0, .tag = 1, .bytes = 8, .request = i));
                        done[i] = PS_GEN_SENT(o.of[i]);
                }
                ps_gen_call(g, "MPI_Waitall", 0, time + 500, time + 600, o.n, done);
        }
        ps_gen_close(g);
        return g;
}

static void expect_completed(const ps_ops *ops)
{
        uint64_t seed = 1;
        ps_op first = 0;
        for (uint32_t step = 0; step < STEPS; step++) {
                const order o = draw_order(&seed, step);
                const ps_op wait = first + o.n;
                assert_int_equal(ops->kind[wait], PS_K_WAITALL);
                assert_int_equal(ps_op_tag(ops, wait), o.n);
                for (uint32_t i = 0; i < o.n; i++) {
                        assert_int_equal(ps_op_completed(ops, wait, i), first + o.of[i]);
                        assert_int_equal(ops->done[first + i], wait);
                }
                first = wait + 1;
        }
        assert_int_equal(first, ops->n);
}

/* A list tells what is in no row, which here is at most half of all. */
TEST(calls_complete_what_their_records_say_in_that_order)
{
        ps_gen *g = written();
        for (size_t portion_bytes = 0; portion_bytes <= PORTION_BYTES; portion_bytes += PORTION_BYTES) {
                ps_trace *trace;
                const ps_load_options options = {.n_threads = 2, .portion_bytes = portion_bytes};
                assert_int_equal(ps_load(&trace, &ps_otf2_reader, ps_gen_anchor(g), &options, NULL), PS_OK);
                const ps_ops *ops = &trace->ops[0];
                expect_completed(ops);
                assert_in_range(ops->n_completed, 1, (ops->n - STEPS) / 2 + MOST);
                ps_trace_close(trace);
        }
        ps_gen_free(g);
}

TEST(a_long_list_is_loaded_alike_by_records_and_by_batches)
{
        ps_gen *g = written();
        const ps_load_options options = {.n_threads = 1};
        const char *difference = loaded_difference_of_batches(ps_gen_anchor(g), &options);
        if (difference)
                fail_msg("%s differ", difference);
        ps_gen_free(g);
}
