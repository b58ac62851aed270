/* test_traces.c - PICL traces of real recorders and of a simulator. They are no part of this tree: the
 * test finds them in a folder beside it, or where PATSCAN_TRACES points, and is skipped without them. What is
 * expected was counted by another program. */
#include "tests/reader/picl/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const ps_time us = PS_PS_PER_S / 1000000;

static ps_trace *given(const char *name)
{
        const char *path = picl_given(name);
        if (!path)
                skip();
        ps_trace *t = loaded_by(path, 1, PS_CLOCK_AS_IS);
        loaded_check(t);
        return t;
}

/* What the messages of a trace come to, by the times of their calls alone. */
typedef struct messages {
        uint64_t n, to_self, bytes, late;
        ps_time wait;
} messages;

static void add_receive(messages *m, const ps_trace *t, ps_loc l, ps_op i)
{
        ps_ref send = ps_op_partner(t, (ps_ref){l, i});
        ps_time entry = t->measured.enter[l][i], leave = t->measured.leave[l][i];
        assert_int_not_equal(send.loc, PS_NONE);
        ps_time sent = t->measured.enter[send.loc][send.op];
        m->n++;
        m->to_self += send.loc == l;
        m->bytes += ps_op_bytes(&t->ops[l], i);
        if (sent > entry) {
                m->late++;
                m->wait += (sent < leave ? sent : leave) - entry;
        }
}

static messages messages_of(const ps_trace *t)
{
        messages m = {0};
        for (ps_loc l = 0; l < t->n_locs; l++)
                for (ps_op i = 0; i < t->ops[l].n; i++)
                        if (t->ops[l].kind[i] == PS_K_RECV || t->ops[l].kind[i] == PS_K_IRECV)
                                add_receive(&m, t, l, i);
        return m;
}

static ps_time total_in(const ps_trace *t, const char *region)
{
        ps_time sum = 0;
        for (ps_loc l = 0; l < t->n_locs; l++)
                sum += picl_time_in(t, l, region, 0);
        return sum;
}

/* node 0 leaves a block that it never entered and enters one twice; no send is waited for. */
TEST(a_recorded_trace_of_mpicl_reads_as_counted)
{
        ps_trace *t = given("mpicl_test.trf");
        messages m = messages_of(t);
        assert_int_equal(t->n_locs, 8);
        assert_int_equal(t->measured.duration, 117220 * us);
        assert_int_equal(m.n, 174);
        assert_int_equal(m.to_self, 20);
        assert_int_equal(m.bytes, 69600);
        assert_int_equal(m.late, 50);
        assert_int_equal(m.wait, 240409 * us);
        assert_int_equal(t->n_messages, 174);
        assert_int_equal(total_in(t, "bsend"), 2582 * us);
        assert_int_equal(total_in(t, "isend"), 115575 * us);
        assert_int_equal(total_in(t, "recv"), 785 * us);
        assert_int_equal(total_in(t, "recv_blocked"), 775411 * us);
        EXPECT_ISSUES(t, "stray-leave=1 unclosed-region=1 open-request=80");
        ps_trace_close(t);
}

static ps_time lost_to(const ps_analysis *a, const char *pattern)
{
        return analysed_lost(a, ps_pattern_find(pattern), PS_NONE, 1);
}

TEST(a_large_trace_of_mpicl_reads_as_counted)
{
        char path[64], command[1200];
        const char *packed = picl_given("mpicl_trace3.trf.xz");
        if (!packed)
                skip();
        snprintf(path, sizeof(path), "/tmp/patscan-trace3-%ld.trf", (long)getpid());
        snprintf(command, sizeof(command), "xz -dc '%s' > %s", packed, path);
        if (system(command)) /* NOLINT: no other reader of .xz is at hand */
                ps_test_die("cannot unpack: %s", command);
        ps_trace *t = loaded_by(path, 1, PS_CLOCK_AS_IS), *two = loaded_by(path, 2, PS_CLOCK_AS_IS);
        unlink(path);
        loaded_check(t);
        assert_null(loaded_difference(t, two, 1));
        messages m = messages_of(t);
        assert_int_equal(t->n_locs, 10);
        assert_int_equal(t->measured.duration, 11582555 * us);
        assert_int_equal(m.n, 9);
        assert_int_equal(m.bytes, 65025792);
        assert_int_equal(m.late, 9);
        assert_int_equal(m.wait, 7459677 * us);
        assert_int_equal(t->n_colls, 6011);
        EXPECT_ISSUES(t, "");
        ps_analysis *a = analysed(t, PS_DEFINITIONS_PATSCAN, 0, 1);
        analysed_check(t, a);
        assert_int_equal(lost_to(a, "late-broadcast"), 1491581 * us);
        assert_int_equal(lost_to(a, "barrier-wait"), 817693 * us);
        ps_analysis_free(a);
        ps_trace_close(t);
        ps_trace_close(two);
}

