/* test_trace.c - the run of a BMF program as a trace: where time is, what is found, and, where they are
 * given, traces of the thesis' operators that somebody else's simulator wrote. */
#include "patterns/engine/engine.h"
#include "patterns/source/source.h"
#include "tests/simulator/bmf/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ps_trace *trace_of(const char *text, const ps_bmf_options *options)
{
        bmf_lab lab;
        ps_trace *trace;
        ps_error err = {0};
        bmf_lab_run(&lab, text, options);
        assert_int_equal(ps_recording_load(&trace, lab.run.recording, NULL, &err), PS_OK);
        bmf_lab_clear(&lab);
        return trace;
}

static const char *name_of(const ps_trace *t, ps_path path)
{
        return ps_defs_str(&t->defs, t->defs.regions.row[t->paths[path].region].name);
}

/* All time of all processors lies in a region, from the beginning to the end. */
TEST(no_time_is_left_out)
{
        ps_bmf_options o = {.costs = ps_bmf_costs_default, .n_processors = 10};
        ps_trace *t = trace_of("B_Comp (P_Reduce (B_Op (B_Plus))) (B_Comp (P_Map (B_Reduce (B_Op (B_Plus)))) "
                               "(P_Split (B_Num 8) (B_Num 0))) [1,2,3,4,5,6,7,8,9]",
                               &o);
        assert_int_equal(ps_issues_total(&t->issues), 0);
        assert_int_equal(t->n_locs, 10);
        assert_int_equal(t->n_messages, 14);
        for (ps_loc l = 0; l < t->n_locs; l++) {
                ps_time sum = 0;
                for (uint32_t i = 0; i < t->info[l].n_uses; i++)
                        if (t->paths[t->info[l].uses[i].path].parent == 0)
                                sum += t->info[l].uses[i].inclusive;
                assert_int_equal(t->info[l].first, 0);
                assert_int_equal(t->info[l].last, t->measured.duration);
                assert_int_equal(sum, t->measured.duration);
        }
        ps_trace_close(t);
}

/* Of split_of_15_items_over_8: each waits from the begin of the operator to that of its send. */
TEST(late_senders_of_a_split)
{
        static const int lost_s[8] = {0, 11, 7, 20, 0, 22, 19, 30};
        ps_bmf_options o = bmf_lab_plain(1, 5);
        ps_analysis_options how = {.definitions = PS_DEFINITIONS_PATSCAN, .epsilon = -1, .n_threads = 1};
        ps_analysis *analysis;
        ps_error err = {0};
        uint64_t n = 0;
        ps_trace *t = trace_of(
                "-- on line 3\n\nP_Split (B_Num 8) (B_Num 0)\n[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]", &o);
        assert_int_equal(ps_analyse(&analysis, t, &t->measured, &how, &err), PS_OK);
        analysed_check(t, analysis);
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                if (!strcmp(ps_pattern_at(p)->id, "late-sender"))
                        for (ps_loc l = 0; l < 8; l++)
                                assert_int_equal(analysed_lost(analysis, p, l, 1), lost_s[l] * PS_PS_PER_S);
                if (!strcmp(ps_pattern_at(p)->id, "late-receiver"))
                        assert_int_equal(analysed_count(analysis, p, 1), 0);
        }
        for (uint32_t i = 0; i < analysis->n_findings; i++) {
                const ps_source_place *place;
                ps_sources *sources;
                ps_path path = analysis->findings[i].path;
                if (strcmp(name_of(t, path), "recv"))
                        continue;
                assert_int_equal(ps_sources_new(&sources, t, &(ps_source_options){0}, &err), PS_OK);
                assert_int_equal(ps_sources_of(sources, path, &place, &err), PS_OK);
                assert_string_equal(place->file, "prog.bmf");
                assert_int_equal(place->line, 3);
                assert_int_equal(place->certainty, PS_LINE_EXACT);
                assert_string_equal(place->function, "P_Split");
                ps_sources_free(sources);
                n++;
        }
        assert_int_equal(n, 6);
        ps_analysis_free(analysis);
        ps_trace_close(t);
}

/* A send is over when the network has the message: it waits for nobody, also when the receiver comes later.
 */
TEST(sends_wait_for_nobody)
{
        ps_bmf_options o = bmf_lab_plain(1, 5);
        ps_analysis_options how = {.definitions = PS_DEFINITIONS_PATSCAN, .epsilon = 0, .n_threads = 1};
        ps_analysis *analysis;
        ps_error err = {0};
        ps_trace *t = trace_of(
                "B_Comp (P_Scan (B_Op (B_Conc))) (P_Split (B_Num 8) (B_Num 0)) [1,2,3,4,5,6,7,8]", &o);
        assert_int_equal(ps_analyse(&analysis, t, &t->measured, &how, &err), PS_OK);
        for (uint32_t p = 0; p < ps_pattern_count(); p++)
                if (!strcmp(ps_pattern_at(p)->id, "late-receiver"))
                        assert_int_equal(analysed_count(analysis, p, 1), 0);
        ps_analysis_free(analysis);
        ps_trace_close(t);
}

static ps_time inclusive(const ps_trace *t, ps_loc loc, const char *name)
{
        ps_time sum = 0;
        for (uint32_t i = 0; i < t->info[loc].n_uses; i++)
                if (!strcmp(name_of(t, t->info[loc].uses[i].path), name))
                        sum += t->info[loc].uses[i].inclusive;
        return sum;
}

