/* test_manual.c - formulas are put into words that everybody knows, and each pattern tells all that it
 * should. */
#include "report/subjects/manual.h"

#include "patterns/engine/rules.h"
#include "tests/support/test.h"
#include <stdio.h>
#include <string.h>

static ps_output *in_memory(void)
{
        ps_output *out;
        assert_int_equal(ps_output_open_memory(&out, 100, NULL), PS_OK);
        return out;
}

static void expect_words(const char *formula, const char *words, unsigned unknown)
{
        ps_output *out = in_memory();
        assert_int_equal(ps_manual_write_words(out, formula), unknown);
        assert_string_equal(ps_output_text(out), words);
        ps_output_discard(out);
}

TEST(formulas_are_put_into_words)
{
        expect_words("earlier(send.enter, own.end) - own.begin",
                     "the earlier of (the start of the send and its own end) minus its own start", 0);
        expect_words("!own.is_root && own.receives",
                     "the member is not the root, and the member receives data", 0);
        expect_words("send.enter>=recv.enter", "the start of the send is not before the start of the receive",
                     0);
        expect_words("send.luck > own.end", "send.luck is more than its own end", 1);
        expect_words("2 * call.gap < call.leave - call.enter",
                     "2 times the time between the calls is less than the end of the call minus the start of "
                     "the call",
                     0);
        expect_words(
                "call.own_kind != PS_K_IBSEND && !(bytes <= 10)",
                "the kind of the operation that the call completes is not ibsend, and not (the size of the "
                "message is at most 10)",
                0);
        expect_words("!send.enter", "not the start of the send", 0);
        expect_words("", "", 0);
}

static void assert_words(ps_output *out, uint32_t pattern, const ps_formula *formula)
{
        if (formula &&
            (ps_manual_write_words(out, formula->condition) || ps_manual_write_words(out, formula->loss)))
                fail_msg("a word is missing in patterns/table/words.def: id=\"%s\", condition=\"%s\", "
                         "loss=\"%s\"",
                         ps_pattern_at(pattern)->id, formula->condition, formula->loss);
}

TEST(all_words_of_all_formulas_are_known)
{
        ps_output *out = in_memory();
        for (uint32_t i = 0; i < ps_pattern_count(); i++) {
                assert_words(out, i, ps_pattern_formula(i));
                assert_words(out, i, ps_pattern_at(i)->paper_formula);
        }
        ps_output_discard(out);
}

static void assert_says(uint32_t pattern, const char *label, const char *text)
{
        if (!text || !*text)
                fail_msg("nothing said: id=\"%s\", field=\"%s\"", ps_pattern_at(pattern)->id, label);
}

/* The engine has room for so many below one row. */
static void assert_few_children(uint32_t pattern)
{
        uint32_t n = 0;
        for (uint32_t i = 0; i < ps_pattern_count(); i++)
                n += ps_pattern_parent(i) == pattern;
        assert_true(n <= sizeof((ps_rule *)0)->children / sizeof *((ps_rule *)0)->children);
}

TEST(every_row_is_complete)
{
        assert_true(ps_pattern_count() <= PS_MAX_PATTERNS);
        for (uint32_t i = 0; i < ps_pattern_count(); i++) {
                const ps_pattern *row = ps_pattern_at(i);
                assert_int_equal(ps_pattern_find(row->id), i);
                assert_few_children(i);
                assert_says(i, "title", row->title);
                assert_says(i, "summary", row->summary);
                assert_says(i, "advice", row->advice);
                assert_says(i, "source", row->source);
                if (row->parent && ps_pattern_parent(i) >= i)
                        fail_msg("not below an earlier row: id=\"%s\"", row->id);
                if (!(row->definitions & PS_BY_ALL))
                        fail_msg("in no definitions: id=\"%s\"", row->id);
        }
}

/* A subject that nobody loses by would leave its label alone on the line. */
TEST(each_pattern_says_who_loses)
{
        for (uint32_t i = 0; i < ps_pattern_count(); i++) {
                ps_output *out = in_memory();
                ps_manual_write_pattern(out, PS_MANUAL_MARKDOWN, i);
                const char *label = "- **Loses:** ", *at = strstr(ps_output_text(out), label);
                assert_non_null(at);
                assert_true(at[strlen(label)] >= 'a');
                ps_output_discard(out);
        }
}

TEST(each_pattern_is_there_once)
{
        ps_output *out = in_memory();
        ps_manual_write_all(out, PS_MANUAL_MARKDOWN);
        for (uint32_t i = 0; i < ps_pattern_count(); i++) {
                char heading[128];
                snprintf(heading, sizeof heading, "\n## %s\n", ps_pattern_at(i)->id);
                const char *at = strstr(ps_output_text(out), heading);
                assert_non_null(at);
                assert_null(strstr(at + 1, heading));
        }
        ps_output_discard(out);
}
