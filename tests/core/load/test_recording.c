/* test_recording.c - a run that is made up event by event becomes a trace like one that was read. */
#include "core/load/recording.h"
#include "tests/support/made_up.h"
#include "tests/support/test.h"

static const ps_time ms = PS_PS_PER_S / 1000;

/* Two processes with a world communicator and the regions MPI_Send (0) and MPI_Recv (1). */
static ps_recording *two_processes(void)
{
        ps_recording *r = made_up_recording(2);
        made_up_regions(r, (const char *const[]){"MPI_Send", "MPI_Recv"}, 2, PS_PARADIGM_USER);
        return r;
}

/* Process 1 waits from 1 ms on; process 0 sends at 4 ms; the message is there at 5 ms. */
static void record_late_sender(ps_recording *r)
{
        made_up_event(r, 1, (ps_event){.time = 1 * ms, .kind = PS_EV_ENTER, .ref = 1});
        made_up_event(r, 0, (ps_event){.time = 4 * ms, .kind = PS_EV_ENTER, .ref = 0});
        made_up_event(
                r, 0,
                (ps_event){.time = 4 * ms, .kind = PS_EV_SEND, .peer = 1, .comm = 0, .tag = 7, .bytes = 8});
        made_up_event(r, 0, (ps_event){.time = 4 * ms, .kind = PS_EV_LEAVE, .ref = 0});
        made_up_event(
                r, 1,
                (ps_event){.time = 5 * ms, .kind = PS_EV_RECV, .peer = 0, .comm = 0, .tag = 7, .bytes = 8});
        made_up_event(r, 1, (ps_event){.time = 5 * ms, .kind = PS_EV_LEAVE, .ref = 1});
}

TEST(a_recording_becomes_a_trace)
{
        ps_error err = {0};
        ps_recording *r = two_processes();
        record_late_sender(r);
        ps_trace *trace;
        assert_int_equal(ps_recording_load(&trace, r, NULL, &err), PS_OK);
        ps_recording_free(r);
        assert_string_equal(trace->format, "made-up");
        assert_int_equal(trace->n_messages, 1);
        assert_int_equal(ps_issues_total(&trace->issues), 0);
        assert_int_equal(trace->measured.duration, 4 * ms);
        assert_int_equal(trace->measured.enter[0][0], 3 * ms);
        assert_int_equal(trace->measured.leave[1][0], 4 * ms);
        ps_ref sender = ps_op_partner(trace, (ps_ref){1, 0});
        assert_int_equal(sender.loc, 0);
        assert_int_equal(sender.op, 0);
        ps_trace_close(trace);
}

TEST(the_merged_view_starts_again_each_time)
{
        static const ps_loc order[] = {1, 0, 0, 0, 1, 1};
        ps_error err = {0};
        ps_recording *r = two_processes();
        record_late_sender(r);
        for (int round = 0; round < 2; round++) {
                ps_cursor *cursor;
                const ps_cursor_event *e;
                assert_int_equal(ps_cursor_new(&cursor, ps_recording_source(r), &err), PS_OK);
                for (size_t i = 0; i < 6; i++) {
                        assert_int_equal(ps_cursor_next(cursor, &e, &err), PS_OK);
                        assert_non_null(e);
                        assert_int_equal(e->location, order[i]);
                }
                assert_int_equal(ps_cursor_next(cursor, &e, &err), PS_OK);
                assert_null(e);
                ps_cursor_free(cursor);
        }
        ps_recording_free(r);
}

TEST(impossible_events_are_refused)
{
        ps_error err = {0};
        ps_recording *r = two_processes();
        ps_event event = {.time = 5, .kind = PS_EV_ENTER};
        assert_int_equal(ps_recording_add(r, 2, &event, &err), PS_E_INTERNAL);
        assert_int_equal(ps_recording_add(r, 1, &event, &err), PS_OK);
        event.time = 4;
        assert_int_equal(ps_recording_add(r, 1, &event, &err), PS_E_INTERNAL);
        assert_int_equal(ps_recording_add(r, 0, &event, &err),
                         PS_OK); /* another location's time is its own */
        event.time = PS_READER_TIME_LIMIT + 1;
        assert_int_equal(ps_recording_add(r, 0, &event, &err), PS_E_USAGE);
        ps_recording_free(r);
}

TEST(a_run_without_events_is_a_trace_too)
{
        ps_error err = {0};
        ps_recording *r = two_processes();
        ps_trace *trace;
        assert_int_equal(ps_recording_load(&trace, r, NULL, &err), PS_OK);
        ps_recording_free(r);
        assert_int_equal(trace->n_locs, 2);
        assert_int_equal(trace->n_events, 0);
        ps_trace_close(trace);
}
