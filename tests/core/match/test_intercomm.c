/* test_intercomm.c - the two sides of an intercommunicator under two names. */
#include "tests/core/match/lab.h"
#include "tests/support/test.h"

/* `peer` is what the rank means in the own group, or PS_NONE: there is no such member. */
#define INTER_SEND(from, means, c, to, size)                                                                 \
        {                                                                                                    \
                .loc = (from), .kind = PS_K_SEND, .peer = (means), .comm = (c), .tag = 9, .rank = (to),      \
                .bytes = (size)                                                                              \
        }
#define INTER_RECV(at_, means, c, from, size)                                                                \
        {                                                                                                    \
                .loc = (at_), .kind = PS_K_RECV, .peer = (means), .comm = (c), .tag = 9, .rank = (from),     \
                .bytes = (size)                                                                              \
        }

/* Process 0 on one side, 1 and 2 on the other: communicators 1 and 2. */
static const maker_comm sides[] = {
        {.n = 3, .members = {0, 1, 2}}, {.n = 1, .members = {0}}, {.n = 2, .members = {1, 2}}};
static const maker_shape one_and_two = {.n_procs = 3, .n_comms = 3, .comms = sides};

TEST(both_directions_and_groups_of_two_sizes)
{
        const maker_row rows[] = {
                INTER_SEND(0, 0, 1, 0, 8),       /* to process 1 */
                INTER_SEND(0, PS_NONE, 1, 1, 8), /* to process 2 */
                INTER_SEND(0, 0, 1, 0, 16),      INTER_RECV(1, 1, 2, 0, 8), INTER_RECV(1, 1, 2, 0, 16),
                INTER_RECV(2, 1, 2, 0, 8),       INTER_SEND(2, 1, 2, 0, 4), INTER_RECV(0, PS_NONE, 1, 1, 4),
        };
        ps_trace *trace = match_messages(&one_and_two, rows, N(rows), 1);
        match_pair(trace, rows, 0, 3);
        match_pair(trace, rows, 2, 4);
        match_pair(trace, rows, 1, 5);
        match_pair(trace, rows, 6, 7);
        assert_int_equal(trace->n_messages, 4);
        assert_int_equal(trace->issues.row[PS_I_SEND_UNMATCHED].count, 0);
        assert_int_equal(trace->issues.row[PS_I_RECV_UNMATCHED].count, 0);
        assert_int_equal(trace->issues.row[PS_I_COMM_IGNORED].count, 4);
        maker_free(trace);
}

static void expect_nothing(const maker_shape *shape, const maker_row *rows, uint32_t n)
{
        ps_trace *trace = match_messages(shape, rows, n, 1);
        assert_int_equal(trace->n_messages, 0);
        maker_free(trace);
}

TEST(sizes_and_counts_must_agree)
{
        const maker_row size[] = {INTER_SEND(0, 0, 1, 0, 8), INTER_RECV(1, 1, 2, 0, 4)};
        const maker_row count[] = {INTER_SEND(0, 0, 1, 0, 8), INTER_SEND(0, 0, 1, 0, 8),
                                   INTER_RECV(1, 1, 2, 0, 8)};
        const maker_row rank[] = {INTER_SEND(0, PS_NONE, 1, 1, 8), INTER_RECV(1, 1, 2, 0, 8)};
        expect_nothing(&one_and_two, size, N(size));
        expect_nothing(&one_and_two, count, N(count));
        expect_nothing(&one_and_two, rank, N(rank));
}

/* Two communicators that share a process are no two sides. */
TEST(sides_share_no_process)
{
        const maker_comm comms[] = {{.n = 2, .members = {0, 1}}, {.n = 2, .members = {1, 2}}};
        const maker_shape shape = {.n_procs = 3, .n_comms = 2, .comms = comms};
        const maker_row rows[] = {INTER_SEND(0, 0, 0, 0, 8), INTER_RECV(1, 1, 1, 0, 8)};
        expect_nothing(&shape, rows, N(rows));
}

/* Of two that fit nobody knows which it is. */
TEST(what_is_ambiguous_is_left_alone)
{
        const maker_comm comms[] = {
                {.n = 1, .members = {0}}, {.n = 1, .members = {1}}, {.n = 1, .members = {2}}};
        const maker_shape shape = {.n_procs = 3, .n_comms = 3, .comms = comms};
        const maker_row rows[] = {INTER_SEND(0, 0, 0, 0, 8), INTER_RECV(1, 1, 1, 0, 8),
                                  INTER_RECV(2, 2, 2, 0, 8)};
        expect_nothing(&shape, rows, N(rows));
}
