/* test_codequality.c - findings as GitLab's code quality report. */
#include "tests/report/formats/lab.h"
#include "tests/support/test.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static cJSON *write_parsed(report_lab *lab)
{
        ps_output *out;
        cJSON *entries = cJSON_Parse(report_lab_write(lab, &out, ps_report_write_codequality));

        ps_output_discard(out);
        assert_true(cJSON_IsArray(entries));
        return entries;
}

static const cJSON *member(const cJSON *entries, int i, const char *key)
{
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(entries, i), key);

        assert_non_null(value);
        return value;
}

static const char *text(const cJSON *entries, int i, const char *key)
{
        return cJSON_GetStringValue(member(entries, i, key));
}

static void check_location(const cJSON *entries, int i, const char *path, int line)
{
        const cJSON *location = member(entries, i, "location");
        const cJSON *lines = cJSON_GetObjectItemCaseSensitive(location, "lines");

        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(location, "path")), path);
        assert_int_equal(cJSON_GetObjectItemCaseSensitive(lines, "begin")->valueint, line);
}

/* 2 s + 0.6 s of 4 * 10 s are 6.5 %; 1 s is 2.5 %; 0.25 s is 0.625 %. */
TEST(one_entry_for_each_site)
{
        report_lab lab;

        report_lab_open(&lab, &(lab_names){0});
        cJSON *entries = write_parsed(&lab);
        assert_int_equal(cJSON_GetArraySize(entries), 3);
        assert_string_equal(text(entries, 0, "description"),
                            "Late sender: 2.6 s lost (6.5 %) in 5 calls of MPI_Recv on ranks 1, 3. "
                            "Most on rank 1: Rank 0 was late.");
        assert_string_equal(text(entries, 0, "check_name"), "late-sender");
        assert_string_equal(text(entries, 0, "fingerprint"), lab.rows[0].site);
        assert_string_equal(text(entries, 0, "severity"), "minor");
        check_location(entries, 0, "src/heat.c", 42);
        assert_string_equal(text(entries, 1, "check_name"), "late-receiver");
        assert_string_equal(text(entries, 1, "severity"), "minor");
        check_location(entries, 1, "src/heat.c", 40);
        cJSON_Delete(entries);
        report_lab_close(&lab);
}

TEST(what_has_no_line_is_said_at_the_trace)
{
        report_lab lab;

        report_lab_open(&lab, &(lab_names){0});
        cJSON *entries = write_parsed(&lab);
        assert_string_equal(text(entries, 2, "description"),
                            "Wait at a barrier: 250 ms lost (0.6 %) in 1 call of MPI_Barrier on rank 2 "
                            "(main > MPI_Barrier). Rank 0 was late.");
        assert_string_equal(text(entries, 2, "severity"), "info");
        check_location(entries, 2, "run/heat.otf2", 1);
        cJSON_Delete(entries);
        report_lab_close(&lab);
}

TEST(severity_follows_the_share_from_ten_percent_on)
{
        report_lab lab;

        report_lab_open(&lab, &(lab_names){0});
        lab.found[0].lost = 4 * PS_PS_PER_S; /* and 0.6 s: 11.5 % */
        cJSON *entries = write_parsed(&lab);
        assert_string_equal(text(entries, 0, "severity"), "major");
        cJSON_Delete(entries);
        report_lab_close(&lab);
}

/* The same pattern, call path and file in lines 40 and 42: the first line keeps the site's own fingerprint,
 * also when both move. */
TEST(fingerprints_differ_and_hold_no_line)
{
        report_lab lab;
        char before[2][PS_REPORT_ID];

        report_lab_open(&lab, &(lab_names){0});
        memcpy(lab.rows[1].site, lab.rows[0].site, sizeof(lab.rows[0].site));
        for (uint32_t moved = 0; moved < 2; moved++) {
                lab.places[LAB_RECV].line = 42 + moved;
                lab.places[LAB_SEND].line = 40 + moved;
                cJSON *entries = write_parsed(&lab);
                check_location(entries, 0, "src/heat.c", 42 + (int)moved);
                assert_string_equal(text(entries, 1, "fingerprint"), lab.rows[0].site);
                assert_string_not_equal(text(entries, 0, "fingerprint"), lab.rows[0].site);
                snprintf(before[moved], sizeof(before[moved]), "%s", text(entries, 0, "fingerprint"));
                cJSON_Delete(entries);
        }
        assert_string_equal(before[0], before[1]);
        report_lab_close(&lab);
}

TEST(paths_are_relative_to_the_working_folder)
{
        report_lab lab;
        char here[PATH_MAX + 16];

        assert_non_null(getcwd(here, PATH_MAX));
        strcat(here, "/src/a b.c");
        report_lab_open(&lab, &(lab_names){.file = here});
        lab.places[LAB_SEND].file = "./src/c.c";
        lab.report.settings.trace_path = "/elsewhere/heat.otf2";
        cJSON *entries = write_parsed(&lab);
        check_location(entries, 0, "src/a b.c", 42);
        check_location(entries, 1, "src/c.c", 40);
        check_location(entries, 2, "/elsewhere/heat.otf2", 1);
        cJSON_Delete(entries);
        report_lab_close(&lab);
}

TEST(cautions_come_first)
{
        ps_caution cautions[] = {{"unfinished", "The run did not finish.", 1, PS_NONE},
                                 {"unmatched-messages", "1 of 2 messages has no partner.", 1, PS_NONE}};
        report_lab lab;

        report_lab_open(&lab, &(lab_names){0});
        lab.report.cautions.row = cautions;
        lab.report.cautions.n = 2;
        cJSON *entries = write_parsed(&lab);
        assert_int_equal(cJSON_GetArraySize(entries), 5);
        assert_string_equal(text(entries, 0, "description"), "The run did not finish.");
        assert_string_equal(text(entries, 0, "check_name"), "unfinished");
        assert_string_equal(text(entries, 0, "severity"), "blocker");
        assert_string_equal(text(entries, 1, "severity"), "major");
        assert_string_not_equal(text(entries, 0, "fingerprint"), text(entries, 1, "fingerprint"));
        check_location(entries, 1, "run/heat.otf2", 1);
        assert_string_equal(text(entries, 2, "check_name"), "late-sender");
        cJSON_Delete(entries);
        report_lab_close(&lab);
}

TEST(ignored_findings_are_left_out)
{
        report_lab lab;

        report_lab_open(&lab, &(lab_names){0});
        lab.rows[0].ignored = lab.rows[2].ignored = "known";
        cJSON *entries = write_parsed(&lab);
        assert_int_equal(cJSON_GetArraySize(entries), 2);
        assert_string_equal(text(entries, 0, "check_name"), "late-receiver");
        cJSON_Delete(entries);
        report_lab_close(&lab);
}

TEST(nothing_found_is_an_empty_array)
{
        report_lab lab;

        report_lab_open(&lab, &(lab_names){0});
        lab.report.n_findings = 0;
        cJSON *entries = write_parsed(&lab);
        assert_int_equal(cJSON_GetArraySize(entries), 0);
        cJSON_Delete(entries);
        report_lab_close(&lab);
}
