/* test_random.c - what holds for every valid program, tried on made-up ones: each message finds its own
 * other end, and neither the number of threads, nor the names of the ranks, nor their clocks change that. */
#include "core/clock/clock.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"
#include <stdlib.h>

enum { N_SEEDS = 12, N_STEPS = 400 };

static random_program program(uint64_t seed)
{
        return (random_program){.seed = seed,
                                .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1),
                                .steps = N_STEPS,
                                .options = {.mapped = seed % 2 == 1}};
}

static void expect_same(const ps_trace *a, const ps_trace *b, int times)
{
        const char *difference = loaded_difference(a, b, times);
        if (difference)
                fail_msg("%s differ", difference);
}

/* All rows are matched, and the bytes tell that it is with the right one. */
static void expect_matched(const ps_trace *t, uint32_t n_messages, uint32_t n_colls)
{
        EXPECT_ISSUES(t, "");
        assert_int_equal(t->n_messages, n_messages);
        assert_int_equal(t->n_colls, n_colls);
        for (ps_loc l = 0; l < t->n_locs; l++)
                for (ps_op i = 0; i < t->ops[l].n; i++) {
                        ps_ref other = ps_op_partner(t, (ps_ref){l, i});
                        if (other.op != PS_NONE)
                                assert_int_equal(ps_op_bytes(&t->ops[l], i),
                                                 ps_op_bytes(&t->ops[other.loc], other.op));
                }
        for (uint32_t i = 0; i < t->n_colls; i++)
                assert_true(t->colls[i].complete);
}

TEST(threads_change_nothing)
{
        static const unsigned threads[] = {2, 7};
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                random_program p = program(seed);
                uint32_t n_messages, n_colls;
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                ps_trace *one = loaded(g, PS_CLOCK_AUTO);
                expect_matched(one, n_messages, n_colls);
                loaded_check(one);
                for (size_t k = 0; k < 2; k++) {
                        ps_trace *many = loaded_by(ps_gen_anchor(g), threads[k], PS_CLOCK_AUTO);
                        expect_same(one, many, 1);
                        ps_trace_close(many);
                }
                ps_trace_close(one);
                ps_gen_free(g);
        }
}

TEST(names_of_ranks_change_nothing)
{
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                random_program p = program(seed);
                uint32_t rename[RANDOM_MAX_RANKS], n_messages, n_colls;
                uint64_t random = seed + 1000;
                for (uint32_t r = 0; r < p.ranks; r++) { /* Fisher and Yates */
                        uint32_t k = maker_random(&random, r + 1);
                        rename[r] = rename[k];
                        rename[k] = r;
                }
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                p.rename = rename;
                ps_gen *h = random_program_write(&p, &n_messages, &n_colls);
                ps_trace *a = loaded(g, PS_CLOCK_AUTO), *b = loaded(h, PS_CLOCK_AUTO);
                expect_matched(b, n_messages, n_colls);
                for (ps_loc l = 0; l < a->n_locs; l++) {
                        assert_int_equal(a->ops[l].n, b->ops[rename[l]].n);
                        for (ps_op i = 0; i < a->ops[l].n; i++) {
                                ps_ref x = ps_op_partner(a, (ps_ref){l, i});
                                ps_ref y = ps_op_partner(b, (ps_ref){rename[l], i});
                                assert_int_equal(a->ops[l].kind[i], b->ops[rename[l]].kind[i]);
                                assert_int_equal(x.op, y.op);
                                if (x.op != PS_NONE)
                                        assert_int_equal(rename[x.loc], y.loc);
                        }
                }
                ps_trace_close(a);
                ps_trace_close(b);
                ps_gen_free(g);
                ps_gen_free(h);
        }
}

/* What the recorder corrects cannot be seen. */
TEST(corrected_clocks_change_nothing)
{
        static const int64_t skew[RANDOM_MAX_RANKS] = {0, 5000000, -300, 7, 0, 123456, -999999, 1};
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                random_program p = program(seed);
                uint32_t n_messages, n_colls;
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                p.options.skew = skew;
                ps_gen *h = random_program_write(&p, &n_messages, &n_colls);
                ps_trace *a = loaded(g, PS_CLOCK_AUTO), *b = loaded(h, PS_CLOCK_AUTO);
                expect_same(a, b, 0);
                for (ps_loc l = 0; l < a->n_locs; l++)
                        for (ps_op i = 0; i < a->ops[l].n; i++) {
                                assert_int_equal(a->measured.enter[l][i], b->measured.enter[l][i]);
                                assert_int_equal(a->measured.leave[l][i], b->measured.leave[l][i]);
                        }
                EXPECT_ISSUES(b, "");
                ps_trace_close(a);
                ps_trace_close(b);
                ps_gen_free(g);
                ps_gen_free(h);
        }
}

/* What it does not correct changes times alone, and is found again within what is said to be uncertain. */
TEST(skewed_clocks_are_found)
{
        static const int64_t skew[RANDOM_MAX_RANKS] = {400, 5000000, -30000, 70000, 0, 123456, -99999, 1};
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                random_program p = program(seed);
                uint32_t n_messages, n_colls;
                p.options = (ps_gen_options){.style = PS_GEN_EZTRACE};
                p.noise = 50;
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                p.options.skew = skew;
                ps_gen *h = random_program_write(&p, &n_messages, &n_colls);
                ps_trace *a = loaded(g, PS_CLOCK_AS_IS), *b = loaded(h, PS_CLOCK_REPAIR);
                expect_same(a, b, 0);
                assert_int_equal(b->n_messages, n_messages);
                assert_true(b->clock.repaired);
                assert_false(b->clock.infeasible);
                assert_int_equal(b->clock.left, 0);
                for (ps_proc r = 1; r < p.ranks; r++) {
                        ps_time truth = (skew[0] - skew[r]) * PS_PS_PER_NS;
                        ps_time found = b->clock.offset[r] - b->clock.offset[0];
                        assert_true(b->clock.width[r] < PS_TIME_MAX);
                        assert_true(found - truth - 1 <= ps_clock_pair_excess(b, 0, r));
                        assert_true(truth - found - 1 <= ps_clock_pair_excess(b, r, 0));
                }
                ps_trace_close(a);
                ps_trace_close(b);
                ps_gen_free(g);
                ps_gen_free(h);
        }
}
