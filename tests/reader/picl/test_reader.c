/* test_reader.c - PICL 2.0 in its dialects, a few lines each, with answers worked out by hand. */
#include "reader/picl/table.h"
#include "tests/reader/picl/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static const ps_time us = PS_PS_PER_S / 1000000;

static void expect_line(const ps_trace *t, ps_issue_kind kind, uint64_t line)
{
        if (!t->issues.row[kind].count || t->issues.row[kind].offset != line)
                fail_msg("%s: %llu times, first in line %llu", ps_issue_infos[kind].name,
                         (unsigned long long)t->issues.row[kind].count,
                         (unsigned long long)t->issues.row[kind].offset);
}

/* -- dialects -- */

TEST(a_trace_of_mpicl_is_read)
{
        ps_trace *t = picl_loaded("-3 -901 -0.000001 0 0 0\n"
                                  "-3 -901 0.000000 1 0 0\n"
                                  "-2 -904 0.000000 0 0 3 2 1 1 1\n"
                                  "-3 7 0.000010 0 0 0 2\n"
                                  "-3 -21 0.000020 0 0 3 2 400 10 1\n"
                                  "-3 -52 0.000020 1 0 2 2 10 0\n"
                                  "-4 -21 0.000030 0 0 0\n"
                                  "-4 -52 0.000035 1 0 3 2 400 10 0\n"
                                  "-3 -27 0.000040 1 0 3 2 8 5 0\n"
                                  "-4 -27 0.000041 1 0 1 2 1\n"
                                  "-3 -51 0.000045 0 0 2 2 -1 -2\n"
                                  "-4 -51 0.000046 0 0 3 2 8 5 1\n"
                                  "-3 -785 0.000050 0 0 3 2 64 0 -1\n"
                                  "-3 -785 0.000050 1 0 3 2 -1 0 -1\n"
                                  "-4 -785 0.000060 0 0 1 2 64\n"
                                  "-4 7 0.000060 0 0 0 2\n"
                                  "-4 -785 0.000060 1 0 1 2 64\n"
                                  "-3 -402 0.000060 1 0 1 2 -1\n"
                                  "-3 -402 0.000070 0 0 1 2 -1\n"
                                  "-4 -402 0.000080 0 0 0\n"
                                  "-4 -402 0.000080 1 0 0\n"
                                  "-101 -1 0.000090 0 0 2 \"%d%lf\" -21 0.000010 -785 0.000010 \n"
                                  "-102 -1 0.000090 0 0 2 \"%d%d\" -21 1 -785 1 \n"
                                  "-103 -1 0.000090 0 0 2 \"%d%d\" -21 400 -785 64 \n"
                                  "-104 -1 0.000090 0 0 2 \"%d%d\" -51 8 -785 64 \n"
                                  "-105 -1 0.000090 0 0 1 \"%d%d\" -901 285 \n"
                                  "-2 -12 0.000090 0 0 0\n"
                                  "-4 -901 0.000091 0 0 0\n"
                                  "-4 -901 0.000092 1 0 0\n");
        EXPECT_OPS(t, 0,
                   "21000-31000 send 1.0 comm0 #10 400B\n46000-47000 recv 1.1 comm0 #5 8B\n"
                   "51000-61000 bcast coll0 comm0 root0 64/64\n71000-81000 barrier coll1 comm0\n");
        EXPECT_OPS(t, 1,
                   "21000-36000 recv 0.0 comm0 #10 400B\n41000-42000 isend 0.1 comm0 #5 8B\n"
                   "51000-61000 bcast coll0 comm0 root0 0/64\n61000-81000 barrier coll1 comm0\n");
        EXPECT_PATH(t, 0, 0, "user event 7/send");
        EXPECT_PATH(t, 1, 0, "recv_blocked");
        EXPECT_ISSUES(t, "open-request=1");
        assert_int_equal(t->measured.duration, 93 * us);
        assert_int_equal(t->defs.resolution_hz, 1000000);
        assert_int_equal(picl_count(t, "entry bcast"), 2);
        assert_int_equal(picl_count(t, "mark close"), 1);
        assert_int_equal(picl_count(t, "(send)"), 1);
        assert_int_equal(picl_time_in(t, 0, "user event 7", 0), 50 * us);
        ps_trace_close(t);
}

