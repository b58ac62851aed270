/* test_corpus.c - what a load and an analysis make of traces that real recorders wrote is what the manifest
 * of those traces, the programs behind them and another analyzer say. Skipped without them: see corpus.h. */
#include "core/clock/clock.h"
#include "core/sums/damage.h"
#include "tests/simulator/replay/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/corpus.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define US (PS_PS_PER_S / 1000000)
#define MS (PS_PS_PER_S / 1000)

/* -- what the manifest says -- */

static void check_types(const cJSON *entry, const ps_trace *t)
{
        const cJSON *types = cJSON_GetObjectItemCaseSensitive(entry, "event_types"), *type;
        cJSON_ArrayForEach(type, types)
        {
                uint64_t n = 0;
                for (uint32_t code = 0; code < t->defs.codes.n; code++)
                        if (!strcmp(ps_defs_str(&t->defs, t->defs.codes.row[code]), type->string))
                                n += t->events_by_code[code];
                if (n != (uint64_t)type->valuedouble)
                        fail_msg("%s: %llu of %s, expected %.0f", corpus_text(entry, "name"),
                                 (unsigned long long)n, type->string, type->valuedouble);
        }
}

static void expect_count(const cJSON *entry, const ps_trace *t, ps_issue_kind kind, uint64_t expected)
{
        if (t->issues.row[kind].count != expected)
                fail_msg("%s: %s: %llu, expected %llu", corpus_text(entry, "name"), ps_issue_infos[kind].name,
                         (unsigned long long)t->issues.row[kind].count, (unsigned long long)expected);
}

static void check_defects(const cJSON *entry, const ps_trace *t)
{
        const cJSON *defects = cJSON_GetObjectItemCaseSensitive(entry, "defects");
        expect_count(entry, t, PS_I_NEST_LEAVE, corpus_number(defects, "bad_nesting"));
        expect_count(entry, t, PS_I_EVENT_AFTER_END, corpus_number(defects, "events_after_end"));
        expect_count(entry, t, PS_I_CLOCK_MESSAGE, corpus_number(defects, "recv_before_send"));
        expect_count(entry, t, PS_I_SEND_UNMATCHED, corpus_number(defects, "sends_unmatched"));
        expect_count(entry, t, PS_I_REQUEST_OPEN,
                     corpus_number(defects, "isend_req_open") + corpus_number(defects, "irecv_req_open"));
        if (corpus_number(defects, "coll_overlap_violation") > t->issues.row[PS_I_CLOCK_COLLECTIVE].count)
                fail_msg("%s: too few collectives violated: %llu", corpus_text(entry, "name"),
                         (unsigned long long)t->issues.row[PS_I_CLOCK_COLLECTIVE].count);
        if (!cJSON_GetArraySize(defects) && ps_issues_total(&t->issues))
                loaded_expect_issues(corpus_text(entry, "name"), 0, t, "");
}

/* -- clocks -- */

static ps_time truth_of(const cJSON *clocks, ps_proc process, const char *key)
{
        char name[16];
        snprintf(name, sizeof(name), "%u", process);
        const cJSON *clock = cJSON_GetObjectItemCaseSensitive(clocks, name);
        assert_non_null(clock);
        return (ps_time)cJSON_GetObjectItemCaseSensitive(clock, key)->valuedouble * PS_PS_PER_NS;
}

/* The clocks drift by a microsecond or so; offsets that differ by less agree. */
static void check_truth(const char *name, const cJSON *clocks, const ps_trace *t)
{
        const ps_clock_info *clock = &t->clock;
        assert_true(clock->repaired);
        for (ps_proc p = 1; p < t->defs.processes.n; p++) {
                ps_time low = PS_TIME_MAX, high = -PS_TIME_MAX;
                static const char *const keys[] = {"off1", "off2"};
                for (int k = 0; k < 2; k++) {
                        ps_time true_one = truth_of(clocks, p, keys[k]) - truth_of(clocks, 0, keys[k]);
                        low = true_one < low ? true_one : low;
                        high = true_one > high ? true_one : high;
                }
                ps_time found = clock->offset[p] - clock->offset[0];
                ps_time up = ps_clock_pair_excess(t, p, 0), down = ps_clock_pair_excess(t, 0, p);
                if (low - found - 1 > up || found - high - 1 > down)
                        fail_msg("%s: process %u: offset %lld -%lld +%lld, truth %lld..%lld", name, p,
                                 (long long)found, (long long)down, (long long)up, (long long)low,
                                 (long long)high);
        }
        if (clock->left)
                fail_msg("%s: %llu violations left", name, (unsigned long long)clock->left);
}

