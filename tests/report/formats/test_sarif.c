/* test_sarif.c - the structure of a SARIF log: what viewers and scanning services look at. */
#include "tests/report/formats/lab.h"
#include "tests/support/test.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEFT_OUT = 3, LIMIT = 5000 };

/* The item at "key|0|key" below `item`. */
static const cJSON *at(const cJSON *item, const char *path)
{
        char key[64];

        while (*path) {
                size_t n = strcspn(path, "|");
                snprintf(key, sizeof(key), "%.*s", (int)n, path);
                item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(key))
                                           : cJSON_GetObjectItemCaseSensitive(item, key);
                if (!item)
                        fail_msg("nothing at \"%s\"", path);
                path += n + (path[n] != '\0');
        }
        return item;
}

static const char *text_at(const cJSON *item, const char *path)
{
        const char *text = cJSON_GetStringValue(at(item, path));

        if (!text)
                fail_msg("no text at \"%s\"", path);
        return text;
}

static int number_at(const cJSON *item, const char *path)
{
        assert_true(cJSON_IsNumber(at(item, path)));
        return at(item, path)->valueint;
}

static int has(const cJSON *item, const char *key)
{
        return cJSON_GetObjectItemCaseSensitive(item, key) != NULL;
}

/* The parsed log, which the caller deletes. */
static cJSON *log_of(report_lab *lab)
{
        ps_output *out;
        const char *written = report_lab_write(lab, &out, ps_report_write_sarif);
        cJSON *log = cJSON_ParseWithOpts(written, NULL, 1);

        assert_non_null(log);
        ps_output_discard(out);
        return log;
}

static void check_region(const cJSON *physical, int line, int column, int column_end)
{
        assert_int_equal(number_at(physical, "region|startLine"), line);
        assert_int_equal(number_at(physical, "region|endLine"), line);
        assert_int_equal(number_at(physical, "region|startColumn"), column);
        assert_int_equal(number_at(physical, "region|endColumn"), column_end);
}

TEST(a_run_names_its_tool_and_rules)
{
        report_lab lab;
        cJSON *log;
        const cJSON *run, *rule;
        const char *root;

        report_lab_open(&lab, &(lab_names){0});
        log = log_of(&lab);
        run = at(log, "runs|0");
        assert_string_equal(text_at(log, "version"), "2.1.0");
        assert_non_null(strstr(text_at(log, "$schema"), "sarif-schema-2.1.0.json"));
        assert_string_equal(text_at(run, "tool|driver|name"), "patscan");
        assert_string_equal(text_at(run, "tool|driver|semanticVersion"), patscan_version());
        assert_int_equal(cJSON_GetArraySize(at(run, "tool|driver|rules")), ps_pattern_count());
        rule = cJSON_GetArrayItem(at(run, "tool|driver|rules"), (int)ps_pattern_find("late-sender"));
        assert_string_equal(text_at(rule, "id"), "late-sender");
        assert_string_equal(text_at(rule, "shortDescription|text"), "Late sender");
        assert_non_null(strstr(text_at(rule, "help|markdown"),
                               ps_pattern_formula(ps_pattern_find("late-sender"))->loss));
        root = text_at(run, "originalUriBaseIds|SRCROOT|uri");
        assert_memory_equal(root, "file:///", 8);
        assert_int_equal(root[strlen(root) - 1], '/');
        assert_string_equal(text_at(run, "invocations|0|workingDirectory|uri"), root);
        assert_true(cJSON_IsTrue(at(run, "invocations|0|executionSuccessful")));
        assert_string_equal(text_at(run, "automationDetails|id"), "patscan/heat.otf2/");
        assert_string_equal(text_at(run, "artifacts|0|location|uri"), "run/heat.otf2");
        assert_string_equal(text_at(run, "artifacts|0|roles|0"), "analysisTarget");
        assert_string_equal(text_at(run, "artifacts|1|location|uri"), "src/heat.c");
        assert_string_equal(text_at(run, "artifacts|1|location|uriBaseId"), "SRCROOT");
        cJSON_Delete(log);
        report_lab_close(&lab);
}

