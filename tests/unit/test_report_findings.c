/* test_report_findings.c - what a report makes of an analysis: names, sums, sites, sentences, certainty; and
 * that its JSON form can be read again, by programs and as a baseline. */
#include "report/baseline.h"
#include "report/places.h"
#include "tests/support/tracegen.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Rank 1 receives before rank 0 sends. */
typedef struct shape {
        const char *file;
        uint32_t line;       /* of the receive; the send stands at 33 */
        uint32_t n_messages; /* the k-th: sent at 20 (k + 1) ms, waited for from 5 (k + 1) ms before */
        uint64_t late_us;    /* all is that much later */
} shape;

enum { SENT_AT = 33, DURATION_MS = 100 };

/* 5 ms, and 10 ms for a second message. */
#define LOST_ONE (5 * (PS_PS_PER_S / 1000))
#define LOST_TWO (15 * (PS_PS_PER_S / 1000))

static const shape plain = {"a.c", 40, 2, 0};

typedef struct fixture {
        ps_gen *gen;
        ps_trace *trace;
        ps_analysis *analysis;
        ps_sources *sources;
        ps_report *report;
} fixture;

static ps_gen *write_trace(const shape *s)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});

        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 1, 0, "main");
        for (uint32_t k = 0; k < s->n_messages; k++) {
                uint64_t sent = PS_GEN_MS(20) * (k + 1) + PS_GEN_US(s->late_us);
                ps_gen_site(g, 0, s->file, SENT_AT);
                ps_gen_send(g, 0, sent, sent + PS_GEN_US(100), 1, PS_GEN_WORLD, 7, 64);
                ps_gen_site(g, 1, s->file, s->line);
                ps_gen_enter(g, 1, sent - PS_GEN_MS(5) * (k + 1), "MPI_Recv");
                ps_gen_put(g, 1, sent + PS_GEN_US(150),
                           PS_GEN_REC_OF(RECV, .peer = 0, .comm = PS_GEN_WORLD, .tag = 7, .bytes = 64));
                ps_gen_leave(g, 1, sent + PS_GEN_US(200), "MPI_Recv");
        }
        ps_gen_leave(g, 0, PS_GEN_MS(DURATION_MS), "main");
        ps_gen_leave(g, 1, PS_GEN_MS(DURATION_MS), "main");
        ps_gen_close(g);
        return g;
}

static void load(fixture *f, const shape *s)
{
        ps_error err = {0};

        *f = (fixture){.gen = write_trace(s)};
        assert_int_equal(ps_trace_load(&f->trace, ps_gen_anchor(f->gen), NULL, &err), PS_OK);
}

/* Scalasca's definitions: no row refines a late sender by its mode. */
static void analyse(fixture *f, const ps_report_settings *settings)
{
        ps_analysis_options how = {.definitions = PS_DEFINITIONS_SCALASCA, .epsilon = 0, .n_threads = 1};
        ps_error err = {0};

        assert_int_equal(ps_analyse(&f->analysis, f->trace, &f->trace->measured, &how, &err), PS_OK);
        assert_int_equal(ps_sources_new(&f->sources, f->trace, &(ps_source_options){0}, &err), PS_OK);
        assert_int_equal(ps_report_new(&f->report, f->trace, &f->trace->measured, f->analysis, f->sources,
                                       settings, &err),
                         PS_OK);
}

static void make(fixture *f, const shape *s)
{
        load(f, s);
        analyse(f, &(ps_report_settings){.trace_path = "t.otf2"});
}

static void clear_analysis(fixture *f)
{
        ps_report_free(f->report);
        ps_sources_free(f->sources);
        ps_analysis_free(f->analysis);
}

static void clear(fixture *f)
{
        clear_analysis(f);
        ps_trace_close(f->trace);
        ps_gen_free(f->gen);
}

