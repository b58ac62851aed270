/* test_sweep_calls.c - profiles of calls one after the other, of more locations than go on in turns. */
#include "core/sums/profile.h"
#include "tests/support/made_up.h"
#include "tests/support/test.h"

enum { ISEND, RECV, N_REGIONS };
enum { OTHERS = 8, SENT = 21, EMPTY = 8, LONG = 13 };

static const ps_time s = PS_PS_PER_S;

/* A call of that region with the message in it, whose event is at its begin or its end. */
static void call(ps_recording *r, ps_loc loc, ps_region region, ps_time begin, ps_time end, ps_event event)
{
        const ps_event rows[] = {
                {.kind = PS_EV_ENTER, .ref = region}, event, {.kind = PS_EV_LEAVE, .ref = region}};
        const ps_time times[] = {begin, region == ISEND ? begin : end, end};
        for (unsigned i = 0; i < 3; i++) {
                ps_event one = rows[i];
                one.time = times[i] * s;
                made_up_event(r, loc, one);
        }
}

/* Process 0 sends k bytes by its k-th call, from 10 k to 10 k + 9, to each of the others in turn; but one
 * call takes no time, and one goes on until the next one begins. The others receive from 1000, 1020 and 1040
 * on, for 10 each. */
static ps_trace *make_up(void)
{
        static const char *const names[] = {"MPI_Isend", "MPI_Recv"};
        ps_recording *r = made_up_recording(1 + OTHERS);
        ps_trace *trace;
        ps_error err = {0};
        made_up_regions(r, names, N_REGIONS, PS_PARADIGM_MPI);
        for (ps_loc k = 0; k < SENT; k++) {
                const ps_loc to = 1 + k % OTHERS;
                const ps_time sent = 10 * k, received = 1000 + 20 * (k / OTHERS);
                call(r, 0, ISEND, sent,
                     sent + (k == EMPTY  ? 0
                             : k == LONG ? 10
                                         : 9),
                     (ps_event){.kind = PS_EV_ISEND, .peer = to, .bytes = k, .request = k});
                call(r, to, RECV, received, received + 10,
                     (ps_event){.kind = PS_EV_RECV, .peer = 0, .bytes = k});
        }
        assert_int_equal(ps_recording_load(&trace, r, NULL, &err), PS_OK);
        ps_recording_free(r);
        return trace;
}

/* Eight receive at once, then eight again, then five. */
TEST(calls_that_do_not_wait_are_told_one_by_one)
{
        const ps_time all = 1050 * s, sending = (19 * 9 + 10) * s, receiving = 3 * 10 * s;
        const uint64_t bytes = SENT * (SENT - 1) / 2;
        ps_trace *trace = make_up();
        ps_profile *p;
        assert_int_equal(ps_profile_make(&p, trace, &trace->measured, 1, NULL), PS_OK);
        assert_int_equal(p->rows[0].state[PS_STATE_OVERHEAD], sending);
        assert_int_equal(p->rows[0].state[PS_STATE_BUSY], 209 * s - sending);
        assert_int_equal(p->rows[0].state[PS_STATE_IDLE], all - 209 * s); /* it has ended */
        assert_int_equal(p->rows[1].state[PS_STATE_OVERHEAD], receiving);
        const ps_time *in_overhead = p->concurrency[PS_STATE_OVERHEAD];
        assert_int_equal(in_overhead[0], all - sending - receiving);
        assert_int_equal(in_overhead[1], sending);
        assert_int_equal(in_overhead[5], 10 * s);
        assert_int_equal(in_overhead[8], 20 * s);
        assert_int_equal(p->rows[0].sent, SENT);
        assert_int_equal(p->rows[0].sent_bytes, bytes);
        assert_int_equal(p->messages.value, SENT);
        assert_int_equal(p->messages.at, 200 * s);
        assert_int_equal(p->bytes.value, bytes);
        assert_int_equal(p->bytes.at, 200 * s);
        assert_int_equal(p->rows[1].queue.value, 3);
        assert_int_equal(p->rows[1].queue.at, 160 * s);
        ps_profile_free(p);
        ps_trace_close(trace);
}
