/* test_broken.c - PICL traces that are damaged, and files that are none. */
#include "tests/reader/picl/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char good[] =
        "-202 -812 0.0 -1 -1 3 2 1 1 0\n"
        "-5 3 0.0 -1 -1 1 1 \"solve\"\n" PICL_EXCHANGE "-101 -1 0.00001 0 0 1 \"%d%lf\" -790 0.000001 \n"
        "-4 3 0.000016 0 0 0\n";

static void expect_first(const ps_trace *t, ps_issue_kind kind, uint64_t count, uint64_t line)
{
        const ps_issue *issue = &t->issues.row[kind];
        if (issue->count != count || issue->offset != line)
                fail_msg("%s: %llu times, first in line %llu", ps_issue_infos[kind].name,
                         (unsigned long long)issue->count, (unsigned long long)issue->offset);
}

TEST(truncated_files_do_no_harm)
{
        for (size_t n = 0; n < sizeof(good) - 1; n++)
                picl_hostile(good, n, n % 16 == 0);
        char *part = strdup(good);
        for (size_t n = sizeof(good) - 2; n > 30; n--) { /* the first line stays */
                part[n] = '\0';
                ps_trace *t = picl_loaded_or_null(part);
                int cut_line = part[n - 1] != '\n' && good[n] != '\n';
                if (t && cut_line && !ps_issues_total(&t->issues))
                        fail_msg("nothing is noted when %zu bytes are left", n);
                ps_trace_close(t);
        }
        free(part);
}

TEST(flipped_bytes_do_no_harm)
{
        char *text = strdup(good);
        for (size_t i = 0; i < sizeof(good) - 1; i++) {
                static const unsigned char flips[] = {0x01, 0x10, 0x80};
                for (size_t k = 0; k < sizeof(flips); k++) {
                        text[i] = (char)((unsigned char)good[i] ^ flips[k]);
                        picl_hostile(text, sizeof(good) - 1, i % 16 == k);
                }
                text[i] = good[i];
        }
        free(text);
}

TEST(bad_lines_are_counted_and_left_out)
{
        ps_trace *t = picl_loaded("-3 -402 0.1 0 0 0\n"
                                  "rubbish\n"
                                  "\n"
                                  "-4 -402 0.2 0 0\n"               /* no count */
                                  "-4 -402 x 0 0 0\n"               /* no time */
                                  "-4 -402 0.2 -7 0 0\n"            /* no such node */
                                  "-4 -402 0.2 -1 0 0\n"            /* on no node in particular */
                                  "-4 -402 0.2 99999999999 0 0\n"   /* too large */
                                  "-8 -402 0.2 0 0 0\n"             /* no such record */
                                  "-4 -402 0.2 0 0 0\r\n"           /* fine */
                                  "-3 -21 0.3 0 0 1000000000 2 8\n" /* an absurd count */
                                  "-4 -21 0.3 0 0 0\n"
                                  "-3 -21 0.3 0 0 3 2 -8 1 0\n" /* a length below zero */
                                  "-4 -21 0.3 0 0 0\n"
                                  "-3 -21 0.3 0 0 3 9 8 1 0\n"  /* no such descriptor */
                                  "-4 -21 0.3 0 0 2 \"%d 1 2\n" /* quotes that do not end */
                                  "-4 -52 0.4 0 0 4 2 1024 1");
        EXPECT_ISSUES(t, "truncated-file=1 unknown-record=1 invalid-line=6 invalid-data=4 stray-leave=1");
        expect_first(t, PS_I_LINE_INVALID, 6, 2);
        expect_first(t, PS_I_RECORD_UNKNOWN, 1, 9);
        expect_first(t, PS_I_DATA_INVALID, 4, 11);
        expect_first(t, PS_I_FILE_TRUNCATED, 1, 17);
        assert_int_equal(t->n_colls, 1);
        ps_trace_close(t);
}

TEST(bad_nesting_is_told)
{
        ps_trace *t = picl_loaded("-3 2 0.1 0 0 0\n-3 2 0.2 0 0 0\n-4 3 0.3 0 0 0\n-4 2 0.4 0 0 0\n"
                                  "-4 -52 0.5 0 0 3 2 8 1 0\n-3 -21 0.2 0 0 3 2 8 1 0\n");
        EXPECT_ISSUES(t, "backward-time=1 stray-leave=2 unclosed-region=2");
        expect_first(t, PS_I_NEST_STRAY_LEAVE, 2, 3);
        expect_first(t, PS_I_TIME_BACKWARD, 1, 6);
        assert_int_equal(t->n_messages, 1); /* what both ends tell is a message, entered or not */
        ps_trace_close(t);
}

