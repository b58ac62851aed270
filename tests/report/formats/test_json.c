/* test_json.c - a report as JSON can be read again, by programs and as a baseline. */
#include "report/facts/places.h"
#include "report/saved/baseline.h"
#include "tests/support/late_sender.h"
#include "tests/support/test.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The report as text until the caller discards *out. */
static const char *json_text(ps_output **out, const ps_report *report)
{
        assert_int_equal(ps_output_open_memory(out, 80, NULL), PS_OK);
        assert_int_equal(ps_report_write_json(report, *out, NULL), PS_OK);
        return ps_output_text(*out);
}

static double number(const cJSON *object, const char *key)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

        assert_true(cJSON_IsNumber(item));
        return item->valuedouble;
}

TEST(a_report_is_written_as_json)
{
        late_sender f;
        ps_output *out;
        const uint64_t eager = 4096;

        late_sender_load(&f, &late_sender_plain);
        late_sender_analyse(&f, &(ps_report_settings){.trace_path = "t\n.otf2", .eager_bytes = &eager});
        const char *text = json_text(&out, f.report);
        cJSON *root = cJSON_ParseWithOpts(text, NULL, 1);
        assert_non_null(root);
        assert_non_null(strstr(text, "\"lost_s\": 0.015,"));
        assert_string_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "trace"), "path")->valuestring,
                            "t\\x0a.otf2");
        assert_true(number(cJSON_GetObjectItem(root, "trace"), "duration_s") == 0.1);
        const cJSON *settings = cJSON_GetObjectItem(root, "settings");
        assert_true(number(cJSON_GetObjectItem(settings, "eager_bytes"), "used") == 4096);
        assert_string_equal(cJSON_GetObjectItem(settings, "definitions")->valuestring, "scalasca");
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "patterns")), f.report->n_patterns);
        const cJSON *finding = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "findings"), 0);
        assert_true(number(finding, "line") == 40);
        assert_true(number(finding, "count") == 2);
        assert_true(number(finding, "share") == 0.075);
        const cJSON *worst = cJSON_GetObjectItem(finding, "worst");
        assert_true(number(worst, "begin_s") == 0.03);
        assert_true(number(worst, "lost_s") == 0.01);
        assert_true(number(worst, "partner_process") == 0);
        assert_true(number(worst, "partner_line") == SENT_AT);
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(finding, "gain_s")));
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(finding, "is_new")));
        const cJSON *efficiency = cJSON_GetObjectItem(root, "efficiency");
        assert_true(number(efficiency, "parallel") > 0 && number(efficiency, "parallel") <= 1);
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(efficiency, "transfer")));
        cJSON_Delete(root);
        ps_output_discard(out);
        late_sender_clear(&f);
}

/* Ten thousand findings take a tenth of a second; here they have ten times as long, for sanitizers. */
TEST(json_of_many)
{
        enum { MANY = 10000 };
        late_sender f;
        ps_output *out;

        late_sender_load(&f, &late_sender_plain);
        late_sender_analyse(&f, &(ps_report_settings){0});
        ps_finding *many = malloc(MANY * sizeof(*many));
        assert_non_null(many);
        for (int i = 0; i < MANY; i++)
                many[i] = f.analysis->findings[0];
        free(f.analysis->findings);
        f.analysis->findings = many;
        f.analysis->n_findings = MANY;
        ps_report_free(f.report);
        assert_int_equal(ps_report_new(&f.report, f.trace, &f.trace->measured, f.analysis, f.sources,
                                       &(ps_report_settings){0}, NULL),
                         PS_OK);
        clock_t begin = clock();
        const char *text = json_text(&out, f.report);
        assert_true(clock() - begin < CLOCKS_PER_SEC);
        cJSON *root = cJSON_ParseWithOpts(text, NULL, 1);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "findings")), MANY);
        cJSON_Delete(root);
        ps_output_discard(out);
        ps_report_places places;
        assert_int_equal(ps_places_gather(&places, f.report, true, NULL), PS_OK);
        assert_int_equal(places.n, 1);
        assert_int_equal(places.row[0].n, MANY);
        assert_int_equal(places.row[0].lost, MANY * LOST_TWO);
        assert_ptr_equal(places.row[0].finding[0], &f.report->findings[0]);
        ps_places_clear(&places);
        late_sender_clear(&f);
}

/* -- baseline -- */

static char *write_file(const char *text)
{
        static char path[64];

        strcpy(path, "/tmp/patscan-baseline-XXXXXX");
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
        close(fd);
        return path;
}

static ps_status read_baseline(ps_baseline *out, const char *text, ps_error *err)
{
        const char *path = write_file(text);
        ps_status status = ps_baseline_read(out, path, err);

        unlink(path);
        return status;
}

TEST(a_report_is_its_own_baseline)
{
        late_sender f;
        ps_output *out;
        ps_baseline baseline;

        late_sender_report(&f, &late_sender_plain);
        assert_int_equal(read_baseline(&baseline, json_text(&out, f.report), NULL), PS_OK);
        assert_int_equal(baseline.findings.n, 1);
        assert_int_equal(ps_baseline_mark(&baseline, f.report), 0);
        assert_false(f.report->findings[0].is_new);
        baseline.findings.site[0]++;
        assert_int_equal(ps_baseline_mark(&baseline, f.report), 1);
        assert_true(f.report->findings[0].is_new);
        ps_baseline_clear(&baseline);
        ps_output_discard(out);
        late_sender_clear(&f);
}

#define REPORT(findings) "{\"schema\": \"patscan-report-1\", \"findings\": " findings "}"

TEST(strange_baselines_are_refused)
{
        static const char *const bad[] = {"",
                                          "[]",
                                          "null",
                                          "{\"schema\": \"patscan-report-2\", \"findings\": []}",
                                          "{\"findings\": []}",
                                          "{\"schema\": 1, \"findings\": []}",
                                          "{\"schema\": \"patscan-report-1\"}",
                                          REPORT("{}"),
                                          REPORT("[1]"),
                                          REPORT("[{\"site\": \"12\"}]"),
                                          REPORT("[{\"site\": \"-123456789abcdef\"}]"),
                                          REPORT("[]") " x",
                                          REPORT("["),
                                          "\177ELF"};
        ps_baseline baseline;

        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                ps_error err = {0};
                assert_int_equal(read_baseline(&baseline, bad[i], &err), PS_E_INPUT);
                assert_non_null(strstr(err.cause[0].text, "cannot use the baseline: path="));
                assert_null(baseline.findings.site);
        }
        assert_int_equal(ps_baseline_read(&baseline, "/nowhere/at/all", NULL), PS_E_INPUT);
        assert_int_equal(ps_baseline_read(&baseline, "/", NULL), PS_E_INPUT);
        assert_int_equal(read_baseline(&baseline, REPORT("[]"), NULL), PS_OK);
        assert_int_equal(baseline.findings.n, 0);
        ps_baseline_clear(&baseline);
        assert_int_equal(read_baseline(&baseline, REPORT("[{\"site\": \"0123456789abcdef\"}]") "\n", NULL),
                         PS_OK);
        assert_true(baseline.findings.site[0] == UINT64_C(0x0123456789abcdef));
        ps_baseline_clear(&baseline);
}