static void check_clock(const cJSON *entry, const char *anchor)
{
        corpus_path folder, name;
        corpus_join(folder, "%s/%s", corpus.unpacked, corpus_text(entry, "anchor"));
        *strchr(folder + strlen(corpus.unpacked) + 1, '/') = 0;
        corpus_join(name, "%s/%s", folder, "clock_truth.json");
        cJSON *clocks = json_of_file(name);
        if (!clocks)
                return;
        ps_trace *t = loaded_by(anchor, 1, PS_CLOCK_REPAIR);
        check_truth(corpus_text(entry, "name"), clocks, t);
        loaded_check(t);
        ps_trace_close(t);
        cJSON_Delete(clocks);
}

static void check_threads(const char *anchor, const ps_trace *one, ps_clock_mode clock)
{
        ps_trace *two = loaded_by(anchor, 2, clock);
        const char *difference = loaded_difference(one, two, 1);
        if (difference)
                fail_msg("%s: 1 and 2 threads differ: %s", anchor, difference);
        ps_trace_close(two);
}

/* Where nothing is different, a replay gives each operation the time that it had. */
static void check_replay(const char *name, const ps_trace *t)
{
        ps_scenario as_is;
        ps_scenario_init(&as_is);
        ps_replayed out = lab_replayed(t, &as_is);
        if (out.stuck || out.total != t->measured.duration)
                fail_msg("%s: replayed %lld us of %lld us, %u stuck", name, (long long)(out.total / US),
                         (long long)(t->measured.duration / US), out.n_stuck);
        for (ps_loc l = 0; l < t->n_locs; l++)
                for (ps_op i = 0; i < t->ops[l].n; i++)
                        if (out.timing->enter[l][i] != t->measured.enter[l][i] ||
                            out.timing->leave[l][i] != t->measured.leave[l][i])
                                fail_msg("%s: location %u, operation %u has moved", name, l, i);
        ps_replayed_clear(&out);
}

TEST(archives_load_as_their_manifest_says)
{
        const cJSON *entry;
        if (!corpus.manifest)
                skip();
        cJSON_ArrayForEach(entry, corpus.manifest)
        {
                corpus_path anchor;
                corpus_unpack(corpus_text(entry, "file"));
                corpus_join(anchor, "%s/%s", corpus.unpacked, corpus_text(entry, "anchor"));
                ps_trace *t = loaded_by(anchor, 1, PS_CLOCK_AS_IS);
                assert_int_equal(t->n_events, corpus_number(entry, "events"));
                assert_int_equal(t->n_locs, corpus_number(entry, "locations"));
                assert_int_equal(t->defs.processes.n, corpus_number(entry, "ranks"));
                check_types(entry, t);
                check_defects(entry, t);
                loaded_check(t);
                check_replay(corpus_text(entry, "name"), t);
                analysed_in_full(t, &t->measured, -1);
                check_threads(anchor, t, PS_CLOCK_AS_IS);
                ps_trace_close(t);
                check_clock(entry, anchor);
        }
}

/* -- what the programs themselves measured -- */

static uint32_t pattern_of(const char *name)
{
        const char *id = corpus_pattern(name);
        return id ? ps_pattern_find(id) : PS_NONE;
}

static int is_measured(const cJSON *regions, const ps_trace *t, ps_path p)
{
        const cJSON *region;
        ps_region last = t->paths[p].region;
        const char *name = last == PS_NONE ? "" : ps_defs_str(&t->defs, t->defs.regions.row[last].name);
        cJSON_ArrayForEach(region, regions) if (!strcmp(cJSON_GetStringValue(region), name)) return 1;
        return 0;
}

