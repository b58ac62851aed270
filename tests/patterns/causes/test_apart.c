/* test_apart.c - causes that several processes find together, each with its own rows, are those that one
 * finds. */
#include "core/load/share.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "library/run/works.h"
#include "reader/reader.h"
#include "tests/patterns/causes/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/clocks/wrong_clocks.h"
#include "tests/support/crew/crew.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static const uint32_t sizes[] = {2, 3, 4, 7};

struct run {
        const char *path;
        ps_focus_how focus;
        ps_definitions definitions;
        ps_clock_mode clock;
        ps_trace *trace;
        delayed found;
        uint64_t cause_bytes;
        bool are_apart; /* process 0 did without the rows of the others */
};

static const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};

static delayed find(const ps_trace *trace, ps_definitions definitions)
{
        const ps_span focus = ps_focus_hull(&trace->measured);
        const ps_analysis_options analysis = {.definitions = definitions, .n_threads = 1};
        const ps_delay_options options = {.definitions = definitions,
                                          .begin = focus.begin,
                                          .end = focus.end,
                                          .n_threads = 2,
                                          .takes_log = true,
                                          .keeps_chains = true};
        return delayed_by(trace, &trace->measured, &analysis, &options);
}

/* Of the causes nothing is left in the rows that everybody has. */
static void expect_same_again(const struct run *run)
{
        const ps_analysis_options options = {.definitions = run->definitions, .n_threads = 1};
        ps_analysis *again;
        ps_error err = {0};
        assert_int_equal(ps_analyse(&again, run->trace, &run->trace->measured, &options, &err), PS_OK);
        analysed_expect_alike(run->trace, run->found.analysis, again);
        ps_analysis_free(again);
}

/* By process 0, and the others with it. */
static void load_and_find(ps_exchange *x, void *ctx)
{
        struct run *run = ctx;
        ps_error err = {0};
        const ps_focus_wish wish = {
                .how = run->focus, .from = 700 * PS_PS_PER_NS, .to = PS_TIME_MAX, .region = "main"};
        const ps_load_options options = {.n_threads = 1,
                                         .exchange = x,
                                         .focus = &wish,
                                         .clock = run->clock,
                                         .pieces = &pieces,
                                         .rows_may_stay = true};
        if (x && x->rank) {
                ps_share_serve(x, ps_reader_named, ps_all_works);
                return;
        }
        assert_int_equal(ps_trace_load(&run->trace, run->path, &options, &err), PS_OK);
        run->are_apart = run->trace->spread && run->trace->spread->rows_are_away;
        run->found = find(run->trace, run->definitions);
        run->cause_bytes = x ? x->told.cause_bytes : 0;
        expect_same_again(run);
        if (x)
                ps_share_dismiss(x);
        run->trace->spread = NULL;
}

/* In what was compared, by one process. */
static ps_time waited[PS_N_DELAYS];

static void free_run(struct run *run)
{
        delayed_free(&run->found);
        ps_trace_close(run->trace);
}

/* The ways from findings to who is to blame. */
static uint32_t expect_same_chains(const delayed *one, const delayed *many)
{
        uint32_t longest = 0;
        for (uint32_t i = 0; i < one->analysis->n_findings; i++) {
                const ps_ref at = one->analysis->findings[i].worst.at;
                ps_delay_step a[PS_CHAIN_MOST], b[PS_CHAIN_MOST];
                const uint32_t n = ps_delays_chain(one->delays, at, a);
                assert_int_equal(ps_delays_chain(many->delays, at, b), n);
                assert_memory_equal(a, b, n * sizeof(*a));
                longest = n > longest ? n : longest;
        }
        return longest;
}

static uint32_t longest_chain;

/* `how` is what to find, and how. */
static uint32_t expect_same_run(struct run how, const char *name)
{
        uint32_t n_apart = 0;
        struct run one = how;
        load_and_find(NULL, &one);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                struct run many = how;
                crew_run(sizes[i], load_and_find, &many);
                delayed_same(&one.found, &many.found, name);
                const uint32_t longest = expect_same_chains(&one.found, &many.found);
                longest_chain = longest > longest_chain ? longest : longest_chain;
                assert_true((many.cause_bytes > 0) == many.are_apart);
                n_apart += many.are_apart;
                free_run(&many);
        }
        for (unsigned f = 0; n_apart && f < PS_N_DELAYS; f++)
                waited[f] += delayed_sum(&one.found, (ps_delay_family)f, PS_DELAYED_WAIT, PS_NONE);
        free_run(&one);
        return n_apart;
}

