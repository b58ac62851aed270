/* test_plan.c - what of a run has to be looked at operation by operation, by how long it is. */
#include "library/run/plan.h"
#include "library/run/request.h"
#include "tests/support/test.h"

/* From how many operations on nobody looks at each, and what for somebody would; UINT64_MAX: never. */
static uint64_t rows_from_and_why(const char *report, const char *causes, const char *gains,
                                  ps_definitions definitions, const char **what)
{
        ps_plan plan = {0};
        ps_options options = {.predict = {.causes = causes, .gains = gains},
                              .analysis = {.definitions = definitions},
                              .reports.n = 1};
        ps_error err = {0};
        assert_int_equal(ps_request_parse(&options.reports.row[0], report, &err), PS_OK);
        assert_int_equal(ps_plan_check(&plan, &options, &err), PS_OK);
        uint64_t from = ps_plan_rows_from(&plan, &options, what);
        ps_plan_clear(&plan);
        return from;
}

static uint64_t rows_from(const char *report, const char *causes, const char *gains,
                          ps_definitions definitions)
{
        const char *what;
        return rows_from_and_why(report, causes, gains, definitions, &what);
}

TEST(who_wants_rows_says_what_for)
{
        const char *what;
        rows_from_and_why("json", "0", NULL, PS_DEFINITIONS_PATSCAN, &what);
        assert_string_equal(what, "the run is replayed");
        rows_from_and_why("json", "0", NULL, PS_DEFINITIONS_SCALASCA, &what);
        assert_string_equal(what, "causes are those of Scalasca's definitions");
}

TEST(rows_are_wanted_where_a_run_is_replayed)
{
        static const struct {
                const char *report, *causes, *gains;
                uint64_t from;
        } asked[] = {{"json", NULL, NULL, 10000001},    {"text", NULL, NULL, 10000001},
                     {"json", "0", NULL, 1000001},      {"csv", NULL, NULL, 1000001},
                     {"json", "none", NULL, 1},         {"json", "5", NULL, UINT64_MAX},
                     {"json", "all", NULL, UINT64_MAX}, {"json", "none", "3", UINT64_MAX},
                     {"json", "0", "3", UINT64_MAX}};
        for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
                uint64_t from =
                        rows_from(asked[i].report, asked[i].causes, asked[i].gains, PS_DEFINITIONS_PATSCAN);
                if (from != asked[i].from)
                        fail_msg("%zu: %llu instead of %llu", i, (unsigned long long)from,
                                 (unsigned long long)asked[i].from);
        }
}

/* Scalasca's causes ask for all members of an operation; to lead from waits to their causes, as SARIF does,
 * takes the rows on the way only. */
TEST(some_causes_want_rows_of_any_run)
{
        assert_int_equal(rows_from("sarif", "0", NULL, PS_DEFINITIONS_PATSCAN), 1000001);
        assert_int_equal(rows_from("sarif", "none", NULL, PS_DEFINITIONS_PATSCAN), 1);
        assert_true(rows_from("json", "0", NULL, PS_DEFINITIONS_SCALASCA) == UINT64_MAX);
        assert_int_equal(rows_from("json", "none", NULL, PS_DEFINITIONS_SCALASCA), 1);
}

/* What goes through all rows, but some at a time. */
TEST(pages_and_exports_want_no_rows_of_all_at_once)
{
        static const char *const reports[] = {"html", "jsonl", "perfetto", "sqlite", "csv.over_time"};
        for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++)
                assert_int_equal(rows_from(reports[i], "none", NULL, PS_DEFINITIONS_PATSCAN), 1);
}
