/* test_document.c - one document as text, as a page and as Markdown: each says the same, fits its room, and
 * lets no name become more than a name. */
#include "report/document/document.h"
#include "tests/report/formats/html_check.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the writer writes; *out has to be discarded. */
static const char *printed(const ps_doc_printer *printer, unsigned width, ps_doc_writer *writer,
                           const void *subject, ps_output **out)
{
        const char *text;

        assert_int_equal(ps_output_open_memory(out, width, NULL), PS_OK);
        assert_int_equal(ps_doc_print(printer, *out, writer, subject, NULL), PS_OK);
        text = ps_output_text(*out);
        assert_non_null(text);
        return text;
}

static void text_is(unsigned width, ps_doc_writer *writer, const char *expected)
{
        ps_output *out;

        assert_string_equal(printed(&ps_doc_text, width, writer, NULL, &out), expected);
        ps_output_discard(out);
}

static void has(const ps_doc_printer *printer, ps_doc_writer *writer, const char *part)
{
        ps_output *out;
        const char *text = printed(printer, 80, writer, NULL, &out);

        if (!strstr(text, part))
                fail_msg("no %s\nin %s", part, text);
        if (printer == &ps_doc_html) {
                html_check_markup(text);
                html_check_links(text);
        }
        ps_output_discard(out);
}

/* -- a document of everything -- */

static ps_status put_verdict(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)subject;
        (void)err;
        ps_doc_term(doc, "Machine", PS_DOC_PLAIN, "m.json");
        ps_doc_term(doc, "Cost", PS_DOC_PLAIN, "ten words that need more than one line");
        ps_doc_begin(doc, PS_DOC_BIG);
        ps_doc_put_share(doc, PS_DOC_STRONG, 0.25);
        ps_doc_put(doc, PS_DOC_PLAIN, " of ");
        ps_doc_put_time(doc, PS_DOC_PLAIN, 3 * PS_PS_PER_S);
        ps_doc_end(doc);
        ps_doc_say(doc, PS_DOC_P, "%s", "");
        return PS_OK;
}

static ps_status put_waits(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)subject;
        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TREE, "Lost in", "Pattern|=Count|=Time|+Seen by pages");
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, "Late");
        ps_doc_cell_count(doc, 1234);
        ps_doc_cell_seconds(doc, 0.5);
        ps_doc_cell(doc, PS_DOC_PLAIN, "here");
        ps_doc_row(doc, 1);
        ps_doc_row_id(doc, "row-2");
        ps_doc_cell(doc, PS_DOC_NAME, "a|b");
        ps_doc_cell_count(doc, 7);
        ps_doc_cell_seconds(doc, NAN);
        ps_doc_row_note(doc);
        ps_doc_put_place(doc, "x.c", 3);
        ps_doc_end_table(doc);
        ps_doc_rest(doc, 0, "row", "rows", "");
        ps_doc_rest(doc, 1, "row", "rows", "");
        return PS_OK;
}

static ps_status put_places(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)subject;
        (void)err;
        ps_doc_begin_items(doc);
        ps_doc_begin_item(doc, "place-1");
        ps_doc_put(doc, PS_DOC_STRONG, "First");
        ps_doc_end(doc);
        ps_doc_begin(doc, PS_DOC_PATH);
        ps_doc_put(doc, PS_DOC_NAME, "outermost_function");
        ps_doc_put(doc, PS_DOC_PLAIN, " > ");
        ps_doc_put(doc, PS_DOC_NAME, "inner_function");
        ps_doc_end(doc);
        ps_doc_say(doc, PS_DOC_ADVICE, "Do it.");
        ps_doc_begin_item(doc, NULL);
        ps_doc_put_link(doc, "place-1", "as above");
        ps_doc_end(doc);
        ps_doc_end_items(doc);
        return PS_OK;
}

