/* test_api.c - patscan.h: rows tell what the JSON report tells, and what cannot be is refused. */
#include "tests/library/api/lab.h"
#include "tests/support/json.h"
#include "tests/support/test.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int refuse(void *ctx, const char *bytes, size_t n)
{
        (void)ctx;
        (void)bytes;
        return n > 0;
}

/* -- the same numbers -- */

static void same_text(const char *told, const cJSON *object, const char *key)
{
        const cJSON *value = json_at(object, key);
        if (told)
                assert_string_equal(told, value->valuestring);
        else
                assert_true(cJSON_IsNull(value));
}

static void same_index(uint32_t told, const cJSON *object, const char *key)
{
        const cJSON *value = json_at(object, key);
        if (told == PATSCAN_NONE)
                assert_true(cJSON_IsNull(value));
        else
                assert_int_equal(told, value->valueint);
}

static void same_findings(const patscan_analysis *a, const cJSON *rows)
{
        assert_int_equal(patscan_finding_count(a), cJSON_GetArraySize(rows));
        for (int i = 0; i < cJSON_GetArraySize(rows); i++) {
                const patscan_finding_row *f = patscan_finding(a, (size_t)i);
                const cJSON *row = cJSON_GetArrayItem(rows, i), *worst = json_at(row, "worst");
                same_text(f->id, row, "id");
                same_text(f->site, row, "site");
                same_text(f->type, row, "type");
                same_text(f->file, row, "file");
                same_text(f->function, row, "function");
                same_text(f->line_source, row, "line_source");
                same_text(f->confidence, row, "confidence");
                same_text(f->comment, row, "comment");
                same_text(f->advice, row, "advice");
                same_index(f->process, row, "process");
                same_index(f->location, row, "location");
                api_same_number((double)f->count, row, "count");
                api_same_number(f->lost_s, row, "lost_s");
                api_same_number(f->gain_s, row, "gain_s");
                api_same_number(f->fix_gain_s, row, "fix_gain_s");
                api_same_number(f->worst_lost_s, worst, "lost_s");
                same_index(f->partner_process, worst, "partner_process");
                if (f->line)
                        same_index(f->line, row, "line");
        }
        assert_null(patscan_finding(a, patscan_finding_count(a)));
}

static void same_causes(const patscan_analysis *a, const cJSON *rows)
{
        assert_int_equal(patscan_cause_count(a), cJSON_GetArraySize(rows));
        for (int i = 0; i < cJSON_GetArraySize(rows); i++) {
                const patscan_cause_row *c = patscan_cause(a, (size_t)i);
                const cJSON *row = cJSON_GetArrayItem(rows, i), *fixes = json_at(row, "fixes");
                same_text(c->id, row, "id");
                same_text(c->why, row, "why");
                same_text(c->function, row, "function");
                same_index(c->process, row, "process");
                api_same_number(c->excess_s, row, "excess_s");
                api_same_number(c->waiting_s, row, "waiting_s");
                api_same_number(c->direct_s, row, "direct_s");
                api_same_number(c->indirect_s, row, "indirect_s");
                assert_int_equal(c->fix != NULL, cJSON_GetArraySize(fixes) > 0);
                if (c->fix) {
                        same_text(c->fix, fixes->child, "edit");
                        api_same_number(c->fix_gain_s, fixes->child, "gain_s");
                        api_same_number(c->fix_run_s, fixes->child, "run_s");
                }
        }
}

static void same_patterns(const patscan_analysis *a, const cJSON *rows)
{
        assert_int_equal(patscan_pattern_count(a), cJSON_GetArraySize(rows));
        for (int i = 0; i < cJSON_GetArraySize(rows); i++) {
                const patscan_pattern_row *p = patscan_pattern(a, (size_t)i);
                const cJSON *row = cJSON_GetArrayItem(rows, i);
                same_text(p->id, row, "id");
                same_text(p->parent, row, "parent");
                api_same_number(p->lost_s, row, "lost_s");
                api_same_number(p->total_s, row, "total_s");
        }
}

static void same_functions(const patscan_analysis *a, const cJSON *rows)
{
        assert_int_equal(patscan_function_count(a), cJSON_GetArraySize(rows));
        for (int i = 0; i < cJSON_GetArraySize(rows); i++) {
                const patscan_function_row *f = patscan_function(a, (size_t)i);
                const cJSON *row = cJSON_GetArrayItem(rows, i);
                same_text(f->function, row, "function");
                api_same_number(f->exclusive_s, row, "exclusive_s");
                api_same_number(f->inclusive_s, row, "inclusive_s");
                api_same_number(f->waiting_s, row, "waiting_s");
                same_index(f->max_process, row, "max_process");
        }
}

