/* test_collectives.c - the rules of matching collective operations, by hand. */
#include "core/match/match.h"
#include "tests/core/match/lab.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <string.h>

#define CALL(at_loc, what, on)                                                                               \
        {                                                                                                    \
                .loc = (at_loc), .kind = PS_K_##what, .comm = (on), .peer = PS_NONE                          \
        }

static const maker_comm three_comms[] = {
        {.name = "MPI_COMM_WORLD", .n = 3, .members = {0, 1, 2}},
        {.name = "pair", .n = 2, .members = {0, 1}},
        {.name = "MPI_COMM_SELF", .self = 1},
};
static const ps_comm two_windows[] = {0, 1};
static const maker_shape three = {.n_procs = 3,
                                  .comms = three_comms,
                                  .n_comms = N(three_comms),
                                  .windows = two_windows,
                                  .n_windows = N(two_windows)};

static void assert_coll(const ps_trace *trace, uint32_t c, ps_kind kind, ps_comm comm, uint32_t n,
                        int complete)
{
        assert_in_range(c, 0, trace->n_colls - 1);
        assert_int_equal(trace->colls[c].kind, kind);
        assert_int_equal(trace->colls[c].comm, comm);
        assert_int_equal(trace->colls[c].n, n);
        assert_int_equal(trace->colls[c].complete, complete);
}

static void assert_place(const ps_trace *trace, ps_issue_kind kind, ps_loc loc, ps_time time)
{
        assert_int_equal(trace->issues.row[kind].location, loc);
        assert_int_equal(trace->issues.row[kind].time, time);
}

#define CHECK(shape, rows, ...)                                                                              \
        const uint32_t expected[] = {__VA_ARGS__};                                                           \
        assert_int_equal(N(expected), N(rows));                                                              \
        ps_trace *trace = match_collectives(shape, rows, N(rows));                                           \
        match_colls(trace, rows, expected, N(rows))

TEST(nth_calls_belong_together)
{
        const maker_row rows[] = {
                CALL(2, BARRIER, 0),
                CALL(1, ALLREDUCE, 1),
                {.loc = 1, .kind = PS_K_BARRIER, .comm = 0, .peer = PS_NONE, .received = 11},
                CALL(1, ALLREDUCE, 0),
                CALL(0, BARRIER, 0),
                {.loc = 0, .kind = PS_K_ALLREDUCE, .comm = 1, .peer = PS_NONE, .received = 22},
                {.loc = 0, .kind = PS_K_ALLREDUCE, .comm = 0, .peer = PS_NONE, .received = 33},
                {.loc = 2, .kind = PS_K_ALLREDUCE, .comm = 0, .peer = PS_NONE, .received = 44},
        };
        CHECK(&three, rows, 0, 2, 0, 1, 0, 2, 1, 1);
        assert_int_equal(trace->n_colls, 3);
        assert_coll(trace, 0, PS_K_BARRIER, 0, 3, 1);
        assert_coll(trace, 1, PS_K_ALLREDUCE, 0, 3, 1);
        assert_coll(trace, 2, PS_K_ALLREDUCE, 1, 2, 1);
        assert_int_equal(ps_issues_total(&trace->issues), 0);
        maker_free(trace);
}

TEST(other_rows_do_not_count)
{
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_SEND, .peer = 1},
                {.loc = 0, .kind = PS_K_BARRIER, .comm = 1, .peer = PS_NONE, .received = 5},
                {.loc = 1, .kind = PS_K_BARRIER, .comm = 1, .peer = PS_NONE, .received = 6},
        };
        CHECK(&three, rows, PS_NONE, 0, 0);
        match_issues(trace, 0, 0);
        maker_free(trace);
}

TEST(received_may_be_unknown)
{
        const maker_row rows[] = {CALL(0, BARRIER, 2)};
        ps_trace *trace = maker_trace(&three, rows, 1);
        assert_int_equal(ps_match_collectives(trace, NULL, 1, NULL), PS_OK);
        assert_int_equal(trace->members[0].received, 0);
        maker_free(trace);
}

/* Row 5 of members is what process 2 calls in the second one. */
TEST(roots_are_rows_of_members)
{
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_BCAST, .peer = 1},  {.loc = 1, .kind = PS_K_BCAST, .peer = 1},
                {.loc = 2, .kind = PS_K_BCAST, .peer = 1},  {.loc = 0, .kind = PS_K_REDUCE, .peer = 2},
                {.loc = 1, .kind = PS_K_REDUCE, .peer = 2}, {.loc = 2, .kind = PS_K_REDUCE, .peer = PS_NONE},
                {.loc = 0, .kind = PS_K_BARRIER, .peer = 1}};
        CHECK(&three, rows, 0, 0, 0, 1, 1, 1, 2);
        assert_int_equal(trace->colls[0].root, 1);
        assert_int_equal(trace->colls[1].root, 5);
        assert_int_equal(trace->colls[2].root, PS_NONE);
        assert_int_equal(trace->issues.row[PS_I_COLL_ROOT].count, 0);
        maker_free(trace);
}

