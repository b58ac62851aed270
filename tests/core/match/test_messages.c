/* test_messages.c - the rules of matching messages by hand, and what matching may cost. */
#include "core/match/match.h"
#include "tests/core/match/lab.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void assert_issue(const ps_trace *trace, ps_issue_kind kind, uint64_t count, ps_loc loc, ps_time time)
{
        const ps_issue *issue = &trace->issues.row[kind];
        assert_int_equal(issue->count, count);
        if (!count)
                return;
        assert_int_equal(issue->location, loc);
        assert_int_equal(issue->time, time);
}

TEST(matches_in_order_for_each_tag_and_communicator)
{
        const maker_shape shape = {.n_procs = 2};
        const maker_row rows[] = {
                SEND(0, 1, 0, 7), SEND(0, 1, 0, 8), SEND(0, 1, 0, 7), SEND(0, 1, 1, 7),
                RECV(1, 0, 1, 7), RECV(1, 0, 0, 8), RECV(1, 0, 0, 7), RECV(1, 0, 0, 7),
        };
        ps_trace *trace = match_messages(&shape, rows, N(rows), 1);
        match_pair(trace, rows, 0, 6);
        match_pair(trace, rows, 1, 5);
        match_pair(trace, rows, 2, 7);
        match_pair(trace, rows, 3, 4);
        assert_int_equal(trace->n_messages, 4);
        assert_int_equal(ps_issues_total(&trace->issues), 0);
        maker_free(trace);
}

/* The receiver's clock is far ahead of the sender's: it receives before anything is sent. */
TEST(time_between_processes_does_not_count)
{
        const maker_shape shape = {.n_procs = 2};
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_SEND, .peer = 1, .at = 5000},
                {.loc = 0, .kind = PS_K_ISEND, .peer = 1, .at = 6000},
                {.loc = 1, .kind = PS_K_IRECV, .peer = 0, .at = 10},
                {.loc = 1, .kind = PS_K_RECV, .peer = 0, .at = 20},
        };
        ps_trace *trace = match_messages(&shape, rows, N(rows), 1);
        match_pair(trace, rows, 0, 2);
        match_pair(trace, rows, 1, 3);
        maker_free(trace);
}

/* Process 0 has locations 0 and 2, process 1 has 1 and 3. Peers name the first location of a process. */
TEST(threads_of_a_process_share_one_order)
{
        const ps_proc process[] = {0, 1, 0, 1};
        const maker_shape shape = {.n_procs = 2, .process = process, .n_locs = 4};
        const maker_row rows[] = {
                {.loc = 2, .kind = PS_K_SEND, .peer = 1, .at = 10},
                {.loc = 0, .kind = PS_K_SEND, .peer = 1, .at = 20},
                {.loc = 2, .kind = PS_K_SEND, .peer = 1, .at = 30},
                {.loc = 2, .kind = PS_K_SEND, .peer = 1, .at = 40},
                {.loc = 0, .kind = PS_K_SEND, .peer = 1, .at = 40}, /* a tie: location 0 is first */
                {.loc = 3, .kind = PS_K_RECV, .peer = 0, .at = 1},
                {.loc = 1, .kind = PS_K_RECV, .peer = 0, .at = 2},
                {.loc = 1, .kind = PS_K_RECV, .peer = 0, .at = 3},
                {.loc = 3, .kind = PS_K_RECV, .peer = 0, .at = 4},
                {.loc = 3, .kind = PS_K_RECV, .peer = 0, .at = 5},
        };
        ps_trace *trace = match_messages(&shape, rows, N(rows), 1);
        match_pair(trace, rows, 0, 5);
        match_pair(trace, rows, 1, 6);
        match_pair(trace, rows, 2, 7);
        match_pair(trace, rows, 4, 8);
        match_pair(trace, rows, 3, 9);
        maker_free(trace);
}

TEST(cancelled_rows_take_no_part)
{
        const maker_shape shape = {.n_procs = 2};
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_ISEND, .peer = 1, .flags = PS_OP_CANCELLED},
                SEND(0, 1, 0, 0),
                {.loc = 1, .kind = PS_K_IRECV, .peer = 0, .flags = PS_OP_CANCELLED},
                RECV(1, 0, 0, 0),
        };
        ps_trace *trace = match_messages(&shape, rows, N(rows), 1);
        match_pair(trace, rows, 1, 3);
        match_alone(trace, rows, 0);
        match_alone(trace, rows, 2);
        assert_int_equal(trace->n_messages, 1);
        assert_int_equal(ps_issues_total(&trace->issues), 0);
        maker_free(trace);
}