static const char four_fields[] =
        "-202 -812 0.0 -1 -1 3 2 1 1 0\n"
        "-5 3 0.0 -1 -1 1 1 \"solve it\"\n" PICL_EXCHANGE "-3 -782 0.000009 0 0 2 2 64 1\n"
        "-3 -782 0.000009 1 0 2 2 64 1\n"
        "-4 -782 0.000010 0 0 1 2 1\n"
        "-4 -782 0.000010 1 0 1 2 1\n"
        "-2 -911 0.000011 0 0 2 \"%s %d\" note 7\n"
        "-3 -221 0.000011 0 0 1 2 4096\n"
        "-4 -221 0.000012 0 0 0\n"
        "-3 -912 0.000012 0 0 0\n"
        "-4 -912 0.000014 0 0 0\n"
        "-3 -777 0.000014 0 0 0\n"
        "-4 -777 0.000015 0 0 0\n"
        "-4 3 0.000016 0 0 0\n";

TEST(events_may_have_four_fields)
{
        ps_trace *t = picl_loaded(four_fields);
        EXPECT_OPS(t, 0,
                   "1000-2000 irecv 1.0 comm0 #1 100B done1\n3000-5000 wait [0]\n"
                   "6000-7000 reduce coll0 comm1 root0 16/16\n8000-9000 allreduce coll1 comm1 64/64\n");
        EXPECT_OPS(t, 1,
                   "1000-2000 isend 0.0 comm0 #1 100B done1\n3000-4000 wait [0]\n"
                   "6000-7000 reduce coll0 comm1 root0 16/0\n8000-9000 allreduce coll1 comm1 64/64\n");
        EXPECT_PATH(t, 0, 1, "solve it/irecv_wait_blocked");
        EXPECT_ISSUES(t, "unknown-event=2");
        expect_line(t, PS_I_EVENT_UNKNOWN, 25);
        assert_int_equal(t->defs.comms.row[1].n_members, 2);
        assert_int_equal(t->defs.comms.row[1].members[0], 1);
        assert_int_equal(picl_time_in(t, 0, "picl event -777", 0), us);
        assert_int_equal(picl_time_in(t, 0, "trace_flush", 0), 2 * us);
        assert_int_equal(picl_time_in(t, 0, "file_write", 0), us);
        assert_int_equal(picl_count(t, "(io)"), 1);
        assert_int_equal(picl_count(t, "(flush)"), 1);
        assert_int_equal(picl_count(t, "mark trace_message"), 1);
        ps_trace_close(t);
}

static const char arrival[] = "-3 -601 0.000 0 -1 0\n"
                              "-3 -601 0.000 1 -1 0\n"
                              "-3 -601 0.000 2 -1 0\n"
                              "-3 -21 1.000 0 -1 3 2 5 1 2\n"
                              "-4 -21 2.000 0 -1 0\n"
                              "-3 -601 2.000 0 -1 0\n"
                              "-3 -51 4.000 2 -1 1 2 1\n"
                              "-4 -51 5.000 2 -1 3 2 5 1 0\n"
                              "-4 -601 5.000 2 -1 0\n"
                              "-3 -601 10.000 2 -1 0\n";

/* A receive begins with the idleness before it, which stays a region in it; idle lasts to the trace's end. */
TEST(a_receive_begins_with_the_idleness_before_it)
{
        const ps_time s = PS_PS_PER_S;
        ps_trace *t = picl_loaded(arrival);
        EXPECT_OPS(t, 0, "1000000000-2000000000 send 2.0 comm0 #1 5B\n");
        EXPECT_OPS(t, 1, "");
        EXPECT_OPS(t, 2, "0-5000000000 recv 0.0 comm0 #1 5B\n");
        EXPECT_ISSUES(t, "");
        assert_int_equal(picl_time_in(t, 0, "idle", 0), 9 * s);
        assert_int_equal(picl_time_in(t, 0, "send", 0), s);
        assert_int_equal(picl_time_in(t, 1, "idle", 0), 10 * s);
        assert_int_equal(picl_time_in(t, 2, "idle", 0), 4 * s);
        assert_int_equal(picl_time_in(t, 2, "recv", 1), s);
        assert_int_equal(picl_count(t, "entry idle"), 5);
        assert_int_equal(picl_count(t, "exit idle"), 1);
        assert_int_equal(picl_count(t, "entry recv"), 1);
        ps_trace_close(t);
}