/* 2.6 s of 40 s. */
TEST(a_result_has_its_place_and_message)
{
        report_lab lab;
        cJSON *log;
        const cJSON *result, *physical;

        report_lab_open(&lab, &(lab_names){0});
        log = log_of(&lab);
        assert_int_equal(cJSON_GetArraySize(at(log, "runs|0|results")), 3);
        result = at(log, "runs|0|results|0");
        assert_string_equal(text_at(result, "ruleId"), "late-sender");
        assert_int_equal(number_at(result, "ruleIndex"), ps_pattern_find("late-sender"));
        assert_string_equal(text_at(result, "level"), "warning");
        assert_string_equal(
                text_at(result, "message|text"),
                "Late sender: 2.6 s lost (6.5 %) in 5 calls of MPI_Recv on ranks 1, 3. "
                "Most on rank 1: Rank 0 was late. Rank 0 [sent the message here (one of 2 such calls)](1).");
        assert_non_null(
                strstr(text_at(result, "message|markdown"),
                       "**Late sender**: 2.6 s lost (6.5 %) in 5 calls of `MPI_Recv` on ranks 1, 3.\n\n"
                       " Most on rank 1: Rank 0 was late. Rank 0 [sent the message here (one of 2 such "
                       "calls)](1).\n\n"));
        physical = at(result, "locations|0|physicalLocation");
        assert_string_equal(text_at(physical, "artifactLocation|uri"), "src/heat.c");
        assert_string_equal(text_at(physical, "artifactLocation|uriBaseId"), "SRCROOT");
        assert_int_equal(number_at(physical, "artifactLocation|index"), 1);
        check_region(physical, 42, 9, 17);
        assert_string_equal(text_at(result, "locations|0|logicalLocations|0|fullyQualifiedName"),
                            "main > exchange > MPI_Recv");
        assert_int_equal(cJSON_GetArraySize(at(result, "relatedLocations")), 1);
        assert_int_equal(number_at(result, "relatedLocations|0|id"), 1);
        check_region(at(result, "relatedLocations|0|physicalLocation"), 40, 1, 1);
        assert_int_equal(number_at(result, "occurrenceCount"), 5);
        assert_true(at(result, "rank")->valuedouble == 6.5);
        assert_string_equal(text_at(result, "partialFingerprints|patscan/v1"), lab.rows[0].site);
        assert_false(has(at(result, "partialFingerprints"), "primaryLocationLineHash"));
        assert_false(has(result, "baselineState"));
        assert_string_equal(text_at(result, "properties|ranks"), "ranks 1, 3");
        assert_string_equal(text_at(result, "properties|line_source"), "unique-call");
        cJSON_Delete(log);
        report_lab_close(&lab);
}

TEST(the_flow_is_one_thread_in_the_order_of_time)
{
        report_lab lab;
        cJSON *log;
        const cJSON *steps;
        const char *messages[] = {"rank 1 at 1 s: begins to wait in MPI_Recv",
                                  "rank 0 at 2.5 s: enters MPI_Send",
                                  "rank 1 at 2.5 s: ends its wait in MPI_Recv"};
        const int lines[] = {42, 40, 42};

        report_lab_open(&lab, &(lab_names){0});
        log = log_of(&lab);
        assert_int_equal(cJSON_GetArraySize(at(log, "runs|0|results|0|codeFlows")), 1);
        assert_int_equal(cJSON_GetArraySize(at(log, "runs|0|results|0|codeFlows|0|threadFlows")), 1);
        steps = at(log, "runs|0|results|0|codeFlows|0|threadFlows|0|locations");
        assert_int_equal(cJSON_GetArraySize(steps), 3);
        for (int i = 0; i < 3; i++) {
                const cJSON *step = cJSON_GetArrayItem(steps, i);
                assert_string_equal(text_at(step, "location|message|text"), messages[i]);
                assert_int_equal(number_at(step, "location|physicalLocation|region|startLine"), lines[i]);
                assert_int_equal(number_at(step, "executionOrder"), i + 1);
        }
        cJSON_Delete(log);
        report_lab_close(&lab);
}