/* The i-th row is entered at 1000 (i + 1); the first place is that of the lowest location. */
TEST(notes_what_is_left_over)
{
        const maker_shape shape = {.n_procs = 3};
        const maker_row rows[] = {
                SEND(2, 0, 0, 0),       SEND(1, 0, 0, 1), SEND(1, PS_NONE, 0, 1), SEND(1, 99, 0, 1),
                RECV(2, PS_NONE, 0, 0), RECV(0, 2, 0, 5), RECV(0, 2, 0, 0),       RECV(0, 2, 0, 0),
        };
        ps_trace *trace = match_messages(&shape, rows, N(rows), 2);
        match_pair(trace, rows, 0, 6);
        for (uint32_t i = 0; i < N(rows); i++)
                if (i != 0 && i != 6)
                        match_alone(trace, rows, i);
        assert_issue(trace, PS_I_SEND_UNMATCHED, 3, 1, 2000);
        assert_issue(trace, PS_I_RECV_UNMATCHED, 3, 0, 6000);
        assert_int_equal(trace->n_messages, 1);
        maker_free(trace);
}

static const maker_row wrong_comms[] = {
        SEND(0, 1, 3, 7), SEND(0, 1, 0, 7), SEND(0, 1, 4, 8),
        RECV(1, 0, 0, 7), RECV(1, 0, 0, 7), RECV(1, 0, 0, 9),
};

/* The first receive takes the send of its own communicator, the second what is left. */
TEST(unreliable_communicators_are_ignored_in_the_end)
{
        const maker_shape shape = {.n_procs = 2, .recv_comm_unreliable = 1};
        ps_trace *trace = match_messages(&shape, wrong_comms, N(wrong_comms), 1);
        match_pair(trace, wrong_comms, 1, 3);
        match_pair(trace, wrong_comms, 0, 4);
        match_alone(trace, wrong_comms, 2);
        match_alone(trace, wrong_comms, 5);
        assert_int_equal(trace->n_messages, 2);
        assert_issue(trace, PS_I_COMM_IGNORED, 1, 1, 5000);
        assert_issue(trace, PS_I_SEND_UNMATCHED, 1, 0, 3000);
        assert_issue(trace, PS_I_RECV_UNMATCHED, 1, 1, 6000);
        maker_free(trace);
}

TEST(reliable_communicators_are_kept_apart)
{
        const maker_shape shape = {.n_procs = 2};
        ps_trace *trace = match_messages(&shape, wrong_comms, N(wrong_comms), 1);
        assert_int_equal(trace->n_messages, 1);
        assert_issue(trace, PS_I_COMM_IGNORED, 0, 0, 0);
        assert_issue(trace, PS_I_SEND_UNMATCHED, 2, 0, 1000);
        maker_free(trace);
}

TEST(messages_to_oneself)
{
        const maker_shape shape = {.n_procs = 2};
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_IRECV, .peer = 0},
                {.loc = 1, .kind = PS_K_IRECV, .peer = 1},
                SEND(1, 1, 0, 0),
                SEND(0, 0, 0, 0),
        };
        ps_trace *trace = match_messages(&shape, rows, N(rows), 1);
        match_pair(trace, rows, 0, 3);
        match_pair(trace, rows, 1, 2);
        maker_free(trace);
}

TEST(nothing_to_match)
{
        const maker_shape shape = {.n_procs = 0};
        ps_trace *trace = match_messages(&shape, NULL, 0, 7);
        assert_int_equal(trace->n_messages, 0);
        maker_free(trace);
}

/* -- cost -- */

static maker_row *reversed_tags(uint32_t n)
{
        maker_row *rows = calloc(2 * (size_t)n, sizeof(*rows));
        assert_non_null(rows);
        for (uint32_t i = 0; i < n; i++) {
                rows[i] = (maker_row)SEND(0, 1, 0, i);
                rows[n + i] = (maker_row)RECV(1, 0, 0, n - 1 - i);
        }
        return rows;
}