/* The idleness may be left at the receive; or end without one, and then it is a region of its own. */
TEST(idleness_may_be_left_at_the_receive)
{
        ps_trace *t = picl_loaded("-3 -601 0.0 0 -1 0\n-4 -601 0.1 0 -1 0\n-3 -601 0.2 0 -1 0\n"
                                  "-4 -601 0.5 0 -1 0\n-3 -51 0.5 0 -1 1 2 1\n-4 -51 0.6 0 -1 3 2 5 1 1\n"
                                  "-3 -21 0.3 1 -1 3 2 5 1 0\n-4 -21 0.4 1 -1 0\n");
        EXPECT_OPS(t, 0, "200000000-600000000 recv 1.0 comm0 #1 5B\n");
        EXPECT_ISSUES(t, "");
        assert_int_equal(picl_time_in(t, 0, "idle", 0), 4 * PS_PS_PER_S / 10);
        ps_trace_close(t);
}

/* With the source at the entry, idle is what its name says and nothing else. */
TEST(with_the_source_at_the_entry_idle_is_a_region)
{
        ps_trace *t = picl_loaded("-3 -601 0.0 0 0 0\n-4 -601 0.1 0 0 0\n-3 -51 0.1 0 0 2 2 1 1\n"
                                  "-4 -51 0.6 0 0 3 2 5 1 1\n-3 -21 0.3 1 0 3 2 5 1 0\n-4 -21 0.4 1 0 0\n");
        EXPECT_OPS(t, 0, "100000000-600000000 recv 1.0 comm0 #1 5B\n");
        assert_int_equal(picl_time_in(t, 0, "idle", 0), PS_PS_PER_S / 10);
        ps_trace_close(t);
}

/* -- the table -- */

/* Each type of event once: an interval of the table's name and kind. */
TEST(each_event_is_an_interval_of_its_name_and_kind)
{
        for (unsigned i = 0; i < PS_PICL_E_COUNT; i++) {
                const ps_picl_event *e = &ps_picl_events[i];
                char text[256];
                if (e->act == PS_PICL_SUBSET || e->act == PS_PICL_TRACING)
                        continue;
                snprintf(text, sizeof(text), "-3 %d 0.000001 0 0 0\n-4 %d 0.000003 0 0 0\n", (int)e->number,
                         (int)e->number);
                ps_trace *t = picl_loaded(text);
                if (picl_time_in(t, 0, e->name, 0) != 2 * us)
                        fail_msg("%s: not 2 us", e->name);
                assert_int_equal(t->defs.regions.row[0].kind, e->kind);
                assert_int_equal(t->ops[0].n, e->kind != PS_K_NONE);
                if (e->kind != PS_K_NONE)
                        assert_int_equal(t->ops[0].kind[0], e->kind);
                ps_trace_close(t);
        }
}

/* Each way to send with each way to wait for it. */
TEST(each_way_to_send_meets_each_way_to_wait)
{
        for (unsigned i = 0; i < PS_PICL_E_COUNT; i++) {
                const ps_picl_event *e = &ps_picl_events[i];
                char text[512], expected[256];
                if (e->act != PS_PICL_ISEND)
                        continue;
                snprintf(text, sizeof(text),
                         "-3 %d 0.000001 0 0 3 2 8 5 0\n-4 %d 0.000002 0 0 1 2 9\n-3 %d 0.000003 0 0 1 2 9\n"
                         "-4 %d 0.000004 0 0 0\n-3 %d 0.000005 0 0 1 2 9\n-4 %d 0.000006 0 0 0\n"
                         "-3 -51 0.000007 0 0 2 2 5 0\n-4 -51 0.000008 0 0 3 2 8 5 0\n",
                         (int)e->number, (int)e->number, (int)e->number - 2, (int)e->number - 2,
                         (int)e->number - 3, (int)e->number - 3);
                snprintf(expected, sizeof(expected),
                         "0-1000 %s 0.3 comm0 #5 8B done2\n2000-3000 test []\n4000-5000 wait [0]\n"
                         "6000-7000 recv 0.0 comm0 #5 8B\n",
                         ps_kinds[e->kind].name);
                ps_trace *t = picl_loaded(text);
                EXPECT_OPS(t, 0, expected);
                EXPECT_ISSUES(t, "");
                ps_trace_close(t);
        }
}