/* What a process lost in the calls whose time its program took. */
static ps_time lost_in(const cJSON *regions, const ps_trace *t, const ps_analysis *a, ps_proc process)
{
        ps_time lost = 0;
        for (uint32_t i = 0; i < a->n_findings; i++) {
                const ps_finding *f = &a->findings[i];
                if (!ps_pattern_at(f->pattern)->is_view &&
                    t->defs.locations.row[f->location].process == process && is_measured(regions, t, f->path))
                        lost += f->lost;
        }
        return lost;
}

static ps_time calls_of(const cJSON *regions, const ps_trace *t, ps_proc process)
{
        ps_time n = 0;
        for (ps_loc l = 0; l < t->n_locs; l++)
                for (ps_op i = 0; t->defs.locations.row[l].process == process && i < t->ops[l].n; i++)
                        n += is_measured(regions, t, ps_op_path(&t->ops[l], i));
        return n;
}

/* How far a sum of waits may be from what the program measured around its calls: 5 % or 1 ms. Ranks that took
 * no times still complete their own nonblocking sends, which the sum has: 2 ms. Where the clocks had to be
 * estimated, each call may be wrong by what is said to be uncertain. Of three fences the program timed the
 * one behind the planted delay; the others wait for as long as its neighbours take, too: 0.1 ms. */
static ps_time allowed(const cJSON *entry, const ps_trace *t, ps_proc process, ps_time blocked)
{
        const cJSON *regions = cJSON_GetObjectItemCaseSensitive(entry, "measured_regions");
        ps_time least = (blocked ? 1 : 2) * MS;
        if (!strcmp(corpus_text(entry, "category"), "rma"))
                least += calls_of(regions, t, process) * MS / 10;
        ps_time most = blocked / 20 > least ? blocked / 20 : least;
        return t->clock.repaired ? most + calls_of(regions, t, process) * t->clock.uncertainty : most;
}

/* EZTrace's programs shared two processors among four ranks: a receiver does not run yet although its message
 * is there, so that less is lost to the sender than was measured. How much is, another program has counted.
 */
static ps_time reference_of(const cJSON *entry, const char *rank)
{
        const cJSON *waits = cJSON_GetObjectItemCaseSensitive(entry, "reference_waits_on_sync_copy"), *wait;
        ps_time sum = 0;
        cJSON_ArrayForEach(wait, waits) if (strcmp(wait->string, "wait_at_barrier"))
        {
                const cJSON *lost = cJSON_GetObjectItemCaseSensitive(wait, rank);
                sum += lost ? (ps_time)(lost->valuedouble * (double)PS_PS_PER_S) : 0;
        }
        return sum;
}

static void check_blocked(const cJSON *entry, const ps_trace *t, const ps_analysis *a, int is_sync)
{
        const cJSON *regions = cJSON_GetObjectItemCaseSensitive(entry, "measured_regions");
        const cJSON *ranks = cJSON_GetObjectItemCaseSensitive(entry, "measured_blocked"), *rank;
        cJSON_ArrayForEach(rank, ranks)
        {
                ps_proc process = (ps_proc)strtoul(rank->string, NULL, 10);
                const cJSON *number = cJSON_GetObjectItemCaseSensitive(rank, "blocked_s");
                ps_time blocked = (ps_time)(number->valuedouble * (double)PS_PS_PER_S);
                ps_time lost = lost_in(regions, t, a, process);
                ps_time most = allowed(entry, t, process, blocked), least = blocked - most;
                if (is_sync)
                        least = reference_of(entry, rank->string) - MS / 100;
                if (!cJSON_GetArraySize(regions))
                        continue;
                if (lost < least || lost > blocked + most)
                        fail_msg("%s: rank %u lost %lld us, was blocked for %lld us",
                                 corpus_text(entry, "name"), process, (long long)(lost / US),
                                 (long long)(blocked / US));
        }
}

static ps_time lost_by(const ps_trace *t, const ps_analysis *a, uint32_t pattern, ps_proc process)
{
        ps_time lost = 0;
        for (ps_loc l = 0; l < t->n_locs; l++)
                if (t->defs.locations.row[l].process == process)
                        lost += analysed_lost(a, pattern, l, 1);
        return lost;
}