/* The least processor time of some runs. */
static double match_reversed_tags(uint32_t n)
{
        const maker_shape shape = {.n_procs = 2};
        maker_row *rows = reversed_tags(n);
        double least = 1e9;
        for (int run = 0; run < 5; run++) {
                ps_trace *trace = maker_trace(&shape, rows, 2 * n);
                clock_t begin = clock();
                assert_int_equal(ps_match_messages(trace, 1, NULL, NULL), PS_OK);
                double used = (double)(clock() - begin) / CLOCKS_PER_SEC;
                least = used < least ? used : least;
                assert_int_equal(trace->n_messages, n);
                for (uint32_t i = 0; i < n; i++)
                        assert_int_equal(trace->ops[0].link[i], n - 1 - i);
                maker_free(trace);
        }
        free(rows);
        return least;
}

/* Ten times the tags; a search through what is outstanding would take a hundred times as long. */
TEST(outstanding_tags_cost_no_search)
{
        double few = match_reversed_tags(20000), many = match_reversed_tags(200000);
        assert_true(many < 50 * few + 0.01);
}

/* More sends than are sorted at once. Process 0 sends message i to process 1 + i % 3, all of them with one
 * tag; each receives every third one. */
TEST(many_sends_are_taken_in_groups)
{
        enum { MANY = 300000 };
        const maker_shape shape = {.n_procs = 4};
        maker_row *rows = calloc(2 * MANY, sizeof(*rows));
        assert_non_null(rows);
        for (uint32_t i = 0; i < MANY; i++) {
                rows[i] = (maker_row)SEND(0, 1 + i % 3, 0, 0);
                rows[MANY + i] = (maker_row)RECV(1 + i % 3, 0, 0, 0);
        }
        ps_trace *trace = match_messages(&shape, rows, 2 * MANY, 2);
        assert_int_equal(trace->n_messages, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
                ps_ref send = {0, i}, recv = {1 + i % 3, i / 3};
                match_points_at(trace, send, recv);
                match_points_at(trace, recv, send);
        }
        maker_free(trace);
        free(rows);
}

/* So many rows that one thread has nearly all there is to do, while another sees to the barriers. Process 0
 * sends to itself. */
TEST(messages_of_one_large_process_and_collective_operations_are_matched)
{
        enum { MANY = 100000, BARRIERS = 100, ROWS = 2 * MANY + 2 * BARRIERS };
        const maker_comm world = {.name = "MPI_COMM_WORLD", .n = 2, .members = {0, 1}};
        const maker_shape shape = {.n_procs = 2, .comms = &world, .n_comms = 1};
        maker_row *rows = calloc(ROWS, sizeof(*rows));
        assert_non_null(rows);
        for (uint32_t i = 0; i < 2 * BARRIERS; i++)
                rows[i] = (maker_row){.loc = i % 2, .kind = PS_K_BARRIER, .peer = PS_NONE};
        for (uint32_t i = 0; i < MANY; i++) {
                rows[2 * BARRIERS + 2 * i] = (maker_row)SEND(0, 0, 0, i % 7);
                rows[2 * BARRIERS + 2 * i + 1] = (maker_row)RECV(0, 0, 0, i % 7);
        }
        ps_trace *trace = maker_trace(&shape, rows, ROWS);
        ps_slacks slacks = {0};
        trace->n_operations = ROWS;
        assert_int_equal(ps_match_all(trace, NULL, 2, &slacks, NULL), PS_OK);
        assert_int_equal(trace->n_messages, MANY);
        for (uint32_t i = 0; i < MANY; i++) {
                const ps_ref send = {0, BARRIERS + 2 * i}, recv = {0, BARRIERS + 2 * i + 1};
                match_points_at(trace, send, recv);
                match_points_at(trace, recv, send);
        }
        assert_int_equal(trace->n_colls, BARRIERS);
        for (uint32_t i = 0; i < BARRIERS; i++) {
                assert_int_equal(trace->colls[i].n, 2);
                assert_true(trace->colls[i].complete);
                assert_int_equal(trace->members[trace->ops[0].link[i]].coll, i);
                assert_int_equal(trace->members[trace->ops[1].link[i]].coll, i);
        }
        assert_int_equal(ps_issues_total(&trace->issues), 0);
        free(slacks.row);
        maker_free(trace);
        free(rows);
}