TEST(different_roots_are_noted)
{
        const maker_row rows[] = {{.loc = 1, .kind = PS_K_GATHER, .comm = 1, .peer = 1},
                                  {.loc = 0, .kind = PS_K_GATHER, .comm = 1, .peer = 0}};
        CHECK(&three, rows, 0, 0);
        assert_int_equal(trace->colls[0].root, PS_NONE);
        assert_int_equal(trace->issues.row[PS_I_COLL_ROOT].count, 1);
        assert_place(trace, PS_I_COLL_ROOT, 0, 2000);
        match_issues(trace, 0, 0);
        maker_free(trace);
}

/* A root that does not call, or is no member, has no row. */
TEST(absent_roots_have_no_row)
{
        const maker_row rows[] = {{.loc = 0, .kind = PS_K_BCAST, .comm = 1, .peer = 2},
                                  {.loc = 1, .kind = PS_K_BCAST, .comm = 1, .peer = 2}};
        CHECK(&three, rows, 0, 0);
        assert_int_equal(trace->colls[0].root, PS_NONE);
        maker_free(trace);
}

/* To go on with the barrier, process 2 would have to sit out (32); with the broadcast, two calls are lost. */
TEST(a_missing_call_costs_those_of_the_others)
{
        const maker_row rows[] = {
                CALL(0, BARRIER, 0), CALL(0, BCAST, 0),  CALL(0, REDUCE, 0), CALL(1, BARRIER, 0),
                CALL(1, BCAST, 0),   CALL(1, REDUCE, 0), CALL(2, BCAST, 0),  CALL(2, REDUCE, 0),
        };
        CHECK(&three, rows, PS_NONE, 0, 1, PS_NONE, 0, 1, 0, 1);
        assert_coll(trace, 0, PS_K_BCAST, 0, 3, 1);
        assert_coll(trace, 1, PS_K_REDUCE, 0, 3, 1);
        match_issues(trace, 2, 0);
        assert_place(trace, PS_I_COLL_MISMATCH, 0, 1000);
        maker_free(trace);
}

TEST(a_surplus_call_is_skipped)
{
        const maker_row rows[] = {
                CALL(0, BARRIER, 1), CALL(0, BARRIER, 1), CALL(1, ALLREDUCE, 1),
                CALL(1, BARRIER, 1), CALL(1, BARRIER, 1),
        };
        CHECK(&three, rows, 0, 1, PS_NONE, 0, 1);
        match_issues(trace, 1, 0);
        assert_place(trace, PS_I_COLL_MISMATCH, 1, 3000);
        maker_free(trace);
}

/* The heads are in sight of one member only; the reduction behind them costs two calls. */
TEST(the_next_one_need_not_be_a_head)
{
        const maker_row rows[] = {
                CALL(0, BARRIER, 1),
                CALL(0, REDUCE, 1),
                CALL(1, BCAST, 1),
                CALL(1, REDUCE, 1),
        };
        CHECK(&three, rows, PS_NONE, 0, PS_NONE, 0);
        match_issues(trace, 2, 0);
        maker_free(trace);
}

/* 32 either way: the lower kind is the barrier. */
TEST(ties_go_to_the_lowest_kind)
{
        const maker_row rows[] = {CALL(0, BCAST, 1), CALL(1, BARRIER, 1)};
        CHECK(&three, rows, 1, 0);
        assert_coll(trace, 0, PS_K_BARRIER, 1, 1, 0);
        assert_coll(trace, 1, PS_K_BCAST, 1, 1, 0);
        match_issues(trace, 0, 2);
        assert_place(trace, PS_I_COLL_INCOMPLETE, 0, 1000);
        maker_free(trace);
}