/* Planted waits are of 10 ms and more in all; noise is below 2. */
static void check_planted(const cJSON *entry, const ps_trace *t, const ps_analysis *a)
{
        const cJSON *expected = cJSON_GetObjectItemCaseSensitive(entry, "expected_patterns"), *name;
        const cJSON *ranks = cJSON_GetObjectItemCaseSensitive(entry, "blocked_ranks"), *rank;
        cJSON_ArrayForEach(name, expected)
        {
                uint32_t pattern = pattern_of(cJSON_GetStringValue(name));
                cJSON_ArrayForEach(rank, ranks)
                {
                        if (lost_by(t, a, pattern, (ps_proc)rank->valuedouble) < 5 * MS)
                                fail_msg("%s: rank %.0f has no %s", corpus_text(entry, "name"),
                                         rank->valuedouble, cJSON_GetStringValue(name));
                }
        }
}

static void check_clean(const cJSON *entry, const ps_analysis *a)
{
        const cJSON *expected = cJSON_GetObjectItemCaseSensitive(entry, "expected_patterns");
        if (!cJSON_IsArray(expected) || cJSON_GetArraySize(expected))
                return;
        for (uint32_t i = 0; i < a->n_findings; i++)
                if (a->findings[i].lost > MS)
                        fail_msg("%s: %s", corpus_text(entry, "name"),
                                 ps_pattern_at(a->findings[i].pattern)->id);
}

/* Patterns of some waits may not exist; of calls whose requests are not recorded to complete, nobody can tell
 * what they waited for. */
static const char *unknowable(const cJSON *entry, const ps_trace *t)
{
        const cJSON *expected = cJSON_GetObjectItemCaseSensitive(entry, "expected_patterns"), *name;
        cJSON_ArrayForEach(name, expected) if (pattern_of(cJSON_GetStringValue(name)) ==
                                               PS_NONE) return cJSON_GetStringValue(name);
        return t->issues.row[PS_I_REQUEST_OPEN].count ? "completions are not recorded" : NULL;
}

static void check_measured(const cJSON *entry, const char *anchor, int is_sync)
{
        ps_trace *t = loaded_by(anchor, 1, PS_CLOCK_AUTO);
        ps_analysis *a = analysed(t, PS_DEFINITIONS_PATSCAN, -1, 1);
        const char *reason = unknowable(entry, t);
        analysed_check(t, a);
        if (reason)
                print_message("skipped: %s: %s\n", corpus_text(entry, "name"), reason);
        else
                check_blocked(entry, t, a, is_sync);
        /* With estimated clocks epsilon is what they may be wrong by, which hides all that is smaller. */
        if (!reason && !t->clock.repaired)
                check_planted(entry, t, a);
        check_clean(entry, a);
        ps_analysis_free(a);
        ps_trace_close(t);
}

TEST(measured_waits_are_found)
{
        const cJSON *entry;
        if (!corpus.manifest)
                skip();
        cJSON_ArrayForEach(entry, corpus.manifest)
        {
                corpus_path anchor;
                corpus_join(anchor, "%s/%s", corpus.unpacked, corpus_text(entry, "anchor"));
                check_measured(entry, anchor, 0);
                corpus_sync(anchor);
                if (!access(anchor, R_OK))
                        check_measured(entry, anchor, 1);
        }
}

/* -- traces that another analyzer has analysed -- */

static void check_oracle(const char *anchor)
{
        ps_trace *t = loaded_by(anchor, 1, PS_CLOCK_AUTO);
        uint64_t n = 0;
        for (ps_loc l = 0; l < t->n_locs; l++)
                for (ps_op i = 0; i < t->ops[l].n; i++) {
                        ps_class cls = ps_kinds[t->ops[l].kind[i]].cls;
                        n += cls == PS_C_SEND &&
                             ps_op_comm(&t->ops[l], i) != PS_NONE; /* else to MPI_PROC_NULL */
                        if ((cls == PS_C_SEND || cls == PS_C_RECV || cls == PS_C_COLL) &&
                            ps_op_comm(&t->ops[l], i) != PS_NONE && !(t->ops[l].flags[i] & PS_OP_MATCHED))
                                fail_msg("%s: not matched: location %u, operation %u", anchor, l, i);
                }
        assert_int_equal(t->n_messages, n);
        if (ps_issues_total(&t->issues))
                loaded_expect_issues(anchor, 0, t, "");
        loaded_check(t);
        check_threads(anchor, t, PS_CLOCK_AUTO);
        ps_trace_close(t);
}