TEST(candidates_and_what_has_no_line)
{
        report_lab lab;
        cJSON *log;
        const cJSON *result;

        report_lab_open(&lab, &(lab_names){0});
        lab.report.settings.baseline = "old.json";
        lab.rows[1].is_new = 1;
        log = log_of(&lab);
        result = at(log, "runs|0|results|1");
        assert_string_equal(text_at(result, "baselineState"), "new");
        assert_non_null(strstr(
                text_at(result, "message|text"),
                "Rank 2 [received the message here](1). The call may also be the one in [line 51](2)."));
        assert_int_equal(number_at(result, "relatedLocations|1|id"), 2);
        check_region(at(result, "relatedLocations|1|physicalLocation"), 51, 1, 1);
        result = at(log, "runs|0|results|2");
        assert_string_equal(text_at(result, "level"), "note");
        assert_string_equal(text_at(result, "baselineState"), "unchanged");
        assert_string_equal(text_at(result, "locations|0|physicalLocation|artifactLocation|uri"),
                            "run/heat.otf2");
        assert_false(has(at(result, "locations|0|physicalLocation"), "region"));
        assert_false(has(result, "codeFlows"));
        assert_false(has(result, "relatedLocations"));
        cJSON_Delete(log);
        report_lab_close(&lab);
}

/* The file is one of the published examples of the hash: its line 3 is "  \t\tc", of five characters. */
TEST(a_file_that_is_here)
{
        char folder[] = "/tmp/patscan sarif XXXXXX", path[64];
        report_lab lab;
        cJSON *log;
        const cJSON *result;
        FILE *file;

        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof(path), "%s/a.c", folder);
        file = fopen(path, "w");
        assert_non_null(file);
        fputs(" a\nb\n  \t\tc\n d", file);
        fclose(file);
        report_lab_open(&lab, &(lab_names){.file = path});
        lab.places[LAB_RECV].line = 3;
        lab.places[LAB_RECV].column = lab.places[LAB_RECV].column_end = 0;
        log = log_of(&lab);
        result = at(log, "runs|0|results|0");
        assert_string_equal(text_at(result, "partialFingerprints|primaryLocationLineHash"),
                            "180aee12dab6264:1");
        check_region(at(result, "locations|0|physicalLocation"), 3, 1, 6);
        assert_memory_equal(text_at(result, "locations|0|physicalLocation|artifactLocation|uri"),
                            "file:///tmp/patscan%20sarif%20", 30);
        assert_false(has(at(result, "locations|0|physicalLocation|artifactLocation"), "uriBaseId"));
        cJSON_Delete(log);
        report_lab_close(&lab);
        remove(path);
        rmdir(folder);
}

/* A relative URI stays below its root, whatever a compiler wrote into the trace. */
TEST(a_file_above_the_working_folder_is_told_in_full)
{
        static const struct {
                const char *file;
                bool is_relative;
        } cases[] = {{"../elsewhere/heat.c", false},
                     {"src/../heat.c", true},
                     {"a/../../../../../../../../../../heat.c", false}};
        for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                report_lab lab;
                report_lab_open(&lab, &(lab_names){.file = cases[i].file});
                cJSON *log = log_of(&lab);
                const cJSON *file = at(log, "runs|0|results|0|locations|0|physicalLocation|artifactLocation");
                assert_null(strstr(text_at(file, "uri"), ".."));
                assert_int_equal(has(file, "uriBaseId"), cases[i].is_relative);
                assert_int_equal(strncmp(text_at(file, "uri"), "file:///", 8) != 0, cases[i].is_relative);
                cJSON_Delete(log);
                report_lab_close(&lab);
        }
}

