/* test_text.c - cleaned names and numbers as text. */
#include "report/print/output.h"
#include "report/print/text.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"
#include <cjson/cJSON.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(control_characters_are_escaped)
{
        static const struct {
                const char *dirty, *clean;
                unsigned columns;
        } cases[] = {{"", "", 0},
                     {"MPI_Send", "MPI_Send", 8},
                     {"a\tb\nc", "a\\x09b\\x0ac", 11},
                     {"\033[31mred", "\\x1b[31mred", 11},
                     {"\x7f", "\\x7f", 4},
                     {"gr\xc3\xb6\xc3\x9f"
                      "e",
                      "gr\xc3\xb6\xc3\x9f"
                      "e",
                      5},
                     {"\xe6\xbc\xa2", "\xe6\xbc\xa2", 2},              /* a wide character */
                     {"e\xcc\x81", "e\xcc\x81", 1},                    /* a combining one */
                     {"\xc3", "\\xc3", 4},                             /* cut off */
                     {"\xc0\xaf", "\\xc0\\xaf", 8},                    /* too long for its value */
                     {"\xed\xa0\x80", "\\xed\\xa0\\x80", 12},          /* half a surrogate pair */
                     {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", 16}, /* beyond Unicode */
                     {"\xff\x80", "\\xff\\x80", 8},
                     {"\xc2\x9b", "\\xc2\\x9b", 8}, /* a control sequence in C1 */
                     {"a\xe2\x80\xae"
                      "b",
                      "a\\xe2\\x80\\xae"
                      "b",
                      14}, /* right-to-left override */
                     {"\xef\xbb\xbfx", "\\xef\\xbb\\xbfx", 13},
                     {"\xef\xbf\xbex", "\\xef\\xbf\\xbex", 13}}; /* U+FFFE, no character in XML */

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char *clean = ps_text_clean(cases[i].dirty);
                ps_output *out;
                assert_string_equal(clean, cases[i].clean);
                assert_int_equal(ps_text_columns(cases[i].dirty), cases[i].columns);
                assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
                ps_text_write(out, cases[i].dirty);
                assert_string_equal(ps_output_text(out), cases[i].clean);
                ps_output_discard(out);
                free(clean);
        }
}

TEST(strings_of_json_read_back)
{
        static const char dirty[] = "say \"hi\" \\ \n \xff";
        char *clean = ps_text_clean(dirty);
        ps_output *out;
        cJSON *read;

        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        ps_text_write_json(out, dirty);
        assert_string_equal(ps_output_text(out), "\"say \\\"hi\\\" \\\\ \\\\x0a \\\\xff\"");
        read = cJSON_Parse(ps_output_text(out));
        assert_string_equal(read->valuestring, clean);
        cJSON_Delete(read);
        ps_output_discard(out);
        free(clean);
}

