/* test_ending.c - who waits, as the trace ends, for what never came. */
#include "core/match/match.h"
#include "core/sums/ending.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#define N(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define OPEN     PS_OP_TRUNCATED

typedef struct expected {
        ps_proc process, partner;
} expected;

static const maker_comm world[] = {{.n = 3, .members = {0, 1, 2}}};
static const maker_shape three = {.n_procs = 3, .n_comms = 1, .comms = world};

static ps_trace *matched(const maker_row *rows, uint32_t n)
{
        ps_trace *trace = maker_trace(&three, rows, n);
        assert_int_equal(ps_match_collectives(trace, maker_received(trace, rows, n), 1, NULL), PS_OK);
        assert_int_equal(ps_match_messages(trace, 1, NULL, NULL), PS_OK);
        return trace;
}

static void expect_ending(const maker_row *rows, uint32_t n_rows, const expected *wanted, uint32_t n,
                          uint32_t n_circle)
{
        ps_trace *trace = matched(rows, n_rows);
        ps_ending e;
        assert_int_equal(ps_ending_find(&e, trace, NULL), PS_OK);
        assert_true(e.is_known);
        assert_int_equal(e.n_stuck, n);
        for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(e.stuck[i].process, wanted[i].process);
                assert_int_equal(e.stuck[i].partner, wanted[i].partner);
        }
        assert_int_equal(e.n_circle, n_circle);
        ps_ending_clear(&e);
        maker_free(trace);
}

/* 0 waits for 1, 1 for 2, 2 for 1: the circle is that of 1 and 2. */
TEST(a_circle_is_found)
{
        const maker_row rows[] = {{.loc = 0, .kind = PS_K_RECV, .flags = OPEN, .peer = 1},
                                  {.loc = 1, .kind = PS_K_SEND, .flags = OPEN, .peer = 2},
                                  {.loc = 2, .kind = PS_K_SSEND, .flags = OPEN, .peer = 1}};
        const expected wanted[] = {{0, 1}, {1, 2}, {2, 1}};
        expect_ending(rows, N(rows), wanted, N(wanted), 2);
}

/* The receive's record is written when it is over: nobody is known. */
TEST(a_partner_may_be_unknown)
{
        const maker_row rows[] = {
                {.loc = 2, .kind = PS_K_RECV, .flags = OPEN, .peer = PS_NONE, .comm = PS_NONE},
                {.loc = 1, .kind = PS_K_PROBE, .flags = OPEN, .peer = PS_NONE}};
        const expected wanted[] = {{1, PS_NONE}, {2, PS_NONE}};
        expect_ending(rows, N(rows), wanted, N(wanted), 0);
}

/* 0 and 1 are in the barrier, 2 is through with its work. */
TEST(a_barrier_waits_for_who_never_came)
{
        const maker_row rows[] = {{.loc = 0, .kind = PS_K_BARRIER, .flags = OPEN, .peer = PS_NONE},
                                  {.loc = 1, .kind = PS_K_BARRIER, .flags = OPEN, .peer = PS_NONE},
                                  {.loc = 2, .kind = PS_K_BCAST, .comm = PS_NONE, .peer = PS_NONE}};
        ps_trace *trace = matched(rows, N(rows));
        ps_ending e;
        assert_int_equal(ps_ending_find(&e, trace, NULL), PS_OK);
        assert_int_equal(e.n_stuck, 2);
        assert_int_equal(e.stuck[0].process, 0);
        assert_int_equal(e.stuck[1].process, 1);
        ps_ending_clear(&e);
        maker_free(trace);
}

/* Of the open requests those that were matched need no more; all others name process 2. */
TEST(a_wait_is_for_what_is_open)
{
        const maker_row rows[] = {{.loc = 0, .kind = PS_K_ISEND, .peer = 1, .done = PS_NONE},
                                  {.loc = 0, .kind = PS_K_ISEND, .peer = 2, .tag = 1, .done = PS_NONE},
                                  {.loc = 0, .kind = PS_K_WAITALL, .flags = OPEN},
                                  {.loc = 1, .kind = PS_K_RECV, .peer = 0}};
        const expected wanted[] = {{0, 2}};
        expect_ending(rows, N(rows), wanted, N(wanted), 0);
}

/* Neither a call whose partner came, nor one that others follow, nor a finished one. */
TEST(who_can_go_on_is_not_stuck)
{
        const maker_row rows[] = {{.loc = 0, .kind = PS_K_SEND, .flags = OPEN, .peer = 1},
                                  {.loc = 1, .kind = PS_K_RECV, .peer = 0},
                                  {.loc = 2, .kind = PS_K_RECV, .flags = OPEN, .peer = 0},
                                  {.loc = 2, .kind = PS_K_ISEND, .peer = 0, .done = PS_NONE}};
        expect_ending(rows, N(rows), NULL, 0, 0);
}