static void same_times(const patscan_analysis *a, const cJSON *rows)
{
        assert_int_equal(patscan_time_count(a), cJSON_GetArraySize(rows));
        for (int i = 0; i < cJSON_GetArraySize(rows); i++) {
                const cJSON *row = cJSON_GetArrayItem(rows, i);
                same_text(patscan_time(a, (size_t)i)->kind, row, "kind");
                api_same_number(patscan_time(a, (size_t)i)->time_s, row, "time_s");
        }
}

TEST(rows_of_an_analysis_are_those_of_the_json_report)
{
        patscan_trace *trace = api_open_demo();
        patscan_analysis *a = api_analyze(trace, NULL);
        cJSON *root = api_report_of(a);
        const cJSON *efficiency = json_at(root, "efficiency");
        same_findings(a, json_at(root, "findings"));
        same_causes(a, json_at(root, "causes"));
        same_patterns(a, json_at(root, "patterns"));
        same_functions(a, json_at(root, "functions"));
        same_times(a, json_at(root, "time"));
        api_same_number(patscan_efficiency(a)->parallel, efficiency, "parallel");
        api_same_number(patscan_efficiency(a)->transfer, efficiency, "transfer");
        assert_true(patscan_finding_count(a) > 0 && patscan_cause_count(a) > 0);
        cJSON_Delete(root);
        patscan_analysis_free(a);
        patscan_close(trace);
}

TEST(a_trace_is_told_down_to_its_operations)
{
        patscan_trace *trace = api_open_demo();
        const patscan_summary_row *sum = patscan_summary(trace);
        uint64_t operations = 0, events = 0;
        assert_int_equal(patscan_process_count(trace), sum->processes);
        assert_int_equal(patscan_location_count(trace), sum->locations);
        assert_int_equal(patscan_message_count(trace), sum->messages);
        assert_int_equal(patscan_collective_count(trace), sum->collectives);
        for (size_t l = 0; l < patscan_location_count(trace); l++) {
                double last = 0;
                operations += patscan_operation_count(trace, l);
                events += patscan_location(trace, l)->events;
                for (size_t i = 0; i < patscan_operation_count(trace, l); i++) {
                        const patscan_operation_row *op = patscan_operation(trace, l, i);
                        assert_true(op->begin_s >= last && op->end_s >= op->begin_s);
                        assert_true(op->callpath < patscan_callpath_count(trace));
                        last = op->begin_s;
                }
        }
        assert_int_equal(operations, sum->operations);
        assert_int_equal(events, sum->events);
        assert_null(patscan_operation(trace, 0, patscan_operation_count(trace, 0)));
        assert_null(patscan_operation(trace, 1000, 0));
        patscan_close(trace);
}

TEST(messages_name_both_of_their_ends)
{
        patscan_trace *trace = api_open_demo();
        for (size_t i = 0; i < patscan_message_count(trace); i++) {
                const patscan_message_row *m = patscan_message(trace, i);
                const patscan_operation_row *send = patscan_operation(trace, m->sender, m->send),
                                            *receive = patscan_operation(trace, m->receiver, m->receive);
                assert_int_equal(send->peer, m->receiver);
                assert_int_equal(send->peer_operation, m->receive);
                assert_int_equal(receive->peer, m->sender);
                assert_int_equal(receive->tag, m->tag);
                assert_true(m->receive_s >= m->send_s);
        }
        assert_null(patscan_message(trace, patscan_message_count(trace)));
        patscan_close(trace);
}

TEST(call_paths_lead_up_to_the_root)
{
        patscan_trace *trace = api_open_demo();
        assert_int_equal(patscan_callpath(trace, 0)->parent, PATSCAN_NONE);
        for (size_t i = 1; i < patscan_callpath_count(trace); i++) {
                const patscan_callpath_row *path = patscan_callpath(trace, i);
                assert_true(path->parent < i);
                assert_int_equal(path->depth, patscan_callpath(trace, path->parent)->depth + 1);
                assert_string_equal(path->name, patscan_region(trace, path->region)->name);
        }
        patscan_close(trace);
}

/* -- limits, messages, comparisons -- */

static void hear(void *ctx, patscan_message_kind kind, const char *words)
{
        assert_true(strlen(words) > 0);
        ((unsigned *)ctx)[kind]++;
}