static ps_status put_next(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)subject;
        (void)err;
        ps_doc_command(doc, "short", "patscan x");
        ps_doc_command(doc, "what does not fit", "patscan y --with-a-long-option");
        return PS_OK;
}

static bool never(const void *subject)
{
        (void)subject;
        return 0;
}

static ps_status write_all(ps_doc *doc, const void *subject, ps_error *err)
{
        static const ps_doc_section sections[] = {
                {"verdict", "Verdict", PS_DOC_UNTITLED, NULL, put_verdict},
                {"waits", "Waits", PS_DOC_UNTITLED, NULL, put_waits},
                {"nothing", "Nothing", 0, never, put_waits},
                {"places", "Where", 0, NULL, put_places},
                {"settings", "Settings", PS_DOC_PAGE_ONLY, NULL, put_next},
                {"next", "Next", 0, NULL, put_next},
        };

        ps_doc_title(doc, "test", "a/b", "4 ranks");
        return ps_doc_sections(doc, sections, 6, subject, err);
}

TEST(a_document_is_printed_as_text)
{
        text_is(44, write_all,
                "a/b: 4 ranks\n"
                "\n"
                "Machine      m.json\n"
                "Cost         ten words that need more than\n"
                "             one line\n"
                "25.0 % of 3 s\n"
                "\n"
                "Lost in  count    time\n"
                "  Late   1,234  500 ms\n"
                "    a|b      7       -\n"
                "    x.c:3\n"
                "  and 1 more row\n"
                "\n"
                "Where\n"
                "\n"
                " 1  First\n"
                "    outermost_function > inner_function\n"
                "    -> Do it.\n"
                "\n"
                " 2  as above\n"
                "\n"
                "Next\n"
                "  short                         patscan x\n"
                "  what does not fit\n"
                "      patscan y --with-a-long-option\n");
}

static ps_status put_commands(ps_doc *doc, const void *subject, ps_error *err)
{
        static const char *const commands[] = {"ls a", "ls 'a b c'", "ls 'longer than a line'"};
        (void)subject;
        (void)err;
        for (int i = 0; i < 3; i++) {
                ps_doc_begin(doc, PS_DOC_P);
                ps_doc_put(doc, PS_DOC_PLAIN, "Try this: ");
                ps_doc_put(doc, PS_DOC_COMMAND, commands[i]);
                ps_doc_put(doc, PS_DOC_PLAIN, ", or that.");
                ps_doc_end(doc);
        }
        return PS_OK;
}

TEST(a_command_in_a_text_stays_on_one_line)
{
        text_is(19, put_commands,
                "Try this: ls a, or\n"
                "that.\n"
                "Try this:\n"
                "ls 'a b c', or\n"
                "that.\n"
                "Try this:\n"
                "ls 'longer than a line',\n"
                "or that.\n");
        has(&ps_doc_markdown, put_commands, "`ls 'a b c'`");
}

TEST(a_document_is_printed_as_a_page)
{
        has(&ps_doc_html, write_all, "<h1>a/b</h1>\n<p>4 ranks</p>\n");
        has(&ps_doc_html, write_all,
            "<a href=\"#verdict\">Verdict</a><a href=\"#waits\">Waits</a><a href=\"#places\">Where</a>"
            "<a href=\"#settings\">Settings</a><a href=\"#next\">Next</a></nav>");
        has(&ps_doc_html, write_all,
            "<dl>\n<div><dt>Machine</dt><dd>m.json</dd></div>\n<div><dt>Cost</dt><dd>ten words that need "
            "more "
            "than one line</dd></div>\n</dl>\n<p class=\"big\"><data value=\"0.25\"><strong>25.0 "
            "%</strong></data> "
            "of <data value=\"3\">3 s</data></p>\n</section>");
        has(&ps_doc_html, write_all,
            "<tr id=\"row-2\"><th scope=\"row\" class=\"d1\"><code>a|b</code><div class=\"note\">"
            "<code>x.c:3</code></div></th><td class=\"n\"><data value=\"7\">7</data></td><td "
            "class=\"n\">-</td>"
            "</tr>");
        has(&ps_doc_html, write_all, "<td>here</td>");
        has(&ps_doc_html, write_all,
            "<li id=\"place-1\">\n<h3><strong>First</strong> <a class=\"here\" href=\"#place-1\"");
        has(&ps_doc_html, write_all, "<li>\n<h3><a href=\"#place-1\">as above</a></h3>\n</li>\n</ol>");
        has(&ps_doc_html, write_all, "<dt>short</dt><dd><code>patscan x</code></dd>");
}