/* A label may name a call of MPI; a function of the program that is called like another operation is none. */
TEST(a_label_may_name_a_call_of_mpi)
{
        ps_trace *t = picl_loaded(
                "-5 1 0 -1 -1 1 1 MPI_Send\n-5 2 0 0 0 1 0 \"\"\n-5 2 0 0 0 1 1 two words  \n"
                "-5 2 0 0 0 1 1 other\n-5 3 0 -1 -1 1 1 upc_barrier\n-5 4 0 -1 -1 1 1 send\n-5 -777 0 0 0 1 "
                "1 mine\n-5 -21 0 0 0 1 1 mine\n"
                "-7 1 0 -1 -1 1 1 \"src/a b.c:14\"\n-7 2 0 -1 -1 1 1 12:30 started\n-7 2 0 -1 -1 1 1 :7\n"
                "-3 1 0.1 0 0 0\n-3 2 0.2 0 0 0\n-4 2 0.3 0 0 0\n-4 1 0.4 0 0 0\n"
                "-3 3 0.4 0 0 0\n-4 3 0.4 0 0 0\n-3 4 0.4 0 0 0\n-4 4 0.4 0 0 0\n"
                "-3 -777 0.4 0 0 0\n-4 -777 0.5 0 0 0\n");
        assert_int_equal(t->ops[0].n, 1);
        assert_int_equal(t->ops[0].kind[0], PS_K_SEND);
        assert_int_equal(picl_time_in(t, 0, "MPI_Send", 0), 3 * PS_PS_PER_S / 10);
        assert_int_equal(picl_time_in(t, 0, "two words", 0), PS_PS_PER_S / 10);
        assert_int_equal(picl_time_in(t, 0, "mine", 0), PS_PS_PER_S / 10);
        assert_string_equal(ps_defs_str(&t->defs, t->defs.regions.row[0].file), "src/a b.c");
        assert_int_equal(t->defs.regions.row[0].line, 14);
        assert_int_equal(t->defs.regions.row[1].line, 0);
        EXPECT_ISSUES(t, "duplicate-definition=1 invalid-definition=1 unknown-event=2");
        expect_line(t, PS_I_DEF_DUPLICATE, 4);
        ps_trace_close(t);
}

/* -- places and subsets -- */

TEST(nodes_and_processes_are_places)
{
        ps_trace *t = picl_loaded("-3 -21 0.1 70000 0 4 2 8 1 3 2\n-4 -21 0.2 70000 -1 0\n"
                                  "-3 -52 0.1 3 2 2 2 1 -2\n-4 -52 0.3 3 2 4 2 8 1 70000 0\n"
                                  "-2 -12 0.4 3 1 0\n-2 -12 0.4 -32768 0 0\n");
        static const char *const names[] = {"node 3 process 1", "node 3 process 2", "node 70000", "host"};
        assert_int_equal(t->defs.processes.n, 4);
        for (int i = 0; i < 4; i++)
                assert_string_equal(ps_defs_str(&t->defs, t->defs.processes.row[i].name), names[i]);
        EXPECT_OPS(t, 2, "0-100000000 send 1.0 comm0 #1 8B\n");
        EXPECT_OPS(t, 1, "0-200000000 recv 2.0 comm0 #1 8B\n");
        EXPECT_ISSUES(t, "");
        assert_int_equal(t->defs.comms.row[0].n_members, 4);
        assert_int_equal(t->defs.comms.row[1].n_members, 3); /* collective operations without the host */
        ps_trace_close(t);
}

TEST(subsets_become_communicators)
{
        ps_trace *t =
                picl_loaded("-202 -812 0 -1 -1 3 2 4 2 1\n"
                            "-202 -812 0 -1 -1 3 2 4 1 2\n" /* other order: another subset */
                            "-201 -1 0 -1 -1 2 2 5 -1\n"
                            "-202 -812 0 -1 -1 4 2 6 1 1 9\n" /* twice, and a stranger */
                            "-202 -812 0 -1 -1 9 2 7 1\n"     /* not nine */
                            "-3 -785 1 1 0 3 2 8 2 4\n-4 -785 3 1 0 1 2 8\n"
                            "-3 -785 1 2 0 3 2 8 2 4\n-4 -785 2 2 0 1 2 8\n"
                            "-3 -812 3 1 0 1 2 5\n-4 -812 5 1 0 0\n-3 -812 3 2 0 1 2 5\n-4 -812 4 2 0 0\n"
                            "-3 -402 6 1 0 1 2 77\n-4 -402 7 1 0 0\n");
        EXPECT_OPS(t, 0,
                   "0-2000000000 bcast coll1 comm1 root1 8/8\n2000000000-4000000000 comm-manage coll0 comm0\n"
                   "5000000000-6000000000 barrier\n");
        EXPECT_ISSUES(t, "duplicate-definition=1 invalid-definition=2 invalid-communicator=1");
        expect_line(t, PS_I_DEF_DUPLICATE, 2);
        assert_int_equal(t->defs.comms.row[2].n_members, 2);
        assert_int_equal(t->defs.comms.row[2].members[1], PS_NONE);
        ps_trace_close(t);
}

