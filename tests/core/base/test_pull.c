/* test_pull.c - JSON read as a stream: what is wanted is found, what is not JSON is noticed. */
#include "core/base/pull.h"
#include "tests/support/test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static ps_pull pull_of(const char *text)
{
        return (ps_pull){.at = text, .end = text + strlen(text)};
}

TEST(members_come_in_order_and_others_are_skipped)
{
        ps_pull p = pull_of(
                " {\"a\": 1.5, \"skip\": {\"x\": [1, \"}\", {\"y\": null}]}, \"b\" : [ \"two\", -3e2 ] } ");
        ps_slice key, text = {0};
        double first = 0, last = 0;
        assert_true(ps_pull_open(&p, '{'));
        while (ps_pull_key(&p, &key)) {
                if (ps_slice_is(key, "a")) {
                        ps_pull_number(&p, &first);
                } else if (ps_slice_is(key, "b")) {
                        assert_true(ps_pull_open(&p, '['));
                        assert_true(ps_pull_element(&p));
                        ps_pull_string(&p, &text);
                        assert_true(ps_pull_element(&p));
                        ps_pull_number(&p, &last);
                        assert_false(ps_pull_element(&p));
                } else {
                        ps_pull_skip(&p);
                }
        }
        assert_true(ps_pull_is_done(&p));
        assert_true(first == 1.5 && last == -300);
        assert_true(ps_slice_is(text, "two"));
}

TEST(whole_numbers_are_exact_whatever_their_length)
{
        static const struct {
                const char *text;
                double number;
        } numbers[] = {{"0", 0},
                       {"007", 7},
                       {"-12", -12},
                       {"123456789012345", 123456789012345.0},
                       {"999999999999999", 999999999999999.0},
                       {"9007199254740993", 9007199254740992.0}, /* 2^53 + 1 is rounded to even */
                       {"1e3", 1000},
                       {"12.5", 12.5}};
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
                ps_pull p = pull_of(numbers[i].text);
                double number = -1;
                ps_pull_number(&p, &number);
                assert_true(ps_pull_is_done(&p) && number == numbers[i].number);
        }
}

TEST(what_has_more_than_digits_is_no_whole_number)
{
        static const char *const wrong[] = {"1;2", "12x", "1/2", "--1", "-", "1-"};
        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
                ps_pull p = pull_of(wrong[i]);
                double number = -1;
                ps_pull_number(&p, &number);
                assert_true(!ps_pull_is_done(&p) && number == -1);
        }
}

TEST(null_is_neither_an_object_nor_a_number)
{
        ps_pull p = pull_of("[null, null, null]");
        ps_slice text = {"as it was", 9};
        double number = 7;
        assert_true(ps_pull_open(&p, '['));
        assert_true(ps_pull_element(&p));
        assert_false(ps_pull_open(&p, '{'));
        assert_true(ps_pull_element(&p));
        ps_pull_number(&p, &number);
        assert_true(ps_pull_element(&p));
        ps_pull_string(&p, &text);
        assert_false(ps_pull_element(&p));
        assert_true(ps_pull_is_done(&p));
        assert_true(number == 7 && ps_slice_is(text, "as it was"));
}

TEST(empty_objects_and_arrays_have_nothing)
{
        ps_pull p = pull_of("[{}, []]");
        ps_slice key;
        assert_true(ps_pull_open(&p, '[') && ps_pull_element(&p) && ps_pull_open(&p, '{'));
        assert_false(ps_pull_key(&p, &key));
        assert_true(ps_pull_element(&p) && ps_pull_open(&p, '['));
        assert_false(ps_pull_element(&p));
        assert_false(ps_pull_element(&p));
        assert_true(ps_pull_is_done(&p));
}

TEST(escapes_become_the_characters_that_they_mean)
{
        static const struct {
                const char *json, *text;
        } cases[] = {{"a\\\"b\\\\c\\/", "a\"b\\c/"},
                     {"\\t\\n\\r\\b\\f", "\t\n\r\b\f"},
                     {"\\u0041\\u00e9\\u20ac", "A\xc3\xa9\xe2\x82\xac"},
                     {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
                     {"\\ud83d!", "\xef\xbf\xbd!"},
                     {"", ""}};
        ps_arena *arena = ps_arena_new();
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
                assert_string_equal(ps_slice_copy(arena, (ps_slice){cases[i].json, strlen(cases[i].json)}),
                                    cases[i].text);
        ps_arena_free(arena);
}

TEST(what_is_no_json_is_bad_and_ends)
{
        static const char *const texts[] = {"",        "{",          "[1,",   "[1 2]",      "[,1]",
                                            "{\"a\"}", "{\"a\" 1}",  "[\"a]", "[\"a\\",     "[nul]",
                                            "[1]x",    "{1: 2}",     "[[[[[", "[{\"a\":[}", "[truefalse]",
                                            "[+-]]",   "\"a\" \"b\""};
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                ps_pull p = pull_of(texts[i]);
                bool is_open = ps_pull_kind(&p) == '[' && ps_pull_open(&p, '[');
                if (!is_open)
                        ps_pull_skip(&p);
                while (is_open && ps_pull_element(&p))
                        ps_pull_skip(&p);
                /* What is skipped is not looked at closely: brackets of the wrong sort pass there. */
                if (strcmp(texts[i], "{\"a\"}") != 0 && strcmp(texts[i], "{\"a\" 1}") != 0 &&
                    strcmp(texts[i], "{1: 2}") != 0 && strcmp(texts[i], "[+-]]") != 0)
                        assert_false(ps_pull_is_done(&p));
        }
}

TEST(nesting_has_an_end)
{
        char text[PS_PULL_DEPTH + 8];
        memset(text, '[', sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        ps_pull p = pull_of(text);
        unsigned n = 0;
        while (ps_pull_open(&p, '[') && ps_pull_element(&p))
                n++;
        assert_int_equal(n, PS_PULL_DEPTH);
        assert_true(p.is_bad);
}

TEST(a_name_with_a_nul_in_it_is_another_name)
{
        static const char text[] = "abc\0\0";
        assert_true(ps_slice_is((ps_slice){text, 3}, "abc"));
        assert_false(ps_slice_is((ps_slice){text, 5}, "abc"));
        assert_false(ps_slice_is((ps_slice){text, 2}, "abc"));
}
