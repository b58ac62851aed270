/* test_tables.c - findings as CSV and Markdown, and single waits as JSON lines. */
#include "tests/report/formats/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/json.h"
#include "tests/support/test.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- CSV -- */

/* The n-th cell of the n-th record, as RFC 4180 reads it; records end with CR LF. */
static void read_cell(const char *csv, unsigned record, unsigned cell, char *room, size_t size)
{
        int quoted = 0;
        size_t n = 0;
        unsigned r = 0, c = 0;

        for (; *csv && (r < record || (r == record && c <= cell)); csv++) {
                if (quoted ? *csv == '"' && csv[1] != '"' : *csv == '"') {
                        quoted = !quoted;
                } else if (!quoted && *csv == ',') {
                        c++;
                } else if (!quoted && strncmp(csv, "\r\n", 2) == 0) {
                        csv++;
                        r++;
                        c = 0;
                } else {
                        if (r == record && c == cell && n + 1 < size)
                                room[n++] = *csv;
                        csv += quoted && *csv == '"';
                }
        }
        room[n] = '\0';
}

static void check_cell(const char *csv, unsigned record, const char *column, const char *value)
{
        char room[512];
        unsigned cell = 0;

        for (;; cell++) {
                read_cell(csv, 0, cell, room, sizeof(room));
                if (!*room)
                        fail_msg("no column \"%s\"", column);
                if (strcmp(room, column) == 0)
                        break;
        }
        read_cell(csv, record, cell, room, sizeof(room));
        assert_string_equal(room, value);
}

static unsigned count(const char *text, const char *what)
{
        unsigned n = 0;

        while ((text = strstr(text, what))) {
                n++;
                text += strlen(what);
        }
        return n;
}

TEST(a_row_of_csv_is_a_finding)
{
        report_lab lab;
        ps_output *out;
        const char *csv;

        report_lab_open(&lab, &(lab_names){0});
        csv = report_lab_write(&lab, &out, ps_report_write_csv);
        assert_int_equal(count(csv, "\r\n"), 1 + LAB_FINDINGS);
        check_cell(csv, 1, "type", "late-sender");
        check_cell(csv, 1, "process", "1");
        check_cell(csv, 1, "line", "42");
        check_cell(csv, 1, "callpath", "main > exchange > MPI_Recv");
        check_cell(csv, 1, "count", "3");
        check_cell(csv, 1, "lost_s", "2");
        check_cell(csv, 1, "share", "0.05");
        check_cell(csv, 1, "worst_lost_s", "1.5");
        check_cell(csv, 1, "partner_line", "40");
        check_cell(csv, 1, "new", "");
        check_cell(csv, 3, "lost_s", "0.6");
        check_cell(csv, 4, "file", "");
        check_cell(csv, 4, "line", "");
        check_cell(csv, 4, "partner_process", "");
        ps_output_discard(out);
        report_lab_close(&lab);
}

TEST(csv_of_hostile_names)
{
        report_lab lab;
        ps_output *out;
        const char *csv;

        report_lab_open(&lab, &(lab_names){.function = "=cmd|'/C calc'!A0",
                                           .file = "-1,\"a\"\r\n\xfe.c",
                                           .comment = "@SUM(1),\"x\""});
        csv = report_lab_write(&lab, &out, ps_report_write_csv);
        assert_int_equal(count(csv, "\r\n"), 1 + LAB_FINDINGS);
        check_cell(csv, 1, "function", "'=cmd|'/C calc'!A0");
        check_cell(csv, 1, "file", "'-1,\"a\"\\x0d\\x0a\\xfe.c");
        check_cell(csv, 1, "comment", "'@SUM(1),\"x\"");
        check_cell(csv, 1, "callpath", "main > =cmd|'/C calc'!A0 > MPI_Recv");
        ps_output_discard(out);
        report_lab_close(&lab);
}

TEST(csv_of_deep_paths_begins_with_dots)
{
        enum { DEPTH = 80, OWN = 6, SHOWN = 64 };
        ps_path_node deep[DEPTH];
        char expected[512] = "... > ";
        report_lab lab;
        ps_output *out;

        report_lab_open(&lab, &(lab_names){.function = "=a"});
        memcpy(deep, lab.paths, OWN * sizeof(*deep));
        for (uint32_t p = OWN; p < DEPTH; p++)
                deep[p] = (ps_path_node){.parent = (p + 1) % DEPTH, .region = deep[2].region};
        deep[1].parent = OWN;
        lab.trace.paths = deep;
        lab.trace.n_paths = DEPTH;
        for (unsigned i = 0; i < SHOWN - 3; i++)
                strcat(expected, "=a > ");
        strcat(expected, "main > =a > MPI_Recv");
        check_cell(report_lab_write(&lab, &out, ps_report_write_csv), 1, "callpath", expected);
        ps_output_discard(out);
        report_lab_close(&lab);
}

/* -- Markdown -- */

