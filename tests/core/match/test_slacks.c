/* test_slacks.c - what matching sees on its way: how long after its sending each message is received. */
#include "tests/core/match/lab.h"
#include "tests/support/test.h"

#include <stdlib.h>

enum { A, B, C };

/* Calls take 100, and records stand at their ends. */
static ps_slacks slacks_of(ps_trace *trace, unsigned n_threads)
{
        ps_slacks slacks;
        assert_int_equal(ps_match_messages(trace, n_threads, &slacks, NULL), PS_OK);
        return slacks;
}

/* PS_TIME_MAX: there is no such pair. */
static ps_time slack_of(const ps_slacks *slacks, ps_proc from, ps_proc to)
{
        ps_time least = PS_TIME_MAX;
        uint32_t n = 0;
        for (uint32_t i = 0; i < slacks->n; i++)
                if (slacks->row[i].from == from && slacks->row[i].to == to) {
                        least = slacks->row[i].least;
                        n++;
                }
        assert_true(n <= 1);
        return least;
}

TEST(the_message_that_is_received_soonest_counts_of_each_pair)
{
        const maker_row rows[] = {{.kind = PS_K_SEND, .loc = A, .peer = B, .tag = 1, .at = 1000},
                                  {.kind = PS_K_SEND, .loc = A, .peer = B, .tag = 2, .at = 2000},
                                  {.kind = PS_K_SEND, .loc = B, .peer = A, .tag = 1, .at = 5000},
                                  {.kind = PS_K_RECV, .loc = B, .peer = A, .tag = 2, .at = 2300},
                                  {.kind = PS_K_RECV, .loc = B, .peer = A, .tag = 1, .at = 3000},
                                  {.kind = PS_K_RECV, .loc = A, .peer = B, .tag = 1, .at = 4000}};
        const maker_shape shape = {.n_procs = 3};
        ps_trace *trace = maker_trace(&shape, rows, N(rows));
        ps_slacks slacks = slacks_of(trace, 1);
        assert_true(slacks.tells && slacks.tells_pairs);
        assert_int_equal(slacks.n, 2);
        assert_int_equal(slack_of(&slacks, A, B), 2400 - 2000);
        assert_int_equal(slack_of(&slacks, B, A), 4100 - 5000);
        assert_int_equal(slacks.early.messages, 1);
        assert_int_equal(slacks.early.worst, 900);
        assert_int_equal(slacks.early.slightest, 900);
        assert_int_equal(slacks.early.first_message.ref.loc, A);
        assert_int_equal(slacks.early.first_message.ref.op, 2);
        assert_int_equal(slacks.early.first_message.time, 4100);
        free(slacks.row);
        maker_free(trace);
}

TEST(a_receive_is_over_where_it_is_completed_and_records_stand_within_calls)
{
        const maker_row rows[] = {{.kind = PS_K_SEND, .loc = A, .peer = B, .at = 1000},
                                  {.kind = PS_K_IRECV, .loc = B, .peer = A, .at = 500, .done = 1},
                                  {.kind = PS_K_WAIT, .loc = B, .at = 7000}};
        const maker_shape shape = {.n_procs = 2};
        ps_trace *trace = maker_trace(&shape, rows, N(rows));
        trace->ops[A].pre[0] = 30;
        trace->ops[B].post[0] = 7;
        ps_slacks slacks = slacks_of(trace, 1);
        assert_int_equal(slack_of(&slacks, A, B), 7100 - 7 - (1000 + 30));
        free(slacks.row);
        maker_free(trace);
}

TEST(of_what_is_never_completed_nothing_is_known)
{
        const maker_row rows[] = {{.kind = PS_K_SEND, .loc = A, .peer = B, .at = 1000},
                                  {.kind = PS_K_IRECV, .loc = B, .peer = A, .at = 500, .done = PS_NONE}};
        const maker_shape shape = {.n_procs = 2};
        ps_trace *trace = maker_trace(&shape, rows, N(rows));
        ps_slacks slacks = slacks_of(trace, 1);
        assert_true(slacks.tells && slacks.tells_pairs);
        assert_int_equal(slacks.n, 0);
        assert_int_equal(slacks.early.messages, 0);
        free(slacks.row);
        maker_free(trace);
}