static uint32_t expect_same(const char *path, ps_focus_how focus, ps_definitions definitions,
                            const char *name)
{
        const struct run how = {
                .path = path, .focus = focus, .definitions = definitions, .clock = PS_CLOCK_AS_IS};
        return expect_same_run(how, name);
}

enum { PROGRAMS = SANITIZED ? 4 : 12 };

static random_program program_of(const random_program *have, uint64_t seed)
{
        random_program p = *have;
        p.seed = seed;
        p.ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1);
        if (p.pgas && p.options.threads > 1)
                p.ranks = p.options.threads * (2 + (uint32_t)seed % 3);
        p.steps = 200;
        p.options.mapped = seed % 2 == 1;
        return p;
}

static uint32_t expect_same_of(ps_gen *g, uint64_t seed, const char *sort)
{
        char name[64];
        snprintf(name, sizeof(name), "%s %d", sort, (int)seed);
        return expect_same(ps_gen_anchor(g), (ps_focus_how)(seed % PS_FOCUS_HOWS),
                           seed % 4 ? PS_DEFINITIONS_PATSCAN : PS_DEFINITIONS_PAPER, name);
}

/* Programs that have this; how often process 0 did without the rows of others. */
static uint32_t expect_same_of_all(const random_program *have, const char *sort)
{
        uint32_t n_apart = 0, n_messages, n_colls;
        memset(waited, 0, sizeof(waited));
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                const random_program p = program_of(have, seed);
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                n_apart += expect_same_of(g, seed, sort);
                ps_gen_free(g);
        }
        return n_apart;
}

TEST(causes_of_each_program_are_those_that_one_process_finds)
{
        assert_true(expect_same_of_all(&(random_program){0}, "program") > PROGRAMS);
        assert_true(longest_chain > 1);
}

TEST(who_is_late_to_complete_what_all_have_begun_is_found_by_all_together)
{
        assert_true(expect_same_of_all(&(random_program){.nonblocking = true}, "begun") > 2 * PROGRAMS);
        assert_true(waited[PS_DELAY_NONBLOCKING] > 0);
}

TEST(who_is_late_for_those_of_higher_ranks_is_found_by_all_together)
{
        assert_true(expect_same_of_all(&(random_program){.prefixes = true, .nonblocking = true}, "prefix") >
                    2 * PROGRAMS);
        assert_true(waited[PS_DELAY_SCAN] > 0);
}

TEST(who_is_late_for_those_of_another_group_is_found_by_all_together)
{
        assert_true(expect_same_of_all(&(random_program){.groups = true, .nonblocking = true}, "groups") >
                    2 * PROGRAMS);
        assert_true(waited[PS_DELAY_BARRIER] > 0);
}

TEST(who_is_late_for_neighbours_is_found_by_all_together)
{
        const random_program known = {.neighbours = true, .nonblocking = true},
                             hidden = {.neighbours = true, .nonblocking = true, .hides_neighbours = true};
        assert_true(expect_same_of_all(&known, "neighbours") > 2 * PROGRAMS);
        assert_true(waited[PS_DELAY_NEIGHBOR] > 0);
        assert_true(expect_same_of_all(&hidden, "neighbours who are not told") > 2 * PROGRAMS);
}

TEST(who_is_late_where_members_make_different_calls_is_found_by_all_together)
{
        const random_program few = {.loses_calls = 300}, many = {.loses_calls = 15},
                             all = {.neighbours = true,
                                    .groups = true,
                                    .nonblocking = true,
                                    .windows = true,
                                    .prefixes = true,
                                    .loses_calls = 300,
                                    .loses_ends = 300};
        uint32_t n_apart = expect_same_of_all(&few, "few calls lost");
        n_apart += expect_same_of_all(&many, "many calls lost");
        n_apart += expect_same_of_all(&all, "some of all lost");
        assert_true(n_apart > 4 * PROGRAMS);
}

