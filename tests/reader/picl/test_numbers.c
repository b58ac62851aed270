/* test_numbers.c - numbers and lines of text traces, and the table of PICL's numbers. */
#include <stdint.h>

#include "core/model/kinds.h"
#include "reader/picl/table.h"
#include "reader/picl/text.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define S PS_PS_PER_S

TEST(seconds_are_read_exactly)
{
        static const struct {
                const char *text;
                ps_time time;
                unsigned decimals;
        } rows[] = {
                {"0\n", 0, 0},
                {"-0.000000 ", 0, 6},
                {"  12.5\t", 12 * S + S / 2, 1},
                {"+3.25\n", 3 * S + S / 4, 2},
                {"-0.000001\n", -1000000, 6},
                {"0.756915 1", 756915000000, 6},
                {"0.000000000001\n", 1, 12},
                {".5\n", S / 2, 1},
                {"7.\n", 7 * S, 0},
                {"1234567.000000000001\n", 1234567 * S + 1, 12}, /* more digits than the plain way takes */
                {"0.0000000000005\n", 0, 12},                    /* half to even */
                {"0.0000000000015\n", 2, 12},
                {"0.0000000000025\n", 2, 12},
                {"0.00000000000250000000001\n", 3, 12},
                {"0.0000000000004999\n", 0, 12},
                {"-0.0000000000015\n", -2, 12},
                {"1.5e-06\n", 1500000, 7},
                {"1e3\n", 1000 * S, 0},
                {"12345e-12\n", 12345, 12},
                {"0e999999999\n", 0, 0},
                {"1e-999999999\n", 0, 12},
                {"99999999999999999999\n", PS_TIME_MAX, 0},
                {"-1e300\n", -PS_TIME_MAX, 0},
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                ps_time time = -1;
                unsigned decimals = 0;
                const char *end = ps_picl_seconds(rows[i].text, &time, &decimals);
                if (!end || !ps_picl_ends_word(*end) || time != rows[i].time || decimals != rows[i].decimals)
                        fail_msg("\"%s\" is %lld with %u decimals", rows[i].text, (long long)time, decimals);
        }
        static const char *const wrong[] = {"\n",   " \n",   "x\n",   "1x\n",  "1.2.3\n", "-\n",  ".\n",
                                            "1e\n", "--1\n", "nan\n", "inf\n", "0x10\n",  "1,5\n"};
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
                ps_time time;
                unsigned decimals = 0;
                assert_null(ps_picl_seconds(wrong[i], &time, &decimals));
        }
}

/* Every number of picoseconds comes back from its decimals. */
TEST(every_picosecond_comes_back_from_its_decimals)
{
        uint64_t x = 88172645463325252;
        for (int i = 0; i < 100000; i++) {
                char text[64];
                unsigned decimals = 0;
                ps_time time, found = 0;
                x ^= x << 13, x ^= x >> 7, x ^= x << 17;
                time = (ps_time)(x >> (4 + x % 50));
                snprintf(text, sizeof(text), "-%lld.%012lld\n", (long long)(time / S), (long long)(time % S));
                assert_non_null(ps_picl_seconds(text, &found, &decimals));
                assert_int_equal(found, -time);
        }
}

TEST(integers_are_read_within_their_range)
{
        int64_t value;
        int32_t narrow;
        assert_non_null(ps_picl_int("42 ", &value));
        assert_int_equal(value, 42);
        assert_non_null(ps_picl_int(" \t -999999999999999999\n", &value));
        assert_int_equal(value, -999999999999999999);
        assert_non_null(ps_picl_int32("-2147483648\n", &narrow));
        assert_int_equal(narrow, INT32_MIN);
        assert_null(ps_picl_int32("2147483648\n", &narrow));
        static const char *const wrong[] = {"\n",   "-\n", "1.0\n", "a\n", "1a\n", "1000000000000000000\n",
                                            "+-1\n"};
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
                assert_null(ps_picl_int(wrong[i], &value));
}

/* A window that ends in the middle of lines, one that is longer than it, and an end without a newline. */
TEST(lines_may_be_longer_than_the_window)
{
        enum { SHORT = 60000, LONG = 3 * PS_PICL_WINDOW };
        char path[64];
        snprintf(path, sizeof(path), "/tmp/patscan-lines-%ld", (long)getpid());
        FILE *file = fopen(path, "wb");
        for (int i = 0; i < SHORT; i++)
                fprintf(file, "line %d\n", i);
        for (int i = 0; i < LONG; i++)
                fputc('x', file);
        fprintf(file, "\nlast");
        fclose(file);
        ps_picl_lines lines;
        ps_picl_line line;
        assert_int_equal(ps_picl_lines_open(&lines, path, NULL), PS_OK);
        for (int i = 0; i < SHORT; i++) {
                char expected[32];
                int n = snprintf(expected, sizeof(expected), "line %d\n", i);
                assert_int_equal(ps_picl_lines_next(&lines, &line, NULL), PS_OK);
                assert_int_equal(line.end - line.text + 1, n);
                assert_memory_equal(line.text, expected, (size_t)n);
                assert_int_equal(lines.line, i + 1);
        }
        assert_int_equal(ps_picl_lines_next(&lines, &line, NULL), PS_OK);
        assert_true(line.is_too_long && line.is_whole);
        assert_int_equal(ps_picl_lines_next(&lines, &line, NULL), PS_OK);
        assert_memory_equal(line.text, "last\n", 5);
        assert_false(line.is_whole);
        assert_int_equal(lines.line, SHORT + 2);
        assert_int_equal(ps_picl_lines_next(&lines, &line, NULL), PS_OK);
        assert_null(line.text);
        ps_picl_lines_close(&lines);
        unlink(path);
        assert_int_equal(ps_picl_lines_open(&lines, path, NULL), PS_E_INPUT);
        ps_picl_lines_close(&lines);
}

TEST(the_table_of_events_is_found_by_number_and_kind)
{
        for (unsigned i = 0; i < PS_PICL_E_COUNT; i++) {
                const ps_picl_event *e = &ps_picl_events[i];
                assert_int_equal(ps_picl_event_of_number(e->number), i);
                if (e->kind != PS_K_NONE)
                        assert_int_equal(ps_picl_event_of_kind((ps_kind)e->kind)->kind, e->kind);
        }
        static const int64_t strangers[] = {0, 1, -1, -20, -777, -2048, -99999, INT64_MIN, INT64_MAX};
        for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
                assert_int_equal(ps_picl_event_of_number(strangers[i]), PS_PICL_E_NONE);
        assert_int_equal(ps_picl_event_of_kind(PS_K_SEND)->number, -21);
        assert_int_equal(ps_picl_event_of_kind(PS_K_ALLTOALLV)->number, -783);
        assert_null(ps_picl_event_of_kind(PS_K_PUT));
        assert_null(ps_picl_event_of_kind(PS_K_NONE));
        assert_string_equal(ps_picl_record_name(-101), "time-statistics");
        assert_null(ps_picl_record_name(-8));
}