TEST(statistics_that_contradict_are_told)
{
        static const char *const wrong[] = {
                "-101 -1 0.9 0 0 1 \"%d%lf\" -21 0.200006\n", "-102 -1 0.9 0 0 1 \"%d%d\" -21 2\n",
                "-103 -1 0.9 0 0 2 \"%d%d\" -402 0 -21 9\n", "-104 -1 0.9 0 0 1 \"%d%d\" -52 8\n",
                "-102 -1 0.9 0 0 2 \"%d%d\" -21 1 -52 1\n"};
        static const char *const right[] = {"-101 -1 0.9 0 0 1 \"%d%lf\" -21 0.2\n",
                                            "-102 -1 0.9 0 0 2 2 -21 1\n",
                                            "-103 -1 0.9 0 0 1 \"%d%d\" -21 8 \n",
                                            "-104 -1 0.9 0 0 1 \"%d%d\" -52 0\n",
                                            "-102 -1 0.9 0 0 3 \"%d%d\" -1013 7 -901 9 3 7\n",
                                            "-102 -1 0.9 -1 0 1 \"%d%d\" -21 7\n"};
        char text[256];
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]) + sizeof(right) / sizeof(right[0]); i++) {
                size_t n_wrong = sizeof(wrong) / sizeof(wrong[0]);
                snprintf(text, sizeof(text), "-3 -21 0.100000 0 0 3 2 8 1 0\n-4 -21 0.300000 0 0 0\n%s",
                         i < n_wrong ? wrong[i] : right[i - n_wrong]);
                ps_trace *t = picl_loaded(text);
                EXPECT_ISSUES(t, i < n_wrong ? "stats-mismatch=1 unmatched-send=1" : "unmatched-send=1");
                if (i < n_wrong)
                        expect_first(t, PS_I_STATS_MISMATCH, 1, 3);
                ps_trace_close(t);
        }
}

TEST(files_of_another_kind_are_refused)
{
        assert_non_null(strstr(picl_reason(""), "holds no record"));
        assert_non_null(strstr(picl_reason("nothing\nof the\nkind\n"), "lines=3"));
        static const char *const strangers[] = {"",
                                                "\n",
                                                "hello\n",
                                                "7\n0 4 1 -1\n1 4 1 -1\n",
                                                "-1 0 5\n-2 3 1\n",
                                                "1 2 3 4\n5 6 7 8\n",
                                                "3.5 1 2 3\n",
                                                "-3 1 2\n",
                                                "trace_start of something\n",
                                                "4 0 100 0\n4 0 100 0\n",
                                                "2 0 120 0\n9 9 9\n",
                                                "-3.0 -21 0.1 0 0 0\n"};
        for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
                if (picl_sure(strangers[i]))
                        fail_msg("taken for PICL: %s", strangers[i]);
        static const char *const traces[] = {"-3 -901 0.0 0 0 0\n",
                                             "-3 1 0.1 0 0 0 2\n-3 -2",
                                             "\n -2 -12 0 0 0 0\n",
                                             "1 0 100 0 1 1 1\n",
                                             "trace_start  clock 0 1 node 0 event 1 x 1 y 1\n",
                                             "2 0 120 0\n2 0 130 1\n",
                                             "-3 1 0 0 0 0\njunk\n-4 1 0 0 0 0\n",
                                             "-3 1 0 99999999999 0 0\n-3 1 0 0 0 0\n-4 1 0 0 0 0\n"};
        for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++)
                if (!picl_sure(traces[i]))
                        fail_msg("not taken for PICL: %s", traces[i]);
}

/* Zeros behind what is good, or a line that is longer than any window. */
TEST(zeros_and_endless_lines_do_no_harm)
{
        enum { SIZE = 1 << 20, GOOD = 8192 };
        static const char line[] = "-2 -12 0.5 0 0 0\n";
        char *text = calloc(SIZE, 1);
        for (size_t n = 0; n + sizeof(line) < GOOD; n += sizeof(line) - 1)
                memcpy(text + n, line, sizeof(line) - 1);
        assert_true(picl_hostile(text, SIZE, 1));
        memset(text + GOOD, '7', SIZE - GOOD - 1);
        assert_true(picl_hostile(text, SIZE - 1, 1));
        memset(text, 0, GOOD);
        assert_false(picl_hostile(text, SIZE, 1));
        free(text);
}
