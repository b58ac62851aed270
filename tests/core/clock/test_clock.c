/* test_clock.c - contradictions of times: which are counted, and which offsets explain them. */
#include "tests/core/clock/lab.h"
#include "tests/support/test.h"
#include <stdlib.h>

TEST(messages_received_too_early_are_violations)
{
        lab *l = lab_new(2, 8, 0, 0);
        lab_message(l, 0, 100, 1, 100); /* at once: possible */
        lab_message(l, 0, 200, 1, 170); /* 30 too early */
        lab_message(l, 1, 300, 0, 250); /* 50 too early */
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AS_IS);
        assert_int_equal(c->violations, 2);
        assert_int_equal(c->message_violations, 2);
        assert_int_equal(c->collective_violations, 0);
        assert_int_equal(c->worst, 50);
        assert_int_equal(c->left, 2);
        const ps_issue *issue = &l->trace.issues.row[PS_I_CLOCK_MESSAGE];
        assert_int_equal(issue->count, 2);
        assert_int_equal(issue->location, 0); /* the receive of location 0, though it is the later one */
        assert_int_equal(issue->time, 250);
        lab_free(l);
}

/* The records count, not the calls around them: sent 10 after the enter, received 5 before the leave. */
TEST(records_within_calls)
{
        for (ps_time leave = 114; leave <= 115; leave++) {
                lab *l = lab_new(2, 1, 0, 0);
                ps_ref send = lab_op(l, 0, PS_K_SEND, 100, 150), recv = lab_op(l, 1, PS_K_RECV, 90, leave);
                l->trace.ops[0].pre[0] = 10;
                l->trace.ops[1].post[0] = 5;
                lab_match(l, send, recv);
                assert_int_equal(lab_check(l, PS_CLOCK_AS_IS)->violations, leave < 115);
                lab_free(l);
        }
}

TEST(nonblocking_receives_are_over_in_their_wait)
{
        lab *l = lab_new(2, 4, 0, 0);
        ps_ref first = lab_op(l, 0, PS_K_IRECV, 10, 20), second = lab_op(l, 0, PS_K_IRECV, 30, 40);
        ps_ref wait = lab_op(l, 0, PS_K_WAIT, 200, 300);
        lab_match(l, lab_op(l, 1, PS_K_SEND, 301, 400), first);
        lab_match(l, lab_op(l, 1, PS_K_SEND, 401, 500), second); /* never completed: nothing is known */
        lab_complete(l, first, wait);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AS_IS);
        assert_int_equal(c->violations, 1);
        assert_int_equal(c->worst, 1);
        lab_free(l);
}

/* Three processes enter at 10, 40, 20 and leave at 30, 50, 35; what is too early depends on the kind. */
static const ps_time enter3[] = {10, 40, 20}, leave3[] = {30, 50, 35};

static void check_kind(ps_kind kind, uint32_t root, uint64_t violations, ps_time worst, ps_loc first)
{
        lab *l = lab_new(3, 1, 1, 3);
        lab_all(l, kind, root, enter3, leave3);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AS_IS);
        assert_int_equal(c->collective_violations, violations);
        assert_int_equal(c->message_violations, 0);
        assert_int_equal(c->worst, worst);
        assert_int_equal(l->trace.issues.row[PS_I_CLOCK_COLLECTIVE].count, violations);
        if (violations)
                assert_int_equal(l->trace.issues.row[PS_I_CLOCK_COLLECTIVE].location, first);
        lab_free(l);
}

