/* test_pairs.c - which interval is which, and which run is meant. */
#include "report/facts/run_name.h"
#include "tests/compare/lab.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static const ps_compare_options plain = {.tolerance = NAN};

/* A recorder that does not know the file of a function makes no other function of it; two files do. */
TEST(an_unknown_file_is_any_file)
{
        static const struct {
                const char *first, *second;
                uint64_t n_unmatched;
        } cases[] = {{"/a/lab.c", "/b/lab.c", 0},
                     {"lab.c", "", 0},
                     {"", "lab.c", 0},
                     {"", "", 0},
                     {"lab.c", "other.c", 1}};

        for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
                lab_run a, b;
                lab_run_make(&a, &(lab_shape){0}, 1);
                lab_run_make(&b, &(lab_shape){0}, 1);
                uint32_t n = 0;
                for (uint32_t i = 0; i < a.run.intervals.n; i++) {
                        if (strcmp(a.run.intervals.row[i].name, "exchange") != 0)
                                continue;
                        a.run.intervals.row[i].file = cases[k].first;
                        b.run.intervals.row[i].file = cases[k].second;
                        n++;
                }
                assert_int_equal(n, 1);
                ps_compare *c = lab_compared(&a.run, &b.run, &plain);
                assert_int_equal(c->interval_matches.only[PS_MEASURED], cases[k].n_unmatched);
                assert_int_equal(c->interval_matches.only[PS_PREDICTED], cases[k].n_unmatched);
                assert_int_equal(c->interval_matches.both, a.run.intervals.n - cases[k].n_unmatched);
                ps_compare_free(c);
                lab_run_clear(&a);
                lab_run_clear(&b);
        }
}

static ps_run made_of(ps_run_interval *row, uint32_t n)
{
        ps_run run = {.duration_s = 1, .processes = 1, .path = "", .trace_path = "", .format = ""};
        row[0] = (ps_run_interval){
                .type = "main", .name = "", .file = "", .parent = PS_NONE, .execution_s = 1};
        for (uint32_t i = 1; i < n; i++)
                row[i].type = "user";
        run.intervals.row = row;
        run.intervals.n = n;
        return run;
}

/* Who has the same file goes first, equal ones follow each other, and children stay with their parents. */
TEST(equal_files_go_first)
{
        ps_run_interval m[] = {{0},
                               {.name = "init", .file = "a.c", .execution_s = 0.1},
                               {.name = "init", .file = "b.c", .execution_s = 0.2},
                               {.name = "init", .file = "b.c", .execution_s = 0.3},
                               {.name = "leaf", .file = "c.c", .parent = 1, .execution_s = 0.04},
                               {.name = "leaf", .file = "c.c", .parent = 3, .execution_s = 0.05}};
        ps_run_interval p[] = {{0},
                               {.name = "init", .file = "", .execution_s = 0.15},
                               {.name = "leaf", .file = "c.c", .parent = 1, .execution_s = 0.06},
                               {.name = "init", .file = "b.c", .execution_s = 0.25},
                               {.name = "init", .file = "b.c", .execution_s = 0.35},
                               {.name = "leaf", .file = "", .parent = 4, .execution_s = 0.07}};
        static const uint32_t expected[] = {0, 1, 3, 4, 2, 5};
        ps_run first = made_of(m, 6), second = made_of(p, 6);

        ps_compare *c = lab_compared(&first, &second, &plain);
        assert_int_equal(c->interval_matches.both, 6);
        for (uint32_t i = 0; i < c->intervals.n; i++)
                assert_int_equal(c->intervals.row[i].row[PS_PREDICTED],
                                 expected[c->intervals.row[i].row[PS_MEASURED]]);
        ps_compare_free(c);
        second.intervals.n = 1; /* a run of which nothing but the whole is known */
        c = lab_compared(&first, &second, &plain);
        assert_int_equal(c->interval_matches.both, 1);
        assert_int_equal(c->interval_matches.only[PS_MEASURED], 5);
        ps_compare_free(c);
}

/* How a run is named in the file of a machine, and found in it again. */
TEST(a_run_has_a_name)
{
        static const char *const names[][2] = {
                {"/a/b/run.trf", "b/run.trf"},
                {"run.trf", "run.trf"},
                {"x/heat/traces.otf2", "x/heat"},
                {"heat//traces.otf2", "heat"},
                {"./heat/eztrace_log.otf2", "heat"},
                {"x/heat/", "x/heat"},
                {"traces.otf2", ""},
                {"./traces.otf2", ""},
                {"", ""},
                {"/", ""},
        };
        static const struct {
                const char *text, *path;
                int is_named;
        } found[] = {
                {"calibrated from x/heat; not identified: latency_s", "/data/x/heat/traces.otf2", 1},
                {"calibrated from x/heat", "heat", 1},
                {"calibrated from heat", "x/heat", 1},
                {"calibrated from y/heat", "x/heat", 0},
                {"calibrated from xx/heat", "x/heat", 0},
                {"calibrated from y/heat, x/heat", "x/heat", 1},
                {"fitted to /data/x/run.trf.", "run.trf", 1},
                {"fitted to rerun.trf", "run.trf", 0},
                {"fitted to run.trf.gz", "run.trf", 0},
                {"fitted to x-run.trf", "run.trf", 0},
                {"calibrated from traces.otf2", "traces.otf2", 0},
        };
        char room[PS_RUN_NAME_ROOM];

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                assert_string_equal(ps_run_name(room, names[i][0]), names[i][1]);
        for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++)
                if (ps_run_is_named(found[i].text, found[i].path) != found[i].is_named)
                        fail_msg("\"%s\" and %s", found[i].text, found[i].path);
}