/* 4.6 and 5.5: the operator lasts as long as its slowest processor; the others are idle. */
TEST(map_lasts_as_long_as_its_slowest)
{
        ps_bmf_options o = bmf_lab_plain(0, 0);
        o.costs.work = 1;
        ps_trace *t = trace_of("B_Comp (P_Map (B_Map (B_Id))) (P_Split (B_Num 2) (B_Num 0)) [1,2,3,4,5]", &o);
        assert_int_equal(t->measured.duration, 3 * PS_PS_PER_S);
        assert_int_equal(inclusive(t, 0, "P_Map"), 3 * PS_PS_PER_S);
        assert_int_equal(inclusive(t, 1, "P_Map"), 3 * PS_PS_PER_S);
        assert_int_equal(inclusive(t, 0, "B_Map"), 3 * PS_PS_PER_S);
        assert_int_equal(inclusive(t, 1, "B_Map"), 2 * PS_PS_PER_S);
        assert_int_equal(inclusive(t, 1, "idle"), 1 * PS_PS_PER_S);
        ps_trace_close(t);
}

/* Work in units, as docs/BMF.md tells it. */
TEST(costs_of_operators)
{
        static const struct {
                const char *text;
                int units;
        } rows[] = {
                {"B_Id 1", 1},
                {"B_Con (B_Int 1) 1", 1},
                {"B_Comp (B_Id) (B_Id) 1", 2},
                {"B_Alltup [B_Con (B_Int 2), B_Id] 1", 3},
                {"B_Op (B_Plus) {1, 2}", 1},
                {"B_Op (B_Length) [1, 2, 3]", 1},
                {"B_Op (B_Iota) 5", 5},
                {"B_Op (B_Conc) {[1, 2], [3]}", 3},
                {"B_Op (B_Conc) {[{1, 2}], [{3, 4}]}", 4},
                {"B_Op (B_Distl) {0, [1, 2, 3]}", 3},
                {"B_Op (B_Project) {[1, 2, 3], [0, 0]}", 2},
                {"B_Addr (B_Num 1) (B_Num 2) {1, 2}", 1},
                {"B_Map (B_Id) [1, 2, 3]", 3},
                {"B_Reduce (B_Op (B_Plus)) [1, 2, 3]", 2},
                {"B_Scan (B_Op (B_Plus)) [1, 2, 3]", 2},
                {"B_Zip (B_Op (B_Plus)) {[1, 2], [3, 4]}", 2},
                {"B_Split (B_Num 2) [1, 2, 3]", 0},
                {"P_Distl {0, [1, 2, 3]}", 3},
        };
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                bmf_lab lab;
                ps_bmf_options o = bmf_lab_plain(0, 0);
                o.costs.work = 1;
                bmf_lab_run(&lab, rows[i].text, &o);
                if (lab.end != rows[i].units)
                        fail_msg("%s takes %ld and not %d", rows[i].text, lab.end, rows[i].units);
                bmf_lab_clear(&lab);
        }
}

/* -- traces of another simulator -- */

static FILE *given(const char *name)
{
        const char *folder = getenv("PATSCAN_TRACES");
        char path[512];
        glob_t found = {0};
        FILE *file = NULL;
        snprintf(path, sizeof(path), "%s/picl/%s", folder ? folder : "../*/traces", name);
        if (!glob(path, 0, NULL, &found) && found.gl_pathc)
                file = fopen(found.gl_pathv[0], "r");
        globfree(&found);
        return file;
}

/* That each message of the file is one of the run, at the same times counted from the first of both. */
static void same_messages(FILE *file, const bmf_lab *lab, uint32_t first)
{
        char line[256];
        uint32_t n = 0;
        while (fgets(line, sizeof(line), file)) {
                double time;
                unsigned node, to;
                unsigned long bytes;
                if (sscanf(line, "-3 -21 %lf %u -1 3 2 %lu 1 %u", &time, &node, &bytes, &to) != 4)
                        continue;
                const bmf_lab_message *m = &lab->message[first + n];
                assert_true(first + n < lab->n);
                assert_int_equal(m->from, node);
                assert_int_equal(m->to, to);
                assert_int_equal(m->bytes, bytes);
                assert_int_equal(m->begin - lab->message[first].begin, (long)time);
                n++;
        }
        assert_int_equal(lab->n - first, n);
        rewind(file);
        while (fgets(line, sizeof(line), file)) {
                double time;
                unsigned node, from, found = 0;
                unsigned long bytes;
                if (sscanf(line, "-4 -51 %lf %u -1 3 2 %lu 1 %u", &time, &node, &bytes, &from) != 4)
                        continue;
                for (uint32_t i = first; i < lab->n; i++)
                        found += lab->message[i].to == node && lab->message[i].from == from &&
                                 lab->message[i].bytes == bytes &&
                                 lab->message[i].done - lab->message[first].begin == (long)time;
                assert_int_equal(found, 1);
        }
        fclose(file);
}

#define ONE_TO_16 "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]"

static void check_given(const char *name, const char *text, uint32_t first)
{
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(1, 5);
        FILE *file = given(name);
        if (!file)
                skip();
        bmf_lab_run(&lab, text, &o);
        same_messages(file, &lab, first);
        bmf_lab_clear(&lab);
}

TEST(given_split)
{
        check_given("bmf_split8.trf", "P_Split (B_Num 8) (B_Num 0) [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]", 0);
}

TEST(given_scan)
{
        check_given("bmf_scan16_plus.trf",
                    "B_Comp (P_Scan (B_Op (B_Plus))) (B_Comp (P_Map (B_Reduce (B_Op (B_Plus)))) (P_Split "
                    "(B_Num 16) "
                    "(B_Num 0))) " ONE_TO_16,
                    15);
}

TEST(given_reduce)
{
        check_given("bmf_reduce16_conc.trf",
                    "B_Comp (P_Reduce (B_Op (B_Conc))) (P_Split (B_Num 16) (B_Num 0)) " ONE_TO_16, 15);
}