TEST(each_kind_of_collective_orders_its_members)
{
        check_kind(PS_K_BARRIER, PS_NONE, 1, 10, 0); /* 0 by 10, 2 by 5: one operation */
        check_kind(PS_K_ALLREDUCE, PS_NONE, 1, 10, 0);
        check_kind(PS_K_BCAST, 1, 1, 10, 0);
        check_kind(PS_K_BCAST, 0, 0, 0, 0);
        check_kind(PS_K_BCAST, PS_NONE, 0, 0, 0);
        check_kind(PS_K_REDUCE, 2, 1, 5, 2);
        check_kind(PS_K_REDUCE, 1, 0, 0, 0);
        check_kind(PS_K_SCAN, PS_NONE, 1, 5, 2); /* 0 waits for nobody */
        check_kind(PS_K_ALLTOALLV, PS_NONE, 0, 0, 0);
        check_kind(PS_K_FENCE, PS_NONE, 0, 0, 0);
        check_kind(PS_K_NEIGHBOR, PS_NONE, 0, 0, 0);
        check_kind(PS_K_FINALIZE, PS_NONE, 0, 0, 0);
}

/* The last one comes at 20; the record of the first one's end stands `post` before its leave. */
static ps_time barrier_by(ps_time leave, uint32_t post)
{
        const ps_time enter[] = {0, 5, 20}, leaves[] = {leave, 40, 40};
        lab *l = lab_new(3, 1, 1, 3);
        lab_all(l, PS_K_BARRIER, PS_NONE, enter, leaves);
        l->trace.ops[0].post[0] = post;
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AS_IS);
        assert_int_equal(c->violations, c->worst > 0);
        ps_time worst = c->worst;
        lab_free(l);
        return worst;
}

TEST(who_leaves_a_barrier_as_the_last_one_comes_contradicts_nothing)
{
        assert_int_equal(barrier_by(20, 0), 0);
        assert_int_equal(barrier_by(19, 0), 1);
        assert_int_equal(barrier_by(26, 6), 0);
        assert_int_equal(barrier_by(26, 7), 1);
}

/* Ranks run against processes: process 0 is the last and waits for both, process 2 for nobody. */
TEST(prefix_in_rank_order)
{
        static const uint32_t reversed[] = {2, 1, 0};
        lab *l = lab_new(3, 1, 1, 3);
        ps_coll *coll = lab_all(l, PS_K_SCAN, PS_NONE, enter3, leave3);
        coll->comm = lab_comm(l, reversed, 3, 0);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AS_IS);
        assert_int_equal(c->violations, 1);
        assert_int_equal(c->worst, 10);
        lab_free(l);
}

TEST(no_data_no_wait)
{
        lab *l = lab_new(3, 2, 2, 6);
        lab_all(l, PS_K_ALLGATHERV, PS_NONE, enter3, leave3);
        l->trace.ops[1].calls[0].bytes = 0; /* the late one gives nothing: 20 is the latest */
        lab_all(l, PS_K_ALLREDUCE, PS_NONE, enter3, leave3);
        l->trace.members[3].received = 0; /* process 0 takes nothing, process 2 does */
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AS_IS);
        assert_int_equal(c->violations, 1);
        assert_int_equal(c->worst, 5);
        lab_free(l);
}

TEST(collectives_of_intercommunicators_order_nothing)
{
        static const uint32_t group[] = {0, 1, 2};
        lab *l = lab_new(3, 1, 1, 3);
        lab_all(l, PS_K_BARRIER, PS_NONE, enter3, leave3)->comm = 1;
        lab_comm(l, group, 3, 1);
        assert_int_equal(lab_check(l, PS_CLOCK_AS_IS)->violations, 0);
        lab_free(l);
}

TEST(a_nonblocking_barrier_ends_in_its_wait)
{
        lab *l = lab_new(2, 2, 1, 2);
        ps_ref a = lab_op(l, 0, PS_K_BARRIER, 10, 11), wait_a = lab_op(l, 0, PS_K_WAIT, 20, 30);
        ps_ref b = lab_op(l, 1, PS_K_BARRIER, 33, 34), wait_b = lab_op(l, 1, PS_K_WAIT, 40, 50);
        l->trace.ops[0].flags[0] = l->trace.ops[1].flags[0] = PS_OP_NONBLOCKING;
        lab_complete(l, a, wait_a);
        lab_complete(l, b, wait_b);
        lab_coll(l, 0, PS_NONE, (ps_ref[]){a, b}, 2);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AS_IS);
        assert_int_equal(c->violations, 1);
        assert_int_equal(c->worst, 3);
        lab_free(l);
}

