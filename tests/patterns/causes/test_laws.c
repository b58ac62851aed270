/* test_laws.c - what holds for the delays of every trace, to the picosecond: see delayed_check. Tried on
 * programs that are made up, on the traces of real recorders where they are, and on broken clocks. */
#include "tests/patterns/causes/lab.h"
#include "tests/support/corpus.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <glob.h>
#include <stdio.h>

enum { N_SEEDS = SANITIZED ? 8 : 25 };

static const unsigned n_threads[] = {2, 7};

static void check(const ps_trace *trace, const char *name)
{
        for (int definitions = 0; definitions < PS_N_DEFINITIONS; definitions++) {
                delayed one = delayed_of(trace, (ps_definitions)definitions, definitions == 0 ? 0 : -1, 1);
                delayed_check(&one, name);
                for (size_t i = 0; i < sizeof n_threads / sizeof *n_threads; i++) {
                        delayed more = delayed_of(trace, (ps_definitions)definitions,
                                                  definitions == 0 ? 0 : -1, n_threads[i]);
                        delayed_same(&one, &more, name);
                        delayed_free(&more);
                }
                delayed_free(&one);
        }
}

static ps_trace *load(const random_program *program, ps_clock_mode clock)
{
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(program, &n_messages, &n_colls);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), clock);
        ps_gen_free(g);
        return trace;
}

/* Each third one has exchanges among neighbours. */
static random_program program(uint64_t seed)
{
        return (random_program){
                .seed = seed, .ranks = 2 + (uint32_t)(seed % 7), .steps = 150, .neighbours = seed % 3 == 2};
}

/* With a name to tell of it. */
static ps_trace *load_program(uint64_t seed, char *name, size_t room)
{
        random_program p = program(seed);
        snprintf(name, room, "program %d", (int)seed);
        return load(&p, PS_CLOCK_AUTO);
}

/* Clocks are right there: whatever is waited, somebody is charged with. */
TEST(made_up_programs_leave_nothing_unexplained)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                char name[32];
                ps_trace *trace = load_program(seed, name, sizeof(name));
                check(trace, name);
                delayed d = delayed_of(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
                ps_time unexplained = delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_UNEXPLAINED, PS_NONE);
                if (unexplained)
                        fail_msg("%s: %lld ps unexplained", name, (long long)unexplained);
                assert_true(d.delays->n_costs > 0);
                delayed_free(&d);
                ps_trace_close(trace);
        }
}

static ps_time cost_of(const delayed *d, const ps_delay_cost *wanted)
{
        for (uint32_t i = 0; i < d->delays->n_costs; i++) {
                const ps_delay_cost *c = &d->delays->cost[i];
                if (c->location == wanted->location && c->path == wanted->path)
                        return c->direct + c->indirect;
        }
        return 0;
}

static void expect_parts(const delayed *whole, const delayed *parts, uint32_t n, const char *name)
{
        for (uint32_t i = 0; i < whole->delays->n_costs; i++) {
                const ps_delay_cost *c = &whole->delays->cost[i];
                ps_time sum = 0, apart;
                for (uint32_t r = 0; r < n; r++)
                        sum += cost_of(&parts[r], c);
                apart = c->direct + c->indirect - sum;
                if (apart > 100 * PS_PS_PER_NS || apart < -100 * PS_PS_PER_NS)
                        fail_msg("%s: location %u, path %u: %lld of %lld ps", name, c->location, c->path,
                                 (long long)sum, (long long)(c->direct + c->indirect));
        }
}

/* What one rank is told of is what it waited itself, and the path as far as it is its own: together they are
 * what is told of all, but for what divisions leave. */
TEST(causes_of_each_rank_are_those_of_all)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                char name[32];
                ps_trace *trace = load_program(seed, name, sizeof(name));
                ps_focus focus = trace->measured.focus
                                         ? *trace->measured.focus
                                         : (ps_focus){.how = PS_FOCUS_WHOLE_RUN,
                                                      .span = &(ps_span){0, trace->measured.duration},
                                                      .n_spans = 1,
                                                      .length = trace->measured.duration};
                ps_timing timing = trace->measured;
                uint8_t is_told[8] = {0};
                delayed whole = delayed_of(trace, PS_DEFINITIONS_PATSCAN, 0, 1), parts[8];
                ps_time path = 0;
                focus.is_told = is_told;
                trace->measured.focus = &focus;
                for (uint32_t r = 0; r < trace->n_locs; r++) {
                        is_told[r] = 1;
                        parts[r] = delayed_of(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
                        assert_int_equal(delayed_sum(&parts[r], PS_N_DELAYS, PS_DELAYED_WAIT, PS_NONE),
                                         delayed_sum(&whole, PS_N_DELAYS, PS_DELAYED_WAIT, r));
                        assert_int_equal(parts[r].critical->length, whole.critical->length);
                        for (uint32_t i = 0; i < parts[r].critical->n; i++)
                                path += parts[r].critical->row[i].time;
                        for (uint32_t c = 0; c < parts[r].causes->n; c++)
                                for (uint32_t w = 0; w < parts[r].causes->row[c].n_processes; w++)
                                        assert_int_equal(parts[r].causes->row[c].processes[w], r);
                        is_told[r] = 0;
                }
                assert_int_equal(path, whole.critical->length);
                expect_parts(&whole, parts, trace->n_locs, name);
                for (uint32_t r = 0; r < trace->n_locs; r++)
                        delayed_free(&parts[r]);
                trace->measured = timing;
                delayed_free(&whole);
                ps_trace_close(trace);
        }
}

