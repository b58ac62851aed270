/* test_moved.c - a line that has moved since the run is found again, within its function and not too far. */
#include "app/lsp/moved.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char was[] = "int exchange(void)\n"
                          "{\n"
                          "        MPI_Recv();\n"
                          "}\n"
                          "int other(void)\n"
                          "{\n"
                          "        MPI_Send();\n"
                          "}\n";

static ps_line_mark settled(ps_line_mark mark, const char *text, bool is_newer)
{
        ps_lines lines;
        char *copy = malloc(strlen(text) + 1);
        assert_non_null(copy);
        strcpy(copy, text);
        assert_int_equal(ps_lines_make(&lines, copy, strlen(text), NULL), PS_OK);
        assert_int_equal(ps_marks_settle(&mark, 1, &lines, "a.c", is_newer, NULL), PS_OK);
        ps_lines_clear(&lines);
        return mark;
}

static const ps_line_mark receive = {.line = 3, .function = "exchange", .line_text = "        MPI_Recv();"};

TEST(the_same_line_is_sound_whatever_the_time_of_the_file)
{
        ps_line_mark mark = settled(receive, was, true);
        assert_int_equal(mark.state, PS_MARK_SOUND);
        assert_int_equal(mark.now, 3);
}

TEST(a_line_that_moved_within_its_function_is_found)
{
        ps_line_mark mark =
                settled(receive,
                        "/* new */\n\nint exchange(void)\n{\n        int x;\n        MPI_Recv();\n}\n", true);
        assert_int_equal(mark.state, PS_MARK_MOVED);
        assert_int_equal(mark.now, 6);
}

TEST(an_equal_line_of_another_function_is_not_it)
{
        ps_line_mark mark = settled(receive,
                                    "int exchange(void)\n{\n        MPI_Sendrecv();\n}\n"
                                    "int other(void)\n{\n        MPI_Recv();\n}\n",
                                    true);
        assert_int_equal(mark.state, PS_MARK_STALE);
        assert_int_equal(mark.now, 3);
}

TEST(the_nearest_of_equal_lines_is_taken)
{
        ps_line_mark mark = receive;
        mark.line = 5;
        mark = settled(mark,
                       "int exchange(void)\n{\n        MPI_Recv();\n        a();\n        b();\n"
                       "        MPI_Recv();\n}\n",
                       true);
        assert_int_equal(mark.state, PS_MARK_MOVED);
        assert_int_equal(mark.now, 6);
}

TEST(a_line_more_than_200_lines_away_is_gone)
{
        for (int away = 200; away <= 201; away++) {
                char text[8192];
                ps_line_mark mark = receive;
                int n = 0;
                mark.function = NULL;
                for (int i = 0; i < away; i++)
                        n += snprintf(text + n, sizeof(text) - (size_t)n, "x%d;\n", i);
                snprintf(text + n, sizeof(text) - (size_t)n, "y;\nz;\n        MPI_Recv();\n");
                mark = settled(mark, text, true);
                assert_int_equal(mark.state, away == 200 ? PS_MARK_MOVED : PS_MARK_STALE);
        }
}

TEST(without_its_text_only_the_times_of_the_files_tell)
{
        ps_line_mark mark = receive;
        mark.line_text = NULL;
        assert_int_equal(settled(mark, was, true).state, PS_MARK_STALE);
        assert_int_equal(settled(mark, was, false).state, PS_MARK_UNKNOWN);
}

TEST(lines_end_where_editors_end_them)
{
        ps_line_mark mark = settled(receive, "a\r\nb\r\n        MPI_Recv();\r\n", true);
        assert_int_equal(mark.state, PS_MARK_SOUND);
        mark = settled(receive, "a\nb\n        MPI_Recv();", true);
        assert_int_equal(mark.state, PS_MARK_SOUND);
}