/* As it is, nothing changes; and nothing that is possible is changed unless wanted. */
TEST(clocks_that_may_be_right_are_left_alone)
{
        for (int possible = 0; possible < 2; possible++) {
                lab *l = lab_new_synchronised(2, 2, 0, 0);
                lab_message(l, 0, 50 * US, 1, possible ? 60 * US : 20 * US);
                const ps_clock_info *c = lab_check(l, possible ? PS_CLOCK_AUTO : PS_CLOCK_AS_IS);
                assert_int_equal(c->violations, !possible);
                assert_int_equal(lab_enter(l, (ps_ref){0, 0}), 50 * US);
                assert_int_equal(lab_leave(l, (ps_ref){1, 0}), possible ? 60 * US : 20 * US);
                assert_int_equal(l->trace.measured.duration, 0);
                assert_null(c->offset);
                assert_false(c->repaired || c->corrected);
                lab_free(l);
        }
}

/* There: sent at 100 us, received at 40 us: o1 >= o0 + 60. Back: sent at 50 us, received at 130 us:
 * o1 <= o0 + 80. So o1 is 70 us, give or take 10. The first event is process 0's, at 100. */
TEST(messages_both_ways_bound_an_offset)
{
        for (int mode = 0; mode < 2; mode++) {
                lab *l = lab_new(2, 3, 0, 0);
                lab_message(l, 0, 100 * US, 1, 40 * US);
                lab_message(l, 1, 50 * US, 0, 130 * US);
                lab_message(l, 1, 50 * US, 0, 180 * US); /* says less */
                const ps_clock_info *c = lab_check(l, mode ? PS_CLOCK_REPAIR : PS_CLOCK_AUTO);
                assert_int_equal(c->violations, 1);
                assert_int_equal(c->worst, 60 * US);
                assert_int_equal(c->left, 0);
                assert_true(c->repaired && !c->infeasible && !c->corrected);
                assert_int_equal(c->offset[0], -100 * US);
                assert_int_equal(c->offset[1], -30 * US);
                assert_int_equal(c->width[0], 0);
                assert_int_equal(c->width[1], 20 * US);
                assert_int_equal(c->uncertainty, 20 * US);
                assert_int_equal(lab_enter(l, (ps_ref){0, 0}), 0);
                assert_int_equal(lab_leave(l, (ps_ref){1, 0}), 10 * US);
                assert_int_equal(l->trace.info[1].first, 10 * US);
                assert_int_equal(l->trace.measured.duration, 80 * US);
                assert_int_equal(l->trace.issues.row[PS_I_CLOCK_MESSAGE].time, 10 * US);
                lab_free(l);
        }
}

/* The same two clocks, synchronised by their recorder: o1 = 70 us is moved towards by what is needed, 60 us.
 */
TEST(synchronised_clocks_move_as_little_as_possible)
{
        lab *l = lab_new_synchronised(2, 3, 0, 0);
        lab_message(l, 0, 100 * US, 1, 40 * US);
        lab_message(l, 1, 50 * US, 0, 130 * US);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->left, 0);
        assert_true(c->repaired);
        assert_in_range(c->offset[1] - c->offset[0], 60 * US - PS_PS_PER_NS, 60 * US + PS_PS_PER_NS);
        assert_in_range(c->uncertainty, 60 * US - PS_PS_PER_NS, 60 * US + PS_PS_PER_NS);
        lab_free(l);
}