TEST(a_document_is_printed_as_markdown)
{
        ps_output *out;

        assert_string_equal(printed(&ps_doc_markdown, 80, write_all, NULL, &out),
                            "### patscan test: `a/b`\n"
                            "\n"
                            "4 ranks\n"
                            "\n"
                            "- Machine: m.json\n"
                            "- Cost: ten words that need more than one line\n"
                            "\n"
                            "**25.0 %** of 3 s\n"
                            "\n"
                            "| Lost in | Count | Time |\n"
                            "|---|---:|---:|\n"
                            "| Late | 1,234 | 500 ms |\n"
                            "| &nbsp;&nbsp;<code>a&#124;b</code><br>`x.c:3` | 7 | - |\n"
                            "\n"
                            "and 1 more row\n"
                            "\n"
                            "#### Where\n"
                            "\n"
                            "1. **First**\n"
                            "\n"
                            "   `outermost_function` > `inner_function`\n"
                            "\n"
                            "   \xe2\x86\x92 Do it.\n"
                            "\n"
                            "2. as above\n"
                            "\n"
                            "#### Next\n"
                            "\n"
                            "- short: `patscan x`\n"
                            "- what does not fit: `patscan y --with-a-long-option`\n");
        ps_output_discard(out);
}

/* -- tables in narrow rooms -- */

static ps_status write_wide(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)subject;
        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "", "Name|=Number|?Optional|*Words");
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, "a_name_of_twenty_one_");
        ps_doc_cell_count(doc, 1);
        ps_doc_cell(doc, PS_DOC_PLAIN, "can do without");
        ps_doc_cell(doc, PS_DOC_PLAIN, "words that go on over lines");
        ps_doc_end_table(doc);
        return PS_OK;
}

/* 2 + 21 + 2 + 6 + 2 + 14 + 2 + 27 = 76 columns are all. Words need 24 of them; then what is optional goes,
 * then names stand alone. */
TEST(narrow_tables_drop_what_is_optional)
{
        text_is(76, write_wide,
                "  Name                   number  optional        words\n"
                "  a_name_of_twenty_one_       1  can do without  words that go on over lines\n");
        text_is(73, write_wide,
                "  Name                   number  optional        words\n"
                "  a_name_of_twenty_one_       1  can do without  words that go on over\n"
                "                                                 lines\n");
        text_is(60, write_wide,
                "  Name                   number  words\n"
                "  a_name_of_twenty_one_       1  words that go on over\n"
                "                                 lines\n");
        text_is(50, write_wide,
                "  Name            number  words\n"
                "  a_name_of_twenty_one_\n"
                "                       1  words that go on over\n"
                "                          lines\n");
}

static ps_status write_paths(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)subject;
        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "", "Part|>Path");
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, "all");
        ps_doc_cell(doc, PS_DOC_PLAIN, "outer_function > App::Mesh::exchange_of_ghosts");
        ps_doc_end_table(doc);
        return PS_OK;
}

/* 2 + 4 + 2 + 46 = 54 columns are all, 27 less need 24 for the last name. */
TEST(call_paths_in_tables_lose_their_outer_names_first)
{
        text_is(54, write_paths,
                "  Part  path\n"
                "  all   outer_function > App::Mesh::exchange_of_ghosts\n");
        text_is(50, write_paths,
                "  Part  path\n"
                "  all   ... > App::Mesh::exchange_of_ghosts\n");
        text_is(40, write_paths,
                "  Part  path\n"
                "  all   ... > Mesh::exchange_of_ghosts\n");
        text_is(32, write_paths,
                "  Part  path\n"
                "  all   ... > exchange_of_ghosts\n");
}