TEST(limits_are_judged_and_the_listener_hears_of_them)
{
        unsigned heard[3] = {0};
        const patscan_open_options how = {.size = sizeof(how), .listener = hear, .listener_ctx = heard};
        const patscan_analyze_options what = {.size = sizeof(what),
                                              .fail_on = {"total>0.001%", "late-broadcast>99%"}};
        patscan_trace *trace = NULL;
        assert_int_equal(patscan_open(&trace, api_demo, &how, NULL), PATSCAN_OK);
        patscan_analysis *a = api_analyze(trace, &what);
        assert_int_equal(patscan_limit_count(a), 2);
        assert_string_equal(patscan_limit(a, 0)->verdict, "exceeded");
        assert_string_equal(patscan_limit(a, 1)->verdict, "kept");
        assert_int_equal(patscan_judge(a), PATSCAN_VERDICT_EXCEEDED);
        assert_int_equal(heard[PATSCAN_MESSAGE_LIMIT], 1);
        assert_true(heard[PATSCAN_MESSAGE_NOTE] > 0);
        patscan_analysis_free(a);
        patscan_close(trace);
}

TEST(a_run_is_the_same_as_itself)
{
        char path[] = "traces/demo"; /* gone before the report is asked for */
        const char *runs[] = {path};
        const patscan_compare_options options = {.size = sizeof(options), .tolerance = "1%"};
        patscan_comparison *c = NULL;
        patscan_error err = {0};
        api_text json = {NULL, 0};
        assert_int_equal(patscan_compare(&c, runs, 1, runs, 1, &options, NULL, NULL, &err), PATSCAN_OK);
        memset(path, 'x', strlen(path));
        assert_true(patscan_comparison_sums(c)->error == 0);
        assert_int_equal(patscan_comparison_judge(c), PATSCAN_VERDICT_OK);
        assert_int_equal(patscan_comparison_report(c, "json", NULL, api_gather, &json, &err), PATSCAN_OK);
        cJSON *root = cJSON_Parse(json.bytes);
        assert_string_equal(json_at(json_at(root, "measured"), "path")->valuestring, api_demo);
        cJSON_Delete(root);
        free(json.bytes);
        patscan_comparison_free(c);
        assert_int_equal(patscan_compare(&c, runs, 1, runs, 0, NULL, NULL, NULL, &err), PATSCAN_E_USAGE);
        assert_null(c);
}

/* -- what cannot be -- */

TEST(what_cannot_be_is_refused_before_anything_is_read)
{
        const patscan_analyze_options wrong[] = {{.size = sizeof(*wrong), .epsilon = "much"},
                                                 {.size = sizeof(*wrong), .definitions = "mine"},
                                                 {.size = sizeof(*wrong), .only = {"no-such-pattern"}},
                                                 {.size = sizeof(*wrong), .reports = {"doc"}},
                                                 {.size = 3}};
        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
                patscan_error err = {0};
                assert_int_equal(patscan_analyze_check(&wrong[i], NULL, &err), PATSCAN_E_USAGE);
                assert_true(err.n_causes > 0);
        }
        int lean = 0;
        const patscan_analyze_options plain = {.size = sizeof(plain), .reports = {"csv"}};
        assert_int_equal(patscan_analyze_check(&plain, &lean, NULL), PATSCAN_OK);
        assert_true(lean);
        assert_int_equal(patscan_analyze_check(NULL, &lean, NULL), PATSCAN_OK);
        assert_false(lean);
}

TEST(options_of_an_older_version_end_earlier)
{
        /* What stands behind the size that it tells is not looked at. */
        patscan_analyze_options old = {.size = offsetof(patscan_analyze_options, definitions),
                                       .epsilon = "0.1%",
                                       .definitions = "from a later version"};
        assert_int_equal(patscan_analyze_check(&old, NULL, NULL), PATSCAN_OK);
        old.size = sizeof(old);
        assert_int_equal(patscan_analyze_check(&old, NULL, NULL), PATSCAN_E_USAGE);
}

TEST(failures_leave_nothing_and_say_why)
{
        patscan_trace *trace = (patscan_trace *)(uintptr_t)1;
        patscan_error err = {0};
        char room[512], small[8];
        assert_int_equal(patscan_open(&trace, "/nonexistent/traces.otf2", NULL, &err), PATSCAN_E_INPUT);
        assert_null(trace);
        assert_non_null(strstr(patscan_error_text(&err, room, sizeof(room)), "/nonexistent"));
        assert_int_equal(strlen(patscan_error_text(&err, small, sizeof(small))), 7);
        trace = api_open_demo();
        patscan_analysis *a = api_analyze(trace, NULL);
        assert_int_equal(patscan_report(a, "json", NULL, refuse, NULL, &err), PATSCAN_E_OUTPUT);
        assert_int_equal(patscan_report(a, "no-such", NULL, api_gather, NULL, &err), PATSCAN_E_USAGE);
        assert_int_equal(patscan_report(a, "csv.no-such", NULL, api_gather, NULL, &err), PATSCAN_E_USAGE);
        patscan_analysis_free(a);
        const char *const wrong[] = {"no-such-edit*2"};
        patscan_prediction *p = NULL;
        assert_int_equal(patscan_predict(&p, trace, NULL, wrong, 1, &err), PATSCAN_E_USAGE);
        assert_null(p);
        patscan_close(trace);
        patscan_close(NULL);
        patscan_analysis_free(NULL);
        patscan_prediction_free(NULL);
        patscan_comparison_free(NULL);
        patscan_machine_free(NULL);
}