/* A message in one direction only: the bound next to 0, or 0 where that is possible. */
TEST(messages_one_way_give_the_nearest_bound)
{
        lab *l = lab_new(4, 3, 0, 0);
        lab_message(l, 0, 0, 1, 100 * US);        /* possible as it is */
        lab_message(l, 0, 100 * US, 2, 70 * US);  /* o2 >= 30 us */
        lab_message(l, 3, 220 * US, 0, 200 * US); /* o3 <= -20 us */
        lab_message(l, 3, 300 * US, 1, 310 * US);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->left, 0);
        assert_int_equal(c->offset[0], 0);
        assert_int_equal(c->offset[1], 0);
        assert_int_equal(c->offset[2], 30 * US);
        assert_int_equal(c->offset[3], -20 * US);
        for (ps_proc p = 1; p < 4; p++)
                assert_int_equal(c->width[p], PS_TIME_MAX);
        assert_int_equal(c->uncertainty, PS_TIME_MAX);
        assert_false(c->infeasible);
        lab_free(l);
}

/* Clock 1 drifts: at first o1 >= o0 + 100, later o1 <= o0 + 90. Eased by 5 us each, o1 = 95 us; what is left
 * of the contradiction is too large to be noise. */
TEST(a_drifting_clock_leaves_violations)
{
        lab *l = lab_new(2, 2, 0, 0);
        lab_message(l, 0, 200 * US, 1, 100 * US);
        lab_message(l, 1, 1000 * US, 0, 1090 * US);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_true(c->infeasible && c->repaired);
        assert_int_equal(c->offset[1] - c->offset[0], 95 * US);
        assert_int_equal(c->width[1], 5 * US);
        assert_int_equal(c->left, 2);
        lab_free(l);
}

/* The offset of its clock explains the message of another process, but not one to itself. */
TEST(a_process_that_contradicts_itself_goes_on_to)
{
        lab *l = lab_new(2, 4, 0, 0);
        lab_message(l, 0, 100 * US, 1, 40 * US);
        lab_message(l, 1, 50 * US, 0, 130 * US);
        lab_message(l, 0, 1000 * US, 0, 980 * US);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_REPAIR);
        assert_int_equal(c->violations, 2);
        assert_true(c->repaired);
        assert_int_equal(c->left, 1);
        lab_free(l);
}

/* o1 >= o0 + 100 and o1 <= o0: no offset explains more than half of it, so none is made up. */
TEST(no_offset_is_made_up_for_what_none_explains)
{
        lab *l = lab_new(2, 2, 0, 0);
        lab_message(l, 0, 200 * US, 1, 100 * US);
        lab_message(l, 1, 1000 * US, 0, 1000 * US);
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_true(c->infeasible && !c->repaired);
        assert_null(c->offset);
        assert_int_equal(c->left, 1);
        assert_int_equal(lab_leave(l, (ps_ref){1, 0}), 100 * US);
        lab_free(l);
}

/* A barrier in which process 0 is for 10 ms and process 1 for 0.2 ms, and nothing else: o1 lies between -0.2
 * and 10 ms. Process 1 came last: if process 0 left at once, o1 is 10 ms. One barrier does not tell whether
 * it did: all of the interval is in doubt, and so is what clocks may drift apart in 10 ms: 2 us. */
TEST(one_barrier_without_contradiction)
{
        lab *l = lab_new(2, 1, 1, 2);
        lab_all(l, PS_K_BARRIER, PS_NONE, (ps_time[]){0, 0}, (ps_time[]){10000 * US, 200 * US});
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_int_equal(c->violations, 0);
        assert_true(c->repaired && !c->infeasible);
        assert_int_equal(c->trust, PS_CLOCK_BOUNDED);
        assert_true(llabs(c->offset[1] - c->offset[0] - 10000 * US) <= 1);
        assert_in_range(ps_clock_pair_uncertainty(&l->trace, 0, 1), 10202 * US - 1, 10202 * US + 1);
        assert_in_range(ps_clock_pair_excess(&l->trace, 0, 1), 10202 * US - 1, 10202 * US + 1);
        assert_in_range(ps_clock_pair_excess(&l->trace, 1, 0), 2 * US - 1, 2 * US + 1);
        assert_int_equal(ps_clock_pair_excess(&l->trace, 1, 1), 0);
        lab_free(l);
}

