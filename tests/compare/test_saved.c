/* test_saved.c - every micro-trace agrees with its own saved report and with itself. */
#include "compare/compare.h"
#include "tests/compare/lab.h"
#include "tests/support/dumped.h"
#include "tests/support/test.h"
#include <stdlib.h>

static unsigned n_seen, n_with_operations;

static void expect_equal(const ps_run *a, const ps_run *b, const char *title)
{
        ps_compare_options strict = {.tolerance = 0};
        ps_compare *c;
        ps_error err = {0};

        if (ps_compare_new(&c, a, b, &strict, &err) != PS_OK)
                fail_msg("%s: %s", title, err.cause[0].text);
        if (c->n_contributions || c->total_exceeded || c->intervals_exceeded || c->site_matches.only[0] ||
            c->site_matches.only[1] || c->interval_matches.only[0] || c->interval_matches.only[1])
                fail_msg("%s: differs from itself", title);
        for (uint32_t i = 0; i < c->patterns.n; i++)
                assert_true(c->patterns.row[i].lost.measured == c->patterns.row[i].lost.predicted);
        for (uint32_t i = 0; i < c->sites.n; i++)
                assert_true(c->sites.row[i].lost.measured == c->sites.row[i].lost.predicted);
        for (uint32_t i = 0; i < c->ranks.n; i++)
                assert_true(c->ranks.row[i].work.measured == c->ranks.row[i].work.predicted);
        assert_int_equal(c->operations.matches.only[0] + c->operations.matches.only[1], 0);
        n_with_operations += c->operations.matches.both > 0;
        ps_compare_free(c);
}

static void look(const char *anchor, const char *title)
{
        lab_run run;
        ps_run saved;

        lab_run_load(&run, anchor);
        char *json = lab_run_json(&run);
        lab_run_saved(&saved, json);
        expect_equal(&run.run, &saved, title);
        expect_equal(&saved, &run.run, title);
        expect_equal(&run.run, &run.run, title);
        free(json);
        ps_run_clear(&saved);
        lab_run_clear(&run);
        n_seen++;
}

TEST(micro_traces_agree_with_their_reports)
{
        dumped_each_micro(look);
        assert_true(n_seen > 50 && n_with_operations > 50);
}
