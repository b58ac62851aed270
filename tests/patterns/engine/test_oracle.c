/* test_oracle.c - the waits by Scalasca's definitions are those that Scalasca itself found.
 *
 * Traces with its answers are not kept here: they are looked for in the folder oracle/ of any sibling of this
 * tree, or where PATSCAN_ORACLE points. Each <name>/oracle.json stands beside <name>/trace/traces.otf2;
 * synthetic/index.json has the answers of all traces in synthetic/<name>/, derived by hand. */
#include "patterns/engine/engine.h"
#include "tests/support/analysed.h"
#include "tests/support/corpus.h"
#include "tests/support/test.h"
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
        const char *metric, *pattern;
        int whole_run; /* only of traces that were recorded from beginning to end */
} metrics[] = {
        {"mpi_latesender", "late-sender", 0},
        {"mpi_latesender_wo", "late-sender-wrong-order", 0},
        {"mpi_lswo_same", "late-sender-wrong-order-same-source", 0},
        {"mpi_lswo_different", "late-sender-wrong-order-different-source", 0},
        {"mpi_latereceiver", "late-receiver", 0},
        {"mpi_barrier_wait", "barrier-wait", 0},
        {"mpi_barrier_completion", "barrier-completion", 0},
        {"mpi_wait_nxn", "nxn-wait", 0},
        {"mpi_nxn_completion", "nxn-completion", 0},
        {"mpi_latebroadcast", "late-broadcast", 0},
        {"mpi_earlyreduce", "early-reduce", 0},
        {"mpi_earlyscan", "early-scan", 0},
        {"mpi_finalize_wait", "finalize-wait", 1},
        {"mpi_init_completion", "init-completion", 1},
};

enum { N_METRICS = sizeof metrics / sizeof *metrics };

static int find(const char *folder, const char *rest, glob_t *found)
{
        char pattern[512];
        const char *from = getenv("PATSCAN_ORACLE");
        if (from && *from)
                snprintf(pattern, sizeof pattern, "%s/%s%s", from, folder, rest);
        else
                snprintf(pattern, sizeof pattern, "../*/oracle/%s%s", folder, rest);
        return glob(pattern, 0, NULL, found) == 0;
}

struct run {
        const char *name;
        ps_trace *trace;
        ps_analysis *analysis;
};

static struct run analyse(const char *name, const char *anchor)
{
        struct run run = {.name = name};
        ps_error err = {0};
        const ps_load_options load = {.n_threads = 2, .clock = PS_CLOCK_AS_IS};
        const ps_analysis_options options = {.definitions = PS_DEFINITIONS_SCALASCA, .n_threads = 2};
        if (ps_trace_load(&run.trace, anchor, &load, &err) < 0)
                fail_msg("cannot load: path=\"%s\"", anchor);
        assert_int_equal(ps_analyse(&run.analysis, run.trace, &run.trace->measured, &options, &err), PS_OK);
        return run;
}

static void forget(struct run *run)
{
        ps_analysis_free(run->analysis);
        ps_trace_close(run->trace);
}

static void compare(const struct run *run, unsigned metric, ps_loc loc, double wanted, double tolerance)
{
        uint32_t pattern = ps_pattern_find(metrics[metric].pattern);
        assert_int_not_equal(pattern, PS_NONE);
        double got = (double)analysed_lost(run->analysis, pattern, loc, 1) / (double)PS_PS_PER_S;
        if (!(fabs(got - wanted) <= tolerance))
                fail_msg("%s: %s at location %d is %.12f and not %.12f s", run->name, metrics[metric].pattern,
                         loc == PS_NONE ? -1 : (int)loc, got, wanted);
}

TEST(recorded_traces_agree)
{
        glob_t found;
        if (!find("*", "/oracle.json", &found)) {
                print_message("skipped: no folder with the answers of another analyzer\n");
                skip();
        }
        for (size_t i = 0; i < found.gl_pathc; i++) {
                char anchor[512];
                const char *path = found.gl_pathv[i];
                snprintf(anchor, sizeof anchor, "%.*s/trace/traces.otf2", (int)(strrchr(path, '/') - path),
                         path);
                cJSON *oracle = json_of_file(path), *answers = cJSON_GetObjectItem(oracle, "metrics");
                assert_non_null(answers);
                struct run run = analyse(path, anchor);
                for (unsigned m = 0; m < N_METRICS; m++) {
                        const cJSON *metric = cJSON_GetObjectItem(answers, metrics[m].metric), *at;
                        const cJSON *total = cJSON_GetObjectItem(metric, "total");
                        ps_loc loc = 0;
                        compare(&run, m, PS_NONE, total ? total->valuedouble : 0, 1e-8);
                        cJSON_ArrayForEach(at, cJSON_GetObjectItem(metric, "by_location"))
                                compare(&run, m, loc++, at->valuedouble, 1e-8);
                        assert_true(loc == 0 || loc == run.trace->n_locs);
                }
                forget(&run);
                cJSON_Delete(oracle);
        }
        print_message("%zu traces\n", found.gl_pathc);
        globfree(&found);
}

static void check_synthetic(const char *name, const cJSON *answers)
{
        glob_t anchors;
        char folder[128];
        snprintf(folder, sizeof folder, "synthetic/%s", name);
        if (!find(folder, "/traces.otf2", &anchors))
                fail_msg("no trace: name=\"%s\"", name);
        struct run run = analyse(name, anchors.gl_pathv[0]);
        for (unsigned m = 0; m < N_METRICS; m++) {
                const cJSON *wanted = cJSON_GetObjectItem(answers, metrics[m].metric);
                if (wanted || !metrics[m].whole_run)
                        compare(&run, m, PS_NONE, wanted ? wanted->valuedouble : 0, 1e-9);
        }
        forget(&run);
        globfree(&anchors);
}

TEST(synthetic_traces_agree_exactly)
{
        glob_t found;
        if (!find("synthetic", "/index.json", &found)) {
                print_message("skipped: no folder with the answers of another analyzer\n");
                skip();
        }
        cJSON *index = json_of_file(found.gl_pathv[0]);
        const cJSON *one;
        assert_non_null(index);
        cJSON_ArrayForEach(one, index) check_synthetic(one->string, cJSON_GetObjectItem(one, "expect"));
        print_message("%d traces\n", cJSON_GetArraySize(index));
        cJSON_Delete(index);
        globfree(&found);
}