static int stop(void *ctx, uint64_t done, uint64_t total)
{
        (void)done;
        (void)total;
        ++*(int *)ctx;
        return 1;
}

struct heard {
        unsigned calls;
        uint64_t done, total;
};

static int hear_progress(void *ctx, uint64_t done, uint64_t total)
{
        struct heard *heard = ctx;
        assert_true(done >= heard->done && done <= total);
        assert_true(!heard->calls || total == heard->total);
        *heard = (struct heard){heard->calls + 1, done, total};
        return 0;
}

TEST(progress_counts_the_analysis)
{
        struct heard heard = {0};
        const patscan_analyze_options what = {
                .size = sizeof(what), .progress = hear_progress, .progress_ctx = &heard};
        patscan_trace *trace = api_open_demo();
        patscan_analysis_free(api_analyze(trace, &what));
        assert_true(heard.calls > 3);
        assert_int_equal(heard.done, heard.total);
        patscan_close(trace);
}

TEST(progress_may_stop_an_analysis)
{
        int calls = 0;
        const patscan_analyze_options what = {.size = sizeof(what), .progress = stop, .progress_ctx = &calls};
        patscan_trace *trace = api_open_demo();
        patscan_analysis *a = NULL;
        assert_int_equal(patscan_analyze(&a, trace, &what, NULL), PATSCAN_E_CANCELLED);
        assert_int_equal(calls, 1);
        assert_null(a);
        patscan_close(trace);
}

TEST(progress_may_stop_a_load)
{
        int calls = 0;
        const patscan_open_options how = {.size = sizeof(how), .progress = stop, .progress_ctx = &calls};
        patscan_trace *trace = NULL;
        assert_int_equal(patscan_open(&trace, api_demo, &how, NULL), PATSCAN_E_CANCELLED);
        assert_int_equal(calls, 1);
        assert_null(trace);
}

/* -- several threads -- */

static void *read_all_findings(void *ctx)
{
        const patscan_analysis *a = ctx;
        double *sum = calloc(1, sizeof(*sum));
        for (size_t i = 0; i < patscan_finding_count(a); i++)
                *sum += patscan_finding(a, i)->lost_s;
        return sum;
}

TEST(threads_may_read_rows_of_one_analysis)
{
        enum { THREADS = 4 };
        patscan_trace *trace = api_open_demo();
        patscan_analysis *a = api_analyze(trace, NULL);
        pthread_t thread[THREADS];
        double *sum[THREADS];
        for (int i = 0; i < THREADS; i++)
                assert_int_equal(pthread_create(&thread[i], NULL, read_all_findings, a), 0);
        for (int i = 0; i < THREADS; i++)
                pthread_join(thread[i], (void **)&sum[i]);
        for (int i = 0; i < THREADS; i++)
                assert_true(*sum[i] == *sum[0] && *sum[i] > 0);
        for (int i = 0; i < THREADS; i++)
                free(sum[i]);
        patscan_analysis_free(a);
        patscan_close(trace);
}

TEST(all_formats_are_written)
{
        patscan_trace *trace = api_open_demo();
        patscan_analysis *a = api_analyze(trace, NULL);
        for (size_t i = 0; i < patscan_choice_count(PATSCAN_CHOICES_REPORT); i++) {
                api_text out = {NULL, 0};
                patscan_error err = {0};
                if (patscan_report(a, patscan_choice(PATSCAN_CHOICES_REPORT, i).name, NULL, api_gather, &out,
                                   &err) != PATSCAN_OK)
                        fail_msg("%s: %s", patscan_choice(PATSCAN_CHOICES_REPORT, i).name, err.cause[0].text);
                assert_true(out.n > 0);
                free(out.bytes);
        }
        api_text info = {NULL, 0};
        assert_int_equal(patscan_info(trace, "json", NULL, NULL, api_gather, &info, NULL), PATSCAN_OK);
        cJSON *root = cJSON_Parse(info.bytes);
        api_same_number((double)patscan_summary(trace)->messages, json_at(root, "trace"), "messages");
        cJSON_Delete(root);
        free(info.bytes);
        assert_int_equal(patscan_summary(trace)->verdict, PATSCAN_VERDICT_OK);
        patscan_analysis_free(a);
        patscan_close(trace);
}