static const lab_names hostile = {.function = "</script><img src=x>|\"'",
                                  .call = "f[x](1) {0} `b` \x01\xff\n*b*",
                                  .file = "a b/\xff\n%[c]\".c",
                                  .comment = "See [this](2), {1} and </script>\r\n`x`"};

TEST(hostile_names_break_no_message)
{
        report_lab lab;
        cJSON *log;
        const cJSON *result;

        report_lab_open(&lab, &hostile);
        log = log_of(&lab);
        result = at(log, "runs|0|results|0");
        assert_string_equal(
                text_at(result, "message|text"),
                "Late sender: 2.6 s lost (6.5 %) in 5 calls of f\\[x\\](1) {{0}} `b` "
                "\\x01\\xff\\x0a*b* on ranks 1, 3. Most on rank 1: See \\[this\\](2), {{1}} and "
                "</script>\\x0d\\x0a`x` Rank 0 [sent the message here (one of 2 such calls)](1).");
        assert_non_null(strstr(text_at(result, "message|markdown"),
                               "of <code>f&#91;x&#93;(1) &#123;0&#125; &#96;b&#96; "
                               "&#92;x01&#92;xff&#92;x0a&#42;b&#42;</code> on"));
        assert_string_equal(text_at(result, "locations|0|physicalLocation|artifactLocation|uri"),
                            "a%20b/%FF%0A%25%5Bc%5D%22.c");
        cJSON_Delete(log);
        report_lab_close(&lab);
}

/* Each finding at a line of its own, of falling losses. */
TEST(the_largest_are_kept)
{
        const uint32_t n = LIMIT + LEFT_OUT;
        report_lab lab;
        cJSON *log;
        ps_finding *found = calloc(n, sizeof(*found));
        ps_report_finding *rows = calloc(n, sizeof(*rows));
        ps_path_node *paths = calloc(n + 1, sizeof(*paths));
        ps_source_place *places = calloc(n, sizeof(*places));

        assert_true(found && rows && paths && places);
        report_lab_open(&lab, &(lab_names){0});
        for (uint32_t i = 0; i < n; i++) {
                found[i] = lab.found[0];
                found[i].path = i + 1;
                found[i].lost = (n - i) * PS_PS_PER_NS;
                rows[i] = lab.rows[0];
                rows[i].finding = &found[i];
                places[i] = *rows[i].place;
                places[i].line = i + 1;
                rows[i].place = &places[i];
                paths[i + 1] = (ps_path_node){.region = 0};
        }
        lab.trace.paths = paths;
        lab.trace.n_paths = n + 1;
        lab.report.findings = rows;
        lab.report.n_findings = n;
        log = log_of(&lab);
        assert_int_equal(cJSON_GetArraySize(at(log, "runs|0|results")), LIMIT);
        assert_string_equal(text_at(log, "runs|0|invocations|0|toolExecutionNotifications|0|message|text"),
                            "3 call sites that lose less are left out.");
        cJSON_Delete(log);
        report_lab_close(&lab);
        free(found);
        free(rows);
        free(paths);
        free(places);
}

static void validate(const lab_names *names)
{
        char path[] = "/tmp/patscan-sarif-XXXXXX", command[128];
        report_lab lab;
        ps_output *out;
        const char *written;
        int fd = mkstemp(path), status;

        assert_true(fd >= 0);
        report_lab_open(&lab, names);
        written = report_lab_write(&lab, &out, ps_report_write_sarif);
        assert_int_equal(write(fd, written, strlen(written)), strlen(written));
        close(fd);
        snprintf(command, sizeof(command), "/usr/bin/python3 tests/cli/validate_sarif.py %s", path);
        status = system(command);
        remove(path);
        ps_output_discard(out);
        report_lab_close(&lab);
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 1)) {
                print_message("skipped: no schema of SARIF, or no python3-jsonschema\n");
                skip();
        }
        assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(the_schema_holds)
{
        validate(&(lab_names){0});
        validate(&hostile);
}
