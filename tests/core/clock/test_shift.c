/* test_shift.c - small contradictions: which times are moved, how far, and what moves with them. */
#include "tests/core/clock/lab.h"
#include "tests/support/draw.h"
#include "tests/support/test.h"
#include <stdlib.h>

#define NS PS_PS_PER_NS

static void check_times(const lab *l, ps_ref ref, ps_time enter, ps_time leave)
{
        assert_int_equal(lab_enter(l, ref), enter);
        assert_int_equal(lab_leave(l, ref), leave);
}

/* Received 400 ns too early. What follows is pushed as far as the gaps do not take it up. */
TEST(a_receive_too_early_pushes_what_follows)
{
        lab *l = lab_new_synchronised(2, 8, 0, 0);
        ps_ref before = lab_op(l, 1, PS_K_PUT, 100 * NS, 150 * NS);
        ps_ref send = lab_op(l, 0, PS_K_SEND, 1000 * NS, 1100 * NS);
        ps_ref recv = lab_op(l, 1, PS_K_RECV, 500 * NS, 610 * NS);
        ps_ref near = lab_op(l, 1, PS_K_PUT, 700 * NS, 900 * NS);
        ps_ref over = lab_op(l, 1, PS_K_PUT, 950 * NS, 1200 * NS);
        ps_ref far = lab_op(l, 1, PS_K_PUT, 1200 * NS, 1300 * NS);
        l->trace.ops[1].post[recv.op] = 10 * NS; /* recorded at 600 */
        lab_match(l, send, recv);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->violations, 1);
        assert_int_equal(c->worst, 400 * NS);
        assert_int_equal(c->left, 0);
        assert_true(c->corrected && !c->repaired && !c->infeasible);
        assert_null(c->offset);
        check_times(l, before, 100 * NS, 150 * NS);
        check_times(l, send, 1000 * NS, 1100 * NS);
        check_times(l, recv, 500 * NS, 1010 * NS);
        check_times(l, near, 1010 * NS, 1010 * NS);
        check_times(l, over, 1010 * NS, 1200 * NS);
        check_times(l, far, 1200 * NS, 1300 * NS);
        assert_int_equal(c->moved, 4);
        assert_int_equal(l->trace.measured.duration, 1200 * NS); /* from 100 to 1300 */
        lab_free(l);
}

/* The call around the receive ends no earlier than it; the one inside it stays; all rows of a call agree. */
TEST(a_call_ends_with_the_receive_inside_it)
{
        lab *l = lab_new_synchronised(2, 8, 0, 0);
        ps_ref send = lab_op(l, 0, PS_K_SEND, 1000 * NS, 1100 * NS);
        ps_ref outer = lab_op(l, 1, PS_K_FENCE, 100 * NS, 650 * NS);
        ps_ref earlier = lab_op(l, 1, PS_K_PUT, 120 * NS, 200 * NS);
        ps_ref half = lab_op(l, 1, PS_K_SENDRECV_SEND, 300 * NS, 600 * NS);
        ps_ref recv = lab_op(l, 1, PS_K_SENDRECV_RECV, 300 * NS, 600 * NS);
        ps_ref inner = lab_op(l, 1, PS_K_PUT, 400 * NS, 500 * NS);
        l->trace.ops[1].flags[recv.op] = PS_OP_PART;
        lab_match(l, send, recv);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->left, 0);
        assert_int_equal(c->moved, 3);
        check_times(l, outer, 100 * NS, 1000 * NS);
        check_times(l, earlier, 120 * NS, 200 * NS);
        check_times(l, half, 300 * NS, 1000 * NS);
        check_times(l, recv, 300 * NS, 1000 * NS);
        check_times(l, inner, 400 * NS, 500 * NS);
        assert_int_equal(l->trace.info[1].last, 1000 * NS);
        lab_free(l);
}

/* The receive is over in its wait. Pushed sends make their receives late in turn. */
TEST(pushed_sends_push_their_receives)
{
        lab *l = lab_new_synchronised(3, 4, 0, 0);
        ps_ref start = lab_op(l, 1, PS_K_IRECV, 100 * NS, 110 * NS);
        ps_ref wait = lab_op(l, 1, PS_K_WAIT, 200 * NS, 300 * NS);
        ps_ref on = lab_op(l, 1, PS_K_SEND, 310 * NS, 350 * NS);
        ps_ref last = lab_op(l, 2, PS_K_RECV, 330 * NS, 500 * NS);
        ps_ref other = lab_op(l, 2, PS_K_PUT, 700 * NS, 800 * NS);
        lab_complete(l, start, wait);
        lab_match(l, lab_op(l, 0, PS_K_SEND, 600 * NS, 700 * NS), start);
        lab_match(l, on, last);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->violations, 1);
        assert_int_equal(c->left, 0);
        check_times(l, start, 100 * NS, 110 * NS);
        check_times(l, wait, 200 * NS, 600 * NS);
        check_times(l, on, 600 * NS, 600 * NS);
        check_times(l, last, 330 * NS, 600 * NS);
        check_times(l, other, 700 * NS, 800 * NS);
        assert_int_equal(c->moved, 4);
        lab_free(l);
}

