/* test_expand.c - compact reports, written by hand, mean what is said of them, and bad ones are refused. */
#include "report/saved/expand.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define COMPACT "{\"schema\":\"patscan-report-compact-1\""
#define FULL    "{\"schema\":\"patscan-report-1\""

static ps_status expand(char **out, const char *text, size_t most, ps_error *err)
{
        size_t n = strlen(text);
        ps_status status = ps_saved_expand(out, text, &n, most, NULL, "baseline", "a.json", err);
        assert_true(!*out || strlen(*out) == n);
        return status;
}

static void expect(const char *text, const char *full)
{
        char *out;
        ps_error err = {0};

        if (expand(&out, text, 1 << 20, &err) != PS_OK)
                fail_msg("%s: %s", text, err.cause[0].text);
        assert_string_equal(out, full);
        free(out);
}

TEST(a_report_of_nothing_is_one_of_nothing)
{
        expect(COMPACT "}", FULL "}");
        expect(COMPACT ",\"shared\":[\"a\"]}", FULL "}");
}

TEST(a_value_stands_as_it_is_and_a_shared_one_at_its_place)
{
        expect(COMPACT ",\"findings\":{\"columns\":{\"id\":\"value\",\"file\":\"shared\"},\"rows\":["
                       "[\"f4\\\"b7\",1],[-1.5e3,0],[null,null],[[1, "
                       "{\"a\":2}],1]]},\"shared\":[\"a.c\",[\"main\",\"f\"]]}",
               FULL ",\"findings\":[{\"id\":\"f4\\\"b7\",\"file\":[\"main\",\"f\"]},\n{\"id\":-1.5e3,"
                    "\"file\":\"a.c\"},\n"
                    "{\"id\":null,\"file\":null},\n{\"id\":[1, {\"a\":2}],\"file\":[\"main\",\"f\"]}]}");
}

TEST(objects_and_tables_within_a_row_are_arrays)
{
        expect(COMPACT ",\"t\":{\"columns\":{\"worst\":{\"a\":\"value\",\"b\":\"shared\"},\"causes\":[{"
                       "\"id\":\"value\"}]},"
                       "\"rows\":[[[1,0],[[2],[3]]],[null,null],[[1,null],[]]]},\"shared\":[true]}",
               FULL ",\"t\":[{\"worst\":{\"a\":1,\"b\":true},\"causes\":[{\"id\":2},\n{\"id\":3}]},\n"
                    "{\"worst\":null,\"causes\":null},\n{\"worst\":{\"a\":1,\"b\":null},\"causes\":[]}]}");
}

TEST(what_is_not_there_has_no_key)
{
        expect(COMPACT ",\"t\":{\"columns\":{\"a\":\"value\",\"b\":\"shared\",\"c\":{\"d\":\"value\"}},"
                       "\"rows\":[[\"\",0,[\"\"]],[1,\"\",\"\"],[\"\",\"\",\"\"]]},\"shared\":[\"\"]}",
               FULL ",\"t\":[{\"b\":\"\",\"c\":{}},\n{\"a\":1},\n{}]}");
        expect(COMPACT
               ",\"none\":{\"columns\":{},\"rows\":\"\"},\"null\":{\"columns\":{},\"rows\":null},\"x\":1}",
               FULL ",\"null\":null,\"x\":1}");
}

TEST(all_that_is_no_table_is_copied)
{
        expect(" { \"x\" : [ 1 , \"a\" ] ,\n\"shared\":[], \"schema\" : \"patscan-report-compact-1\" , "
               "\"y\":{\"a\":null}} \n",
               FULL ",\"x\":[ 1 , \"a\" ],\"y\":{\"a\":null}}");
}

TEST(other_texts_stay_as_they_are)
{
        static const char *const texts[] = {"",
                                            "[",
                                            "{}",
                                            "{\"schema\":",
                                            "{\"schema\":1}",
                                            "{\"schema\":\"patscan-report-1\",\"findings\":[]}",
                                            "{\"schema\":\"patscan-report-compact-2\"}",
                                            "patscan-report-compact-1"};
        ps_error err = {0};

        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                char *out;
                assert_int_equal(expand(&out, texts[i], 1 << 20, &err), PS_OK);
                assert_null(out);
        }
}

#define TABLE(columns, rows) COMPACT ",\"t\":{\"columns\":" columns ",\"rows\":" rows "},\"shared\":[1,2]}"

