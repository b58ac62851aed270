/* test_predictions.c - runs that were predicted by patscan.h. */
#include "tests/library/api/lab.h"
#include "tests/support/json.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST(a_prediction_gives_an_analysis)
{
        const char *const edits[] = {"region:relax*0.5"};
        patscan_trace *trace = api_open_demo();
        patscan_prediction *as_it_was = NULL, *faster = NULL;
        patscan_analysis *a = NULL;
        patscan_error err = {0};
        double measured = patscan_summary(trace)->duration_s;
        assert_int_equal(patscan_predict(&as_it_was, trace, NULL, NULL, 0, &err), PATSCAN_OK);
        assert_int_equal(patscan_predict(&faster, trace, NULL, edits, 1, &err), PATSCAN_OK);
        assert_true(fabs(patscan_prediction_duration_s(as_it_was) / measured - 1) < 0.01);
        assert_true(patscan_prediction_duration_s(faster) < 0.7 * measured);
        assert_int_equal(patscan_prediction_analyze(&a, faster, NULL, &err), PATSCAN_OK);
        cJSON *root = api_report_of(a);
        assert_string_equal(json_at(root, "timing")->valuestring, "predicted");
        api_same_number(patscan_prediction_duration_s(faster), json_at(root, "trace"), "duration_s");
        assert_int_equal(patscan_finding_count(a), cJSON_GetArraySize(json_at(root, "findings")));
        cJSON_Delete(root);
        patscan_analysis_free(a);
        patscan_prediction_free(faster);
        patscan_prediction_free(as_it_was);
        patscan_close(trace);
}

static patscan_prediction *predict_with(const patscan_trace *trace, const patscan_machine *machine,
                                        const char *const *edits, size_t n,
                                        const patscan_predict_options *options)
{
        patscan_error err = {0};
        patscan_prediction *p = NULL;
        if (patscan_predict_with(&p, trace, machine, edits, n, options, NULL, &err) != PATSCAN_OK)
                fail_msg("%s", err.cause[0].text);
        return p;
}

TEST(nothing_is_predicted_without_a_trace)
{
        const char *const edits[] = {"region:relax*0.5"};
        patscan_prediction *p = NULL;
        patscan_error err = {0};
        assert_int_equal(patscan_predict(&p, NULL, NULL, edits, 1, &err), PATSCAN_E_USAGE);
        assert_null(p);
        assert_int_equal(patscan_predict_with(&p, NULL, NULL, edits, 1, NULL, NULL, &err), PATSCAN_OK);
        assert_null(p);
}

TEST(edits_with_several_values_are_as_many_predictions)
{
        patscan_trace *trace = api_open_demo();
        const char *swept[] = {"L*1,8", "bw*1,0.25"};
        const char *each[4][2] = {{"L*1", "bw*1"}, {"L*1", "bw*0.25"}, {"L*8", "bw*1"}, {"L*8", "bw*0.25"}};
        patscan_prediction *table = predict_with(trace, NULL, swept, 2, NULL);
        patscan_analysis *none = NULL;
        assert_int_equal(patscan_predicted_count(table), 4);
        assert_null(patscan_predicted(table, 4));
        assert_string_equal(patscan_predicted(table, 2)->label, "L*8 bw*1");
        for (size_t i = 0; i < 4; i++) {
                const patscan_predicted_row *row = patscan_predicted(table, i);
                patscan_prediction *alone = predict_with(trace, NULL, each[i], 2, NULL);
                assert_null(patscan_predicted(alone, 0)->label);
                assert_true(row->duration_s == patscan_prediction_duration_s(alone));
                assert_true(row->focus_s == patscan_predicted(alone, 0)->focus_s);
                patscan_prediction_free(alone);
        }
        api_text out = {NULL, 0};
        assert_int_equal(patscan_prediction_analyze(&none, table, NULL, NULL), PATSCAN_E_USAGE);
        assert_int_equal(patscan_prediction_report(table, "sarif", NULL, api_gather, &out, NULL),
                         PATSCAN_E_USAGE);
        assert_int_equal(patscan_prediction_report(table, "csv", NULL, api_gather, &out, NULL), PATSCAN_OK);
        assert_non_null(strstr(out.bytes, "0.25"));
        assert_int_equal(patscan_prediction_judge(table), PATSCAN_VERDICT_OK);
        free(out.bytes);
        patscan_prediction_free(table);
        patscan_close(trace);
}

