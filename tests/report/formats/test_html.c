/* test_html.c - the page for a browser: findings and the run over time stand there, and it fetches nothing.
 */
#include "tests/report/formats/html_page.h"
#include "tests/support/test.h"

#include <string.h>

static const ps_time ms = PS_PS_PER_S / 1000;

TEST(findings_tell_where_and_why)
{
        report_lab lab;
        ps_output *out;
        const char *html = html_page(&lab, NULL, &out);

        assert_null(strstr(html, "<article"));
        assert_int_equal(html_count(html, "<li id=\"finding-"), 3);
        assert_int_equal(html_count(html, "<a class=\"here\" href=\"#finding-"), 3);
        assert_non_null(strstr(html,
                               "<strong>Late sender</strong>: <data value=\"2.6\">2.6 s</data>, "
                               "<data value=\"0.065\"><span class=\"warn\">6.5 %</span></data>, 5 calls, "
                               "ranks 1, 3 <a class=\"here\""));
        assert_non_null(
                strstr(html, "<code>src/heat.c:42</code>, its partner: <code>src/heat.c:40</code> or 51"));
        assert_non_null(strstr(html, "<p class=\"path\"><code>main</code> &gt; <code>exchange</code> &gt; "
                                     "<code>MPI_Recv</code></p>"));
        assert_non_null(strstr(html, "<p>On rank 1, Rank 0 was late."));
        ps_output_discard(out);
        lab.report.settings.top = 1;
        html = report_lab_write(&lab, &out, ps_report_write_html);
        assert_int_equal(html_count(html, "<li id=\"finding-"), 1);
        assert_non_null(strstr(html, "<p class=\"rest\">and 2 more places; -v shows all</p>"));
        html_page_close(&lab, out);
}

/* One of two locations is busy for 3 of 4 s; the other is in communication, then idle. 100 processes send to
 * the next one, which is no more than fits into 64 x 64 cells. */
TEST(the_run_over_time_is_drawn)
{
        enum { PROCESSES = 100 };
        ps_profile_bin bins[] = {{0, 2000 * ms, {1, 1, 0}, 0.5, 64, 1, 128, 2000 * ms},
                                 {2000 * ms, 4000 * ms, {0.5, 0, 1.5}, 0, 0, 0, 0, 2000 * ms}};
        ps_profile_row rows[] = {{.location = 0, .state = {3000 * ms, 0, 1000 * ms}, .sent = 7},
                                 {.location = 1, .state = {0, 2000 * ms, 2000 * ms}}};
        ps_profile_pair pairs[PROCESSES];
        ps_profile profile = {.duration = 4000 * ms,
                              .rows = rows,
                              .n_rows = 2,
                              .bins = bins,
                              .n_bins = 2,
                              .pairs = pairs,
                              .n_pairs = PROCESSES,
                              .n_messages = PROCESSES,
                              .n_bytes = 800};
        report_lab lab;
        ps_output *out;

        for (ps_proc p = 0; p < PROCESSES; p++)
                pairs[p] = (ps_profile_pair){p, (p + 1) % PROCESSES, 1, 8};
        report_lab_open(&lab, &(lab_names){0});
        for (uint32_t p = LAB_LOCATIONS; p < PROCESSES; p++)
                assert_int_equal(ps_defs_add_process(&lab.trace.defs, &(ps_process_def){0}, NULL, NULL),
                                 PS_OK);
        lab.report.settings.profile = &profile;
        const char *html = html_page_of(&lab, NULL, &out);
        assert_non_null(strstr(html, "busy 37.5 %</span><span class=\"communication\">overhead 25.0 %</span>"
                                     "<span class=\"idle\">idle 37.5 %</span><em>how many of 2</em>"));
        assert_non_null(
                strstr(html, "<path class=\"productive\" d=\"M0 100V50.0H500.0V75.0H1000.0V100z\"/>"));
        assert_non_null(
                strstr(html, "<path class=\"communication\" d=\"M0 100V0.0H500.0V75.0H1000.0V100z\"/>"));
        /* Process p is in cell p * 64 / 100: 0 and 1 are in the first, 99 alone is in the last. */
        assert_non_null(strstr(html, "<title>0-1 to 0-1: 8 bytes, 1 message</title>"));
        assert_non_null(strstr(html, "<title>99 to 0-1: 8 bytes, 1 message</title>"));
        assert_non_null(strstr(html, "<tr><th scope=\"row\">1.0</th>"));
        html_page_close(&lab, out);
}

TEST(nothing_may_be_fetched_or_run)
{
        report_lab lab;
        ps_output *out;
        const char *html = html_page(&lab, NULL, &out);

        assert_non_null(strstr(html, "content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
                                     "style-src 'sha256-"));
        assert_null(strstr(html, "unsafe"));
        assert_null(strstr(html, "http:"));
        assert_null(strstr(html, "https:"));
        assert_null(strstr(html, "src=\""));
        html_page_close(&lab, out);
}