/* One of 40 lacks the barrier: to sit out costs 32, to skip costs the others 39. */
TEST(few_sit_out_for_many)
{
        enum { MANY = 40 };
        uint32_t all[MANY], expected[2 * MANY - 1], n = 0;
        maker_row rows[2 * MANY - 1];
        for (uint32_t p = 0; p < MANY; p++) {
                all[p] = p;
                if (p != 7) {
                        expected[n] = 0;
                        rows[n++] = (maker_row)CALL(p, BARRIER, 0);
                }
                expected[n] = 1;
                rows[n++] = (maker_row)CALL(p, BCAST, 0);
        }
        const maker_comm world = {.n = MANY, .long_members = all};
        const maker_shape shape = {.n_procs = MANY, .comms = &world, .n_comms = 1};
        ps_trace *trace = match_collectives(&shape, rows, n);
        match_colls(trace, rows, expected, n);
        assert_coll(trace, 0, PS_K_BARRIER, 0, MANY - 1, 0);
        assert_coll(trace, 1, PS_K_BCAST, 0, MANY, 1);
        match_issues(trace, 0, 1);
        maker_free(trace);
}

/* A barrier behind 31 surplus calls is in sight, behind 32 it is not; then the tie (32 : 32) goes to it. */
TEST(the_window_is_32_calls)
{
        for (uint32_t surplus = 31; surplus <= 32; surplus++) {
                maker_row rows[34];
                for (uint32_t i = 0; i < surplus; i++)
                        rows[i] = (maker_row)CALL(0, ALLREDUCE, 1);
                rows[surplus] = (maker_row)CALL(0, BARRIER, 1);
                rows[surplus + 1] = (maker_row)CALL(1, BARRIER, 1);
                ps_trace *trace = match_collectives(&three, rows, surplus + 2);
                if (surplus == 31) {
                        assert_coll(trace, 0, PS_K_BARRIER, 1, 2, 1);
                        match_issues(trace, 31, 0);
                } else {
                        assert_coll(trace, 0, PS_K_BARRIER, 1, 1, 0);
                        match_issues(trace, 0, 34);
                }
                maker_free(trace);
        }
}

TEST(members_may_run_out)
{
        const maker_row rows[] = {
                CALL(0, BARRIER, 0),
                CALL(0, BARRIER, 0),
                CALL(1, BARRIER, 0),
                CALL(1, BARRIER, 0),
        };
        CHECK(&three, rows, 0, 1, 0, 1);
        assert_coll(trace, 0, PS_K_BARRIER, 0, 2, 0);
        match_issues(trace, 0, 2);
        assert_place(trace, PS_I_COLL_INCOMPLETE, 0, 1000);
        maker_free(trace);
}

TEST(strangers_are_left_out)
{
        const maker_row rows[] = {CALL(0, BARRIER, 1), CALL(2, BARRIER, 1), CALL(1, BARRIER, 1)};
        CHECK(&three, rows, 0, PS_NONE, 0);
        assert_coll(trace, 0, PS_K_BARRIER, 1, 2, 1);
        match_issues(trace, 1, 0);
        maker_free(trace);
}

TEST(self_is_one_communicator_for_each)
{
        const maker_row rows[] = {CALL(1, BARRIER, 2), CALL(0, BARRIER, 2), CALL(1, BCAST, 2)};
        CHECK(&three, rows, 1, 0, 2);
        for (uint32_t c = 0; c < 3; c++)
                assert_int_equal(trace->colls[c].complete && trace->colls[c].n == 1, 1);
        match_issues(trace, 0, 0);
        maker_free(trace);
}

/* Locations 0, 2, 3 belong to process 0; the team has 0 and 3, in another order of time. */
TEST(members_of_a_team_are_locations)
{
        const ps_proc process[] = {0, 1, 0, 0};
        const maker_comm team = {.n = 2, .members = {3, 0}, .team = 1};
        const maker_shape shape = {
                .n_procs = 2, .process = process, .n_locs = 4, .comms = &team, .n_comms = 1};
        const maker_row rows[] = {
                CALL(3, TEAM_BARRIER, 0), CALL(3, TEAM_BARRIER, 0), CALL(2, TEAM_BARRIER, 0),
                CALL(0, TEAM_BARRIER, 0), CALL(0, TEAM_BARRIER, 0),
        };
        CHECK(&shape, rows, 0, 1, PS_NONE, 0, 1);
        assert_coll(trace, 1, PS_K_TEAM_BARRIER, 0, 2, 1);
        match_issues(trace, 1, 0);
        maker_free(trace);
}

/* Process 0 has the locations 1 and 2, process 1 has 0. Its threads call in turn. */
TEST(threads_of_a_process_are_one_member)
{
        const ps_proc process[] = {1, 0, 0};
        const maker_comm pair = {.n = 2, .members = {0, 1}};
        const maker_shape shape = {
                .n_procs = 2, .process = process, .n_locs = 3, .comms = &pair, .n_comms = 1};
        const maker_row rows[] = {
                CALL(2, BARRIER, 0), CALL(1, ALLREDUCE, 0), CALL(2, BARRIER, 0),
                CALL(0, BARRIER, 0), CALL(0, ALLREDUCE, 0), CALL(0, BARRIER, 0),
        };
        CHECK(&shape, rows, 0, 1, 2, 0, 1, 2);
        match_issues(trace, 0, 0);
        maker_free(trace);
}