enum { MANY = 2500 };

static ps_status write_many(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)subject;
        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "", "Name|=Number");
        for (unsigned i = 0; i < MANY; i++) {
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, "row");
                ps_doc_cell_count(doc, i);
        }
        ps_doc_end_table(doc);
        return PS_OK;
}

/* They are not kept, and the heads stand once. */
TEST(many_rows_are_not_kept)
{
        ps_output *out;
        const char *text = printed(&ps_doc_text, 80, write_many, NULL, &out);

        assert_int_equal(html_count(text, "\n"), MANY + 1);
        assert_int_equal(html_count(text, "number"), 1);
        assert_non_null(strstr(text, "\n  row    2,499\n"));
        ps_output_discard(out);
}

/* -- names -- */

static ps_status write_name(ps_doc *doc, const void *subject, ps_error *err)
{
        const char *name = subject;

        (void)err;
        ps_doc_title(doc, "", name, name);
        ps_doc_sections(doc, NULL, 0, NULL, err);
        ps_doc_say(doc, PS_DOC_P, "%s", name);
        ps_doc_term(doc, "Term", PS_DOC_MARK, name);
        ps_doc_begin_table(doc, PS_DOC_TABLE, "", "Name|File");
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_NAME, name);
        ps_doc_cell_begin(doc);
        ps_doc_put_place(doc, name, 1);
        ps_doc_row_note(doc);
        ps_doc_put(doc, PS_DOC_PLAIN, name);
        ps_doc_end_table(doc);
        ps_doc_command(doc, "copy", name);
        return PS_OK;
}

/* Control characters, which marks are made of, escapes of terminals, tags, and what Markdown makes something
 * of. */
TEST(hostile_names_break_no_format)
{
        static const char evil[] = "\x01\x0e\x0f\x1d\x1e\x1f\x1b[31m</p><script>|`_*a*_ [x](y) @you #1 \xff";
        ps_output *out;
        const char *text;

        text = printed(&ps_doc_text, 80, write_name, evil, &out);
        assert_null(strpbrk(text, "\x01\x0e\x0f\x1d\x1e\x1f\x1b"));
        assert_int_equal(html_count(text, "\\x01\\x0e\\x0f\\x1d\\x1e\\x1f\\x1b[31m</p><script>|`_*a*_"), 8);
        ps_output_discard(out);
        text = printed(&ps_doc_html, 80, write_name, evil, &out);
        html_check_markup(text);
        assert_int_equal(html_count(text, "<script"), 1);
        ps_output_discard(out);
        text = printed(&ps_doc_markdown, 80, write_name, evil, &out);
        assert_null(strstr(text, "<script"));
        assert_null(strstr(text, "*a*"));
        assert_null(strstr(text, "[x]"));
        assert_null(strstr(text, "@you"));
        assert_null(strstr(text, " #1 "));
        ps_output_discard(out);
}

/* What fails, fails the document. */
static ps_status put_failure(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)doc;
        (void)subject;
        return PS_FAIL(err, PS_E_INPUT, "no such thing: name=\"x\"");
}

static ps_status write_failure(ps_doc *doc, const void *subject, ps_error *err)
{
        static const ps_doc_section sections[] = {{"a", "A", 0, NULL, put_failure}};

        ps_doc_title(doc, "", "a", "");
        return ps_doc_sections(doc, sections, 1, subject, err);
}

TEST(a_writer_that_fails_fails_the_document)
{
        ps_output *out;
        ps_error err = {0};

        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        assert_int_equal(ps_doc_print(&ps_doc_html, out, write_failure, NULL, &err), PS_E_INPUT);
        ps_output_discard(out);
}