/* What a member receives is what it says at the entry, where the exit is silent; -1 is not silent. */
TEST(exits_without_data)
{
        ps_trace *t = picl_loaded("-3 -785 0 0 0 3 2 8 0 -1\n-3 -785 0 1 0 3 2 8 0 -1\n"
                                  "-4 -785 1 0 0 0\n-4 -785 1 1 0 0\n"
                                  "-3 -785 2 0 0 3 2 8 0 -1\n-3 -785 2 1 0 3 2 8 0 -1\n"
                                  "-4 -785 3 0 0 1 2 8\n-4 -785 3 1 0 1 2 -1\n"
                                  "-3 -790 4 0 0 3 2 8 0 -1\n-3 -790 4 1 0 3 2 8 0 -1\n"
                                  "-4 -790 5 0 0 1 2 8\n-4 -790 5 1 0 0\n"
                                  "-3 -782 6 0 0 2 2 8 -1\n-3 -782 6 1 0 2 2 8 -1\n"
                                  "-4 -782 7 0 0 1 2 -1\n-4 -782 7 1 0 1 2 -1\n");
        EXPECT_OPS(t, 1,
                   "0-1000000000 bcast coll0 comm0 root0 8/8\n2000000000-3000000000 bcast coll1 comm0 root0 "
                   "8/0\n"
                   "4000000000-5000000000 reduce coll2 comm0 root0 8/0\n"
                   "6000000000-7000000000 allreduce coll3 comm0 8/8\n");
        EXPECT_ISSUES(t, "");
        ps_trace_close(t);
}

/* -- ties -- */

/* The next call's entry stands before the last one's exit, and a block's exit before that of what is in it.
 */
TEST(events_of_one_moment_are_put_in_order)
{
        ps_trace *t = picl_loaded("-3 4 0.1 0 0 0\n-3 -52 0.1 0 0 2 2 1 1\n-3 -21 0.2 1 0 3 2 8 1 0\n"
                                  "-4 -21 0.3 1 0 0\n-3 -52 0.4 1 0 2 2 2 0\n"
                                  "-3 -21 0.5 0 0 3 2 8 2 1\n-2 -12 0.5 0 0 0\n-4 -52 0.5 0 0 3 2 8 1 1\n"
                                  "-4 4 0.7 0 0 0\n-4 -21 0.7 0 0 0\n-4 -52 0.8 1 0 3 2 8 2 0\n");
        EXPECT_OPS(t, 0, "0-400000000 recv 1.0 comm0 #1 8B\n400000000-600000000 send 1.1 comm0 #2 8B\n");
        EXPECT_PATH(t, 0, 1, "user event 4/send");
        EXPECT_ISSUES(t, "");
        ps_trace_close(t);
}

/* Calls that take no time stay what they are. */
TEST(ties_without_duration)
{
        char text[16384];
        int n = 0;
        for (int i = 0; i < 200; i++)
                n += snprintf(text + n, sizeof(text) - (size_t)n, "-3 -402 0.5 0 0 0\n-4 -402 0.5 0 0 0\n");
        ps_trace *t = picl_loaded(text);
        assert_int_equal(t->n_colls, 200);
        EXPECT_ISSUES(t, "");
        ps_trace_close(t);
}

/* -- recorders that are switched off and on -- */

TEST(time_without_tracing_is_left_out)
{
        ps_trace *t =
                picl_loaded("-3 -901 0.0 0 0 0\n-4 -901 1.0 0 0 0\n-3 -901 3.0 0 0 0\n-4 -901 4.0 0 0 0\n");
        EXPECT_ISSUES(t, "measurement-off=1");
        assert_int_equal(t->info[0].off, 2 * PS_PS_PER_S);
        assert_int_equal(picl_count(t, "exit tracing"), 2);
        ps_trace_close(t);
}

/* Seconds since 1970 cannot be told in picoseconds: clamped, and said. */
TEST(seconds_out_of_range_are_clamped_and_told)
{
        ps_trace *t = picl_loaded("-3 -402 0.5 0 0 0\n-4 -402 1700000000.000004 0 0 0\n");
        EXPECT_ISSUES(t, "time-out-of-range=1");
        expect_line(t, PS_I_TIME_RANGE, 2);
        ps_trace_close(t);
}