TEST(both_groups_of_an_intercommunicator_are_members)
{
        const maker_comm inter = {.n = 1, .members = {2}, .n_b = 2, .members_b = {0, 1}, .inter = 1};
        const maker_shape shape = {.n_procs = 3, .comms = &inter, .n_comms = 1};
        const maker_row rows[] = {CALL(0, BARRIER, 0), CALL(1, BARRIER, 0), CALL(2, BARRIER, 0),
                                  CALL(2, BARRIER, 0)};
        CHECK(&shape, rows, 0, 0, 0, 1);
        assert_coll(trace, 0, PS_K_BARRIER, 0, 3, 1);
        assert_coll(trace, 1, PS_K_BARRIER, 0, 1, 0);
        maker_free(trace);
}

TEST(complete_means_all_that_the_trace_knows)
{
        const maker_comm comm = {.n = 4, .members = {PS_NONE, 1, 0, 1}};
        const maker_shape shape = {.n_procs = 2, .comms = &comm, .n_comms = 1};
        const maker_row rows[] = {CALL(0, BARRIER, 0), CALL(1, BARRIER, 0)};
        CHECK(&shape, rows, 0, 0);
        assert_coll(trace, 0, PS_K_BARRIER, 0, 2, 1);
        maker_free(trace);
}

/* Some recorders tell the communicator of MPI_Init, others do not; process 1 was switched on later. */
TEST(init_and_finalize_are_for_all)
{
        const maker_row rows[] = {
                CALL(0, INIT, PS_NONE),     CALL(2, INIT, 0),     CALL(0, BARRIER, 0),
                CALL(1, BARRIER, 0),        CALL(2, BARRIER, 0),  CALL(0, FINALIZE, PS_NONE),
                CALL(1, FINALIZE, PS_NONE), CALL(2, FINALIZE, 0),
        };
        CHECK(&three, rows, 0, 0, 1, 1, 1, 2, 2, 2);
        assert_coll(trace, 0, PS_K_INIT, 0, 2, 0);
        assert_coll(trace, 2, PS_K_FINALIZE, 0, 3, 1);
        match_issues(trace, 0, 1);
        maker_free(trace);
}

TEST(calls_on_no_communicator_stay_alone)
{
        const maker_comm part = {.n = 1, .members = {0}};
        const maker_shape shape = {.n_procs = 2, .comms = &part, .n_comms = 1};
        const maker_row rows[] = {
                CALL(1, BARRIER, PS_NONE),
                CALL(1, BARRIER, 99),
                CALL(1, FENCE, 99),
                CALL(1, INIT, PS_NONE), /* there is no world */
                {.loc = 0, .kind = PS_K_BCAST, .comm = PS_NONE, .done = PS_NONE, .flags = PS_OP_NONBLOCKING},
                {.loc = 0, .kind = PS_K_BCAST, .comm = PS_NONE, .flags = PS_OP_TRUNCATED},
        };
        CHECK(&shape, rows, PS_NONE, PS_NONE, PS_NONE, PS_NONE, PS_NONE, PS_NONE);
        assert_int_equal(trace->n_colls, 0);
        match_issues(trace, 0, 0);
        maker_free(trace);
}

/* Window 1 is one of communicator 1, so its fences stand in one order with the barrier. */
TEST(windows_stand_for_their_communicators)
{
        const maker_row rows[] = {
                CALL(0, WIN_CREATE, 1), CALL(0, BARRIER, 1), CALL(0, FENCE, 1),
                CALL(1, WIN_CREATE, 1), CALL(1, BARRIER, 1), CALL(1, FENCE, 1),
        };
        CHECK(&three, rows, 0, 1, 2, 0, 1, 2);
        assert_coll(trace, 2, PS_K_FENCE, 1, 2, 1);
        match_issues(trace, 0, 0);
        maker_free(trace);
}

/* Process 1 lacks the nonblocking barrier; its blocking one must not take its place. */
TEST(nonblocking_calls_match_only_their_like)
{
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_BARRIER, .comm = 1, .peer = PS_NONE, .flags = PS_OP_NONBLOCKING},
                CALL(0, BARRIER, 1),
                CALL(1, BARRIER, 1),
        };
        CHECK(&three, rows, PS_NONE, 0, 0);
        match_issues(trace, 1, 0);
        maker_free(trace);
}
