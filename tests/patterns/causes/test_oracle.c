/* test_oracle.c - under Scalasca's definitions the costs of delays and the critical path are Scalasca's:
 * compared with its answers for recorded traces, which are no part of this tree (tests/support/corpus.h). */
#include "tests/patterns/causes/lab.h"
#include "tests/support/corpus.h"
#include "tests/support/test.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 600 };

/* Recorded times are ticks; a microsecond or two is what reading them back and forth may cost. */
#define TOLERANCE_S 2e-6

static const struct {
        const char *metric;
        ps_delay_family family;
        ps_delay_term term;
} metrics[] = {
        {"mpi_latesender", PS_DELAY_LATE_SENDER, PS_DELAYED_WAIT},
        {"delay_latesender", PS_DELAY_LATE_SENDER, PS_DELAYED_SHORT},
        {"delay_latesender_longterm", PS_DELAY_LATE_SENDER, PS_DELAYED_LONG},
        {"mpi_wait_indirect_latesender", PS_DELAY_LATE_SENDER, PS_DELAYED_INDIRECT},
        {"mpi_wait_propagating_ls", PS_DELAY_LATE_SENDER, PS_DELAYED_PROPAGATING},
        {"mpi_latereceiver", PS_DELAY_LATE_RECEIVER, PS_DELAYED_WAIT},
        {"delay_latereceiver", PS_DELAY_LATE_RECEIVER, PS_DELAYED_SHORT},
        {"delay_latereceiver_longterm", PS_DELAY_LATE_RECEIVER, PS_DELAYED_LONG},
        {"mpi_wait_indirect_latereceiver", PS_DELAY_LATE_RECEIVER, PS_DELAYED_INDIRECT},
        {"mpi_wait_propagating_lr", PS_DELAY_LATE_RECEIVER, PS_DELAYED_PROPAGATING},
        {"mpi_barrier_wait", PS_DELAY_BARRIER, PS_DELAYED_WAIT},
        {"delay_barrier", PS_DELAY_BARRIER, PS_DELAYED_SHORT},
        {"delay_barrier_longterm", PS_DELAY_BARRIER, PS_DELAYED_LONG},
        {"mpi_wait_nxn", PS_DELAY_NXN, PS_DELAYED_WAIT},
        {"delay_n2n", PS_DELAY_NXN, PS_DELAYED_SHORT},
        {"delay_n2n_longterm", PS_DELAY_NXN, PS_DELAYED_LONG},
        {"mpi_latebroadcast", PS_DELAY_BROADCAST, PS_DELAYED_WAIT},
        {"delay_12n", PS_DELAY_BROADCAST, PS_DELAYED_SHORT},
        {"delay_12n_longterm", PS_DELAY_BROADCAST, PS_DELAYED_LONG},
        {"mpi_earlyreduce", PS_DELAY_REDUCE, PS_DELAYED_WAIT},
        {"delay_n21", PS_DELAY_REDUCE, PS_DELAYED_SHORT},
        {"delay_n21_longterm", PS_DELAY_REDUCE, PS_DELAYED_LONG},
};

static double number_at(const cJSON *metric, const char *key, ps_loc loc)
{
        const cJSON *of = cJSON_GetObjectItem(metric, key);
        const cJSON *at = cJSON_IsArray(of) ? cJSON_GetArrayItem(of, (int)loc) : of;
        return at ? at->valuedouble : 0;
}

static void expect(const char *run, const char *what, double got, double wanted)
{
        if (!(fabs(got - wanted) <= TOLERANCE_S))
                fail_msg("%s: %s is %.9f and not %.9f s", run, what, got, wanted);
}

static double seconds(ps_time time)
{
        return (double)time / (double)PS_PS_PER_S;
}

static void compare_delays(const delayed *d, const char *run, const cJSON *answers)
{
        for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
                const cJSON *metric = cJSON_GetObjectItem(answers, metrics[m].metric);
                for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                        expect(run, metrics[m].metric,
                               seconds(delayed_sum(d, metrics[m].family, metrics[m].term, loc)),
                               number_at(metric, "by_location", loc));
                expect(run, metrics[m].metric,
                       seconds(delayed_sum(d, metrics[m].family, metrics[m].term, PS_NONE)),
                       number_at(metric, "total", 0));
        }
}

