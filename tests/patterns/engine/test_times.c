/* test_times.c - all time of the focus is of one kind each: by hand, on made-up programs, and on traces that
 * recorders wrote. */
#include "tests/support/analysed.h"
#include "tests/support/corpus.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define US(n) ((ps_time)(n)*1000 * PS_PS_PER_NS)

static const ps_focus_wish program = {.how = PS_FOCUS_PROGRAM}, whole = {.how = PS_FOCUS_WHOLE_RUN};

static ps_trace *load_by(const char *anchor, const ps_focus_wish *wish, unsigned n_threads,
                         ps_clock_mode clock)
{
        ps_trace *trace;
        ps_error err = {0};
        const ps_load_options options = {.n_threads = n_threads, .clock = clock, .focus = wish};
        if (ps_trace_load(&trace, anchor, &options, &err) < 0)
                fail_msg("%s: %s", anchor, err.cause[0].text);
        return trace;
}

static ps_trace *load(const char *anchor, const ps_focus_wish *wish, unsigned n_threads)
{
        return load_by(anchor, wish, n_threads, PS_CLOCK_AUTO);
}

/* Every location's kinds add up to the length of the focus, and none is negative. */
static void expect_whole(const ps_trace *trace, const ps_times *times)
{
        ps_time length = ps_focus_length(&trace->measured), all = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                ps_time sum = 0;
                for (unsigned k = 0; k < PS_TIME_KINDS; k++) {
                        ps_time time = ps_times_of_kind(times, (ps_time_kind)k)[l];
                        assert_true(time >= 0);
                        sum += time;
                }
                assert_int_equal(sum, ps_focus_tells(trace, &trace->measured, l) ? length : 0);
                all += sum;
        }
        assert_int_equal(all, times->all);
}

static void expect_us(const ps_times *times, ps_time_kind kind, ps_loc loc, ps_time us)
{
        ps_time found = ps_times_of_kind(times, kind)[loc];
        if (found != US(us))
                fail_msg("%s of location %u: %lld ns, not %lld", ps_time_infos[kind].key, loc,
                         (long long)(found / 1000), (long long)us * 1000);
}

/* Init ends at 100 and 110, Finalize begins at 400 and 420: 310 us. Rank 0 computes up to 200, waits in its
 * Recv until the message is sent at 300, which then takes 10; the recorder is asked for its rank for 5; from
 * 400 on it waits in Finalize. Rank 1 computes 300 - 110 and 420 - 302, sends for 2. */
TEST(the_table_of_time_follows_by_hand)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                ps_gen_visit(g, r, PS_GEN_US(10), PS_GEN_US(r ? 110 : 100), "MPI_Init");
        }
        ps_gen_send(g, 1, PS_GEN_US(300), PS_GEN_US(302), 0, PS_GEN_WORLD, 7, 100);
        ps_gen_recv(g, 0, PS_GEN_US(200), PS_GEN_US(310), 1, PS_GEN_WORLD, 7, 100);
        ps_gen_visit(g, 0, PS_GEN_US(350), PS_GEN_US(355), "MPI_Comm_rank");
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_visit(g, r, PS_GEN_US(r ? 420 : 400), PS_GEN_US(480), "MPI_Finalize");
                ps_gen_leave(g, r, PS_GEN_US(500), "main");
        }
        ps_gen_close(g);
        ps_trace *trace = load_by(ps_gen_anchor(g), &program, 1, PS_CLOCK_AS_IS);
        ps_times *times = analysed_times(trace, 1);
        expect_whole(trace, times);
        expect_us(times, PS_TIME_COMPUTATION, 0, 90 + 40 + 45);
        expect_us(times, PS_TIME_WAITING, 0, 100 + 20);
        expect_us(times, PS_TIME_TRANSFER, 0, 10);
        expect_us(times, PS_TIME_LIBRARY, 0, 5);
        expect_us(times, PS_TIME_NOT_RUNNING, 0, 0);
        expect_us(times, PS_TIME_COMPUTATION, 1, 190 + 118);
        expect_us(times, PS_TIME_TRANSFER, 1, 2);
        assert_int_equal(ps_times_lost(times), US(120));
        assert_int_equal(ps_times_nth(times, 0), PS_TIME_COMPUTATION);
        assert_int_equal(ps_times_nth(times, 1), PS_TIME_WAITING);
        assert_int_equal(ps_times_nth(times, PS_TIME_KINDS - 2), PS_TIME_KINDS);
        ps_times_free(times);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Between Init and Finalize 300: files by MPI for 50, by the system for 30, a call for the device for 70. All
 * of it is what the program is there for. */