/* Nothing depends on when a run began. */
TEST(clocks_may_be_shifted_as_a_whole)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                random_program p = program(seed), q = p;
                q.options.start = UINT64_C(123456789012345);
                ps_trace *a = load(&p, PS_CLOCK_AUTO), *b = load(&q, PS_CLOCK_AUTO);
                delayed x = delayed_of(a, PS_DEFINITIONS_PATSCAN, 0, 1);
                delayed y = delayed_of(b, PS_DEFINITIONS_PATSCAN, 0, 1);
                delayed_same(&x, &y, "shifted");
                delayed_free(&x);
                delayed_free(&y);
                ps_trace_close(a);
                ps_trace_close(b);
        }
}

/* The clocks contradict: something may stay unexplained, but all adds up. */
TEST(wrong_clocks_break_no_law)
{
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
                int64_t skew[RANDOM_MAX_RANKS];
                for (int r = 0; r < RANDOM_MAX_RANKS; r++)
                        skew[r] = (int64_t)(seed + 1) * 300 * (r % 3);
                random_program p = program(seed);
                p.options = (ps_gen_options){.style = PS_GEN_EZTRACE, .skew = skew};
                ps_trace *trace = load(&p, PS_CLOCK_AS_IS);
                check(trace, "wrong clocks");
                ps_trace_close(trace);
        }
}

static void check_all(const char *pattern)
{
        glob_t found = {0};
        if (!glob(pattern, 0, NULL, &found))
                for (size_t i = 0; i < found.gl_pathc; i++) {
                        ps_trace *trace = delayed_load(found.gl_pathv[i], PS_CLOCK_AUTO);
                        check(trace, found.gl_pathv[i]);
                        ps_trace_close(trace);
                }
        print_message("%s: %zu traces\n", pattern, found.gl_pathc);
        globfree(&found);
}

TEST(bundled_traces_obey_the_laws)
{
        check_all("traces/*/*.otf2");
}

TEST(recorded_traces_obey_the_laws)
{
        const cJSON *entry;
        corpus_path pattern;
        int is_there = corpus_open();
        if (is_there) {
                cJSON_ArrayForEach(entry, corpus.manifest) if (corpus_text(entry, "file")[0])
                        corpus_unpack(corpus_text(entry, "file"));
                corpus_join(pattern, "%s%s", corpus.unpacked, "/*/*.otf2");
                check_all(pattern);
                corpus_join(pattern, "%s%s", corpus.unpacked, "/*/*_trace/*.otf2"); /* EZTrace's */
                check_all(pattern);
                corpus_join(pattern, "%s%s", corpus.oracle, "/*/trace/traces.otf2");
                check_all(pattern);
                corpus_join(pattern, "%s%s", corpus.oracle, "/synthetic/*/traces.otf2");
                check_all(pattern);
        }
        corpus_close();
        if (!is_there)
                skip();
}

/* Who needs the log no more gives its memory away: nothing changes, and the log says that it is empty. */
TEST(waits_may_be_taken_from_their_log)
{
        uint32_t n_messages, n_colls;
        ps_gen *g = random_program_write(&(random_program){.seed = 7, .ranks = 5, .steps = 200}, &n_messages,
                                         &n_colls);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AUTO);
        const ps_analysis_options analysis = {.n_threads = 1};
        ps_delay_options options = {.end = trace->measured.duration, .n_threads = 1};
        delayed kept = delayed_by(trace, &trace->measured, &analysis, &options);
        options.takes_log = true;
        delayed taken = delayed_by(trace, &trace->measured, &analysis, &options);
        assert_true(delayed_sum(&kept, PS_N_DELAYS, PS_DELAYED_WAIT, PS_NONE) > 0);
        delayed_same(&kept, &taken, "taken");
        uint32_t late_sender = ps_pattern_find("late-sender");
        assert_true(ps_wait_log_keeps(kept.log, late_sender));
        assert_false(ps_wait_log_keeps(taken.log, late_sender));
        delayed_free(&kept);
        delayed_free(&taken);
        ps_trace_close(trace);
        ps_gen_free(g);
}
