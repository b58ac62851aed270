/* test_old.c - PICL 1, compact and verbose, with answers worked out by hand. */
#include "tests/reader/picl/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <string.h>

static const ps_time us = PS_PS_PER_S / 1000000;

static const char compact[] = "1 0 100 0 1 1 1\n"
                              "1 0 100 -32768 1 1 1\n"
                              "2 0 110 0\n"
                              "3 0 110 0\n"
                              "7 0 200 1 7\n"
                              "4 0 500 0 1 7 400\n"
                              "11 0 500 0 0 0\n"
                              "11 0 520 0 0 0\n"
                              "8 0 560 1 0 7 400\n"
                              "11 0 560 1 0 360\n"
                              "4 0 570 1 -32768 8 16\n"
                              "6 0 580 -32768 1 8 16\n"
                              "5 0 590 0 7\n"
                              "9 0 590 0\n"
                              "20 0 600 0 -1 0 0\n"
                              "20 0 610 1 -1 0 0\n"
                              "10 0 615 0\n"
                              "21 0 640 0 -1 0 0\n"
                              "21 0 641 1 -1 0 0\n"
                              "20 0 650 0 -3 0 5\n"
                              "21 0 660 0 -3 0 5\n"
                              "20 0 652 1 -3 0 5\n"
                              "21 0 661 1 -3 0 5\n"
                              "20 0 670 0 -4 0 5\n"
                              "21 0 680 0 -4 0 5\n"
                              "20 0 670 1 -4 0 5\n"
                              "21 0 680 1 -4 0 5\n"
                              "20 0 690 0 12 1 2\n"
                              "21 0 695 0 12 1 2\n"
                              "10 0 700 0\n"
                              "11 0 700 0 0 0\n"
                              "11 0 710 0 0 0\n"
                              "10 0 701 1\n"
                              "11 0 701 1 0 360\n"
                              "11 0 710 1 0 360\n"
                              "14 0 720 0 1 1 0\n"
                              "15 0 721 0 3\n"
                              "18 0 730 0 0 740\n"
                              "22 0 750 0 2 5 6\n"
                              "22 0 750 0 -1\n"
                              "23 0 751 0\n"
                              "24 0 752 0 0 760\n"
                              "12 0 770 0 0 0 1 400 0\n"
                              "13 0 771 0\n"
                              "17 0 772 0\n"
                              "19 0 780 0 120\n";

static const char verbose[] =
        "trace_start  clock 0 100 node 0 event 1 compstats 1 commstats 1\n"
        "trace_start  clock 0 100 node -32768 event 1 compstats 1 commstats 1\n"
        "open  clock 0 110 node 0\n"
        "load  clock 0 110 node 0\n"
        "recv_blocking  clock 0 200 node 1 type 7\n"
        "send  clock 0 500 node 0 to 1 type 7 lth 400\n"
        "compstats  clock 0 500 node 0 busy 0 400 idle 0 0\n"
        "compstats  clock 0 520 node 0 busy 0 420 idle 0 0\n"
        "recv_waking  clock 0 560 node 1 from 0 type 7 lth 400\n"
        "compstats  clock 0 560 node 1 busy 0 90 idle 0 360\n"
        "send  clock 0 570 node 1 to -32768 type 8 lth 16\n"
        "recv  clock 0 580 node -32768 from 1 type 8 lth 16\n"
        "probe  clock 0 590 node 0 type 7\n"
        "message  clock 0 590 node 0\n"
        "block_begin  clock 0 600 node 0 block_type -1 location_type 0 parameter_type 0\n"
        "block_begin  clock 0 610 node 1 block_type -1 location_type 0 parameter_type 0\n"
        "sync  clock 0 615 node 0\n"
        "block_end  clock 0 640 node 0 block_type -1 location_type 0 parameter_type 0\n"
        "block_end  clock 0 641 node 1 block_type -1 location_type 0 parameter_type 0\n"
        "block_begin  clock 0 650 node 0 block_type -3 location_type 0 parameter_type 5\n"
        "block_end  clock 0 660 node 0 block_type -3 location_type 0 parameter_type 5\n"
        "block_begin  clock 0 652 node 1 block_type -3 location_type 0 parameter_type 5\n"
        "block_end  clock 0 661 node 1 block_type -3 location_type 0 parameter_type 5\n"
        "block_begin  clock 0 670 node 0 block_type -4 location_type 0 parameter_type 5\n"
        "block_end  clock 0 680 node 0 block_type -4 location_type 0 parameter_type 5\n"
        "block_begin  clock 0 670 node 1 block_type -4 location_type 0 parameter_type 5\n"
        "block_end  clock 0 680 node 1 block_type -4 location_type 0 parameter_type 5\n"
        "block_begin  clock 0 690 node 0 block_type 12 location_type 1 parameter_type 2\n"
        "block_end  clock 0 695 node 0 block_type 12 location_type 1 parameter_type 2\n"
        "sync  clock 0 700 node 0\n"
        "compstats  clock 0 700 node 0 busy 0 1 idle 0 0\n"
        "compstats  clock 0 710 node 0 busy 0 1 idle 0 0\n"
        "sync  clock 0 701 node 1\n"
        "compstats  clock 0 701 node 1 busy 0 1 idle 0 360\n"
        "compstats  clock 0 710 node 1 busy 0 1 idle 0 360\n"
        "trace_level  clock 0 720 node 0 event 1 compstats 1 commstats 0\n"
        "trace_mark  clock 0 721 node 0 type 3\n"
        "trace_flush  clock 0 730 node 0 finished 0 740\n"
        "trace_mark_array  clock 0 750 node 0 size 2 array 5 6\n"
        "trace_mark_array  clock 0 750 node 0 size -1\n"
        "clock_sync  clock 0 751 node 0\n"
        "trace_files  clock 0 752 node 0 finished 0 760\n"
        "commstats  clock 0 770 node 0 received 0 volume 0 sent 1 volume 400 probed 0\n"
        "close  clock 0 771 node 0\n"
        "trace_stop  clock 0 772 node 0 : ran out of memory\n"
        "trace_exit  clock 0 780 node 0 space 120\n";

