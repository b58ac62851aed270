/* test_junit.c - a report as tests that pass or fail. */
#include "tests/report/formats/lab.h"
#include "tests/support/test.h"

#include <string.h>

#define CHECK_WRITTEN(written, what) assert_non_null(strstr((written), (what)))

/* 2.6 s are 6.5 %, 1 s is 2.5 %: failures; 0.25 s are 0.6 %: passed. In all 3.85 s, and the trace is whole.
 */
TEST(places_from_one_percent_on_fail)
{
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){0});
        for (int i = 0; i < LAB_FINDINGS; i++)
                lab.rows[i].advice = i ? NULL : "Send earlier.";
        assert_string_equal(
                report_lab_write(&lab, &out, ps_report_write_junit),
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<testsuites tests=\"4\" failures=\"2\" errors=\"0\" time=\"3.85\">\n"
                "<testsuite name=\"patscan\" tests=\"4\" failures=\"2\" errors=\"0\" "
                "time=\"3.85\">\n"
                "<testcase classname=\"trace\" name=\"The run finished, and its trace is whole\" "
                "time=\"0\"/>\n"
                "<testcase classname=\"src/heat.c\" file=\"src/heat.c\" "
                "name=\"Late sender: main > exchange > MPI_Recv\" time=\"2.6\">"
                "<failure type=\"late-sender\" message=\"Late sender: 2.6 s lost (6.5 %) in 5 calls of "
                "MPI_Recv on ranks 1, 3\">src/heat.c:42: 2.6 s lost (6.5 %) in 5 calls of MPI_Recv on "
                "ranks 1, 3. Most on rank 1: Rank 0 was late.\nSend earlier.</failure></testcase>\n"
                "<testcase classname=\"src/heat.c\" file=\"src/heat.c\" "
                "name=\"Late receiver: main > exchange > MPI_Send\" time=\"1\">"
                "<failure type=\"late-receiver\" message=\"Late receiver: 1 s lost (2.5 %) in 1 call of "
                "MPI_Send on rank 0\">src/heat.c:40: 1 s lost (2.5 %) in 1 call of MPI_Send on rank 0. "
                "Rank 0 was late.</failure></testcase>\n"
                "<testcase classname=\"main > MPI_Barrier\" "
                "name=\"Wait at a barrier: main > MPI_Barrier\" time=\"0.25\"/>\n"
                "</testsuite>\n</testsuites>\n");
        ps_output_discard(out);
        report_lab_close(&lab);
}

TEST(limits_fail_when_they_are_hit)
{
        const ps_report_limit limits[] = {{"total>5%", "total>5%: 9 %, limit 5 %", PS_LIMIT_HIT},
                                          {"late-sender>1s", "", PS_LIMIT_KEPT},
                                          {"transfer<90%", "transfer<90%: not known", PS_LIMIT_UNKNOWN}};
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){0});
        lab.report.settings.limits = limits;
        lab.report.settings.n_limits = 3;
        const char *written = report_lab_write(&lab, &out, ps_report_write_junit);
        CHECK_WRITTEN(written, "tests=\"7\" failures=\"3\" errors=\"1\"");
        CHECK_WRITTEN(written, "<testcase classname=\"limit\" name=\"total&gt;5%\" time=\"0\"><failure "
                               "type=\"limit\" message=\"total&gt;5%: 9 %, limit 5 %\">");
        CHECK_WRITTEN(written, "<testcase classname=\"limit\" name=\"late-sender&gt;1s\" time=\"0\"/>");
        CHECK_WRITTEN(written, "name=\"transfer&lt;90%\" time=\"0\"><error type=\"limit\"");
        ps_output_discard(out);
        report_lab_close(&lab);
}

TEST(cautions_are_errors_and_come_first)
{
        ps_caution caution = {"unfinished", "The run did not finish.", 1, PS_NONE};
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){0});
        lab.report.cautions.row = &caution;
        lab.report.cautions.n = 1;
        const char *written = report_lab_write(&lab, &out, ps_report_write_junit);
        CHECK_WRITTEN(written, "tests=\"4\" failures=\"2\" errors=\"1\"");
        CHECK_WRITTEN(written, "<testcase classname=\"trace\" name=\"unfinished\" time=\"0\"><error "
                               "type=\"trace\" message=\"The run did not finish.\">The run did not "
                               "finish.</error></testcase>\n<testcase classname=\"src/heat.c\"");
        ps_output_discard(out);
        report_lab_close(&lab);
}

TEST(a_defect_fails_whatever_it_costs)
{
        ps_pattern defect;
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){0});
        defect = *lab.rows[3].pattern;
        defect.is_defect = 1;
        lab.rows[3].pattern = &defect;
        const char *written = report_lab_write(&lab, &out, ps_report_write_junit);
        CHECK_WRITTEN(written, "tests=\"4\" failures=\"3\" errors=\"0\"");
        CHECK_WRITTEN(written, "name=\"Wait at a barrier: main > MPI_Barrier\" time=\"0.25\"><failure ");
        ps_output_discard(out);
        report_lab_close(&lab);
}

TEST(the_same_call_in_two_lines_is_two_tests)
{
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){0});
        memcpy(lab.rows[1].site, lab.rows[0].site, sizeof(lab.rows[0].site));
        CHECK_WRITTEN(report_lab_write(&lab, &out, ps_report_write_junit),
                      "name=\"Late sender: main > exchange > MPI_Recv (2)\"");
        ps_output_discard(out);
        report_lab_close(&lab);
}

/* XML has no control characters, however they are written, and no U+FFFE. */
TEST(hostile_names_are_only_text)
{
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){.call = "\"/><failure>\n",
                                           .file = "a\001<&'\xff.c",
                                           .comment = "]]>\033[31m\xef\xbf\xbe\xed\xa0\x80"});
        const char *written = report_lab_write(&lab, &out, ps_report_write_junit);
        CHECK_WRITTEN(written, "classname=\"a\\x01&lt;&amp;&#39;\\xff.c\"");
        CHECK_WRITTEN(written, "exchange > &#34;/&gt;&lt;failure&gt;\\x0a\"");
        CHECK_WRITTEN(written, "]]&gt;\\x1b[31m\\xef\\xbf\\xbe\\xed\\xa0\\x80");
        for (const char *c = written; *c; c++)
                assert_true(*c == '\n' || *c >= ' ');
        ps_output_discard(out);
        report_lab_close(&lab);
}

TEST(ignored_findings_are_left_out)
{
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){0});
        for (int i = 0; i < LAB_FINDINGS; i++)
                lab.rows[i].ignored = "known";
        CHECK_WRITTEN(report_lab_write(&lab, &out, ps_report_write_junit),
                      "<testsuites tests=\"1\" failures=\"0\" errors=\"0\" time=\"0\">");
        ps_output_discard(out);
        report_lab_close(&lab);
}
