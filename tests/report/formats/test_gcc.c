/* test_gcc.c - findings as compiler warnings. */
#include "report/facts/sites.h"
#include "tests/report/formats/lab.h"
#include "tests/support/test.h"

#include <string.h>

/* 2 s + 0.6 s of 4 * 10 s are 6.5 %; 1 s is 2.5 %; 0.25 s is 0.625 %. */
static const char expected[] =
        "src/heat.c:42:9: warning: Late sender: 2.6 s lost (6.5 %) in 5 calls of MPI_Recv on ranks 1, 3. "
        "Most on rank 1: Rank 0 was late. [-Wlate-sender]\n"
        "src/heat.c:40:1: note: rank 0 sent the message here (one of 2 such calls)\n"
        "src/heat.c:42:9: note: its events: patscan dump run/heat.otf2 --from 1000000us --to 2500001us "
        "--ranks 1,0\n"
        "src/heat.c:40:1: warning: Late receiver: 1 s lost (2.5 %) in 1 call of MPI_Send on rank 0. "
        "Rank 0 was late. [-Wlate-receiver]\n"
        "src/heat.c:51:1: note: or this call, which has the same name\n"
        "src/heat.c:42:9: note: rank 2 received the message here\n"
        "src/heat.c:40:1: note: its events: patscan dump run/heat.otf2 --from 4000000us --to 5000001us "
        "--ranks 0,2\n"
        "patscan: note: Wait at a barrier: 250 ms lost (0.6 %) in 1 call of MPI_Barrier on rank 2 "
        "(main > MPI_Barrier) [-Wbarrier-wait]\n";

TEST(one_warning_for_each_site)
{
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){0});
        assert_string_equal(report_lab_write(&lab, &out, ps_report_write_gcc), expected);
        ps_output_discard(out);
        report_lab_close(&lab);
}

/* Of which call, nobody knows. */
TEST(what_is_in_no_call_is_counted_in_cases)
{
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){0});
        for (int i = 0; i < LAB_FINDINGS; i++)
                if (lab.rows[i].finding->path == 5) /* the barrier */
                        lab.found[i].path = 0;
        assert_non_null(strstr(report_lab_write(&lab, &out, ps_report_write_gcc),
                               "patscan: note: Wait at a barrier: 250 ms lost (0.6 %) in 1 case on rank 2. "
                               "[-Wbarrier-wait]\n"));
        ps_output_discard(out);
        report_lab_close(&lab);
}

TEST(the_line_of_a_function_is_said_to_be_one)
{
        report_lab lab;
        ps_output *out;
        const char *written;

        report_lab_open(&lab, &(lab_names){0});
        lab.places[LAB_RECV] = (ps_source_place){"a.c", "exchange", 7, 0, 0, PS_LINE_FUNCTION, NULL, 0};
        written = report_lab_write(&lab, &out, ps_report_write_gcc);
        assert_non_null(strstr(written, "a.c:7:1: warning: Late sender: "));
        assert_non_null(strstr(written, "a.c:7:1: note: the call is somewhere in this function\n"));
        ps_output_discard(out);
        report_lab_close(&lab);
}

/* Who began an operation and went on with it only in his Wait is not said to have begun it there. */
TEST(who_comes_back_to_an_operation_completes_it)
{
        static const struct {
                uint8_t completes;
                const char *note;
        } cases[] = {{PS_COMPLETES_NONE, "rank 0 began it here"},
                     {PS_COMPLETES_COLLECTIVES, "rank 0 completed it here"}};
        for (int i = 0; i < 2; i++) {
                report_lab lab;
                ps_output *out;
                report_lab_open(&lab, &(lab_names){0});
                for (int f = 0; f < 2; f++) {
                        lab.found[f].pattern = ps_pattern_find("nonblocking-collective-wait");
                        lab.rows[f].pattern = ps_pattern_at(lab.found[f].pattern);
                        lab.rows[f].partner_completes = cases[i].completes;
                }
                assert_non_null(strstr(report_lab_write(&lab, &out, ps_report_write_gcc), cases[i].note));
                ps_output_discard(out);
                report_lab_close(&lab);
        }
}

/* No name breaks a line in two, and nothing that is written is a control character. */
TEST(hostile_names_break_no_line)
{
        report_lab lab;
        ps_output *out;
        const char *written;
        int lines = 0;

        report_lab_open(&lab, &(lab_names){.call = "evil\nb.c:1:1: error: x",
                                           .file = "a\r\n\xff.c",
                                           .comment = "\033[31m\xe2\x80\xae"});
        written = report_lab_write(&lab, &out, ps_report_write_gcc);
        assert_non_null(strstr(written, "a\\x0d\\x0a\\xff.c:42:9: warning: "));
        assert_non_null(strstr(written, "in 5 calls of evil\\x0ab.c:1:1: error: x on"));
        assert_non_null(strstr(written, ". Most on rank 1: \\x1b[31m\\xe2\\x80\\xae [-Wlate-sender]\n"));
        for (const char *c = written; *c; c++) {
                assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
                lines += *c == '\n';
        }
        assert_int_equal(lines, 8); /* two of them say how to see the events */
        ps_output_discard(out);
        report_lab_close(&lab);
}

static void check_ranks(const ps_proc *process, uint32_t n, const char *text)
{
        ps_site site = {.process = process, .n = n};
        ps_output *out;

        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        ps_site_write_ranks(out, &site);
        assert_string_equal(ps_output_text(out), text);
        ps_output_discard(out);
}

TEST(ranks_as_ranges)
{
        const ps_proc some[] = {0, 1, 2, 3, 7, 9, 10}, same[] = {4, 4, 4};
        const ps_proc many[] = {0, 2, 4, 6, 8, 10, 12, 14, 16};

        check_ranks(some, 1, "rank 0");
        check_ranks(same, 3, "rank 4");
        check_ranks(some, 7, "ranks 0-3, 7, 9, 10");
        check_ranks(many, 8, "ranks 0, 2, 4, 6, 8, 10, 12, 14");
        check_ranks(many, 9, "ranks 0, 2, 4, 6, 8, 10, 12, 14, ...");
}

TEST(nothing_found_is_nothing_printed)
{
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){0});
        lab.report.n_findings = 0;
        assert_string_equal(report_lab_write(&lab, &out, ps_report_write_gcc), "");
        ps_output_discard(out);
        report_lab_close(&lab);
}