/* What is left may be matched in another way, a wide distance stands in no column. */
TEST(nothing_is_told_where_a_row_is_left_or_a_distance_is_wide)
{
        const maker_row rows[] = {{.kind = PS_K_SEND, .loc = A, .peer = B, .at = 1000},
                                  {.kind = PS_K_RECV, .loc = B, .peer = A, .at = 1500},
                                  {.kind = PS_K_SEND, .loc = A, .peer = B, .at = 3000}};
        const maker_shape shape = {.n_procs = 2};
        for (uint32_t n = 2; n <= 3; n++) {
                struct ps_wide wide = {.op = 0, .distance = INT64_C(1) << 40};
                ps_trace *trace = maker_trace(&shape, rows, n);
                trace->ops[A].wide = &wide;
                trace->ops[A].n_wide = n == 2;
                ps_slacks slacks = slacks_of(trace, 1);
                assert_false(slacks.tells || slacks.tells_pairs);
                free(slacks.row);
                maker_free(trace);
        }
}

enum { PROCS = 5, MESSAGES = 200 };

/* Messages in any order of tags, so that some wait behind others in queues. */
static void make_messages(maker_row *rows, uint64_t *seed)
{
        for (uint32_t i = 0; i < MESSAGES; i++) {
                uint32_t from = maker_random(seed, PROCS), to = maker_random(seed, PROCS);
                uint32_t tag = maker_random(seed, 40);
                rows[i] = (maker_row){.loc = from, .kind = PS_K_SEND, .peer = to, .tag = tag};
                rows[MESSAGES + i] = (maker_row){.loc = to, .kind = PS_K_RECV, .peer = from, .tag = tag};
                rows[i].at = 1 + maker_random(seed, 1000000);
                rows[MESSAGES + i].at = 1 + maker_random(seed, 1000000);
        }
        for (uint32_t i = MESSAGES; i-- > 1;) {
                uint32_t other = maker_random(seed, i + 1);
                maker_row swap = rows[MESSAGES + i];
                rows[MESSAGES + i] = rows[MESSAGES + other];
                rows[MESSAGES + other] = swap;
        }
}

static void assert_slacks(const ps_trace *trace, const ps_slacks *slacks)
{
        ps_time least[PROCS][PROCS], worst = 0, slightest = PS_TIME_MAX;
        ps_ref first = {PS_NONE, PS_NONE};
        uint32_t n_early = 0;
        for (int pair = 0; pair < PROCS * PROCS; pair++)
                least[pair / PROCS][pair % PROCS] = PS_TIME_MAX;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (ps_op op = 0; op < trace->ops[loc].n; op++) {
                        ps_ref recv = {loc, op}, send = ps_op_partner(trace, recv);
                        if (ps_kinds[trace->ops[loc].kind[op]].cls != PS_C_RECV)
                                continue;
                        ps_time slack =
                                trace->measured.leave[loc][op] - trace->measured.enter[send.loc][send.op];
                        least[send.loc][loc] = slack < least[send.loc][loc] ? slack : least[send.loc][loc];
                        if (slack >= 0)
                                continue;
                        first = n_early++ ? first : recv;
                        worst = -slack > worst ? -slack : worst;
                        slightest = -slack < slightest ? -slack : slightest;
                }
        for (ps_proc from = 0; from < PROCS; from++)
                for (ps_proc to = 0; to < PROCS; to++)
                        assert_int_equal(slack_of(slacks, from, to), least[from][to]);
        assert_int_equal(slacks->early.messages, n_early);
        assert_int_equal(slacks->early.worst, worst);
        assert_int_equal(slacks->early.slightest, slightest);
        assert_memory_equal(&slacks->early.first_message.ref, &first, sizeof(first));
}

TEST(random_messages_have_the_slacks_of_their_pairs_on_any_number_of_threads)
{
        const maker_shape shape = {.n_procs = PROCS};
        for (uint64_t seed = 1; seed <= 60; seed++) {
                maker_row rows[2 * MESSAGES];
                uint64_t random = seed;
                make_messages(rows, &random);
                ps_trace *trace = maker_trace(&shape, rows, N(rows));
                ps_slacks slacks = slacks_of(trace, 1 + (unsigned)(seed % 3));
                assert_int_equal(trace->n_messages, MESSAGES);
                assert_true(slacks.tells && slacks.tells_pairs);
                assert_slacks(trace, &slacks);
                free(slacks.row);
                maker_free(trace);
        }
}