TEST(files_and_devices_are_no_computation)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_enter(g, 0, 0, "main");
        ps_gen_visit(g, 0, PS_GEN_US(10), PS_GEN_US(100), "MPI_Init");
        ps_gen_visit(g, 0, PS_GEN_US(150), PS_GEN_US(200), "MPI_File_write_at");
        ps_gen_visit(g, 0, PS_GEN_US(200), PS_GEN_US(230), "pwrite");
        ps_gen_visit(g, 0, PS_GEN_US(230), PS_GEN_US(300), "cudaDeviceSynchronize");
        ps_gen_visit(g, 0, PS_GEN_US(400), PS_GEN_US(480), "MPI_Finalize");
        ps_gen_leave(g, 0, PS_GEN_US(500), "main");
        ps_gen_close(g);
        ps_trace *trace = load_by(ps_gen_anchor(g), &program, 1, PS_CLOCK_AS_IS);
        ps_times *times = analysed_times(trace, 1);
        expect_whole(trace, times);
        expect_us(times, PS_TIME_COMPUTATION, 0, 50 + 100);
        expect_us(times, PS_TIME_FILES, 0, 50 + 30);
        expect_us(times, PS_TIME_DEVICE, 0, 70);
        expect_us(times, PS_TIME_LIBRARY, 0, 0);
        assert_int_equal(ps_times_own(times, 0), US(300));
        assert_int_equal(ps_times_all_own(times), US(300));
        assert_int_equal(ps_times_nth(times, 1), PS_TIME_FILES);
        assert_int_equal(ps_times_nth(times, 2), PS_TIME_DEVICE);
        assert_int_equal(ps_times_nth(times, 3), PS_TIME_WAITING);
        ps_times_free(times);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* -- laws -- */

enum { N_SEEDS = 12 };

static void expect_same_sums(const ps_times *a, const ps_times *b, const uint32_t *rename)
{
        assert_memory_equal(a->sum, b->sum, sizeof(a->sum));
        for (unsigned k = 0; k < PS_TIME_KINDS; k++)
                for (ps_loc l = 0; l < a->n_locs; l++)
                        assert_int_equal(ps_times_of_kind(a, (ps_time_kind)k)[l],
                                         ps_times_of_kind(b, (ps_time_kind)k)[rename ? rename[l] : l]);
}

static ps_focus_wish third(const ps_trace *trace)
{
        ps_time duration = trace->measured.duration;
        return (ps_focus_wish){
                .how = PS_FOCUS_RANGE, .from = duration / 3, .to = duration - duration / 3, .ranks = "1"};
}

/* Clocks that have nothing in common are repaired or not, and everything adds up all the same. */
static void expect_whole_with_skew(random_program p)
{
        int64_t skew[RANDOM_MAX_RANKS];
        uint32_t n_messages, n_colls;
        for (int r = 0; r < RANDOM_MAX_RANKS; r++)
                skew[r] = INT64_C(7654321) * (r * 5 % RANDOM_MAX_RANKS);
        p.options.skew = skew;
        for (int mode = PS_CLOCK_AUTO; mode <= PS_CLOCK_REPAIR; mode++) {
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                ps_trace *t = load_by(ps_gen_anchor(g), &program, 2, (ps_clock_mode)mode);
                ps_times *times = analysed_times(t, 2);
                expect_whole(t, times);
                ps_times_free(times);
                ps_trace_close(t);
                ps_gen_free(g);
        }
}

TEST(made_up_programs_add_up)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                uint32_t n_messages, n_colls, rename[RANDOM_MAX_RANKS];
                uint64_t random = seed;
                random_program p = {
                        .seed = seed + 5, .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1), .steps = 60};
                for (uint32_t r = 0; r < p.ranks; r++) {
                        uint32_t k = maker_random(&random, r + 1);
                        rename[r] = rename[k];
                        rename[k] = r;
                }
                random_program q = p;
                q.rename = rename;
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                ps_gen *h = random_program_write(&q, &n_messages, &n_colls);
                ps_trace *t = load(ps_gen_anchor(g), &whole, 1), *u = load(ps_gen_anchor(h), &whole, 1);
                ps_times *times = analysed_times(t, 1), *renamed = analysed_times(u, 1);
                expect_whole(t, times);
                expect_same_sums(times, renamed, rename);
                const ps_focus_wish part = third(t);
                ps_times_free(times);
                ps_times_free(renamed);
                ps_trace_close(t);
                ps_trace_close(u);
                static const unsigned n_threads[] = {1, 2, 7};
                ps_times *found[3];
                for (int k = 0; k < 3; k++) {
                        t = load(ps_gen_anchor(g), &part, n_threads[k]);
                        found[k] = analysed_times(t, n_threads[k]);
                        expect_whole(t, found[k]);
                        ps_trace_close(t);
                }
                for (int k = 0; k < 3; k++) {
                        expect_same_sums(found[0], found[k], NULL);
                        if (k)
                                ps_times_free(found[k]);
                }
                ps_times_free(found[0]);
                expect_whole_with_skew(p);
                ps_gen_free(g);
                ps_gen_free(h);
        }
}