static void test_sums(void **state)
{
        fixture f;
        const ps_report_pattern *late = NULL;

        (void)state;
        make(&f, &plain);
        assert_int_equal(f.report->n_findings, 1);
        assert_int_equal(f.report->total, LOST_TWO);
        assert_true(f.report->total_share == 15.0 / (2 * DURATION_MS));
        assert_true(f.report->findings[0].share == 15.0 / (2 * DURATION_MS));
        for (uint32_t i = 0; i < f.report->n_patterns; i++) {
                const ps_report_pattern *row = &f.report->patterns[i];
                assert_true(row->row->definitions & PS_BY_SCALASCA);
                if (strcmp(row->row->id, "late-sender") == 0)
                        late = row;
                else
                        assert_int_equal(row->total, 0);
        }
        assert_non_null(late);
        assert_int_equal(late->count, 2);
        assert_int_equal(late->lost, LOST_TWO);
        assert_int_equal(late->by_location[0], 0);
        assert_int_equal(late->by_location[1], LOST_TWO);
        clear(&f);
}

/* Children give to their parents, and what is left out gives to nobody. */
static void test_tree(void **state)
{
        fixture f;
        uint32_t child = ps_pattern_find("late-sender-wrong-order-same-source");
        uint8_t left_out[PS_MAX_PATTERNS] = {0};
        int seen = 0;

        (void)state;
        load(&f, &plain);
        analyse(&f, &(ps_report_settings){.trace_path = "t"});
        f.analysis->lost[(size_t)child * f.analysis->n_locs] = 7;
        f.analysis->count[child] = 1;
        ps_report_free(f.report);
        assert_int_equal(ps_report_new(&f.report, f.trace, &f.trace->measured, f.analysis, f.sources,
                                       &(ps_report_settings){0}, NULL),
                         PS_OK);
        assert_int_equal(f.report->total, LOST_TWO + 7);
        for (uint32_t i = 0; i < f.report->n_patterns; i++) {
                const ps_report_pattern *row = &f.report->patterns[i];
                if (strcmp(row->row->id, "late-sender") == 0) {
                        assert_int_equal(row->lost, LOST_TWO);
                        assert_int_equal(row->total, LOST_TWO + 7);
                        assert_int_equal(row->by_location[0], 7);
                        assert_int_equal(row->total_count, 3);
                        seen++;
                } else if (strcmp(row->row->id, "late-sender-wrong-order") == 0) {
                        assert_int_equal(row->lost, 0);
                        assert_int_equal(row->total, 7);
                        assert_int_equal(row->depth, 1);
                        seen++;
                }
        }
        assert_int_equal(seen, 2);
        ps_report_free(f.report);
        left_out[ps_pattern_find("late-sender")] = 1;
        assert_int_equal(ps_report_new(&f.report, f.trace, &f.trace->measured, f.analysis, f.sources,
                                       &(ps_report_settings){.left_out = left_out}, NULL),
                         PS_OK);
        assert_int_equal(f.report->total, 7);
        assert_int_equal(f.report->n_findings, 0);
        clear(&f);
}

/* FNV-1a and splitmix64 over "main", "MPI_Recv", "late-sender", "a.c", worked out apart: saved reports hold
 * these.
 */
static void test_site_never_changes(void **state)
{
        static const shape same = {"/elsewhere/a.c", 4711, 1, 321}, moved = {"b.c", 40, 2, 0};
        fixture f;

        (void)state;
        make(&f, &plain);
        assert_string_equal(f.report->findings[0].site, "bc059bf1d317044d");
        assert_string_equal(f.report->findings[0].id, "a40b182f8682e6db");
        clear(&f);
        make(&f, &same);
        assert_string_equal(f.report->findings[0].site, "bc059bf1d317044d");
        assert_string_equal(f.report->findings[0].id, "a40b182f8682e6db");
        clear(&f);
        make(&f, &moved);
        assert_string_not_equal(f.report->findings[0].site, "bc059bf1d317044d");
        clear(&f);
}

static void test_comments(void **state)
{
        static const shape one = {"src/a.c", 40, 1, 0};
        fixture f;
        char room[PS_COMMENT_ROOM];

        (void)state;
        make(&f, &plain);
        assert_string_equal(
                ps_report_comment(f.report, &f.report->findings[0], room),
                "MPI_Recv waited 15 ms in 2 calls, 10 ms at worst for rank 0, which was to send at a.c:33.");
        assert_string_equal(f.report->findings[0].advice, f.report->findings[0].pattern->advice);
        clear(&f);
        make(&f, &one);
        assert_string_equal(ps_report_comment(f.report, &f.report->findings[0], room),
                            "MPI_Recv waited 5 ms in one call for rank 0, which was to send at a.c:33.");
        clear(&f);
}