TEST(texts_are_padded_or_shortened)
{
        static const struct {
                const char *text;
                unsigned columns;
                const char *padded;
        } cases[] = {{"abc", 5, "abc  "},
                     {"abcde", 5, "abcde"},
                     {"abcdef", 5, "ab..."},
                     {"abc", 2, ".."},
                     {"\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5, "\xe6\xbc\xa2..."},
                     {"\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 6, "\xe6\xbc\xa2... "},
                     {"", 0, ""}};

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_output *out;
                assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
                ps_text_write_padded(out, cases[i].text, cases[i].columns);
                assert_string_equal(ps_output_text(out), cases[i].padded);
                ps_output_discard(out);
        }
}

TEST(lines_are_wrapped_at_words)
{
        static const struct {
                const char *text;
                unsigned indent, width;
                const char *wrapped;
        } cases[] = {
                {"one two three incomprehensibilities x", 2, 10,
                 "one two\n  three\n  incomprehensibilities\n  x"},
                {"", 2, 10, ""},
                /* numbers stay with their units, and ranks with their numbers */
                {"took 54.4 %, idle", 0, 11, "took\n54.4 %,\nidle"},
                {"took 54.4 us; idle", 0, 11, "took\n54.4 us;\nidle"},
                {"made 5 sends, or 5 GB/s", 0, 11, "made 5\nsends, or\n5 GB/s"},
                {"wait for rank 12, then", 0, 14, "wait for\nrank 12, then"},
                {"the rank waits", 0, 9, "the rank\nwaits"},
                /* columns count, not bytes: one or two a character */
                {"\xc3\xb6\xc3\xb6\xc3\xb6 \xc3\xb6\xc3\xb6\xc3\xb6 x", 0, 8,
                 "\xc3\xb6\xc3\xb6\xc3\xb6 \xc3\xb6\xc3\xb6\xc3\xb6\nx"},
                {"\xe6\xbc\xa2\xe6\xbc\xa2 \xe6\xbc\xa2\xe6\xbc\xa2", 0, 9,
                 "\xe6\xbc\xa2\xe6\xbc\xa2\n\xe6\xbc\xa2\xe6\xbc\xa2"},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_output *out;
                assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
                ps_text_wrap(out, cases[i].text, cases[i].indent, cases[i].width);
                assert_string_equal(ps_output_text(out), cases[i].wrapped);
                ps_output_discard(out);
        }
}

TEST(a_sentence_is_cleaned_and_wrapped)
{
        ps_output *out;

        assert_int_equal(ps_output_open_memory(&out, 20, NULL), PS_OK);
        ps_text_wrapf(out, 2, "%s calls \"%s\"", "rank 3", "a\tb");
        assert_string_equal(ps_output_text(out), "rank 3 calls\n  \"a\\x09b\"");
        ps_output_discard(out);
}

typedef size_t (*formatter)(char *room, uint64_t n);

static void check_u64(formatter format, uint64_t n, const char *expected)
{
        char room[PS_NUMBER_ROOM];

        assert_int_equal(format(room, n), strlen(expected));
        assert_string_equal(room, expected);
}

TEST(whole_numbers_are_printed_with_commas)
{
        check_u64(ps_text_u64, 0, "0");
        check_u64(ps_text_u64, 9, "9");
        check_u64(ps_text_u64, 10, "10");
        check_u64(ps_text_u64, 99, "99");
        check_u64(ps_text_u64, 100, "100");
        check_u64(ps_text_u64, 1009, "1009");
        check_u64(ps_text_u64, 10203, "10203");
        check_u64(ps_text_u64, UINT64_MAX, "18446744073709551615");
        check_u64(ps_text_count, 0, "0");
        check_u64(ps_text_count, 999, "999");
        check_u64(ps_text_count, 1000, "1,000");
        check_u64(ps_text_count, 1234567, "1,234,567");
        check_u64(ps_text_count, UINT64_MAX, "18,446,744,073,709,551,615");
        check_u64(ps_text_hertz, 1000000000, "1 GHz");
        check_u64(ps_text_hertz, 2596000000, "2.596 GHz");
        check_u64(ps_text_hertz, 100, "100 Hz");
}

static void check_percent(uint64_t part, uint64_t whole, const char *expected)
{
        char room[PS_NUMBER_ROOM];

        assert_int_equal(ps_text_percent(room, part, whole), strlen(expected));
        assert_string_equal(room, expected);
}

TEST(percents_never_round_to_nothing)
{
        check_percent(0, 0, "0.0 %");
        check_percent(0, 8, "0.0 %");
        check_percent(1, 8, "12.5 %");
        check_percent(8, 8, "100.0 %");
        check_percent(1, 1001, "0.1 %");  /* 0.0999 */
        check_percent(1, 2001, "<0.1 %"); /* 0.04998 */
        check_percent(1, UINT64_MAX, "<0.1 %");
}

static void check_time(size_t (*format)(char *, ps_time), ps_time time, const char *expected)
{
        char room[PS_NUMBER_ROOM];

        assert_int_equal(format(room, time), strlen(expected));
        assert_string_equal(room, expected);
}

TEST(seconds_have_up_to_nine_decimals)
{
        check_time(ps_text_seconds, 0, "0");
        check_time(ps_text_seconds, PS_PS_PER_S, "1");
        check_time(ps_text_seconds, PS_PS_PER_S / 4, "0.25");
        check_time(ps_text_seconds, INT64_C(12987654321000), "12.987654321");
        check_time(ps_text_seconds, INT64_C(99010203040000), "99.01020304");
        check_time(ps_text_seconds, INT64_C(123456789000000000), "123456.789");
        check_time(ps_text_seconds, INT64_C(100000000000), "0.1");
        check_time(ps_text_seconds, 10 * PS_PS_PER_NS, "0.00000001");
        check_time(ps_text_seconds, 1499, "0.000000001");
        check_time(ps_text_seconds, 1500, "0.000000002");
        check_time(ps_text_seconds, 499, "0");
        check_time(ps_text_seconds, -499, "0");
        check_time(ps_text_seconds, -500, "-0.000000001");
        check_time(ps_text_seconds, 999999999500, "1");
        check_time(ps_text_seconds, INT64_MAX, "9223372.036854776");
        check_time(ps_text_seconds, INT64_MIN, "-9223372.036854776");
}

TEST(columns_of_seconds_have_all_decimals)
{
        char room[PS_NUMBER_ROOM];

        assert_int_equal(ps_text_seconds_u64(room, 0, 1), 11);
        assert_string_equal(room, "0.000000000");
        ps_text_seconds_u64(room, UINT64_MAX, 1);
        assert_string_equal(room, "18446744.073709552");
}

TEST(durations_have_a_unit_that_fits)
{
        check_time(ps_text_duration, 0, "0 ns");
        check_time(ps_text_duration, 1500, "1.5 ns");
        check_time(ps_text_duration, 1230 * PS_PS_PER_NS, "1.23 us");
        check_time(ps_text_duration, 20 * PS_PS_PER_S / 1000, "20 ms");
        check_time(ps_text_duration, 999960 * PS_PS_PER_NS, "1 ms");
        check_time(ps_text_duration, 125 * PS_PS_PER_S, "125 s");
        check_time(ps_text_duration, 86400 * PS_PS_PER_S, "86400 s");
        check_time(ps_text_duration, -1230 * PS_PS_PER_NS, "-1.23 us");
}

/* Numbers of all sizes, and those that lie just at, above or below where a digit rounds. */
static double any_number(uint64_t *seed)
{
        double power = 1;
        for (uint32_t n = maker_random(seed, 40); n; n--)
                power *= n & 1 ? 10 : 0.1;
        for (uint32_t n = maker_random(seed, 14); n; n--)
                power /= 10;
        double value = (double)maker_random(seed, 1000000000) * power;
        return maker_random(seed, 4) ? value : (floor(value * 1000) + 0.5) / 1000;
}

TEST(numbers_are_what_printf_makes_of_them)
{
        uint64_t seed = 7;
        for (int i = 0; i < 200000; i++) {
                char room[PS_NUMBER_ROOM], wanted[PS_NUMBER_ROOM];
                double value = any_number(&seed);
                size_t n = ps_text_nine_digits(room, value);
                snprintf(wanted, sizeof(wanted), "%.9g", value);
                assert_string_equal(room, wanted);
                assert_int_equal(n, strlen(wanted));
        }
}

TEST(durations_are_what_printf_makes_of_them)
{
        uint64_t seed = 11;
        for (int i = 0; i < 200000; i++) {
                char room[PS_NUMBER_ROOM], wanted[PS_NUMBER_ROOM];
                ps_time time = (ps_time)maker_random(&seed, 1000000) * (i & 1 ? 5 : 1) + 1000;
                if (time >= 999500)
                        continue;
                double ns = (double)time / (double)PS_PS_PER_NS;
                snprintf(wanted, sizeof(wanted), "%.*f", ns < 9.9995 ? 3 : ns < 99.995 ? 2 : 1, ns);
                ps_text_duration(room, time);
                assert_true(fabs(strtod(wanted, NULL) - strtod(room, NULL)) < 1e-9);
        }
}

/* Many of them lie in the middle between two numbers of so many digits, or next to it. */
TEST(longer_durations_are_what_printf_makes_of_them)
{
        for (int ns = 1000; ns < 999950; ns += ns < 100000 ? 1 : 5) {
                char room[PS_NUMBER_ROOM], wanted[PS_NUMBER_ROOM];
                double us = (double)ns / 1000;
                ps_text_duration(room, (ps_time)ns * PS_PS_PER_NS);
                snprintf(wanted, sizeof(wanted), "%.*f", us < 9.9995 ? 3 : us < 99.995 ? 2 : 1, us);
                assert_true(fabs(strtod(wanted, NULL) - strtod(room, NULL)) < 1e-9);
        }
}

/* Of all sizes, and many of them are the middle between two numbers of four digits. */
static uint64_t any_duration(uint64_t *seed)
{
        uint64_t time = 1 + maker_random(seed, 100000), power = 1;
        if (!maker_random(seed, 3))
                time = time * 10 + 5;
        for (uint32_t n = maker_random(seed, 12); n; n--)
                power *= 10;
        return time * power + (maker_random(seed, 2) ? maker_random(seed, 1000000) : 0);
}

TEST(durations_up_to_days_are_what_printf_makes_of_them)
{
        static const char *const units[] = {"ns", "us", "ms", "s"};
        uint64_t seed = 13;
        for (int i = 0; i < 200000; i++) {
                char room[PS_NUMBER_ROOM], wanted[PS_NUMBER_ROOM], *unit;
                uint64_t time = any_duration(&seed);
                double value = (double)time / (double)PS_PS_PER_NS;
                int at = 0;
                for (; at < 3 && value >= 999.95; at++)
                        value /= 1000;
                int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
                snprintf(wanted, sizeof(wanted), "%.*f", decimals, value);
                size_t n = ps_text_duration(room, (ps_time)time);
                assert_int_equal(n, strlen(room));
                assert_true(strtod(room, &unit) == strtod(wanted, NULL));
                assert_string_equal(unit + 1, units[at]);
        }
}

static void expect_json_of(const char *text)
{
        ps_output *out;
        char *clean = ps_text_clean(text);

        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        ps_text_write_json(out, text);
        cJSON *read = cJSON_Parse(ps_output_text(out));
        assert_string_equal(read->valuestring, clean);
        cJSON_Delete(read);
        ps_output_discard(out);
        free(clean);
}

/* Many bytes are looked at together, the last ones twice: what needs an escape is found wherever it stands,
 * in texts of all lengths up to more than two such pieces. */
TEST(each_byte_of_a_string_is_escaped_wherever_it_stands)
{
        static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

        for (int byte = 1; byte < 0x100; byte++)
                for (size_t n = 1; n < sizeof(letters); n++)
                        for (size_t at = 0; at < n; at += 1 + n / 12) {
                                char text[sizeof(letters)];
                                memcpy(text, letters, n);
                                text[n] = '\0';
                                text[at] = (char)byte;
                                expect_json_of(text);
                        }
}

TEST(sentences_take_a_part_of_a_text_and_what_else_printf_knows)
{
        char room[64];
        ps_sentence s = {.room = room, .size = sizeof(room)};
        ps_sentence_add(&s, "%.*s at %.*s:%" PRIu32, 3, "MPI_Recv", 20, "app.c", 33);
        ps_sentence_add(&s, " %s %.2f %d", "x", 1.5, -3);
        assert_string_equal(room, "MPI at app.c:33 x 1.50 -3");
}

TEST(sentences_are_made_of_texts_numbers_and_durations)
{
        const char *whole = "MPI_Recv took 1.5 us in 1,200 calls on rank 17";
        for (size_t size = 1; size <= 64; size++) {
                char room[64], wanted[64];
                ps_sentence s = {.room = room, .size = size};
                ps_sentence_bytes(&s, "MPI_Recv(buffer)", strlen("MPI_Recv"));
                ps_sentence_text(&s, " took ");
                ps_sentence_duration(&s, 1500 * PS_PS_PER_NS);
                ps_sentence_text(&s, " in ");
                ps_sentence_count(&s, 1200);
                ps_sentence_text(&s, " calls on rank ");
                ps_sentence_u64(&s, 17);
                snprintf(wanted, size, "%s", whole);
                assert_string_equal(room, wanted);
                assert_int_equal(s.n, strlen(wanted));
        }
}

TEST(two_texts_of_json_are_one_string)
{
        ps_output *out;
        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        ps_text_write_json_two(out, "dump 'a\"b\t'", " --from 1us");
        assert_string_equal(ps_output_text(out), "\"dump 'a\\\"b\\\\x09' --from 1us\"");
        ps_output_discard(out);
}

TEST(numbers_with_a_sign_are_whole)
{
        char room[PS_NUMBER_ROOM];
        static const struct {
                int64_t number;
                const char *text;
        } cases[] = {{0, "0"},
                     {-7, "-7"},
                     {10, "10"},
                     {-120045, "-120045"},
                     {99999999, "99999999"},
                     {100000000, "100000000"},
                     {INT64_C(7000000000000300), "7000000000000300"},
                     {INT64_MAX, "9223372036854775807"},
                     {INT64_MIN, "-9223372036854775808"}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                assert_int_equal(ps_text_i64(room, cases[i].number), strlen(cases[i].text));
                assert_string_equal(room, cases[i].text);
        }
}

TEST(sentences_end_where_their_room_does)
{
        for (size_t size = 1; size < 24; size++) {
                char room[24], wanted[24];
                ps_sentence s = {.room = room, .size = size};
                ps_sentence_add(&s, "ranks %" PRIu32 " and %s", 17, "20 more");
                ps_sentence_add(&s, "%s", "!");
                snprintf(wanted, size, "ranks %d and %s!", 17, "20 more");
                assert_string_equal(room, wanted);
                assert_int_equal(s.n, strlen(wanted));
        }
}