TEST(traces_of_conceptual_read_by_hand)
{
        ps_trace *t = given("ncptl_barrier_mcast4.trf");
        EXPECT_OPS(t, 1,
                   "10000-20000 barrier coll0 comm0\n30000-40000 recv 0.1 comm0 #1 1024B\n"
                   "50000-60000 barrier coll1 comm0\n");
        EXPECT_ISSUES(t, "");
        ps_trace_close(t);
        t = given("ncptl_pingpong2.trf");
        EXPECT_OPS(t, 0, "10000-10000 send 1.0 comm0 #1 32768B\n20000-30000 recv 1.1 comm0 #1 256B\n");
        EXPECT_ISSUES(t, "");
        ps_trace_close(t);
}

/* A run that hangs: node 3 goes on alone. */
TEST(a_run_that_hangs_is_read)
{
        ps_trace *t = given("ncptl_coll4_deadlock.trf");
        EXPECT_OPS(t, 3,
                   "10000-20000 barrier coll0 comm0\n30000-40000 recv 0.3 comm0 #1 1024B\n"
                   "50000-60000 reduce coll1 comm0 root0 16/0\n60000-60000 allreduce coll2 comm0 64/64\n"
                   "60000-60000 irecv\n70000-70000 isend ?0 comm0 #1 100B\n");
        EXPECT_ISSUES(t, "open-request=2 unmatched-send=1 incomplete-collective=1");
        ps_trace_close(t);
}

TEST(both_old_forms_of_a_run_are_one)
{
        ps_trace *a = given("old_compact_v1.trf"), *b = given("old_verbose_v1.trf");
        const char *difference = loaded_difference(a, b, 1);
        if (difference)
                fail_msg("the forms differ: %s", difference);
        EXPECT_OPS(a, 0, "400000-420000 send 1.0 comm0 #7 400B\n500000-540000 barrier coll0 comm0\n");
        EXPECT_OPS(a, 1, "100000-460000 recv 0.0 comm0 #7 400B\n510000-541000 barrier coll0 comm0\n");
        ps_trace_close(a);
        ps_trace_close(b);
}

/* Splitting 15 items over 8 processors: who sends when was worked out by hand (a unit a byte, 5 of
 * transport); idle before a message is there is inside its receive. */
TEST(a_simulated_run_reads_as_worked_out)
{
        ps_trace *t = given("bmf_split8.trf");
        EXPECT_OPS(t, 0,
                   "0-7000000000 send 4.0 comm0 #1 7B\n7000000000-11000000000 send 2.0 comm0 #1 4B\n"
                   "11000000000-13000000000 send 1.0 comm0 #1 2B\n");
        EXPECT_OPS(t, 7, "0-37000000000 recv 6.1 comm0 #1 1B\n");
        EXPECT_ISSUES(t, "");
        assert_int_equal(picl_time_in(t, 7, "idle", 0), 36 * PS_PS_PER_S);
        ps_trace_close(t);
        t = given("thesis_3_5.trf");
        assert_int_equal(picl_time_in(t, 0, "idle", 0), 9 * PS_PS_PER_S);
        assert_int_equal(picl_time_in(t, 1, "idle", 0), 10 * PS_PS_PER_S);
        assert_int_equal(picl_time_in(t, 2, "idle", 0), 4 * PS_PS_PER_S);
        assert_int_equal(picl_time_in(t, 2, "recv", 1), PS_PS_PER_S);
        ps_trace_close(t);
}

/* Tables of numbers that lie beside the traces are none. */
TEST(tables_of_networks_are_no_traces)
{
        static const char *const names[] = {"net_tree4.txt", "net_tree16.txt", "net_mesh4x4.txt"};
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                char text[4096] = "";
                const char *path = picl_given(names[i]);
                FILE *file = path ? fopen(path, "rb") : NULL;
                if (!file)
                        skip();
                text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
                fclose(file);
                assert_int_equal(picl_sure(text), 0);
        }
}