TEST(members_of_a_barrier_leave_behind_the_last)
{
        static const ps_time enter[] = {100 * NS, 900 * NS, 300 * NS},
                             leave[] = {800 * NS, 950 * NS, 920 * NS};
        lab *l = lab_new_synchronised(3, 2, 1, 3);
        lab_all(l, PS_K_BARRIER, PS_NONE, enter, leave);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->violations, 1);
        assert_int_equal(c->left, 0);
        assert_int_equal(c->moved, 1);
        check_times(l, (ps_ref){0, 0}, 100 * NS, 900 * NS);
        lab_free(l);
}

/* An operation outside of any call is one moment. */
TEST(an_operation_outside_of_calls_is_one_moment)
{
        lab *l = lab_new_synchronised(2, 2, 0, 0);
        lab_message(l, 0, 500 * NS, 1, 200 * NS);
        l->trace.ops[1].flags[0] |= PS_OP_BARE;
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->left, 0);
        assert_int_equal(c->moved, 2);
        check_times(l, (ps_ref){1, 0}, 500 * NS, 500 * NS);
        lab_free(l);
}

/* Each receives before the other sends. That can be put right while both may happen at the same moment; not
 * so if each turn has to be later than the one before. It ends all the same, no time has moved by more than
 * the noise, and what is left is told. */
TEST(a_circle_of_messages_ends)
{
        lab *l = lab_new_synchronised(2, 2, 0, 0);
        ps_ref r0 = lab_op(l, 0, PS_K_RECV, 0, 700 * NS), s0 = lab_op(l, 0, PS_K_SEND, 700 * NS, 700 * NS);
        ps_ref r1 = lab_op(l, 1, PS_K_RECV, 0, 400 * NS), s1 = lab_op(l, 1, PS_K_SEND, 1000 * NS, 1000 * NS);
        lab_match(l, s0, r1);
        lab_match(l, s1, r0);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->violations, 2);
        assert_int_equal(c->left, 0);
        check_times(l, r0, 0, 1000 * NS);
        check_times(l, r1, 0, 1000 * NS);
        l->trace.ops[1].pre[s1.op] = 1;
        ps_time *leave = l->trace.measured.leave[1], *enter = l->trace.measured.enter[1];
        leave[r1.op] = 400 * NS;
        c = lab_check(l, PS_CLOCK_AUTO);
        assert_true(c->left > 0);
        assert_in_range(leave[r1.op], 400 * NS, 1400 * NS);
        assert_in_range(enter[s1.op], 1000 * NS, 2000 * NS);
        lab_free(l);
}

/* A chain longer than the noise allows: no time moves by more, and the times stay in order. */
TEST(only_noise_is_shifted)
{
        lab *l = lab_new_synchronised(2, 2, 0, 0);
        lab_message(l, 0, 5000 * NS, 1, 4000 * NS); /* exactly the noise */
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->left, 0);
        assert_int_equal(lab_leave(l, (ps_ref){1, 0}), 5000 * NS);
        lab_free(l);
        l = lab_new_synchronised(2, 2, 0, 0);
        lab_message(l, 0, 5000 * NS + 1, 1, 4000 * NS);
        lab_message(l, 1, 6000 * NS, 0, 6000 * NS); /* offsets do not explain it */
        c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->left, 1);
        assert_int_equal(c->moved, 0);
        assert_int_equal(lab_leave(l, (ps_ref){1, 0}), 4000 * NS);
        lab_free(l);
}

/* Clocks that waver by up to 300 ns around the truth, each location in order: every contradiction is small.
 */
static lab *random_lab(uint64_t *seed, uint32_t n)
{
        ps_time now[8] = {0}, shown[8] = {0};
        lab *l = lab_new_synchronised(n, 800, 0, 0);
        for (int i = 0; i < 400; i++) {
                uint32_t from = (uint32_t)draw(seed, n), to = (from + 1 + (uint32_t)draw(seed, n - 1)) % n;
                now[from] += (ps_time)draw(seed, 2000) * NS;
                now[to] = now[to] > now[from] ? now[to] : now[from] + 50 * NS;
                for (int side = 0; side < 2; side++) {
                        uint32_t p = side ? to : from;
                        ps_time time = now[p] + (ps_time)draw(seed, 300) * NS;
                        shown[p] = shown[p] > time ? shown[p] : time;
                }
                lab_message(l, from, shown[from], to, shown[to]);
        }
        return l;
}

TEST(random_noise_is_shifted_away)
{
        uint64_t seed = 1;
        for (uint32_t round = 0; round < 20; round++) {
                uint32_t n = 2 + round % 7;
                lab *l = random_lab(&seed, n);
                ps_time was[8][800];
                for (ps_loc loc = 0; loc < n; loc++)
                        for (ps_op op = 0; op < l->trace.ops[loc].n; op++)
                                was[loc][op] = l->trace.measured.leave[loc][op];
                const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
                assert_true(c->violations > 0);
                assert_int_equal(c->left, 0);
                for (ps_loc loc = 0; loc < n; loc++)
                        for (ps_op op = 0; op < l->trace.ops[loc].n; op++) {
                                ps_time time = lab_leave(l, (ps_ref){loc, op});
                                assert_in_range(time - was[loc][op], 0, PS_CLOCK_NOISE);
                                if (op > 0)
                                        assert_true(time >= lab_leave(l, (ps_ref){loc, op - 1}));
                                assert_true(time >= lab_enter(l, (ps_ref){loc, op}));
                        }
                lab_free(l);
        }
}