/* -- the corpus -- */

/* What the program's own timers say of the time that its ranks were blocked, as a share of all; 0: nothing.
 */
static double planted_share(const cJSON *entry)
{
        const cJSON *rank;
        double blocked = 0, elapsed = 0;
        if (!cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(entry, "expected_patterns")))
                return 0;
        cJSON_ArrayForEach(rank, cJSON_GetObjectItemCaseSensitive(entry, "measured_blocked"))
        {
                blocked += cJSON_GetObjectItemCaseSensitive(rank, "blocked_s")->valuedouble;
                elapsed += cJSON_GetObjectItemCaseSensitive(rank, "elapsed_s")->valuedouble;
        }
        return elapsed > 0 ? blocked / elapsed : 0;
}

static int is_expected(const cJSON *entry, const char *pattern)
{
        const cJSON *name;
        cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(entry, "expected_patterns"))
        {
                const char *id = corpus_pattern(cJSON_GetStringValue(name));
                if (id && !strcmp(id, pattern))
                        return 1;
        }
        return 0;
}

/* One of those that were planted takes more of the waiting than any other; where each step ends in a barrier,
 * its waits follow from the planted ones and may be as long. */
static void expect_leads(const cJSON *entry, const ps_trace *trace)
{
        ps_analysis *a = analysed(trace, PS_DEFINITIONS_PATSCAN, -1, 2);
        uint32_t barrier = ps_pattern_find("barrier-wait");
        ps_time planted = 0, other = 0;
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                const ps_pattern *row = ps_pattern_at(p);
                ps_time lost = ps_pattern_waits(row) ? analysed_lost(a, p, PS_NONE, 1) : 0;
                ps_time *most = is_expected(entry, row->id) ? &planted : row->parent ? NULL : &other;
                if (most && lost > *most)
                        *most = lost - (p == barrier && most == &other ? lost / 3 : 0);
        }
        if (planted < other)
                fail_msg("%s: planted %lld us, but other waits take %lld us", corpus_text(entry, "name"),
                         (long long)(planted / US(1)), (long long)(other / US(1)));
        ps_analysis_free(a);
}

/* Score-P's own Init takes most of these runs: what was planted shows all the same. */
static void expect_planted(const cJSON *entry, const char *anchor)
{
        double planted = planted_share(entry);
        if (strncmp(corpus_text(entry, "name"), "scorep", 6) != 0 || planted < 0.1)
                return;
        ps_trace *trace = load(anchor, &program, 2);
        ps_times *times = analysed_times(trace, 2);
        double lost = ps_times_share(times, ps_times_lost(times));
        if (lost < planted / 3 || lost > planted * 3)
                fail_msg("%s: lost %.3f, planted %.3f", anchor, lost, planted);
        expect_leads(entry, trace);
        ps_times_free(times);
        ps_trace_close(trace);
}

static void add_up(const char *anchor)
{
        const ps_focus_wish *const wishes[] = {&program, &whole};
        for (int k = 0; k < 3; k++) {
                ps_trace *trace = load(anchor, wishes[k % 2], 2);
                if (k == 2 && trace->measured.duration > 10) {
                        const ps_focus_wish part = third(trace);
                        ps_trace_close(trace);
                        trace = load(anchor, &part, 2);
                }
                ps_times *times = analysed_times(trace, 2);
                expect_whole(trace, times);
                ps_times_free(times);
                ps_trace_close(trace);
        }
}

/* Those of the oracle, beside the corpus. */
static void add_up_all(const char *format)
{
        glob_t found = {0};
        corpus_path anchors;
        corpus_join(anchors, format, corpus.oracle, "");
        if (!glob(anchors, 0, NULL, &found))
                for (size_t i = 0; i < found.gl_pathc; i++)
                        add_up(found.gl_pathv[i]);
        globfree(&found);
}

TEST(recorded_traces_add_up)
{
        if (corpus_open()) {
                const cJSON *entry, *list = corpus.manifest;
                list = cJSON_IsArray(list) ? list : cJSON_GetObjectItemCaseSensitive(list, "traces");
                cJSON_ArrayForEach(entry, list)
                {
                        corpus_path anchor;
                        corpus_unpack(corpus_text(entry, "file"));
                        corpus_join(anchor, "%s/%s", corpus.unpacked, corpus_text(entry, "anchor"));
                        add_up(anchor);
                        expect_planted(entry, anchor);
                        corpus_sync(anchor);
                        if (!access(anchor, R_OK))
                                add_up(anchor);
                }
        }
        add_up_all("%s%s/*/trace/traces.otf2");
        add_up_all("%s%s/synthetic/*/*.otf2");
        corpus_close();
}
