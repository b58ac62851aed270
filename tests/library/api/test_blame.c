/* test_blame.c - rows of delays and of the critical path tell what the JSON report tells. */
#include "tests/library/api/lab.h"
#include "tests/support/json.h"
#include "tests/support/test.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

/* The report has nanoseconds. */
static void same_at(double told, const cJSON *list, size_t location)
{
        assert_true(fabs(told - cJSON_GetArrayItem(list, (int)location)->valuedouble) < 1e-9);
}

static const struct {
        const char *key;
        size_t member;
} terms[] = {{"wait_s", offsetof(patscan_delay_row, wait_s)},
             {"short_s", offsetof(patscan_delay_row, short_s)},
             {"long_s", offsetof(patscan_delay_row, long_s)},
             {"propagating_s", offsetof(patscan_delay_row, propagating_s)},
             {"terminal_s", offsetof(patscan_delay_row, terminal_s)},
             {"direct_s", offsetof(patscan_delay_row, direct_s)},
             {"indirect_s", offsetof(patscan_delay_row, indirect_s)},
             {"unexplained_s", offsetof(patscan_delay_row, unexplained_s)}};

static double term_of(const patscan_delay_row *row, size_t term)
{
        double value;
        memcpy(&value, (const char *)row + terms[term].member, sizeof(value));
        return value;
}

static void same_delay(const patscan_analysis *a, size_t i, const cJSON *row, size_t n_locations)
{
        const cJSON *by_location = json_at(row, "by_location");
        assert_string_equal(patscan_delay(a, i)->family, row->string);
        for (size_t t = 0; t < sizeof(terms) / sizeof(*terms); t++) {
                api_same_number(term_of(patscan_delay(a, i), t), row, terms[t].key);
                for (size_t l = 0; l < n_locations; l++)
                        same_at(term_of(patscan_delay_at(a, i, l), t), json_at(by_location, terms[t].key), l);
        }
}

TEST(delays_are_those_of_the_json_report)
{
        patscan_trace *trace = api_open_demo();
        patscan_analysis *a = api_analyze(trace, NULL);
        cJSON *root = api_report_of(a);
        size_t n = patscan_delay_count(a), n_locations = patscan_location_count(trace), i = 0;
        const cJSON *row;
        assert_int_equal(n, cJSON_GetArraySize(json_at(root, "delays")));
        assert_true(n > 1);
        cJSON_ArrayForEach(row, json_at(root, "delays")) same_delay(a, i++, row, n_locations);
        assert_null(patscan_delay(a, n));
        assert_null(patscan_delay_at(a, 0, n_locations));
        assert_null(patscan_delay_at(a, n, 0));
        cJSON_Delete(root);
        patscan_analysis_free(a);
        patscan_close(trace);
}

/* Each process of the demo is one location. */
TEST(the_critical_path_is_that_of_the_json_report)
{
        patscan_trace *trace = api_open_demo();
        patscan_analysis *a = api_analyze(trace, NULL);
        cJSON *root = api_report_of(a);
        size_t n = patscan_critical_count(a), n_locations = patscan_location_count(trace), i = 0;
        const cJSON *rows = json_at(json_at(root, "critical_path"), "rows"), *row;
        assert_int_equal(n, cJSON_GetArraySize(rows));
        assert_true(n > 1);
        cJSON_ArrayForEach(row, rows)
        {
                const patscan_critical_row *c = patscan_critical(a, i);
                assert_string_equal(c->function, json_at(row, "function")->valuestring);
                assert_string_equal(c->file, json_at(row, "file")->valuestring);
                api_same_number(c->line, row, "line");
                api_same_number(c->time_s, row, "time_s");
                api_same_number(c->share, row, "share");
                api_same_number(c->imbalance_s, row, "imbalance_s");
                assert_int_equal(patscan_callpath(trace, c->callpath)->depth,
                                 cJSON_GetArraySize(json_at(row, "callpath")));
                for (size_t l = 0; l < n_locations; l++)
                        same_at(patscan_critical_at_s(a, i, l), json_at(row, "by_process"), l);
                i++;
        }
        assert_null(patscan_critical(a, n));
        assert_true(isnan(patscan_critical_at_s(a, 0, n_locations)));
        assert_true(isnan(patscan_critical_at_s(a, n, 0)));
        cJSON_Delete(root);
        patscan_analysis_free(a);
        patscan_close(trace);
}

TEST(steps_of_the_critical_path_fill_the_focus_and_add_up_to_its_rows)
{
        enum { LOCATIONS = 4 };
        patscan_trace *trace = api_open_demo();
        patscan_analysis *a = api_analyze(trace, NULL);
        const patscan_summary_row *sum = patscan_summary(trace);
        double at = sum->focus_begin_s, left[LOCATIONS] = {0};
        assert_int_equal(patscan_location_count(trace), LOCATIONS);
        for (size_t i = 0; i < patscan_critical_count(a); i++)
                for (size_t l = 0; l < LOCATIONS; l++)
                        left[l] += patscan_critical_at_s(a, i, l);
        for (size_t i = 0; i < patscan_critical_step_count(a); i++) {
                const patscan_critical_step_row *step = patscan_critical_step(a, i);
                assert_true(fabs(step->begin_s - at) < 1e-12 && step->end_s > step->begin_s);
                left[step->location] -= step->end_s - step->begin_s;
                at = step->end_s;
        }
        assert_true(fabs(at - sum->focus_end_s) < 1e-12);
        for (int l = 0; l < LOCATIONS; l++)
                assert_true(fabs(left[l]) < 1e-12);
        assert_null(patscan_critical_step(a, patscan_critical_step_count(a)));
        patscan_analysis_free(a);
        patscan_close(trace);
}

TEST(without_causes_there_is_nobody_to_tell_of)
{
        const patscan_analyze_options what = {.size = sizeof(what), .causes = "none"};
        patscan_trace *trace = api_open_demo();
        patscan_analysis *a = api_analyze(trace, &what);
        assert_int_equal(patscan_cause_count(a), 0);
        assert_int_equal(patscan_delay_count(a), 0);
        assert_int_equal(patscan_critical_count(a), 0);
        assert_int_equal(patscan_critical_step_count(a), 0);
        assert_null(patscan_delay_at(a, 0, 0));
        patscan_analysis_free(a);
        patscan_close(trace);
}
