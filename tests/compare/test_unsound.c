/* test_unsound.c - saved reports that are not sound, or tell of a part only. */
#include "report/comparison/comparison.h"
#include "tests/compare/lab.h"
#include "tests/support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ps_compare_options plain = {.tolerance = NAN};

#define HEAD "{\"schema\": \"patscan-report-1\", \"trace\": {\"duration_s\": 1}, "

TEST(what_is_no_sound_report_is_refused)
{
        static const char *const cases[][2] = {
                {"", "not JSON"},
                {"{} x", "not JSON"},
                {"{}", "not a report of patscan"},
                {"{\"schema\": \"patscan-report-2\"}", "patscan-report-2"},
                {"{\"schema\": \"patscan-report-1\"}", "does not tell of a trace"},
                {"{\"schema\": \"patscan-report-1\", \"trace\": {}}", "how long the run took"},
                {"{\"schema\": \"patscan-report-1\", \"trace\": {\"duration_s\": -1}}", "duration_s"},
                {"{\"schema\": \"patscan-report-1\", \"trace\": {\"duration_s\": 1e999}}", "duration_s"},
                {"{\"schema\": \"patscan-report-1\", \"trace\": {\"duration_s\": \"1\"}}", "duration_s"},
                {HEAD "\"patterns\": [{\"lost_s\": 1}]}", "has no id"},
                {HEAD "\"patterns\": [{\"id\": \"late\xe5\", \"lost_s\": 1}]}", "is no word"},
                {HEAD "\"patterns\": [{\"id\": \"a\", \"lost_s\": null}]}", "what was lost"},
                {HEAD "\"findings\": [{\"site\": \"12\", \"type\": \"a\"}]}", "no valid site"},
                {HEAD "\"findings\": [{\"site\": \"0123456789abcdef\", \"type\": \"a\", \"lost_s\": 1, "
                      "\"line\": -4}]}",
                 "line"},
                {HEAD "\"intervals\": []}", "not one run"},
                {HEAD "\"intervals\": [{}]}", "has no type"},
                {HEAD "\"intervals\": [{\"type\": \"main\"}]}", "how long it took"},
                {HEAD "\"intervals\": [{\"type\": \"main\", \"execution_s\": 1, \"processors\": [{}]}]}",
                 "what its processors did"},
                {HEAD "\"intervals\": [{\"type\": \"main\", \"execution_s\": 1, \"children\": [{\"type\": "
                      "\"user\", \"execution_s\": 1, \"processors\": [{}]}]}]}",
                 "different numbers"},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_run run;
                ps_error err = {0};
                assert_int_equal(ps_run_parse(&run, cases[i][0], strlen(cases[i][0]), "a.json", &err),
                                 PS_E_INPUT);
                if (!strstr(err.cause[0].text, cases[i][1]) || !strstr(err.cause[0].text, "a.json"))
                        fail_msg("case %zu: %s", i, err.cause[0].text);
                ps_run_clear(&run);
        }
}

/* A report that tells of the run time only is compared as far as it goes: 1 s and 456 us. */
TEST(what_a_report_does_not_tell_is_unknown)
{
        lab_run a;
        ps_run least;

        lab_run_make(&a, &(lab_shape){0}, 1);
        lab_run_saved(&least, HEAD "\"timing\": \"predicted\"}");
        ps_compare *c = lab_compared(&a.run, &least, &plain);
        lab_near(c->duration.predicted, 1);
        assert_true(c->is_partial && isnan(c->part[PS_PART_COMPUTE].predicted));
        assert_int_equal(c->intervals.n + c->ranks.n + c->patterns.n + c->sites.n, 0);
        assert_false(c->operations.is_known || ps_compare_is_unusable(c));
        char *json = lab_compare_write(c, ps_compare_write_json);
        assert_non_null(strstr(json, "\"components\": null"));
        assert_non_null(strstr(json, "\"intervals\": null"));
        assert_non_null(strstr(json, "\"findings\": null"));
        free(json);
        ps_compare_free(c);
        ps_run_clear(&least);
        lab_run_clear(&a);
}

/* Both runs took no time: nothing is divided by it. */
TEST(zero_durations_are_unusable)
{
        static const char zero[] =
                "{\"schema\": \"patscan-report-1\", \"trace\": {\"duration_s\": 0}, \"findings\": [], "
                "\"intervals\": [{\"type\": \"main\", \"execution_s\": 0, \"processors\": "
                "[{\"execution_s\": 0, \"communication_s\": 0}]}]}";
        ps_run a, b;

        lab_run_saved(&a, zero);
        lab_run_saved(&b, zero);
        ps_compare *c = lab_compared(&a, &b, &(ps_compare_options){.tolerance = 0});
        assert_true(ps_compare_is_unusable(c));
        lab_expect_no_difference(c);
        char *json = lab_compare_write(c, ps_compare_write_json);
        assert_non_null(strstr(json, "\"result\": \"unusable\""));
        assert_null(strstr(json, "nan"));
        assert_null(strstr(json, "inf"));
        free(json);
        ps_compare_free(c);
        ps_run_clear(&a);
        ps_run_clear(&b);
}