static ps_confidence confidence_with(const ps_clock_info *clock, int issue)
{
        fixture f;
        ps_confidence confidence;

        load(&f, &plain);
        f.trace->clock = *clock;
        if (issue >= 0)
                ps_issue_note(&f.trace->issues, (ps_issue_kind)issue, PS_NOWHERE);
        analyse(&f, &(ps_report_settings){0});
        confidence = f.report->findings[0].confidence;
        f.trace->clock = (ps_clock_info){0};
        clear(&f);
        return confidence;
}

/* The text that is written when the clocks are in this state and waits of `epsilon` count. */
static void says(const ps_clock_info *clock, ps_time epsilon, const char *part)
{
        fixture f;
        ps_output *out;
        ps_error err = {0};
        const char *text;

        load(&f, &plain);
        f.trace->clock = *clock;
        analyse(&f, &(ps_report_settings){0});
        f.analysis->epsilon = epsilon;
        assert_int_equal(ps_output_open_memory(&out, 400, &err), PS_OK);
        assert_int_equal(ps_report_write_text(f.report, out, &err), PS_OK);
        text = ps_output_text(out);
        if (!text || !strstr(text, part))
                fail_msg("not said: %s\nin: %s", part, text ? text : "");
        ps_output_discard(out);
        f.trace->clock = (ps_clock_info){0};
        clear(&f);
}

static void test_what_counts(void **state)
{
        const ps_time ms = PS_PS_PER_S / 1000;
        const ps_clock_info good = {0}, repaired = {.repaired = 1, .uncertainty = 4 * ms},
                            open = {.repaired = 1, .uncertainty = PS_TIME_MAX},
                            left = {.left = 1, .worst = 8 * ms};

        (void)state;
        /* 15 ms of two times 100 ms. */
        says(&good, 0, "7.5 % of all time was lost: 15 ms of 2 x 100 ms.\nEvery wait counts;");
        says(&good, ms, "Waits of 1 ms or more count;");
        says(&repaired, 4 * ms,
             "They were repaired, but may still be wrong by 4 ms. Only waits of 4 ms or more count.");
        says(&repaired, ms,
             "disagree, also after repair, by up to 4 ms. Waits of 1 ms or more count, but one that is "
             "shorter than 4 ms need not be real.");
        says(&left, ms, "disagree by up to 8 ms. Waits of 1 ms or more count,");
        says(&left, 8 * ms, "disagree by up to 8 ms. Only waits of 8 ms or more count.");
        says(&open, ms, "does not tell by how much");
}

/* 7.5 ms on average. */
static void test_confidence(void **state)
{
        const ps_time ms = PS_PS_PER_S / 1000;
        const ps_clock_info good = {0}, sure = {.repaired = 1, .uncertainty = 3 * ms},
                            fair = {.repaired = 1, .uncertainty = 4 * ms},
                            poor = {.repaired = 1, .uncertainty = 8 * ms},
                            open = {.repaired = 1, .uncertainty = PS_TIME_MAX},
                            left = {.left = 1, .worst = 8 * ms};

        (void)state;
        assert_int_equal(confidence_with(&good, -1), PS_CONFIDENCE_HIGH);
        assert_int_equal(confidence_with(&sure, -1), PS_CONFIDENCE_HIGH);
        assert_int_equal(confidence_with(&fair, -1), PS_CONFIDENCE_MEDIUM);
        assert_int_equal(confidence_with(&poor, -1), PS_CONFIDENCE_LOW);
        assert_int_equal(confidence_with(&open, -1), PS_CONFIDENCE_LOW);
        assert_int_equal(confidence_with(&left, -1), PS_CONFIDENCE_LOW);
        assert_int_equal(confidence_with(&good, PS_I_FILE_TRUNCATED), PS_CONFIDENCE_LOW);
        assert_int_equal(confidence_with(&good, PS_I_DEF_UNKNOWN), PS_CONFIDENCE_MEDIUM);
        assert_int_equal(confidence_with(&good, PS_I_SEND_UNMATCHED), PS_CONFIDENCE_HIGH);
}