TEST(waits_agree_with_the_oracle)
{
        static const char *const patterns[] = {"%s/*/trace/*.otf2%s", "%s/synthetic/*/*.otf2%s"};
        size_t n = 0;
        for (int k = 0; k < 2 && corpus.manifest; k++) {
                corpus_path pattern;
                glob_t found = {0};
                corpus_join(pattern, patterns[k], corpus.oracle, "");
                if (!glob(pattern, 0, NULL, &found))
                        for (size_t i = 0; i < found.gl_pathc; i++, n++)
                                check_oracle(found.gl_pathv[i]);
                globfree(&found);
        }
        if (!n)
                skip();
}

/* What the programs behind two of them do, in milliseconds by rank: the work before each call. */
TEST(planted_waits_are_found)
{
        static const struct {
                const char *trace, *pattern;
                int lost[4];
        } planted[] = {
                {"nbc/trace/traces.otf2",
                 "nonblocking-collective-wait",
                 {30, 50, 50, 50}}, /* 30 20 10 0, 0 10 20 30, 0 20 20 20 */
                {"rma/trace/traces.otf2", "fence-wait", {30, 20, 10, 0}},
                {"rma/trace/traces.otf2", "late-post", {20, 0, 20, 0}},
                {"rma/trace/traces.otf2", "late-complete", {0, 30, 0, 30}},
                {"rma/trace/traces.otf2",
                 "window-lock-wait",
                 {0, 10, 5, 15}}, /* held for 5, in the order 0 2 1 3 */
        };
        for (size_t i = 0; corpus.manifest && i < sizeof(planted) / sizeof(planted[0]); i++) {
                corpus_path anchor;
                corpus_join(anchor, "%s/%s", corpus.oracle, planted[i].trace);
                if (access(anchor, R_OK))
                        skip();
                ps_trace *t = loaded_by(anchor, 1, PS_CLOCK_AUTO);
                ps_analysis *a = analysed(t, PS_DEFINITIONS_PATSCAN, -1, 1);
                for (ps_proc p = 0; p < 4; p++) {
                        ps_time lost = lost_by(t, a, ps_pattern_find(planted[i].pattern), p);
                        ps_time expected = planted[i].lost[p] * MS, most = expected / 20 + MS / 2;
                        if (lost < expected - most || lost > expected + most)
                                fail_msg("%s: %s: rank %u lost %lld us", planted[i].trace, planted[i].pattern,
                                         p, (long long)(lost / US));
                }
                ps_analysis_free(a);
                ps_trace_close(t);
        }
        if (!corpus.manifest)
                skip();
}

/* Beside the corpus: files of locations that were swapped, and a record that cannot be. */
TEST(damaged_traces_are_known)
{
        static const struct {
                const char *trace;
                ps_issue_kind issue; /* PS_I_COUNT: messages without a partner */
        } damaged[] = {{"swapped-evt", PS_I_COUNT}, {"eager-overflow-otf2", PS_I_FILE_CORRUPT}};
        for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
                corpus_path folder, anchor;
                corpus_join(folder, "%s/../cases/damage/%s", corpus.folder, damaged[i].trace);
                corpus_join(anchor, "%s/traces.otf2%s", folder, "");
                if (access(anchor, R_OK))
                        skip();
                ps_trace *t = loaded_by(anchor, 1, PS_CLOCK_AUTO);
                ps_damage damage = ps_damage_of(&t->issues, t->n_messages);
                assert_true(ps_is_damaged(&damage));
                assert_int_equal(damage.first, damaged[i].issue);
                ps_trace_close(t);
        }
}

static int open_corpus(void **state)
{
        (void)state;
        if (!corpus_open())
                print_message("skipped: no recorded traces are beside this tree\n");
        return 0;
}

static int close_corpus(void **state)
{
        (void)state;
        corpus_close();
        return 0;
}

TESTS_BETWEEN(open_corpus, close_corpus)
