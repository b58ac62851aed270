/* test_compact.c - a compact report tells all that the JSON report tells, in the same order. */
#include "report/facts/report.h"
#include "report/print/compact.h"
#include "report/saved/expand.h"
#include "tests/compare/lab.h"
#include "tests/support/dumped.h"
#include "tests/support/late_sender.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* Without the blanks between values. */
static void squeeze(char *text)
{
        char *to = text;
        bool is_string = false;

        for (; *text; text++) {
                if (is_string && *text == '\\')
                        *to++ = *text++;
                else if (*text == '"')
                        is_string = !is_string;
                else if (!is_string && strchr(" \n\t", *text))
                        continue;
                *to++ = *text;
        }
        *to = '\0';
}

static char *written(const ps_report *report, ps_report_writer *write)
{
        ps_output *out;
        ps_error err = {0};

        assert_int_equal(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, &err), PS_OK);
        assert_int_equal(write(report, out, &err), PS_OK);
        char *text = strdup(ps_output_text(out));
        assert_non_null(text);
        ps_output_discard(out);
        return text;
}

static void expect_all(const ps_report *report, const char *title)
{
        char *json = written(report, ps_report_write_json), *full,
             *compact = written(report, ps_report_write_json_compact);
        size_t n = strlen(compact);
        ps_error err = {0};

        assert_true(n < strlen(json));
        if (ps_saved_expand(&full, compact, &n, SIZE_MAX, NULL, "report", title, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        squeeze(json);
        squeeze(full);
        if (strcmp(json, full) != 0)
                fail_msg("%s: not the same", title);
        free(json);
        free(compact);
        free(full);
}

static unsigned n_seen;

static void look(const char *anchor, const char *title)
{
        lab_run run;

        lab_run_load(&run, anchor);
        expect_all(run.report, title);
        lab_run_clear(&run);
        n_seen++;
}

TEST(micro_traces_have_the_same_report_compact)
{
        dumped_each_micro(look);
        assert_true(n_seen > 50);
}

/* Quotes, a line break and what is no UTF-8 in texts of which some are shared, and some are not. */
TEST(strange_texts_are_the_same_compact)
{
        late_sender f;

        late_sender_load(&f, &late_sender_plain);
        late_sender_analyse(&f, &(ps_report_settings){.trace_path = "\"a\\\n\x80", .baseline = "null"});
        expect_all(f.report, "late sender");
        late_sender_clear(&f);
}