/* Of one process the trace ends before the others', in a call or not. */
TEST(who_is_late_where_a_trace_was_cut_off_is_found_by_all_together)
{
        const random_program have = {.groups = true, .nonblocking = true, .windows = true};
        uint32_t n_apart = 0, n_messages, n_colls;
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                const random_program p = program_of(&have, seed);
                ps_gen *g = random_program_write(&p, &n_messages, &n_colls);
                const char *path = ps_gen_events_file(g, (uint32_t)seed % 2);
                ps_file_truncate(path, ps_file_size(path) * seed / PROGRAMS);
                n_apart += expect_same_of(g, seed, "cut off");
                ps_gen_free(g);
        }
        assert_true(n_apart > 2 * PROGRAMS);
}

TEST(who_is_late_in_one_sided_communication_is_found_by_all_together)
{
        assert_true(expect_same_of_all(&(random_program){.windows = true}, "windows") > 2 * PROGRAMS);
        assert_true(waited[PS_DELAY_ONE_SIDED] > 0);
        assert_true(waited[PS_DELAY_LOCK] > 0);
}

/* Each a process, among messages and windows of MPI, or two in one, where calls are lost. */
TEST(who_is_late_for_other_threads_of_upc_is_found_by_all_together)
{
        const random_program alone = {.pgas = true, .windows = true, .prefixes = true},
                             shared = {.pgas = true, .loses_calls = 40, .options = {.threads = 2}};
        uint32_t n_apart = expect_same_of_all(&alone, "UPC");
        assert_true(waited[PS_DELAY_PGAS] > 0);
        assert_true(waited[PS_DELAY_LOCK] > 0);
        n_apart += expect_same_of_all(&shared, "UPC in threads, some calls lost");
        assert_true(n_apart > 4 * PROGRAMS);
}

enum { RANKS = 6, ROUNDS = 40 };

static void call_window(ps_gen *g, uint32_t rank, uint32_t line, uint64_t from, uint64_t until,
                        const ps_gen_rec *record)
{
        static const char *const names[] = {"MPI_Win_unlock", "MPI_Win_lock"};
        if (line)
                ps_gen_site(g, rank, "turns.c", line);
        ps_gen_call(g, names[record->kind == PS_GEN_R_RMA_LOCK_ACQUIRE], rank, from, until, 1, record);
}

/* Each rank holds the lock of the first one's part of a window in turn, which the next one waits for. */
static ps_gen *turns(uint8_t sort, bool tells_lines)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        const uint32_t window = ps_gen_window(g, "window", PS_GEN_WORLD), line = tells_lines;
        for (uint32_t rank = 0; rank < RANKS; rank++)
                ps_gen_enter(g, rank, 0, "main");
        for (uint32_t i = 0; i < ROUNDS; i++) {
                const uint64_t t = 100 + UINT64_C(1000) * i, held = t + 500, next = t + 1500;
                const uint32_t rank = i % RANKS;
                ps_gen_rec lock = PS_GEN_REC_OF(RMA_LOCK_ACQUIRE, .ref = window, .op = sort);
                call_window(g, rank, line * 7, i ? t + 10 : held - 10, held, &lock);
                ps_gen_visit(g, rank, held + 10, next - 30, "assemble");
                lock.kind = PS_GEN_R_RMA_LOCK_RELEASE;
                call_window(g, rank, line * 9, next - 20, next - 10, &lock);
        }
        for (uint32_t rank = 0; rank < RANKS; rank++)
                ps_gen_leave(g, rank, UINT64_C(1000) * (ROUNDS + 1), "main");
        ps_gen_close(g);
        return g;
}

TEST(who_keeps_others_out_is_found_by_all_together)
{
        static const struct {
                uint8_t sort;
                bool tells_lines;
        } cases[] = {{OTF2_LOCK_EXCLUSIVE, false}, {OTF2_LOCK_EXCLUSIVE, true}, {OTF2_LOCK_SHARED, true}};
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_gen *g = turns(cases[i].sort, cases[i].tells_lines);
                assert_int_equal(
                        expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, PS_DEFINITIONS_PATSCAN, "turns"),
                        sizeof(sizes) / sizeof(*sizes));
                ps_gen_free(g);
        }
}

