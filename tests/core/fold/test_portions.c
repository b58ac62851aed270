/* test_portions.c - a portion: what follows on a location is folded apart and joined to what stands before
 * it.
 */
#include "tests/core/fold/lab.h"

/* Of what follows on LOC_B, in a place of its own. */
static ps_builder *begin_apart(fold_fixture *f)
{
        ps_builder **apart = &f->builder[APART];
        assert_int_equal(ps_builder_new_apart(apart, &f->trace.defs, LOC_B, f->pool, &f->err), PS_OK);
        return *apart;
}

/* 32,768 rows are a block: these go from one to the next at other rows than those that they stand behind. */
TEST_BETWEEN(a_portion_of_several_blocks_keeps_the_order_of_its_rows, fold_setup, fold_teardown)
{
        enum { BEFORE = 5, APART_ROWS = 100000, ALL = BEFORE + APART_ROWS + 1 };
        fold_fixture *f = *state;
        ps_builder *apart = begin_apart(f);
        FEED(f, LOC_B, ENTER(0, MAIN));
        for (uint32_t i = 0; i < ALL; i++) {
                const ps_loc to = i >= BEFORE && i < ALL - 1 ? APART : LOC_B;
                const ps_time t = 10 * (ps_time)i;
                if (i == ALL - 1) {
                        assert_true(ps_builder_may_join(f->builder[LOC_B], apart));
                        assert_int_equal(ps_builder_join(f->builder[LOC_B], apart, 3, &f->err), PS_OK);
                }
                FEED(f, to, ENTER(t + 1, SEND), EV(t + 2, SEND, .peer = 0, .comm = 0, .tag = i, .bytes = 8),
                     LEAVE(t + 3, SEND));
        }
        fold_finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->n, ALL);
        for (uint32_t i = 0; i < ALL; i++) {
                assert_int_equal(ops->kind[i], PS_K_SSEND);
                assert_int_equal(ps_op_tag(ops, i), i);
                assert_int_equal(ps_op_bytes(ops, i), 8);
                assert_int_equal(f->trace.measured.enter[LOC_B][i], 10 * (ps_time)i + 1);
                assert_int_equal(f->trace.measured.leave[LOC_B][i], 10 * (ps_time)i + 3);
        }
}

TEST_BETWEEN(a_portion_that_is_joined_goes_on_with_what_was_open, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        ps_builder *apart = begin_apart(f);
        FEED(f, LOC_B, ENTER(0, MAIN), ENTER(10, SOLVE), ENTER(20, SEND),
             EV(25, SEND, .peer = 0, .comm = 0, .tag = 7, .bytes = 800), LEAVE(30, SEND));
        FEED(f, APART, ENTER(40, IRECV), EV(45, IRECV_POST, .request = 1), LEAVE(50, IRECV), LEAVE(60, SOLVE),
             ENTER(70, WAIT), EV(80, IRECV, .peer = 0, .comm = 0, .tag = 8, .bytes = 16, .request = 1));
        assert_true(ps_builder_may_join(f->builder[LOC_B], apart));
        assert_int_equal(ps_builder_join(f->builder[LOC_B], apart, 2, &f->err), PS_OK);
        FEED(f, LOC_B, LEAVE(90, WAIT), ENTER(95, SOLVE), LEAVE(105, SOLVE), LEAVE(110, MAIN));
        fold_finish(f);
        const ps_ops *ops = &f->trace.ops[LOC_B];
        assert_int_equal(ops->n, 3);
        assert_int_equal(ops->kind[0], PS_K_SSEND);
        assert_int_equal(ops->kind[1], PS_K_IRECV);
        assert_int_equal(ops->kind[2], PS_K_WAIT);
        assert_int_equal(ops->done[1], 2);
        assert_int_equal(ps_op_completed(ops, 2, 0), 1);
        assert_int_equal(ops->post[1], 10);
        assert_int_equal(f->trace.measured.leave[LOC_B][2], 90);
        const ps_path_use *main_use = fold_use_of(f, LOC_B, MAIN), *solve = fold_use_of(f, LOC_B, SOLVE);
        assert_int_equal(solve->visits, 2);
        assert_int_equal(solve->inclusive, 50 + 10);
        assert_int_equal(solve->exclusive, 60 - 10 - 10); /* without MPI_Ssend and MPI_Irecv */
        assert_int_equal(main_use->inclusive, 110);
        assert_int_equal(main_use->exclusive, 110 - 60 - 20);
        assert_int_equal(f->trace.n_paths, 6); /* root, main, solve, and three calls */
        assert_int_equal(f->trace.n_events, 15);
        assert_int_equal(ps_issues_total(&f->trace.issues), 0);
}

TEST_BETWEEN(a_portion_takes_nothing_that_hangs_on_what_stands_before_it, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        ps_builder *apart = begin_apart(f);
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, ISEND_DONE, .request = 1)));
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, REQUEST_CANCELLED, .request = 1)));
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, TEAM_BEGIN, .comm = 0)));
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, MEASUREMENT, .op = 1)));
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, FLUSH, .bytes = 9)));
        assert_false(ps_builder_may_take(apart, &(ps_event)EV(0, PROGRAM_END, .tag = 0)));
        assert_false(ps_builder_may_take(apart, &(ps_event)LEAVE(0, PS_NONE)));
        FEED(f, APART, LEAVE(10, SOLVE), ENTER(20, MAIN));
        assert_false(ps_builder_may_take(apart, &(ps_event)LEAVE(30, SOLVE))); /* out of order */
}

TEST_BETWEEN(a_portion_is_joined_only_to_what_it_takes_for_granted, fold_setup, fold_teardown)
{
        fold_fixture *f = *state;
        ps_builder *apart = begin_apart(f), *before = f->builder[LOC_B];
        FEED(f, APART, LEAVE(50, SOLVE));
        FEED(f, LOC_B, ENTER(0, MAIN));
        assert_false(ps_builder_may_join(before, apart)); /* another region is to be left */
        FEED(f, LOC_B, ENTER(10, SOLVE));
        assert_true(ps_builder_may_join(before, apart));
        FEED(f, LOC_B, ENTER(20, WTIME));
        assert_false(ps_builder_may_join(before, apart)); /* a call goes on */
        FEED(f, LOC_B, LEAVE(25, WTIME), ENTER(26, IRECV), EV(27, IRECV_POST, .request = 1),
             LEAVE(28, IRECV));
        assert_false(ps_builder_may_join(before, apart)); /* a request is under way */
        FEED(f, LOC_B, ENTER(30, WAIT), EV(31, REQUEST_CANCELLED, .request = 1), LEAVE(32, WAIT));
        assert_true(ps_builder_may_join(before, apart));
        FEED(f, LOC_B, EV(33, FLUSH, .bytes = 39), EV(36, METRIC, .tag = 0));
        assert_false(ps_builder_may_join(before, apart)); /* the recorder is writing */
        FEED(f, LOC_B, EV(39, METRIC, .tag = 0));
        assert_true(ps_builder_may_join(before, apart));
        FEED(f, LOC_B, EV(40, MEASUREMENT, .op = 0));
        assert_false(ps_builder_may_join(before, apart)); /* the recorder is off */
}