/* What never came may have stood in what is missing. */
TEST(a_trace_with_missing_parts_tells_nothing)
{
        const maker_row rows[] = {{.loc = 0, .kind = PS_K_RECV, .flags = OPEN, .peer = 1}};
        ps_trace *trace = matched(rows, N(rows));
        ps_ending e;
        ps_issue_note(&trace->issues, PS_I_FILE_TRUNCATED, PS_NOWHERE);
        assert_int_equal(ps_ending_find(&e, trace, NULL), PS_OK);
        assert_false(e.is_known);
        assert_false(e.is_finished);
        assert_int_equal(e.n_stuck, 0);
        ps_ending_clear(&e);
        maker_free(trace);
}

/* Whatever is missing: who left its Finalize is through, and nobody is through while another one is not seen
 * to be. */
TEST(who_has_left_finalize_has_finished)
{
        for (int n = 1; n <= 2; n++) {
                const maker_row rows[] = {{.loc = 0, .kind = PS_K_FINALIZE, .peer = PS_NONE},
                                          {.loc = 1, .kind = PS_K_FINALIZE, .peer = PS_NONE},
                                          {.loc = 2, .kind = n == 2 ? PS_K_FINALIZE : PS_K_ISEND, .peer = 0}};
                ps_trace *trace = matched(rows, N(rows));
                ps_ending e;
                ps_issue_note(&trace->issues, PS_I_FILE_TRUNCATED, PS_NOWHERE);
                assert_int_equal(ps_ending_find(&e, trace, NULL), PS_OK);
                assert_int_equal(e.is_finished, n == 2);
                ps_ending_clear(&e);
                maker_free(trace);
        }
}

/* What the recorder says of a call's partner counts where the call itself tells none, and who waits in no
 * call is named although nothing of it is open. */
TEST(the_recorder_may_know_more)
{
        const maker_row rows[] = {
                {.loc = 0, .kind = PS_K_RECV, .flags = OPEN, .peer = PS_NONE, .comm = PS_NONE},
                {.loc = 1, .kind = PS_K_SEND, .flags = OPEN, .peer = 0, .tag = 7},
                {.loc = 2, .kind = PS_K_BCAST, .comm = PS_NONE, .peer = PS_NONE}};
        ps_trace *trace = matched(rows, N(rows));
        ps_process_def *process = trace->defs.processes.row;
        ps_ending e;
        process[0].end = process[1].end = process[2].end = PS_END_CUT_OFF;
        process[0].awaits = 1 + 1;
        process[1].awaits = 2 + 1; /* the message itself says 0 */
        assert_int_equal(ps_ending_find(&e, trace, NULL), PS_OK);
        assert_int_equal(e.n_stuck, 2);
        assert_int_equal(e.stuck[0].partner, 1);
        assert_int_equal(e.stuck[1].partner, 0);
        assert_int_equal(e.n_circle, 2);
        assert_int_equal(e.n_cut_off, 1);
        assert_int_equal(e.cut_off[0].process, 2);
        assert_int_equal(e.cut_off[0].last.loc, 2);
        assert_int_equal(e.cut_off[0].last.op, 0);
        assert_false(e.cut_off[0].is_abort);
        ps_ending_clear(&e);
        maker_free(trace);
}

/* Killed between two calls, all of them: nothing is open, and the run has not finished. */
TEST(who_was_killed_has_not_finished)
{
        for (int is_killed = 0; is_killed <= 1; is_killed++) {
                const maker_row rows[] = {{.loc = 0, .kind = PS_K_BCAST, .comm = PS_NONE, .peer = PS_NONE}};
                ps_trace *trace = matched(rows, N(rows));
                ps_ending e;
                for (int p = 0; p < 3; p++)
                        trace->defs.processes.row[p].end =
                                (uint8_t)(is_killed && p == 1 ? PS_END_ABORT : PS_END_REACHED);
                assert_int_equal(ps_ending_find(&e, trace, NULL), PS_OK);
                assert_int_equal(e.is_finished, !is_killed);
                assert_int_equal(e.n_stuck, 0);
                assert_int_equal(e.n_cut_off, is_killed);
                assert_true(!is_killed || (e.cut_off[0].process == 1 && e.cut_off[0].is_abort));
                ps_ending_clear(&e);
                maker_free(trace);
        }
}