static void wait_for(ps_gen *g, uint64_t t, uint32_t late, uint32_t waiter)
{
        ps_gen_visit(g, late, t, t + 300, "assemble");
        ps_gen_send(g, late, t + 310, t + 320, waiter, PS_GEN_WORLD, 1, 8);
        ps_gen_recv(g, waiter, t + 10, t + 450, late, PS_GEN_WORLD, 1,
                    8); /* which has come a quarter before that */
}

/* In an exchange in which who sends and gets nothing waits for nobody, each rank takes its turn to be that
 * one; then others wait for it, and it for others. */
static ps_gen *exchanges_without_one(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        for (uint32_t rank = 0; rank < RANKS; rank++)
                ps_gen_enter(g, rank, 0, "main");
        for (uint32_t i = 0; i < ROUNDS; i++) {
                const uint64_t t = 100 + UINT64_C(2000) * i;
                for (uint32_t rank = 0; rank < RANKS; rank++) {
                        const uint64_t bytes = rank == i % RANKS ? 0 : 8;
                        ps_gen_collective(g, "MPI_Alltoallv", rank, t + 10 * rank + 7 * (i % 5), t + 100,
                                          PS_GEN_WORLD, OTF2_COLLECTIVE_ROOT_NONE, bytes, bytes);
                }
                wait_for(g, t + 200, i % RANKS, (i + 2) % RANKS);
                wait_for(g, t + 700, (i + 2) % RANKS, (i + 4) % RANKS);
                wait_for(g, t + 1200, (i + 3) % RANKS, i % RANKS);
        }
        for (uint32_t rank = 0; rank < RANKS; rank++)
                ps_gen_leave(g, rank, 2100 * ROUNDS, "main");
        ps_gen_close(g);
        return g;
}

TEST(who_exchanges_nothing_with_all_is_known_everywhere)
{
        ps_gen *g = exchanges_without_one();
        assert_int_equal(
                expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, PS_DEFINITIONS_PATSCAN, "exchanges"),
                sizeof(sizes) / sizeof(*sizes));
        ps_gen_free(g);
}

/* Each of three ranks waits more often than process 0 borrows waits of a location at a time, and what they
 * lose goes on from wait to wait. */
static ps_gen *many_waits(void)
{
        enum { OF_THREE = 3, TIMES = 40000 };
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = OF_THREE});
        for (uint32_t rank = 0; rank < OF_THREE; rank++)
                ps_gen_enter(g, rank, 0, "main");
        for (uint32_t i = 0; i < TIMES; i++) {
                const uint64_t t = 100 + UINT64_C(1000) * i;
                wait_for(g, t, i % OF_THREE, (i + 1) % OF_THREE);
                wait_for(g, t + 500, (i + 1) % OF_THREE, (i + 2) % OF_THREE);
        }
        for (uint32_t rank = 0; rank < OF_THREE; rank++)
                ps_gen_leave(g, rank, UINT64_C(1000) * TIMES + 200, "main");
        ps_gen_close(g);
        return g;
}

TEST(of_more_waits_than_are_lent_at_a_time_causes_are_the_same)
{
        ps_gen *g = many_waits();
        assert_int_equal(
                expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, PS_DEFINITIONS_PATSCAN, "many waits"),
                sizeof(sizes) / sizeof(*sizes));
        ps_gen_free(g);
}

static const struct run of_all = {.focus = PS_FOCUS_WHOLE_RUN, .definitions = PS_DEFINITIONS_PATSCAN};

/* As they were recorded, and as they are repaired; the archive is freed. Returns what the clocks are then. */
static ps_clock_info expect_same_times(ps_gen *g, const char *name)
{
        static const ps_clock_mode modes[] = {PS_CLOCK_AS_IS, PS_CLOCK_AUTO};
        struct run how = of_all;
        how.path = ps_gen_anchor(g);
        for (unsigned m = 0; m < 2; m++) {
                how.clock = modes[m];
                assert_int_equal(expect_same_run(how, name), sizeof(sizes) / sizeof(*sizes));
        }
        ps_trace *trace = loaded_by(how.path, 1, PS_CLOCK_AUTO);
        const ps_clock_info clock = trace->clock;
        ps_trace_close(trace);
        ps_gen_free(g);
        return clock;
}