/* "program > main > work": the first is the program's own name, which the trace's paths do not have. */
static void name_of(char out[NAME_ROOM], const ps_trace *trace, ps_path path)
{
        char longer[NAME_ROOM];
        for (out[0] = 0; path; path = trace->paths[path].parent) {
                ps_region region = trace->paths[path].region;
                snprintf(longer, NAME_ROOM, "%.200s%s%.350s",
                         ps_defs_str(&trace->defs, trace->defs.regions.row[region].name), out[0] ? " > " : "",
                         out);
                memcpy(out, longer, NAME_ROOM);
        }
}

static double path_time(const delayed *d, const char *name)
{
        double sum = 0;
        for (uint32_t i = 0; i < d->critical->n; i++) {
                char own[NAME_ROOM];
                name_of(own, d->trace, d->critical->row[i].path);
                size_t n = strlen(own), all = strlen(name);
                if (n && (!strcmp(own, name) ||
                          (all > n + 3 && !strcmp(name + all - n, own) &&
                           !strncmp(name + all - n - 3, " > ", 3) && !memchr(name, '>', all - n - 3))))
                        sum += seconds(d->critical->row[i].time);
        }
        return sum;
}

static void compare_critical(const delayed *d, const char *run, const cJSON *answers)
{
        const cJSON *metric = cJSON_GetObjectItem(answers, "critical_path"), *path;
        expect(run, "critical_path", seconds(d->critical->length), number_at(metric, "total", 0));
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                ps_time sum = 0;
                for (uint32_t i = 0; i < d->critical->n; i++)
                        sum += d->critical->row[i].by_location[loc];
                expect(run, "critical_path at a location", seconds(sum),
                       number_at(metric, "by_location", loc));
        }
        cJSON_ArrayForEach(path, cJSON_GetObjectItem(metric, "by_callpath")) if (strchr(path->string, '>'))
                expect(run, path->string, path_time(d, path->string), number_at(path, "total", 0));
}

/* Recorded traces, and those that were made by hand; where each has its anchor. */
static const struct {
        const char *answers, *anchor;
} experiments[] = {{"/*/oracle.json", "trace/traces.otf2"}, {"/synthetic/*/oracle.json", "traces.otf2"}};

static bool compare_experiments(const char *answers_of, const char *anchor_of)
{
        glob_t found = {0};
        corpus_path pattern;
        corpus_join(pattern, "%s%s", corpus.oracle, answers_of);
        bool is_there = !glob(pattern, 0, NULL, &found);
        for (size_t i = 0; i < found.gl_pathc; i++) {
                char anchor[NAME_ROOM];
                const char *path = found.gl_pathv[i];
                snprintf(anchor, sizeof anchor, "%.*s/%s", (int)(strrchr(path, '/') - path), path, anchor_of);
                cJSON *oracle = json_of_file(path), *answers = cJSON_GetObjectItem(oracle, "metrics");
                assert_non_null(answers);
                ps_trace *trace = delayed_load(anchor, PS_CLOCK_AS_IS);
                delayed d = delayed_of(trace, PS_DEFINITIONS_SCALASCA, -1, 2);
                compare_delays(&d, path, answers);
                compare_critical(&d, path, answers);
                delayed_free(&d);
                ps_trace_close(trace);
                cJSON_Delete(oracle);
        }
        print_message("%s: %zu traces\n", answers_of, found.gl_pathc);
        globfree(&found);
        return is_there;
}

TEST(the_other_analyzer_says_the_same)
{
        bool is_there = corpus_open() != 0;
        for (size_t i = 0; i < sizeof experiments / sizeof *experiments && is_there; i++)
                is_there = compare_experiments(experiments[i].answers, experiments[i].anchor);
        corpus_close();
        if (!is_there)
                skip();
}