/* Five barriers of 50 ms for process 0, which leaves one of them 7 ms late, on clocks 30 ms apart. */
TEST(one_late_exit_does_not_count)
{
        lab *l = lab_new(2, 5, 5, 10);
        for (int i = 0; i < 5; i++) {
                ps_time end = (i + 1) * 100000 * US;
                ps_time enter[] = {end - 50000 * US, end - 30010 * US};
                ps_time leave[] = {end + (i == 2 ? 7000 * US : 0), end - 30000 * US};
                lab_all(l, PS_K_BARRIER, PS_NONE, enter, leave);
        }
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        assert_in_range(c->offset[1] - c->offset[0], 29990 * US, 30010 * US);
        lab_free(l);
}

/* Two pairs that hang together by one short barrier only. Within a pair each message is waited for, so that
 * calls end together; between the pairs the barrier tells. */
TEST(pairs_hang_together)
{
        static const ps_time off[] = {0, 20000 * US, 50000 * US, 90000 * US};
        ps_time enter[4], leave[4];
        lab *l = lab_new(4, 20, 1, 4);
        for (int p = 0; p < 4; p++) {
                enter[p] = off[p] - 1000 * US * p;
                leave[p] = off[p] + 10 * US;
        }
        lab_all(l, PS_K_BARRIER, PS_NONE, enter, leave);
        for (ps_time t = 10000 * US; t <= 100000 * US; t += 10000 * US)
                for (uint32_t p = 0; p < 4; p += 2)
                        lab_match(l, lab_op(l, p, PS_K_SEND, t + off[p], t + off[p] + 5 * US),
                                  lab_op(l, p + 1, PS_K_RECV, t - 9000 * US + off[p + 1],
                                         t + off[p + 1] + 5 * US));
        const ps_clock_info *c = lab_check(l, PS_CLOCK_AUTO);
        for (int p = 1; p < 4; p++)
                assert_true(llabs(c->offset[p] - c->offset[0] + off[p]) <= 20 * US);
        lab_free(l);
}

/* One process and its recorder's clock leave no doubt; clocks of which nothing is known leave all. */
TEST(what_is_known_of_clocks_decides_their_trust)
{
        lab *alone = lab_new(1, 1, 0, 0);
        assert_int_equal(lab_check(alone, PS_CLOCK_AUTO)->trust, PS_CLOCK_EXACT);
        lab_free(alone);
        lab *apart = lab_new(2, 1, 0, 0);
        assert_int_equal(lab_check(apart, PS_CLOCK_AUTO)->trust, PS_CLOCK_UNKNOWN);
        assert_int_equal(ps_clock_pair_uncertainty(&apart->trace, 0, 1), PS_TIME_MAX);
        lab_free(apart);
        lab *same = lab_new_synchronised(2, 1, 0, 0);
        assert_int_equal(lab_check(same, PS_CLOCK_AUTO)->trust, PS_CLOCK_EXACT);
        assert_int_equal(ps_clock_pair_excess(&same->trace, 0, 1), 0);
        lab_free(same);
}

typedef struct truth {
        lab *l;
        uint32_t n;
        uint64_t seed;
        ps_time *now, *skew; /* the true time of each process; what its clock shows more than that */
} truth;

static ps_time draw(truth *t, ps_time below)
{
        t->seed = t->seed * 6364136223846793005u + 1442695040888963407u;
        return (ps_time)((t->seed >> 20) % (uint64_t)below);
}

static void send_somewhere(truth *t, uint32_t from, uint32_t to)
{
        ps_time sent = t->now[from] += draw(t, 20 * US);
        ps_time got = sent + 1 + draw(t, 30 * US);
        t->now[to] = t->now[to] > got ? t->now[to] : got;
        lab_message(t->l, from, sent + t->skew[from], to, t->now[to] + t->skew[to]);
}