TEST(causes_are_the_same_where_each_clock_has_a_zero_of_its_own)
{
        unsigned n_repaired = 0;
        for (uint64_t seed = 1; seed <= PROGRAMS / 2; seed++)
                n_repaired += expect_same_times(wrong_clocks_skewed(seed), "skewed clocks").repaired;
        assert_true(n_repaired > PROGRAMS / 8);
}

TEST(causes_are_the_same_where_clocks_run_wrong)
{
        const struct wrong_crowd few = {.ranks = 6, .rounds = 200, .apart = PS_GEN_MS(50), .ppm = 80};
        assert_non_null(expect_same_times(wrong_clocks_crowd(&few, 7), "drifts").drift);
}

TEST(causes_are_the_same_where_single_times_are_moved)
{
        for (uint64_t seed = 1; seed <= PROGRAMS / 4; seed++)
                assert_true(
                        expect_same_times(wrong_clocks_noisy(3 + (uint32_t)seed % 6, seed), "noise").moved);
}

/* Threads that share work and locks, and complete what others have begun. */
TEST(who_is_late_for_other_threads_is_found_by_all_together)
{
        const random_program threads = {.teams = true, .options = {.threads = 3}};
        assert_int_equal(expect_same_of_all(&threads, "threads"), PROGRAMS * sizeof(sizes) / sizeof(*sizes));
        assert_true(waited[PS_DELAY_LOCK] > 0);
        assert_true(waited[PS_DELAY_OMP_BARRIER] > 0);
}

/* Each rank lets one of two threads make its call of each barrier, while the first ones wait for each other:
 * who has made that call has met those who have. */
static ps_gen *threads_that_take_turns(void)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS, .threads = 2});
        for (uint32_t rank = 0; rank < RANKS; rank++)
                ps_gen_enter(g, rank, 0, "main");
        for (uint32_t i = 0; i < ROUNDS; i++) {
                const uint64_t t = 100 + UINT64_C(2000) * i;
                for (uint32_t rank = 0; rank < RANKS; rank++) {
                        const uint32_t thread = i % 3 ? i >> rank % 3 & 1 : 0;
                        ps_gen_barrier(g, ps_gen_at(g, rank, thread), t + 10 * rank + 7 * (i % 5), t + 100,
                                       PS_GEN_WORLD);
                }
                for (uint32_t k = 0; k < 3; k++)
                        wait_for(g, t + 200 + 500 * k, (i + k) % RANKS,
                                 (i + k + 1 + i * k % (RANKS - 1)) % RANKS);
        }
        for (uint32_t rank = 0; rank < RANKS; rank++)
                ps_gen_leave(g, rank, 2100 * ROUNDS, "main");
        ps_gen_close(g);
        return g;
}

TEST(which_thread_has_made_a_call_is_known_everywhere)
{
        ps_gen *g = threads_that_take_turns();
        assert_int_equal(expect_same(ps_gen_anchor(g), PS_FOCUS_WHOLE_RUN, PS_DEFINITIONS_PATSCAN, "turns"),
                         sizeof(sizes) / sizeof(*sizes));
        ps_gen_free(g);
}

/* Threads, windows, whatever is begun and completed later, calls and messages that are lost; clocks as they
 * are recorded, and repaired. */
TEST(causes_are_the_same_where_all_that_is_rare_comes_together)
{
        uint32_t n_apart = 0;
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_gen *g = random_program_odd(seed, 150);
                struct run how = of_all;
                how.path = ps_gen_anchor(g);
                how.clock = seed % 2 ? PS_CLOCK_AS_IS : PS_CLOCK_REPAIR;
                n_apart += expect_same_run(how, "odd program");
                ps_gen_free(g);
        }
        assert_true(n_apart > 2 * PROGRAMS);
}