TEST(markdown_has_a_table_of_findings)
{
        report_lab lab;
        ps_output *out;
        const char *written;

        report_lab_open(&lab, &(lab_names){0});
        lab.trace.n_operations = LAB_FINDINGS;
        written = report_lab_write(&lab, &out, ps_report_write_markdown);
        assert_non_null(strstr(written, "### patscan: `run/heat.otf2`\n\n4 ranks, 10 s"));
        assert_non_null(strstr(written, "**9.0 %** of all time was lost: "));
        assert_non_null(strstr(written, "\n\n| Waiting in | Share | Time | Count |\n|---|---:|---:|---:|\n"
                                        "| Late sender | 6.5 % | 2.6 s | 5 |\n"
                                        "| Late receiver | 2.5 % | 1 s | 1 |\n\n"));
        assert_non_null(strstr(written, "\n1. **Late sender**: 2.6 s, 6.5 %, 5 calls, ranks 1, 3\n\n"
                                        "   `src/heat.c:42`, its partner: `src/heat.c:40` or 51\n\n"
                                        "   `main` > `exchange` > `MPI_Recv`\n\n"));
        assert_non_null(strstr(written, "\n2. **Late receiver**: 1 s, 2.5 %, 1 call, rank 0\n\n"));
        assert_non_null(strstr(written, "\n3. **Wait at a barrier**: 250 ms, 0.6 %, "));
        ps_output_discard(out);
        report_lab_close(&lab);
}

TEST(markdown_of_hostile_names)
{
        report_lab lab;
        ps_output *out;
        const char *written;

        report_lab_open(&lab, &(lab_names){.call = "a|b`c`<img src=x>@you", .file = "x\\|y.c"});
        lab.report.settings.top = 1;
        written = report_lab_write(&lab, &out, ps_report_write_markdown);
        assert_non_null(strstr(written, "   <code>x&#92;&#124;y.c&#58;42</code>"));
        assert_non_null(strstr(written, "> <code>a&#124;b&#96;c&#96;&lt;img src=x&gt;&#64;you</code>\n"));
        assert_null(strstr(written, "<img"));
        assert_non_null(strstr(written, "and 2 more places; -v shows all\n"));
        ps_output_discard(out);
        report_lab_close(&lab);
}

/* -- JSON lines: of the bundled trace -- */

typedef struct sums {
        uint64_t count[PS_MAX_PATTERNS];
        int64_t lost_ns[PS_MAX_PATTERNS];
} sums;

static void add_up(sums *s, const char *written)
{
        const char *line = strchr(written, '\n') + 1, *end;

        for (; (end = strchr(line, '\n')); line = end + 1) {
                cJSON *instance = cJSON_ParseWithLength(line, (size_t)(end - line));
                uint32_t pattern = ps_pattern_find(json_at(instance, "type")->valuestring);
                assert_int_not_equal(pattern, PS_NONE);
                assert_true(cJSON_IsNumber(json_at(instance, "begin_s")));
                assert_true(json_at(instance, "location")->valueint < 4);
                s->count[pattern]++;
                s->lost_ns[pattern] += llround(json_at(instance, "lost_s")->valuedouble * 1e9);
                cJSON_Delete(instance);
        }
        assert_int_equal(*line, '\0');
}

static void check_sums(const ps_report *report)
{
        ps_output *out;
        sums *s = calloc(1, sizeof(*s));
        const char *written;

        assert_non_null(s);
        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        assert_int_equal(ps_report_write_jsonl(report, out, NULL), PS_OK);
        written = ps_output_text(out);
        assert_memory_equal(written, "{\"schema\": \"patscan-findings-1\", ", 33);
        add_up(s, written);
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                const ps_analysis *a = report->analysis;
                int64_t rounding = (int64_t)s->count[p] / 2 + 1;
                int64_t off = s->lost_ns[p] - analysed_lost(a, p, PS_NONE, 0) / PS_PS_PER_NS;
                assert_int_equal(s->count[p], a->count[p]);
                assert_true(off <= rounding && off >= -rounding);
        }
        ps_output_discard(out);
        free(s);
}

TEST(every_instance_is_a_line)
{
        ps_analysis_options options = {.epsilon = -1, .n_threads = 2};
        ps_report_settings settings = {.trace_path = "demo", .options = &options};
        ps_trace *trace;
        ps_analysis *analysis;
        ps_sources *sources;
        ps_report *report;

        assert_int_equal(ps_trace_load(&trace, "traces/demo/traces.otf2", &(ps_load_options){0}, NULL),
                         PS_OK);
        assert_int_equal(ps_analyse(&analysis, trace, &trace->measured, &options, NULL), PS_OK);
        assert_true(analysis->n_findings > 0);
        assert_int_equal(ps_sources_new(&sources, trace, &(ps_source_options){0}, NULL), PS_OK);
        assert_int_equal(ps_report_new(&report, trace, &trace->measured, analysis, sources, &settings, NULL),
                         PS_OK);
        check_sums(report);
        ps_report_free(report);
        ps_sources_free(sources);
        ps_analysis_free(analysis);
        ps_trace_close(trace);
}