/* Points end with the second statistics behind them; without any they take no time. A sync within a barrier
 * is part of it. Processes: nodes 0 and 1, then the host. */
static void check(const ps_trace *t)
{
        EXPECT_OPS(t, 0,
                   "400000-420000 send 1.0 comm0 #7 400B\n490000-490000 iprobe\n"
                   "500000-540000 barrier coll0 comm1\n550000-560000 bcast coll1 comm1\n"
                   "570000-580000 reduce coll2 comm1\n600000-610000 barrier coll3 comm1\n");
        EXPECT_OPS(t, 1,
                   "100000-460000 recv 0.0 comm0 #7 400B\n470000-470000 send 2.0 comm0 #8 16B\n"
                   "510000-541000 barrier coll0 comm1\n552000-561000 bcast coll1 comm1\n"
                   "570000-580000 reduce coll2 comm1\n601000-610000 barrier coll3 comm1\n");
        EXPECT_OPS(t, 2, "480000-480000 recv 1.1 comm0 #8 16B\n");
        EXPECT_ISSUES(t, "");
        assert_string_equal(ps_defs_str(&t->defs, t->defs.processes.row[2].name), "host");
        assert_int_equal(picl_time_in(t, 0, "user event 12", 0), 5 * us);
        assert_int_equal(picl_time_in(t, 0, "trace_flush", 0), 10 * us);
        assert_int_equal(picl_time_in(t, 0, "trace_files", 0), 8 * us);
        assert_int_equal(picl_count(t, "compstats"), 7);
        assert_int_equal(picl_count(t, "trace_mark_array"), 2);
        assert_int_equal(t->defs.resolution_hz, 1000000);
}

TEST(the_compact_form_is_read)
{
        ps_trace *t = picl_loaded(compact);
        check(t);
        ps_trace_close(t);
}

TEST(the_verbose_form_says_the_same)
{
        ps_trace *t = picl_loaded(verbose), *twin = picl_loaded(compact);
        const char *difference = loaded_difference(t, twin, 1);
        check(t);
        if (difference)
                fail_msg("the forms differ: %s", difference);
        ps_trace_close(t);
        ps_trace_close(twin);
}

TEST(damage_is_told_by_line)
{
        ps_trace *t = picl_loaded("1 0 100 0 1 1 1\n"
                                  "4 0 200 0 1 7\n"       /* no length */
                                  "4 0 1000000 0 1 7 8\n" /* a million microseconds */
                                  "25 0 300 0\n"
                                  "2 0 300 -5\n"
                                  "4 0 300 0 0 7 -1\n" /* a length below zero */
                                  "20 0 310 0 -9 0 0\n"
                                  "21 0 320 0 -9 0 0\n"
                                  "18 0 330 0 0 -1\n"
                                  "2 0 320 0\n"
                                  "4 0 340 0 0");
        EXPECT_ISSUES(t, "truncated-file=1 unknown-event=2 invalid-line=4 invalid-data=2 backward-time=1");
        assert_int_equal(t->issues.row[PS_I_LINE_INVALID].offset, 2);
        assert_int_equal(t->issues.row[PS_I_DATA_INVALID].offset, 6);
        assert_int_equal(t->issues.row[PS_I_TIME_BACKWARD].offset, 10);
        assert_int_equal(t->issues.row[PS_I_FILE_TRUNCATED].offset, 11);
        assert_int_equal(picl_time_in(t, 0, "picl block -9", 0), 10 * us);
        ps_trace_close(t);
}