TEST(what_contradicts_itself_is_refused)
{
        static const char *const cases[][2] = {
                {TABLE("{\"a\":\"shared\"}", "[[2]]"), "not there"},
                {TABLE("{\"a\":\"shared\"}", "[[-1]]"), "not there"},
                {TABLE("{\"a\":\"shared\"}", "[[1e300]]"), "not there"},
                {TABLE("{\"a\":\"shared\"}", "[[\"x\"]]"), "not there"},
                {TABLE("{\"a\":\"shared\"}", "[[[0]]]"), "not there"},
                {COMPACT ",\"t\":{\"columns\":{\"a\":\"shared\"},\"rows\":[[0]]}}", "not there"},
                {COMPACT ",\"t\":{\"columns\":{\"a\":\"shared\"},\"rows\":[[0]]},\"shared\":{}}",
                 "not there"},
                {TABLE("{\"a\":\"value\"}", "[[]]"), "shorter"},
                {TABLE("{\"a\":\"value\"}", "[[1,2]]"), "longer"},
                {TABLE("{\"a\":\"value\"}", "[1]"), "no array"},
                {TABLE("{\"a\":\"value\"}", "[{\"a\":1}]"), "no array"},
                {TABLE("{\"a\":\"value\"}", "1"), "no array"},
                {TABLE("{\"a\":{\"b\":\"value\"}}", "[[1]]"), "no array"},
                {TABLE("{\"a\":\"string\"}", "[]"), "unknown sort"},
                {TABLE("{\"a\":1}", "[]"), "unknown sort"},
                {TABLE("{\"a\":[]}", "[]"), "cannot be read"},
                {TABLE("{\"a\":[{},{}]}", "[]"), "cannot be read"},
                {COMPACT ",\"t\":{\"columns\":{}}}", "no rows"},
                {COMPACT ",\"t\":{\"columns\":{},\"colums\":1}}", "no rows"},
                {COMPACT ",\"t\":{\"columns\":{},\"rows\":[],\"more\":1}}", "more than"},
                {COMPACT, "not JSON"},
                {COMPACT "} x", "not JSON"},
                {COMPACT ",\"x\":", "not JSON"},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char *out;
                ps_error err = {0};
                assert_int_equal(expand(&out, cases[i][0], 1 << 20, &err), PS_E_INPUT);
                if (!strstr(err.cause[0].text, cases[i][1]) || !strstr(err.cause[0].text, "a.json"))
                        fail_msg("case %zu: %s", i, err.cause[0].text);
                assert_null(out);
        }
}

TEST(every_beginning_of_a_report_is_refused_or_no_compact_report)
{
        static const char whole[] =
                TABLE("{\"a\":\"shared\",\"b\":[{\"c\":\"value\"}]}", "[[0,[[1],[2]]],[1,null]]");
        char text[sizeof(whole)];

        for (size_t n = 0; n + 1 < sizeof(whole); n++) {
                char *out;
                ps_error err = {0};
                memcpy(text, whole, n);
                text[n] = '\0';
                ps_status status = expand(&out, text, 1 << 20, &err);
                assert_true(status == PS_E_INPUT || status == PS_OK);
                assert_true(status == PS_E_INPUT || n < strlen(COMPACT));
                assert_null(out);
        }
}

/* n brackets behind one another, and as many that close them. */
static char *nested(const char *before, const char *open, const char *inside, const char *close,
                    const char *after, size_t n)
{
        char *text = malloc(strlen(before) + n * (strlen(open) + strlen(close)) + strlen(inside) +
                            strlen(after) + 1);
        assert_non_null(text);
        char *at = stpcpy(text, before);
        for (size_t i = 0; i < n; i++)
                at = stpcpy(at, open);
        at = stpcpy(at, inside);
        for (size_t i = 0; i < n; i++)
                at = stpcpy(at, close);
        stpcpy(at, after);
        return text;
}

TEST(deep_nesting_ends_in_an_error)
{
        enum { DEEP = 100000 };
        char *out, *text = nested(COMPACT ",\"t\":{\"columns\":", "{\"a\":", "\"value\"", "}",
                                  ",\"rows\":[]}}", DEEP);
        ps_error err = {0};

        assert_int_equal(expand(&out, text, 1 << 20, &err), PS_E_INPUT);
        free(text);
        text = nested(COMPACT ",\"t\":{\"columns\":{\"a\":\"value\"},\"rows\":", "[", "", "]", "}}", DEEP);
        err = (ps_error){0};
        assert_int_equal(expand(&out, text, 1 << 20, &err),
                         PS_OK); /* a value of that column, whatever it is */
        assert_non_null(out);
        free(out);
        free(text);
}

/* A kilobyte that stands for a megabyte at each of its places. */
TEST(a_report_that_would_be_too_large_is_refused)
{
        char *row = nested(COMPACT ",\"t\":{\"columns\":{\"a\":\"shared\"},\"rows\":[[0]", ",[0]", "", "",
                           "]},\"shared\":[\"", 100),
             *text = nested(row, "0123456789", "", "", "\"]}", 100), *out;
        ps_error err = {0};

        assert_int_equal(expand(&out, text, 50000, &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "too large"));
        assert_int_equal(expand(&out, text, 200000, &err), PS_OK);
        assert_true(strlen(out) > 100000);
        free(out);
        free(row);
        free(text);
}

/* Also of what is missing, shared, or a table within the row; of other tables all is kept. */
TEST(only_keys_that_are_asked_for_are_there)
{
        static const char *const keys[] = {"b", "none", NULL};
        static const ps_saved_asked asked[] = {{"t", keys}, {NULL, NULL}};
        static const char text[] = COMPACT
                ",\"t\":{\"columns\":{\"a\":\"shared\",\"b\":\"value\",\"c\":{\"b\":\"value\"},\"d\":[{\"b\":"
                "\"value\"}]},\"rows\":[[0,1,[2],[[3]]],[0,\"\",null,\"\"],null]},\"u\":{\"columns\":{\"a\":"
                "\"value\"},\"rows\":[[4]]},\"shared\":[5]}";
        ps_error err = {0};
        size_t n = sizeof(text) - 1;
        char *out;
        assert_int_equal(ps_saved_expand(&out, text, &n, 1 << 20, asked, "baseline", "a.json", &err), PS_OK);
        assert_string_equal(out, FULL ",\"t\":[{\"b\":1},\n{},\nnull],\"u\":[{\"a\":4}]}");
        free(out);
}