static void test_callpath(void **state)
{
        fixture f;
        const char *names[2];
        ps_path path;

        (void)state;
        make(&f, &plain);
        path = f.analysis->findings[0].path;
        assert_int_equal(ps_report_callpath(f.report, path, names, 2), 2);
        assert_string_equal(names[0], "main");
        assert_string_equal(names[1], "MPI_Recv");
        assert_int_equal(ps_report_callpath(f.report, path, names, 1), 2);
        assert_string_equal(names[0], "MPI_Recv");
        clear(&f);
}

/* -- JSON */

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

static void test_json(void **state)
{
        fixture f;
        ps_output *out;
        const uint64_t eager = 4096;

        (void)state;
        load(&f, &plain);
        analyse(&f, &(ps_report_settings){.trace_path = "t\n.otf2", .eager_bytes = &eager});
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
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "efficiency")));
        cJSON_Delete(root);
        ps_output_discard(out);
        clear(&f);
}

/* Ten thousand findings take a tenth of a second; here they have ten times as long, for sanitizers. */
static void test_json_of_many(void **state)
{
        enum { MANY = 10000 };
        fixture f;
        ps_output *out;

        (void)state;
        load(&f, &plain);
        analyse(&f, &(ps_report_settings){0});
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
        assert_int_equal(ps_places_gather(&places, f.report, NULL), PS_OK);
        assert_int_equal(places.n, 1);
        assert_int_equal(places.row[0].n, MANY);
        assert_int_equal(places.row[0].lost, MANY * LOST_TWO);
        assert_ptr_equal(places.row[0].finding[0], &f.report->findings[0]);
        ps_places_clear(&places);
        clear(&f);
}

/* -- baseline */

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

static void test_baseline(void **state)
{
        fixture f;
        ps_output *out;
        ps_baseline baseline;

        (void)state;
        make(&f, &plain);
        assert_int_equal(read_baseline(&baseline, json_text(&out, f.report), NULL), PS_OK);
        assert_int_equal(baseline.n, 1);
        assert_int_equal(ps_baseline_mark(&baseline, f.report), 0);
        assert_false(f.report->findings[0].is_new);
        baseline.site[0]++;
        assert_int_equal(ps_baseline_mark(&baseline, f.report), 1);
        assert_true(f.report->findings[0].is_new);
        ps_baseline_clear(&baseline);
        ps_output_discard(out);
        clear(&f);
}

#define REPORT(findings) "{\"schema\": \"patscan-report-1\", \"findings\": " findings "}"

static void test_strange_baselines(void **state)
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

        (void)state;
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                ps_error err = {0};
                assert_int_equal(read_baseline(&baseline, bad[i], &err), PS_E_INPUT);
                assert_non_null(strstr(err.cause[0].text, "cannot use baseline: path="));
                assert_null(baseline.site);
        }
        assert_int_equal(ps_baseline_read(&baseline, "/nowhere/at/all", NULL), PS_E_INPUT);
        assert_int_equal(ps_baseline_read(&baseline, "/", NULL), PS_E_INPUT);
        assert_int_equal(read_baseline(&baseline, REPORT("[]"), NULL), PS_OK);
        assert_int_equal(baseline.n, 0);
        ps_baseline_clear(&baseline);
        assert_int_equal(read_baseline(&baseline, REPORT("[{\"site\": \"0123456789abcdef\"}]") "\n", NULL),
                         PS_OK);
        assert_true(baseline.site[0] == UINT64_C(0x0123456789abcdef));
        ps_baseline_clear(&baseline);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_sums),
                cmocka_unit_test(test_tree),
                cmocka_unit_test(test_site_never_changes),
                cmocka_unit_test(test_comments),
                cmocka_unit_test(test_what_counts),
                cmocka_unit_test(test_confidence),
                cmocka_unit_test(test_callpath),
                cmocka_unit_test(test_json),
                cmocka_unit_test(test_json_of_many),
                cmocka_unit_test(test_baseline),
                cmocka_unit_test(test_strange_baselines),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