TEST(a_program_runs_on_grids)
{
        const patscan_open_options how = {.size = sizeof(how), .for_programs = 1};
        const patscan_predict_options many = {.size = sizeof(many), .grid = "1x2,2x2"},
                                      one = {.size = sizeof(one), .grid = "1x2"};
        const char *slower[] = {"L*2"};
        patscan_trace *trace = NULL, *demos = api_open_demo();
        patscan_machine *machine = NULL;
        patscan_analysis *a = NULL;
        patscan_prediction *p = NULL;
        assert_int_equal(patscan_open(&trace, "tests/fuzz/corpus/dvm/jacobi", &how, NULL), PATSCAN_OK);
        assert_int_equal(patscan_machine_open(&machine, "bus", NULL), PATSCAN_OK);
        patscan_prediction *table = predict_with(trace, machine, NULL, 0, &many);
        patscan_prediction *alone = predict_with(trace, machine, NULL, 0, &one);
        patscan_prediction *edited = predict_with(trace, machine, slower, 1, &one);
        assert_int_equal(patscan_predicted_count(table), 2);
        assert_int_equal(patscan_predicted(table, 0)->processes, 2);
        assert_true(patscan_predicted(table, 0)->duration_s == patscan_prediction_duration_s(alone));
        assert_true(patscan_prediction_duration_s(edited) > patscan_prediction_duration_s(alone));
        assert_int_equal(patscan_prediction_analyze(&a, alone, NULL, NULL), PATSCAN_OK);
        cJSON *root = api_report_of(a);
        api_same_number(patscan_prediction_duration_s(alone), json_at(root, "trace"), "duration_s");
        assert_int_equal(patscan_judge(a), PATSCAN_VERDICT_OK);
        assert_int_equal(patscan_predict_with(&p, demos, machine, NULL, 0, &one, NULL, NULL),
                         PATSCAN_E_USAGE);
        assert_int_equal(patscan_predict(&p, trace, NULL, NULL, 0, NULL), PATSCAN_E_USAGE);
        cJSON_Delete(root);
        patscan_analysis_free(a);
        patscan_prediction_free(table);
        patscan_prediction_free(alone);
        patscan_prediction_free(edited);
        patscan_machine_free(machine);
        patscan_close(trace);
        patscan_close(demos);
}

TEST(a_machine_serves_many_predictions)
{
        const char *const slow[] = {"L*1000"};
        patscan_trace *trace = api_open_demo();
        patscan_machine *machine = NULL;
        double length[3];
        assert_int_equal(patscan_machine_open(&machine, "ethernet-10g", NULL), PATSCAN_OK);
        assert_non_null(patscan_choice(PATSCAN_CHOICES_MACHINE, 0).source);
        assert_null(
                patscan_choice(PATSCAN_CHOICES_MACHINE, patscan_choice_count(PATSCAN_CHOICES_MACHINE)).name);
        for (int i = 0; i < 3; i++) {
                patscan_prediction *p = NULL;
                patscan_error err = {0};
                if (patscan_predict(&p, trace, machine, slow, i == 1, &err) != PATSCAN_OK)
                        fail_msg("%s", err.cause[0].text);
                length[i] = patscan_prediction_duration_s(p);
                patscan_prediction_free(p);
        }
        assert_true(length[1] != length[0] && length[2] == length[0]);
        patscan_machine_free(machine);
        patscan_close(trace);
}