static void synchronise(truth *t)
{
        ps_time latest = 0, *enter = calloc(t->n, sizeof *enter), *leave = calloc(t->n, sizeof *leave);
        assert_true(enter && leave);
        for (uint32_t p = 0; p < t->n; p++) {
                t->now[p] += draw(t, 40 * US);
                enter[p] = t->now[p] + t->skew[p];
                latest = t->now[p] > latest ? t->now[p] : latest;
        }
        for (uint32_t p = 0; p < t->n; p++) {
                t->now[p] = latest + draw(t, 5 * US);
                leave[p] = t->now[p] + t->skew[p];
        }
        lab_all(t->l, PS_K_BARRIER, PS_NONE, enter, leave);
        free(enter);
        free(leave);
}

/* What is possible must stay possible, and the truth must lie in the intervals. */
static void check_truth(truth *t)
{
        const ps_clock_info *c = lab_check(t->l, PS_CLOCK_REPAIR);
        assert_int_equal(c->left, 0);
        assert_true(c->repaired && !c->infeasible && !c->corrected);
        for (uint32_t p = 0; p < t->n; p++) {
                ps_time error = c->offset[p] - c->offset[0] - (t->skew[0] - t->skew[p]);
                assert_true(error - 1 <= ps_clock_pair_excess(&t->l->trace, 0, p));
                assert_true(-error - 1 <= ps_clock_pair_excess(&t->l->trace, p, 0));
        }
        lab_free(t->l);
        free(t->now);
        free(t->skew);
}

static truth truth_make(uint32_t n, uint64_t seed, uint32_t rows, uint32_t barriers)
{
        truth t = {lab_new(n, rows, barriers, n * barriers), n, seed, calloc(n, sizeof(ps_time)),
                   calloc(n, sizeof(ps_time))};
        assert_true(t.now && t.skew);
        for (uint32_t p = 0; p < n; p++)
                t.skew[p] = draw(&t, 100000 * US);
        return t;
}

TEST(offsets_of_random_messages_hold_the_truth)
{
        for (uint32_t round = 0; round < 40; round++) {
                truth t = truth_make(2 + round % 7, round, 100, 0);
                for (uint32_t p = 1; p < t.n; p++)
                        send_somewhere(&t, 0, p);
                for (uint32_t i = 0; i < round; i++) {
                        uint32_t from = (uint32_t)draw(&t, t.n);
                        send_somewhere(&t, from, (from + 1 + (uint32_t)draw(&t, t.n - 1)) % t.n);
                }
                check_truth(&t);
        }
}

TEST(offsets_of_barriers_hold_the_truth)
{
        static const uint32_t sizes[] = {2, 10, 64, 65, 300};
        for (int i = 0; i < 5; i++) {
                truth t = truth_make(sizes[i], (uint64_t)i, 40, 40);
                for (int k = 0; k < 40; k++)
                        synchronise(&t);
                check_truth(&t);
        }
}

/* Times of a broken trace: no answer is expected, only that there is an end and no overflow. */
TEST(extreme_times_do_not_overflow)
{
        static const ps_time times[] = {INT64_MIN, INT64_MAX, 0, INT64_MAX / 2, INT64_MIN / 2};
        uint64_t seed = 1;
        for (int round = 0; round < 100; round++) {
                lab *l = lab_new(3, 40, 0, 0);
                for (int i = 0; i < 12; i++) {
                        seed = seed * 6364136223846793005u + 1442695040888963407u;
                        uint32_t x = (uint32_t)(seed >> 33);
                        lab_message(l, x % 3, times[x / 3 % 5], (x + 1) % 3, times[x / 15 % 5]);
                }
                lab_check(l, round & 1 ? PS_CLOCK_REPAIR : PS_CLOCK_AUTO);
                lab_free(l);
        }
}
